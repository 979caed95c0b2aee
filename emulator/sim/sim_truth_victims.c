/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdlib.h>

#include "base/json_out.h"
#include "emulator/sim/faults/faults.h"

/*
 * The victims of a fault, from the solution in force. Pauses propagate against the flows: a flow
 * through a blocked egress is paused at the hop before it, and so are all other flows of that hop.
 * The walk starts at the fault's ports that are in trouble and goes upstream along the flows while
 * ports are paused.
 */

#define PAUSED    0.01 /* share of time; healthy bursts stay below it */
#define FULL      0.9  /* share of line rate: flows of such an egress get less than their demand */
#define DEAD_BER  2.4e-4 /* RS(544,514) cannot correct more */
#define LIST_MOST 48     /* names in one list; the count beside it is whole */
#define ROUNDS    SIM_MAX_HOPS

struct tree {
	const struct sim *s;
	const struct fault *f;
	bool *own;     /* one per port: either end of a port that the fault touches */
	bool *blocked; /* one per port: a blocked egress */
	bool *crossed; /* one per port: the NIC at either end of a flow that is hit */
	unsigned nblocked;
};

static double paused_share(const struct sim *s, const struct sim_port *p)
{
	return p->peer ? sim_state(s, p->peer)->hold : 0;
}

static void block_port(struct tree *t, const struct sim_port *p)
{
	if (!p || t->blocked[p - t->s->port])
		return;
	t->blocked[p - t->s->port] = true;
	t->nblocked++;
}

/* True if flows through this egress suffer. */
static bool in_trouble(const struct sim *s, const struct sim_port *p)
{
	const struct port_state *st = sim_state(s, p), *far = p->peer ? sim_state(s, p->peer) : st;

	return !p->up || paused_share(s, p) > PAUSED || st->wd_acts || far->k.loss > 0 ||
	       far->k.drain < 1 || st->k.send < 1 || far->ber + far->k.ber > DEAD_BER ||
	       st->load > FULL * p->speed_mbps * 1e6 / 8;
}

static void take_root(struct tree *t, const struct sim_port *p)
{
	if (!p)
		return;
	t->own[p - t->s->port] = true;
	if (in_trouble(t->s, p))
		block_port(t, p);
}

static void take_roots(struct tree *t)
{
	for (size_t i = 0; i < t->f->ports.n; i++) {
		take_root(t, t->f->ports.at[i]);
		take_root(t, t->f->ports.at[i]->peer);
	}
	if (t->f->sink) {
		take_root(t, t->f->sink);
		take_root(t, t->f->sink->peer);
	}
}

static void follow_flow(struct tree *t, const struct flow *w)
{
	const struct sim *s = t->s;
	bool hit = false, lossy = w->sent > w->rate * 1.001;

	for (unsigned h = w->hops; h-- > 0;) {
		hit = hit || t->blocked[w->path[h] - s->port] ||
		      (lossy && t->own[w->path[h] - s->port]);
		if (hit && h > 0 && paused_share(s, w->path[h - 1]) > PAUSED)
			block_port(t, w->path[h - 1]);
	}
	/* The flow has no path: the fault is about one of its ends. */
	if (!w->hops && (t->own[w->src - s->port] || t->own[w->dst - s->port]))
		hit = true;
	if (hit)
		t->crossed[w->src - s->port] = t->crossed[w->dst - s->port] = true;
}

static void grow_tree(struct tree *t)
{
	unsigned before = 0;

	for (unsigned round = 0; round < ROUNDS && before != t->nblocked; round++) {
		before = t->nblocked;
		for (size_t i = 0; i < t->s->nflows; i++)
			if (t->s->flow[i].active)
				follow_flow(t, &t->s->flow[i]);
	}
}

static json_t *name_port(const struct sim *s, const struct sim_port *p)
{
	return json_pack("{s:s,s:s}", "device", sim_device_of(s, p)->name, "port", p->name);
}

struct batch_backlog {
	const struct sim_port *port;
	double share;
};

static int more_held(const void *a, const void *b)
{
	const struct batch_backlog *x = a, *y = b;

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	return x->port < y->port ? -1 : x->port > y->port;
}

