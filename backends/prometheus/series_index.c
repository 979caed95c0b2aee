/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "backends/prometheus/series_index_private.h"
#include "backends/prometheus/read_private.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/need.h"

#define PORTS_MAX 4096 /* per device */
#define ROOM_BYTES                                                                                 \
	((size_t)1 << 20) /* one block of memory for ports, apart from short-lived                 \
			   * allocations */
#define SLOTS_FIRST 256
#define RULE_MASK   (PROMETHEUS_RULES_MAX - 1U)
_Static_assert((PROMETHEUS_RULES_MAX & RULE_MASK) == 0 && PROMETHEUS_RULES_MAX <= 1 << 12,
	"struct series");
/* A source without samples for this many intervals is gone: another source may replace it. */
#define SOURCE_GONE 3

static void add_name(struct series_index *b, const char *name, uint32_t device)
{
	struct series_index_name *n;
	size_t len = strlen(name);

	HASH_FIND(hh, b->names, name, len, n);
	if (n || !len)
		return;
	n = mem_calloc(1, sizeof(*n) + len + 1);
	memcpy(n->name, name, len);
	n->device = device;
	HASH_ADD_KEYPTR(hh, b->names, n->name, len, n);
}

struct series_index *series_index_new(const struct plan *plan, const struct prometheus_map *map)
{
	struct series_index *b = mem_calloc(1, sizeof(*b));

	b->plan = plan;
	b->map = map;
	series_index_near_open(b);
	series_index_join_open(b);
	if (getrandom(&b->seed, sizeof(b->seed), 0) != sizeof(b->seed))
		b->seed = (uint64_t)clock_mono(&clock_system);
	for (size_t i = 0; i < plan->devices.n; i++) {
		struct series_index_device *d;

		if (!plan->devices.at[i].by_engine)
			continue;
		d = vec_add(&b->devices);
		d->plan = &plan->devices.at[i];
		d->index = i;
		add_name(b, d->plan->name, (uint32_t)(b->devices.n - 1));
	}
	/* A device's name takes precedence over the address of another device. */
	for (size_t i = 0; i < b->devices.n; i++)
		if (b->devices.at[i].plan->address)
			add_name(b, b->devices.at[i].plan->address, (uint32_t)i);
	return b;
}

static void free_batches(struct series_index_device *d)
{
	for (size_t i = 0; i < d->batches.n; i++)
		obs_free(d->batches.at[i].obs);
	d->batches.n = 0;
	obs_free(d->log);
	d->log = NULL;
}

void series_index_free(struct series_index *b)
{
	struct series_index_name *n, *next;

	if (!b)
		return;
	n = b->names;
	HASH_CLEAR(hh, b->names);
	for (; n; n = next) {
		next = n->hh.next;
		free(n);
	}
	series_index_near_free(b);
	series_index_join_free(b);
	free(b->slots);
	for (struct series_index_room *r = b->room, *before; r; r = before) {
		before = r->before;
		(void)mem_pages(r, ROOM_BYTES, 0);
	}
	for (size_t i = 0; i < b->devices.n; i++) {
		free_batches(&b->devices.at[i]);
		vec_free(&b->devices.at[i].batches);
		vec_free(&b->devices.at[i].gpus);
		vec_free(&b->devices.at[i].who);
	}
	vec_free(&b->ports);
	vec_free(&b->devices);
	vec_free(&b->touched);
	free(b);
}

size_t series_index_devices(const struct series_index *b)
{
	return b->devices.n;
}

size_t series_index_device(const struct series_index *b, size_t i)
{
	return b->devices.at[i].index;
}

uint8_t series_index_lossless(const struct series_index *b)
{
	return lossless_priorities(&b->plan->lossless);
}

int64_t series_index_newest(const struct series_index *b)
{
	return b->newest_us;
}

void series_index_keep(struct series_index *b, bool keep)
{
	b->full = !keep;
}

