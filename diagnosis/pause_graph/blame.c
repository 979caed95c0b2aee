/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/clock.h"
#include "diagnosis/pause_graph/pause_graph_internal.h"

/* An onset survives a poll or two without the pause, and a sample across a reset. */
#define ONSET_GAP_US (16 * CLOCK_SEC)
/* A cause that begins this much after its effect is less likely. Polls of two devices are up to an
 * interval apart, so the limit is a bit longer. */
#define LATER_US (7 * CLOCK_SEC)
#define LATER    0.5F
/* An upper bound from frames may mean next to nothing. */
#define BOUND_COUNTS 0.1F
/* A deadlock that was triggered from outside persists without the trigger: half of the blame
 * stays. */
#define HARD_KEEPS 0.5

/* ---- onsets ---- */

static bool had_symptom(const struct sample *s, bool held)
{
	return held ? s->held > PAUSE_HELD_LEAST : s->tx_util > 0.8F;
}

static int64_t onset_of(struct pause_build *b, const struct pause_node *n)
{
	struct onset *o = &b->ix->onsets.at[n->port];
	const struct sample *s;

	if (!o->last_us || b->now_us - o->last_us > ONSET_GAP_US || b->now_us < o->last_us) {
		o->since_us = b->now_us;
		for (unsigned k = 0; (s = window_ago(b->w, n->port, k)); k++) {
			if (k && !had_symptom(s, n->held > 0))
				break;
			o->since_us = s->at_us;
		}
	}
	o->last_us = b->now_us;
	return o->since_us;
}

static void weigh_by_time(struct pause_build *b, uint32_t node)
{
	const struct pause_index *ix = b->ix;
	int64_t since = b->g->nodes.at[node].since_us;
	float sum = 0;

	for (uint32_t e = ix->first_edge.at[node]; e < ix->first_edge.at[node + 1]; e++) {
		struct pause_edge *edge = &b->g->edges.at[e];

		if (b->g->nodes.at[edge->to].since_us > since + LATER_US)
			edge->weight *= LATER;
		sum += edge->weight;
	}
	for (uint32_t e = ix->first_edge.at[node]; e < ix->first_edge.at[node + 1]; e++)
		b->g->edges.at[e].weight /= sum;
}

void graph_find_onsets(struct pause_build *b)
{
	for (size_t i = 0; i < b->g->nodes.n; i++)
		b->g->nodes.at[i].since_us = onset_of(b, &b->g->nodes.at[i]);
	for (uint32_t i = 0; i < b->g->nodes.n; i++)
		weigh_by_time(b, i);
}

/* ---- paths to terminals: components in topological order, sinks first ---- */

static bool is_inside(const struct pause_build *b, uint32_t node, const struct pause_edge *e)
{
	return b->ix->component.at[e->to] == b->ix->component.at[node];
}

/* The heaviest edge out of the component; NULL: there is none. */
static const struct pause_edge *way_out(const struct pause_build *b, uint32_t node)
{
	const struct pause_index *ix = b->ix;
	const struct pause_edge *best = NULL;

	for (uint32_t i = ix->first_edge.at[node]; i < ix->first_edge.at[node + 1]; i++) {
		const struct pause_edge *e = &b->g->edges.at[i];

		if (!is_inside(b, node, e) && (!best || e->weight > best->weight))
			best = e;
	}
	return best;
}

static void go_toward(struct pause_build *b, uint32_t node, uint32_t to)
{
	struct pause_node *n = &b->g->nodes.at[node], *next = &b->g->nodes.at[to];

	n->toward = to;
	n->root = next->root;
	n->depth = next->depth + 1;
}

/* Finds the paths in a component with exits: first the nodes at the exits, then their
 * predecessors. */
