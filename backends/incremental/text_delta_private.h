/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_INCREMENTAL_TEXT_DELTA_PRIVATE_H
#define BACKENDS_INCREMENTAL_TEXT_DELTA_PRIVATE_H

#include "backends/incremental/text_delta.h"

/* Private to answer_delta*.c. */

#define DELTA_SPAN_LONG 255U /* in spans: the token is one of longer */
/* Bytes behind the text that may be read, so that short pieces are copied without a loop. */
#define DELTA_BEHIND ((size_t)32)

/* Some room, so that not every number that gets longer moves the text elsewhere. */
static inline size_t delta_size_for(size_t len)
{
	return len + len / 16 + 2 * DELTA_BEHIND;
}

/* Whether a line is cut at its commas. */
static inline bool delta_is_cut(const char *line, size_t len)
{
	return len > DELTA_LINE_MOST || (len && line[0] == ',');
}

/* Digits up to 32 bits, and what ends them; *at is then behind that. */
bool delta_read_number(const char **at, char end, uint32_t *out);

/* The byte that d->spans has of it. */
static inline uint8_t delta_span_byte(size_t span)
{
	return (uint8_t)(span < DELTA_SPAN_LONG ? span : DELTA_SPAN_LONG);
}

/* n from *longer take the place of those that d has. */
void delta_set_longer(struct answer_delta *d, const struct delta_long *longer, size_t n);

/*
 * First step: the lines of a delta, as s->changes that have of each token where it is (at, was_len)
 * and what is told of it (text, len, number, commas; digits and value of what it begins with).
 * False: they are none.
 */
bool delta_read_lines(
	const struct answer_delta *d, const char *delta, size_t len, struct delta_scratch *s);

/*
 * Second step: what of each token stays, and s->was; d->sum is that of the text to come. Tokens
 * that stay as long as they are have been written then. False: a token has no number where one is
 * told, or the text would have other tokens.
 */
bool delta_fit(struct answer_delta *d, struct delta_scratch *s);

/* Third step: the tokens that get longer or shorter. False: the text would be too long. */
bool delta_move(struct answer_delta *d, struct delta_scratch *s);

#endif