int64_t series_index_spacing(const struct series_index *b, unsigned group)
{
	return b->spacing_us[group];
}

void series_index_count(const struct series_index *b, struct series_index_counts *out)
{
	*out = b->counts;
}

/* ---- a new series ---- */

bool series_index_find_device(
	const struct series_index *b, const char *name, size_t len, uint32_t *device)
{
	struct series_index_name *n;

	HASH_FIND(hh, b->names, name, len, n);
	if (n)
		*device = n->device;
	return n != NULL;
}

/* Returns the slot of the port, or the free slot where it belongs. */
static uint32_t *slot_of(
	const struct series_index *b, uint32_t hash, uint32_t device, const char *name, size_t len)
{
	size_t mask = b->n_slots - 1, i = hash & mask;

	for (; b->slots[i]; i = (i + 1) & mask) {
		const struct series_index_port *p = b->ports.at[b->slots[i] - 1];

		if (p->hash == hash && p->device == device && p->len == len &&
			memcmp(p->name, name, len) == 0)
			break;
	}
	return &b->slots[i];
}

static void grow_slots(struct series_index *b)
{
	free(b->slots);
	b->n_slots = b->n_slots ? b->n_slots * 2 : SLOTS_FIRST;
	b->slots = mem_calloc(b->n_slots, sizeof(*b->slots));
	for (size_t k = 0; k < b->ports.n; k++) {
		const struct series_index_port *p = b->ports.at[k];

		*slot_of(b, p->hash, p->device, p->name, p->len) = (uint32_t)k + 1;
	}
}

/* Returns zeroed memory for a port with a name of len bytes. */
static struct series_index_port *room_for_port(struct series_index *b, size_t len)
{
	size_t n = (sizeof(struct series_index_port) + len + 1 + 7) & ~(size_t)7;
	struct series_index_room *r = b->room;

	if (!r || ROOM_BYTES - r->used < n) {
		r = mem_pages(NULL, 0, ROOM_BYTES);
		r->before = b->room;
		r->used = sizeof(*r);
		b->room = r;
	}
	r->used += n;
	return (struct series_index_port *)(void *)((char *)r + r->used - n);
}

struct series_index_port *series_index_port_of(
	struct series_index *b, uint32_t device, const char *name)
{
	struct series_index_device *d = &b->devices.at[device];
	size_t len = strlen(name);
	uint32_t hash = (uint32_t)prometheus_labels_hash(b->seed + device, name, len), *slot;
	struct series_index_port *p;

	if (len >= NAME_MAX_LEN)
		return NULL;
	if (2 * b->ports.n >= b->n_slots)
		grow_slots(b);
	slot = slot_of(b, hash, device, name, len);
	if (*slot)
		return b->ports.at[*slot - 1];
	if (d->ports >= PORTS_MAX)
		return NULL;
	p = room_for_port(b, len);
	memcpy(p->name, name, len);
	p->len = (uint8_t)len;
	p->hash = hash;
	p->device = device;
	p->index = (uint32_t)b->ports.n;
	d->ports++;
	vec_push(&b->ports, p);
	*slot = (uint32_t)b->ports.n;
	return p;
}

static uint32_t hash_source(const struct prometheus_labels *l)
{
	const char *values[NEAR_WHO];
	size_t lens[NEAR_WHO];

	for (size_t i = 0; i < NEAR_WHO; i++) {
		values[i] = prometheus_label(l, series_index_who_labels[i]);
		lens[i] = values[i] ? strlen(values[i]) : 0;
	}
	return series_index_who_hash(values, lens);
}

/*
 * The device of a GPU by other labels: in a container an exporter takes the container's name for
 * the host's.
 */
