/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_LOAD_PROMETHEUS_SOURCE_H
#define TESTS_BENCH_LOAD_PROMETHEUS_SOURCE_H

#include <stdbool.h>

#include "fabric/plan/sizing.h"
#include "tests/bench/load/program.h"

/*
 * The fabric of a preset in a Prometheus-compatible server (tests/bench/metrics), scraped every 15
 * s ($SCRAPE), and an inventory for a console that reads it every 30 s. Counters are those that
 * both the embedded mapping and emulated devices have; wiring is by formula, needs and neighbours
 * are not reported.
 */
struct prometheus_source {
	char dir[64];
	char inventory[96];
	struct program server;
};

bool prometheus_source_start(struct prometheus_source *e, const struct sizing *z);
void prometheus_source_stop(struct prometheus_source *e);

#endif
