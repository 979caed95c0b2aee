/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_DIAGNOSIS_DIAGNOSIS_H
#define TESTS_BENCH_DIAGNOSIS_DIAGNOSIS_H

#include <stdbool.h>

#include "tests/bench/diagnosis/bed.h"
#include "tests/support/figures.h"

/* The parts of bench_diagnosis; each prints its table and adds its figures. */
struct bench {
	struct figures *figures;
	bool full;          /* everything, else a selection that fits into three minutes */
	const char *build;  /* where results go */
	const char *shared; /* where the labelled runs are */
};

struct score;
/* The figures of a score, with the bounds of the issue; hard: they must be met. */
void bench_report(
	const struct bench *b, const char *runs, const char *sweep, bool hard, struct score *s);
/* Labelled runs of a packet simulator. */
void bench_groundtruth(const struct bench *b);
/* Classes that have no labelled run, made by a packet simulator of our own. */
void bench_unseen(const struct bench *b);
/* Runs that are drawn from seeds of the date: fabric, jobs and fault. */
void bench_fresh(const struct bench *b);
/* Those that failed before. */
void bench_regression(const struct bench *b);
/* The labelled runs with the losses of each sweep. */
void bench_sweeps(const struct bench *b);
/* tests/scenarios in simulated time, on several shapes, with seeds of the date. */
void bench_scenarios(const struct bench *b);
/* The same with the losses of each sweep. */
void bench_scenario_sweeps(const struct bench *b);
/* From a rank behind a link that flaps to that link. */
void bench_trace(const struct bench *b);
/* The same traced from ranks that wait, from the place of the fault, from bystanders. */
void bench_traces(const struct bench *b);
/* An hour of bytes of a real cluster: nothing may be blamed but two members used one way. */
void bench_soak(const struct bench *b);
/* Healthy fabrics in simulated days, under loads that look like trouble: nothing may be blamed. */
void bench_soak_days(const struct bench *b);
/* CPU of a poll at 24,384 and 600,000 ports. */
void bench_cost(const struct bench *b);

#endif
