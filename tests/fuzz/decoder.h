/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FUZZ_DECODER_H
#define TESTS_FUZZ_DECODER_H

#include <stddef.h>
#include <stdint.h>

/*
 * A fuzz target for a dialect is one line: DECODER_TARGET(sonic). The first line of an input says
 * what is asked of what ("ssh fast", "https pfc", "host slow", then facts as "key=value"), the rest
 * is the answer of a device that lies.
 */
int fuzz_decoder(const char *dialect, const uint8_t *data, size_t size);

/* Called by libFuzzer with every input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define DECODER_TARGET(dialect)                                                                    \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)                               \
	{                                                                                          \
		return fuzz_decoder(#dialect, data, size);                                         \
	}                                                                                          \
	_Static_assert(sizeof(#dialect) > 1, "a dialect has a name")

#endif
