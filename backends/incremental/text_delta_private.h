/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_INCREMENTAL_TEXT_DELTA_PRIVATE_H
#define BACKENDS_INCREMENTAL_TEXT_DELTA_PRIVATE_H

#include "backends/incremental/text_delta.h"

/* Private to text_delta*.c. */

#define DELTA_SPAN_LONG 255U /* in spans: the token has an entry in longer */
/* Readable bytes after the text, so that short pieces are copied without a loop. */
#define DELTA_BEHIND ((size_t)32)

/* Spare room, so that a longer number rarely reallocates the text. */
static inline size_t delta_size_for(size_t len)
{
	return len + len / 16 + 2 * DELTA_BEHIND;
}

/* True: a line is cut at its commas. */
static inline bool delta_is_cut(const char *line, size_t len)
{
	return len > DELTA_LINE_MOST || (len && line[0] == ',');
}

/* Reads digits up to 32 bits and the character `end`; *at is then after it. */
bool delta_read_number(const char **at, char end, uint32_t *out);

/* Returns the byte for it in d->spans. */
static inline uint8_t delta_span_byte(size_t span)
{
	return (uint8_t)(span < DELTA_SPAN_LONG ? span : DELTA_SPAN_LONG);
}

/* Replaces the entries in d by n from *longer. */
void delta_set_longer(struct text_delta *d, const struct delta_long *longer, size_t n);

/*
 * First step: reads the lines of a delta into s->changes. Sets per token its place (at, was_len)
 * and its new text (text, len, number, commas; digits and value of its leading number). False:
 * invalid lines.
 */
bool delta_read_lines(
	const struct text_delta *d, const char *delta, size_t len, struct delta_scratch *s);

/*
 * Second step: finds the unchanged part of each token, saves s->was and updates d->sum. Writes the
 * tokens that keep their length. False: a token lacks the number that changes, or the text would
 * get other tokens.
 */
bool delta_fit(struct text_delta *d, struct delta_scratch *s);

/* Third step: writes the tokens that change their length. False: the text would be too long. */
bool delta_move(struct text_delta *d, struct delta_scratch *s);

#endif
