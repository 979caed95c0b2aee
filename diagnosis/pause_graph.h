/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_PAUSE_GRAPH_H
#define DIAGNOSIS_PAUSE_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "diagnosis/window.h"
#include "fabric/model.h"

/*
 * Pause provenance: from every held egress along the device that holds it to what makes that device
 * hold, until a terminal. A node is an egress (port); "A is held by B" leads to each egress of B
 * that can explain B's full ingress buffer. Blame is lost capacity in bits per second, pushed along
 * the weights until terminals absorb it.
 */
enum pause_end {
	PAUSE_INNER,       /* held, and explained by others */
	PAUSE_CONTENTION,  /* not held, full: the egress itself is the bottleneck */
	PAUSE_NIC,         /* held by a NIC or host: nothing further to walk to */
	PAUSE_CYCLE,       /* part of a cycle of held egresses */
	PAUSE_UNEXPLAINED, /* held, and nothing at its peer explains it */
	PAUSE_BLIND,       /* held by a device that says nothing about itself */
};
const char *pause_end_name(enum pause_end e);

struct pause_node {
	uint32_t port;
	uint8_t priority;
	uint8_t end;      /* enum pause_end */
	bool bound;       /* its share is only an upper bound */
	float held;       /* 0..1; 0 at a contention terminal */
	float lost_bps;   /* held * speed */
	float blame_bps;  /* absorbed here; 0 at inner nodes */
	int64_t since_us; /* first sample that had it held (or full) */
	uint32_t cycle;   /* 1 + index of its cycle, 0: none */
	uint32_t depth;   /* hops to its nearest terminal */
	uint32_t toward;  /* node with the largest weight on the way to a terminal, or itself */
};
struct pause_edge {
	uint32_t from, to; /* nodes: from is held because of to */
	float weight;      /* of from's edges, they sum to 1 */
};
struct pause_cycle {
	VEC(uint32_t) nodes; /* in the order in which each waits for the next */
	bool hard;           /* held all of the time and nothing moves: a deadlock */
};

struct pause_graph {
	VEC(struct pause_node) nodes; /* terminals too; greatest blame first among terminals */
	VEC(struct pause_edge) edges; /* by from */
	VEC(struct pause_cycle) cycles;
	VEC(uint32_t) terminals; /* nodes, greatest blame first */
	unsigned held;           /* nodes that are held */
	void *index;             /* private: port -> node */
};

struct pause_graph *pause_graph_new(void);
void pause_graph_free(struct pause_graph *g);
/* Builds it anew from the newest samples. */
void pause_graph_build(
	struct pause_graph *g, const struct model *m, const struct windows *w, int64_t now_us);
const struct pause_node *pause_node_of(const struct pause_graph *g, uint32_t port); /* NULL */

#endif
