/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/clock_track.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"

/* 2026-11-22T02:00:00Z */
#define TWO  (INT64_C(1795312800) * CLOCK_SEC)
#define MIN  (60 * CLOCK_SEC)
#define HOUR (60 * MIN)

static int64_t found(const struct clock_track *t, const char *text, int64_t from, int64_t to,
	struct clock_moment *m)
{
	return clock_track_find(t, text, to, from, to, m) == CLOCK_FOUND ? m->us : -1;
}

CASE(without_a_step_both_are_the_same)
{
	struct clock_track t = {0};
	struct clock_moment m;

	assert_false(clock_track_note(&t, TWO, TWO));
	assert_false(clock_track_note(&t, TWO + HOUR, TWO + HOUR + 400000));
	assert_int_equal(clock_track_wall(&t, TWO), TWO);
	assert_int_equal(clock_track_wall(NULL, TWO), TWO);
	assert_int_equal(found(&t, "02:30", TWO, TWO + HOUR, &m), TWO + 30 * MIN);
	assert_string_equal(m.said, "");
	assert_int_equal(found(NULL, "-5m", TWO, TWO + HOUR, &m), TWO + 55 * MIN);
	assert_int_equal(found(&t, "03:30", TWO, TWO + HOUR, &m), -1);
}

/* The clock is set back by an hour at 03:00, so the hour from 02:00 is there twice. */
CASE(an_hour_that_was_twice)
{
	struct clock_track t = {0};
	struct clock_moment m;
	int64_t end = TWO + 2 * HOUR + 10 * MIN;

	assert_true(clock_track_note(&t, TWO + HOUR, TWO));
	assert_false(clock_track_note(&t, TWO + HOUR + 5 * CLOCK_SEC, TWO + 5 * CLOCK_SEC));
	assert_int_equal(clock_track_wall(&t, TWO + HOUR - 1), TWO + HOUR - 1);
	assert_int_equal(clock_track_wall(&t, TWO + HOUR), TWO);
	assert_int_equal(clock_track_wall(&t, 0), 0);
	assert_int_equal(found(&t, "02:30", TWO, end, &m), TWO + 90 * MIN);
	assert_int_equal(m.n, 2);
	assert_int_equal(m.chosen, 2);
	assert_string_equal(m.said, "02:30 was 2 times (clock stepped -1 h at 03:00:00Z, to "
				    "02:00:00Z): this is #2, 02:30#1 is the other");
	assert_int_equal(found(&t, "02:30#1", TWO, end, &m), TWO + 30 * MIN);
	assert_non_null(strstr(m.said, "this is #1, 02:30#2 is the other"));
	assert_int_equal(found(&t, "2026-11-22T02:30:00Z#2", TWO, end, &m), TWO + 90 * MIN);
	assert_int_equal(found(&t, "02:30#3", TWO, end, &m), -1);
	assert_int_equal(found(&t, "02:30#0", TWO, end, &m), -1);
	assert_int_equal(found(&t, "02:30#", TWO, end, &m), -1);
	/* The time that went by, whatever the clock did. */
	assert_int_equal(found(&t, "-90m", TWO, end, &m), end - 90 * MIN);
	/* 03:05 was once, and later than the first 02:30. */
	assert_int_equal(found(&t, "03:05", TWO, end, &m), TWO + 125 * MIN);
	assert_string_equal(m.said, "");
	assert_int_equal(clock_track_turn(&t, TWO + 30 * MIN, TWO, end), 1);
	assert_int_equal(clock_track_turn(&t, TWO + 90 * MIN, TWO, end), 2);
	assert_int_equal(clock_track_turn(&t, TWO + 125 * MIN, TWO, end), 0);
	assert_int_equal(clock_track_session(&t, TWO + 30 * MIN), TWO + 90 * MIN);
	clock_track_free(&t);
}

CASE(a_time_that_never_was)
{
	struct clock_track t = {0};
	struct clock_moment m;

	assert_true(clock_track_note(&t, TWO + 10 * MIN, TWO + 70 * MIN));
	assert_int_equal(found(&t, "02:30", TWO, TWO + 30 * MIN, &m), TWO + 10 * MIN);
	assert_string_equal(m.said, "02:30 never was: clock stepped +1 h at 02:10:00Z, to "
				    "03:10:00Z; this is the moment of the step");
	assert_int_equal(found(&t, "03:20", TWO, TWO + 30 * MIN, &m), TWO + 20 * MIN);
	assert_int_equal(found(&t, "02:05", TWO, TWO + 30 * MIN, &m), TWO + 5 * MIN);
	clock_track_free(&t);
}

CASE(small_steps_add_up)
{
	struct clock_track t = {0};

	for (int i = 1; i <= 3; i++)
		assert_true(clock_track_note(&t, TWO + i * MIN, TWO + i * MIN + i * 200000) ==
			    (i == 3));
	assert_int_equal(t.steps.n, 1);
	assert_int_equal(t.steps.at[0].by_us, 600000);
	clock_track_free(&t);
}

/* A leap second, or ntpdate: there at once, however long the session runs already. */
CASE(a_second_is_a_step)
{
	struct clock_track t = {0};

	assert_false(clock_track_note(&t, TWO, TWO));
	assert_true(clock_track_note(&t, TWO + 300 * HOUR, TWO + 300 * HOUR - CLOCK_SEC));
	assert_false(clock_track_note(&t, TWO + 301 * HOUR, TWO + 301 * HOUR - CLOCK_SEC));
	assert_true(clock_track_note(&t, TWO + 302 * HOUR, TWO + 302 * HOUR));
	assert_int_equal(t.steps.n, 2);
	assert_int_equal(t.steps.at[0].by_us, -CLOCK_SEC);
	assert_int_equal(t.steps.at[1].by_us, CLOCK_SEC);
	clock_track_free(&t);
}

