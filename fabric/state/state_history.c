/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "fabric/history/history_internal.h"
#include "fabric/model/model_internal.h"
#include "fabric/state/state.h"
#include "fabric/state/state_internal.h"
#include "fabric/vocabulary/counters.h"

/*
 * Saves histories as they are in memory: in blocks. An increment has the bytes appended since the
 * last save. The number of the first remaining block tells which blocks were dropped.
 */

static void time_state(struct state *s, int64_t *ms, int64_t near)
{
	state_near(s, ms, near);
	if (*ms >= 0 && *ms <= HLOG_MS_MOST)
		return;
	s->bad = true;
	*ms = 0;
}

/* ---- blocks ---- */

/* End of the log: the number of its last block, and bytes used in it. */
static void end_of(const struct hlog *l, uint32_t *block, uint16_t *used)
{
	*block = l->dropped + (l->blocks ? l->blocks - 1 : 0);
	*used = l->last ? l->last->used : 0;
}

static void set_saved(struct hlog *l)
{
	end_of(l, &l->saved_block, &l->saved_used);
}

/* The bytes of a block from at[from] on; those before are already loaded. */
static void block_state(struct state *s, struct hlog_block *b, uint16_t from, uint16_t used)
{
	STATE_SIZE(struct hlog_block, 32);
	if (!from)
		time_state(s, &b->first_ms, 0);
	time_state(s, &b->last_ms, b->first_ms);
	state_u16(s, &b->records);
	state_bytes(s, b->data + from, (size_t)(used - from));
	b->used = used;
}

static void save_blocks(struct state *s, const struct hlog *l, uint32_t number, uint16_t from)
{
	struct hlog_block *b = l->first;

	/* Usually the block that was unfinished then is still the last one. */
	if (l->blocks && number == l->dropped + l->blocks - 1)
		b = l->last;
	else
		for (uint32_t i = l->dropped; b && i != number; i++)
			b = b->next;
	for (; b; b = b->next) {
		uint16_t size = b->size, used = b->used;

		state_u16(s, &size);
		state_u16(s, &used);
		block_state(s, b, from, used);
		from = 0;
	}
}

/* Loads n blocks; the first of them continues at byte `from` of the last existing block. */
static void load_blocks(struct state *s, struct hlog *l, size_t n, uint16_t from)
{
	for (size_t i = 0; i < n && !s->bad; i++) {
		uint16_t size = 0, used = 0;
		struct hlog_block *b = from ? l->last : NULL;

		state_u16(s, &size);
		state_u16(s, &used);
		/* Check that the claimed bytes exist before room is made for them. */
		if (used > size || used < from || (from && !b) ||
			(size_t)(used - from) > (size_t)(s->end - s->at))
			s->bad = true;
		if (!s->bad && !b)
			b = hlog_add_block(l, size, used);
		if (!b || b->size != size)
			s->bad = true;
		if (s->bad)
			return;
		b = hlog_room(l, used);
		l->records -= b->records;
		block_state(s, b, from, used);
		l->records += b->records;
		from = 0;
	}
	hlog_loaded(l);
}

/* Drops the blocks before that number. False: the log never had so many. */
static bool drop_to(struct hlog *l, uint32_t number)
{
	while (l->blocks && l->dropped != number)
		(void)hlog_drop(l);
	if (l->dropped == number)
		return true;
	/* All known blocks are gone, and some that came in between. */
	l->dropped = number;
	return !l->blocks;
}

static void hlog_state(struct state *s, struct hlog *l, bool all)
{
	uint32_t dropped = l->dropped, block, at_block;
	uint16_t used, at_used;
	size_t n;

	STATE_SIZE(struct hlog, 72);
	end_of(l, &at_block, &at_used);
	block = s->loading ? 0 : l->saved_block;
	used = s->loading || all ? 0 : l->saved_used;
	state_u32(s, &dropped);
	if (all) {
		block = dropped;
	} else {
		state_u32(s, &block);
		state_u16(s, &used);
		/* An increment must begin where the loaded log ends. */
		if (s->loading && !s->bad && (block != at_block || used != at_used))
			s->bad = true;
	}
	if (s->bad)
		return;
	if (s->loading && all)
		hlog_free(l);
	if (s->loading && !drop_to(l, dropped))
		s->bad = true;
	/* The unfinished block may be gone; block numbers wrap around. */
	if ((uint32_t)(block - dropped) > UINT32_MAX / 2) {
		block = dropped;
		used = 0;
	}
	n = s->loading ? 0 : l->blocks - (block - dropped);
	state_count(s, &n, UINT32_MAX);
	if (s->loading)
		load_blocks(s, l, n, used);
	else
		save_blocks(s, l, block, used);
}

/* ---- series ---- */

