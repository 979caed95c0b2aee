/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ENGINE_STATE_PARTS_H
#define DIAGNOSIS_ENGINE_STATE_PARTS_H

#include "base/state.h"
#include "diagnosis/engine/detector.h"
#include "diagnosis/engine/finding.h"
#include "diagnosis/engine/verdict.h"

/*
 * Shared serialisation for the state functions of diagnosis/ only. Each function visits its
 * argument (base/state.h). Loaded data is checked against the model: every place exists, and no
 * time can overflow arithmetic.
 */

void state_ref(struct state *s, struct ref *r, const struct model *m);
void state_evidence(struct state *s, struct evidence *e, const struct model *m);
/* Visits all fields, those of the engine too. Loading fills an empty one. */
void state_finding(struct state *s, struct finding *f, const struct model *m);
void state_verdict(struct state *s, struct verdict_report *v, const struct model *m);
/*
 * Visits whether the memory of a detector exists. Loading creates it if so (size bytes of zeros).
 * False: there is no memory to visit.
 */
bool state_memory(struct state *s, void **memory, size_t size);

#endif
