/* SPDX-License-Identifier: Apache-2.0 */
#include "views/summary.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "views/common.h"
#include "views/diag_rows.h"
#include "views/summary_add.h"

/*
 * Health also depends on time ("flapped lately") and on the other ends of links, so it is computed
 * again for an unchanged device too. The interval is one and a half poll intervals within these
 * limits, so that a polled device usually has new data before.
 */
#define RECHECK_US      (2 * CLOCK_SEC)
#define RECHECK_MOST_US (10 * CLOCK_SEC)
/* Limit of unchanged devices in a call: a port takes 2 us and a key press must not wait. */
#define RECHECK_MAX  32
#define DEVICE_WORST 8
/* Ports computed in one piece, see summary_refresh_some(). */
#define PIECE_PORTS 1024
/* Number of devices added up in one piece. */
#define PIECE_SUMS 2048

/* The values that change with each new answer of a device. */
struct stamp {
	uint64_t polls, failures;
	int64_t last_ok_us;
	enum dev_state state;
	size_t ports;
};

struct device_entry {
	bool filled;
	uint64_t version;
	struct stamp stamp;
	int64_t at_us;
	struct summary sum;
	struct outlier odd; /* of a host */
	struct worst worst[DEVICE_WORST];
	size_t nworst;
};

/* Sums over several devices. */
struct sums {
	struct summary fabric;
	VEC(struct summary) rails;
	struct worst worst[WORST_MAX];
	size_t nworst;
};

struct view_cache {
	const struct model *model;
	uint64_t generation;
	uint64_t versions; /* the last version given out; never used twice */
	/* In pieces: summary_refresh_some() computes everything, other calls only read. */
	bool paced, ready, passing, summed;
	size_t pass_at; /* of the pass in progress: the next device */
	size_t sum_at;  /* likewise, after all devices were visited: the next device to add up */
	unsigned rechecks;
	/* The last state without changes; in pieces: of the last complete pass. */
	uint64_t changes, fabric_of, rails_of; /* changes at that time plus 1; 0: never */
	struct sums sums;
	struct sums next; /* of the pass in progress */
	int64_t now_us;
	VEC(struct device_entry) devices;
	VEC(struct health) ports;
	struct diag_rows *diagnosis; /* views/diag_rows.h */
};

struct view_cache *view_cache_new(void)
{
	return mem_calloc(1, sizeof(struct view_cache));
}

void view_cache_free(struct view_cache *c)
{
	if (!c)
		return;
	vec_free(&c->devices);
	vec_free(&c->ports);
	vec_free(&c->sums.rails);
	vec_free(&c->next.rails);
	diag_rows_free(c->diagnosis);
	free(c);
}

struct diag_rows *summary_diag_rows(struct view_cache *c)
{
	if (!c->diagnosis)
		c->diagnosis = diag_rows_new();
	return c->diagnosis;
}

/* ---- one device ---- */

static struct outlier odd_of_host(const struct model *m, const struct device *d)
{
	const struct port *nics[ODD_NICS];

	host_nics(m, d, nics);
	return outlier_find(m, nics);
}

/* Fills the entry. True: the health of a port has changed. */
static bool entry_fill(struct device_entry *e, const struct view_ctx *ctx, const struct device *d,
	struct health *ports)
{
	bool differs = false;
	const struct model *m = ctx->model;
	struct device_worst worst = {.port = NULL};
	struct worst own = {.ref = ref_of_device(d), .silent = true};
	struct worst bgp = {
		ref_of_device(d), device_bgp_health(d), 0, false}; /* no port stands for it */

	summary_init(&e->sum);
	e->nworst = 0;
	e->sum.devices = 1;
	e->sum.devices_seen = d->last_ok_us > 0;
	e->sum.data = d->state;
	e->sum.old = device_is_old(d);
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = m->ports.at[d->ports.at[i]];
		struct worst w = {ref_of_port(p), port_health(m, p, ctx->now_us), 0, false};

