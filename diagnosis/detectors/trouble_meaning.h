/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_DETECTORS_TROUBLE_MEANING_H
#define DIAGNOSIS_DETECTORS_TROUBLE_MEANING_H

#include "fabric/vocabulary/job.h"

/*
 * Tells what an error in a job's log means for its cause, and what it is not, in one static
 * sentence; NULL: its words say nothing of that. Source: the status of a completion (IBA
 * 10.10.2.2; NCCL's own retries are over by then), else the words of the message.
 */
const char *trouble_meaning(const struct trouble *t);

/*
 * What the operation that a rank gave up on is for, as far as the name of its group or its size
 * tells. Its function alone says too little: engines of inference sum over hosts as well.
 */
bool trouble_purpose(const struct nccl *n, const struct comm *c, const struct trouble *t, char *dst,
	size_t size);

#endif
