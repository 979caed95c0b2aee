/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "fabric/model_internal.h"
#include "fabric/model_state.h"
#include "fabric/model_state_internal.h"

/*
 * Histories of rates. Most of their samples are zeros and gaps, or stay the same: runs are told as
 * runs, what is left as it is.
 */
enum run { RUN_ZERO, RUN_NAN, RUN_SAME, RUN_TOLD, RUN_KINDS };

static bool same(const float *a, const float *b)
{
	uint32_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x == y;
}

static bool is_zero(float v)
{
	static const float zero;

	return same(&v, &zero);
}

/* What begins at v[i], and how far it goes. */
static enum run run_at(const float *v, unsigned n, unsigned i, unsigned *len)
{
	unsigned k = i + 1;

	while (k < n && same(&v[k], &v[i]))
		k++;
	*len = k - i;
	if (is_zero(v[i]))
		return RUN_ZERO;
	if (state_is_nan(v[i]))
		return RUN_NAN;
	if (i && same(&v[i], &v[i - 1]))
		return RUN_SAME;
	/* Up to where a run is worth its head. */
	*len = 1;
	for (k = i + 1; k < n && !is_zero(v[k]) && !state_is_nan(v[k]) && !same(&v[k], &v[k - 1]);
		k++)
		++*len;
	return RUN_TOLD;
}

static void told(struct state *s, float *v, unsigned n)
{
	unsigned char bytes[4 * HISTORY_LEN];

	for (unsigned i = 0; !s->loading && i < n; i++) {
		uint32_t bits;

		memcpy(&bits, &v[i], sizeof(bits));
		for (unsigned k = 0; k < 4; k++)
			bytes[4 * i + k] = (unsigned char)(bits >> (8 * k));
	}
	state_bytes(s, bytes, (size_t)4 * n);
	for (unsigned i = 0; s->loading && i < n; i++) {
		uint32_t bits = 0;

		for (unsigned k = 0; k < 4; k++)
			bits |= (uint32_t)bytes[4 * i + k] << (8 * k);
		memcpy(&v[i], &bits, sizeof(bits));
	}
}

static void run_state(struct state *s, float *v, unsigned n, unsigned *i)
{
	unsigned len = 0;
	uint32_t head = 0;

	if (!s->loading)
		head = run_at(v, n, *i, &len), head |= (len - 1) * RUN_KINDS;
	state_below(s, &head, (n - *i) * RUN_KINDS);
	len = head / RUN_KINDS + 1;
	if (head % RUN_KINDS == RUN_TOLD)
		told(s, &v[*i], len);
	for (unsigned k = 0; s->loading && k < len && head % RUN_KINDS != RUN_TOLD; k++)
		v[*i + k] = head % RUN_KINDS == RUN_ZERO  ? 0
			    : head % RUN_KINDS == RUN_NAN ? NAN
			    : *i                          ? v[*i - 1]
							  : 0;
	*i += len;
}

static void samples_state(struct state *s, float *v, unsigned n)
{
	for (unsigned i = 0; i < n && !s->bad;)
		run_state(s, v, n, &i);
}

/* The newest n samples, oldest first. */
static void newest(const struct history *h, unsigned n, float *v)
{
	for (unsigned i = 0; i < n; i++)
		v[i] = h->at[(h->next + HISTORY_LEN - n + i) % HISTORY_LEN];
}

static void append(struct history *h, const float *v, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		h->at[h->next] = v[i];
		h->next = (uint16_t)((h->next + 1) % HISTORY_LEN);
		if (h->used < HISTORY_LEN)
			h->used++;
	}
}

/* Samples that came since it was saved last; all that there are when they are more than it keeps.
 */
static unsigned fresh(const struct history *h, bool all)
{
	unsigned n = (uint16_t)(h->pushed - h->saved);

	return all || n > h->used ? h->used : n;
}

static void save_history(struct state *s, struct history *h, bool all)
{
	uint16_t from = all ? 0 : h->saved;
	unsigned n = fresh(h, all);
	uint8_t count = (uint8_t)n;
	float v[HISTORY_LEN] = {0};

	newest(h, n, v);
	state_u16(s, &h->cell);
	state_u16(s, &from);
	state_u16(s, &h->pushed);
	state_u8(s, &count);
	samples_state(s, v, n);
	h->saved = h->pushed;
}

/* A new one, whose cell the state has told of; NULL: it has not. */
static struct history *add(struct port *p, uint16_t cell)
{
	struct cell *c;

	if (cell >= CELL_COUNT || p->slot[cell] == SLOT_NONE || p->histories.n >= SLOT_NONE)
		return NULL;
	c = &p->cells.at[p->slot[cell]];
	return c->chart || !counter_charted(counter_of_cell(cell, NULL)) ? NULL
									 : history_add(p, c, cell);
}

static void load_history(struct state *s, struct port *p, size_t at, bool all)
{
	uint16_t cell = 0, from = 0, pushed = 0;
	uint8_t count = 0;
	float v[HISTORY_LEN] = {0};
	struct history *h;

	state_u16(s, &cell);
	state_u16(s, &from);
	state_u16(s, &pushed);
	state_small(s, &count, HISTORY_LEN + 1);
	if (s->bad)
		return;
	h = at < p->histories.n ? &p->histories.at[at] : at == p->histories.n ? add(p, cell) : NULL;
	/* Onto what was there: where it ended is where this begins. */
	if (!h || h->cell != cell || (!all && h->pushed != from) ||
		(count < HISTORY_LEN && (uint16_t)(pushed - from) != count && !all)) {
		s->bad = true;
		return;
	}
	if (all)
		h->used = h->next = 0;
	samples_state(s, v, count);
	if (s->bad)
		return;
	append(h, v, count);
	h->pushed = h->saved = pushed;
}

static size_t saved_of(const struct port *p, bool all)
{
	size_t n = 0;

	for (size_t i = 0; i < p->histories.n; i++)
		n += all || p->histories.at[i].pushed != p->histories.at[i].saved;
	return n;
}

static void port_histories(struct state *s, struct port *p, bool all)
{
	size_t n = saved_of(p, all), at = 0;

	STATE_VISITS(struct history, 492);
	if (s->loading)
		n = 0;
	state_count(s, &n, SLOT_NONE);
	for (size_t i = 0; i < n && !s->bad; i++, at++) {
		uint32_t where;

		while (!s->loading && !all &&
			p->histories.at[at].pushed == p->histories.at[at].saved)
			at++;
		where = (uint32_t)at;
		state_below(s, &where, SLOT_NONE);
		at = where;
		if (s->loading)
			load_history(s, p, at, all);
		else
			save_history(s, &p->histories.at[at], all);
	}
}

bool model_history_step(struct state *s, struct model *m, size_t step, bool all)
{
	const struct device *d;
	uint32_t before = UINT32_MAX, id;
	size_t i = 0;

	if (step < 1 || step > m->devices.n)
		return !s->bad;
	d = m->devices.at[step - 1];
	/* Ports that have some, by their ids, then none. */
	while (!s->bad) {
		id = PORT_NONE;
		for (; !s->loading && id == PORT_NONE && i < d->ports.n; i++)
			if (saved_of(m->ports.at[d->ports.at[i]], all))
				id = d->ports.at[i];
		state_near_id(s, &id, before, m->ports.n);
		if (s->bad || id == PORT_NONE)
			break;
		if (m->ports.at[id]->device != d->id) {
			s->bad = true;
			break;
		}
		port_histories(s, m->ports.at[id], all);
		before = id;
	}
	return !s->bad;
}
