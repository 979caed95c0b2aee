/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "backends/collector/schedule.h"
#include "base/clock.h"
#include "tests/support/cases.h"

#define SEC CLOCK_SEC

static void init(struct schedule *s, int64_t interval_us, unsigned index, unsigned count)
{
	const struct plan_device d = {.interval_us = interval_us};

	schedule_init(s, &d, index, count);
}

/* Connected and detected: all other tiers are due. */
static void start(struct schedule *s, int64_t now_us)
{
	schedule_start(s, now_us);
	assert_int_equal(schedule_take(s, now_us), POLL_DETECT);
	schedule_done(s, POLL_DETECT, now_us);
}

CASE(nothing_is_due_before_the_connection)
{
	struct schedule s;

	init(&s, 5 * SEC, 0, 1);
	assert_int_equal(schedule_take(&s, 100 * SEC), -1);
	assert_true(schedule_next_us(&s) == INT64_MAX);
}

CASE(everything_is_due_at_the_connection_fast_first)
{
	struct schedule s;

	init(&s, 5 * SEC, 3, 10);
	start(&s, 100 * SEC);
	assert_int_equal(schedule_take(&s, 100 * SEC), POLL_FAST);
	assert_int_equal(schedule_take(&s, 100 * SEC), POLL_SLOW);
	assert_int_equal(schedule_take(&s, 100 * SEC), POLL_MEDIUM);
	assert_int_equal(schedule_take(&s, 100 * SEC), -1);
}

/* The first picture of a large fabric is not kept waiting by settings and optics. */
CASE(of_many_devices_the_rest_waits_its_turn_once)
{
	struct schedule s;

	init(&s, 5 * SEC, 2000, 4000);
	start(&s, 100 * SEC);
	assert_int_equal(schedule_take(&s, 100 * SEC), POLL_FAST);
	assert_int_equal(schedule_take(&s, 100 * SEC), -1);
	schedule_done(&s, POLL_FAST, 100 * SEC);
	/* 4,000 turns are 40 s, longer than the medium period: half of that, and of these. */
	assert_int_equal(schedule_take(&s, 115 * SEC - 1), POLL_FAST);
	assert_int_equal(schedule_take(&s, 115 * SEC - 1), -1);
	assert_int_equal(schedule_take(&s, 115 * SEC), POLL_MEDIUM);
	assert_int_equal(schedule_take(&s, 120 * SEC - 1), -1);
	assert_int_equal(schedule_take(&s, 120 * SEC), POLL_SLOW);
	/* A device that comes back has its place between the others already. */
	schedule_stop(&s);
	start(&s, 200 * SEC);
	assert_int_equal(schedule_take(&s, 200 * SEC), POLL_FAST);
	assert_int_equal(schedule_take(&s, 200 * SEC), POLL_SLOW);
	assert_int_equal(schedule_take(&s, 200 * SEC), POLL_MEDIUM);
}

CASE(who_is_looked_at_does_not_wait_for_its_turn)
{
	struct schedule s;

	init(&s, 5 * SEC, 2000, 4000);
	start(&s, 100 * SEC);
	assert_int_equal(schedule_take(&s, 100 * SEC), POLL_FAST);
	schedule_focus(&s, true, 101 * SEC);
	assert_int_equal(schedule_take(&s, 101 * SEC), POLL_SLOW);
	assert_int_equal(schedule_take(&s, 101 * SEC), POLL_MEDIUM);
	schedule_done(&s, POLL_SLOW, 102 * SEC);
	/* Only postponed polls: a second focus asks for nothing. */
	schedule_focus(&s, false, 103 * SEC);
	schedule_focus(&s, true, 104 * SEC);
	assert_int_equal(schedule_take(&s, 104 * SEC), -1);
	/* In focus before it is connected. */
	init(&s, 5 * SEC, 2000, 4000);
	schedule_focus(&s, true, 99 * SEC);
	start(&s, 100 * SEC);
	assert_int_equal(schedule_take(&s, 100 * SEC), POLL_FAST);
	assert_int_equal(schedule_take(&s, 100 * SEC), POLL_SLOW);
}

/* `railtop check` waits for all of it. */
CASE(who_asks_once_asks_at_once)
{
	struct schedule s;

	init(&s, 5 * SEC, 2000, 4000);
	s.once = true;
	start(&s, 100 * SEC);
	assert_int_equal(schedule_take(&s, 100 * SEC), POLL_FAST);
	assert_int_equal(schedule_take(&s, 100 * SEC), POLL_SLOW);
	assert_int_equal(schedule_take(&s, 100 * SEC), POLL_MEDIUM);
}

