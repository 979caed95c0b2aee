/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input: two bytes for the cut into pieces, then a document. Scanner and jansson agree on whether
 * it is one and on its content.
 */
#include <stdint.h>
#include <stdlib.h>

#include "tests/fuzz/decoder.h"
#include "tests/support/incremental/scan_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data + 2;

	if (size < 2)
		return 0;
	if (!scan_agrees(bytes, size - 2, data[0], (size_t)data[1] + 1) ||
		!scan_agrees(bytes, size - 2, 0, size))
		abort();
	return 0;
}