static void find_ways(struct pause_build *b, uint32_t first, uint32_t last)
{
	struct pause_index *ix = b->ix;

	ix->work.n = 0;
	for (uint32_t i = first; i < last; i++) {
		uint32_t node = ix->order.at[i];
		const struct pause_edge *out = way_out(b, node);

		ix->found.at[node] = out != NULL;
		if (!out)
			continue;
		go_toward(b, node, out->to);
		vec_push(&ix->work, node);
	}
	for (size_t k = 0; k < ix->work.n; k++) {
		uint32_t to = ix->work.at[k];

		for (uint32_t i = ix->back_first.at[to]; i < ix->back_first.at[to + 1]; i++) {
			uint32_t from = ix->back.at[i];

			if (ix->component.at[from] != ix->component.at[to] || ix->found.at[from])
				continue;
			ix->found.at[from] = 1;
			go_toward(b, from, to);
			vec_push(&ix->work, from);
		}
	}
}

static bool leads_out(const struct pause_build *b, uint32_t first, uint32_t last)
{
	for (uint32_t i = first; i < last; i++)
		if (way_out(b, b->ix->order.at[i]))
			return true;
	return false;
}

/* A cycle without exit is its own terminal, represented by its first node. */
static void close_cycle(struct pause_build *b, uint32_t first, uint32_t last)
{
	uint32_t index = b->g->nodes.at[b->ix->order.at[first]].cycle;
	uint32_t head = b->ix->order.at[first];

	if (index)
		head = b->g->cycles.at[index - 1].nodes.at[0];
	for (uint32_t i = first; i < last; i++) {
		struct pause_node *n = &b->g->nodes.at[b->ix->order.at[i]];

		n->end = index                        ? PAUSE_CYCLE
			 : b->ix->order.at[i] == head ? PAUSE_UNEXPLAINED
						      : PAUSE_INNER;
		n->toward = n->root = head;
		n->depth = 0;
	}
	for (size_t i = 0; index && i < b->g->cycles.at[index - 1].nodes.n; i++) {
		const struct pause_cycle *c = &b->g->cycles.at[index - 1];

		b->g->nodes.at[c->nodes.at[i]].toward = c->nodes.at[(i + 1) % c->nodes.n];
	}
}

static void find_way(struct pause_build *b, uint32_t first, uint32_t last)
{
	uint32_t node = b->ix->order.at[first];

	if (last - first > 1) {
		uint32_t index = b->g->nodes.at[node].cycle;

		if (!leads_out(b, first, last)) {
			close_cycle(b, first, last);
			return;
		}
		find_ways(b, first, last);
		for (uint32_t i = first; i < last; i++)
			if (index && b->g->cycles.at[index - 1].hard)
				b->g->nodes.at[b->ix->order.at[i]].end = PAUSE_CYCLE;
	} else {
		const struct pause_edge *out = way_out(b, node);

		if (out)
			go_toward(b, node, out->to);
	}
}

/* ---- blame ---- */

static bool hard_cycle(const struct pause_build *b, uint32_t node)
{
	uint32_t cycle = b->g->nodes.at[node].cycle;

	return cycle && b->g->cycles.at[cycle - 1].hard;
}

/* For a component: all inflow leaves by its outgoing edges, or stays. */
static void push_component(struct pause_build *b, uint32_t first, uint32_t last)
{
	struct pause_index *ix = b->ix;
	double sum = 0, out = 0, stays = 0;
	uint32_t head = b->g->nodes.at[ix->order.at[first]].root;

	for (uint32_t i = first; i < last; i++) {
		uint32_t node = ix->order.at[i];

		sum += ix->flow.at[node];
		for (uint32_t e = ix->first_edge.at[node]; e < ix->first_edge.at[node + 1]; e++)
			if (!is_inside(b, node, &b->g->edges.at[e]))
				out += (double)b->g->edges.at[e].weight;
	}
	if (hard_cycle(b, ix->order.at[first])) {
		stays = out > 0 ? sum * HARD_KEEPS : sum;
		head = b->g->cycles.at[b->g->nodes.at[ix->order.at[first]].cycle - 1].nodes.at[0];
	} else if (!(out > 0)) {
		stays = sum;
	}
	if (stays > 0)
		b->g->nodes.at[head].blame_bps += (float)stays;
	for (uint32_t i = first; i < last && out > 0; i++) {
		uint32_t node = ix->order.at[i];

		for (uint32_t k = ix->first_edge.at[node]; k < ix->first_edge.at[node + 1]; k++) {
			const struct pause_edge *e = &b->g->edges.at[k];

			if (!is_inside(b, node, e))
				ix->flow.at[e->to] += (sum - stays) * (double)e->weight / out;
		}
	}
}

