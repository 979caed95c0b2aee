/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_PACKETS_COLLECTIVE_H
#define TESTS_BENCH_PACKETS_COLLECTIVE_H

#include <stdbool.h>
#include <stdio.h>

#include "tests/bench/packets/packets.h"

/*
 * Jobs that call one collective after another over the net: in a ring each step waits for the one
 * of the rank before it; in an all-to-all each rank sends to all others in turn. A server enters
 * the next call when all of its NICs are through and it has computed.
 */
enum pattern { PATTERN_RING, PATTERN_ALL_TO_ALL };

struct member {
	int node, server, group; /* group: those that talk to one another */
	int place;               /* in its group */
	int first_flow;          /* ring: to the next; all-to-all: by the distance to the peer */
	bool in;
	int seq, posted, delivered;
	double start_us, enter_us, exit_us, post_us[2];
	double target[2]; /* bytes of the flows that the steps under way end with */
	double step_sum, step_max, receive_us, credit_us;
};

struct collective {
	char name[16];
	enum pattern pattern;
	int steps, qps;
	double chunk, rest_us; /* chunk: bytes of a step */
	double stop_us;        /* enters nothing after it; 0: goes on */
	VEC(struct member) members;
	int late_server; /* enters late_us after the others; -1: none */
	double late_us;
	/* Calls that ended before and in the window of the net, and their times. */
	double before_us, window_us;
	unsigned before, window;
};

/* Ranks of one group, in their order; flows between them must be there. */
void collective_add(struct collective *c, const struct pk_net *n, int node, int group, int place,
	int first_flow, double start_us);
/* A microsecond, or an event, has gone by since the last one. */
void collective_step(struct collective *c, struct pk_net *n, double us, FILE *ops);
void collective_columns(FILE *ops);
void collective_free(struct collective *c);

#endif
