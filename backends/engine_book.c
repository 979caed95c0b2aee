/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "backends/engine_book_private.h"
#include "base/clock.h"
#include "base/str.h"

#define PORTS_MAX 4096 /* of a device */
/* A source without samples for so many intervals is gone: another one of the device may take over.
 */
#define SOURCE_GONE 3
/* Series that were not in a reply for so long are forgotten when there is no room. */
#define SERIES_OLD_US (3600 * CLOCK_SEC)

static void add_name(struct book *b, const char *name, uint32_t device)
{
	struct book_name *n;
	size_t len = strlen(name);

	HASH_FIND(hh, b->names, name, len, n);
	if (n || !len)
		return;
	n = mem_calloc(1, sizeof(*n) + len + 1);
	memcpy(n->name, name, len);
	n->device = device;
	HASH_ADD_KEYPTR(hh, b->names, n->name, len, n);
}

struct book *book_new(const struct plan *plan, const struct engine_map *map)
{
	struct book *b = mem_calloc(1, sizeof(*b));

	b->plan = plan;
	b->map = map;
	if (getrandom(&b->seed, sizeof(b->seed), 0) != sizeof(b->seed))
		b->seed = (uint64_t)clock_mono(&clock_system);
	for (size_t i = 0; i < plan->devices.n; i++) {
		struct book_device *d;

		if (!plan->devices.at[i].by_engine)
			continue;
		d = vec_add(&b->devices);
		d->plan = &plan->devices.at[i];
		d->index = i;
		add_name(b, d->plan->name, (uint32_t)(b->devices.n - 1));
	}
	/* A name goes before the address of another. */
	for (size_t i = 0; i < b->devices.n; i++)
		if (b->devices.at[i].plan->address)
			add_name(b, b->devices.at[i].plan->address, (uint32_t)i);
	return b;
}

static void free_batches(struct book_device *d)
{
	for (size_t i = 0; i < d->batches.n; i++)
		obs_free(d->batches.at[i].obs);
	d->batches.n = 0;
}

void book_free(struct book *b)
{
	struct book_name *n, *next;

	if (!b)
		return;
	n = b->names;
	HASH_CLEAR(hh, b->names);
	for (; n; n = next) {
		next = n->hh.next;
		free(n);
	}
	HASH_CLEAR(hh, b->by_name);
	for (size_t i = 0; i < b->ports.n; i++)
		free(b->ports.at[i]);
	for (size_t i = 0; i < b->devices.n; i++) {
		free_batches(&b->devices.at[i]);
		vec_free(&b->devices.at[i].batches);
	}
	vec_free(&b->ports);
	vec_free(&b->devices);
	vec_free(&b->touched);
	known_free(&b->series);
	free(b);
}

size_t book_devices(const struct book *b)
{
	return b->devices.n;
}

size_t book_device(const struct book *b, size_t i)
{
	return b->devices.at[i].index;
}

int64_t book_newest(const struct book *b)
{
	return b->newest_us;
}

void book_count(const struct book *b, struct book_counts *out)
{
	*out = b->counts;
	out->series = b->series.n;
}

/* ---- a series that is not known ---- */

static struct book_port *port_of(struct book *b, uint32_t device, const char *name)
{
	struct book_device *d = &b->devices.at[device];
	size_t len = strlen(name) + sizeof(device);
	char key[NAME_MAX_LEN + sizeof(device)];
	struct book_port *p;

	memcpy(key, &device, sizeof(device));
	memcpy(key + sizeof(device), name, len - sizeof(device));
	HASH_FIND(hh, b->by_name, key, len, p);
	if (p || d->ports >= PORTS_MAX)
		return p;
	p = mem_calloc(1, sizeof(*p) + len + 1);
	memcpy(p->name, key, len);
	p->device = device;
	p->index = (uint32_t)b->ports.n;
	d->ports++;
	vec_push(&b->ports, p);
	HASH_ADD_KEYPTR(hh, b->by_name, p->name, len, p);
	return p;
}

/* "3", "UC3", "Ethernet0:3": the number at the end. */
static bool sub_of(const char *text, unsigned subs, uint8_t *sub)
{
	size_t n = strlen(text);
	uint64_t v;

	while (n && text[n - 1] >= '0' && text[n - 1] <= '9')
		n--;
	if (!str_to_u64(text + n, &v) || v >= subs)
		return false;
	*sub = (uint8_t)v;
	return true;
}

static uint32_t source_of(const struct engine_labels *l)
{
	static const char *const who[] = {"instance", "job", "replica", "prometheus",
		"prometheus_replica", "cluster", "pod", "__replica__"};
	uint32_t h = 2166136261U;

	for (size_t i = 0; i < sizeof(who) / sizeof(who[0]); i++) {
		const char *v = engine_label(l, who[i]);

		for (; v && *v; v++)
			h = (h ^ (unsigned char)*v) * 16777619U;
		h = (h ^ 0xff) * 16777619U;
	}
	return h ? h : 1;
}

