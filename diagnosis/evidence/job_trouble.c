/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/evidence/job_trouble.h"

#include "diagnosis/engine/diagnosis.h"

static bool is_trouble(const struct finding *f)
{
	switch (f->id) {
	case FIND_NCCL_HANG:
	case FIND_NCCL_SLOW:
	case FIND_NCCL_SLOW_EDGE:
	case FIND_NCCL_ERROR:
	case FIND_NCCL_NIC:
	case FIND_NCCL_TIMEOUT:
	case FIND_NCCL_MISMATCH:
		return true;
	default:
		return false;
	}
}

bool job_trouble(const struct diag_run *r)
{
	const struct finding *const *list;
	size_t n;

	list = diag_findings(r->d, &n);
	for (size_t i = 0; i < n; i++)
		if (is_trouble(list[i]))
			return true;
	return false;
}
