/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input: a letter for the decoder, then the output of NCCL, PyTorch, a scheduler or a host's tools.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/decoder.h"
#include "tests/support/nccl_parsers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = {0};
	struct obs *o;
	char *exact;

	if (!size)
		return 0;
	exact = malloc(size); /* reading past it is seen */
	if (!exact)
		abort();
	memcpy(exact, data + 1, size - 1);
	exact[size - 1] = '\0';
	o = obs_new("node-1", "nccl");
	if (!nccl_parser_by_letter(data[0])->parse(exact, size - 1, o, &err) && !*err.text)
		abort();
	if (nccl_batch_fault(o))
		abort();
	obs_free(o);
	free(exact);
	return 0;
}
