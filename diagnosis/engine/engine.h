/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ENGINE_ENGINE_H
#define DIAGNOSIS_ENGINE_ENGINE_H

#include <uthash.h>

#include "diagnosis/engine/detector.h"
#include "diagnosis/engine/diagnosis.h"

/* Private to the engine: diagnosis.c, open_findings.c, hysteresis.c, explain*.c, impact.c. */

struct record {
	struct finding f;
	/* Of claims: who made it, the device() call that did so last, and that it is of earlier. */
	uint32_t detector;
	uint64_t touched;
	bool kept, link; /* link: either end can judge it */
	/* Of known findings: what was said last, to see what changes; and the sample clock. */
	enum severity told_severity, acked_severity;
	enum finding_role told_role, said_role; /* said_role: the claim's own */
	uint64_t told_root, said_root;
	uint32_t clock; /* device whose samples were counted last, NO_DEVICE: the fabric's ticks */
	UT_hash_handle hh;
};

#define NO_DEVICE    UINT32_MAX
#define CLOSED_RING  256
#define CLAIMS_MAX   20000 /* of one run: beyond it something is wrong with the detectors */
#define QUIET_CLOSES 6     /* samples without it, diagnosis reference: close after 6 quiet polls */
/* A run without anything new is due after that: somebody must say that all devices are silent. */
#define IDLE_RUN_US (5 * INT64_C(1000000))

/* What device() of a detector claimed, until that device is noted again. */
struct kept {
	uint32_t detector;
	bool link;
	struct finding f;
};
typedef VEC(struct kept) kept_vec;

/* What one device says for the proof that all is clean: proof.c. */
enum proof_line {
	LINE_LINKS,
	LINE_FLAPS,
	LINE_DROPS,
	LINE_PAUSES,
	LINE_WATCHDOG,
	LINE_CORRUPTION,
	LINE_BGP,
	LINE_WIRING,
	LINE_SPEED,
	LINE_COUNT,
	LINE_DEVICES = LINE_COUNT, /* beside the tallies: whether devices are current */
};
struct proof_count {
	unsigned of, told, bad;
};
struct proof_tally {
	struct proof_count line[LINE_COUNT];
	uint64_t flaps;           /* since start */
	unsigned unplanned;       /* ports whose planned speed nobody knows */
	unsigned unplanned_links; /* that no plan can be compared with; of the fabric, not a device
				   */
	float held;               /* greatest share */
};

/* What is kept of each device from run to run, see struct detector; device_summary.c. */
struct digests {
	VEC(int64_t) until_us;          /* how long it holds; INT64_MIN: not any more */
	VEC(struct proof_tally) proofs; /* of each device */
	VEC(uint32_t) due;              /* of the run that is under way */
	size_t at;                      /* the next of these */
	uint64_t wiring;                /* what all of it is of */
	size_t ports;
	int64_t at_us;
	bool always; /* tests: nothing is kept */
};

/* What is loaded (diag_state.h): how many there are of each kind of thing, and the next step. */
#define DIAG_SECTIONS 10
struct diag_loading {
	size_t counts[DIAG_SECTIONS];
	size_t next; /* 0: nothing is being loaded */
};

#define DIAG_AT_ONCE 4096 /* 1 to 2 ms */

struct diag {
	struct windows *windows;
	struct pause_graph *pauses;   /* of the last run, or of this one once it is whole */
	struct pause_graph *building; /* of the run that is under way, in parts */
	struct verdict_report verdict;
	const struct detector *const *table; /* the detectors; tests have their own */
	size_t ndetectors;                   /* at most detector_count */
	void **memory;                       /* of each */

	VEC(struct record *) claims;  /* of the run at hand */
	struct record *claimed;       /* the same by key */
	struct record overflow;       /* where claims beyond CLAIMS_MAX go */
	VEC(kept_vec) kept;           /* of each device */
	VEC(struct record *) touched; /* in the device() call at hand */
	uint32_t detector;            /* at hand */
	uint64_t call, calls;         /* its number, 0: none is at hand; all calls so far */
	struct record *known;         /* findings that were claimed lately, by key; open or not */
	VEC(const struct finding *) order;
	VEC(struct finding) closed; /* ring; newest at (nclosed - 1) % CLOSED_RING */
	VEC(int64_t) closed_us;
	uint64_t nclosed;

	VEC(uint32_t) changed;   /* devices noted since the last run began */
	VEC(uint32_t) judging;   /* those of the run that is under way */
	size_t step;             /* its next one, 0: no run is under way */
	bool part;               /* some of that step is done */
	VEC(int64_t) step_us;    /* what each, or its longest part, took in the last run */
	VEC(int64_t) noted_us;   /* of each device: when it was noted last, 0: never */
	VEC(uint8_t) is_changed; /* of each device */
	/* The clock of what no single device is about: a tick is the shortest interval of a fresh
	 * device. Runs come as often as batches do, so they are no measure of time. */
	uint32_t ticks;
	int64_t tick_us;
	uint64_t generation;
	int64_t run_us; /* time of the last run, or the one under way */
	struct diag_cost cost;
	struct diag_loading loading;
	struct digests digests;
	size_t at_once; /* ports that a part of a step looks at: DIAG_AT_ONCE; tests have it lower
			 */
	size_t each_at; /* the next of the devices that a detector goes through, see below */
};

/* device_summary.c */
/* Which devices are due in the run that begins; then these, until it returns true. */
void engine_digest_begin(struct diag *d, const struct model *m);
bool engine_digest_some(struct diag *d, const struct model *m);
/* What is kept of the device, if it is so now; NULL: it is to be worked out. */
const struct proof_tally *engine_proof(
	const struct diag *d, const struct model *m, uint32_t device, int64_t now_us);
void engine_digest_free(struct diag *d);
/* proof.c: makes it anew; returns until when it holds if nothing new comes. */
int64_t verdict_digest(struct proof_tally *t, const struct diag *d, const struct model *m,
	const struct device *dev, int64_t now_us);

/* state.c: the state, of what is counted; suffers: so the findings say. */
void verdict_settle(struct verdict_report *out, const struct diag *d, const struct model *m,
	uint32_t job, bool suffers, int64_t now_us);
/* Jobs stand still by such a finding. */
bool verdict_stops(enum finding_id id);

/* open_findings.c */
struct diag_run engine_run_of(
	struct diag *d, const struct model *m, uint32_t detector, int64_t now_us);
/*
 * Detector after detector: after the last one d->claims holds what they claim, kept claims too.
 * Before the first one what was kept of the devices to judge is forgotten.
 */
void engine_forget(struct diag *d);
/* False: that was a part of the detector, the same one is to be called again. */
bool engine_detect(struct diag *d, const struct model *m, uint32_t detector, int64_t now_us);
void engine_drop_claims(struct diag *d);
void engine_free_claims(struct diag *d);

/* hysteresis.c: takes the claims over into known; opens and closes. */
void engine_settle(struct diag *d, const struct model *m, int64_t now_us);
/* Whether the device was noted within the last two and a half of its intervals. */
bool engine_heard(const struct diag *d, const struct model *m, uint32_t device, int64_t now_us);
/* impact.c: GPUs that the finding blocks or slows, with a row of evidence that says how known. */
void engine_impact(const struct diag *d, const struct model *m, struct finding *f);
/* root_cause.c: roles and roots among the open findings, confidence, and the order of d->order. */
void engine_explain(struct diag *d, const struct model *m, int64_t now_us);

#endif
