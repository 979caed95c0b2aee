/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/incremental/text_delta_private.h"
#include "base/digits.h"
#include "base/mem.h"

static int64_t growth_of(const struct text_change *e)
{
	return (int64_t)e->len - e->was_len;
}

/* Moves the text between two tokens that change their length back by `by` bytes. */
static void move_gap(struct text_delta *d, const struct text_change *from,
	const struct text_change *to, int64_t by)
{
	size_t at = (size_t)from->at + from->was_len;
	size_t end = to ? (size_t)to->at : d->len;

	memmove(d->text + (size_t)((int64_t)at + by), d->text + at, end - at);
}

/*
 * Makes room for tokens that grow and closes gaps; by: growth of the whole text. Parts that move
 * forward are moved in order from the front, then those that move back in order from the end. So no
 * part is overwritten before it was moved.
 */
static void move_gaps(struct text_delta *d, const struct delta_scratch *s, int64_t by)
{
	struct text_change *const *e = s->grown.at;
	size_t n = s->grown.n;
	int64_t to = 0;

	for (size_t i = 0; i < n; i++) {
		to += growth_of(e[i]);
		if (to < 0)
			move_gap(d, e[i], i + 1 < n ? e[i + 1] : NULL, to);
	}
	for (size_t i = n; i-- > 0; by -= growth_of(e[i]))
		if (by > 0)
			move_gap(d, e[i], i + 1 < n ? e[i + 1] : NULL, by);
}

/* Updates longer after tokens have changed their length. */
static void update_longer(struct text_delta *d, struct delta_scratch *s)
{
	uint32_t k = 0;

	s->longer.n = 0;
	for (size_t i = 0; i < s->grown.n; i++) {
		const struct text_change *e = s->grown.at[i];
		uint32_t span = e->head + e->len + 1;

		for (; k < d->longer_n && d->longer[k].token < e->token; k++)
			vec_push(&s->longer, d->longer[k]);
		k += k < d->longer_n && d->longer[k].token == e->token;
		if (span >= DELTA_SPAN_LONG)
			vec_push(&s->longer, (struct delta_long){e->token, span});
	}
	for (; k < d->longer_n; k++)
		vec_push(&s->longer, d->longer[k]);
	delta_set_longer(d, s->longer.at, s->longer.n);
}

/* Writes the token and its length. True: the old or the new length does not fit in a byte. */
static bool write_one(struct text_delta *d, const struct text_change *e)
{
	uint32_t span = e->head + e->len + 1;

	d->spans[e->token] = delta_span_byte(span);
	digits_copy(d->text + e->at, e->text, e->len);
	return span >= DELTA_SPAN_LONG || e->head + e->was_len + 1 >= DELTA_SPAN_LONG;
}

/* Writes the tokens at their new offsets, from the first that grows. */
static void write_moved(struct text_delta *d, struct delta_scratch *s)
{
	struct text_change *e = s->grown.at[0], *end = s->changes.at + s->changes.n;
	bool is_longer = false;
	int64_t by = 0;

	for (size_t i = 0; i < s->grown.n; i++) {
		struct text_change *to = s->grown.at[i];

		for (; e <= to; e++)
			e->at = (uint32_t)(e->at + by);
		by += growth_of(to);
		is_longer |= write_one(d, to);
	}
	for (; e < end; e++)
		e->at = (uint32_t)(e->at + by);
	if (is_longer)
		update_longer(d, s);
}

bool delta_move(struct text_delta *d, struct delta_scratch *s)
{
	int64_t by = 0;
	size_t len;

	if (!s->grown.n)
		return true;
	for (size_t i = 0; i < s->grown.n; i++)
		by += growth_of(s->grown.at[i]);
	len = (size_t)((int64_t)d->len + by);
	if (len > DELTA_BYTES_MOST)
		return false;
	if (d->size < len + DELTA_BEHIND) {
		d->size = delta_size_for(len);
		d->text = mem_realloc(d->text, d->size, 1);
	}
	move_gaps(d, s, by);
	write_moved(d, s);
	d->len = len;
	d->text[len] = '\0';
	return true;
}
