/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/evidence/ecmp.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "diagnosis/engine/quickselect.h"
#include "diagnosis/engine/state_parts.h"
#include "fabric/vocabulary/counters.h"

#define MEMBERS_MOST 512

/* Reorders v. */
static double median_of(double *v, size_t n)
{
	double below, middle;

	if (!n)
		return (double)NAN;
	middle = quickselect(v, n, n / 2);
	if (n % 2)
		return middle;
	below = v[0];
	for (size_t i = 1; i < n / 2; i++)
		below = fmax(below, v[i]);
	return (below + middle) / 2;
}

/* Whether the port may be up: without a report it does not count as down. */
static bool is_up(const struct port *p)
{
	return p->oper != OPER_DOWN;
}

/* The group's member that is the bundle; NULL: none yet. */
static struct ecmp_member *member_of(
	const ecmp_member_vec *members, const struct ecmp_group *g, uint32_t bundle)
{
	for (size_t i = members->n - g->n; i < members->n; i++)
		if (bundle != PORT_NONE && members->at[i].bundle == bundle)
			return &members->at[i];
	return NULL;
}

/* Adds a further link of the bundle. One that is down carries nothing and takes nothing away. */
static void join_member(struct ecmp_member *have, const struct ecmp_member *link)
{
	if (!link->up)
		return;
	if (!have->up) {
		*have = *link;
		return;
	}
	have->speed_bps += link->speed_bps;
	have->tx += link->tx;
	have->rx += link->rx;
}

static void add_member(struct diag_run *r, ecmp_member_vec *members, struct ecmp_group *g,
	const struct port *p, const struct port *peer)
{
	struct window_load load = window_load_over(r->w, p->id, 0);
	unsigned mbps = p->speed_mbps ? p->speed_mbps : p->plan_speed_mbps;
	const struct port *bundle = port_bond(r->m, p);
	struct ecmp_member m = {p->id, peer ? peer->id : PORT_NONE, bundle ? bundle->id : PORT_NONE,
		is_up(p), mbps * 1e6, load.tx_bps, load.rx_bps, load.seconds, (double)NAN,
		(double)NAN};
	struct ecmp_member *have = member_of(members, g, m.bundle);

	if (have) {
		g->up += !have->up && m.up;
		join_member(have, &m);
		return;
	}
	vec_push(members, m);
	g->n++;
	g->planned++;
	g->up += m.up;
}

/* The peer, by LLDP or else by plan: also while the link is down. */
static const struct port *any_peer(const struct diag_run *r, const struct port *p)
{
	const struct port *peer = port_peer(r->m, p, NULL);

	if (!peer && p->plan_peer < r->m->ports.n)
		peer = r->m->ports.at[p->plan_peer];
	return peer;
}

static const struct port *upper_peer(
	const struct diag_run *r, const struct device *d, const struct port *p)
{
	const struct port *peer = any_peer(r, p);

	return peer && model_dev_of(r->m, peer)->tier > d->tier ? peer : NULL;
}

static double member_median(const struct ecmp_group *g, size_t offset)
{
	double v[MEMBERS_MOST], x;
	size_t n = 0;

	for (size_t i = 0; i < g->n && n < MEMBERS_MOST; i++) {
		memcpy(&x, (const char *)&g->at[i] + offset, sizeof(x));
		if (g->at[i].up && !isnan(x))
			v[n++] = x;
	}
	return median_of(v, n);
}

/* ---- the last samples ---- */

struct ecmp_memory *ecmp_memory_of(struct diag_run *r)
{
	if (!*r->memory)
		*r->memory = mem_calloc(1, sizeof(struct ecmp_memory));
	return *r->memory;
}

void ecmp_free_memory(void *memory)
{
	struct ecmp_memory *e = memory;

	if (!e)
		return;
	vec_free(&e->recent);
	for (size_t i = 0; i < e->kept.n; i++) {
		vec_free(&e->kept.at[i].members);
		vec_free(&e->kept.at[i].below);
		vec_free(&e->kept.at[i].parallel);
	}
	vec_free(&e->kept);
	free(e);
}

STATE_SIZE(struct ecmp_recent, 32);
STATE_SIZE(struct ecmp_memory, 56);

static void state_recent(struct state *s, struct ecmp_recent *a)
{
	state_f64(s, &a->sent);
	state_f64(s, &a->received);
	state_wall(s, &a->sent_us);
	state_wall(s, &a->received_us);
}