		if (ports) {
			/*
			 * Reading fresh memory before writing would make the kernel provide the
			 * page twice.
			 */
			differs |= e->filled && !health_same(&ports[p->id], &w.health);
			ports[p->id] = w.health;
		}
		device_worst_add(&worst, p, &w.health);
		summary_add_port(m, d, p, &w.health, &e->sum);
		if (!e->sum.old && !worst_fold(e->worst, e->nworst, &w))
			worst_add(e->worst, &e->nworst, DEVICE_WORST, &w);
	}
	own.health = e->sum.health = device_health_by(d, &worst, ctx->now_us);
	summary_settle_plan(m, d, &e->sum);
	if (d->tier == TIER_HOST)
		e->odd = odd_of_host(m, d);
	/* A silent device counts as one problem, whatever the last state of its ports. */
	if (e->sum.old)
		worst_add(e->worst, &e->nworst, DEVICE_WORST, &own);
	else
		worst_add(e->worst, &e->nworst, DEVICE_WORST, &bgp);
	return differs;
}

static struct stamp stamp_of(const struct device *d)
{
	return (struct stamp){d->polls, d->failures, d->last_ok_us, d->state, d->ports.n};
}

static bool stamp_same(const struct stamp *a, const struct stamp *b)
{
	return a->polls == b->polls && a->failures == b->failures &&
	       a->last_ok_us == b->last_ok_us && a->state == b->state && a->ports == b->ports;
}

static int64_t recheck_us(const struct device *d)
{
	int64_t us = d->interval_us > RECHECK_MOST_US ? RECHECK_MOST_US : d->interval_us * 3 / 2;

	return us < RECHECK_US ? RECHECK_US : us < RECHECK_MOST_US ? us : RECHECK_MOST_US;
}

static void entry_refresh(struct view_cache *c, const struct view_ctx *ctx, const struct device *d,
	unsigned *rechecks)
{
	struct device_entry *e = &c->devices.at[d->id];
	struct stamp stamp = stamp_of(d);
	bool news = !e->filled || !stamp_same(&e->stamp, &stamp);

	if (!news && ctx->now_us >= e->at_us) {
		if (ctx->now_us - e->at_us < recheck_us(d) || *rechecks >= RECHECK_MAX)
			return;
		(*rechecks)++;
	}
	news |= entry_fill(e, ctx, d, c->ports.at);
	c->changes++;
	if (news)
		e->version = ++c->versions;
	e->filled = true;
	e->stamp = stamp;
	e->at_us = ctx->now_us;
}

/* ---- the whole fabric ---- */

static void cache_reset(struct view_cache *c, const struct model *m)
{
	vec_free(&c->devices);
	vec_free(&c->ports);
	c->sums.rails.n = 0;
	c->fabric_of = c->rails_of = 0;
	c->ready = c->passing = c->summed = false;
	c->changes++;
	c->model = m;
}

static bool is_current(const struct view_cache *c, const struct view_ctx *ctx)
{
	return c->model == ctx->model && c->generation == ctx->model->generation &&
	       c->now_us == ctx->now_us && c->devices.n == ctx->model->devices.n;
}

/* Allocates once for all, and from fresh memory: there are hundreds of thousands of ports. */
static void make_room(struct view_cache *c, const struct model *m)
{
	if (c->model != m || c->devices.n > m->devices.n || c->ports.n > m->ports.n)
		cache_reset(c, m);
	if (!c->devices.size && m->devices.n) {
		c->devices.at = mem_calloc(m->devices.n, sizeof(*c->devices.at));
		c->devices.n = c->devices.size = m->devices.n;
	}
	if (!c->ports.size && m->ports.n) {
		c->ports.at = mem_calloc(m->ports.n, sizeof(*c->ports.at));
		c->ports.n = c->ports.size = m->ports.n;
	}
	while (c->devices.n < m->devices.n)
		(void)vec_add(&c->devices);
	while (c->ports.n < m->ports.n)
		(void)vec_add(&c->ports);
}

static void add_worst(struct sums *to, const struct device_entry *e)
{
	for (size_t w = 0; w < e->nworst; w++)
		worst_add(to->worst, &to->nworst, WORST_MAX, &e->worst[w]);
}

