/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_DIAGNOSIS_SCORE_H
#define TESTS_BENCH_DIAGNOSIS_SCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/vec.h"

/*
 * Scores the verdicts of one run against its label.json, by the rules of the runs' score.py. Only
 * the first verdict counts for top-1; an incident is the same verdict first in two polls that
 * follow one another.
 *
 * Of two faults at once only one can stand first. So for each fault of several, the verdicts that
 * are right for another fault that is on are left out, and the first of the rest counts. A fault
 * that is listed second, behind the other one, is found; one behind a wrong verdict is not.
 * score.py has other rules there: it detects a fault only when it stands first, and locates it when
 * it is among the first three. These counts are kept apart, to compare both programs.
 *
 * An incident is in time when its verdict was listed in time, even if it came first only after the
 * other fault had gone.
 */
struct guess {
	char class[48];
	json_t *entity; /* as in verdict.jsonl */
};
struct said {
	int64_t t_us;
	VEC(struct guess) guesses; /* most likely first */
	VEC(json_t *) victims;     /* entities that were called victims */
};
typedef VEC(struct said) said_vec;
void said_free(said_vec *v);

struct score {
	unsigned faults, detected, top1, top3, right_class;
	unsigned py_detected, py_top1, py_class; /* as score.py counts them */
	unsigned incidents, right_incidents, healthy, false_incidents;
	unsigned victim_first; /* faults during which a victim stood first in some poll */
	VEC(double) polls;     /* buckets until the first right verdict */
	VEC(double) stable;    /* buckets until it was right and stayed so */
};
/* One line a fault, for the table. */
typedef void score_row(void *ctx, const char *class, bool top1, bool class_ok, double polls,
	unsigned incidents, const char *verdict);
/* Adds the run to s; false when dir has no label. */
bool score_run(struct score *s, const char *dir, const said_vec *said, score_row *row, void *ctx);
/* Adds the counts of another score. */
void score_merge(struct score *s, const struct score *other);
void score_free(struct score *s);
/* The p-th part of the values, by the rule of score.py for 0.95, the median for 0.5. NAN: none. */
double score_part(double *at, size_t n, double p);
/* The same of the time until the root cause was stable. A bucket is 5 s, also where a poll takes
 * two of them. */
double score_stable_s(struct score *s, double p);

#endif
