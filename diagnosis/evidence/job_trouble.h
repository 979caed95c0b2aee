/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_EVIDENCE_JOB_TROUBLE_H
#define DIAGNOSIS_EVIDENCE_JOB_TROUBLE_H

#include "diagnosis/engine/detector.h"

/*
 * Whether some job became slower than it was, or waits, as of the last run. Then what is full or
 * uneven costs something. Without jobs that report, nothing is known, and the result is false.
 */
bool job_trouble(const struct diag_run *r);

#endif
