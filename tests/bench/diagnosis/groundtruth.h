/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_DIAGNOSIS_GROUNDTRUTH_H
#define TESTS_BENCH_DIAGNOSIS_GROUNDTRUTH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "fabric/plan/plan.h"
#include "tests/bench/diagnosis/bed.h"

/*
 * A run of a packet simulator (topology.json, ports.csv, nics.csv, nccl_ops.csv, events.csv, all
 * perhaps gzipped) as observation lines: one bucket is one poll of 5 s, so that times, bytes and
 * frames are multiplied by 5 s over the bucket; errors, NAKs and flaps are as they were counted.
 * A NIC "srv08-nic2" of server 8 becomes port "srv08-nic2" of host "server8". The labels beside
 * these files are not read here.
 */
struct groundtruth;

/* ERR_CONFIG names the file that is missing or does not fit. */
struct groundtruth *groundtruth_open(const char *dir, const struct sweep *sweep, struct err *err);
void groundtruth_close(struct groundtruth *g);
const struct plan *groundtruth_plan(const struct groundtruth *g);

/* One poll: its end in the run's own time and as wall time. */
struct gt_poll {
	int64_t t_us, wall_us;
};
typedef void line_fn(void *ctx, const char *text, size_t len);
/* Writes the lines of the next poll; false at the end. */
bool groundtruth_poll(struct groundtruth *g, struct gt_poll *p, line_fn *line, void *ctx);

#endif
