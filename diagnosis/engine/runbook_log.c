/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/engine/runbook_log.h"

const char *step_outcome_name(enum step_outcome o)
{
	static const char *const names[STEP_OUTCOME_COUNT] = {[STEP_OPEN] = "open",
		[STEP_PASS] = "pass",
		[STEP_FAIL] = "fail",
		[STEP_UNKNOWN] = "cannot tell",
		[STEP_SKIPPED] = "skipped"};

	return (unsigned)o < STEP_OUTCOME_COUNT ? names[o] : "?";
}
