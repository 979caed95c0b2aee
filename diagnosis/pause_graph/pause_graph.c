/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/pause_graph/pause_graph.h"

#include <string.h>

#include "base/mem.h"
#include "diagnosis/pause_graph/pause_graph_internal.h"

struct pause_graph *pause_graph_new(void)
{
	struct pause_graph *g = mem_calloc(1, sizeof(*g));

	g->index = mem_calloc(1, sizeof(*g->index));
	return g;
}

static void free_index(struct pause_index *ix)
{
	vec_free(&ix->node_of);
	vec_free(&ix->build_of);
	vec_free(&ix->onsets);
	vec_free(&ix->suspects);
	vec_free(&ix->candidates);
	vec_free(&ix->first_edge);
	vec_free(&ix->component);
	vec_free(&ix->order);
	vec_free(&ix->first_of);
	vec_free(&ix->low);
	vec_free(&ix->found);
	vec_free(&ix->stack);
	vec_free(&ix->work);
	vec_free(&ix->cursor);
	vec_free(&ix->back_first);
	vec_free(&ix->back);
	vec_free(&ix->flow);
	free(ix);
}

static void drop_cycles(struct pause_graph *g)
{
	for (size_t i = 0; i < g->cycles.n; i++)
		vec_free(&g->cycles.at[i].nodes);
	g->cycles.n = 0;
}

void pause_graph_free(struct pause_graph *g)
{
	if (!g)
		return;
	drop_cycles(g);
	vec_free(&g->cycles);
	vec_free(&g->nodes);
	vec_free(&g->edges);
	vec_free(&g->terminals);
	vec_free(&g->drains);
	free_index(g->index);
	free(g);
}

/* ---- nodes ---- */

static uint32_t first_of(const struct pause_index *ix, uint32_t port)
{
	return port < ix->node_of.n && ix->build_of.at[port] == ix->build ? ix->node_of.at[port]
									  : 0;
}

uint32_t node_find(const struct pause_build *b, uint32_t port, unsigned priority)
{
	uint32_t i = first_of(b->ix, port);

	while (i && b->g->nodes.at[i - 1].priority != priority)
		i = b->g->nodes.at[i - 1].next;
	return i ? i - 1 : NODE_NONE;
}

uint32_t node_add(struct pause_build *b, uint32_t port, unsigned priority)
{
	uint32_t i = node_find(b, port, priority);
	struct pause_node *n;

	if (i != NODE_NONE)
		return i;
	i = (uint32_t)b->g->nodes.n;
	n = vec_add(&b->g->nodes);
	n->port = port;
	n->priority = (uint8_t)priority;
	n->next = first_of(b->ix, port);
	n->toward = n->root = i;
	b->ix->node_of.at[port] = i + 1;
	b->ix->build_of.at[port] = b->ix->build;
	return i;
}

const struct pause_node *pause_node_of(const struct pause_graph *g, uint32_t port)
{
	const struct pause_node *worst = NULL;

	for (uint32_t i = first_of(g->index, port); i; i = g->nodes.at[i - 1].next)
		if (!worst || g->nodes.at[i - 1].held > worst->held)
			worst = &g->nodes.at[i - 1];
	return worst;
}

const uint32_t *pause_graph_upstream(const struct pause_graph *g, uint32_t node, size_t *n)
{
	*n = node < g->nodes.n ? g->nodes.at[node].nupstream : 0;
	return *n ? &g->drains.at[g->nodes.at[node].upstream] : NULL;
}

/* ---- building ---- */

static void make_room(struct pause_index *ix, const struct model *m)
{
	while (ix->node_of.n < m->ports.n) {
		vec_push(&ix->node_of, 0);
		vec_push(&ix->build_of, 0);
	}
	while (ix->onsets.n < m->ports.n)
		(void)vec_add(&ix->onsets);
	while (ix->suspects.n < m->devices.n)
		(void)vec_add(&ix->suspects);
}

static void begin_build(struct pause_graph *g, const struct model *m)
{
	make_room(g->index, m);
	g->index->build++;
	g->index->candidates.n = g->index->first_edge.n = 0;
	g->nodes.n = g->edges.n = g->terminals.n = g->drains.n = 0;
	g->held = 0;
	drop_cycles(g);
}

/* Part 0 finds paused egresses, the next ones the edges of an equal number of these each, then the
 * rest. */
bool pause_graph_build_part(struct pause_graph *g, const struct model *m,
	const struct sample_windows *w, int64_t now_us, unsigned part)
{
	struct pause_build b = {g, g->index, m, w, now_us, lossless_priorities(&m->lossless), 0};

	if (part == 0) {
		begin_build(g, m);
		graph_find_held(&b);
	} else if (!g->nodes.n) {
		return true;
	} else if (part <= EDGE_PARTS) {
		return graph_find_edges(&b, (uint32_t)((uint64_t)g->held * part / EDGE_PARTS));
	} else if (part == EDGE_PARTS + 1) {
		graph_end_edges(&b);
		graph_find_onsets(&b);
		graph_find_cycles(&b);
	} else {
		graph_push_blame(&b);
	}
	return true;
}

void pause_graph_build(struct pause_graph *g, const struct model *m, const struct sample_windows *w,
	int64_t now_us)
{
	for (unsigned part = 0; part < PAUSE_GRAPH_PARTS; part++)
		while (!pause_graph_build_part(g, m, w, now_us, part))
			;
}

void pause_graph_take_over(struct pause_graph *g, struct pause_graph *from)
{
	struct pause_index was = *g->index;

	g->index->onsets = from->index->onsets;
	from->index->onsets = was.onsets;
	from->index->onsets.n = 0;
}

const char *pause_end_name(enum pause_end e)
{
	static const char *const names[] = {
		"paused", "contention", "nic", "cycle", "unexplained", "blind"};

	return (unsigned)e < sizeof(names) / sizeof(names[0]) ? names[e] : "unknown";
}
