/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/pause_graph/pause_graph_internal.h"

/* Diagnosis reference 2.5: a deadlock pauses all of its egresses, all of the time, for two
 * polls. */
#define HARD_HELD 0.95F
/* Polls and refreshes drift against each other, so that a sample may have half of the growth, and
 * the next one more than all: one of so many samples must show it whole, the others half. */
#define HARD_SAMPLES 3
#define HARD_LEAST   0.45F
/* Share of the speed: keep-alives of other classes still pass. */
#define STILL_UTIL 0.005F

/* Most devices that its name has. */
#define CYCLE_NAMED 6

#define UNSEEN UINT32_MAX

/* ---- strongly connected components (Tarjan), without recursion: chains are long in a storm ----
 */

struct tarjan {
	struct pause_index *ix;
	const struct pause_graph *g;
	uint32_t clock, components;
};

static void fill_index(struct pause_index *ix, size_t n)
{
	ix->low.n = ix->found.n = ix->component.n = ix->cursor.n = 0;
	ix->stack.n = ix->work.n = 0;
	for (size_t i = 0; i < n; i++) {
		vec_push(&ix->found, UNSEEN);
		vec_push(&ix->low, 0);
		vec_push(&ix->component, UNSEEN);
		vec_push(&ix->cursor, ix->first_edge.at[i]);
	}
}

static void enter_node(struct tarjan *t, uint32_t node)
{
	t->ix->found.at[node] = t->ix->low.at[node] = t->clock++;
	vec_push(&t->ix->stack, node);
	vec_push(&t->ix->work, node);
}

/* The node is done. If it is the first of its component, the component is complete. */
static void leave_node(struct tarjan *t, uint32_t node)
{
	struct pause_index *ix = t->ix;
	uint32_t top;

	ix->work.n--;
	if (ix->work.n) {
		uint32_t above = ix->work.at[ix->work.n - 1];

		if (ix->low.at[node] < ix->low.at[above])
			ix->low.at[above] = ix->low.at[node];
	}
	if (ix->low.at[node] != ix->found.at[node])
		return;
	do {
		top = ix->stack.at[--ix->stack.n];
		ix->component.at[top] = t->components;
	} while (top != node);
	t->components++;
}

static void visit_from(struct tarjan *t, uint32_t root)
{
	struct pause_index *ix = t->ix;

	enter_node(t, root);
	while (ix->work.n) {
		uint32_t node = ix->work.at[ix->work.n - 1], to;

		if (ix->cursor.at[node] == ix->first_edge.at[node + 1]) {
			leave_node(t, node);
			continue;
		}
		to = t->g->edges.at[ix->cursor.at[node]++].to;
		if (ix->found.at[to] == UNSEEN)
			enter_node(t, to);
		else if (ix->component.at[to] == UNSEEN && ix->found.at[to] < ix->low.at[node])
			ix->low.at[node] = ix->found.at[to];
	}
}

/* Sorts nodes by component, so that a component comes after its successors. */
static void sort_by_component(struct tarjan *t, size_t nodes)
{
	struct pause_index *ix = t->ix;

	ix->first_of.n = ix->order.n = 0;
	for (size_t i = 0; i <= t->components; i++)
		vec_push(&ix->first_of, 0);
	for (size_t i = 0; i < nodes; i++) {
		ix->first_of.at[ix->component.at[i] + 1]++;
		vec_push(&ix->order, 0);
	}
	for (size_t i = 1; i <= t->components; i++)
		ix->first_of.at[i] += ix->first_of.at[i - 1];
	for (size_t i = 0; i < nodes; i++)
		ix->low.at[i] = 0;
	for (uint32_t i = 0; i < nodes; i++) {
		uint32_t c = ix->component.at[i];

		ix->order.at[ix->first_of.at[c] + ix->low.at[c]++] = i;
	}
}

/* ---- buffer cycles and deadlocks ---- */

/* The target of the heaviest edge within the component; UNSEEN: none. */
static uint32_t next_inside(const struct pause_build *b, uint32_t node)
{
	const struct pause_index *ix = b->ix;
	uint32_t best = UNSEEN;

	for (uint32_t e = ix->first_edge.at[node]; e < ix->first_edge.at[node + 1]; e++)
		if (ix->component.at[b->g->edges.at[e].to] == ix->component.at[node] &&
			(best == UNSEEN || b->g->edges.at[e].weight > b->g->edges.at[best].weight))
			best = e;
	return best == UNSEEN ? UNSEEN : b->g->edges.at[best].to;
}

/* Follows the heaviest edges from any node for `size` steps: the result is on the loop. */
static uint32_t loop_start(const struct pause_build *b, uint32_t node, uint32_t size)
{
	for (uint32_t i = 0; i < size && node != UNSEEN; i++)
		node = next_inside(b, node);
	return node;
}

