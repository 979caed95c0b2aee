/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "backends/prometheus/prometheus.h"
#include "backends/prometheus/series_index_private.h"
#include "backends/prometheus/read_private.h"
#include "base/str.h"
#include "fabric/model/model.h"
#include "fabric/vocabulary/need.h"

/* Turns a sample into an item of a batch. */

#define LIVE_BATCHES    16   /* sample times of one device in a round */
#define HISTORY_BATCHES 4096 /* likewise in its history */
#define GPUS_MOST       320  /* values of one host's GPUs and of their parts */
#define XID_MOST        1e6
#define COUNT_MOST      4e9

static void mark_touched(struct series_index *b, struct series_index_device *d)
{
	uint32_t index = (uint32_t)(d - b->devices.at);

	if (!b->touched.n || b->touched.at[b->touched.n - 1] != index)
		vec_push(&b->touched, index);
}

/* Finds or creates the batch for samples of that time; NULL: there are too many times. */
static struct series_index_batch *batch_at(
	struct series_index *b, struct series_index_device *d, int64_t us)
{
	size_t most = b->mode == SERIES_INDEX_HISTORY ? HISTORY_BATCHES : LIVE_BATCHES;
	size_t low = 0, high = d->batches.n;
	struct series_index_batch *x;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (d->batches.at[mid].us + SAME_SCRAPE_US <= us)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < d->batches.n && d->batches.at[low].us < us + SAME_SCRAPE_US)
		return &d->batches.at[low];
	if (d->batches.n >= most)
		return NULL;
	if (!d->batches.n)
		mark_touched(b, d);
	(void)vec_add(&d->batches);
	x = &d->batches.at[low];
	memmove(x + 1, x, (d->batches.n - 1 - low) * sizeof(*x));
	memset(x, 0, sizeof(*x));
	x->us = us;
	x->obs = obs_new(
		d->plan->name, b->mode == SERIES_INDEX_HISTORY ? REQUEST_HISTORY : REQUEST_ENGINE);
	/*
	 * Batches of many devices grow side by side: growth by doubling would fragment the memory.
	 */
	if (b->mode == SERIES_INDEX_LIVE)
		obs_expect(x->obs, d->items, 0);
	return x;
}

/* Returns the index of the port in the batch and updates its sample time to us. */
static uint32_t port_in(
	struct series_index *b, struct series_index_port *p, struct obs *o, int64_t us)
{
	unsigned way = (unsigned)((uintptr_t)o / sizeof(*o)) & 1;
	uint32_t at;

	if (p->gather != b->gather) {
		p->gather = b->gather;
		memset(p->in, 0, sizeof(p->in));
	}
	if (p->in[way].obs != o) {
		way = p->in[0].obs == o || !p->in[0].obs ? 0 : p->in[1].obs == o || !p->in[1].obs;
		if (p->in[way].obs != o) {
			at = obs_port(o, p->name);
			if (at == OBS_NO_PORT)
				return at;
			p->in[way].obs = o;
			p->in[way].at = at;
			p->in[way].us = ~(uint32_t)us;
		}
	}
	at = p->in[way].at;
	/*
	 * Nearly all samples are of one scrape and have this time already. The batch is not in the
	 * cache, so avoid reading it.
	 */
	if (p->in[way].us == (uint32_t)us)
		return at;
	if (us > o->ports.at[at].sample_us)
		o->ports.at[at].sample_us = us;
	p->in[way].us = (uint32_t)us;
	return at;
}

/* False: the value is impossible for the counter. */
static bool put_counter(const struct prometheus_rule *r, struct obs *o, uint32_t port, unsigned sub,
	const struct prometheus_sample *s)
{
	double v;

	if (counter_info[r->counter].kind == KIND_GAUGE) {
		obs_gauge(o, port, r->counter, sub, s->real * r->scale);
		return true;
	}
	if (s->whole && r->scale == 1) {
		obs_count(o, port, r->counter, sub, s->count);
		return true;
	}
	v = s->real * r->scale;
	/* 2^63: a double beyond it is no plausible count. */
	if (!(v >= 0 && v < 9.2e18))
		return false;
	obs_count(o, port, r->counter, sub, (uint64_t)llround(v));
	return true;
}

static bool put_attr(const struct prometheus_rule *r, struct obs *o, uint32_t port, unsigned sub,
	const struct prometheus_sample *s)
{
	if (!r->values.n) {
		obs_number(o, port, r->attr, sub, s->real * r->scale);
		return true;
	}
	for (size_t i = 0; i < r->values.n; i++) {
		if (r->values.at[i].is != s->real)
			continue;
		obs_word(o, port, r->attr, sub, r->values.at[i].word);
		return true;
	}
	return false;
}

