/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ENGINE_VERDICT_H
#define DIAGNOSIS_ENGINE_VERDICT_H

#include "diagnosis/engine/finding.h"
#include "fabric/vocabulary/types.h"

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

/*
 * How it is, of all evidence: the worst of open findings, checks of the proof, stalled jobs and
 * paused ports. Every text, colour, word and exit code asks this and nothing else, so that none is
 * calmer than its evidence. Acknowledged findings count: what is acknowledged is not mended.
 */
enum fabric_state {
	FABRIC_UNKNOWN, /* nothing bad is seen, and not every check could be made */
	FABRIC_CLEAN,   /* every check was made and holds */
	FABRIC_SUSPECT, /* something bad is seen, and its cause is not proven */
	FABRIC_TROUBLE, /* somebody suffers, and whose problem it is is known */
	FABRIC_STATES
};
const char *fabric_state_name(enum fabric_state s); /* contract: "unknown", "clean", ... */

/* One line of the proof that the fabric is clean: "link_down_events: 0 on 24384 ports (820 of 820
 * devices fresh)". ok false: the line does not hold, or could not be checked. */
struct proof {
	char text[120];
	char cure[96]; /* how it can be checked; "" where it was */
	uint8_t line;  /* which it is: enum proof_line of engine.h */
	bool ok, checked;
};

struct verdict_report {
	enum verdict verdict;
	enum fabric_state state;
	bool critical; /* SUSPECT, TROUBLE: because of critical findings, failed checks, stalls or
			  pauses */
	bool trouble;  /* somebody suffers: a finding, a job or the share of paused ports says so */
	bool fabric_clean; /* nothing in the network explains trouble, and enough of it was seen */
	double confidence;
	int64_t since_us; /* wall time since when it is SUSPECT or worse; 0: it is not */
	unsigned criticals, warnings;  /* open findings; risks and statements only if critical */
	unsigned paused, paused_of;    /* ports paused above 10 % of the time, of those that tell */
	unsigned stalled;              /* jobs */
	char hint[160];                /* of what is bad and not proven, the strongest; "" */
	uint64_t culprit;              /* key of the finding; 0: none */
	VEC(struct evidence) evidence; /* for and against (evidence.against) */
	VEC(struct proof) proof;
};

struct diag;
/*
 * words.c. In a line, for a ticket: "network (87%)"; "cause not proven yet (seen 24 s): 156
 * ports paused, 1 job stalled; strongest hint: ...; 3 of 16 devices tell nothing"; "nothing seen
 * on 12 of 16 devices: the others tell nothing; not checked: BGP sessions"; "no trouble seen; the
 * fabric is clean". Where no device tells anything it is not known, and that is said first.
 */
void verdict_sentence(const struct verdict_report *v, const struct model *m, int64_t now_us,
	char *dst, size_t size);
#define VERDICT_SENTENCE 600 /* bytes that it may take */
/* The evidence alone: "156 ports paused, 1 job stalled, 3 critical findings". "": there is none. */
void verdict_counts(const struct verdict_report *v, char *dst, size_t size);
/* What could not be checked: "BGP sessions, link speeds", "" where everything was. */
void verdict_unchecked(const struct verdict_report *v, char *dst, size_t size);
/* SEV_UNKNOWN, SEV_OK, SEV_WARN or SEV_CRIT, for colours and words that stand for a severity. */
enum severity verdict_severity(const struct verdict_report *v);
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

/*
 * proof.c: appends the lines and counts what is paused; returns whether all of them were
 * checked and hold.
 */
bool verdict_prove(
	struct verdict_report *out, const struct diag *d, const struct model *m, int64_t now_us);

#endif