static bool find_gpu_host(
	const struct series_index *b, const struct prometheus_labels *l, uint32_t *device)
{
	static const char *const names[] = {"node", "kubernetes_node", "exported_node", "instance"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = prometheus_label(l, names[i]);

		if (value &&
			(series_index_find_device(b, value, strlen(value), device) ||
				series_index_find_device(b, value, strcspn(value, ":"), device) ||
				series_index_find_device(b, value, strcspn(value, ".:"), device)))
			return true;
	}
	return false;
}

/* Finds the port or device of a series by its rule; false: it is not in the plan. */
static bool find_place(
	struct series_index *b, uint16_t rule, const struct prometheus_labels *l, struct series *s)
{
	const struct prometheus_rule *r = b->map->rules.at[rule];
	const char *device = prometheus_label(l, r->device.label);
	const char *port = r->port.label ? prometheus_label(l, r->port.label) : NULL;
	const char *sub_text = r->sub_label ? prometheus_label(l, r->sub_label) : NULL;
	char name[NAME_MAX_LEN];
	struct series_index_port *p;
	uint8_t sub = (uint8_t)r->sub;
	bool gpu = r->tells == PROMETHEUS_GPU || r->tells == PROMETHEUS_GPU_COUNTER;
	uint32_t at;

	if ((!device || !series_index_device_named(b, rule, device, &at)) &&
		!(gpu && find_gpu_host(b, l, &at)))
		return false;
	/* The labels of a GPU name the job that uses it, and so they change. */
	if (!gpu && !series_index_who_of(&b->devices.at[at], hash_source(l), &s->source))
		return false;
	if (r->sub_label &&
		(!sub_text || !series_index_sub_of(r, sub_text, strlen(sub_text), &sub)))
		return false;
	s->sub = (unsigned)sub & 15U;
	s->place = at;
	if (!r->port.label)
		return true;
	if (!port || !prometheus_label_name(&r->port, port, name))
		return false;
	p = series_index_port_of(b, at, name);
	if (!p)
		return false;
	s->place = p->index;
	return true;
}

/* Returns an index into the query's rules; n_rules: none. */
static size_t find_rule(const struct series_index_query *q, const struct prometheus_labels *l)
{
	const char *metric = prometheus_label(l, "__name__");
	size_t i = 0;

	while (i < q->n_rules && metric &&
		strcmp(q->book->map->rules.at[q->rules[i]]->metric, metric) != 0)
		i++;
	return metric ? i : q->n_rules;
}

static struct series *add_series(struct series_index_query *q, const struct prometheus_labels *l)
{
	struct series_index *b = q->book;
	struct series *s = known_add(&q->pass, l->hash);
	size_t rule = find_rule(q, l);

	if (!s)
		return NULL;
	b->counts.series++;
	if (rule < q->n_rules)
		s->rule = (unsigned)q->rules[rule] & RULE_MASK;
	if (rule == q->n_rules || !find_place(b, q->rules[rule], l, s)) {
		s->place = SERIES_NOBODYS;
		b->counts.foreign++;
	}
	return s;
}

/* ---- reading ---- */

/* Ports of a large fabric are not in the cache: prefetch the port of a series AHEAD places on. */
#define AHEAD 4

static void fetch_ahead(const struct series_index_query *q)
{
	const struct series_index *b = q->book;
	const struct series *s = known_ahead(&q->pass, AHEAD);

	const struct series_index_port *p;

	if (!s || s->place >= b->ports.n || !b->map->rules.at[s->rule]->port.label)
		return;
	p = b->ports.at[s->place];
	__builtin_prefetch(p, 1);
	__builtin_prefetch(&p->gather, 1);
}

/* Makes s the current series. Returns whether its samples are needed. */
static bool select_series(struct series_index_query *q, struct series *s)
{
	const struct series_index *b = q->book;

	q->series = s;
	q->n = 0;
	if (s->place == SERIES_NOBODYS) {
		s->newest = series_time(b->now_us);
		return false;
	}
	q->had_us = series_time_us(s->newest, b->now_us);
	return true;
}

