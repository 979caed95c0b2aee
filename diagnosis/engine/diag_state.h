/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ENGINE_DIAG_STATE_H
#define DIAGNOSIS_ENGINE_DIAG_STATE_H

#include "base/state.h"
#include "diagnosis/engine/diagnosis.h"

/*
 * Serialises the diagnosis besides the model: windows, onsets, kept claims, findings with their
 * hysteresis and acknowledgements, closed findings, the detectors' memory, the verdict. Rules as
 * in fabric/state/state.h: in steps, and only between two runs. It is loaded into a new diagnosis
 * of the loaded model, which then continues exactly as the saved one.
 */
size_t diag_state_steps(const struct diag *d);
bool diag_state_step(struct state *s, struct diag *d, const struct model *m, size_t step);
/* Changes with the meaning of the bytes: from the tables of findings and detectors. */
uint64_t diag_state_stamp(void);

#endif
