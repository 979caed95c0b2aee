/* SPDX-License-Identifier: Apache-2.0 */
#include "app/session/judge_throttle.h"

void judge_throttle_heard(struct judge_throttle *r, int64_t interval_us)
{
	interval_us = interval_us > 0 ? interval_us : 1;
	if (!r->least_us || interval_us < r->least_us)
		r->least_us = interval_us;
}

void judge_throttle_begin(struct judge_throttle *r, int64_t now_us, size_t devices)
{
	int64_t most = JUDGE_THROTTLE_US, rest = r->spent_us;

	if (r->arrived > devices / JUDGE_THROTTLE_ARRIVING) {
		most = JUDGE_THROTTLE_COLD_US;
		rest *= JUDGE_THROTTLE_TIMES;
	} else if (r->least_us >= JUDGE_SELDOM_US) {
		most = JUDGE_SELDOM_REST_US;
		rest *= JUDGE_SELDOM_TIMES;
	}
	r->until_us = now_us + (rest < most ? rest : most);
	r->spent_us = r->least_us = 0;
	r->arrived = 0;
}

int64_t judge_throttle_left(const struct judge_throttle *r, int64_t now_us)
{
	return r->until_us > now_us ? r->until_us - now_us : 0;
}
