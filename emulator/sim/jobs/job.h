/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_JOB_H
#define EMULATOR_JOB_H

#include "emulator/sim/sim_internal.h"

/* Types and functions that the files of jobs/ share. */

#define JOB_KINDS      4
#define JOB_CHECKPOINT JOB_KINDS /* as the kind of a group: not a collective */

/* Flows that run and end together: one rail of one collective. */
struct job_group {
	unsigned job;
	unsigned kind_at; /* index into job.kind, or JOB_CHECKPOINT */
	size_t first, n;  /* of sim.flow */
	bool active;
	double total, left; /* seconds at full demand */
	double ratio; /* share of its demand that it moves now: the ratio of its slowest flow */
};

/* A finished collective. late: when its last host entered. */
struct job_past {
	enum sim_coll coll;
	uint64_t sn, bytes;
	int64_t entered, late, ended;
};

enum job_phase { JOB_COMPUTE, JOB_WAITING, JOB_COLLECTIVE, JOB_CHECKPOINTING };

struct job {
	char name[32];
	unsigned id;
	uint64_t comm;
	struct sim_device **host;
	unsigned nhosts, gpus; /* gpus: on each host */
	enum sim_job_kind kind[JOB_KINDS];
	unsigned nkinds, qps;
	int64_t step_us, gap_us, checkpoint_us; /* checkpoint_us SIM_NEVER: none */
	size_t first, n;                        /* groups */
	/* progress */
	enum job_phase phase;
	int64_t since, until; /* of the phase; until: its timer, SIM_NEVER: it waits for flows */
	int64_t checkpointed, stalled_since;
	uint64_t step;
	unsigned launched;              /* kinds of this step */
	int64_t entered, entered_late;  /* the collective that runs */
	uint64_t done[SIM_COLLS];       /* operations that are complete */
	double progress;                /* --steady: seconds that it moved */
	struct job_past past[SIM_PAST]; /* ring of finished collectives */
	uint64_t npast;
};

struct jobs {
	VEC(struct job) job;
	VEC(struct job_group) group;
	unsigned ids; /* given so far, those of jobs that have ended too */
};

/* The operations of one function that NCCL counts for a collective of this kind. */
struct job_ops {
	const char *name; /* in job specs */
	enum sim_coll coll;
	unsigned n; /* per step */
};
const struct job_ops *job_ops(enum sim_job_kind k);

/* job_spec.c: one job from its text; no flows yet. */
bool job_parse(struct sim *s, const char *spec, struct job *j, struct err *err);
/*
 * Hosts that take part in collectives: hosts with a NIC in the backend. Storage servers have
 * none.
 */
unsigned job_hosts(const struct sim *s);
struct sim_device *job_host(const struct sim *s, unsigned i);
/*
 * The i-th NIC of a host in the backend; NULL: it has fewer. A GPU has one NIC, with one port or,
 * in a fabric of several planes, several: backend ports that lead to leaves of the same rail. It is
 * named by its first port.
 */
struct sim_port *job_nic(const struct sim *s, const struct sim_device *d, unsigned i);
/* The leg-th port of the NIC; NULL: it has fewer. */
struct sim_port *job_leg(
	const struct sim *s, const struct sim_device *d, unsigned nic, unsigned leg);

/* job_flows.c: the flows and groups of one job. */
void job_flows(struct sim *s, unsigned job);

/* Delay of the last host to enter, after the others; SIM_NEVER: a host never enters. */
int64_t job_late_us(const struct sim *s, const struct job *j);
bool job_blocked(const struct sim *s, const struct job *j); /* a process is frozen or dead */
bool job_stalled(const struct sim *s, const struct job *j);

#endif