static enum prometheus_seen on_seen(void *ctx, uint64_t hash)
{
	struct series_index_query *q = ctx;
	struct series *s = known_find(&q->pass, hash);

	if (!s)
		return PROMETHEUS_UNKNOWN;
	fetch_ahead(q);
	if (!select_series(q, s))
		return PROMETHEUS_UNWANTED;
	return series_index_says_labels(q->book->map->rules.at[s->rule]) ? PROMETHEUS_NAMED
									 : PROMETHEUS_WANTED;
}

static bool on_alike(void *ctx, uint64_t hash, const char *raw, size_t len, bool *wanted)
{
	struct series found = {0}, *s;
	struct series_index_query *q = ctx;

	if (!series_index_near(q, raw, len, &found))
		return false;
	*wanted = false;
	s = known_add(&q->pass, hash);
	if (!s)
		return true;
	q->book->counts.series++;
	found.key = s->key;
	found.key_more = s->key_more;
	*s = found;
	*wanted = select_series(q, s);
	return true;
}

static bool on_series(void *ctx, const struct prometheus_labels *l, const char *raw, size_t len)
{
	struct series_index_query *q = ctx;
	struct series *s = add_series(q, l);

	if (s)
		series_index_near_begin(q, l, raw, len, s);
	return s && select_series(q, s);
}

static void on_sample(void *ctx, const struct prometheus_sample *s)
{
	struct series_index_query *q = ctx;

	if (q->book->mode == SERIES_INDEX_HISTORY) {
		series_index_put(q->book, q, s);
		return;
	}
	if ((q->book->mode == SERIES_INDEX_LIVE && s->us <= q->had_us) ||
		(q->n && s->us <= q->last.us))
		return;
	q->before = q->last;
	q->last = *s;
	q->n = (uint8_t)(q->n < 2 ? q->n + 1 : 2);
}

static void note_spacing(struct series_index_query *q)
{
	const struct prometheus_rule *r = q->book->map->rules.at[q->series->rule];
	int64_t us = q->last.us - q->before.us, *most = &q->book->spacing_us[r->group];

	if (q->n < 2)
		q->n_single += r->tells == PROMETHEUS_COUNTER;
	else if (us > *most)
		*most = us;
}

static void on_series_end(void *ctx)
{
	struct series_index_query *q = ctx;
	struct series_index *b = q->book;

	if (!q->n)
		return;
	note_spacing(q);
	/* The first counter of a device has no rate without the sample before it. */
	if (q->n > 1 && (b->mode == SERIES_INDEX_MOMENT || !series_index_device_of(q)->heard))
		series_index_put(b, q, &q->before);
	series_index_put(b, q, &q->last);
	if (b->mode != SERIES_INDEX_LIVE)
		return;
	q->series->newest = series_time(q->last.us);
	if (q->last.us > b->newest_us)
		b->newest_us = q->last.us;
}

void series_index_attach(struct series_index *b, struct series_index_query *q,
	const uint16_t *rules, size_t n, struct series_list *known)
{
	q->book = b;
	q->rules = rules;
	q->n_rules = n;
	q->n = 0;
	q->n_single = 0;
	q->series = NULL;
	q->near.is = false;
	memset(&q->own, 0, sizeof(q->own));
	if (known && b->mode == SERIES_INDEX_LIVE)
		known_expire(known, b->now_us);
	known_begin(&q->pass, known ? known : &q->own);
	q->reader.seen = on_seen;
	q->reader.alike = on_alike;
	q->reader.series = on_series;
	q->reader.sample = on_sample;
	q->reader.series_end = on_series_end;
	q->reader.ctx = q;
	q->reader.seed = b->seed;
	prometheus_reader_begin(&q->reader);
}

void series_index_detach(struct series_index_query *q)
{
	/* Series of a past moment say nothing about the series of the next reply. */
	if (q->book->mode == SERIES_INDEX_LIVE)
		known_end(&q->pass, q->book->now_us, !q->book->full);
	else
		known_drop(&q->pass);
	known_free(&q->own);
	q->series = NULL;
}