static void end_pass(struct view_cache *c, const struct view_ctx *ctx)
{
	c->generation = ctx->model->generation;
	c->now_us = ctx->now_us;
	c->passing = false;
	c->ready = true;
}

static void cache_refresh(struct view_cache *c, const struct view_ctx *ctx)
{
	unsigned rechecks = 0;

	if (c->paced ? c->devices.n == ctx->model->devices.n && c->ports.n == ctx->model->ports.n &&
				c->model == ctx->model
		     : is_current(c, ctx))
		return;
	make_room(c, ctx->model);
	if (c->paced)
		return;
	for (size_t i = 0; i < ctx->model->devices.n; i++)
		entry_refresh(c, ctx, ctx->model->devices.at[i], &rechecks);
	c->sums.nworst = 0;
	for (size_t i = 0; i < c->devices.n; i++)
		add_worst(&c->sums, &c->devices.at[i]);
	end_pass(c, ctx);
}

/* The entry of the device; computes it if it is new. */
static const struct device_entry *entry_of(
	struct view_cache *c, const struct view_ctx *ctx, uint32_t device)
{
	unsigned rechecks = 0;

	cache_refresh(c, ctx);
	if (!c->devices.at[device].filled)
		entry_refresh(c, ctx, ctx->model->devices.at[device], &rechecks);
	return &c->devices.at[device];
}

void summary_pace(struct view_cache *c)
{
	c->paced = true;
}

bool summary_paced(const struct view_ctx *ctx)
{
	return ctx->cache && ctx->cache->paced;
}

static void begin_pass(struct view_cache *c)
{
	c->passing = true;
	c->pass_at = c->sum_at = 0;
	c->rechecks = 0;
	c->next.rails.n = c->next.nworst = 0;
	summary_init(&c->next.fabric);
}

static void add_to_rail(struct sums *to, const struct device *d, const struct summary *s)
{
	if (d->tier != TIER_LEAF || d->rail < 0 || d->rail >= VIEW_RAILS_MAX)
		return;
	while (to->rails.n <= (size_t)d->rail)
		summary_init(vec_add(&to->rails));
	summary_merge(&to->rails.at[d->rail], s);
}

/* Adds up a piece. True: the sums are complete and in use. */
static bool add_up_some(struct view_cache *c, const struct model *m)
{
	struct sums was;

	for (size_t n = 0; c->sum_at < m->devices.n; n++, c->sum_at++) {
		const struct device_entry *e = &c->devices.at[c->sum_at];

		if (n == PIECE_SUMS)
			return false;
		summary_merge(&c->next.fabric, &e->sum);
		add_to_rail(&c->next, m->devices.at[c->sum_at], &e->sum);
		add_worst(&c->next, e);
	}
	was = c->sums;
	c->sums = c->next;
	c->next = was;
	c->summed = true;
	return true;
}

bool summary_refresh_some(const struct view_ctx *ctx)
{
	struct view_cache *c = ctx->cache;
	const struct model *m = ctx->model;
	size_t ports = 0;

	if (!c->passing && is_current(c, ctx))
		return true;
	make_room(c, m);
	if (!c->passing)
		begin_pass(c);
	while (c->pass_at < m->devices.n && ports < PIECE_PORTS) {
		const struct device *d = m->devices.at[c->pass_at++];
		uint64_t before = c->changes;

		entry_refresh(c, ctx, d, &c->rechecks);
		/* Most devices have not changed, and cost only the check. */
		ports += c->changes == before ? 1 : 1 + d->ports.n;
	}
	if (c->pass_at < m->devices.n || !add_up_some(c, m))
		return false;
	end_pass(c, ctx);
	return true;
}

bool summary_ready(const struct view_ctx *ctx, unsigned *percent)
{
	const struct view_cache *c = ctx->cache;

	*percent = 0;
	if (!c || !c->paced || (c->ready && c->model == ctx->model))
		return true;
	if (c->passing && ctx->model->devices.n)
		*percent = (unsigned)(c->pass_at * 100 / ctx->model->devices.n);
	return false;
}

