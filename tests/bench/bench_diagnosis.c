/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How well the diagnosis does, against labels that it never sees: see bench/diagnosis.h.
 *
 *   build/tests/bench/bench_diagnosis [part...]: runs unseen fresh regression sweeps scenarios
 * trace traces soak days cost
 *
 *   FULL=1: all presets, seeds and sweeps, hours of healthy load, 200 fresh runs
 *
 *   ONLY=NAME: of the unseen ones; of the fresh ones a kind of fault or a shape of fabric
 *
 *   SEEDS="101 102": scenarios and fresh runs with these seeds instead of those of the date
 *
 *   RUNS=80: so many fresh runs instead of 40
 *
 *   KEEP=DIR: fresh runs that failed stay below DIR, by seed
 *
 *   DAYS=N: of simulated GPU-days of healthy load
 *
 *   VERBOSE=1: of sweeps over scenarios the runs that fail; of single runs every poll
 *
 *   SCENARIO=incast, PRESETS="ref256 breakout": only these scenarios; on these fabrics
 *
 *   GROUNDTRUTH=DIR: labelled runs below DIR instead of $RAILTOP_SHARED/groundtruth
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/diagnosis/diagnosis.h"

static bool wanted(int argc, char **argv, const char *part)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], part) == 0)
			return true;
	return argc < 2;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(const struct bench *b);
	} parts[] = {{"runs", bench_groundtruth}, {"unseen", bench_unseen}, {"fresh", bench_fresh},
		{"regression", bench_regression}, {"sweeps", bench_sweeps},
		{"scenarios", bench_scenarios}, {"trace", bench_trace}, {"traces", bench_traces},
		{"soak", bench_soak}, {"days", bench_soak_days}, {"cost", bench_cost}};
	const char *build = getenv("BUILD"), *shared = getenv("RAILTOP_SHARED");
	struct bench b = {.figures = figures_new("diagnosis"),
		.full = getenv("FULL") != NULL,
		.build = build ? build : "build",
		.shared = shared ? shared : "../shared"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (wanted(argc, argv, parts[i].name))
			parts[i].run(&b);
	return figures_end(b.figures) ? 0 : 1;
}
