/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ENGINE_VERDICT_H
#define DIAGNOSIS_ENGINE_VERDICT_H

#include "diagnosis/engine/finding.h"
#include "fabric/vocabulary/types.h"

/* The domain that causes the trouble. "network" includes NICs and the PCIe of their hosts as far
 * as RDMA uses it. */
enum verdict {
	VERDICT_UNKNOWN, /* there is trouble, and the evidence does not show its domain */
	VERDICT_NETWORK,
	VERDICT_GPU,
	VERDICT_STORAGE,
	VERDICT_APPLICATION,
	VERDICT_COUNT
};
const char *verdict_name(enum verdict v); /* contract: "network", ... "unknown" */

/*
 * The state of the fabric from all evidence: the worst of open findings, checks of the proof,
 * stalled jobs and paused ports. Every text, colour, word and exit code uses this alone, so none
 * is milder than its evidence. Acknowledged findings count: acknowledging does not repair.
 */
enum fabric_state {
	FABRIC_UNKNOWN, /* no trouble is seen, and not every check could be made */
	FABRIC_CLEAN,   /* every check was made and holds */
	FABRIC_SUSPECT, /* trouble is seen, and its cause is not proven */
	FABRIC_TROUBLE, /* a job or device suffers, and the domain is known */
	FABRIC_STATES
};
const char *fabric_state_name(enum fabric_state s); /* contract: "unknown", "clean", ... */

/* One line of the proof that the fabric is clean: "link_down_events: 0 on 24384 ports (820 of 820
 * devices fresh)". ok is false if the line does not hold or could not be checked. */
struct proof {
	char text[120];
	char cure[96]; /* how to check it; "" if it was checked */
	uint8_t line;  /* enum proof_line of engine.h */
	bool ok, checked;
};

struct verdict_report {
	enum verdict verdict;
	enum fabric_state state;
	bool critical; /* SUSPECT, TROUBLE: because of critical findings, failed checks, stalls or
			  pauses */
	bool trouble;  /* trouble shown by a finding, a job or the share of paused ports */
	bool fabric_clean; /* no network finding explains trouble, and enough of the network was
			      seen */
	double confidence;
	int64_t since_us;             /* wall time when it became SUSPECT or worse; 0: it is not */
	unsigned criticals, warnings; /* open findings; risks and statements only if critical */
	unsigned risks;               /* open findings that hurt nobody yet */
	unsigned paused, paused_of;   /* ports paused above 10 % of the time, and ports with data */
	unsigned stalled;             /* jobs */
	char hint[160];               /* strongest unproven finding; "" */
	uint64_t culprit;             /* key of the finding; 0: none */
	int64_t ended_us; /* finding_ended_us() of it; 0: it is there, or there is none */
	VEC(struct evidence) evidence; /* for and against (evidence.against) */
	VEC(struct proof) proof;
};

struct diag;
/*
 * words.c: one line, for a ticket. Examples:
 *
 *   "network (87%)"; "network (87%), ended 12 s ago";
 *   "cause not proven yet (seen 24 s): 156 ports paused, 1 job stalled; strongest hint: ...;
 *   3 of 16 devices tell nothing";
 *   "nothing seen on 12 of 16 devices: the others tell nothing; not checked: BGP sessions";
 *   "no trouble seen; the fabric is clean"; "no trouble seen; 2 risks".
 *
 * If no device has data the state is unknown, and the line begins with that.
 */
void verdict_sentence(const struct verdict_report *v, const struct model *m, int64_t now_us,
	char *dst, size_t size);
#define VERDICT_SENTENCE 600 /* most bytes of it */
/* The evidence alone: "156 ports paused, 1 job stalled, 3 critical findings". "": none. */
void verdict_counts(const struct verdict_report *v, char *dst, size_t size);
/* The checks that could not be made: "BGP sessions, link speeds"; "" if all were made. */
void verdict_unchecked(const struct verdict_report *v, char *dst, size_t size);
/* SEV_UNKNOWN, SEV_OK, SEV_WARN or SEV_CRIT, for colours and words that stand for a severity. */
enum severity verdict_severity(const struct verdict_report *v);
/* Judges the open findings; job: index into model.nccl->jobs, JOB_NONE: all. */
void verdict_make(struct verdict_report *out, const struct diag *d, const struct model *m,
	uint32_t job, int64_t now_us);
void verdict_free(struct verdict_report *v);
/* The domain of a culprit, by its kind and place. */
enum verdict verdict_of(const struct model *m, const struct finding *f);
/*
 * Whether the finding concerns the job: it is about one of its hosts, their leaves or the links of
 * these, or has one of them as a victim or member. Findings of the whole fabric or a tier always
 * concern it.
 */
bool verdict_touches(const struct model *m, uint32_t job, const struct finding *f);

/*
 * proof.c: appends the lines and counts paused ports; returns whether all lines were checked and
 * hold.
 */
bool verdict_prove(
	struct verdict_report *out, const struct diag *d, const struct model *m, int64_t now_us);

#endif
