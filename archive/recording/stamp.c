/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/recording/rts_internal.h"
#include "diagnosis/engine/diag_state.h"
#include "fabric/state/state.h"

int64_t rts_stamp(void)
{
	uint64_t both = model_state_stamp() * UINT64_C(0x9e3779b97f4a7c15) ^ diag_state_stamp();

	return (int64_t)(both & INT64_MAX);
}
