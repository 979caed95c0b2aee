/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "diagnosis/pause_graph/pause_graph_internal.h"
#include "fabric/model/metrics.h"

/*
 * Candidates of a device to examine: in a storm all of its egresses are paused, and those beyond
 * the first few explain next to nothing.
 */
/* Of an egress with an old mark: load, and the fill level that it counts for. Railtop's own. */
#define STANDS_UTIL     0.6F
#define STANDS_FULL     0.5F
#define CANDIDATES_MOST 16
/* Egresses in one part, about 2 ms. A device that pauses others is always examined as a whole. */
#define LOOKS_MOST 8192
/* Hardly paused and full of traffic: the egress itself is the bottleneck. */
#define BARELY_HELD 0.05F
#define BUSY        0.9F
/* A queue known to be short delays few packets; it may have been sampled badly. */
#define SHORT_QUEUE 0.2

/* ---- symptoms: paused egresses ---- */

static void add_if_held(struct pause_build *b, uint32_t port, unsigned priority)
{
	struct pause_share s = pause_held(b->m, b->w, port, priority);
	const struct port *p = b->m->ports.at[port];
	const struct sample *own = window_last(b->w, port);
	unsigned mbps = p->speed_mbps ? p->speed_mbps : p->plan_speed_mbps;
	struct pause_node *n;
	uint32_t i;

	if (!(s.share > PAUSE_HELD_LEAST) || (own && !own->up) || p->merged)
		return;
	i = node_add(b, port, priority);
	n = &b->g->nodes.at[i];
	n->held = s.share;
	n->bound = s.bound;
	n->lost_bps = s.share * (float)mbps * 1e6F;
	n->end = PAUSE_INNER;
}

static void add_priorities(struct pause_build *b, uint32_t port, unsigned worst)
{
	add_if_held(b, port, worst);
	for (unsigned prio = 0; prio < PRIORITIES; prio++)
		if (b->lossless & 1U << prio && prio != worst)
			add_if_held(b, port, prio);
}

/* Adds the port if it is paused, and its peer's egress if the port pauses it. */
static void examine_marked(struct pause_build *b, uint32_t port)
{
	const struct sample *s = window_last(b->w, port);
	const struct port *peer;

	if (!s)
		return;
	if (s->held > PAUSE_HELD_LEAST)
		add_priorities(b, port, s->held_prio);
	if (!(s->holds > PAUSE_HELD_LEAST))
		return;
	peer = port_peer(b->m, b->m->ports.at[port], NULL);
	if (peer)
		add_priorities(b, peer->id, s->holds_prio);
}

void graph_find_held(struct pause_build *b)
{
	uint32_t port = window_marked(b->w, WINDOW_PAUSING, 0);

	for (; port != PORT_NONE; port = window_marked(b->w, WINDOW_PAUSING, port + 1))
		examine_marked(b, port);
	b->g->held = (unsigned)b->g->nodes.n;
}

/* ---- candidates: egresses that can explain why a device pauses others ---- */

/* Score of an egress that is paused, or would be: bits per second that it keeps waiting. */
static float score_of(const struct pause_build *b, const struct candidate *c, float fullness)
{
	const struct port *p = b->m->ports.at[c->port];
	const struct sample *s = window_last(b->w, c->port);
	unsigned mbps = p->speed_mbps ? p->speed_mbps : p->plan_speed_mbps;
	struct egress_load load = egress_load(b->m, b->w, c->port);
	float util = isnan(load.util) ? 0.5F : load.util, demand, queue = 1;

	if (c->priority == PRIORITIES)
		return fullness * util * (float)mbps;
	demand = util + c->held < 1 ? util + c->held : 1;
	if (s && !isnan(s->queue_peak))
		queue = (float)fmin(
			fmax((double)s->queue_peak / egress_queue_limit(b->m, c->port, c->priority),
				SHORT_QUEUE),
			1);
	return c->held * demand * queue * (float)mbps;
}

static void add_candidate(struct pause_build *b, struct candidate c, float fullness)
{
	const struct port *p = model_port_at(b->m, c.port), *peer = port_peer(b->m, p, NULL);
	enum tier own = model_dev_of(b->m, p)->tier, other = TIER_HOST;

	if (peer)
		other = model_dev_of(b->m, peer)->tier;
	c.known = peer ? other != own : egress_to_nic(b->m, c.port);
	c.down = c.known && other < own;
	c.score = score_of(b, &c, fullness);
	if (c.score > 0)
		vec_push(&b->ix->candidates, c);
}

/* Full, and hardly paused: the queue is the egress's own. */
static bool own_bottleneck(const struct pause_build *b, uint32_t port, float held, float fullness)
{
	return fullness > 0 && held <= BARELY_HELD &&
	       egress_load(b->m, b->w, port).util + held >= BUSY;
}

/*
 * Its device pauses others, it is loaded, and its last mark was above the limit, but has not moved
 * since: a queue that is full all of the time looks like that, too.
 */
static bool may_stand(const struct pause_build *b, uint32_t port, unsigned priority)
{
	const struct sample *s = window_last(b->w, port);

	return s && s->up && isnan(s->queue_peak) && s->tx_util > STANDS_UTIL &&
	       egress_last_mark(b->m, port, priority) > egress_queue_limit(b->m, port, priority);
}