void ecmp_state(struct state *s, void **memory, const struct model *m)
{
	struct ecmp_memory *e;

	if (!state_memory(s, memory, sizeof(*e)))
		return;
	e = *memory;
	state_wall(s, &e->stalled_us);
	STATE_LIST(s, &e->recent, m->ports.n, a, state_recent(s, a));
}

static void average_load(const struct sample_windows *w, uint32_t port, struct ecmp_recent *a)
{
	double sent = 0, received = 0, seconds = 0;

	a->sent = a->received = (double)NAN;
	for (unsigned k = 0; k < WINDOW_SAMPLES; k++) {
		const struct sample *s = window_ago(w, port, k);

		if (!s || !(s->dt_s > 0))
			return;
		sent += (double)s->tx_bps * (double)s->dt_s;
		received += (double)s->rx_bps * (double)s->dt_s;
		seconds += (double)s->dt_s;
	}
	a->sent = sent / seconds;
	a->received = received / seconds;
}

static void average_all(struct diag_run *r, const struct device *d)
{
	struct ecmp_memory *e = ecmp_memory_of(r);

	while (e->recent.n < r->m->ports.n)
		vec_push(&e->recent, (struct ecmp_recent){(double)NAN, (double)NAN, 0, 0});
	for (size_t k = 0; k < d->ports.n; k++)
		average_load(r->w, d->ports.at[k], &e->recent.at[d->ports.at[k]]);
}

/*
 * A member without traffic has no samples, because nothing was refreshed. It is idle when it has
 * stood still over all samples of its siblings, and the device still reports its counters.
 */
static void find_idle(struct diag_run *r, struct ecmp_group *g, int64_t *until)
{
	int64_t since = INT64_MAX, fresh = r->m->devices.at[g->device]->interval_us * 5 / 2;

	for (size_t i = 0; i < g->n; i++) {
		const struct sample *s =
			isnan(g->at[i].sent) ? NULL
					     : window_ago(r->w, g->at[i].port, WINDOW_SAMPLES - 1);

		if (s && s->at_us < since)
			since = s->at_us;
	}
	for (size_t i = 0; i < g->n && since != INT64_MAX; i++) {
		const struct port *p = r->m->ports.at[g->at[i].port];
		const struct cell *c = port_cell(p, CTR_TX_BYTES, 0);

		if (!isnan(g->at[i].sent) || !g->at[i].up || g->at[i].bundle != PORT_NONE || !c ||
			r->now_us - cell_seen_us(p, c) > fresh ||
			port_moved_us(p, GROUP_PORT) >= since)
			continue;
		g->at[i].sent = g->at[i].received = 0;
		if (cell_seen_us(p, c) + fresh < *until)
			*until = cell_seen_us(p, c) + fresh;
	}
}

static void note_carried(struct diag_run *r, const struct ecmp_group *g)
{
	struct ecmp_memory *e = *r->memory;

	for (size_t i = 0; i < g->n; i++) {
		const struct ecmp_member *m = &g->at[i];
		double least = ECMP_LOAD_LEAST * m->speed_bps;
		struct ecmp_recent *a = &e->recent.at[m->port];
		const struct sample *s = window_last(r->w, m->port);

		/* The sample's time, not the present one: a loaded state digests all anew. */
		if (!s)
			continue;
		if (m->sent > fmax(ECMP_IDLE_SHARE * g->sent_median, least))
			a->sent_us = s->at_us;
		if (m->received > fmax(ECMP_IDLE_SHARE * g->received_median, least))
			a->received_us = s->at_us;
	}
}

/* What all links of the bundle carry that are up; unknown if that of any is. */
static void sum_bundle(struct diag_run *r, struct ecmp_member *m)
{
	const struct ecmp_memory *e = *r->memory;
	const struct port *bundle = r->m->ports.at[m->bundle], *p;

	m->sent = m->received = 0;
	for (size_t i = 0; (p = port_slave(r->m, bundle, i)); i++) {
		if (!is_up(p))
			continue;
		m->sent += e->recent.at[p->id].sent;
		m->received += e->recent.at[p->id].received;
	}
}

static void find_averages(struct diag_run *r, struct ecmp_group *g, int64_t *until)
{
	const struct ecmp_memory *e = *r->memory;

	for (size_t i = 0; i < g->n; i++) {
		if (!window_last(r->w, g->at[i].port))
			continue;
		g->at[i].sent = e->recent.at[g->at[i].port].sent;
		g->at[i].received = e->recent.at[g->at[i].port].received;
		if (g->at[i].bundle != PORT_NONE)
			sum_bundle(r, &g->at[i]);
	}
	find_idle(r, g, until);
}