static void put_words(struct series_index *b, const struct series_index_port *p,
	const struct prometheus_rule *r, struct obs *o, uint32_t port,
	const struct prometheus_labels *l)
{
	for (size_t i = 0; i < r->words.n; i++) {
		const char *text = prometheus_label(l, r->words.at[i].label);

		if (!text || !*text)
			continue;
		obs_word(o, port, r->words.at[i].attr, 0, text);
		if (r->words.at[i].attr == ATTR_NETDEV && p && b->joins && !r->interface)
			series_index_join_named(b, p, text);
	}
}

static void put_lldp(const struct prometheus_rule *r, struct obs *o, uint32_t port,
	const struct prometheus_labels *l)
{
	const char *device = prometheus_label(l, r->a), *peer = prometheus_label(l, r->b);

	if (device && *device)
		obs_lldp(o, port, device, peer ? peer : "");
}

static void put_need(struct series_index *b, struct series_index_device *d,
	const struct prometheus_rule *r, struct obs *o, const struct prometheus_labels *l)
{
	const char *need = prometheus_label(l, r->a), *state = prometheus_label(l, r->b);
	enum need_id id = need ? need_by_name(need) : NEED_COUNT;

	if (!need || !state)
		return;
	for (unsigned v = VALID_UNSUPPORTED; v <= VALID_DISABLED; v++) {
		if (!str_eq(state, validity_name((enum validity)v)))
			continue;
		obs_capability(o, need, (enum validity)v, "");
		if (id < NEED_COUNT && b->mode == SERIES_INDEX_LIVE)
			d->needs_now |= UINT64_C(1) << id;
	}
}
_Static_assert(NEED_COUNT <= 64, "a bit each");

/* A series of a window that was away for so long had no error meanwhile. */
#define GPU_AWAY_US (INT64_C(180) * 1000000)

/*
 * The number of errors with one code in a window of minutes: when there are more than before, one
 * is new, and so are those of a series that was not there.
 */
static bool gpu_failed_of_code(struct series_index *b, struct series_index_device *d, uint16_t rule,
	const char *address, uint32_t code, uint32_t count, int64_t us)
{
	char key[64];
	uint32_t hash;

	if (!count || !str_printf(key, sizeof(key), "%.40s/%u", address, code))
		return false;
	hash = (uint32_t)prometheus_labels_hash(b->seed + rule, key, strlen(key));
	for (size_t i = 0; i < d->gpus.n; i++) {
		struct series_index_gpu *g = &d->gpus.at[i];
		bool news = count > g->xid || us - g->us > GPU_AWAY_US;

		if (g->hash != hash)
			continue;
		if (us <= g->us)
			return false;
		g->xid = count;
		g->us = us;
		return news;
	}
	if (d->gpus.n < GPUS_MOST)
		vec_push(&d->gpus, (struct series_index_gpu){hash, count, us});
	return d->gpus.n < GPUS_MOST;
}

/*
 * A gauge holds the last error, so only a change is an event. The first value may be of any age.
 * For queries about the past no device log is produced.
 */
static bool gpu_failed(struct series_index *b, struct series_index_device *d, uint16_t rule,
	const char *address, uint32_t xid, int64_t us, uint32_t *was)
{
	uint32_t hash = (uint32_t)prometheus_labels_hash(b->seed + rule, address, strlen(address));

	for (size_t i = 0; i < d->gpus.n; i++) {
		struct series_index_gpu *g = &d->gpus.at[i];
		bool news = g->xid != xid && xid;

		if (g->hash != hash)
			continue;
		*was = g->xid;
		/*
		 * Each part of a GPU and each job that uses it has its own series with the same
		 * value.
		 */
		if (us <= g->us)
			return false;
		g->xid = xid;
		g->us = us;
		return news;
	}
	if (d->gpus.n < GPUS_MOST)
		vec_push(&d->gpus, (struct series_index_gpu){hash, xid, us});
	return false;
}

static const char *label_or_empty(const struct prometheus_labels *l, const char *name)
{
	const char *text = prometheus_label(l, name);

	return text ? text : "";
}

