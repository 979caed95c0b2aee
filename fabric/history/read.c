/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "fabric/history/history_internal.h"
#include "fabric/model/model_internal.h"
#include "fabric/model/rate.h"

#define MS 1000

static const struct series *series_of(
	const struct port *p, counter_id id, unsigned sub, unsigned *s)
{
	const struct cell *c = port_cell(p, id, sub);

	if (!c || !c->chart || !p->log)
		return NULL;
	*s = c->chart - 1U;
	return &p->log->series.at[*s];
}

/* The rate of the cell when the record was kept. */
static float rate_of(const struct hlog_record *r, unsigned s)
{
	return (float)counter_rate(r->growth[s], r->took_us[s]);
}

bool port_charted(const struct port *p, counter_id id, unsigned sub)
{
	unsigned s;

	return series_of(p, id, sub, &s) != NULL;
}

/* ---- the newest samples ---- */

/* A ring before rotation: the newest of all samples that were put. */
struct newest {
	float at[HISTORY_LEN];
	unsigned n;
};

static void put_sample(struct newest *v, float rate)
{
	v->at[v->n++ % HISTORY_LEN] = rate;
}

static void put_record(
	struct newest *v, const struct series *of, const struct hlog_record *r, unsigned s)
{
	bool has = hlog_bit(r->has, s), gap = hlog_bit(r->gap, s);

	if ((has || gap) && of->flags & SERIES_LEADS && r->at_ms == of->first_ms && !v->n)
		put_sample(v, 0);
	if (gap)
		put_sample(v, NAN);
	if (has)
		put_sample(v, rate_of(r, s));
}

/* Puts the sums that end before the oldest poll, then the polls. */
static void put_all(const struct port_log *l, struct newest *v, unsigned from, unsigned to)
{
	int64_t fine_ms = l->fine.first ? l->fine.first->first_ms : INT64_MAX;
	struct hlog_reader at;
	struct hlog_record r;

	hlog_read(&at, &l->coarse, UINT32_MAX);
	while (hlog_next(&at, &r) && r.at_ms < fine_ms)
		for (unsigned s = from; s < to; s++)
			put_record(&v[s - from], &l->series.at[s], &r, s);
	hlog_read(&at, &l->fine, UINT32_MAX);
	while (hlog_next(&at, &r))
		for (unsigned s = from; s < to; s++)
			put_record(&v[s - from], &l->series.at[s], &r, s);
}

/* Reads series from..to - 1. A counter that is polled seldom may not be in the last polls: then
 * the whole log is read. */
static void read_newest(const struct port_log *l, struct newest *v, unsigned from, unsigned to)
{
	struct hlog_reader at;
	struct hlog_record r;
	bool enough = true;

	hlog_read(&at, &l->fine, HISTORY_LEN);
	while (hlog_next(&at, &r))
		for (unsigned s = from; s < to; s++)
			put_record(&v[s - from], &l->series.at[s], &r, s);
	for (unsigned s = from; s < to; s++)
		enough &= v[s - from].n >= l->series.at[s].used;
	if (enough)
		return;
	for (unsigned s = from; s < to; s++)
		v[s - from].n = 0;
	put_all(l, v, from, to);
}

static unsigned known_samples(const struct newest *v, const struct series *of)
{
	return v->n < of->used ? v->n : of->used;
}

bool port_history(const struct port *p, counter_id id, unsigned sub, struct history *out)
{
	struct newest v = {.n = 0};
	unsigned s;
	const struct series *of = series_of(p, id, sub, &s);

	if (!of)
		return false;
	read_newest(p->log, &v, s, s + 1);
	out->next = of->next;
	out->used = (uint16_t)known_samples(&v, of);
	for (unsigned i = 1; i <= out->used; i++)
		out->at[(of->next + HISTORY_LEN - i) % HISTORY_LEN] = v.at[(v.n - i) % HISTORY_LEN];
	return true;
}

struct history_set {
	const struct port *port;
	struct newest series[HLOG_SERIES];
	float told[HISTORY_LEN];
};

struct history_set *history_set_new(void)
{
	return mem_calloc(1, sizeof(struct history_set));
}

void history_set_free(struct history_set *set)
{
	free(set);
}

void history_set_read(struct history_set *set, const struct port *p)
{
	unsigned n = p->log ? (unsigned)p->log->series.n : 0;

	if (set->port == p)
		return;
	set->port = p;
	for (unsigned s = 0; s < n; s++)
		set->series[s].n = 0;
	if (n)
		read_newest(p->log, set->series, 0, n);
}

const float *history_set_of(struct history_set *set, counter_id id, unsigned sub, unsigned *n)
{
	unsigned s;
	const struct series *of = series_of(set->port, id, sub, &s);
	const struct newest *v;

	*n = 0;
	if (!of)
		return NULL;
	v = &set->series[s];
	*n = known_samples(v, of);
	for (unsigned i = 0; i < *n; i++)
		set->told[i] = v->at[(v->n - *n + i) % HISTORY_LEN];
	return set->told;
}

/* ---- columns of time ---- */

struct columns {
	struct history_column *out;
	double *sum, *us; /* per column: growth, and the time that it covers */
	int64_t start_us, width_us;
	unsigned n;
};

