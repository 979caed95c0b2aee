/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_DIAGNOSIS_ENGINE_RING_H
#define TESTS_DIAGNOSIS_ENGINE_RING_H

#include "tests/diagnosis/engine/stand.h"

/*
 * A job on the hosts of the stand: two rings (one a rail, both named in job "train"). Rank n is
 * node00n with GPU and NIC of the rail; its next is rank n + 1. Operations are simulated. A host
 * enters when its own gap after its last exit (over both rails) is over. The operation begins when
 * all have entered. It takes RING_US, plus the delay of a slow step for all.
 */
#define RING_RANKS 8
#define RING_RAILS 2
#define RING_US    8000.0
#define RING_GAP   2000.0
#define RING_STEP  250.0

struct ring {
	struct stand *s;
	int64_t seq;
	double exit[RING_RANKS]; /* us after STAND_T0 */
	double gap[RING_RANKS];  /* own gap, RING_GAP at first */
	/* A factor on the send step of a rank's edge, 1 at first. */
	double slow[RING_RAILS][RING_RANKS];
	double all;                   /* a factor on the time of all, 1 */
	bool times_only;              /* report only the duration */
	bool no_edges;                /* report nothing of edges */
	const char *func;             /* "AllReduce" */
	bool backlog;                 /* a sender to a late host sends its backlog at once */
	double exit_late[RING_RANKS]; /* leaves so much later than the others, once */
};

struct ring ring_make(struct stand *s);
/* Plays and reports n operations at the time of the stand. */
void ring_play(struct ring *r, unsigned n);
/* As RAS: the operations launched by each rank (-1: not reported) and its state. */
void ring_ras(struct ring *r, const int64_t *launched, const enum nccl_state *state);

#endif
