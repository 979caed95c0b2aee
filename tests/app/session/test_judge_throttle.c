/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "app/session/judge_throttle.h"

#define MS INT64_C(1000)
#define T0 (1000 * MS)

static struct judge_throttle after(int64_t spent_us, size_t arrived, size_t devices)
{
	struct judge_throttle r = {.spent_us = spent_us, .arrived = arrived};

	judge_throttle_begin(&r, T0, devices);
	return r;
}

static void it_is_as_long_as_the_judgement(void **state)
{
	struct judge_throttle r = after(300 * MS, 0, 820);

	(void)state;
	assert_int_equal(judge_throttle_left(&r, T0), 300 * MS);
	assert_int_equal(judge_throttle_left(&r, T0 + 100 * MS), 200 * MS);
	assert_int_equal(judge_throttle_left(&r, T0 + 300 * MS), 0);
	assert_int_equal(judge_throttle_left(&r, T0 + 900 * MS), 0);
}

/* Three of 820 are less than one in 256. */
static void it_may_be_longer_while_devices_arrive(void **state)
{
	struct judge_throttle few = after(1500 * MS, 3, 820), more = after(1500 * MS, 4, 820),
			      one = after(1500 * MS, 1, 4), brief = after(300 * MS, 820, 820);

	(void)state;
	assert_int_equal(judge_throttle_left(&few, T0), JUDGE_THROTTLE_US);
	assert_int_equal(judge_throttle_left(&more, T0), 1500 * MS);
	assert_int_equal(judge_throttle_left(&one, T0), 1500 * MS);
	assert_int_equal(judge_throttle_left(&brief, T0), 300 * MS);
}

static void it_has_a_bound(void **state)
{
	struct judge_throttle r = after(60000 * MS, 0, 820), cold = after(60000 * MS, 820, 820);

	(void)state;
	assert_int_equal(judge_throttle_left(&r, T0), JUDGE_THROTTLE_US);
	assert_int_equal(judge_throttle_left(&cold, T0), JUDGE_THROTTLE_COLD_US);
}

static void it_counts_from_the_last_judgement(void **state)
{
	struct judge_throttle r = after(300 * MS, 820, 820);

	(void)state;
	r.spent_us += 10 * MS;
	judge_throttle_begin(&r, 2 * T0, 820);
	assert_int_equal(judge_throttle_left(&r, 2 * T0), 10 * MS);
}

static void nothing_was_judged_yet(void **state)
{
	struct judge_throttle r = {0};

	(void)state;
	assert_int_equal(judge_throttle_left(&r, T0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_as_long_as_the_judgement),
		cmocka_unit_test(it_may_be_longer_while_devices_arrive),
		cmocka_unit_test(it_has_a_bound),
		cmocka_unit_test(it_counts_from_the_last_judgement),
		cmocka_unit_test(nothing_was_judged_yet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