CASE(text_of_steps)
{
	static const struct {
		int64_t by_us;
		const char *text;
	} all[] = {{HOUR, "+1 h"}, {-HOUR, "-1 h"}, {-1000000, "-1.0 s"}, {600000, "+0.6 s"},
		{59 * CLOCK_SEC, "+59 s"}, {-90 * CLOCK_SEC, "-1 min 30 s"}, {5 * MIN, "+5 min"},
		{90 * MIN, "+1 h 30 min"}, {-26 * HOUR, "-1 d 2 h"}, {INT64_C(48) * HOUR, "+2 d"}};
	char text[32];

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_string_equal(clock_step_text(all[i].by_us, text, sizeof(text)), all[i].text);
}

static void walk(struct clock_track *t, unsigned seed, unsigned steps)
{
	int64_t now = TWO, ahead = 0;

	srand(seed);
	for (unsigned i = 0; i < steps; i++) {
		now += 1 + rand() % (20 * MIN);
		ahead += (rand() % 2 ? 1 : -1) * (rand() % (2 * HOUR));
		(void)clock_track_note(t, now, now + ahead);
	}
}

CASE(text_comes_back)
{
	static const char *const bad[] = {"", "x", "1;", "1;2", "1;2+", "1;2+3;2+4", "1;5+1;4+1",
		"1;2 3", "99999999999999999999;1+1", "1;2+3000000000000000;3+3000000000000000",
		"0;-5+1", "0;1+1x", "0,1+1"};
	struct clock_track t = {0}, again = {0};
	struct buf b;

	buf_init(&b, 1 << 20);
	for (unsigned seed = 1; seed < 30; seed++) {
		clock_track_free(&t);
		walk(&t, seed, seed);
		buf_reset(&b);
		assert_true(clock_track_print(&t, &b));
		assert_true(clock_track_read(&again, b.data));
		assert_true(clock_track_equal(&t, &again));
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(clock_track_read(&again, bad[i]));
		assert_true(again.steps.n == 0 && again.base_us == 0);
	}
	buf_free(&b);
	clock_track_free(&t);
	clock_track_free(&again);
}

/* A clock that is set all the time: a track has an end, and its newest times stay right. */
CASE(steps_have_a_limit)
{
	struct clock_track t = {0};
	int64_t now = TWO;

	for (int i = 0; i < CLOCK_STEPS_MAX + 100; i++) {
		now += CLOCK_SEC;
		assert_true(clock_track_note(&t, now, now + (i % 2 ? HOUR : -MIN)));
	}
	assert_int_equal(t.steps.n, CLOCK_STEPS_MAX);
	for (int i = 0; i < CLOCK_STEPS_MAX; i++) {
		int64_t at = now - i * CLOCK_SEC;

		assert_int_equal(clock_track_wall(&t, at) - at,
			(CLOCK_STEPS_MAX + 99 - i) % 2 ? HOUR : -MIN);
	}
	clock_track_free(&t);
}

/* Whatever a clock did: the time that it showed at a moment leads to that moment. */
CASE(every_moment_is_reached_by_its_time)
{
	for (unsigned seed = 100; seed < 100 + effort(200); seed++) {
		struct clock_track t = {0};
		int64_t to;

		walk(&t, seed, 1 + seed % 12);
		to = t.steps.n ? t.steps.at[t.steps.n - 1].at_us + HOUR : TWO + HOUR;
		for (int i = 0; i < 50; i++) {
			int64_t us = TWO +
				     (int64_t)((double)(to - TWO) * i / 50) / CLOCK_SEC * CLOCK_SEC;
			struct clock_moment m = {0};
			char when[40], text[64];
			bool there = false;

			clock_format_utc(clock_track_wall(&t, us), when, sizeof(when));
			for (unsigned n = 1; n <= CLOCK_TIMES_MAX && !there; n++) {
				(void)str_printf(text, sizeof(text), "%s#%u", when, n);
				there = found(&t, text, TWO, to, &m) >= 0 && m.us <= us &&
					us - m.us < CLOCK_SEC;
				assert_true(m.n <= CLOCK_TIMES_MAX);
			}
			if (!there)
				fail_msg("seed %u: %s (%lld) is not reached", seed, when,
					(long long)us);
		}
		clock_track_free(&t);
	}
}

CASE(session_time_goes_on)
{
	int64_t last = clock_session(), now, wall;
	struct clock_track t = {0};

	clock_both(&now, &wall);
	assert_true(now >= last && wall - now < CLOCK_SEC && now - wall < CLOCK_SEC);
	/* The recording ends an hour from now: the clock was set back. */
	clock_session_continue(&t, now + HOUR);
	assert_true(clock_session() > now + HOUR);
	assert_true(clock_session() < now + HOUR + MIN);
	/* The recording's clock is an hour behind its session time. */
	t.base_us = -2 * HOUR;
	clock_session_continue(&t, now + HOUR);
	assert_true(clock_session() >= now + 2 * HOUR);
	assert_true(clock_session() < now + 2 * HOUR + MIN);
}

CASES_MAIN(NULL, NULL)