/* Nothing else is scheduled before the device is detected. */
CASE(detection_is_first_and_alone)
{
	struct schedule s;

	init(&s, 1 * SEC, 0, 1);
	for (int64_t connected = 0; connected < 200 * SEC; connected += 100 * SEC) {
		schedule_start(&s, connected);
		assert_true(schedule_next_us(&s) == connected);
		assert_int_equal(schedule_take(&s, connected), POLL_DETECT);
		assert_int_equal(schedule_take(&s, connected + 30 * SEC), -1);
		assert_true(schedule_next_us(&s) == INT64_MAX);
		schedule_now(&s, connected + 30 * SEC);
		assert_int_equal(schedule_take(&s, connected + 30 * SEC), -1);
		schedule_done(&s, POLL_DETECT, connected + 30 * SEC);
		assert_int_equal(schedule_take(&s, connected + 30 * SEC), POLL_FAST);
		schedule_done(&s, POLL_FAST, connected + 30 * SEC);
		/* Once a connection. */
		for (int64_t now = connected + 30 * SEC; now < connected + 60 * SEC; now += SEC) {
			int t = schedule_take(&s, now);

			assert_int_not_equal(t, POLL_DETECT);
			if (t >= 0)
				schedule_done(&s, (enum poll_tier)t, now);
		}
		schedule_stop(&s);
		assert_int_equal(schedule_take(&s, connected + 90 * SEC), -1);
	}
}

CASE(periods_are_the_plan_s)
{
	const struct plan_device d = {
		.interval_us = 2 * SEC, .medium_us = 7 * SEC, .slow_us = 20 * SEC};
	unsigned asked[POLL_TIER_COUNT] = {0};
	struct schedule s;

	schedule_init(&s, &d, 1, 3);
	start(&s, 0);
	for (int64_t now = 0; now < 140 * SEC; now += SEC / 10) {
		int t = schedule_take(&s, now);

		if (t < 0)
			continue;
		asked[t]++;
		schedule_done(&s, (enum poll_tier)t, now);
	}
	assert_in_range(asked[POLL_FAST], 69, 71);
	assert_in_range(asked[POLL_MEDIUM], 20, 21);
	assert_in_range(asked[POLL_SLOW], 7, 8);
	assert_int_equal(asked[POLL_EVENTS], 0);
	/* Without a word of the plan. */
	init(&s, 0, 0, 1);
	assert_int_equal(s.every_us[POLL_FAST], SEC);
	assert_int_equal(s.every_us[POLL_MEDIUM], POLL_MEDIUM_US);
	assert_int_equal(s.every_us[POLL_SLOW], POLL_SLOW_US);
}

static int64_t medium_next(struct schedule *s, int64_t now_us)
{
	while (now_us < 10000 * SEC) {
		int t = schedule_take(s, now_us);

		if (t >= 0)
			schedule_done(s, (enum poll_tier)t, now_us);
		if (t == POLL_MEDIUM)
			return now_us;
		now_us += t < 0 ? SEC / 4 : 0;
	}
	return -1;
}

/* Optics and neighbours of a large fabric: half as often, unless the plan says how often. */
CASE(of_many_devices_what_may_wait_is_asked_half_as_often)
{
	const struct plan_device said = {.interval_us = 5 * SEC, .medium_us = 30 * SEC};
	const struct plan_device silent = {.interval_us = 5 * SEC};
	struct schedule s;
	int64_t last, next;

	schedule_init(&s, &silent, 100, SCHEDULE_AT_ONCE);
	schedule_medium_waits(&s, &silent);
	assert_int_equal(s.every_us[POLL_MEDIUM], POLL_MEDIUM_US);
	schedule_init(&s, &said, 100, SCHEDULE_AT_ONCE + 1);
	schedule_medium_waits(&s, &said);
	assert_int_equal(s.every_us[POLL_MEDIUM], 30 * SEC);
	schedule_init(&s, &silent, 100, SCHEDULE_AT_ONCE + 1);
	schedule_medium_waits(&s, &silent);
	assert_int_equal(s.every_us[POLL_MEDIUM], POLL_MEDIUM_LARGE_US);
	start(&s, 0);
	(void)medium_next(&s, 0);
	last = medium_next(&s, SEC);
	for (int i = 0; i < 5; i++, last = next) {
		next = medium_next(&s, last + SEC);
		assert_int_equal(next - last, POLL_MEDIUM_LARGE_US);
	}
}