/* Ports paused because of the fault, the worst first; without the fault's own ports. */
static size_t paused_ports(const struct tree *t, struct batch_backlog *out)
{
	size_t n = 0;

	for (size_t i = 0; i < t->s->nports; i++) {
		const struct sim_port *p = &t->s->port[i];

		if (t->blocked[i] && !t->own[i] && paused_share(t->s, p) > PAUSED)
			out[n++] = (struct batch_backlog){p, paused_share(t->s, p)};
	}
	qsort(out, n, sizeof(*out), more_held);
	return n;
}

static json_t *held_list(const struct tree *t, const struct batch_backlog *held, size_t n)
{
	json_t *list = json_array(), *o;

	for (size_t i = 0; i < n && i < LIST_MOST; i++) {
		o = name_port(t->s, held[i].port);
		json_object_set_new(o, "paused", json_number_or_null(held[i].share));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *nic_list(const struct tree *t, json_int_t *n)
{
	json_t *list = json_array();

	*n = 0;
	for (size_t i = 0; i < t->s->nports; i++) {
		const struct sim_port *p = &t->s->port[i];

		if (p->tier != TIER_HOST || !t->crossed[i] || (t->own[i] && p != t->f->sink))
			continue;
		if (++*n <= LIST_MOST)
			json_array_append_new(list, name_port(t->s, p));
	}
	return list;
}

static bool crosses(const struct sim *s, const struct sim_device *host, const struct tree *t)
{
	for (unsigned i = 0; i < host->nports; i++)
		if (host->ports[i].net == NET_BACKEND && t->crossed[&host->ports[i] - s->port])
			return true;
	return false;
}

/* All ports of a host are of its one job; a NIC may have several. */
static bool runs_on(const struct sim *s, size_t job, const struct tree *t)
{
	struct sim_job_view view;
	struct sim_rank_view rank;

	sim_job(s, job, &view);
	for (unsigned r = 0; r < view.nranks; r += view.gpus_per_host) {
		sim_rank(s, job, r, &rank);
		if (crosses(s, rank.host, t) || fault_touches_device(t->f, rank.host))
			return true;
	}
	return false;
}

static json_t *job_list(const struct tree *t)
{
	json_t *list = json_array();
	struct sim_job_view view;

	for (size_t i = 0; i < sim_job_count(t->s); i++) {
		if (!runs_on(t->s, i, t))
			continue;
		sim_job(t->s, i, &view);
		json_array_append_new(
			list, json_pack("{s:s,s:b}", "name", view.name, "stalled", view.stalled));
	}
	return list;
}

/* Innocent ports that look guilty: the most paused ports, and NICs that send into them. */
static json_t *list_innocent(const struct tree *t, const struct batch_backlog *held, size_t n)
{
	enum { MOST = 8 };
	json_t *list = json_array();

	for (size_t i = 0; i < n && json_array_size(list) < MOST; i++)
		json_array_append_new(list, name_port(t->s, held[i].port));
	for (size_t i = 0, nics = 0; i < n && nics < MOST; i++) {
		const struct sim_port *far = held[i].port->peer;

		if (held[i].port->tier != TIER_HOST || !far)
			continue;
		json_array_append_new(list, name_port(t->s, far));
		nics++;
	}
	return list;
}

json_t *truth_victims(const struct sim *s, const struct fault *f)
{
	struct tree t = {.s = s, .f = f};
	struct batch_backlog *held = mem_calloc(s->nports, sizeof(*held));
	json_int_t nics;
	json_t *o = json_object();
	size_t n;

	t.own = mem_calloc(s->nports, sizeof(*t.own));
	t.blocked = mem_calloc(s->nports, sizeof(*t.blocked));
	t.crossed = mem_calloc(s->nports, sizeof(*t.crossed));
	take_roots(&t);
	grow_tree(&t);
	n = paused_ports(&t, held);
	json_object_set_new(o, "paused_ports", json_integer((json_int_t)n));
	json_object_set_new(o, "ports", held_list(&t, held, n));
	json_object_set_new(o, "nics", nic_list(&t, &nics));
	json_object_set_new(o, "slowed_nics", json_integer(nics));
	json_object_set_new(o, "jobs", job_list(&t));
	json_object_set_new(o, "innocent", list_innocent(&t, held, n));
	free(t.own);
	free(t.blocked);
	free(t.crossed);
	free(held);
	return o;
}
