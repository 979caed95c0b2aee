/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_PAUSE_GRAPH_PAUSE_GRAPH_INTERNAL_H
#define DIAGNOSIS_PAUSE_GRAPH_PAUSE_GRAPH_INTERNAL_H

#include "diagnosis/pause_graph/pause_graph.h"

/* Private to diagnosis/pause_graph. */

/* An egress that may explain why its device pauses others. */
struct candidate {
	uint32_t port;
	uint8_t priority; /* PRIORITIES: any, it is full without being paused */
	bool down;        /* towards a lower tier */
	bool known;       /* both tiers are known, so down is valid */
	float held, score;
	bool bound;
};

/* The candidates of one device: a range of index->candidates, greatest score first. */
struct suspects {
	uint32_t build, first, n;
	bool speaks; /* some port of it has a sample */
};

struct onset {
	int64_t since_us, last_us;
};

/* Memory of the graph between builds, and scratch that is reused. */
struct pause_index {
	uint32_t build;
	VEC(uint32_t) node_of;  /* per port: 1 + first node, in build_of */
	VEC(uint32_t) build_of; /* of each port */
	VEC(struct onset) onsets;
	VEC(struct suspects) suspects; /* per device */
	VEC(struct candidate) candidates;
	/* of each node */
	VEC(uint32_t) first_edge; /* one more than nodes; edges are sorted by from */
	VEC(uint32_t) component;  /* strongly connected component; sinks have the smallest */
	VEC(uint32_t) order;      /* nodes by component */
	VEC(uint32_t) first_of;   /* per component: offset in order; one more */
	VEC(uint32_t) low, found, stack, work, cursor;
	VEC(uint32_t) back_first, back; /* edges by target */
	VEC(double) flow;               /* blame in transit */
};

/* One build. */
struct pause_build {
	struct pause_graph *g;
	struct pause_index *ix;
	const struct model *m;
	const struct sample_windows *w;
	int64_t now_us;
	uint8_t lossless;
	uint32_t looks; /* egresses examined in this part */
};

#define NODE_NONE UINT32_MAX
/* When all of 24,000 egresses are paused, each part takes 5 ms. */
#define EDGE_PARTS (PAUSE_GRAPH_PARTS - 3)

/* pause_graph.c: the node of a port and priority, or NODE_NONE; node_add() creates one. */
uint32_t node_find(const struct pause_build *b, uint32_t port, unsigned priority);
uint32_t node_add(struct pause_build *b, uint32_t port, unsigned priority);

/* edges.c */
void graph_find_held(struct pause_build *b);
/* Finds edges of paused nodes up to `until`, beginning where the last call ended; false: only some
 * are done. graph_end_edges() completes the index, once. */
bool graph_find_edges(struct pause_build *b, uint32_t until);
void graph_end_edges(struct pause_build *b);
/* cycles.c */
void graph_find_cycles(struct pause_build *b);
/* blame.c */
void graph_find_onsets(struct pause_build *b);
void graph_push_blame(struct pause_build *b);

#endif
