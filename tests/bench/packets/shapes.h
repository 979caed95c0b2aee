/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_PACKETS_SHAPES_H
#define TESTS_BENCH_PACKETS_SHAPES_H

#include <stdbool.h>

#include "tests/bench/packets/dice.h"
#include "tests/bench/packets/packets.h"

/*
 * Fabrics of NICs, leaves and spines, from parameters. The servers are in two halves. Except where
 * a rail has one leaf only, each half has its own.
 */
enum shape_kind {
	SHAPE_THREE_TIERS, /* one leaf a pod and rail, spines of a pod, cores */
	SHAPE_TWO_LEAVES,  /* two leaves a rail, spines */
	SHAPE_ONE_SPINE,   /* the same with one spine */
	SHAPE_RAIL_ONLY,   /* one leaf a rail and nothing above */
	SHAPE_PARALLEL,    /* two or three links between a leaf and a spine */
	SHAPE_DUAL_PLANE,  /* NICs in pairs, each half of a pair in a plane of its own */
	SHAPE_COUNT
};

#define SHAPE_SERVERS 16
#define SHAPE_NICS    6 /* of a server */
#define SHAPE_SPINES  4
#define SHAPE_CORES   2

struct shape {
	enum shape_kind kind;
	int servers, nics, halves; /* nics: of a server */
	int planes, spines, cores, parallel;
	double nic_gbps, up_gbps, core_gbps;
	/* Nodes; spine by pod or plane. */
	int nic[SHAPE_SERVERS][SHAPE_NICS], leaf[2][SHAPE_NICS], spine[2][SHAPE_SPINES],
		core[SHAPE_SPINES][SHAPE_CORES];
};

const char *shape_name(enum shape_kind kind);
/* Draws parameters of that kind, for 16 to 48 NICs. */
void shape_draw(struct shape *s, enum shape_kind kind, struct dice *d);
/* Builds it into the empty net, with its times: 40 buckets. */
void shape_build(struct shape *s, struct pk_net *n, struct dice *d);
int shape_leaf(const struct shape *s, int server, int nic);
/* The leaf's egress towards the NIC. */
int shape_down(const struct shape *s, const struct pk_net *n, int server, int nic);
/* Egresses of the node that lead up, at most most of them; their number. */
int shape_up(const struct pk_net *n, int node, int *port, int most);

/* ---- routes ---- */

/*
 * Ways through a fabric, as switches find them: of the egresses that are up and on a shortest way
 * the hash of the flow picks one.
 */
struct routes {
	bool same_hash; /* all switches hash alike */
	VEC(int) far;   /* hops from a node to the destination at hand; -1: no way */
};

/* Hops, or 0: there is no way. */
unsigned route_find(struct routes *r, const struct pk_net *n, int from, int to, uint32_t key,
	int port[PK_HOPS]);
/* All flows find their ways anew; one without a way stays on its old one. */
void route_all(struct routes *r, struct pk_net *n);
void route_free(struct routes *r);

#endif
