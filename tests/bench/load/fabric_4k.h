/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_LOAD_FABRIC_4K_H
#define TESTS_BENCH_LOAD_FABRIC_4K_H

#include "fabric/model/model.h"
#include "fabric/plan/plan.h"

/* The 4,000-GPU fabric, or another preset, polled by hand. The caller frees both. */
#define BENCH_4K_POLLS 40 /* after this number of polls the load is half */

void bench_4k_plan(struct plan *p);
void bench_fabric_plan(struct plan *p, const char *preset); /* of a size that sizing.h has */
/* After `polls` polls, 5 s apart; *now moves on with them. */
struct model *bench_4k_model(const struct plan *p, unsigned polls, int64_t *now);
/* The n-th poll, of each parts-th device from the part-th on. */
void bench_4k_poll(struct model *m, unsigned n, uint32_t part, uint32_t parts, int64_t now);
/* The same, with pauses sent and received only by each parts-th device. */
void bench_fabric_poll(struct model *m, unsigned n, uint32_t part, uint32_t parts, int64_t now,
	uint32_t one_held_in);

/*
 * The number of priorities, lanes or bins of a counter that the emulated devices report, as real
 * ones do. NICs count PFC on the lossless priority and bytes on all. SONiC reports the queue in
 * use. EOS spines report all queues, without a histogram. Optics have four lanes of light.
 */
unsigned bench_4k_told(const struct counter_info *c, enum tier tier);

#endif
