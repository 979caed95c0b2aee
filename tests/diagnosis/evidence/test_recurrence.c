/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "diagnosis/evidence/recurrence.h"
#include "fabric/vocabulary/counters.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"

/* Trouble that comes back, and its rhythm. */

#define COLUMNS 180
#define WIDTH   5.0 /* s */

static struct history_column series[COLUMNS];

static void calm(void)
{
	for (unsigned i = 0; i < COLUMNS; i++)
		series[i] = (struct history_column){.least = 0, .mean = 100, .most = 200};
}

/* A burst of n columns, most of the time paused. */
static void burst(unsigned at, unsigned n)
{
	for (unsigned i = at; i < at + n && i < COLUMNS; i++)
		series[i].mean = 600e3F;
}

static struct recurrence of_series(void)
{
	struct recurrence r;

	recurrence_of(series, COLUMNS, WIDTH, 10e3, &r);
	return r;
}

CASE(a_rhythm_with_jitter_and_a_missed_burst)
{
	static const unsigned at[] = {4, 16, 29, 40, 52, 76, 89, 100, 112, 125, 136};
	struct recurrence r;
	char text[120];

	(void)state;
	calm();
	for (unsigned i = 0; i < sizeof(at) / sizeof(at[0]); i++)
		burst(at[i], i % 3 + 1);
	r = of_series();
	assert_int_equal(r.bursts, 11);
	assert_true(fabs(r.period_s - 60) < 1);
	assert_true(fabs(r.known_s - 900) < 1);
	r.with = RECURS_STORAGE;
	assert_string_equal(recurrence_words(&r, text, sizeof(text)),
		"11 times in 15m, every 60 s, as the traffic to storage");
}

CASE(what_lasts_has_no_rhythm)
{
	struct recurrence r;

	calm();
	r = of_series();
	assert_int_equal(r.bursts, 0);
	assert_true(isnan(r.period_s));
	burst(0, COLUMNS);
	r = of_series();
	assert_int_equal(r.bursts, 1);
	/* It swings between 60 and 40 %: it never ends. */
	for (unsigned i = 0; i < COLUMNS; i += 6)
		series[i].mean = 400e3F;
	r = of_series();
	assert_int_equal(r.bursts, 1);
	assert_true(isnan(r.period_s));
}

/* Nobody knows what was in a gap: no interval goes over it. */
CASE(a_gap_ends_what_is_known)
{
	struct recurrence r;

	calm();
	for (unsigned i = 2; i < COLUMNS; i += 12)
		burst(i, 2);
	assert_true(fabs(of_series().period_s - 60) < 0.1);
	for (unsigned i = 8; i < COLUMNS; i += 12)
		series[i].gap = true;
	r = of_series();
	assert_int_equal(r.bursts, 15);
	assert_true(isnan(r.period_s));
	/* Sums that are longer than a column are no better. */
	calm();
	for (unsigned i = 2; i < COLUMNS; i += 12)
		burst(i, 2);
	for (unsigned i = 0; i < COLUMNS; i++)
		series[i].coarse = true;
	r = of_series();
	assert_int_equal(r.bursts, 0);
	assert_true(r.known_s < 1);
}

/* Bursts that come by chance have no rhythm: at most one series of fifty seems to. */
CASE(chance_has_no_rhythm)
{
	unsigned seed = (unsigned)effort_seed(), rhythms = 0, all = effort(8000);

	for (unsigned k = 0; k < all; k++) {
		unsigned every = 6 + (unsigned)rand_r(&seed) % 20;

		calm();
		for (unsigned i = 0; i < COLUMNS; i++)
			if ((unsigned)rand_r(&seed) % every == 0)
				burst(i, 1 + (unsigned)rand_r(&seed) % 2);
		rhythms += !isnan(of_series().period_s) ? 1 : 0;
	}
	if (rhythms * 50 > all)
		fail_msg("%u of %u series by chance have a rhythm", rhythms, all);
}

/* A rhythm of any period that fits is found, with the bursts where polls happen to see them. */
CASE(any_period_is_found)
{
	unsigned seed = (unsigned)effort_seed();

	for (unsigned k = 0; k < 200; k++) {
		double period = 5 + (double)((unsigned)rand_r(&seed) % 200) / 10; /* columns */
		struct recurrence r;

		calm();
		for (double at = (unsigned)rand_r(&seed) % 5; at < COLUMNS; at += period)
			burst((unsigned)at, 1);
		r = of_series();
		if (!(fabs(r.period_s / WIDTH - period) < 0.05 * period))
			fail_msg("period %g columns was read as %g", period, r.period_s / WIDTH);
	}
}

/* Polls two of twelve with the pause, as a minute's rhythm of five seconds each. */
static void poll_in_rhythm(struct stand *s, bool traffic)
{
	for (unsigned k = 0; k < 120; k++) {
		bool on = k % 12 < 2;

		stand_hold(s, "leaf-r0-00:Ethernet0", on ? 40 : 0);
		if (traffic)
			stand_load(s, "leaf-r0-00:Ethernet0", on ? 90 : 10);
		stand_poll(s, 1);
	}
}

CASE_WITH(a_finding_tells_its_rhythm, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	struct finding f = {.id = FIND_SLOW_RECEIVER};
	struct recurrence r;

	f.at = (struct ref){.kind = REF_PORT, .port = stand_port(s, "node000:mlx5_0")};
	assert_false(finding_recurrence(s->m, &f, s->now_us, &r));
	poll_in_rhythm(s, false);
	assert_true(finding_recurrence(s->m, &f, s->now_us, &r));
	assert_int_equal(r.bursts, 10);
	assert_true(fabs(r.period_s - 60) < 1);
	assert_int_equal(r.with, RECURS_ALONE);
	/* Of a finding that is about something else nothing is said. */
	f.id = FIND_BGP_DOWN;
	assert_false(finding_recurrence(s->m, &f, s->now_us, &r));
}

CASE_WITH(a_rhythm_of_the_job_is_named, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	struct finding f = {.id = FIND_INCAST};
	struct recurrence r;

	f.at = (struct ref){.kind = REF_PORT, .port = stand_port(s, "leaf-r0-00:Ethernet0")};
	poll_in_rhythm(s, true);
	assert_true(finding_recurrence(s->m, &f, s->now_us, &r));
	assert_true(fabs(r.period_s - 60) < 1);
	assert_int_equal(r.with, RECURS_TRAFFIC);
}

CASE_WITH(a_link_that_flaps_by_the_clock, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	struct finding f = {.id = FIND_LINK_FLAPPING};
	struct recurrence r;

	f.at = (struct ref){.kind = REF_PORT, .port = stand_port(s, "leaf-r0-00:Ethernet0")};
	for (unsigned k = 0; k < 100; k++) {
		if (k % 9 == 0)
			stand_add(s, "leaf-r0-00:Ethernet0", CTR_LINK_DOWN_EVENTS, 0, 1);
		stand_poll(s, 1);
	}
	assert_true(finding_recurrence(s->m, &f, s->now_us, &r));
	assert_true(fabs(r.period_s - 45) < 2);
}

CASES_MAIN(NULL, NULL)
