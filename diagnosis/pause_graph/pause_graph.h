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
 * Pause provenance: from every paused egress to the device that pauses it, then to the egresses
 * that make that device pause, until a terminal. A node is an egress (port). An edge from "A is
 * paused by B" leads to each egress of B that can explain B's full ingress buffer. Blame is lost
 * capacity in bits per second. It is pushed along the weights until terminals absorb it.
 */
enum pause_end {
	PAUSE_INNER,       /* paused, and explained by others */
	PAUSE_CONTENTION,  /* not paused, full: the egress itself is the bottleneck */
	PAUSE_NIC,         /* paused by a NIC or host: the end of the path */
	PAUSE_CYCLE,       /* part of a cycle of paused egresses */
	PAUSE_UNEXPLAINED, /* paused, and nothing at its peer explains it */
	PAUSE_BLIND,       /* paused by a device that reports nothing about itself */
};
const char *pause_end_name(enum pause_end e);

struct pause_node {
	uint32_t port;
	uint8_t priority;
	uint8_t end;      /* enum pause_end */
	bool bound;       /* its share is only an upper bound */
	float held;       /* paused share, 0..1; 0 at a contention terminal */
	float lost_bps;   /* paused share * speed */
	float blame_bps;  /* absorbed here; 0 at inner nodes */
	int64_t since_us; /* first sample with the pause (or the full queue) */
	uint32_t cycle;   /* 1 + index of its cycle, 0: none */
	uint32_t depth;   /* hops to its nearest terminal */
	uint32_t toward;  /* next node on the heaviest path to a terminal, or itself */
	uint32_t root;    /* the terminal at the end of that path; itself at a terminal */
	uint32_t next;    /* the same port at another lossless priority: 1 + node, 0: none */
	uint32_t upstream, nupstream; /* private: of a terminal, see pause_graph_upstream() */
};
struct pause_edge {
	uint32_t from, to; /* nodes: `to` causes the pause of `from` */
	float weight;      /* the weights of from's edges sum to 1 */
};
struct pause_cycle {
	VEC(uint32_t) nodes; /* each waits for the next one; first that of the lowest port */
	bool hard;           /* paused all of the time and nothing moves: a deadlock */
};

struct pause_graph {
	VEC(struct pause_node) nodes; /* terminals too */
	VEC(struct pause_edge) edges; /* sorted by from */
	VEC(struct pause_cycle) cycles;
	VEC(uint32_t) terminals;   /* nodes, greatest blame first; only the first node of a cycle */
	unsigned held;             /* number of paused nodes */
	VEC(uint32_t) drains;      /* private: paused nodes by the terminal that they drain into */
	struct pause_index *index; /* private */
};

struct pause_graph *pause_graph_new(void);
void pause_graph_free(struct pause_graph *g);
/* Rebuilds it from the newest samples. */
void pause_graph_build(struct pause_graph *g, const struct model *m, const struct sample_windows *w,
	int64_t now_us);
/*
 * The same in parts, for a caller with little time: parts 0 to PAUSE_GRAPH_PARTS - 1, all in this
 * order with the same now_us. The graph is not readable before the last part is done. False: the
 * part is unfinished and must be called again.
 */
#define PAUSE_GRAPH_PARTS 8
bool pause_graph_build_part(struct pause_graph *g, const struct model *m,
	const struct sample_windows *w, int64_t now_us, unsigned part);
/*
 * Call before g is built to replace another graph, which stays readable. The other one's memory
 * between builds (onsets of pauses) moves to g.
 */
void pause_graph_take_over(struct pause_graph *g, struct pause_graph *from);
/* The node of a port, at its worst priority; NULL: it is neither paused nor pauses others. */
const struct pause_node *pause_node_of(const struct pause_graph *g, uint32_t port);
/*
 * The victims of a terminal: paused nodes with a heaviest path that ends there, in no order of
 * distance. A terminal that is paused itself (a NIC's leaf port) is not among them. Indexes into
 * nodes, valid until the next build; *n is 0 if node is no terminal.
 */
const uint32_t *pause_graph_upstream(const struct pause_graph *g, uint32_t node, size_t *n);

/* Writes "leaf-a > spine-a > leaf-b > leaf-a", of a long one the first and "...". */
void pause_cycle_write(const struct pause_graph *g, const struct model *m,
	const struct pause_cycle *c, char *dst, size_t size);

/*
 * Serialisation (base/state.h), see diagnosis/engine/diag_state.h: onsets of at most n ports,
 * beginning with port first. Then the last built graph in parts: nodes, edges (both in pieces of
 * n, beginning with first), then the lists. Loading fills a new graph, in this order.
 */
void pause_graph_state_onsets(struct state *s, struct pause_graph *g, uint32_t first, uint32_t n);
size_t pause_graph_ports(const struct pause_graph *g); /* number of known ports */
/* The number of ports with an onset entry; loading creates them. */
void pause_graph_state(struct state *s, struct pause_graph *g, const struct model *m);
void pause_graph_state_nodes(
	struct state *s, struct pause_graph *g, const struct model *m, size_t first, size_t n);
void pause_graph_state_edges(struct state *s, struct pause_graph *g, size_t first, size_t n);
/* False: the loaded parts contradict each other. */
bool pause_graph_state_lists(struct state *s, struct pause_graph *g);

/* ---- one egress, also for detectors; unknown is NAN ---- */

struct pause_share {
	float share; /* 0..1 */
	bool bound;  /* only an upper bound, from frames */
	bool far;    /* from the peer's counters of sent pauses */
};
/* Paused share of the egress: its own duration, else its peer's, else the upper bound by frames. */
struct pause_share pause_held(
	const struct model *m, const struct sample_windows *w, uint32_t port, unsigned priority);
/* Its load: by its own counters, else by its peer's: bits per second, share of speed. */
struct egress_load {
	float bps, util;
};
struct egress_load egress_load(
	const struct model *m, const struct sample_windows *w, uint32_t port);
/* Queue bytes above which every packet should be marked: the lower of configuration and plan; by
 * speed where there is no plan. */
double egress_queue_limit(const struct model *m, uint32_t port, unsigned priority);
/*
 * The queue's high-water mark as last reported, bytes; NAN: none. Of any age: a queue that is
 * always full reports the same mark again and again. So it counts only where pauses show a full
 * queue.
 */
double egress_last_mark(const struct model *m, uint32_t port, unsigned priority);
/*
 * Fill level of the egress queue, 0..1: 1 is above the limit where ECN marks everything. By bytes
 * where known, else by marks, else by load alone. 0: not full. Never NAN.
 */
float egress_fullness(
	const struct model *m, const struct sample_windows *w, uint32_t port, unsigned priority);
/* Whether the egress leads to a host's NIC: known, or assumed at a leaf with an unknown peer. */
bool egress_to_nic(const struct model *m, uint32_t port);

#endif
