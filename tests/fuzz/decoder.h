/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FUZZ_DECODER_H
#define TESTS_FUZZ_DECODER_H

#include <stddef.h>
#include <stdint.h>

/* Called by libFuzzer with every input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
