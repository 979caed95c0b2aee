/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ENGINE_DIAG_STATE_H
#define DIAGNOSIS_ENGINE_DIAG_STATE_H

#include "base/state.h"
#include "diagnosis/engine/diagnosis.h"

/*
 * What the diagnosis knows beside the model, as bytes: windows, onsets, claims that are kept, the
 * findings with their hysteresis and acknowledgements, what closed, what detectors remember, the
 * verdict. Rules as in fabric/state/state.h: in steps, between two runs only (no run under way),
 * loaded into a new diagnosis of the loaded model; it then goes on exactly as the one that was
 * saved.
 */
size_t diag_state_steps(const struct diag *d);
bool diag_state_step(struct state *s, struct diag *d, const struct model *m, size_t step);
/* Another one when bytes mean something else: of the tables of findings and detectors. */
uint64_t diag_state_stamp(void);

#endif
