/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_DIAGNOSIS_SIM_RUN_H
#define TESTS_BENCH_DIAGNOSIS_SIM_RUN_H

#include <jansson.h>

#include "base/clock.h"
#include "emulator/serve/observations.h"
#include "tests/bench/diagnosis/bed.h"

/* An emulated fabric in simulated time that feeds a bed with its observation lines. */
#define SIM_START (INT64_C(1763726000) * CLOCK_SEC)

struct sim_run {
	struct topology *topology;
	struct sim *sim;
	struct plan plan;
	struct observations *writer;
	FILE *file; /* in memory: the lines of one poll */
	char *text;
	size_t size;
	int64_t interval_us, now_us;
	const struct sweep *sweep;
};

/* preset: also a name of topologies/. scenario may be NULL. False with err: one cannot be read. */
bool sim_run_open(struct sim_run *r, const char *preset, uint64_t seed, const char *scenario,
	const struct sweep *sweep, struct err *err);
void sim_run_close(struct sim_run *r);
/* Advances by one interval and feeds the devices' reports. */
void sim_run_poll(struct sim_run *r, struct bed *bed);
/* The truth as of now; the caller frees. */
json_t *sim_run_truth(const struct sim_run *r);

#endif
