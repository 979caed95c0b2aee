/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "fabric/model/cells_internal.h"
#include "fabric/history/history_internal.h"
#include "fabric/model/model_internal.h"
#include "fabric/model/rate.h"
#include "fabric/vocabulary/counters.h"

/*
 * Fills in the past of a device from a metrics engine. Consecutive samples are staged as growth
 * and merged into the logs of the ports. A merge decodes both logs, inserts samples by time where
 * a series has no data, and encodes all again.
 */

#define MS      1000
#define STEP_MS (HISTORY_STEP_US / MS)
/* Samples of one device: 128 ports, 30 counters that move, an hour of 15 s. 32 MB. */
#define SAMPLES_MOST ((size_t)1 << 20)
/* Known stretches kept per series; further ones are joined. */
#define SPANS_MOST 8
/* Stretches closer than this are joined: the gap between them is rounding. */
#define NEAR_US CLOCK_SEC

/* Growth of a counter up to a moment. */
struct fill_sample {
	uint32_t n; /* index of the sample */
	uint16_t cell;
	int64_t at_ms, took_us;
	uint64_t growth;
};

/* The last values of a port's counters, and their growth. */
struct fill_port {
	uint32_t port; /* id */
	VEC(struct fill_sample) samples;
	struct {
		uint64_t value;
		int64_t us; /* time of the reading; 0: unknown */
		bool moved;
	} last[CELL_COUNT];
};

struct fill {
	struct fill *next;
	uint32_t device;
	VEC(struct fill_port *) ports;
	size_t samples; /* of all ports */
	size_t settled; /* ports settled so far */
};

static void fill_free(struct fill *f)
{
	for (size_t i = 0; i < f->ports.n; i++) {
		vec_free(&f->ports.at[i]->samples);
		free(f->ports.at[i]);
	}
	vec_free(&f->ports);
	free(f);
}

void history_fills_free(struct history_store *h)
{
	while (h->fills) {
		struct fill *f = h->fills;

		h->fills = f->next;
		fill_free(f);
	}
}

/* ---- staging ---- */

static struct fill *fill_of(struct history_store *h, const struct device *d)
{
	struct fill **at = &h->fills;

	while (*at && (*at)->device != d->id)
		at = &(*at)->next;
	if (!*at) {
		*at = mem_calloc(1, sizeof(**at));
		(*at)->device = d->id;
	}
	return *at;
}

/* The ports of two batches mostly come in the same order: hint is the place in the last batch. */
static struct fill_port *fill_port(struct fill *f, uint32_t port, size_t hint)
{
	struct fill_port *p;

	if (hint < f->ports.n && f->ports.at[hint]->port == port)
		return f->ports.at[hint];
	for (size_t i = 0; i < f->ports.n; i++)
		if (f->ports.at[i]->port == port)
			return f->ports.at[i];
	p = mem_calloc(1, sizeof(*p));
	p->port = port;
	vec_push(&f->ports, p);
	return p;
}

static void stage_count(struct fill *f, struct fill_port *p, const struct obs *o,
	const struct obs_item *it, int64_t read_us)
{
	enum counter_id id = counter_of_cell(it->cell, NULL);
	uint64_t before = p->last[it->cell].value, delta = 0;
	int64_t since = p->last[it->cell].us;
	enum step step =
		counter_step(before, it->u64, o->narrow[id] ? 32 : counter_info[id].bits, &delta);

	if (since && read_us <= since)
		return;
	p->last[it->cell].value = it->u64;
	p->last[it->cell].us = read_us;
	if (!since || step == STEP_RESET || f->samples >= SAMPLES_MOST)
		return;
	p->last[it->cell].moved |= step != STEP_SAME;
	/* Most priorities never carry anything. */
	if (!p->last[it->cell].moved && id != CTR_RX_BYTES && id != CTR_TX_BYTES)
		return;
	f->samples++;
	vec_push(&p->samples, (struct fill_sample){.n = (uint32_t)p->samples.n,
				      .cell = it->cell,
				      .at_ms = read_us / MS,
				      .took_us = read_us - since,
				      .growth = delta});
}

