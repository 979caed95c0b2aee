/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_STRAGGLER_BASELINE_H
#define DIAGNOSIS_STRAGGLER_BASELINE_H

#include <stdbool.h>

#include "base/state.h"
#include "fabric/model/model.h"

/*
 * Usual duration of operations of one function and size in a communicator, to detect "slower than
 * before". Memory of the detector: at most NCCL_BASES of them.
 */
#define NCCL_BASES 65536

struct nccl_bases;
struct nccl_bases *nccl_bases_new(void);
void nccl_bases_free(struct nccl_bases *b);

struct nccl_slow {
	uint8_t func;
	uint64_t bytes;
	double us, before_us; /* medians over ranks and operations */
	double z;             /* robust deviations of the operations before */
	unsigned ops;         /* number of compared operations */
};
/*
 * Adds the communicator's new operations. True: operations of some function and size are slower
 * than before by a tenth of the bandwidth or more; *out is the worst.
 */
bool nccl_bases_take(
	struct nccl_bases *b, const struct model *m, uint32_t comm, struct nccl_slow *out);

/* Serialisation, see struct detector. */
void nccl_bases_state(struct state *s, struct nccl_bases *b);

#endif