void summary_device(const struct view_ctx *ctx, const struct device *d, struct summary *out)
{
	struct device_entry e = {0};

	if (ctx->cache) {
		*out = entry_of(ctx->cache, ctx, d->id)->sum;
		return;
	}
	(void)entry_fill(&e, ctx, d, NULL);
	*out = e.sum;
}

enum severity summary_severity(const struct view_ctx *ctx, const struct device *d, unsigned *bad)
{
	struct device_entry e = {0};
	const struct summary *s = &e.sum;

	if (ctx->cache)
		s = &entry_of(ctx->cache, ctx, d->id)->sum;
	else
		(void)entry_fill(&e, ctx, d, NULL);
	*bad = s->by_severity[SEV_WARN] + s->by_severity[SEV_CRIT];
	return s->health.severity;
}

static void merge_device(const struct view_ctx *ctx, const struct device *d, struct summary *out)
{
	struct summary s;

	if (ctx->cache) {
		summary_merge(out, &entry_of(ctx->cache, ctx, d->id)->sum);
		return;
	}
	summary_device(ctx, d, &s);
	summary_merge(out, &s);
}

static void sum_up_rail(const struct view_ctx *ctx, int rail, struct summary *out)
{
	summary_init(out);
	for (size_t i = 0; i < ctx->model->devices.n; i++) {
		const struct device *d = ctx->model->devices.at[i];

		if (d->tier == TIER_LEAF && d->rail == rail)
			merge_device(ctx, d, out);
	}
}

/* Sums up all rails in one pass over the devices. */
static void sum_up_rails(struct view_cache *c, const struct view_ctx *ctx)
{
	for (size_t i = 0; i < c->sums.rails.n; i++)
		summary_init(&c->sums.rails.at[i]);
	for (size_t i = 0; i < ctx->model->devices.n; i++) {
		const struct device *d = ctx->model->devices.at[i];

		if (d->tier == TIER_LEAF && d->rail >= 0 && (size_t)d->rail < c->sums.rails.n)
			merge_device(ctx, d, &c->sums.rails.at[d->rail]);
	}
	c->rails_of = c->changes + 1;
}

/* In pieces the sums are those of the last pass: a draw must not add up thousands of devices. */
static bool has_sums(const struct view_cache *c)
{
	return c->paced && c->summed;
}

static void sum_of_leaves(const struct view_ctx *ctx, int rail, struct summary *out)
{
	struct view_cache *c = ctx->cache;

	if (!c || rail < 0 || rail >= VIEW_RAILS_MAX) {
		sum_up_rail(ctx, rail, out);
		return;
	}
	cache_refresh(c, ctx);
	if (has_sums(c) && c->sums.rails.n <= (size_t)rail) {
		summary_init(out);
		return;
	}
	if (c->sums.rails.n <= (size_t)rail)
		c->rails_of = 0;
	while (c->sums.rails.n <= (size_t)rail)
		(void)vec_add(&c->sums.rails);
	if (!has_sums(c) && c->rails_of != c->changes + 1)
		sum_up_rails(c, ctx);
	*out = c->sums.rails.at[rail];
}

/* Without access to the switches a rail is its NICs. */
static void sum_up_nics(const struct view_ctx *ctx, int rail, struct summary *out)
{
	const struct model *m = ctx->model;
	bool first = true;

	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];
		unsigned nics = 0;

		for (size_t k = 0; d->tier == TIER_HOST && k < d->ports.n; k++) {
			const struct port *p = m->ports.at[d->ports.at[k]];
			struct health h;

			if (p->rail != rail || p->merged)
				continue;
			h = summary_health(ctx, p);
			summary_add_port(m, d, p, &h, out);
			if (health_worse(&h, &out->health))
				out->health = h;
			out->ports_planned += p->plan_peer == PORT_NONE;
			nics++;
		}
		if (!nics)
			continue;
		out->old = first ? device_is_old(d) : out->old && device_is_old(d);
		if (first || d->state > out->data)
			out->data = d->state;
		first = false;
	}
}

