/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_DETECTORS_PAUSE_INTERNAL_H
#define DIAGNOSIS_DETECTORS_PAUSE_INTERNAL_H

#include "base/vec.h"
#include "diagnosis/engine/detector.h"

/* Private to pause*.c. */

/* Share of all lost capacity that the node absorbs, 0..1. */
double pause_blame_share(const struct diag_run *r, const struct pause_node *n);
/* Blame, onset and the held egresses that drain into the node, as victims. */
void pause_fill(struct diag_run *r, struct finding *f, uint32_t node);
/* Adds a row with the egress's paused time and the counter that it comes from. */
void pause_evidence_held(struct diag_run *r, struct finding *f, const struct pause_node *n);

/* pause_nic.c: terminals at NICs. */
void pause_judge_nic(struct diag_run *r, uint32_t node);
/* Storms that the NIC itself has stopped: visible only in its own counter. */
void pause_judge_stopped_storms(struct diag_run *r);
/* Per device: whether a NIC of it stopped a storm recently, and whether the other end of one is not
 * in the model. For struct detector. */
struct pause_memory {
	VEC(bool) stopped;
	VEC(bool) unseen;
};
int64_t pause_digest(struct diag_run *r, const struct device *d);
void pause_free_memory(void *memory);
/*
 * pause_edges.c: a NIC's edges as seen by NCCL, in median steps of the others; NAN: unknown. in,
 * out: a step into it and out of it. awaited: the time that the rank before it waits for its entry.
 */
struct nic_edges {
	double in, out, awaited;
	double to_all; /* sending in operations where each rank sends to all others */
	unsigned ops;  /* so many operations tell in, out and awaited */
};
struct nic_edges pause_nic_edges(const struct model *m, uint32_t nic);
/* pause_unseen.c: NICs that pause a leaf that nobody reads. */
void pause_judge_unseen_leaves(struct diag_run *r);
/* pause_cycle.c */
void pause_judge_cycles(struct diag_run *r);
/* pause_conservation.c */
void pause_judge_conservation(struct diag_run *r);

#endif