static void inject_blame(struct pause_build *b)
{
	b->ix->flow.n = 0;
	for (size_t i = 0; i < b->g->nodes.n; i++) {
		const struct pause_node *n = &b->g->nodes.at[i];

		vec_push(&b->ix->flow,
			(double)n->lost_bps * (n->bound ? (double)BOUND_COUNTS : 1.0));
	}
}

/* Sorts the edges by target, with a counting sort. */
static void turn_edges(struct pause_build *b)
{
	struct pause_index *ix = b->ix;
	size_t nodes = b->g->nodes.n;

	ix->back_first.n = ix->back.n = 0;
	for (size_t i = 0; i <= nodes; i++)
		vec_push(&ix->back_first, 0);
	for (size_t i = 0; i < b->g->edges.n; i++) {
		ix->back_first.at[b->g->edges.at[i].to + 1]++;
		vec_push(&ix->back, 0);
	}
	for (size_t i = 0; i < nodes; i++) {
		ix->back_first.at[i + 1] += ix->back_first.at[i];
		ix->low.at[i] = ix->back_first.at[i];
	}
	for (size_t i = 0; i < b->g->edges.n; i++) {
		const struct pause_edge *e = &b->g->edges.at[i];

		ix->back.at[ix->low.at[e->to]++] = e->from;
	}
}

/* ---- terminals and their victims ---- */

static int greater_blame(const void *x, const void *y, void *graph)
{
	const struct pause_graph *g = graph;
	const struct pause_node *a = &g->nodes.at[*(const uint32_t *)x],
				*b = &g->nodes.at[*(const uint32_t *)y];

	if (a->blame_bps != b->blame_bps)
		return a->blame_bps > b->blame_bps ? -1 : 1;
	return a->port < b->port ? -1 : a->port > b->port;
}

/* A terminal is a node of its own, or the first node of a cycle. */
static bool is_terminal(const struct pause_build *b, uint32_t node)
{
	const struct pause_node *n = &b->g->nodes.at[node];

	if (n->end == PAUSE_INNER)
		return false;
	return n->end != PAUSE_CYCLE || b->g->cycles.at[n->cycle - 1].nodes.at[0] == node;
}

static void list_terminals(struct pause_build *b)
{
	struct pause_graph *g = b->g;

	for (uint32_t i = 0; i < g->nodes.n; i++)
		if (is_terminal(b, i))
			vec_push(&g->terminals, i);
	if (g->terminals.n > 1)
		qsort_r(g->terminals.at, g->terminals.n, sizeof(*g->terminals.at), greater_blame,
			g);
}

static void list_drains(struct pause_build *b)
{
	struct pause_graph *g = b->g;
	uint32_t at = 0;

	for (uint32_t i = 0; i < g->held; i++)
		if (g->nodes.at[i].root != i)
			g->nodes.at[g->nodes.at[i].root].nupstream++;
	for (size_t i = 0; i < g->nodes.n; i++) {
		g->nodes.at[i].upstream = at;
		at += g->nodes.at[i].nupstream;
		g->nodes.at[i].nupstream = 0;
	}
	vec_reserve(&g->drains, at);
	g->drains.n = at;
	for (uint32_t i = 0; i < g->held; i++) {
		struct pause_node *root = &g->nodes.at[g->nodes.at[i].root];

		if (g->nodes.at[i].root != i)
			g->drains.at[root->upstream + root->nupstream++] = i;
	}
}

void graph_push_blame(struct pause_build *b)
{
	struct pause_index *ix = b->ix;
	size_t components = ix->first_of.n - 1;

	turn_edges(b);
	for (size_t c = 0; c < components; c++)
		find_way(b, ix->first_of.at[c], ix->first_of.at[c + 1]);
	inject_blame(b);
	for (size_t c = components; c-- > 0;)
		push_component(b, ix->first_of.at[c], ix->first_of.at[c + 1]);
	list_terminals(b);
	list_drains(b);
}
