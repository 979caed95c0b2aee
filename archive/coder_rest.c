/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "archive/coder_internal.h"

/*
 * A batch that names only what moved (struct obs, rest_stands) has another shape each time. What it
 * names is told as places in the last whole one of its stream, in turns: so many left out, so many
 * named. The numbers are differences to those of before, as of any other.
 */

bool coder_rest_fits(struct coder *c, const struct shape *h, const struct obs *o)
{
	size_t at = 0;

	if (!shape_heads_fit(h, o))
		return false;
	vec_reserve(&c->places, h->items.n);
	c->places.n = h->items.n;
	if (h->items.n)
		memset(c->places.at, 0, h->items.n);
	for (size_t i = 0; i < o->items.n; i++) {
		if (o->items.at[i].kind >= OBS_FACT)
			continue;
		while (at < h->items.n && !shape_item_is(&h->items.at[at], &o->items.at[i]))
			at++;
		if (at == h->items.n)
			return false;
		c->places.at[at++] = 1;
	}
	return true;
}

void coder_save_places(const struct coder *c, struct state *s)
{
	const uint8_t *named = c->places.at;
	size_t at = 0, n = c->places.n;

	while (at < n) {
		for (unsigned is = 0; is < 2; is++) {
			size_t from = at;

			while (at < n && named[at] == is)
				at++;
			state_u64(s, &(uint64_t){at - from});
		}
	}
}

void coder_load_places(struct coder *c, struct state *s, const struct shape *h)
{
	size_t at = 0, n = h->items.n;

	vec_reserve(&c->places, n);
	c->places.n = n;
	while (at < n && !s->bad) {
		size_t from = at;

		for (unsigned is = 0; is < 2; is++) {
			uint64_t run = 0;

			state_u64(s, &run);
			s->bad |= run > n - at;
			if (s->bad)
				return;
			memset(c->places.at + at, (int)is, (size_t)run);
			at += (size_t)run;
		}
		/* Else two runs of nothing would go on for ever. */
		s->bad |= at == from;
	}
}