void history_stage(struct model *m, const struct obs *o)
{
	const struct device *d = model_device(m, o->device);
	struct fill_port **ports;
	struct fill *f;

	if (!d || o->result != OBS_DATA)
		return;
	f = fill_of(m->history, d);
	ports = mem_calloc(o->ports.n + 1, sizeof(struct fill_port *));
	for (size_t i = 0; i < o->ports.n; i++) {
		const struct port *p = model_port(m, d, o->ports.at[i].name);

		ports[i] = p && p->device == d->id ? fill_port(f, p->id, i) : NULL;
	}
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];
		int64_t us;

		if (it->kind != OBS_COUNT || it->port >= o->ports.n || !ports[it->port] ||
			it->cell >= CELL_COUNT ||
			counter_info[counter_of_cell(it->cell, NULL)].kind != KIND_COUNT)
			continue;
		us = o->ports.at[it->port].sample_us > 0 ? o->ports.at[it->port].sample_us
							 : o->received_us;
		if (us > 0 && us / MS <= HLOG_MS_MOST)
			stage_count(f, ports[it->port], o, it, us);
	}
	free(ports);
}

/* ---- known stretches ---- */

struct spans {
	struct {
		int64_t from, to;
	} at[SPANS_MOST];
	unsigned n;
};

/* Adds a known stretch. Stretches come oldest first, unless a clock was set back. */
static void add_span(struct spans *s, int64_t from, int64_t to)
{
	if (s->n && (from <= s->at[s->n - 1].to + NEAR_US || s->n == SPANS_MOST)) {
		if (to > s->at[s->n - 1].to)
			s->at[s->n - 1].to = to;
		if (from < s->at[s->n - 1].from)
			s->at[s->n - 1].from = from;
		return;
	}
	s->at[s->n].from = from;
	s->at[s->n].to = to;
	s->n++;
}

static bool is_free(const struct spans *s, int64_t from, int64_t to)
{
	for (unsigned i = 0; i < s->n; i++)
		if (from < s->at[i].to && to > s->at[i].from)
			return false;
	return true;
}

static void find_known(const struct port_log *l, const struct hlog *hl, struct spans *spans)
{
	struct hlog_reader at;
	struct hlog_record r;

	hlog_read(&at, hl, UINT32_MAX);
	while (hlog_next(&at, &r))
		for (unsigned s = 0; s < l->series.n; s++)
			if (hlog_bit(r.has, s))
				add_span(&spans[s], r.at_ms * MS - r.took_us[s], r.at_ms * MS);
	for (unsigned s = 0; hl == &l->coarse && s < l->series.n; s++)
		if (l->series.at[s].flags & SERIES_SUMS)
			add_span(&spans[s], l->last_ms * MS - l->series.at[s].sum_us,
				l->last_ms * MS);
}

/* ---- merging ---- */

/* The samples of one port, in order of time, and the series of each (HLOG_SERIES: none). */
struct port_fill {
	struct model *m;
	struct port *port;
	const struct fill_sample *at;
	size_t n;
	const uint8_t *series;
};

static void add_sample(struct hlog_record *r, const struct fill_sample *v, unsigned s)
{
	r->at_ms = v->at_ms > r->at_ms ? v->at_ms : r->at_ms;
	if (!hlog_bit(r->has, s)) {
		hlog_set(r->has, s);
		r->growth[s] = 0;
		r->took_us[s] = 0;
	}
	r->growth[s] += v->growth;
	r->took_us[s] += v->took_us;
}

/* Builds the next record from the samples at *i on: one moment, or the sums of one step. */
static bool next_record(const struct port_fill *f, const struct spans *spans, int64_t width_ms,
	size_t *i, struct hlog_record *r)
{
	bool any = false;

	memset(r->has, 0, sizeof(r->has));
	memset(r->gap, 0, sizeof(r->gap));
	r->at_ms = 0;
	while (*i < f->n && !any) {
		int64_t step = f->at[*i].at_ms / width_ms;

		for (; *i < f->n && f->at[*i].at_ms / width_ms == step; (*i)++) {
			const struct fill_sample *v = &f->at[*i];
			unsigned s = f->series[*i];

			if (s >= HLOG_SERIES ||
				!is_free(&spans[s], v->at_ms * MS - v->took_us, v->at_ms * MS))
				continue;
			add_sample(r, v, s);
			any = true;
		}
	}
	return any;
}

