/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_LOAD_SOAK_ACCOUNT_H
#define TESTS_BENCH_LOAD_SOAK_ACCOUNT_H

#include "fabric/model/model.h"

/*
 * Finds polls that are missed in silence. It watches every call that the model receives, one at a
 * time. A reader that samples the model now and then, and is late itself, cannot do that. It takes
 * two answers that were applied together for one that is late, and misses a state that came and
 * went.
 *
 * All times are those of the batches, so that nothing depends on when they were applied.
 */
struct soak_watched {
	int64_t counters_us; /* of the last report, 0: never */
	int64_t asked_us;    /* for these */
	uint64_t failures;   /* then */
	bool other;          /* it was shown as other than fresh since */
	uint64_t heard;      /* polls reported by events since, that were not missed before */
	uint64_t untold;     /* polls that did not take place, not yet reported */
	int64_t untold_us;   /* since when */
	double untold_gap_s; /* the first of them */
	bool went;           /* it was shown as other than fresh since then */
};

struct soak_account {
	struct soak_watched *devices; /* by their id */
	size_t n;
	uint64_t event_seq; /* the last event seen */
	uint64_t gaps;      /* times that counters were late by an interval, or nearly */
	double longest_s;   /* of them */
	uint64_t told;      /* polls, by events */
	uint64_t silent;    /* polls left out and not reported in time */
	uint64_t went;      /* of these, polls of devices that went away before the report */
	char first[256];    /* that only an event reports */
};

/* Of the model's devices as they are now. Give back with soak_account_free(). */
void soak_account_init(struct soak_account *a, const struct model *m);
void soak_account_free(struct soak_account *a);
/* The batch has been applied; it is of a live session. */
void soak_account_applied(struct soak_account *a, const struct model *m, const struct obs *o);
/* model_age() has been called. */
void soak_account_aged(struct soak_account *a, const struct model *m);
/* At the end, wall time: the time by which reports were due. */
void soak_account_end(struct soak_account *a, const struct model *m, int64_t now_us);

#endif