/* A device in focus has the usual optics poll: 30 s after the last one, not with each focus. */
CASE(who_is_looked_at_does_not_wait_for_optics)
{
	const struct plan_device d = {.interval_us = 5 * SEC};
	struct schedule s;
	int64_t last, next;

	schedule_init(&s, &d, 100, SCHEDULE_AT_ONCE + 1);
	schedule_medium_waits(&s, &d);
	start(&s, 0);
	(void)medium_next(&s, 0);
	last = medium_next(&s, SEC);
	for (int i = 0; i < 4; i++) {
		schedule_focus(&s, true, last + (10 + i) * SEC);
		schedule_focus(&s, false, last + (10 + i) * SEC + SEC / 2);
	}
	schedule_focus(&s, true, last + 20 * SEC);
	next = medium_next(&s, last + 20 * SEC);
	assert_in_range(next - last, 30 * SEC, 31 * SEC);
	last = medium_next(&s, next + SEC);
	next = medium_next(&s, last + SEC);
	assert_int_equal(next - last, POLL_MEDIUM_US);
	/* Long after it: at once. Then nobody looks, and it is as with the others. */
	schedule_focus(&s, false, next + SEC);
	last = medium_next(&s, medium_next(&s, next + 2 * SEC) + SEC);
	schedule_focus(&s, true, last + 40 * SEC);
	assert_int_equal(medium_next(&s, last + 40 * SEC), last + 40 * SEC);
	schedule_focus(&s, false, last + 41 * SEC);
	last = medium_next(&s, medium_next(&s, last + 42 * SEC) + SEC);
	assert_int_equal(medium_next(&s, last + SEC) - last, POLL_MEDIUM_LARGE_US);
}

CASE(a_tier_in_flight_is_not_asked_again)
{
	struct schedule s;

	init(&s, 1 * SEC, 0, 1);
	start(&s, 0);
	while (schedule_take(&s, 0) >= 0)
		;
	assert_int_equal(schedule_take(&s, 1000 * SEC), -1);
	assert_true(schedule_next_us(&s) == INT64_MAX);
	schedule_done(&s, POLL_FAST, 1000 * SEC);
	assert_true(schedule_next_us(&s) > 1000 * SEC);
	assert_int_equal(schedule_take(&s, 1002 * SEC), POLL_FAST);
}

/* A slow command must not hold up the fast tier. */
CASE(a_slow_answer_does_not_delay_the_fast_tier)
{
	struct schedule s;
	unsigned polls = 0;

	init(&s, 1 * SEC, 0, 1);
	start(&s, 0);
	assert_int_equal(schedule_take(&s, 0), POLL_FAST);
	schedule_done(&s, POLL_FAST, 0);
	assert_int_equal(schedule_take(&s, 0), POLL_SLOW); /* and never answered */
	for (int64_t now = 0; now < 10 * SEC; now += SEC / 10) {
		int t = schedule_take(&s, now);

		if (t < 0)
			continue;
		polls += t == POLL_FAST;
		schedule_done(&s, (enum poll_tier)t, now);
	}
	assert_in_range(polls, 9, 11);
}

CASE(the_grid_does_not_drift_and_spreads_devices)
{
	struct schedule s;
	unsigned count = 10;

	for (unsigned i = 0; i < count; i++) {
		init(&s, 5 * SEC, i, count);
		start(&s, 777777);
		assert_int_equal(schedule_take(&s, 777777), POLL_FAST);
		/* Answers that take their time do not move the next poll. */
		schedule_done(&s, POLL_FAST, 777777 + 300000);
		for (int k = 0; k < 5; k++) {
			int64_t due = s.due[POLL_FAST];

			assert_int_equal(due % (5 * SEC), 5 * SEC * i / count);
			s.busy[POLL_FAST] = true;
			schedule_done(&s, POLL_FAST, due + 400000);
			assert_int_equal(s.due[POLL_FAST], due + 5 * SEC);
		}
	}
}

CASE(the_second_poll_is_within_one_and_a_half_intervals)
{
	struct schedule s;

	for (unsigned i = 0; i < 100; i++) {
		int64_t begin = 1234567 + i * 54321;

		init(&s, 5 * SEC, i, 100);
		start(&s, begin);
		schedule_done(&s, POLL_FAST, begin);
		assert_in_range(s.due[POLL_FAST] - begin, 5 * SEC / 2, 5 * SEC * 3 / 2);
	}
}