static void find_medians(struct ecmp_group *g)
{
	g->tx_median = member_median(g, offsetof(struct ecmp_member, tx));
	g->rx_median = member_median(g, offsetof(struct ecmp_member, rx));
	g->sent_median = member_median(g, offsetof(struct ecmp_member, sent));
	g->received_median = member_median(g, offsetof(struct ecmp_member, received));
}

static struct ecmp_kept *kept_of(struct diag_run *r, const struct device *d)
{
	struct ecmp_memory *e = ecmp_memory_of(r);

	while (e->kept.n <= d->id)
		(void)vec_add(&e->kept);
	return &e->kept.at[d->id];
}

struct ecmp_group *ecmp_digest(struct diag_run *r, const struct device *d, int64_t *until)
{
	struct ecmp_kept *k = kept_of(r, d);

	k->members.n = 0;
	k->g = (struct ecmp_group){.device = d->id};
	if (d->tier == TIER_HOST)
		return &k->g;
	average_all(r, d);
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = r->m->ports.at[d->ports.at[i]];
		const struct port *peer = p->merged ? NULL : upper_peer(r, d, p);

		if (peer && p->seen)
			add_member(r, &k->members, &k->g, p, peer);
	}
	k->g.at = k->members.at;
	if (k->g.n > 1) {
		find_averages(r, &k->g, until);
		find_medians(&k->g);
		note_carried(r, &k->g);
	}
	return &k->g;
}

/* ---- parallel links to a switch below ---- */

struct lower_link {
	uint32_t device, at; /* the device below, and the place among the ports of the upper one */
	const struct port *port, *peer;
};
typedef VEC(struct lower_link) lower_link_vec;

static int compare_lower(const void *pa, const void *pb)
{
	const struct lower_link *a = pa, *b = pb;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static void find_lower_links(struct diag_run *r, const struct device *d, lower_link_vec *out)
{
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = r->m->ports.at[d->ports.at[i]];
		const struct port *peer = p->merged || !p->seen ? NULL : any_peer(r, p);
		const struct device *below = peer ? model_dev_of(r->m, peer) : NULL;

		if (below && below->tier < d->tier && below->tier != TIER_HOST)
			vec_push(out, (struct lower_link){below->id, (uint32_t)i, p, peer});
	}
	if (out->n)
		qsort(out->at, out->n, sizeof(*out->at), compare_lower);
}

void ecmp_digest_parallel(struct diag_run *r, const struct device *d, int64_t *until)
{
	struct ecmp_kept *k = kept_of(r, d);
	lower_link_vec links = {0};
	size_t first = 0;

	k->below.n = k->parallel.n = 0;
	if (d->tier == TIER_HOST)
		return;
	find_lower_links(r, d, &links);
	for (size_t from = 0, to; from < links.n; from = to) {
		struct ecmp_group *g;

		for (to = from + 1; to < links.n && links.at[to].device == links.at[from].device;
			to++)
			;
		if (to - from < 2)
			continue;
		g = vec_add(&k->parallel);
		g->device = d->id;
		for (size_t i = from; i < to; i++)
			add_member(r, &k->below, g, links.at[i].port, links.at[i].peer);
		/* All of them are one bundle: nothing is left to choose. */
		if (g->n < 2) {
			k->below.n -= g->n;
			k->parallel.n--;
		}
	}
	vec_free(&links);
	/* The members stand still only now. */
	for (size_t i = 0; i < k->parallel.n; first += k->parallel.at[i++].n) {
		k->parallel.at[i].at = k->below.at + first;
		find_averages(r, &k->parallel.at[i], until);
	}
}

void ecmp_find(struct diag_run *r, struct ecmp *e)
{
	const struct ecmp_memory *mem = ecmp_memory_of(r);

	for (size_t i = 0; i < mem->kept.n; i++)
		if (mem->kept.at[i].g.n > 1)
			vec_push(&e->groups, mem->kept.at[i].g);
	for (size_t i = 0; i < mem->kept.n; i++)
		for (size_t k = 0; k < mem->kept.at[i].parallel.n; k++)
			vec_push(&e->parallel, mem->kept.at[i].parallel.at[k]);
}

void ecmp_free(struct ecmp *e)
{
	vec_free(&e->groups);
	vec_free(&e->parallel);
}
