/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/model/rate.h"

#include <math.h>

enum step counter_step(uint64_t before, uint64_t now, unsigned bits, uint64_t *delta)
{
	uint64_t max = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	uint64_t sixteenth = max / 16 + 1, step;

	if (now == before) {
		*delta = 0;
		return STEP_SAME;
	}
	if (now > before) {
		*delta = now - before;
		return STEP_FORWARD;
	}
	/* A device with counters wider than in the table never wraps at the table's width. */
	if (before <= max && before > max - sixteenth) {
		step = max - before + now + 1;
		if (step < sixteenth) {
			*delta = step;
			return STEP_WRAP;
		}
	}
	return STEP_RESET;
}

double counter_rate(uint64_t delta, int64_t dt_us)
{
	return dt_us > 0 ? (double)delta * 1e6 / (double)dt_us : (double)NAN;
}
