/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_PAUSE_GRAPH_PAUSE_GRAPH_H
#define DIAGNOSIS_PAUSE_GRAPH_PAUSE_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/state.h"
#include "base/vec.h"
#include "diagnosis/window/sample_window.h"
#include "fabric/model/model.h"

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
	uint32_t root;    /* the terminal at the end of that way; itself at a terminal */
	uint32_t next;    /* the same port at another lossless priority: 1 + node, 0: none */
	uint32_t upstream, nupstream; /* private: of a terminal, see pause_graph_upstream() */
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
	VEC(struct pause_node) nodes; /* terminals too */
	VEC(struct pause_edge) edges; /* by from */
	VEC(struct pause_cycle) cycles;
	VEC(uint32_t) terminals;   /* nodes, greatest blame first; of a cycle only its first node */
	unsigned held;             /* nodes that are held */
	VEC(uint32_t) drains;      /* private: held nodes by the terminal that they drain into */
	struct pause_index *index; /* private */
};

struct pause_graph *pause_graph_new(void);
void pause_graph_free(struct pause_graph *g);
/* Builds it anew from the newest samples. */
void pause_graph_build(
	struct pause_graph *g, const struct model *m, const struct windows *w, int64_t now_us);
/*
 * The same in parts, for who has little time: 0 to PAUSE_GRAPH_PARTS - 1, all of them, in this
 * order and at one time. Nobody may look at the graph before the last one. False: that was some of
 * the part, it is to be called again.
 */
#define PAUSE_GRAPH_PARTS 8
bool pause_graph_build_part(struct pause_graph *g, const struct model *m, const struct windows *w,
	int64_t now_us, unsigned part);
/*
 * Before g is built in the place of another one, which stays as it is to be looked at: what the
 * other one remembers from build to build (since when what is held) is g's from now on.
 */
void pause_graph_take_over(struct pause_graph *g, struct pause_graph *from);
/* The node of a port, at its worst priority; NULL: it is neither held nor what holds others. */
const struct pause_node *pause_node_of(const struct pause_graph *g, uint32_t port);
/*
 * The held nodes whose way of largest weight ends at this terminal: its victims, the nearest not
 * first. A terminal that is held itself (a NIC's leaf port) is not among them. Indexes into nodes,
 * valid until the next build; *n is 0 at what is no terminal.
 */
const uint32_t *pause_graph_upstream(const struct pause_graph *g, uint32_t node, size_t *n);

/*
 * As bytes (base/state.h), see diagnosis/engine/diag_state.h: onsets of ports, at most n from first
 * on; and the graph as it was built last, in parts: nodes, edges (both in pieces of n from first
 * on), then what lists them. Loading goes into a new graph, in this order.
 */
void pause_graph_state_onsets(struct state *s, struct pause_graph *g, uint32_t first, uint32_t n);
size_t pause_graph_ports(const struct pause_graph *g); /* that it knows of */
/* How many ports have an onset's place; loading: makes these. */
void pause_graph_state(struct state *s, struct pause_graph *g, const struct model *m);
void pause_graph_state_nodes(
	struct state *s, struct pause_graph *g, const struct model *m, size_t first, size_t n);
void pause_graph_state_edges(struct state *s, struct pause_graph *g, size_t first, size_t n);
/* False: what is loaded does not fit together. */
bool pause_graph_state_lists(struct state *s, struct pause_graph *g);

/* ---- of one egress, also for detectors; unknown is NAN ---- */

struct pause_share {
	float share; /* 0..1 */
	bool bound;  /* only an upper bound, from frames */
	bool far;    /* learnt from the peer's counters of what it sent */
};
/* How long the egress is held: its own time, else its peer's, else what frames allow at most. */
struct pause_share pause_held(
	const struct model *m, const struct windows *w, uint32_t port, unsigned priority);
/* Its load, as it counts itself, else as its peer received: bits per second, share of speed. */
struct egress_load {
	float bps, util;
};
struct egress_load egress_load(const struct model *m, const struct windows *w, uint32_t port);
/* The queue's bytes above which it marks everything, as configured, planned, else by speed. */
double egress_queue_limit(const struct model *m, uint32_t port, unsigned priority);
/*
 * How full the egress queue is, 0..1: 1 is above the limit where ECN marks everything. By bytes
 * where known, else by marks, else by load alone. 0: not full. Never NAN.
 */
float egress_fullness(
	const struct model *m, const struct windows *w, uint32_t port, unsigned priority);
/* The egress leads to a host's NIC, known or (at a leaf, where nothing else is) assumed. */
bool egress_to_nic(const struct model *m, uint32_t port);

#endif
