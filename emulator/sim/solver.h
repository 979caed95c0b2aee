/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_SOLVER_H
#define EMULATOR_SOLVER_H

#include "emulator/sim/sim_internal.h"

/*
 * The numbers that a solution is found with, as arrays: one entry a flow, or one an egress (index
 * of its port). Rates are bytes/s of priority 3 where nothing else is said.
 */

#define SOLVE_TARGET 0.97  /* of an egress, what DCQCN settles at (no queue left to mark) */
#define SOLVE_SMALL  4e5   /* bytes/s of LLDP, BGP and monitoring on every link and direction */
#define SOLVE_USABLE 0.995 /* of a line, what priority 3 gets beside the small traffic */

enum egress_flags {
	EGRESS_MARKS = 1,   /* sets CE when its queue grows */
	EGRESS_STUCK = 2,   /* held nearly always: too little leaves for marks to come back */
	EGRESS_DROPS = 4,   /* the watchdog, or the big red switch, throws its queue away */
	EGRESS_HOST = 8,    /* a NIC sends here */
	EGRESS_DEAF = 16,   /* does not stop when it is told to */
	EGRESS_TO_NIC = 64, /* a NIC receives */
	EGRESS_QUEUED = 32, /* in the list of those that have too much to send */
};

enum flow_flags {
	FLOW_CC = 1,    /* both ends run DCQCN: it slows down where an egress marks */
	FLOW_LOSSY = 2, /* runs in priority 0 */
};

struct crossing {
	uint32_t flow;
	uint32_t hop;
};

struct solver {
	/* flows */
	size_t nflows;
	unsigned way_count;            /* the tables below are of these ways */
	uint32_t *hop;                 /* SIM_MAX_HOPS a flow: egresses */
	uint8_t *hops, *flag, *nature; /* nature: flags of the flow whether it sends or not */
	double *want, *rate;
	double *pass; /* share of rate that arrives */
	uint8_t *lost_at;
	/* egresses */
	double *line, *cap; /* of the wire; what the far end takes of it */
	double *loss;       /* share of packets that arrive damaged at the far end */
	uint8_t *eflag;
	double *offer;    /* what flows would send here if nothing held them */
	double *arrives;  /* what comes here to be sent */
	double *limit;    /* what this egress may send: cap, or less where it is held */
	double *forced;   /* share of time that an egress which does not listen is held */
	double *burst;    /* share of time that it is held by bursts */
	double *held;     /* share of time that this egress is held: the result */
	double *lossy;    /* bytes/s of priority 0 RDMA that come here to be sent */
	double *leaves;   /* what is sent: arrives less what is thrown away */
	double *leaves0;  /* the same of priority 0 RDMA */
	double *cnp;      /* congestion notifications a second that cross the link backwards */
	double *scratch;  /* all 0 between uses */
	double *small;    /* bytes/s of everything that is not RDMA */
	uint32_t *peer;   /* the egress at the other end; its own where there is none */
	bool any_refuses; /* a slow NIC without PFC */
	bool any_loss, any_drops, any_lossy,
		any_free; /* any_free: flows without congestion control */
	/* which flows cross an egress; made when first needed */
	bool crossed;
	uint32_t *first;
	struct crossing *crossing;
	size_t crossings, crossing_room;
	/* egresses that congestion control brought to their target */
	VEC(uint32_t) full;
	VEC(uint32_t) work;
	VEC(uint32_t) feeders;
};

static inline const uint32_t *solver_way(const struct solver *z, size_t f)
{
	return &z->hop[f * SIM_MAX_HOPS];
}

/* Whether the flow sends anything in the lossless priority. */
static inline bool solver_lossless(const struct solver *z, size_t f)
{
	return z->want[f] > 0 && !(z->flag[f] & FLOW_LOSSY);
}

/* The list of crossings of every egress, in z->first and z->crossing. */
void solver_cross(const struct sim *s, struct solver *z);
/* z->arrives from z->rate. */
void solver_arrive(const struct sim *s, struct solver *z);

/* sim_fill.c: z->rate from z->want by congestion control; fills z->full. */
void solver_fill(const struct sim *s, struct solver *z);
/* sim_pause.c: z->rate, .pass and .lost_at, where PFC has to hold what still comes too fast. */
void solver_pause(const struct sim *s, struct solver *z);
/* z->burst, and what bursts cost where nobody pauses. */
void solver_bursts(const struct sim *s, struct solver *z);
/* z->held of every egress, after the final rates. */
void solver_hold(const struct sim *s, struct solver *z);

#endif