bool series_index_source_ok(struct series_index *b, struct series_index_device *d, unsigned group,
	uint32_t source, int64_t us)
{
	struct series_index_source *s = &d->sources[group];
	int64_t gone = SOURCE_GONE * (b->plan->engine.interval_us > 0 ? b->plan->engine.interval_us
								      : 30 * CLOCK_SEC);

	/* A moment of the past has its own source: the first one that appears. */
	if (b->mode == SERIES_INDEX_MOMENT) {
		if (s->gather != b->gather) {
			s->gather = b->gather;
			s->was = source;
		}
		b->counts.twins += s->was != source;
		return s->was == source;
	}
	if (!s->is)
		s->is = source;
	if (s->is != source) {
		if (b->mode != SERIES_INDEX_LIVE || us <= s->newest_us + gone) {
			b->counts.twins++;
			return false;
		}
		s->floor_us = s->newest_us;
		s->is = source;
	}
	if (b->mode == SERIES_INDEX_LIVE && us <= s->floor_us)
		return false;
	if (b->mode == SERIES_INDEX_LIVE && us > s->newest_us)
		s->newest_us = us;
	return true;
}

/* ---- a gather ---- */

void series_index_begin(struct series_index *b, enum series_index_mode mode, int64_t now_us)
{
	b->mode = mode;
	b->now_us = now_us;
	b->gather++;
	for (size_t i = 0; i < b->touched.n; i++)
		free_batches(&b->devices.at[b->touched.at[i]]);
	b->touched.n = 0;
}

struct chain {
	struct obs *first, **end;
};

static void chain_add(struct chain *c, struct obs *o)
{
	*c->end = o;
	c->end = &o->next;
}

/*
 * Returns the receive time of a batch: now, if its newest sample is no older than an interval and 5
 * s; else earlier by the excess. The sample times themselves are stored with the ports.
 */
static int64_t receive_us(const struct series_index *b, int64_t newest_us, int64_t wall_us)
{
	int64_t may = b->plan->engine.interval_us + 5 * CLOCK_SEC;
	int64_t age = b->now_us - newest_us;

	return age > may ? wall_us - (age - may) : wall_us;
}

static void report_failure(
	struct series_index *b, struct series_index_device *d, struct chain *c, int64_t wall_us)
{
	static const struct {
		enum err_code code;
		const char *words;
	} said[] = {[SAID_NOTHING] = {ERR_NONE, ""},
		[SAID_UNREACHABLE] = {ERR_UNREACHABLE, "not reached"},
		[SAID_UNAUTHORISED] = {ERR_UNAUTHORISED, "not authorised"},
		[SAID_NOT_UNDERSTOOD] = {ERR_PROTOCOL, "not understood"}};
	struct obs *o;

	if (d->said == SAID_NOTHING || d->said_us <= d->told_us)
		return;
	d->told_us = d->said_us;
	o = obs_new(d->plan->name, "engine");
	o->result = OBS_FAILED;
	o->received_us = receive_us(b, d->said_us, wall_us);
	(void)err_set(&o->err, said[d->said].code, d->plan->name,
		"the exporter for %.160s reports it as %s", b->plan->engine.url,
		said[d->said].words);
	(void)err_cure(&o->err, "check the exporter of %s, or the railtop export that polls it",
		d->plan->name);
	chain_add(c, o);
}

