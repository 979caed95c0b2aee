/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_VERDICT_H
#define DIAGNOSIS_VERDICT_H

#include "diagnosis/finding.h"

/* Whose problem is it. "network" includes NICs and their hosts' PCIe as far as RDMA goes through.
 */
enum verdict {
	VERDICT_UNKNOWN, /* something is wrong, and the evidence does not say what */
	VERDICT_NETWORK,
	VERDICT_GPU,
	VERDICT_STORAGE,
	VERDICT_APPLICATION,
	VERDICT_COUNT
};
const char *verdict_name(enum verdict v); /* contract: "network", ... "unknown" */

/* One line of the proof that the fabric is clean: "link_down_events: 0 on 24384 ports (820 of 820
 * devices fresh)". ok false: the line does not hold, or could not be checked. */
struct proof {
	char text[120];
	bool ok, checked;
};

struct verdict_report {
	enum verdict verdict;
	bool trouble;      /* somebody suffers: a finding or a job says so */
	bool fabric_clean; /* nothing in the network explains trouble, and enough of it was seen */
	double confidence;
	uint64_t culprit;              /* key of the finding; 0: none */
	VEC(struct evidence) evidence; /* for and against (evidence.against) */
	VEC(struct proof) proof;
};

struct diag;
/* In a line, for a ticket: "network (87%)", "no trouble seen; the fabric is clean", "no trouble
 * seen on 12 of 16 devices: the others tell nothing". Where no device tells anything it is not
 * known. */
void verdict_sentence(
	const struct verdict_report *v, const struct model *m, char *dst, size_t size);
/* Judges the open findings; job: index into model.nccl->jobs, JOB_NONE: all. */
void verdict_make(struct verdict_report *out, const struct diag *d, const struct model *m,
	uint32_t job, int64_t now_us);
void verdict_free(struct verdict_report *v);
/* Whose problem a culprit is: by what it is about and where it is. */
enum verdict verdict_of(const struct model *m, const struct finding *f);
/*
 * Whether the finding is about a host of the job, the leaves of its hosts or links to and from
 * these, or names one of them as a victim or member. The whole fabric's and a tier's always are.
 */
bool verdict_touches(const struct model *m, uint32_t job, const struct finding *f);

/* verdict_proof.c: appends the lines; returns whether all of them were checked and hold. */
bool verdict_prove(
	struct verdict_report *out, const struct diag *d, const struct model *m, int64_t now_us);

#endif