void summary_rail(const struct view_ctx *ctx, int rail, struct summary *out)
{
	sum_of_leaves(ctx, rail, out);
	if (!out->devices)
		sum_up_nics(ctx, rail, out);
}

void summary_nic(const struct view_ctx *ctx, const struct port *p, struct summary *out)
{
	const struct device *d = model_dev_of(ctx->model, p);

	summary_init(out);
	out->health = summary_health(ctx, p);
	out->old = device_is_old(d);
	out->data = d->state;
	summary_add_port(ctx->model, d, p, &out->health, out);
	out->ports_planned = 1;
}

static void sum_up_fabric(const struct view_ctx *ctx, struct summary *out)
{
	summary_init(out);
	for (size_t i = 0; i < ctx->model->devices.n; i++)
		merge_device(ctx, ctx->model->devices.at[i], out);
}

void summary_fabric(const struct view_ctx *ctx, struct summary *out)
{
	struct view_cache *c = ctx->cache;

	if (!c) {
		sum_up_fabric(ctx, out);
		return;
	}
	cache_refresh(c, ctx);
	if (!has_sums(c) && c->fabric_of != c->changes + 1) {
		sum_up_fabric(ctx, &c->sums.fabric);
		c->fabric_of = c->changes + 1;
	}
	*out = c->sums.fabric;
}

struct outlier summary_odd(const struct view_ctx *ctx, const struct device *d)
{
	if (!ctx->cache || d->tier != TIER_HOST)
		return odd_of_host(ctx->model, d);
	return entry_of(ctx->cache, ctx, d->id)->odd;
}

struct health summary_health(const struct view_ctx *ctx, const struct port *p)
{
	if (!ctx->cache)
		return port_health(ctx->model, p, ctx->now_us);
	(void)entry_of(ctx->cache, ctx, p->device);
	return ctx->cache->ports.at[p->id];
}

uint64_t summary_version(const struct view_ctx *ctx, const struct device *d)
{
	if (!ctx->cache)
		return 0;
	return entry_of(ctx->cache, ctx, d->id)->version;
}

static bool port_health_same(const struct view_cache *c, uint32_t port, const struct health *h)
{
	return port < c->ports.n && health_same(&c->ports.at[port], h);
}

/* Whether the port is in the list, by itself or among the ports of an entry. */
static bool port_listed(
	const struct view_cache *c, const struct worst *list, size_t n, const struct port *p)
{
	for (size_t i = 0; i < n; i++) {
		const struct worst *w = &list[i];

		const struct port *first = ref_port(c->model, w->ref);

		if (!first)
			continue;
		if (first == p)
			return true;
		if (w->more && first->device == p->device && port_health_same(c, p->id, &w->health))
			return true;
	}
	return false;
}

/* Whether the far ends of all of the entry's ports are in the list. */
static bool peers_listed(
	const struct view_cache *c, const struct worst *list, size_t n, const struct worst *w)
{
	const struct model *m = c->model;
	const struct port *first = ref_port(m, w->ref);
	const struct device *d = first ? model_dev_of(m, first) : NULL;

	if (!d)
		return false;
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = m->ports.at[d->ports.at[i]], *peer;

		if (p != first && !(w->more && port_health_same(c, p->id, &w->health)))
			continue;
		peer = port_peer(m, p, NULL);
		if (!peer || !port_listed(c, list, n, peer))
			return false;
	}
	return true;
}

size_t summary_worst(const struct view_ctx *ctx, struct worst *out, size_t max)
{
	struct view_cache *c = ctx->cache ? ctx->cache : view_cache_new();
	size_t n = 0;

	cache_refresh(c, ctx);
	for (size_t i = 0; i < c->sums.nworst && n < max; i++)
		if (!peers_listed(c, out, n, &c->sums.worst[i]))
			out[n++] = c->sums.worst[i];
	if (!ctx->cache)
		view_cache_free(c);
	return n;
}
