/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fabric/model/rate.h"
#include "tests/support/cases.h"

struct step_case {
	const char *name;
	uint64_t before, now;
	unsigned bits;
	enum step step;
	uint64_t delta;
};

#define MAX32 UINT64_C(0xffffffff)

static const struct step_case steps[] = {
	{"same", 7, 7, 64, STEP_SAME, 0},
	{"same at zero", 0, 0, 32, STEP_SAME, 0},
	{"forward", 7, 19, 64, STEP_FORWARD, 12},
	{"forward over the whole range", 0, UINT64_MAX, 64, STEP_FORWARD, UINT64_MAX},
	{"wrap 32", MAX32 - 9, 20, 32, STEP_WRAP, 30},
	{"wrap 32 by one", MAX32, 0, 32, STEP_WRAP, 1},
	{"wrap 64", UINT64_MAX - 4, 5, 64, STEP_WRAP, 10},
	{"wrap with the largest step", MAX32, MAX32 / 16 - 1, 32, STEP_WRAP, MAX32 / 16},
	{"too far for a wrap", MAX32, MAX32 / 16, 32, STEP_RESET, 0},
	{"below the last sixteenth", MAX32 - MAX32 / 16 - 1, 0, 32, STEP_RESET, 0},
	{"cleared", 1000, 0, 64, STEP_RESET, 0},
	{"cleared, some since", 1000, 999, 32, STEP_RESET, 0},
	{"32-bit value in a 64-bit counter", MAX32, 3, 64, STEP_RESET, 0},
	{"wider than the table says", MAX32 + 50, 3, 32, STEP_RESET, 0},
};

CASE(steps_are_told_apart)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		const struct step_case *c = &steps[i];
		uint64_t delta = 0;
		enum step got = counter_step(c->before, c->now, c->bits, &delta);

		if (got != c->step || (got != STEP_RESET && delta != c->delta))
			fail_msg(
				"%s: step %d, delta %llu", c->name, got, (unsigned long long)delta);
	}
}

CASE(a_rate_needs_time)
{
	assert_true(isnan(counter_rate(5, 0)));
	assert_true(isnan(counter_rate(5, -1)));
	assert_true(counter_rate(0, 1) == 0);
	assert_true(counter_rate(10, 2000000) == 5);
	assert_true(counter_rate(UINT64_MAX, 1) > 0);
}

CASES_MAIN(NULL, NULL)