CASE(missed_polls_are_skipped_not_made_up)
{
	struct schedule s;

	init(&s, 1 * SEC, 0, 1);
	start(&s, 0);
	schedule_done(&s, POLL_FAST, 0);
	s.busy[POLL_FAST] = true;
	schedule_done(&s, POLL_FAST, 60 * SEC);
	assert_true(s.due[POLL_FAST] > 60 * SEC);
	assert_true(s.due[POLL_FAST] <= 62 * SEC);
	/* The second was at 1 or 2 s, and each after it is told of. */
	assert_int_equal(s.left_out, (uint64_t)(s.due[POLL_FAST] / SEC) - 2);
}

CASE(only_polls_that_were_due_are_left_out)
{
	struct schedule s;

	init(&s, 1 * SEC, 0, 1);
	start(&s, SEC / 3); /* off the grid: its next place may be 1.5 intervals away */
	schedule_done(&s, POLL_FAST, SEC / 3 + 1);
	assert_int_equal(s.left_out, 0);
	assert_int_equal(s.due[POLL_FAST], SEC);
	schedule_done(&s, POLL_FAST, SEC + SEC * 9 / 10); /* slow, and in time */
	assert_int_equal(s.left_out, 0);
	schedule_done(&s, POLL_FAST, 2 * SEC + SEC * 11 / 10); /* the place at 3 s has passed */
	assert_int_equal(s.due[POLL_FAST], 4 * SEC);
	assert_int_equal(s.left_out, 1);
	schedule_done(&s, POLL_MEDIUM, 4000 * SEC);
	assert_int_equal(s.left_out, 1);
	/* Nothing could be asked before the device was detected. */
	init(&s, 1 * SEC, 0, 1);
	schedule_start(&s, 0);
	assert_int_equal(schedule_take(&s, 0), POLL_DETECT);
	schedule_done(&s, POLL_DETECT, 20 * SEC);
	assert_int_equal(schedule_take(&s, 20 * SEC), POLL_FAST);
	schedule_done(&s, POLL_FAST, 20 * SEC + 1);
	assert_int_equal(s.left_out, 0);
	/* It was parked until the device came into focus again. */
	schedule_focus(&s, true, 200 * SEC);
	assert_int_equal(schedule_take(&s, 200 * SEC), POLL_FAST);
	schedule_done(&s, POLL_FAST, 200 * SEC + 1);
	assert_int_equal(s.left_out, 0);
}

/* Connected to beside its place at 15 s, which is too near then; its answers came in that time. */
static void start_beside_its_place(struct schedule *s, int64_t took_us)
{
	init(s, 5 * SEC, 0, 1);
	start(s, 12 * SEC + SEC / 2);
	assert_int_equal(schedule_take(s, 12 * SEC + SEC / 2), POLL_FAST);
	schedule_answer(s, 12 * SEC + SEC * 6 / 10);
	schedule_answer(s, 12 * SEC + SEC / 2 + took_us);
	schedule_done(s, POLL_FAST, 12 * SEC + SEC / 2 + took_us);
	assert_int_equal(s->due[POLL_FAST], 20 * SEC);
	assert_int_equal(schedule_take(s, 20 * SEC), POLL_FAST);
}

