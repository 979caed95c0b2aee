/* SPDX-License-Identifier: Apache-2.0 */
/* Serialisation of the pause graph. It is shown until the next build, and must not be rebuilt from
 * samples noted since. */
#include "diagnosis/pause_graph/pause_graph_internal.h"
#include "base/state.h"

STATE_SIZE(struct pause_node, 64);
STATE_SIZE(struct pause_edge, 12);
STATE_SIZE(struct pause_cycle, 32);
STATE_SIZE(struct pause_graph, 136);
STATE_SIZE(struct onset, 16);
STATE_SIZE(struct pause_index, 416);

/* Nodes are egresses at a priority; edges lead to egresses of their peer devices. */
#define NODES_MOST(m) ((m)->ports.n * PRIORITIES)

/* ---- onsets ---- */

size_t pause_graph_ports(const struct pause_graph *g)
{
	return g->index->onsets.n;
}

void pause_graph_state(struct state *s, struct pause_graph *g, const struct model *m)
{
	uint32_t ports = (uint32_t)g->index->onsets.n, held = g->held;

	state_below(s, &ports, (uint32_t)m->ports.n + 1);
	state_below(s, &held, (uint32_t)NODES_MOST(m) + 1);
	g->held = held;
	while (s->loading && g->index->onsets.n < ports) {
		(void)vec_add(&g->index->onsets);
		vec_push(&g->index->node_of, 0);
		vec_push(&g->index->build_of, 0);
	}
	/* Differs from the zeros of ports without a build. */
	if (s->loading)
		g->index->build = 1;
}

void pause_graph_state_onsets(struct state *s, struct pause_graph *g, uint32_t first, uint32_t n)
{
	for (size_t i = first; i < g->index->onsets.n && i < (size_t)first + n && !s->bad; i++) {
		state_wall(s, &g->index->onsets.at[i].last_us);
		if (g->index->onsets.at[i].last_us)
			state_wall(s, &g->index->onsets.at[i].since_us);
	}
}

/* ---- nodes and edges ---- */

/* Indices of nodes are only bounded here: their number is known when all of them are loaded. */
static void state_node(struct state *s, struct pause_node *n, uint32_t self, const struct model *m)
{
	uint32_t priority = n->priority, end = n->end, most = (uint32_t)NODES_MOST(m);

	state_below(s, &n->port, (uint32_t)m->ports.n);
	state_below(s, &priority, PRIORITIES);
	state_below(s, &end, PAUSE_BLIND + 1);
	n->priority = (uint8_t)priority;
	n->end = (uint8_t)end;
	state_bool(s, &n->bound);
	state_f32(s, &n->held);
	state_f32(s, &n->lost_bps);
	state_f32(s, &n->blame_bps);
	state_wall(s, &n->since_us);
	state_below(s, &n->cycle, most + 1);
	state_u32(s, &n->depth);
	state_below(s, &n->toward, most);
	state_below(s, &n->root, most);
	/* An earlier one, so that the walk over a port's nodes ends. */
	state_below(s, &n->next, self + 1);
	state_u32(s, &n->upstream);
	state_u32(s, &n->nupstream);
}

void pause_graph_state_nodes(
	struct state *s, struct pause_graph *g, const struct model *m, size_t first, size_t n)
{
	struct pause_index *ix = g->index;

	for (size_t i = first; i < first + n && (s->loading || i < g->nodes.n) && !s->bad; i++) {
		struct pause_node *node = s->loading ? vec_add(&g->nodes) : &g->nodes.at[i];

		state_node(s, node, (uint32_t)i, m);
		if (!s->loading || s->bad || node->port >= ix->node_of.n) {
			s->bad |= s->loading;
			continue;
		}
		ix->node_of.at[node->port] = (uint32_t)i + 1;
		ix->build_of.at[node->port] = ix->build;
	}
}

void pause_graph_state_edges(struct state *s, struct pause_graph *g, size_t first, size_t n)
{
	for (size_t i = first; i < first + n && (s->loading || i < g->edges.n) && !s->bad; i++) {
		struct pause_edge *e = s->loading ? vec_add(&g->edges) : &g->edges.at[i];

		state_below(s, &e->from, (uint32_t)g->nodes.n);
		state_below(s, &e->to, (uint32_t)g->nodes.n);
		state_f32(s, &e->weight);
	}
}

/* ---- lists of nodes ---- */

static void state_cycle(struct state *s, struct pause_cycle *c, size_t nodes)
{
	STATE_LIST(s, &c->nodes, nodes, i, state_below(s, i, (uint32_t)nodes));
	state_bool(s, &c->hard);
	s->bad |= s->loading && !c->nodes.n;
}

static bool node_fits(const struct pause_graph *g, const struct pause_node *n)
{
	return n->cycle <= g->cycles.n && (n->end != PAUSE_CYCLE || n->cycle) &&
	       n->toward < g->nodes.n && n->root < g->nodes.n && n->upstream <= g->drains.n &&
	       n->nupstream <= g->drains.n - n->upstream;
}

bool pause_graph_state_lists(struct state *s, struct pause_graph *g)
{
	size_t nodes = g->nodes.n;

	STATE_LIST(s, &g->cycles, nodes, c, state_cycle(s, c, nodes));
	STATE_LIST(s, &g->terminals, nodes, t, state_below(s, t, (uint32_t)nodes));
	STATE_LIST(s, &g->drains, nodes, d, state_below(s, d, (uint32_t)nodes));
	for (size_t i = 0; s->loading && !s->bad && i < nodes; i++)
		s->bad |= !node_fits(g, &g->nodes.at[i]);
	s->bad |= s->loading && g->held > nodes;
	return !s->bad;
}
