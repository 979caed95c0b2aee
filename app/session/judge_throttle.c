/* SPDX-License-Identifier: Apache-2.0 */
#include "app/session/judge_throttle.h"

void judge_throttle_begin(struct judge_throttle *r, int64_t now_us, size_t devices)
{
	bool arriving = r->arrived > devices / JUDGE_THROTTLE_ARRIVING;
	int64_t most = arriving ? JUDGE_THROTTLE_COLD_US : JUDGE_THROTTLE_US;

	r->until_us = now_us + (r->spent_us < most ? r->spent_us : most);
	r->spent_us = 0;
	r->arrived = 0;
}

int64_t judge_throttle_left(const struct judge_throttle *r, int64_t now_us)
{
	return r->until_us > now_us ? r->until_us - now_us : 0;
}
