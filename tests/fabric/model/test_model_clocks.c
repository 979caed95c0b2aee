/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fabric/vocabulary/counters.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"

/*
 * Sample times that do not say when a counter was read: that stand still, come with some answers
 * only, or belong to another group. Polls are a second apart, the device refreshes every ten.
 */

#define HALF_LINE 25e9 /* bytes a second at 400G */

static int setup(void **state)
{
	struct model *m = feed_new();
	struct obs *o = feed_batch();

	obs_number(o, obs_port(o, "Ethernet0"), ATTR_SPEED_MBPS, 0, 400000);
	feed(m, o, 0);
	*state = m;
	return 0;
}

static int teardown(void **state)
{
	model_free(*state);
	return 0;
}
/* One answer about Ethernet0; sample: 0 without a time of its own. */
static void answer(struct model *m, double t, const char *request, double sample,
	enum counter_id id, unsigned sub, double value)
{
	struct obs *o = feed_batch_of("leaf-r0-00", request);
	uint32_t p = obs_port(o, "Ethernet0");

	if (sample > 0)
		o->ports.at[p].sample_us = feed_time(sample);
	obs_count(o, p, id, sub, (uint64_t)value);
	feed(m, o, t);
}

static double rate(struct model *m, enum counter_id id, unsigned sub)
{
	return port_rate(feed_port(m, "leaf-r0-00", "Ethernet0"), id, sub);
}

CASE_WITH(a_time_that_stands_still_is_no_reset, setup, teardown)
{
	struct model *m = *state;

	for (int t = 1; t <= 45; t++) {
		answer(m, t, "fast", 1, CTR_RX_BYTES, 0, t / 10 * 10 * HALF_LINE);
		if (t >= 20)
			assert_near(rate(m, CTR_RX_BYTES, 0), HALF_LINE);
	}
	assert_int_equal(feed_events(m, EV_COUNTER_RESET), 0);
}

/* The time of the answer is no better a start than the port's: it ran on since. */
CASE_WITH(a_time_that_stands_still_beside_a_device_clock, setup, teardown)
{
	struct model *m = *state;

	for (int t = 1001; t <= 1045; t++) {
		struct obs *o = feed_batch();
		uint32_t p = obs_port(o, "Ethernet0");

		o->ports.at[p].sample_us = feed_time(1);
		o->device_us = feed_time(t + 500);
		obs_count(o, p, CTR_QUEUE_TX_BYTES, 3, (uint64_t)(t / 10 * 5000));
		feed(m, o, t);
		/* The first refresh is as old as the first look, at most. */
		if (t == 1010)
			assert_true(rate(m, CTR_QUEUE_TX_BYTES, 3) > 500);
		if (t >= 1020)
			assert_near(rate(m, CTR_QUEUE_TX_BYTES, 3), 500);
	}
}

/* Two objects of a port with a time each: neither is a sign that the other was read again. */
CASE_WITH(two_times_that_stand_still_refresh_nothing, setup, teardown)
{
	struct model *m = *state;

	for (int t = 1; t <= 49; t++) {
		answer(m, t, "in", 1 + t / 10 * 10, CTR_RX_BYTES, 0, t / 10 * 10 * HALF_LINE);
		answer(m, t + 0.1, "out", 3 + t / 10 * 10, CTR_TX_BYTES, 0, t / 10 * 1e3);
		answer(m, t + 0.2, "errors", 0, CTR_RX_ERRORS, 0, t / 10 * 70);
		if (t < 20)
			continue;
		assert_near(rate(m, CTR_RX_BYTES, 0), HALF_LINE);
		assert_near(rate(m, CTR_TX_BYTES, 0), 100);
		assert_near(rate(m, CTR_RX_ERRORS, 0), 7);
	}
	assert_int_equal(feed_events(m, EV_COUNTER_RESET), 0);
}

