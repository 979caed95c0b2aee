/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "tests/support/cases.h"

/* 2026-11-22T02:13:30Z */
#define NOW (INT64_C(1795313610) * CLOCK_SEC)

CASE(times_of_day_are_the_last_ones)
{
	int64_t t = 0;

	assert_true(clock_parse("02:13:30", 0, NOW, &t));
	assert_int_equal(t, NOW);
	assert_true(clock_parse("02:13", 0, NOW, &t));
	assert_int_equal(t, NOW - 30 * CLOCK_SEC);
	/* Not yet today: yesterday's is meant. */
	assert_true(clock_parse("02:13:31Z", 0, NOW, &t));
	assert_int_equal(t, NOW + CLOCK_SEC - 86400 * CLOCK_SEC);
	assert_true(clock_parse("00:00:00", 0, NOW, &t));
	assert_int_equal(t % (86400 * CLOCK_SEC), 0);
	assert_true(t <= NOW);
}

CASE(dates_and_distances)
{
	int64_t t = 0;
	char text[32];

	assert_true(clock_parse("2026-11-22T02:13:30Z", 0, 0, &t));
	assert_int_equal(t, NOW);
	assert_true(clock_parse("2026-11-22 02:13:30", 0, 0, &t));
	assert_int_equal(t, NOW);
	assert_true(clock_parse("2026-11-22T02:13", 0, 0, &t));
	assert_int_equal(t, NOW - 30 * CLOCK_SEC);
	assert_true(clock_parse("-5m", NOW, 0, &t));
	assert_int_equal(t, NOW - 300 * CLOCK_SEC);
	assert_true(clock_parse("+90", NOW, 0, &t));
	assert_int_equal(t, NOW + 90 * CLOCK_SEC);
	/* A printed time is read back. */
	assert_true(clock_parse(clock_format_utc(NOW, text, sizeof(text)), 0, 0, &t));
	assert_int_equal(t, NOW);
}

CASE(what_is_no_time_is_refused)
{
	static const char *const bad[] = {"", "-", "+", "5m", "25:00", "2:13", "02:60", "02:13:61",
		"02:13:30x", "02:13:", "2026-13-01T00:00", "2026-11-22", "2026-11-22T",
		"2026-11-22T02:13:30ZZ", "-99999999999999999d", "now", "02", "9999-99-99T00:00"};
	int64_t t;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (clock_parse(bad[i], NOW, NOW, &t))
			fail_msg("\"%s\" is no time", bad[i]);
}

CASES_MAIN(NULL, NULL)