static unsigned subs_of(const struct engine_rule *r)
{
	return r->tells == ENGINE_COUNTER ? counter_dim_size(r->counter) : PRIORITIES;
}

/* Whose series it is, by the rule; false: nobody's. */
static bool place_of(struct book *b, const struct engine_rule *r, const struct engine_labels *l,
	struct series *s)
{
	const char *device = engine_label(l, r->device.label);
	const char *port = r->port.label ? engine_label(l, r->port.label) : NULL;
	const char *sub = r->sub_label ? engine_label(l, r->sub_label) : NULL;
	char name[NAME_MAX_LEN];
	struct book_name *n;
	struct book_port *p;

	if (!device || !engine_label_name(&r->device, device, name))
		return false;
	HASH_FIND(hh, b->names, name, strlen(name), n);
	if (!n)
		return false;
	s->place = n->device;
	s->sub = (uint8_t)r->sub;
	if (r->sub_label && (!sub || !sub_of(sub, subs_of(r), &s->sub)))
		return false;
	if (!r->port.label)
		return true;
	if (!port || !engine_label_name(&r->port, port, name))
		return false;
	p = port_of(b, n->device, name);
	if (!p)
		return false;
	s->place = p->index;
	return true;
}

static uint16_t rule_of(const struct book_query *q, const struct engine_labels *l)
{
	const char *metric = engine_label(l, "__name__");

	for (size_t i = 0; i < q->n_rules && metric; i++)
		if (strcmp(q->book->map->rules.at[q->rules[i]]->metric, metric) == 0)
			return q->rules[i];
	return SERIES_FOREIGN;
}

static struct series *learn(struct book_query *q, const struct engine_labels *l, uint64_t key)
{
	struct book *b = q->book;
	struct series *s = known_add(&b->series, key, b->now_us - SERIES_OLD_US);

	if (!s)
		return NULL;
	s->rule = rule_of(q, l);
	if (s->rule != SERIES_FOREIGN && !place_of(b, b->map->rules.at[s->rule], l, s))
		s->rule = SERIES_FOREIGN;
	b->counts.foreign += s->rule == SERIES_FOREIGN;
	s->source = source_of(l);
	q->hint = b->series.n;
	return s;
}

/* ---- reading ---- */

static bool on_series(void *ctx, const struct engine_labels *l)
{
	struct book_query *q = ctx;
	struct book *b = q->book;
	uint64_t key = (l->hash ^ q->salt) * UINT64_C(0x9e3779b97f4a7c15);
	struct series *s;

	s = known_find(&b->series, key, &q->hint);
	if (!s)
		s = learn(q, l, key);
	if (!s)
		return false;
	s->seen_us = b->now_us;
	if (s->rule == SERIES_FOREIGN)
		return false;
	q->key = key;
	q->place = s->place;
	q->source = s->source;
	q->rule = s->rule;
	q->sub = s->sub;
	q->had_us = s->last_us;
	q->n = 0;
	return true;
}

static void on_sample(void *ctx, const struct engine_sample *s)
{
	struct book_query *q = ctx;

	if (q->book->mode == BOOK_HISTORY) {
		book_put(q->book, q, s);
		return;
	}
	if ((q->book->mode == BOOK_LIVE && s->us <= q->had_us) || (q->n && s->us <= q->last.us))
		return;
	q->before = q->last;
	q->last = *s;
	q->n = (uint8_t)(q->n < 2 ? q->n + 1 : 2);
}

static void on_series_end(void *ctx)
{
	struct book_query *q = ctx;
	struct book *b = q->book;
	const struct engine_rule *r = b->map->rules.at[q->rule];
	uint32_t device = r->port.label ? b->ports.at[q->place]->device : q->place;
	struct series *s;
	size_t at;

	if (!q->n)
		return;
	/* What came first of all has no rate without the sample before it. */
	if (q->n > 1 && (b->mode == BOOK_MOMENT || !b->devices.at[device].heard))
		book_put(b, q, &q->before);
	book_put(b, q, &q->last);
	if (b->mode != BOOK_LIVE)
		return;
	/* Others may have been added since, and moved it. */
	at = q->hint ? q->hint - 1 : 0;
	s = known_find(&b->series, q->key, &at);
	if (s)
		s->last_us = q->last.us;
	if (q->last.us > b->newest_us)
		b->newest_us = q->last.us;
}

void book_attach(
	struct book *b, struct book_query *q, const uint16_t *rules, size_t n, uint64_t salt)
{
	q->book = b;
	q->rules = rules;
	q->n_rules = n;
	q->salt = salt;
	q->n = 0;
	q->hint = 0;
	q->reader.series = on_series;
	q->reader.sample = on_sample;
	q->reader.series_end = on_series_end;
	q->reader.ctx = q;
	q->reader.seed = b->seed;
	engine_reader_begin(&q->reader);
}

