/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_PACKETS_FRESH_RUN_H
#define TESTS_BENCH_PACKETS_FRESH_RUN_H

#include <stdbool.h>
#include <stdint.h>

/* A run that is drawn from a seed: fabric, jobs and fault. What it is, in words for people. */
struct fresh_run {
	uint64_t seed;
	char kind[32], shape[32], workload[48], place[160];
	unsigned nics, draws; /* draws: until a fault showed in the counters */
};

/*
 * Writes the files of the seed's run into dir, which must exist. A fault without a visible effect
 * is drawn anew, of the same kind. only: a kind of fault, instead of the seed's, or a shape. NULL:
 * any. False: there is no such run.
 */
bool fresh_write(uint64_t seed, const char *dir, const char *only, struct fresh_run *run);

#endif