CASE(what_comes_an_interval_late_is_told_though_no_place_was_missed)
{
	struct schedule s;

	start_beside_its_place(&s, SEC / 10);
	schedule_answer(&s, 22 * SEC);
	schedule_done(&s, POLL_FAST, 22 * SEC);
	assert_int_equal(s.left_out, 0);
	/* Nearly two intervals: as far apart as polls of the grid may be that had one between them.
	 */
	start_beside_its_place(&s, SEC / 10);
	schedule_answer(&s, 22 * SEC + SEC / 4);
	schedule_done(&s, POLL_FAST, 22 * SEC + SEC / 4);
	assert_int_equal(s.left_out, 1);
	/* Of several answers the first may have the counters, and the last the next time. */
	start_beside_its_place(&s, 2 * SEC);
	schedule_answer(&s, 22 * SEC + SEC / 2);
	schedule_done(&s, POLL_FAST, 22 * SEC + SEC * 6 / 10);
	assert_int_equal(s.left_out, 1);
	start_beside_its_place(&s, SEC / 10);
	schedule_done(&s, POLL_FAST, 22 * SEC + SEC * 6 / 10);
	assert_int_equal(s.due[POLL_FAST], 25 * SEC);
	assert_int_equal(s.left_out, 1);
	/* By the answer before, however late that was. */
	schedule_done(&s, POLL_FAST, 29 * SEC);
	assert_int_equal(s.left_out, 1);
	/* The place at 40 s is counted before it has passed, and once. */
	schedule_done(&s, POLL_FAST, 37 * SEC + SEC * 6 / 10);
	assert_int_equal(s.due[POLL_FAST], 45 * SEC);
	assert_int_equal(s.left_out, 3);
	schedule_done(&s, POLL_FAST, 49 * SEC + SEC * 9 / 10);
	assert_int_equal(s.due[POLL_FAST], 50 * SEC);
	assert_int_equal(s.left_out, 3);
	/* A new connection starts all over. */
	schedule_stop(&s);
	start(&s, 100 * SEC);
	assert_int_equal(schedule_take(&s, 100 * SEC), POLL_FAST);
	schedule_done(&s, POLL_FAST, 100 * SEC + 1);
	assert_int_equal(s.left_out, 3);
}

struct lateness {
	struct schedule s;
	int64_t counters_us, asked_us;
	uint64_t owed, rounds;
};

/* A round of several answers, any of which may have the counters. */
static void a_round(struct lateness *l, int64_t asked_us, int64_t took_us, unsigned which)
{
	int64_t every = l->s.every_us[POLL_FAST], first = asked_us + took_us / (1 + which % 3);
	int64_t counters = which % 2 ? first : asked_us + took_us,
		since = counters - l->counters_us;

	assert_int_equal(schedule_take(&l->s, asked_us), POLL_FAST);
	schedule_answer(&l->s, first);
	schedule_done(&l->s, POLL_FAST, asked_us + took_us);
	if (l->counters_us && since >= 2 * every)
		l->owed += (uint64_t)(since / every) - 1;
	else if (l->counters_us && asked_us - l->asked_us >= 2 * every - every / 10)
		l->owed += since >= 2 * every - every / 10;
	l->counters_us = counters;
	l->asked_us = asked_us;
	l->rounds++;
}

/* Whenever a device is connected to and however long it takes: never silent, never twice. */
CASE(all_that_is_late_by_an_interval_is_told)
{
	uint64_t random = 1;

	for (unsigned run = 0; run < 1000; run++) {
		struct lateness l = {0};
		int64_t begun = 1000 * SEC + run * (SEC / 7), due = begun, took = 0;

		init(&l.s, 5 * SEC, run % 10, 10);
		start(&l.s, begun);
		for (unsigned i = 0; i < 50; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			due = l.s.due[POLL_FAST] + (int64_t)(random >> 40) % (SEC / 2);
			took = (int64_t)(random >> 33) % ((i + run) % 4 ? 5 * SEC : 20 * SEC);
			a_round(&l, due, took, (unsigned)(random >> 20) % 6);
			l.s.busy[POLL_SLOW] = l.s.busy[POLL_MEDIUM] = true;
			assert_true(l.s.left_out >= l.owed);
			/* Places, but for the first poll, and one may have yet to come. */
			assert_true(l.s.left_out + l.rounds <=
				    (uint64_t)((due + took - begun) / (5 * SEC)) + 3);
		}
	}
}

CASE(the_first_sweep_is_quick)
{
	struct schedule s;

	init(&s, 5 * SEC, 43, 44);
	assert_true(schedule_first_us(&s) < SEC);
	init(&s, SEC / 5, 43, 44);
	assert_true(schedule_first_us(&s) < SEC / 5);
	init(&s, 5 * SEC, 0, 44);
	assert_int_equal(schedule_first_us(&s), 0);
}

CASE(focus_makes_the_fast_tier_faster)
{
	struct schedule s;
	int64_t first;

	init(&s, 30 * SEC, 0, 1);
	start(&s, 0);
	schedule_done(&s, POLL_FAST, 0);
	assert_true(s.due[POLL_FAST] > 10 * SEC);
	schedule_focus(&s, true, 2 * SEC);
	assert_int_equal(s.due[POLL_FAST], 2 * SEC);
	schedule_done(&s, POLL_FAST, 2 * SEC);
	first = s.due[POLL_FAST];
	assert_true(first <= 4 * SEC);
	schedule_focus(&s, false, first);
	assert_true(s.due[POLL_FAST] > first + 10 * SEC); /* at once, too */
	schedule_done(&s, POLL_FAST, first);
	assert_true(s.due[POLL_FAST] > first + 10 * SEC);
	/* A device that is faster anyway is not slowed down. */
	init(&s, SEC / 5, 0, 1);
	start(&s, 0);
	schedule_focus(&s, true, 0);
	schedule_done(&s, POLL_FAST, 0);
	assert_true(s.due[POLL_FAST] <= SEC);
}