bool book_source_ok(
	struct book *b, struct book_device *d, unsigned group, uint32_t source, int64_t us)
{
	struct book_source *s = &d->sources[group];
	int64_t gone = SOURCE_GONE * (b->plan->engine.interval_us > 0 ? b->plan->engine.interval_us
								      : 30 * CLOCK_SEC);

	/* A moment of the past has sources of its own: the first that is met. */
	if (b->mode == BOOK_MOMENT) {
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
		if (b->mode != BOOK_LIVE || us <= s->newest_us + gone) {
			b->counts.twins++;
			return false;
		}
		s->floor_us = s->newest_us;
		s->is = source;
	}
	if (b->mode == BOOK_LIVE && us <= s->floor_us)
		return false;
	if (b->mode == BOOK_LIVE && us > s->newest_us)
		s->newest_us = us;
	return true;
}

/* ---- a gather ---- */

void book_begin(struct book *b, enum book_mode mode, int64_t now_us)
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
 * When it was heard: now, if its newest sample is as old as one may be between two rounds. The
 * sample times themselves are with the ports.
 */
static int64_t heard_us(const struct book *b, int64_t newest_us, int64_t wall_us)
{
	int64_t may = b->plan->engine.interval_us + 5 * CLOCK_SEC;
	int64_t age = b->now_us - newest_us;

	return age > may ? wall_us - (age - may) : wall_us;
}

static void tell_failed(struct book *b, struct book_device *d, struct chain *c, int64_t wall_us)
{
	struct obs *o;

	if (d->said == SAID_NOTHING || d->said_us <= d->told_us)
		return;
	d->told_us = d->said_us;
	o = obs_new(d->plan->name, "engine");
	o->result = OBS_FAILED;
	o->received_us = heard_us(b, d->said_us, wall_us);
	(void)err_set(&o->err, d->said == SAID_UNREACHABLE ? ERR_UNREACHABLE : ERR_UNAUTHORISED,
		d->plan->name, "who measures it for %.160s says that it is %s", b->plan->engine.url,
		d->said == SAID_UNREACHABLE ? "not reached" : "not let in");
	(void)err_cure(&o->err,
		"look at the exporter of %s, or at the railtop export that polls it",
		d->plan->name);
	chain_add(c, o);
}

static void tell_warning(struct book_device *d, struct obs *o, const char *warning)
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

static int by_time(const void *x, const void *y)
{
	const struct book_batch *a = x, *b = y;

	return (a->us > b->us) - (a->us < b->us);
}

static void end_device(struct book *b, struct book_device *d, struct chain *c, int64_t wall_us,
	const char *warning)
{
	bool news = false;
	int64_t last;

	for (size_t i = 0; i < d->batches.n; i++)
		news |= d->batches.at[i].news;
	/* Words about a device that nobody reaches are no sign of life. */
	if (!news) {
		free_batches(d);
		if (b->mode == BOOK_LIVE)
			tell_failed(b, d, c, wall_us);
		return;
	}
	qsort(d->batches.at, d->batches.n, sizeof(d->batches.at[0]), by_time);
	last = d->batches.at[d->batches.n - 1].us;
	for (size_t i = 0; i < d->batches.n; i++) {
		struct obs *o = d->batches.at[i].obs;

		o->received_us = d->batches.at[i].us;
		if (b->mode == BOOK_LIVE)
			o->received_us = heard_us(b, last, wall_us) - (last - o->received_us);
		chain_add(c, o);
	}
	if (b->mode == BOOK_LIVE) {
		tell_warning(d, d->batches.at[d->batches.n - 1].obs, warning);
		d->heard = true;
		if (d->said_us >= last)
			tell_failed(b, d, c, wall_us);
	} else if (b->mode == BOOK_MOMENT && *warning) {
		obs_capability(d->batches.at[d->batches.n - 1].obs, "metrics engine",
			VALID_DISABLED, warning);
	}
	d->batches.n = 0;
}

static int by_received(const void *x, const void *y)
{
	const struct obs *const *a = x, *const *b = y;

	return ((*a)->received_us > (*b)->received_us) - ((*a)->received_us < (*b)->received_us);
}

static struct obs *sorted(struct obs *first)
{
	VEC(struct obs *) all = {0};
	struct chain c = {NULL, &c.first};

	for (struct obs *o = first; o; o = o->next)
		vec_push(&all, o);
	if (all.n > 1)
		qsort(all.at, all.n, sizeof(*all.at), by_received);
	for (size_t i = 0; i < all.n; i++)
		chain_add(&c, all.at[i]);
	*c.end = NULL;
	vec_free(&all);
	return c.first;
}

struct obs *book_end(struct book *b, int64_t wall_us, const char *warning)
{
	struct chain c = {NULL, &c.first};

	for (size_t i = 0; i < b->touched.n; i++)
		end_device(b, &b->devices.at[b->touched.at[i]], &c, wall_us, warning);
	b->touched.n = 0;
	*c.end = NULL;
	return b->mode == BOOK_LIVE ? c.first : sorted(c.first);
}
