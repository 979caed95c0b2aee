/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_INCREMENTAL_DELTA_MAKE_H
#define TESTS_SUPPORT_INCREMENTAL_DELTA_MAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * The device's half of backends/incremental/text_delta.h in C, for those who have no awk: the tests
 * of the other half, and the responder. Written from what that header says, and without its code.
 */

/* Tokens of the text. */
uint32_t delta_tokens(const char *text, size_t len);
/*
 * Adds the lines that make `now` of `old`. *sum: what the sum grows by, below 1000003. False,
 * nothing is added: the tokens are others, so that all has to be said.
 */
bool delta_make(const char *old, size_t old_len, const char *now, size_t now_len, struct buf *out,
	uint32_t *sum);

#endif