CASE(once_asks_each_tier_once)
{
	struct schedule s;
	unsigned asked = 0;

	init(&s, 1 * SEC, 0, 1);
	s.once = true;
	schedule_start(&s, 0);
	for (int i = 0; i < 4; i++) {
		int t = schedule_take(&s, 0);

		assert_true(t >= 0 && t != POLL_EVENTS);
		asked |= 1u << t;
		assert_false(schedule_finished(&s));
		schedule_done(&s, (enum poll_tier)t, 0);
	}
	assert_int_equal(
		asked, 1u << POLL_DETECT | 1u << POLL_FAST | 1u << POLL_MEDIUM | 1u << POLL_SLOW);
	assert_true(schedule_finished(&s));
	assert_int_equal(schedule_take(&s, 1000 * SEC), -1);
}

CASE(backoff_doubles_and_is_bounded)
{
	for (uint32_t random = 0; random < 5000; random += 7) {
		int64_t before = 0;

		for (unsigned failures = 1; failures < 100; failures++) {
			int64_t wait = backoff_us(failures, ERR_UNREACHABLE, random);

			assert_in_range(wait, SEC / 2, 60 * SEC);
			assert_true(wait >= before);
			before = wait;
		}
		assert_true(backoff_us(1, ERR_UNREACHABLE, random) <= 2 * SEC);
		assert_true(before >= 30 * SEC);
	}
	assert_int_not_equal(
		backoff_us(3, ERR_UNREACHABLE, 1), backoff_us(3, ERR_UNREACHABLE, 500));
}

CASE(backoff_spares_accounts)
{
	for (uint32_t random = 0; random < 5000; random += 7) {
		int64_t window = 0;
		unsigned tries = 1;

		assert_in_range(backoff_us(1, ERR_UNAUTHORISED, random), 30 * SEC, 60 * SEC);
		/* Five refusals within 15 minutes lock an account: never as many. */
		while ((window += backoff_refused_us(tries, random)) < 900 * SEC)
			tries++;
		assert_true(tries < 5);
		assert_true(backoff_refused_us(1000, random) <= 750 * SEC);
	}
}

CASE(a_log_that_ends_is_asked_for_rarely)
{
	for (uint32_t random = 0; random < 5000; random += 7) {
		assert_in_range(backoff_follow_us(1, random), 45 * SEC, 75 * SEC);
		assert_in_range(backoff_follow_us(2, random), 90 * SEC, 150 * SEC);
		assert_in_range(backoff_follow_us(1000, random), 450 * SEC, 750 * SEC);
	}
}

/*
 * A group of a fabric's devices is asked in one turn of the loop; all groups spread over the
 * period.
 */
CASE(devices_are_asked_in_groups)
{
	enum { COUNT = 820 };
	int64_t last = 0;
	unsigned groups = 0, most = 0, n = 0;

	for (unsigned i = 0; i < COUNT; i++) {
		struct schedule s;
		int64_t due;

		init(&s, 5 * SEC, i, COUNT);
		start(&s, 1000 * SEC + i);
		assert_int_equal(schedule_take(&s, 1000 * SEC + i), POLL_FAST);
		schedule_done(&s, POLL_FAST, 1000 * SEC + i);
		due = s.due[POLL_FAST] % (5 * SEC);
		assert_true(due <= 5 * SEC * i / COUNT && due + SEC / 20 > 5 * SEC * i / COUNT);
		n = i && due == last ? n + 1 : 1;
		groups += n == 1;
		most = n > most ? n : most;
		last = due;
		/* And its place is kept. */
		assert_int_equal(schedule_take(&s, s.due[POLL_FAST]), POLL_FAST);
		schedule_done(&s, POLL_FAST, s.due[POLL_FAST] + SEC / 100);
		assert_true(s.due[POLL_FAST] % (5 * SEC) == due);
	}
	assert_int_equal(groups, 100);
	assert_in_range(most, 8, 9);
}

CASES_MAIN(NULL, NULL)