static void count_samples(struct port_log *l, const struct hlog_record *r)
{
	for (unsigned s = 0; s < l->series.n; s++) {
		struct series *of = &l->series.at[s];

		if (!hlog_bit(r->has, s))
			continue;
		if (of->used < HISTORY_LEN)
			of->used++;
		if (!of->first_ms || r->at_ms < of->first_ms)
			of->first_ms = r->at_ms;
		if (r->growth[s] &&
			counter_info[counter_of_cell(of->cell, NULL)].trend == TREND_BAD &&
			r->at_ms > l->other_ms)
			l->other_ms = r->at_ms;
	}
	if (!l->since_ms || r->at_ms < l->since_ms)
		l->since_ms = r->at_ms;
	if (r->at_ms > l->last_ms) {
		l->last_ms = r->at_ms;
		l->step = r->at_ms / STEP_MS;
	}
}

static void merge_samples(const struct port_fill *f, struct hlog *hl, int64_t width_ms)
{
	struct port_log *l = f->port->log;
	struct spans *spans = mem_calloc(HLOG_SERIES, sizeof(*spans));
	struct hlog was = *hl;
	struct hlog_record *old = mem_calloc(2, sizeof(*old)), *r = old + 1;
	struct hlog_reader at;
	bool fine = hl == &l->fine, have;
	size_t i = 0;

	find_known(l, hl, spans);
	f->m->history->used -= hlog_bytes(&was);
	/* Block numbers continue, so that a reader of the old blocks drops them. */
	*hl = (struct hlog){.dropped = was.dropped + was.blocks,
		.saved_block = was.saved_block,
		.saved_used = was.saved_used};
	hlog_read(&at, &was, UINT32_MAX);
	have = hlog_next(&at, old);
	while (next_record(f, spans, width_ms, &i, r)) {
		for (; have && old->at_ms <= r->at_ms; have = hlog_next(&at, old))
			history_append(f->m, l, hl, old);
		history_append(f->m, l, hl, r);
		if (fine)
			count_samples(l, r);
	}
	for (; have; have = hlog_next(&at, old))
		history_append(f->m, l, hl, old);
	hlog_free(&was);
	free(old);
	free(spans);
}

/* The series of the cell in the port's log; HLOG_SERIES: it has none and gets none. */
static uint8_t series_for(struct port *p, uint16_t cell)
{
	uint8_t slot = p->layout->slot[cell];
	struct cell *c = slot == SLOT_NONE ? NULL : &p->cells[slot];

	if (!c || !counter_charted(counter_of_cell(cell, NULL)))
		return HLOG_SERIES;
	port_stirs(p);
	if (!c->chart && !series_add(port_log(p), c, cell))
		return HLOG_SERIES;
	return (uint8_t)(c->chart - 1);
}

static int compare_time(const void *a, const void *b)
{
	const struct fill_sample *x = a, *y = b;

	if (x->at_ms != y->at_ms)
		return x->at_ms < y->at_ms ? -1 : 1;
	return x->n < y->n ? -1 : x->n > y->n;
}

static void settle_port(struct model *m, struct fill_port *from)
{
	struct port *p = m->ports.at[from->port];
	size_t n = from->samples.n;
	uint8_t *series = mem_alloc(n);
	struct port_fill f = {.m = m, .port = p, .at = from->samples.at, .n = n, .series = series};
	bool any = false;

	qsort(from->samples.at, n, sizeof(*from->samples.at), compare_time);
	for (size_t i = 0; i < n; i++) {
		series[i] = series_for(p, from->samples.at[i].cell);
		any |= series[i] < HLOG_SERIES;
	}
	if (any) {
		merge_samples(&f, &p->log->coarse, STEP_MS);
		merge_samples(&f, &p->log->fine, 1);
		p->log->changed = true;
		/* Series may now begin before the saved part. */
		p->log->saved = 0;
		history_trim(m->history, p, p->log->last_ms);
		m->generation++;
	}
	free(series);
}

bool model_history_settle(struct model *m, size_t ports)
{
	struct history_store *h = m->history;

	while (h->fills) {
		struct fill *f = h->fills;

		for (; f->settled < f->ports.n; f->settled++) {
			if (!f->ports.at[f->settled]->samples.n)
				continue;
			if (!ports--)
				return false;
			settle_port(m, f->ports.at[f->settled]);
		}
		h->fills = f->next;
		fill_free(f);
	}
	return true;
}
