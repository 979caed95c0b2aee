/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_DETECTOR_H
#define DIAGNOSIS_DETECTOR_H

#include "diagnosis/finding.h"
#include "diagnosis/pause_graph.h"
#include "diagnosis/window.h"
#include "fabric/model.h"

/*
 * For diagnosis/detect_*.c only. A detector looks at the model, the windows and the pause graph,
 * and claims what it finds, in every run anew. The engine compares the claims of successive runs,
 * opens and closes findings with hysteresis, and explains away. A detector keeps no state of its
 * own but what it puts behind a pointer of struct detector_memory.
 */
struct diag_run {
	const struct model *m;
	int64_t now_us;
	const struct windows *w;
	const struct pause_graph *pauses; /* of this run, detectors come after it */
	struct diag *d;
	void **memory; /* of this detector: NULL at first; see free_memory */
};

struct detector {
	const char *name;
	void (*run)(struct diag_run *r);
	void (*free_memory)(void *memory); /* NULL: none */
};

/*
 * The claim of this run about id at a place: made, or the one that was made already. Role and
 * severity are set from the table (ROLE_CULPRIT when it has a prior, else ROLE_RISK). The pointer
 * is good until the run ends.
 */
struct finding *diag_claim(struct diag_run *r, enum finding_id id, struct ref at);
/* A claim of this run or NULL; for detectors that build on others (order of detectors.def). */
struct finding *diag_claimed(struct diag_run *r, enum finding_id id, struct ref at);
/* Walks the claims of this run; NULL past the end. */
struct finding *diag_claim_at(struct diag_run *r, size_t i);
/* Whether the finding is open from earlier runs: where a detector has its own hysteresis of level.
 */
const struct finding *diag_open(const struct diag_run *r, enum finding_id id, struct ref at);
extern const struct detector *const detector_table[];
extern const size_t detector_count;

#endif
