/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_STRAGGLER_EDGE_VOTES_H
#define DIAGNOSIS_STRAGGLER_EDGE_VOTES_H

#include "base/vec.h"
#include "diagnosis/straggler/straggler.h"

/*
 * Finds the link that the slow edges have in common. Each slow edge votes +1/h for each of the h
 * links that it passes, each normal one -1/h (007, NSDI'18; the negative evidence is from
 * NetBouncer, NSDI'19). Where ECMP may take any of n members, each gets 1/n of the vote. Links are
 * egress ports: NIC, uplink of the leaf, downlink of the spine, leaf port to the NIC.
 */
struct edge_vote {
	uint32_t port;      /* the egress */
	float score;        /* sum of votes */
	float slow, normal; /* edges that pass it, or may pass it, by their share */
};
struct edge_votes {
	VEC(struct edge_vote) links; /* greatest score first; only links with a slow edge */
	unsigned slow, normal;       /* edges that voted */
};

/* Counts the votes in a job's communicators. job: index into model.nccl->jobs; edges: the slow
 * ones of straggler_find(). */
void edge_votes_take(
	struct edge_votes *v, const struct model *m, uint32_t job, const straggler_vec *edges);
void edge_votes_free(struct edge_votes *v);
/* The vote about an egress, NULL: no slow edge can pass it. */
const struct edge_vote *edge_vote_of(const struct edge_votes *v, uint32_t port);

#endif
