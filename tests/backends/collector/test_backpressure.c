/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/collector/backpressure.h"
#include "base/clock.h"
#include "tests/support/cases.h"

CASE(who_is_late_asks_few_at_a_time)
{
	struct pace p;

	pace_init(&p, 0);
	assert_int_equal(p.most, PACE_MOST);
	pace_note(&p, PACE_LATE_US - 1, CLOCK_SEC);
	assert_int_equal(p.most, PACE_MOST);
	pace_note(&p, PACE_LATE_US, CLOCK_SEC);
	assert_int_equal(p.most, PACE_LEAST);
}

/* All timers of one turn are late, and its last ones say nothing about the next turn. */
CASE(more_again_by_and_by)
{
	int64_t now = 10 * CLOCK_SEC;
	unsigned looks = 0, before;
	struct pace p;

	pace_init(&p, 0);
	pace_note(&p, PACE_LATE_US, now);
	pace_note(&p, 0, now + PACE_LATE_US - 1);
	assert_int_equal(p.most, PACE_LEAST);
	for (; p.most < PACE_MOST && looks < 1000; now += CLOCK_MSEC) {
		before = p.most;
		pace_note(&p, 0, now);
		looks += p.most != before;
		assert_in_range(p.most, before, before + before / 8);
	}
	/* 64 * 1.125^n reaches 65536 at n = 59. */
	assert_in_range(looks, 59, 61);
	assert_in_range(now, 16 * CLOCK_SEC, 17 * CLOCK_SEC);
	/* Neither late nor in time: as it is. */
	pace_note(&p, PACE_LATE_US, now += CLOCK_SEC);
	pace_note(&p, PACE_LATE_US / 4, now += CLOCK_SEC);
	assert_int_equal(p.most, PACE_LEAST);
}

CASE(never_above_its_top)
{
	struct pace p;

	pace_init(&p, 3);
	for (int i = 1; i < 100; i++) {
		pace_note(&p, i % 7 ? 0 : PACE_LATE_US, i * CLOCK_SEC);
		assert_int_equal(p.most, 3);
	}
}

CASES_MAIN(NULL, NULL)
