/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ENGINE_STATE_PARTS_H
#define DIAGNOSIS_ENGINE_STATE_PARTS_H

#include "base/state.h"
#include "diagnosis/engine/detector.h"
#include "diagnosis/engine/finding.h"
#include "diagnosis/engine/verdict.h"

/*
 * For the state functions of diagnosis/ only: what several of them are made of. Each visits what it
 * is given (base/state.h); what is loaded is checked against the model: no place that it does not
 * have, no time that arithmetic could not stand.
 */

void state_ref(struct state *s, struct ref *r, const struct model *m);
void state_evidence(struct state *s, struct evidence *e, const struct model *m);
/* Everything, the engine's part too; what is loaded goes into an empty one. */
void state_finding(struct state *s, struct finding *f, const struct model *m);
void state_verdict(struct state *s, struct verdict_report *v, const struct model *m);
/*
 * Whether the memory of a detector is there: made (size bytes of zeros) when loading says so.
 * False: there is nothing more to visit.
 */
bool state_memory(struct state *s, void **memory, size_t size);

#endif
