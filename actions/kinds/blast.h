/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIONS_KINDS_BLAST_H
#define ACTIONS_KINDS_BLAST_H

#include "fabric/model/model.h"

/*
 * The blast radius: the jobs and paths that the model expects to lose when the link is taken away.
 */
struct blast {
	/*
	 * Running jobs with ranks that can send traffic over the port, and those ranks and their
	 * GPUs.
	 */
	unsigned jobs, ranks, gpus;
	char names[120]; /* of the jobs, "pretrain, eval" */
	/* A running job has no other path: a host link. last_job names it. */
	bool last_path;
	char last_job[NAME_MAX_LEN];
	/*
	 * Links of this device towards the same tier as this link, and links of the peer towards
	 * this device's tier: planned, and up now. The lower count of the two ends matters.
	 */
	unsigned uplinks_planned, uplinks_up, peer_planned, peer_up;
	/* Unknown whether a job runs: no source reports jobs, or its data is stale. */
	bool jobs_unknown;
	char tenants[120]; /* whose frames pass the link, as either end tells; "": not known */
	unsigned others;   /* blast_of_host() */
	double load;       /* 0..1 of the port's speed, the busier direction; NAN: unknown */
};

/*
 * The same for a host that gets no new job: jobs, ranks and names are those that run on it now.
 * others: the further hosts of these jobs.
 */
void blast_of_host(
	const struct model *m, const struct device *d, int64_t now_us, struct blast *out);

/* p: a port of a switch or of a host. */
void blast_of(const struct model *m, const struct port *p, int64_t now_us, struct blast *out);

#endif
