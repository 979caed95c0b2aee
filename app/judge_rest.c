/* SPDX-License-Identifier: Apache-2.0 */
#include "app/judge_rest.h"

void judge_rest_begin(struct judge_rest *r, int64_t now_us, size_t devices)
{
	bool cold = r->arrived > devices / JUDGE_REST_ARRIVING;
	int64_t most = cold ? JUDGE_REST_COLD_US : JUDGE_REST_US;
	int64_t rest = cold ? r->spent_us * JUDGE_REST_TIMES : r->spent_us;

	r->until_us = now_us + (rest < most ? rest : most);
	r->spent_us = 0;
	r->arrived = 0;
}

int64_t judge_rest_left(const struct judge_rest *r, int64_t now_us)
{
	return r->until_us > now_us ? r->until_us - now_us : 0;
}
