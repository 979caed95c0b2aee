/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/evidence/job_trouble.h"

bool job_trouble(const struct diag_run *r)
{
	static const enum finding_id ids[] = {
		FIND_NCCL_HANG, FIND_NCCL_SLOW, FIND_NCCL_ERROR, FIND_NCCL_MISMATCH};

	for (size_t i = 0; i < r->m->nccl->jobs.n; i++) {
		struct ref job = {.kind = REF_JOB, .job = (uint32_t)i};

		for (size_t k = 0; k < sizeof(ids) / sizeof(ids[0]); k++)
			if (diag_open(r, ids[k], job))
				return true;
	}
	return false;
}
