/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/history/history_internal.h"
#include "fabric/model/metrics.h"
#include "fabric/model/model_internal.h"
#include "fabric/vocabulary/counters.h"

#define MS       1000
#define STEP_MS  (HISTORY_STEP_US / MS)
#define FINE_MS  (HISTORY_FINE_US / MS)
#define WHOLE_MS (HISTORY_WHOLE_US / MS)
/* Ports examined for one new block when there is no room: an answer may bring a hundred blocks. */
#define LOOKS 256
/* The budget must have had room for this long before more is kept. */
#define RELAX_MS 60000
/* Budget per port of a large fabric. */
#define PORT_BYTES 2000

struct history_store *history_store_new(void)
{
	return mem_calloc(1, sizeof(struct history_store));
}

void history_store_free(struct history_store *h)
{
	vec_free(&h->pushes);
	history_fills_free(h);
	gauges_free(h);
	free(h);
}

void history_free(struct port *p)
{
	if (!p->log)
		return;
	hlog_free(&p->log->fine);
	hlog_free(&p->log->coarse);
	vec_free(&p->log->series);
	free(p->log);
	p->log = NULL;
}

void history_set_budget(struct model *m, uint64_t bytes)
{
	m->history->budget = bytes;
}

uint64_t history_budget_of(size_t ports)
{
	uint64_t bytes = HISTORY_BUDGET / 2 + ports * PORT_BYTES;

	return bytes > HISTORY_BUDGET ? bytes : HISTORY_BUDGET;
}

/* Derived from the model alone, so that a replay keeps the same data at the same moment. */
uint64_t history_budget(const struct model *m)
{
	return m->history->budget ? m->history->budget : history_budget_of(m->ports.n);
}

/* ---- retention ---- */

static int64_t halve_after(int64_t ms, unsigned squeeze, unsigned after)
{
	return squeeze > after ? ms >> (squeeze - after) : ms;
}

/* Shrinks first the polls of green ports, then their sums, then the polls of the others. */
int64_t kept_fine_ms(unsigned squeeze, bool other)
{
	return other ? halve_after(WHOLE_MS, squeeze, 4) : halve_after(FINE_MS, squeeze, 0);
}

int64_t kept_coarse_ms(unsigned squeeze, bool other)
{
	return other ? halve_after(WHOLE_MS, squeeze, 5) : halve_after(WHOLE_MS, squeeze, 2);
}

bool is_other(const struct port *p, int64_t now_ms)
{
	const struct port_log *l = p->log;

	return p->pinned ||
	       (l->other_ms && now_ms - l->other_ms < WHOLE_MS && l->other_ms - now_ms < WHOLE_MS);
}

bool history_pin(struct model *m, struct port *p, bool on, struct err *err)
{
	unsigned pins = 0;

	for (size_t i = 0; on && i < m->ports.n; i++)
		pins += m->ports.at[i]->pinned;
	if (on && !p->pinned && pins >= HISTORY_PINS) {
		err_set(err, ERR_LIMIT, "", "%d ports are pinned already", HISTORY_PINS);
		return err_cure(err, "pin one of them again to release it");
	}
	m->generation += p->pinned != on;
	p->pinned = on;
	return true;
}

size_t port_log_bytes(const struct port_log *l)
{
	return hlog_bytes(&l->fine) + hlog_bytes(&l->coarse);
}

static void drop_block(struct history_store *h, struct port_log *l, struct hlog *hl)
{
	h->used -= hlog_drop(hl);
	l->changed = true;
}

/* Whether the oldest block may go: all of its records are too old, or its clock was ahead. */
static bool is_outdated(const struct hlog *hl, int64_t before_ms, int64_t now_ms)
{
	return hl->blocks > 1 &&
	       (hl->first->last_ms < before_ms || hl->first->last_ms > now_ms + WHOLE_MS);
}

void history_trim(struct history_store *h, const struct port *p, int64_t now_ms)
{
	struct port_log *l = p->log;
	bool other = is_other(p, now_ms);
	int64_t fine = now_ms - kept_fine_ms(h->squeeze, other);
	int64_t coarse = now_ms - kept_coarse_ms(h->squeeze, other);
	/* A device that is polled seldom gets a sparkline as long as the others. */
	uint32_t least = h->squeeze ? 0 : HISTORY_LEN;

	while (is_outdated(&l->fine, fine, now_ms) &&
		l->fine.records - l->fine.first->records >= least)
		drop_block(h, l, &l->fine);
	while (is_outdated(&l->coarse, coarse, now_ms))
		drop_block(h, l, &l->coarse);
}

/* Logs the new retention, so that an operator knows why a history is short. */
static void log_retention(struct model *m, int64_t now_ms)
{
	struct history_status h = history_status(m);
	char text[120], bytes[16];

	(void)str_printf(text, sizeof(text),
		"%sB in memory: %lld min (polls: %lld s) of green ports, %lld min (%lld s) of "
		"others",
		str_si((double)h.budget, bytes, sizeof(bytes)),
		(long long)(h.green_us / (60 * CLOCK_SEC)),
		(long long)(h.green_fine_us / CLOCK_SEC),
		(long long)(h.other_us / (60 * CLOCK_SEC)),
		(long long)(h.other_fine_us / CLOCK_SEC));
	model_add_event(m, now_ms * MS, EV_HISTORY, NULL, NULL, -1, 0, text);
}