/* Adds a rate that was valid from..to to its columns. Sums are spread evenly over their time. */
static void spread_rate(struct columns *c, int64_t from, int64_t to, float rate, bool coarse)
{
	int64_t end = c->start_us + (int64_t)c->n * c->width_us;

	from = from > c->start_us ? from : c->start_us;
	to = to < end ? to : end;
	while (from < to) {
		size_t k = (size_t)((from - c->start_us) / c->width_us);
		int64_t edge = c->start_us + (int64_t)(k + 1) * c->width_us;
		int64_t until = to < edge ? to : edge;
		struct history_column *o = &c->out[k];

		c->sum[k] += (double)rate * (double)(until - from);
		c->us[k] += (double)(until - from);
		o->least = isnan(o->least) || rate < o->least ? rate : o->least;
		o->most = isnan(o->most) || rate > o->most ? rate : o->most;
		o->coarse |= coarse;
		from = until;
	}
}

static void spread_log(
	struct columns *c, const struct hlog *log, unsigned s, int64_t before_us, bool coarse)
{
	struct hlog_reader at;
	struct hlog_record r;

	hlog_read(&at, log, UINT32_MAX);
	while (hlog_next(&at, &r)) {
		int64_t end = r.at_ms * MS, took;

		if (!hlog_bit(r.has, s))
			continue;
		took = r.took_us[s] < end ? r.took_us[s] : end;
		spread_rate(
			c, end - took, end < before_us ? end : before_us, rate_of(&r, s), coarse);
	}
}

/* Start of the oldest poll's growth: sums are used up to there. */
static int64_t fine_from(const struct port_log *l, unsigned s)
{
	struct hlog_reader at;
	struct hlog_record r;

	hlog_read(&at, &l->fine, UINT32_MAX);
	while (hlog_next(&at, &r))
		if (hlog_bit(r.has, s) && r.took_us[s] <= r.at_ms * MS)
			return r.at_ms * MS - r.took_us[s];
	return INT64_MAX;
}

bool history_columns(const struct port *p, counter_id id, unsigned sub, int64_t end_us,
	int64_t width_us, struct history_column *out, unsigned n)
{
	struct columns c = {.out = out, .width_us = width_us, .n = n};
	unsigned s;
	const struct series *of = series_of(p, id, sub, &s);

	for (unsigned i = 0; i < n; i++)
		out[i] = (struct history_column){NAN, NAN, NAN, true, false};
	if (!of || width_us <= 0 || !n || end_us < 0 || width_us > end_us / n)
		return false;
	c.start_us = end_us - (int64_t)n * width_us;
	c.sum = mem_calloc(n, sizeof(*c.sum));
	c.us = mem_calloc(n, sizeof(*c.us));
	spread_log(&c, &p->log->coarse, s, fine_from(p->log, s), true);
	spread_log(&c, &p->log->fine, s, INT64_MAX, false);
	for (unsigned i = 0; i < n; i++) {
		if (!(c.us[i] > 0))
			continue;
		out[i].mean = (float)(c.sum[i] / c.us[i]);
		/* Polls do not end at the edges of columns. */
		out[i].gap = c.us[i] < (double)width_us * 0.99;
	}
	free(c.sum);
	free(c.us);
	return true;
}

/* ---- the last minute ---- */

/* The records of the blocks that end after a moment: at least those since then. */
static uint32_t records_since(const struct hlog *log, int64_t ms)
{
	uint32_t n = 0;

	for (const struct hlog_block *b = log->first; b; b = b->next)
		n += b->last_ms >= ms ? b->records : 0;
	return n;
}

double history_recent(const struct port *p, counter_id id, unsigned sub)
{
	double growth = 0, us = 0;
	struct hlog_reader at;
	struct hlog_record r;
	unsigned s;
	const struct series *of = series_of(p, id, sub, &s);
	int64_t from, seen;

	if (!of || isnan(port_rate(p, id, sub)))
		return port_rate(p, id, sub);
	from = p->log->last_ms * MS - HISTORY_RECENT_US;
	seen = p->log->since_ms * MS > from ? p->log->since_ms * MS : from;
	hlog_read(&at, &p->log->fine, records_since(&p->log->fine, from / MS));
	while (hlog_next(&at, &r)) {
		int64_t end = r.at_ms * MS, begin, inside;

		if (!hlog_bit(r.has, s) || end <= from)
			continue;
		begin = end - r.took_us[s];
		/* The series begins with the first movement; the counter stood still before. */
		if (of->flags & SERIES_LEADS && r.at_ms == of->first_ms && begin > seen)
			us += (double)(begin - seen);
		inside = end - (begin > from ? begin : from);
		growth += (double)r.growth[s] * (double)inside / (double)r.took_us[s];
		us += (double)inside;
	}
	return us > 0 ? growth / us * 1e6 : (double)NAN;
}

/* ---- extent ---- */

struct history_kept history_kept(const struct model *m, const struct port *p, int64_t now_us)
{
	const struct port_log *l = p->log;
	struct history_kept k = {0};

	if (!l || !l->since_ms)
		return k;
	k.since_us = l->since_ms * MS;
	if (l->coarse.first)
		k.coarse_us = l->coarse.first->first_ms * MS;
	if (l->fine.first)
		k.fine_us = l->fine.first->first_ms * MS;
	k.whole = is_other(p, now_us / MS) &&
		  kept_fine_ms(m->history->squeeze, true) * MS == HISTORY_WHOLE_US;
	return k;
}

struct history_status history_status(const struct model *m)
{
	const struct history_store *h = m->history;

	return (struct history_status){
		.budget = history_budget(m),
		.used = h->used,
		.squeeze = h->squeeze,
		.green_fine_us = kept_fine_ms(h->squeeze, false) * MS,
		.green_us = kept_coarse_ms(h->squeeze, false) * MS,
		.other_fine_us = kept_fine_ms(h->squeeze, true) * MS,
		.other_us = kept_coarse_ms(h->squeeze, true) * MS,
	};
}
