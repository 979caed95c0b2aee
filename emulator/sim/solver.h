/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_SOLVER_H
#define EMULATOR_SOLVER_H

#include "emulator/sim/sim_internal.h"

/*
 * Arrays with the numbers of a solution: one entry per flow, or one per egress (index of its port).
 * Rates are bytes/s of priority 3 unless noted.
 */

#define SOLVE_TARGET 0.97  /* share of an egress where DCQCN settles (no queue left to mark) */
#define SOLVE_SMALL  4e5   /* bytes/s of LLDP, BGP and monitoring on every link and direction */
#define SOLVE_USABLE 0.995 /* share of a line for priority 3, beside the small traffic */

enum egress_flags {
	EGRESS_MARKS = 1,   /* sets CE when its queue grows */
	EGRESS_STUCK = 2,   /* paused nearly always: too little leaves for marks to come back */
	EGRESS_DROPS = 4,   /* the watchdog, or the big red switch, drops its queue */
	EGRESS_HOST = 8,    /* a NIC sends here */
	EGRESS_DEAF = 16,   /* ignores pause */
	EGRESS_TO_NIC = 64, /* a NIC receives */
	EGRESS_QUEUED = 32, /* in the list of overloaded egresses */
	EGRESS_BACKS = 128, /* its queue never runs empty: ports that feed it are paused for it */
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
	unsigned way_count;            /* the generation of the paths in the tables below */
	uint32_t *hop;                 /* SIM_MAX_HOPS per flow: egresses */
	uint8_t *hops, *flag, *nature; /* nature: flags of the flow, independent of its activity */
	double *want, *rate;
	double *pass; /* share of rate that arrives */
	uint8_t *lost_at;
	/* egresses */
	double *line, *cap; /* capacity of the wire; rate that the far end accepts */
	double *loss;       /* share of packets that arrive damaged at the far end */
	uint8_t *eflag;
	double *offer;    /* offered load without pauses */
	double *arrives;  /* bytes/s that arrive here to be sent */
	double *limit;    /* bytes/s that this egress may send: cap, or less if it is paused */
	double *forced;   /* share of time that an egress which ignores pause is paused */
	double *burst;    /* share of time that it is paused by bursts */
	double *held;     /* share of time that this egress is paused: the result */
	double *lossy;    /* bytes/s of priority 0 RDMA that arrive here to be sent */
	double *leaves;   /* bytes/s sent: arrives less the drops */
	double *leaves0;  /* the same of priority 0 RDMA */
	double *cnp;      /* congestion notifications a second that cross the link backwards */
	double *scratch;  /* all 0 between uses */
	double *small;    /* bytes/s of everything that is not RDMA */
	uint32_t *peer;   /* the egress at the other end; its own index if there is none */
	bool any_refuses; /* a slow NIC without PFC */
	bool any_loss, any_drops, any_lossy,
		any_free; /* any_free: flows without congestion control */
	/* the flows that cross an egress; made when first needed */
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
/*
 * sim_pause.c: z->rate, .pass and .lost_at, where PFC must pause the flows that are still too
 * fast.
 */
void solver_pause(const struct sim *s, struct solver *z);
/* z->burst, and the loss by bursts where no pause is sent. */
void solver_bursts(const struct sim *s, struct solver *z);
/* z->held of every egress, after the final rates. */
void solver_hold(const struct sim *s, struct solver *z);

#endif