static void set_squeeze(struct model *m, uint32_t by, int64_t now_ms)
{
	m->history->squeeze = by;
	m->history->squeezed_ms = now_ms;
	m->history->looked = 0;
	log_retention(m, now_ms);
}

static void relax_squeeze(struct model *m, int64_t now_ms)
{
	const struct history_store *h = m->history;

	if (!h->squeeze || h->used > history_budget(m) / 4 * 3 ||
		now_ms - h->squeezed_ms < RELAX_MS)
		return;
	set_squeeze(m, h->squeeze - 1, now_ms);
}

/*
 * Makes room for another block of the port. Looks at a few other ports in turn. If they have
 * nothing to drop, the port drops its own oldest block. So the budget holds, except for the one
 * block that each log keeps.
 */
static void make_room(struct model *m, struct port_log *l, size_t need, int64_t now_ms)
{
	struct history_store *h = m->history;
	uint64_t budget = history_budget(m);

	if (h->used + need <= budget) {
		relax_squeeze(m, now_ms);
		return;
	}
	for (unsigned i = 0; i < LOOKS && h->used + need > budget; i++) {
		if (h->looked >= m->ports.n) {
			if (h->squeeze == SQUEEZE_MOST)
				break;
			set_squeeze(m, h->squeeze + 1, now_ms);
		}
		h->cursor = h->cursor + 1 < m->ports.n ? h->cursor + 1 : 0;
		h->looked++;
		if (m->ports.at[h->cursor]->log)
			history_trim(h, m->ports.at[h->cursor], now_ms);
	}
	if (h->used + need <= budget)
		return;
	if (l->fine.blocks > 1)
		drop_block(h, l, &l->fine);
	else if (l->coarse.blocks > 1)
		drop_block(h, l, &l->coarse);
	/* Nothing can shrink further. Start over: records age meanwhile. */
	if (h->squeeze == SQUEEZE_MOST && h->looked >= m->ports.n)
		h->looked = 0;
}

/* ---- records ---- */

void history_append(
	struct model *m, struct port_log *l, struct hlog *hl, const struct hlog_record *r)
{
	struct hlog_told told;
	size_t need = hlog_tell(hl, r, &told);

	/* Records of the past come late: their age counts from the newest record. */
	if (need)
		make_room(m, l, need, l->last_ms > r->at_ms ? l->last_ms : r->at_ms);
	m->history->used += hlog_take(hl, r, &told);
	l->changed = true;
}

/* Writes the sums of the step that has ended. */
static void close_step(struct model *m, struct port *p)
{
	struct port_log *l = p->log;
	struct hlog_record r = {.at_ms = l->last_ms};
	bool any = false;

	for (size_t i = 0; i < l->series.n; i++) {
		struct series *s = &l->series.at[i];

		if (s->flags & SERIES_BROKEN)
			hlog_set(r.gap, (unsigned)i);
		if (s->flags & SERIES_SUMS) {
			hlog_set(r.has, (unsigned)i);
			r.growth[i] = s->sum;
			r.took_us[i] = s->sum_us;
		}
		any |= (s->flags & (SERIES_SUMS | SERIES_BROKEN)) != 0;
		s->flags &= (uint8_t) ~(SERIES_SUMS | SERIES_BROKEN);
		s->sum = 0;
		s->sum_us = 0;
	}
	if (port_health(m, p, l->last_ms * MS).severity > SEV_OK)
		l->other_ms = l->last_ms;
	if (any)
		history_append(m, l, &l->coarse, &r);
}

/* Sums that would overflow are split in two records. */
static bool too_large(const struct series *s, const struct hlog_record *r, size_t i)
{
	return s->sum + r->growth[i] < s->sum || r->took_us[i] > INT64_MAX - s->sum_us;
}

static void add_up(struct port_log *l, const struct hlog_record *r)
{
	for (size_t i = 0; i < l->series.n; i++) {
		struct series *s = &l->series.at[i];

		if (hlog_bit(r->gap, (unsigned)i))
			s->flags |= SERIES_BROKEN;
		if (!hlog_bit(r->has, (unsigned)i))
			continue;
		s->flags |= SERIES_SUMS;
		s->sum += r->growth[i];
		s->sum_us += r->took_us[i];
		/* Counted trouble will be investigated: keep every poll. */
		if (r->growth[i] && counter_info[counter_of_cell(s->cell, NULL)].trend == TREND_BAD)
			l->other_ms = r->at_ms;
	}
}

