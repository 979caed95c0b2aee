/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "archive/codec/batch_codec_internal.h"

/*
 * A batch that names only what moved (struct obs, unchanged_rest) has another shape each time. What
 * it names is told as places in the last whole one of its stream, in turns: so many left out, so
 * many named. The numbers are differences to those of before, as of any other.
 *
 * It names a part of what there is, and what it does not name is not looked at either.
 */

#define PARTS_MOST 4

bool coder_rest_fits(struct coder *c, const struct shape *h, const struct obs *o)
{
	const struct shape_item *items = h->items.at;
	size_t at = 0, n = h->items.n;

	if (!shape_heads_fit(h, o))
		return false;
	c->places.n = 0;
	vec_reserve(&c->places, n);
	for (size_t i = 0; i < o->items.n; i++) {
		uint64_t key;

		if (o->items.at[i].kind >= OBS_FACT)
			continue;
		key = shape_key_of(&o->items.at[i]);
		while (at < n && items[at].key != key)
			at++;
		if (at == n)
			return false;
		c->places.at[c->places.n++] = (uint32_t)at++;
	}
	return true;
}

void coder_save_places(const struct coder *c, struct state *s, const struct shape *h)
{
	const uint32_t *place = c->places.at;
	size_t at = 0, n = h->items.n, i = 0;
	char *to = state_room(s, 2 * (c->places.n + 1));

	while (to && at < n) {
		size_t from = i < c->places.n ? place[i] : n, named = 0;

		for (; i < c->places.n && place[i] == from + named; i++)
			named++;
		to = state_put(state_put(to, from - at), named);
		at = from + named;
	}
	if (to)
		state_put_to(s, to);
	s->bad |= !to;
}

void coder_load_places(struct coder *c, struct state *s, const struct shape *h)
{
	size_t at = 0, n = h->items.n;

	c->places.n = 0;
	vec_reserve(&c->places, n);
	while (at < n && !s->bad) {
		size_t from = at;

		for (unsigned is = 0; is < 2; is++) {
			uint64_t run = 0;

			state_u64(s, &run);
			s->bad |= run > n - at;
			if (s->bad)
				return;
			for (; is && run; run--)
				c->places.at[c->places.n++] = (uint32_t)at++;
			at += (size_t)run;
		}
		/* Else two runs of nothing would go on for ever. */
		s->bad |= at == from;
	}
}

/* ---- the numbers ---- */

/* The items that the batch names, one after the other, without those that are not written. */
struct named {
	const struct obs *o;
	size_t at;
};

static const struct obs_item *next_named(struct named *n)
{
	while (n->o->items.at[n->at].kind >= OBS_FACT)
		n->at++;
	return &n->o->items.at[n->at++];
}

static void change(struct changing *g, size_t slot, uint64_t v)
{
	uint64_t was = coder_change(g, slot, v);

	if (v != was)
		vec_push(&g->c->changed, (struct slot){slot, v, was});
}

static void save_some(
	struct coder *c, struct state *s, struct stream *st, const struct obs *o, int64_t t_us)
{
	const struct shape *h = st->shape;
	size_t records = h->slots - h->kinds.n;
	struct named named = {.o = o};
	struct changing g;

	c->changed.n = 0;
	vec_reserve(&c->now, shape_head(h));
	coder_fill_head(o, t_us, c->now.at);
	coder_head_changed(c, h, coder_before_head(c, st));
	coder_change_begin(&g, c, st);
	for (size_t i = 0; i < c->places.n; i++) {
		const struct shape_item *item = &h->items.at[c->places.at[i]];
		const struct obs_item *it = next_named(&named);
		uint64_t v[PARTS_MOST];
		size_t n = 0;

		if (item->parts == PART_COUNT) /* nearly all are */
			change(&g, item->slot, it->u64);
		else
			n = coder_fill_item(c, o, it, v);
		for (size_t k = 0; k < n; k++)
			change(&g, item->slot + k, v[k]);
	}
	if (records) {
		vec_reserve(&c->records, records);
		coder_fill_records(c, o, c->records.at);
		for (size_t i = 0; i < records; i++)
			change(&g, h->kinds.n + i, c->records.at[i]);
	}
	coder_save_changed(c, s, h);
}

/* The first one in a run: what it does not name is as if it were nothing. */
static void save_first(
	struct coder *c, struct state *s, struct stream *st, const struct obs *o, int64_t t_us)
{
	const struct shape *h = st->shape;
	struct named named = {.o = o};

	vec_reserve(&c->now, h->slots);
	memset(c->now.at, 0, h->slots * sizeof(*c->now.at));
	coder_fill_head(o, t_us, c->now.at);
	for (size_t i = 0; i < c->places.n; i++)
		(void)coder_fill_item(
			c, o, next_named(&named), c->now.at + h->items.at[c->places.at[i]].slot);
	coder_fill_records(c, o, c->now.at + h->kinds.n);
	coder_save_slots(c, s, h, NULL);
	coder_remember(c, st, h);
}

void coder_save_rest(
	struct coder *c, struct state *s, struct stream *st, const struct obs *o, int64_t t_us)
{
	if (st->said)
		save_some(c, s, st, o, t_us);
	else
		save_first(c, s, st, o, t_us);
}
