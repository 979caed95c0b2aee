/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_PAUSE_GRAPH_PAUSE_GRAPH_INTERNAL_H
#define DIAGNOSIS_PAUSE_GRAPH_PAUSE_GRAPH_INTERNAL_H

#include "diagnosis/pause_graph/pause_graph.h"

/* Private to pause_graph*.c. */

/* An egress that may explain why its device holds others. */
struct candidate {
	uint32_t port;
	uint8_t priority; /* PRIORITIES: any, it is full without being held */
	bool down;        /* towards a lower tier */
	bool known;       /* both tiers are known, so that down means something */
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

/* What the graph keeps between builds, and scratch whose memory is used again. */
struct pause_index {
	uint32_t build;
	VEC(uint32_t) node_of;  /* of each port: 1 + first node, of build_of */
	VEC(uint32_t) build_of; /* of each port */
	VEC(struct onset) onsets;
	VEC(struct suspects) suspects; /* of each device */
	VEC(struct candidate) candidates;
	/* of each node */
	VEC(uint32_t) first_edge; /* one more than nodes: edges are by from */
	VEC(uint32_t) component;  /* strongly connected component; sinks have the smallest */
	VEC(uint32_t) order;      /* nodes by component */
	VEC(uint32_t) first_of;   /* of each component: into order; one more */
	VEC(uint32_t) low, found, stack, work, cursor;
	VEC(uint32_t) back_first, back; /* edges by to */
	VEC(double) flow;               /* blame on its way */
};

/* One build. */
struct pause_build {
	struct pause_graph *g;
	struct pause_index *ix;
	const struct model *m;
	const struct windows *w;
	int64_t now_us;
	uint8_t lossless;
	uint32_t looks; /* egresses that were looked at in this part */
};

#define NODE_NONE UINT32_MAX
/* Where all of 24,000 egresses are held, each part takes 5 ms. */
#define EDGE_PARTS (PAUSE_GRAPH_PARTS - 3)

/* pause_graph.c: the node of a port and priority, or NODE_NONE; and making one. */
uint32_t node_find(const struct pause_build *b, uint32_t port, unsigned priority);
uint32_t node_add(struct pause_build *b, uint32_t port, unsigned priority);

/* edges.c */
void graph_find_held(struct pause_build *b);
/* Of held nodes up to until, from where the last call ended, false: these were some of them; then,
 * once, the end of all. */
bool graph_find_edges(struct pause_build *b, uint32_t until);
void graph_end_edges(struct pause_build *b);
/* cycles.c */
void graph_find_cycles(struct pause_build *b);
/* blame.c */
void graph_find_onsets(struct pause_build *b);
void graph_push_blame(struct pause_build *b);

#endif