/* Adds a series. NULL: the loaded state has no such cell. */
static struct series *add_series(struct port *p, uint16_t cell)
{
	struct cell *c;

	if (cell >= CELL_COUNT || p->layout->slot[cell] == SLOT_NONE)
		return NULL;
	c = &p->cells[p->layout->slot[cell]];
	return c->chart || !counter_charted(counter_of_cell(cell, NULL))
		       ? NULL
		       : series_add(p->log, c, cell);
}

/*
 * Saves or loads one series. known: its counter and start time are known from before. The growth
 * in the open step took the same time for most of a port's counters.
 */
static void one_series(struct state *s, struct port *p, size_t i, bool known, int64_t *near_us)
{
	struct series none = {0}, *v = i < p->log->series.n ? &p->log->series.at[i] : &none;
	uint16_t cell = v->cell;

	STATE_SIZE(struct series, 32);
	if (!known)
		state_u16(s, &cell);
	if (s->loading && !s->bad && i >= p->log->series.n)
		v = add_series(p, cell);
	if (s->bad || !v || v->cell != cell) {
		s->bad = true;
		return;
	}
	state_small(s, &v->flags, SERIES_FLAGS + 1);
	state_small(s, &v->next, HISTORY_LEN);
	state_small(s, &v->used, HISTORY_LEN + 1);
	if (!known)
		time_state(s, &v->first_ms, p->log->since_ms);
	if (s->loading)
		v->sum = 0, v->sum_us = 0;
	if (!(v->flags & SERIES_SUMS))
		return;
	state_u64(s, &v->sum);
	state_near(s, &v->sum_us, *near_us);
	if (v->sum_us <= 0)
		s->bad = true;
	*near_us = v->sum_us;
}

/* ---- ports ---- */

/* Empties the log, for a caller that continues after an error. */
static void forget_history(struct port_log *l)
{
	hlog_free(&l->fine);
	hlog_free(&l->coarse);
	for (size_t i = 0; i < l->series.n; i++) {
		struct series *v = &l->series.at[i];

		v->flags = 0;
		v->sum = 0;
		v->sum_us = 0;
	}
}

static void port_state_log(struct state *s, struct model *m, struct port *p, bool all)
{
	struct port_log *l = port_log(p);
	uint64_t was = port_log_bytes(l);
	size_t n = l->series.n, known = all ? 0 : l->saved;
	int64_t near_us = 0;

	STATE_SIZE(struct port_log, 208);
	time_state(s, &l->since_ms, 0);
	time_state(s, &l->last_ms, l->since_ms);
	time_state(s, &l->other_ms, l->last_ms);
	state_i64(s, &l->step);
	state_count(s, &n, HLOG_SERIES);
	state_count(s, &known, n);
	if (s->loading && (n < l->series.n || known > l->series.n))
		s->bad = true;
	for (size_t i = 0; i < n && !s->bad; i++)
		one_series(s, p, i, i < known, &near_us);
	if (!s->bad)
		hlog_state(s, &l->fine, all);
	if (!s->bad)
		hlog_state(s, &l->coarse, all);
	if (s->loading && s->bad)
		forget_history(l);
	if (s->loading)
		m->history->used = m->history->used - was + port_log_bytes(l);
	l->saved = (uint8_t)l->series.n;
	set_saved(&l->fine);
	set_saved(&l->coarse);
	l->changed = false;
}

static bool has_changes(const struct port *p, bool all)
{
	return p->log && (all || p->log->changed);
}

bool model_history_step(struct state *s, struct model *m, size_t step, bool all)
{
	const struct device *d;
	uint32_t before = UINT32_MAX, id;
	size_t i = 0;

	if (step < 1 || step > m->devices.n)
		return !s->bad;
	d = m->devices.at[step - 1];
	/* Ports with a history, by id, then PORT_NONE. */
	while (!s->bad) {
		id = PORT_NONE;
		for (; !s->loading && id == PORT_NONE && i < d->ports.n; i++)
			if (has_changes(m->ports.at[d->ports.at[i]], all))
				id = d->ports.at[i];
		state_near_id(s, &id, before, m->ports.n);
		if (s->bad || id == PORT_NONE)
			break;
		if (m->ports.at[id]->device != d->id) {
			s->bad = true;
			break;
		}
		port_state_log(s, m, m->ports.at[id], all);
		before = id;
	}
	return !s->bad;
}

void history_store_state(struct state *s, struct model *m)
{
	struct history_store *h = m->history;

	/* Without the readings of gauges.h: a loaded model has gaps there until it reads anew. */
	STATE_SIZE(struct history_store, 104);
	state_u64(s, &h->budget);
	state_below(s, &h->squeeze, SQUEEZE_MOST + 1);
	time_state(s, &h->squeezed_ms, 0);
	state_u32(s, &h->cursor);
	state_u32(s, &h->looked);
}