static void keep_record(struct model *m, struct port *p, const struct hlog_record *r)
{
	struct port_log *l = p->log;
	int64_t step = r->at_ms / STEP_MS;
	bool over = step != l->step;

	for (size_t i = 0; i < l->series.n && !over; i++)
		over = hlog_bit(r->has, (unsigned)i) && too_large(&l->series.at[i], r, i);
	if (over && l->since_ms)
		close_step(m, p);
	if (!l->since_ms)
		l->since_ms = r->at_ms;
	l->step = step;
	l->last_ms = r->at_ms;
	add_up(l, r);
	history_append(m, l, &l->fine, r);
	history_trim(m->history, p, r->at_ms);
}

/* ---- samples of a batch ---- */

static int64_t time_of(const struct batch *b)
{
	int64_t ms = b->received / MS;

	return ms < 0 ? 0 : ms > HLOG_MS_MOST ? HLOG_MS_MOST : ms;
}

struct port_log *port_log(struct port *p)
{
	if (!p->log)
		p->log = mem_calloc(1, sizeof(*p->log));
	return p->log;
}

struct series *series_add(struct port_log *l, struct cell *c, uint16_t cell)
{
	struct series *s;

	if (l->series.n == HLOG_SERIES)
		return NULL;
	/* Grows by two: most ports have a few series for ever. */
	if (!l->series.at || l->series.n == l->series.size) {
		l->series.size += 2;
		l->series.at = mem_realloc(l->series.at, l->series.size, sizeof(*l->series.at));
	}
	s = &l->series.at[l->series.n++];
	*s = (struct series){.cell = cell};
	c->chart = (uint8_t)l->series.n;
	return s;
}

static void count_sample(struct series *s)
{
	s->next = (uint8_t)((s->next + 1) % HISTORY_LEN);
	if (s->used < HISTORY_LEN)
		s->used++;
}

/*
 * Most priorities never carry traffic. Their series begin with the first movement, after one zero
 * that shows the start.
 */
static struct series *begin_series(
	struct batch *b, struct port *p, struct cell *c, uint16_t cell, float rate)
{
	enum counter_id id = counter_of_cell(cell, NULL);
	struct series *s;

	if (!counter_charted(id) || isnan(rate))
		return NULL;
	if (!(rate > 0) && id != CTR_RX_BYTES && id != CTR_TX_BYTES)
		return NULL;
	s = series_add(port_log(p), c, cell);
	if (!s)
		return NULL;
	s->first_ms = time_of(b);
	if (rate > 0 && counter_info[id].dim == DIM_PRIO) {
		s->flags |= SERIES_LEADS;
		count_sample(s);
	}
	return s;
}

void history_push(struct batch *b, const struct batch_port *bp, struct cell *c, uint16_t cell,
	const struct sample *v)
{
	struct port *p = bp->port;
	struct series *s = c->chart ? &p->log->series.at[c->chart - 1] : NULL;
	bool gap = isnan(v->rate);

	if (!s)
		s = begin_series(b, p, c, cell, v->rate);
	/* One gap is one sample, however long it lasts. */
	if (!s || (gap && s->flags & SERIES_GAPPED))
		return;
	s->flags = (uint8_t)(gap ? s->flags | SERIES_GAPPED : s->flags & ~SERIES_GAPPED);
	count_sample(s);
	vec_push(&b->m->history->pushes, (struct push){.port = (uint32_t)(bp - b->ports),
						 .n = (uint32_t)b->m->history->pushes.n + 1,
						 .series = (uint16_t)(c->chart - 1),
						 .gap = gap,
						 .growth = gap ? 0 : v->growth,
						 .took_us = gap ? 0 : v->took_us});
}

static int compare_port(const void *a, const void *b)
{
	const struct push *x = a, *y = b;

	if (x->port != y->port)
		return x->port < y->port ? -1 : 1;
	return x->n < y->n ? -1 : x->n > y->n;
}

static bool in_order(const struct push *at, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (at[i].port < at[i - 1].port)
			return false;
	return true;
}

static void clear_record(struct hlog_record *r)
{
	memset(r->has, 0, sizeof(r->has));
	memset(r->gap, 0, sizeof(r->gap));
}

void history_close(struct batch *b)
{
	struct history_store *h = b->m->history;
	struct hlog_record r = {.at_ms = time_of(b)};

	if (!in_order(h->pushes.at, h->pushes.n))
		qsort(h->pushes.at, h->pushes.n, sizeof(*h->pushes.at), compare_port);
	for (size_t i = 0; i < h->pushes.n; i++) {
		const struct push *v = &h->pushes.at[i];

		/* A counter that occurs twice in an answer has two records. */
		if (hlog_bit(r.has, v->series)) {
			keep_record(b->m, b->ports[v->port].port, &r);
			clear_record(&r);
		}
		if (v->gap) {
			hlog_set(r.gap, v->series);
		} else {
			hlog_set(r.has, v->series);
			r.growth[v->series] = v->growth;
			r.took_us[v->series] = v->took_us;
		}
		if (i + 1 < h->pushes.n && h->pushes.at[i + 1].port == v->port)
			continue;
		keep_record(b->m, b->ports[v->port].port, &r);
		clear_record(&r);
	}
	h->pushes.n = 0;
}