static void examine_egress(struct pause_build *b, uint32_t port)
{
	struct candidate c = {.port = port, .priority = PRIORITIES};
	unsigned first = (unsigned)__builtin_ctz(b->lossless);
	float fullness = egress_fullness(b->m, b->w, port, first);
	bool held = false;

	if (!(fullness > 0) && may_stand(b, port, first))
		fullness = STANDS_FULL;

	for (unsigned prio = first; prio < PRIORITIES; prio++) {
		uint32_t i = b->lossless & 1U << prio ? node_find(b, port, prio) : NODE_NONE;
		const struct pause_node *n;

		if (i == NODE_NONE)
			continue;
		n = &b->g->nodes.at[i];
		if (!(n->held > 0) || own_bottleneck(b, port, n->held, fullness))
			continue;
		held = true;
		c.priority = (uint8_t)prio;
		c.held = n->held;
		c.bound = n->bound;
		add_candidate(b, c, fullness);
	}
	if (!held && fullness > 0)
		add_candidate(
			b, (struct candidate){.port = port, .priority = PRIORITIES}, fullness);
}

static int greater_score(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return a->port < b->port ? -1 : a->port > b->port;
}

static const struct suspects *suspects_of(struct pause_build *b, uint32_t device)
{
	struct suspects *s = &b->ix->suspects.at[device];
	const struct device *d = b->m->devices.at[device];

	if (s->build == b->ix->build)
		return s;
	*s = (struct suspects){b->ix->build, (uint32_t)b->ix->candidates.n, 0, false};
	b->looks += (uint32_t)d->ports.n;
	for (size_t i = 0; i < d->ports.n; i++) {
		s->speaks |= window_last(b->w, d->ports.at[i]) != NULL;
		examine_egress(b, d->ports.at[i]);
	}
	s->n = (uint32_t)(b->ix->candidates.n - s->first);
	if (s->n > 1)
		qsort(&b->ix->candidates.at[s->first], s->n, sizeof(struct candidate),
			greater_score);
	return s;
}

/* ---- edges ---- */

/* From a node to the egresses of its peer device that may be the reason. */
struct walk {
	uint32_t from;     /* node */
	uint32_t reverse;  /* the ingress port at that device */
	unsigned priority; /* of the node */
	bool down, valley; /* down: it came from a higher tier; valley: paths that go up again are
			      allowed */
};

static bool may_explain(const struct walk *k, const struct candidate *c)
{
	if (c->port == k->reverse || (c->priority != PRIORITIES && c->priority != k->priority))
		return false;
	return k->valley || !k->down || !c->known || c->down;
}

/* Creates nodes for full egresses that are not paused themselves. */
static uint32_t node_of(struct pause_build *b, const struct candidate *c, unsigned priority)
{
	uint32_t i;

	if (c->priority != PRIORITIES)
		return node_find(b, c->port, c->priority);
	i = node_add(b, c->port, priority);
	b->g->nodes.at[i].end = PAUSE_CONTENTION;
	return i;
}

static void add_edges(struct pause_build *b, const struct walk *k, const struct suspects *s)
{
	size_t first = b->g->edges.n;
	float sum = 0;

	for (uint32_t i = s->first; i < s->first + s->n; i++) {
		struct candidate c = b->ix->candidates.at[i];
		uint32_t to;

		if (b->g->edges.n - first >= CANDIDATES_MOST)
			break;
		if (!may_explain(k, &c))
			continue;
		to = node_of(b, &c, k->priority);
		if (to == k->from)
			continue;
		vec_push(&b->g->edges, (struct pause_edge){k->from, to, c.score});
		sum += c.score;
	}
	for (size_t i = first; i < b->g->edges.n; i++)
		b->g->edges.at[i].weight /= sum;
}

/* A leaf's port to a NIC: its own bottleneck, or paused by the NIC. */
static enum pause_end end_at_nic(struct pause_build *b, const struct pause_node *n)
{
	float fullness = egress_fullness(b->m, b->w, n->port, n->priority);

	return own_bottleneck(b, n->port, n->held, fullness) ? PAUSE_CONTENTION : PAUSE_NIC;
}

static void walk_from(struct pause_build *b, uint32_t node)
{
	struct pause_node *n = &b->g->nodes.at[node];
	const struct port *p = b->m->ports.at[n->port], *peer = port_peer(b->m, p, NULL);
	struct walk k = {.from = node, .priority = n->priority};
	const struct suspects *s;
	size_t first = b->g->edges.n;
	enum tier here = model_dev_of(b->m, p)->tier;

	if (egress_to_nic(b->m, n->port)) {
		n->end = (uint8_t)end_at_nic(b, n);
		return;
	}
	if (!peer) {
		n->end = PAUSE_BLIND;
		return;
	}
	s = suspects_of(b, peer->device);
	if (own_bottleneck(
		    b, n->port, n->held, egress_fullness(b->m, b->w, n->port, n->priority))) {
		n->end = PAUSE_CONTENTION;
		return;
	}
	k.reverse = peer->id;
	k.down = here > model_dev_of(b->m, peer)->tier;
	add_edges(b, &k, s);
	if (b->g->edges.n == first && k.down) {
		/* Routes that bounced after a failure go down and up again. */
		k.valley = true;
		add_edges(b, &k, s);
	}
	if (b->g->edges.n == first)
		b->g->nodes.at[node].end = s->speaks ? PAUSE_UNEXPLAINED : PAUSE_BLIND;
}

bool graph_find_edges(struct pause_build *b, uint32_t until)
{
	struct pause_index *ix = b->ix;

	while (ix->first_edge.n < until) {
		if (b->looks++ > LOOKS_MOST)
			return false;
		vec_push(&ix->first_edge, (uint32_t)b->g->edges.n);
		walk_from(b, (uint32_t)ix->first_edge.n - 1);
	}
	return true;
}

void graph_end_edges(struct pause_build *b)
{
	struct pause_index *ix = b->ix;

	/* Terminals that were added during the walk have no edges. */
	while (ix->first_edge.n <= b->g->nodes.n)
		vec_push(&ix->first_edge, (uint32_t)b->g->edges.n);
}