/* Whether nothing moves: bytes of the lossless class if the egress counts them, else all bytes. */
static bool is_still(const struct pause_build *b, uint32_t port, const struct sample *s)
{
	const struct port *p = b->m->ports.at[port];
	unsigned mbps = p->speed_mbps ? p->speed_mbps : p->plan_speed_mbps;
	float bps = isnan(s->lossless_tx_bps) ? s->tx_bps : s->lossless_tx_bps;

	return bps < (float)mbps * 1e6F * STILL_UTIL;
}

/*
 * Frames fast enough to pause it all of the time are proof enough when nothing moves. A queue
 * known to be empty is proof of the contrary: no packet waits.
 */
static bool held_hard(const struct pause_build *b, const struct pause_node *n)
{
	const struct sample *s = window_last(b->w, n->port), *before = window_ago(b->w, n->port, 1);
	float most = n->held;

	if (!s || !before || !is_still(b, n->port, s) || !is_still(b, n->port, before) ||
		s->queue_peak <= 0 || n->held < HARD_LEAST || before->held < HARD_LEAST)
		return false;
	for (unsigned ago = 1; ago < HARD_SAMPLES; ago++) {
		const struct sample *earlier = window_ago(b->w, n->port, ago);

		/* NAN where only the peer counts the pauses. */
		if (earlier && earlier->held > most)
			most = earlier->held;
	}
	return most >= HARD_HELD;
}

static unsigned devices_of(const struct pause_build *b, const uint32_t *node, size_t n)
{
	unsigned devices = 0;

	for (size_t i = 0; i < n && devices < 3; i++) {
		uint32_t own = b->m->ports.at[b->g->nodes.at[node[i]].port]->device;
		bool new = true;

		for (size_t k = 0; k < i && new; k++)
			new = b->m->ports.at[b->g->nodes.at[node[k]].port]->device != own;
		devices += new;
	}
	return devices;
}

/* Any node of the loop: of these the one with the port of lowest id, so that it keeps its name. */
static uint32_t lowest_of(const struct pause_build *b, uint32_t start, uint32_t n)
{
	uint32_t lowest = start, node = start;

	for (uint32_t i = 0; i < n && node != UNSEEN; i++) {
		if (b->g->nodes.at[node].port < b->g->nodes.at[lowest].port)
			lowest = node;
		node = next_inside(b, node);
	}
	return lowest;
}

static void note_cycle(struct pause_build *b, uint32_t first, uint32_t n)
{
	struct pause_cycle *c;
	uint32_t start = loop_start(b, b->ix->order.at[first], n), node;
	unsigned devices;

	if (start == UNSEEN)
		return;
	node = start = lowest_of(b, start, n);
	c = vec_add(&b->g->cycles);
	c->hard = true;
	do {
		vec_push(&c->nodes, node);
		c->hard &= held_hard(b, &b->g->nodes.at[node]);
		node = next_inside(b, node);
	} while (node != start && c->nodes.n < n);
	/* Two devices on parallel links pause each other only briefly, unless it is a deadlock. */
	devices = devices_of(b, c->nodes.at, c->nodes.n);
	if (devices < 2 || (devices == 2 && !c->hard)) {
		vec_free(&c->nodes);
		b->g->cycles.n--;
		return;
	}
	for (uint32_t i = first; i < first + n; i++)
		b->g->nodes.at[b->ix->order.at[i]].cycle = (uint32_t)b->g->cycles.n;
}

void graph_find_cycles(struct pause_build *b)
{
	struct tarjan t = {b->ix, b->g, 0, 0};

	fill_index(b->ix, b->g->nodes.n);
	for (uint32_t i = 0; i < b->g->nodes.n; i++)
		if (b->ix->found.at[i] == UNSEEN)
			visit_from(&t, i);
	sort_by_component(&t, b->g->nodes.n);
	for (uint32_t c = 0; c < t.components; c++) {
		uint32_t n = b->ix->first_of.at[c + 1] - b->ix->first_of.at[c];

		if (n > 1)
			note_cycle(b, b->ix->first_of.at[c], n);
	}
}

void pause_cycle_write(const struct pause_graph *g, const struct model *m,
	const struct pause_cycle *c, char *dst, size_t size)
{
	size_t shown = c->nodes.n < CYCLE_NAMED ? c->nodes.n : CYCLE_NAMED, at = 0;

	*dst = '\0';
	for (size_t i = 0; i <= shown; i++) {
		const struct port *p = m->ports.at[g->nodes.at[c->nodes.at[i % c->nodes.n]].port];

		(void)str_printf(dst + at, size - at, "%s%s", i ? " > " : "",
			i == CYCLE_NAMED ? "..." : model_dev_of(m, p)->name);
		at = strlen(dst);
	}
}