static bool put_gpu(struct series_index *b, const struct prometheus_rule *r, uint16_t rule,
	struct series_index_device *d, const struct prometheus_labels *l,
	const struct prometheus_sample *s)
{
	const char *address = prometheus_label(l, r->a);
	bool counts = r->tells == PROMETHEUS_GPU_COUNTER;
	uint32_t was = 0, is;
	uint64_t code = 0;
	char text[160];

	if (!(s->real >= 0 && s->real <= (counts ? COUNT_MOST : XID_MOST)) || !address || !*address)
		return false;
	is = (uint32_t)s->real;
	if (b->mode != SERIES_INDEX_LIVE)
		return true;
	if (r->b) {
		/* Without an error the series has no code. */
		if (!str_to_u64(label_or_empty(l, r->b), &code))
			return true;
		if ((double)code > XID_MOST ||
			!gpu_failed_of_code(b, d, rule, address, (uint32_t)code, is, s->us))
			return (double)code <= XID_MOST;
		is = (uint32_t)code;
	} else if (!gpu_failed(b, d, rule, address, is, s->us, &was)) {
		return true;
	}
	if (counts && is < was)
		return true; /* the exporter began anew */
	/* An Xid is worded as the kernel does, so that the parser of host logs understands it. */
	if (counts)
		(void)str_printf(text, sizeof(text), "DCGM: GPU %.32s: %.70s grew from %u to %u",
			address, r->metric, was, is);
	else
		(void)str_printf(text, sizeof(text), "DCGM: Xid (PCI:%.32s): %u", address, is);
	if (!d->log) {
		d->log = obs_new(d->plan->name, "engine");
		d->log->followed = true; /* the host log is followed separately: it is no sign of
					  * life of the port exporter */
	}
	d->log->received_us = s->us;
	obs_log(d->log, OBS_NO_PORT, -1, true, s->us, text);
	mark_touched(b, d);
	return true;
}

static void set_state(struct series_index_device *d, enum series_index_said said, int64_t us)
{
	if (us <= d->said_us)
		return;
	d->said_us = us;
	d->said = said;
}

static void note_state(const struct series_index *b, const struct prometheus_rule *r,
	struct series_index_device *d, const struct prometheus_labels *l,
	const struct prometheus_sample *s)
{
	const char *state = r->a ? prometheus_label(l, r->a) : NULL;

	/* There is no state to report for the past, or for the device itself. */
	if (b->mode != SERIES_INDEX_LIVE)
		return;
	if (r->tells == PROMETHEUS_UP)
		set_state(d, s->real == 0 ? SAID_UNREACHABLE : SAID_NOTHING, s->us);
	else if (state && s->real == 1)
		set_state(d,
			str_eq(state, "unreachable")      ? SAID_UNREACHABLE
			: str_eq(state, "unauthorised")   ? SAID_UNAUTHORISED
			: str_eq(state, "not_understood") ? SAID_NOT_UNDERSTOOD
							  : SAID_NOTHING,
			s->us);
}

void series_index_put(
	struct series_index *b, struct series_index_query *q, const struct prometheus_sample *s)
{
	const struct prometheus_rule *r = b->map->rules.at[q->series->rule];
	struct series_index_port *p = r->port.label ? b->ports.at[q->series->place] : NULL;
	struct series_index_device *d = series_index_device_of(q);
	uint32_t source, port = OBS_NO_PORT;
	struct series_index_batch *x;
	bool ok = true;

	if (r->tells == PROMETHEUS_GPU || r->tells == PROMETHEUS_GPU_COUNTER) {
		b->counts.bad += !put_gpu(b, r, q->series->rule, d, &q->reader.labels, s);
		return;
	}
	source = d->who.at[q->series->source];
	if (r->tells == PROMETHEUS_UP || r->tells == PROMETHEUS_STATE) {
		const struct series_index_source *who = &d->sources[r->group];

		/* A state is no measurement: another job on the same host may send it. */
		if (who->is && who->is != source)
			return;
		note_state(b, r, d, &q->reader.labels, s);
		mark_touched(b, d);
		return;
	}
	if (!series_index_source_ok(b, d, r->group, source, s->us))
		return;
	x = batch_at(b, d, s->us);
	if (!x) {
		b->counts.bad++;
		return;
	}
	if (p) {
		port = port_in(b, p, x->obs, s->us);
		if (port == OBS_NO_PORT)
			return;
		if (b->joins)
			series_index_join_note(b, p, r);
	}
	if (r->tells == PROMETHEUS_COUNTER) {
		ok = put_counter(r, x->obs, port, q->series->sub, s);
		if (ok && b->joins)
			x->obs->items.at[x->obs->items.n - 1].text = q->series->rule + 1U;
	} else if (r->tells == PROMETHEUS_NIC)
		series_index_join_nic(b, p, r->a ? prometheus_label(&q->reader.labels, r->a) : NULL,
			r->b ? prometheus_label(&q->reader.labels, r->b) : NULL);
	else if (r->tells == PROMETHEUS_ATTR)
		ok = put_attr(r, x->obs, port, q->series->sub, s);
	else if (r->tells == PROMETHEUS_WORDS)
		put_words(b, p, r, x->obs, port, &q->reader.labels);
	else if (r->tells == PROMETHEUS_LLDP)
		put_lldp(r, x->obs, port, &q->reader.labels);
	else
		put_need(b, d, r, x->obs, &q->reader.labels);
	b->counts.bad += !ok;
	x->news |= ok && (r->tells == PROMETHEUS_COUNTER || r->tells == PROMETHEUS_ATTR);
}
