/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_EVIDENCE_CONGESTION_H
#define DIAGNOSIS_EVIDENCE_CONGESTION_H

#include "base/vec.h"
#include "diagnosis/engine/detector.h"

/* Private to diagnosis/detectors/congestion*.c: result of one pass over the newest samples. */

/* A full egress that is not paused: pauses end and marks begin here. */
struct hot {
	uint32_t port;
	const struct sample *s;
	const struct sample *nic; /* of the NIC behind it, NULL */
	uint32_t peer;            /* port id, PORT_NONE */
	bool to_nic;
	double util, limit;            /* limit: queue bytes above which every packet is marked */
	double marked;                 /* share of its packets, NAN */
	double queue;                  /* bytes, NAN; where pauses end also an old mark */
	const struct pause_node *node; /* the pause terminal here, NULL */
};

#define LOAD_BINS 20

/* The part of one device, as of its last news: ports only. */
struct congestion_part {
	VEC(uint32_t) hot; /* egresses that would be hot if pauses end there */
	VEC(uint32_t) ignoring;
	VEC(uint32_t) other_send;
	VEC(uint32_t) mute;            /* NICs that get marks and send no CNPs */
	unsigned egresses[TIER_COUNT]; /* to devices of that tier */
	unsigned pressed[TIER_COUNT];  /* those with a standing queue lately */
	unsigned receivers, nics, nics_wrong;
	unsigned loaded[LOAD_BINS]; /* receivers by load: bin i is from i / LOAD_BINS on */
	bool marks, cnps;
	bool lossy; /* some NIC sends mostly on a lossy priority */
};
/* An egress whose senders were seen not to slow down: the last two samples that showed it. */
struct congestion_unslowed {
	uint32_t port;
	int64_t last_us, before_us; /* 0: only one */
};
struct congestion_memory {
	VEC(struct congestion_part) parts; /* of each device */
	VEC(struct congestion_unslowed) unslowed;
};
/* For struct detector. */
int64_t congestion_digest(struct diag_run *r, const struct device *d);
void congestion_free_memory(void *memory);
void congestion_state(struct state *s, void **memory, const struct model *m);
/*
 * Bursts are shorter than the time between some polls: what a burst has shown holds for the next
 * ones at the same egress. Notes that its newest sample shows senders that do not slow down.
 */
void congestion_note_unslowed(struct diag_run *r, const struct hot *h);
/* Whether two samples of the egress have shown it within the last twelve intervals. */
bool congestion_was_unslowed(const struct diag_run *r, const struct hot *h);

struct congestion {
	VEC(struct hot) hot;  /* egresses towards NICs only */
	VEC(struct hot) full; /* egresses between switches where pauses end */
	/* All those between two tiers, and those with a standing queue lately. */
	unsigned egresses[TIER_COUNT][TIER_COUNT], pressed[TIER_COUNT][TIER_COUNT];
	VEC(uint32_t) ignoring;   /* NIC ports that ignore CNPs */
	VEC(uint32_t) other_send; /* NIC ports that send other traffic on the lossless class */
	VEC(uint32_t) mute;       /* NIC ports that get marks and send no CNPs */
	unsigned receivers;       /* egresses towards NICs with a sample */
	unsigned loaded[LOAD_BINS];
	/* Some egress has marked since it started, some NIC sends CNPs: it is the policy here. */
	bool marks, cnps;
	unsigned nics, nics_wrong; /* NICs that send; those that send on a lossy priority */
};

/* Marked share of the lossless packets that the egress sends; NAN. */
double congestion_marked_share(const struct model *m, const struct port *p, const struct sample *s);
/* Whether most receivers have about that load, or more: then it is the workload's. */
bool congestion_is_even(const struct congestion *c, double util);
void congestion_find(struct diag_run *r, struct congestion *c);
void congestion_free(struct congestion *c);
/* Adds the evidence and victims common to all findings about a hot egress. */
void congestion_describe(struct diag_run *r, struct finding *f, const struct hot *h);

/* congestion_starved.c: others go first, and the lossless queue waits. */
bool congestion_is_starved(const struct diag_run *r, const struct hot *h);
void congestion_claim_starved(struct diag_run *r, const struct hot *h);

/* congestion_loss.c: PFC that is off or ignored, RDMA on another priority. */
void congestion_losses(struct diag_run *r);
void congestion_wrong_priority(struct diag_run *r, const struct congestion *c);
/* Whether the NIC sends mostly RDMA on a lossy priority. */
bool congestion_sends_lossy(const struct port *p, const struct sample *s);

#endif
