/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ENGINE_ENGINE_H
#define DIAGNOSIS_ENGINE_ENGINE_H

#include <uthash.h>

#include "diagnosis/engine/detector.h"
#include "diagnosis/engine/diagnosis.h"

/* Private to the engine: diagnosis.c, open_findings.c, hysteresis.c, root_cause*.c, impact.c. */

struct record {
	struct finding f;
	/* For claims: the detector, the last device() call that made it, and whether it is of an
	 * earlier one. */
	uint32_t detector;
	uint64_t touched;
	bool kept, link; /* kept from an earlier run; link: either end can judge it */
	bool needed; /* a finding that follows from it, or ranks behind it, was claimed in the last
			run */
	/* For known findings: the last reported values, to detect changes; and the sample clock. */
	enum severity told_severity, acked_severity;
	enum finding_role told_role, said_role; /* said_role: the claim's own */
	uint64_t told_root, said_root;
	uint64_t behind;   /* key of a finding that it ranked behind in the last run, 0: none */
	int64_t orphan_us; /* its root, or that finding, ended then; 0: it did not */
	uint32_t clock;    /* device with the samples counted last, NO_DEVICE: the fabric's ticks */
	UT_hash_handle hh;
};

#define NO_DEVICE    UINT32_MAX
#define CLOSED_RING  256
#define CLAIMS_MAX   20000 /* of one run: a larger number means a fault in the detectors */
#define QUIET_CLOSES 3     /* samples without it: a healed fault is over within three polls */
/* A run is due after this time even without news, to report that all devices are silent. */
#define IDLE_RUN_US (5 * INT64_C(1000000))

/* A claim from device() of a detector, kept until that device is noted again. */
struct kept {
	uint32_t detector;
	bool link;
	struct finding f;
};
typedef VEC(struct kept) kept_vec;

/* Facts of one device for the proof that the fabric is clean: proof.c. */
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
	LINE_DEVICES = LINE_COUNT, /* besides the tallies: whether devices are current */
};
struct proof_count {
	unsigned of, told, bad;
};
struct proof_tally {
	struct proof_count line[LINE_COUNT];
	uint64_t flaps;           /* since start */
	unsigned unplanned;       /* ports without a known planned speed */
	unsigned unplanned_links; /* without a plan to compare with */
	float held;               /* greatest paused share */
};

/* Data kept per device from run to run, see struct detector; device_summary.c. */
struct digests {
	VEC(int64_t) until_us;          /* end of validity; INT64_MIN: invalid */
	VEC(struct proof_tally) proofs; /* of each device */
	VEC(uint32_t) due;              /* devices due in the current run */
	size_t at;                      /* index of the next one */
	uint64_t wiring;                /* wiring generation that the digests are based on */
	size_t ports;
	int64_t at_us;
	bool always; /* tests: digests are never kept */
};

/* Progress of loading (diag_state.h): numbers of items by kind, and the next step. */
#define DIAG_SECTIONS 10
struct diag_loading {
	size_t counts[DIAG_SECTIONS];
	size_t next; /* 0: no loading is in progress */
};

#define DIAG_AT_ONCE 4096 /* 1 to 2 ms */

struct diag {
	struct sample_windows *windows;
	struct pause_graph *pauses;   /* of the last run, or of this one once it is complete */
	struct pause_graph *building; /* of the current run, in parts */
	struct verdict_report verdict;
	const struct detector *const *table; /* the detectors; tests have their own */
	size_t ndetectors;                   /* at most detector_count */
	void **memory;                       /* of each */

	VEC(struct record *) claims;  /* of the current run */
	struct record *claimed;       /* the same by key */
	struct record overflow;       /* dummy for claims beyond CLAIMS_MAX */
	VEC(kept_vec) kept;           /* of each device */
	VEC(struct record *) touched; /* in the current device() call */
	uint32_t detector;            /* the current one */
	uint64_t call, calls;         /* number of the current call, 0: none; all calls so far */
	struct record *known;         /* recently claimed findings by key; open or not */
	VEC(const struct finding *) order;
	VEC(struct finding) closed; /* ring; newest at (nclosed - 1) % CLOSED_RING */
	VEC(int64_t) closed_us;
	uint64_t nclosed;

	VEC(uint32_t) changed; /* devices noted since the last run began */
	VEC(uint32_t) judging; /* devices of the current run */
	size_t step;           /* its next step, 0: no run is in progress */
	bool part;             /* part of that step is done */
	VEC(int64_t) step_us;  /* duration of each step, or of its longest part, in the last run */
	VEC(int64_t) noted_us; /* per device: last time it was noted, 0: never */
	VEC(uint8_t) is_changed; /* of each device */
	/* The clock of findings without a single device: a tick is the shortest interval of a
	 * fresh device. Runs come as often as batches, so they do not measure time. */
	uint32_t ticks;
	int64_t tick_us;
	uint64_t generation;
	int64_t run_us; /* time of the last run, or of the current one */
	struct diag_cost cost;
	struct diag_loading loading;
	struct digests digests;
	size_t at_once; /* ports in one part of a step: DIAG_AT_ONCE; tests set it lower */
	size_t each_at; /* next device for the detector's diag_each_device() */
};

/* device_summary.c */
/* Finds the devices due in a new run, then digests some of them; true: all are done. */
void engine_digest_begin(struct diag *d, const struct model *m);
bool engine_digest_some(struct diag *d, const struct model *m);
/* The kept tally of the device if it is still valid; NULL: it must be computed. */
const struct proof_tally *engine_proof(
	const struct diag *d, const struct model *m, uint32_t device, int64_t now_us);
void engine_digest_free(struct diag *d);
/* proof.c: recomputes it; returns the time until which it holds without news. */
int64_t verdict_digest(struct proof_tally *t, const struct diag *d, const struct model *m,
	const struct device *dev, int64_t now_us);

/* state.c: derives the state from the counted evidence; suffers: findings show it. */
void verdict_settle(struct verdict_report *out, const struct diag *d, const struct model *m,
	uint32_t job, bool suffers, int64_t now_us);
/* Whether such a finding stalls jobs. */
bool verdict_stops(enum finding_id id);
/* A victim of something that nobody reports: the verdict rests on it. */
bool verdict_of_unseen(const struct finding *f);

/* open_findings.c */
struct diag_run engine_run_of(
	struct diag *d, const struct model *m, uint32_t detector, int64_t now_us);
/*
 * Run one detector after the other: after the last one d->claims holds all claims, kept ones too.
 * engine_forget() drops the kept claims of the devices to judge, before the first detector.
 */
void engine_forget(struct diag *d);
/* False: the detector did only a part and must be called again. */
bool engine_detect(struct diag *d, const struct model *m, uint32_t detector, int64_t now_us);
void engine_drop_claims(struct diag *d);
void engine_free_claims(struct diag *d);

/* hysteresis.c: merges the claims into known; opens and closes findings. */
void engine_settle(struct diag *d, const struct model *m, int64_t now_us);
/* Whether the device was noted within the last two and a half of its intervals. */
bool engine_heard(const struct diag *d, const struct model *m, uint32_t device, int64_t now_us);
/* impact.c: sets the number of GPUs that the finding blocks or slows; adds evidence with the
 * source. */
void engine_impact(const struct diag *d, const struct model *m, struct finding *f);
/* root_cause.c: sets roles and roots of the open findings, confidence, and the order of
 * d->order. */
void engine_explain(struct diag *d, const struct model *m, int64_t now_us);

#endif