static void report_warning(struct series_index_device *d, struct obs *o, const char *warning)
{
	uint32_t h = 2166136261U;

	for (const char *s = warning; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619U;
	if (!*warning)
		h = 0;
	if (h == d->warned)
		return;
	d->warned = h;
	obs_capability(o, "metrics engine", h ? VALID_DISABLED : VALID_OK, warning);
}

void series_index_needs_told(struct series_index *b, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		b->devices.at[i].needs_gather = b->gather;
}

/*
 * Reports the needs that are now met. o: the device's batch; NULL: it had none, so that an absent
 * need is no evidence.
 */
static void report_needs(const struct series_index *b, struct series_index_device *d, struct obs *o)
{
	bool told = o && d->needs_gather == b->gather;
	uint64_t met = told ? d->needs & ~d->needs_now : 0;

	for (unsigned i = 0; i < NEED_COUNT; i++)
		if (met >> i & 1)
			obs_capability(o, need_info[i].name, VALID_OK, "");
	d->needs = (d->needs & ~met) | d->needs_now;
	d->needs_now = 0;
}

static int compare_time(const void *x, const void *y)
{
	const struct series_index_batch *a = x, *b = y;

	return (a->us > b->us) - (a->us < b->us);
}

static void end_device(struct series_index *b, struct series_index_device *d, struct chain *c,
	int64_t wall_us, const char *warning)
{
	bool news = false;
	int64_t last;

	series_index_join(b, d);
	for (size_t i = 0; i < d->batches.n; i++)
		news |= d->batches.at[i].news;
	if (d->log) {
		d->log->received_us = receive_us(b, d->log->received_us, wall_us);
		chain_add(c, d->log);
		d->log = NULL;
	}
	/* A state is not a sign of life: it may describe a device that cannot be reached. */
	if (!news) {
		report_needs(b, d, NULL);
		free_batches(d);
		if (b->mode == SERIES_INDEX_LIVE)
			report_failure(b, d, c, wall_us);
		return;
	}
	qsort(d->batches.at, d->batches.n, sizeof(d->batches.at[0]), compare_time);
	last = d->batches.at[d->batches.n - 1].us;
	for (size_t i = 0; i < d->batches.n; i++) {
		struct obs *o = d->batches.at[i].obs;

		o->received_us = d->batches.at[i].us;
		if (b->mode == SERIES_INDEX_LIVE)
			o->received_us = receive_us(b, last, wall_us) - (last - o->received_us);
		chain_add(c, o);
	}
	if (b->mode == SERIES_INDEX_LIVE) {
		d->items = d->batches.at[d->batches.n - 1].obs->items.n;
		report_needs(b, d, d->batches.at[d->batches.n - 1].obs);
		report_warning(d, d->batches.at[d->batches.n - 1].obs, warning);
		d->heard = true;
		if (d->said_us >= last)
			report_failure(b, d, c, wall_us);
	} else if (b->mode == SERIES_INDEX_MOMENT && *warning) {
		obs_capability(d->batches.at[d->batches.n - 1].obs, "metrics engine",
			VALID_DISABLED, warning);
	}
	d->batches.n = 0;
}

static int compare_received(const void *x, const void *y)
{
	const struct obs *const *a = x, *const *b = y;

	return ((*a)->received_us > (*b)->received_us) - ((*a)->received_us < (*b)->received_us);
}

static struct obs *sort_by_time(struct obs *first)
{
	VEC(struct obs *) all = {0};
	struct chain c = {NULL, &c.first};

	for (struct obs *o = first; o; o = o->next)
		vec_push(&all, o);
	if (all.n > 1)
		qsort(all.at, all.n, sizeof(*all.at), compare_received);
	for (size_t i = 0; i < all.n; i++)
		chain_add(&c, all.at[i]);
	*c.end = NULL;
	vec_free(&all);
	return c.first;
}

struct obs *series_index_end(struct series_index *b, int64_t wall_us, const char *warning)
{
	struct chain c = {NULL, &c.first};

	for (size_t i = 0; i < b->touched.n; i++)
		end_device(b, &b->devices.at[b->touched.at[i]], &c, wall_us, warning);
	b->touched.n = 0;
	*c.end = NULL;
	return b->mode == SERIES_INDEX_LIVE ? c.first : sort_by_time(c.first);
}
