/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ENGINE_H
#define DIAGNOSIS_ENGINE_H

#include <uthash.h>

#include "diagnosis/detector.h"
#include "diagnosis/diagnosis.h"

/* Private to diagnosis.c, hysteresis.c and explain.c. */

struct record {
	struct finding f;
	UT_hash_handle hh;
};

#define CLOSED_RING  256
#define CLAIMS_MAX   20000 /* of one run: beyond it something is wrong with the detectors */
#define QUIET_CLOSES 6     /* samples without it, diagnosis reference: close after 6 quiet polls */

struct diag {
	struct windows *windows;
	struct pause_graph *pauses;
	struct verdict_report verdict;
	void **memory; /* of each detector */

	VEC(struct record *) claims; /* of the run at hand */
	struct record *claimed;      /* the same by key */
	struct record *known;        /* findings that were claimed lately, by key; open or not */
	VEC(const struct finding *) order;
	VEC(struct finding) closed; /* ring; newest at (nclosed - 1) % CLOSED_RING */
	VEC(int64_t) closed_us;
	uint64_t nclosed;

	uint64_t generation;
	uint32_t runs;
	bool noted;
	struct diag_cost cost;
};

/* hysteresis.c: takes the claims over into known; opens and closes. */
void engine_settle(struct diag *d, const struct model *m, int64_t now_us);
/* explain.c: roles and roots among the open findings, confidence, and the order of d->order. */
void engine_explain(struct diag *d, const struct model *m, int64_t now_us);

#endif