/* A device that hangs behind its agent: nothing is read any more, and the rates end. */
CASE_WITH(two_times_that_stop_are_idle_after_a_minute, setup, teardown)
{
	struct model *m = *state;

	for (int t = 1; t <= 100; t++) {
		int last = t < 20 ? t : 20;

		answer(m, t, "in", last, CTR_RX_BYTES, 0, last * 1000);
		answer(m, t + 0.1, "out", last + 0.5, CTR_TX_BYTES, 0, last * 1000);
		if (t > 2 && t <= 80)
			assert_near(rate(m, CTR_RX_BYTES, 0), 1000);
		if (t > 82)
			assert_near(rate(m, CTR_RX_BYTES, 0), 0);
	}
}

CASE_WITH(the_first_refresh_may_be_older_than_the_first_look, setup, teardown)
{
	struct model *m = *state;
	uint64_t n;

	answer(m, 9, "fast", 0, CTR_RX_BYTES, 0, 1);
	assert_true(model_mark(m, "m", feed_time(9), NULL));
	answer(m, 10, "fast", 0, CTR_RX_BYTES, 0, 1 + 10 * HALF_LINE);
	assert_true(isnan(rate(m, CTR_RX_BYTES, 0)));
	assert_int_equal(feed_cell(m, "Ethernet0", CTR_RX_BYTES, 0)->valid, VALID_OK);
	answer(m, 20, "fast", 0, CTR_RX_BYTES, 0, 1 + 20 * HALF_LINE);
	assert_near(rate(m, CTR_RX_BYTES, 0), HALF_LINE);
	assert_int_equal(feed_events(m, EV_COUNTER_RESET), 0);
	assert_true(port_since(m, feed_port(m, "leaf-r0-00", "Ethernet0"), 0, CTR_RX_BYTES, 0, &n));
	assert_true(n == (uint64_t)(20 * HALF_LINE));
}

CASE_WITH(the_first_traffic_after_a_quiet_hour_is_no_reset, setup, teardown)
{
	struct model *m = *state;

	for (int t = 1; t <= 3600; t++)
		answer(m, t, "fast", 0, CTR_RX_BYTES, 0, 7);
	assert_near(rate(m, CTR_RX_BYTES, 0), 0);
	answer(m, 3601, "fast", 0, CTR_RX_BYTES, 0, 7 + 10 * HALF_LINE);
	answer(m, 3611, "fast", 0, CTR_RX_BYTES, 0, 7 + 20 * HALF_LINE);
	assert_near(rate(m, CTR_RX_BYTES, 0), HALF_LINE);
	assert_int_equal(feed_events(m, EV_COUNTER_RESET), 0);
}

/* No refresh is that old: the counter jumped, by any clock. */
CASE_WITH(a_jump_is_a_jump_by_any_clock, setup, teardown)
{
	for (int with_time = 0; with_time < 2; with_time++) {
		struct model *m = *state;

		answer(m, 10 * with_time + 1, "fast", with_time, CTR_TX_BYTES, 0, 1);
		answer(m, 10 * with_time + 2, "fast", with_time, CTR_TX_BYTES, 0, 1e16);
		assert_int_equal(feed_cell(m, "Ethernet0", CTR_TX_BYTES, 0)->valid, VALID_RESET);
		assert_int_equal(feed_events(m, EV_COUNTER_RESET), 1);
		teardown(state);
		setup(state);
	}
}

/* A burst of drops that moved while the time stood still is a burst, not a hole. */
CASE_WITH(a_burst_beside_a_still_time_has_a_rate, setup, teardown)
{
	struct model *m = *state;

	for (int t = 1; t <= 30; t++)
		answer(m, t, "fast", 1, CTR_QUEUE_DROPS, 3, t < 30 ? 5 : 605);
	assert_true(rate(m, CTR_QUEUE_DROPS, 3) > 0);
	assert_true(rate(m, CTR_QUEUE_DROPS, 3) <= 600);
	/* And one after long rest is not spread over it. */
	for (int t = 31; t <= 200; t++)
		answer(m, t, "fast", 1, CTR_QUEUE_DROPS, 3, t < 200 ? 605 : 1205);
	assert_near(rate(m, CTR_QUEUE_DROPS, 3), 600);
}

CASES_MAIN(NULL, NULL)
