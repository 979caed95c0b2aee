/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a line of observations. It is read, or refused with a word. */
#include <stdlib.h>
#include <string.h>

#include "backends/jsonl.h"
#include "tests/fuzz/decoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = {0};
	struct obs *o;
	char *bytes = malloc(size + 1);

	if (!bytes)
		abort();
	if (size)
		memcpy(bytes, data, size);
	bytes[size] = '\0';
	o = jsonl_parse(bytes, size, NULL, NULL, NULL, &err);
	if (!o && !*err.text)
		abort();
	obs_free(o);
	free(bytes);
	return 0;
}
