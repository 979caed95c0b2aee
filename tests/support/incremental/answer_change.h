/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_INCREMENTAL_ANSWER_CHANGE_H
#define TESTS_SUPPORT_INCREMENTAL_ANSWER_CHANGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Answers that a device might give next, as the seed has it: the same seed, the same answers. */
struct answer_change {
	uint64_t seed; /* not 0 */
};
uint32_t answer_random(struct answer_change *c);

/*
 * Some of the whole numbers behind these words are larger, up to the next such byte. out is begun
 * here.
 */
void answer_grow(struct answer_change *c, const char *bytes, size_t len, const char *behind,
	char until, struct buf *out);
/*
 * Numbers are others; then a byte, a line or a piece is changed, doubled, put in or gone, or the
 * end is missing.
 */
void answer_mangle(struct answer_change *c, const char *bytes, size_t len, struct buf *out);

#endif
