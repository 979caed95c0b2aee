/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_INCREMENTAL_DELTA_MAKE_H
#define TESTS_SUPPORT_INCREMENTAL_DELTA_MAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * The device's half of backends/incremental/text_delta.h in C, for programs without awk: the tests
 * of the other half, and the responder. Written from that header's description, without its code.
 */

/* Tokens of the text. */
uint32_t delta_tokens(const char *text, size_t len);
/*
 * Adds the lines that make `now` of `old`. *sum: the growth of the sum, below 1000003. False,
 * nothing is added: the tokens differ, so that the whole text is needed.
 */
bool delta_make(const char *old, size_t old_len, const char *now, size_t now_len, struct buf *out,
	uint32_t *sum);

#endif
