/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIONS_KINDS_BLAST_H
#define ACTIONS_KINDS_BLAST_H

#include "fabric/model/model.h"

/* Whom taking a link away would hit, as the model knows it. */
struct blast {
	/* Running jobs with ranks whose traffic can use the port, and what of them. */
	unsigned jobs, ranks, gpus;
	char names[120]; /* of the jobs, "pretrain, eval" */
	/* A running job has no other way: a host link. last_job: which. */
	bool last_path;
	char last_job[NAME_MAX_LEN];
	/*
	 * Links of the same device towards the same tier as this one, and of the peer towards this
	 * one's: planned, and up now. The lower of both ends is the one that counts.
	 */
	unsigned uplinks_planned, uplinks_up, peer_planned, peer_up;
	/* No source tells of jobs, or its data is stale: whether a job runs cannot be told. */
	bool jobs_unknown;
	double load; /* 0..1 of the port's speed, the busier direction; NAN: unknown */
};

/* p: a port of a switch or of a host. */
void blast_of(const struct model *m, const struct port *p, int64_t now_us, struct blast *out);

#endif
