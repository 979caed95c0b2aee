/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"

static int64_t device_time(double s)
{
	return FEED_T0 + (int64_t)(s * 1e6);
}

static void line(struct obs *o, double s, const char *text)
{
	obs_log(o, OBS_NO_PORT, -1, false, device_time(s), text);
}

static unsigned lines(const struct model *m)
{
	return feed_events(m, EV_LOG) + feed_events(m, EV_LOG_ALARM);
}

CASE_WITH(a_log_that_is_read_again_says_nothing_new, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (int i = 0; i < 5; i++) {
		struct obs *o = feed_batch_of("leaf-r0-00", "messages");

		line(o, -60, "first");
		line(o, -30, "second");
		line(o, -30, "third, the same second");
		if (i > 2)
			line(o, 25, "new");
		feed(m, o, i * 10);
	}
	assert_int_equal(lines(m), 4);
	assert_string_equal(model_event(m, 0)->text, "new");
	assert_true(model_event(m, 0)->device_us == device_time(25));
}

CASE_WITH(history_ends_an_hour_back, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (int i = 0; i < 2; i++) {
		struct obs *o = feed_batch_of("leaf-r0-00", "messages");

		line(o, -3700, "too old");
		line(o, -3500, "old");
		line(o, -30, "late");
		feed(m, o, i);
	}
	assert_int_equal(lines(m), 2);
	assert_string_equal(model_event(m, 0)->text, "late");
}

/* Seven hours behind, and no zone is known: lines after the first look are kept. */
CASE_WITH(a_zone_that_is_not_known_costs_no_lines, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (int i = 0; i < 4; i++) {
		struct obs *o = feed_batch_of("leaf-r0-00", "messages");

		line(o, -7 * 3600 - 7000, "before");
		line(o, -7 * 3600 - 60, "just before");
		if (i > 1)
			line(o, -7 * 3600 + 15, "after");
		feed(m, o, i * 10);
		assert_int_equal(lines(m), i > 1);
	}
	assert_string_equal(feed_event(m, EV_LOG)->text, "after");
}

CASE_WITH(the_hour_is_by_the_devices_clock, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = feed_batch_of("leaf-r0-00", "messages");

	o->device_us = device_time(-86400);
	line(o, -86400 - 100, "its clock is a day behind");
	feed(m, o, 0);
	assert_int_equal(lines(m), 1);
}

CASE_WITH(order_within_an_answer_does_not_matter, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (int i = 0; i < 2; i++) {
		struct obs *o = feed_batch_of("leaf-r0-00", "messages");

		line(o, -10, "newest first");
		line(o, -20, "b");
		line(o, -30, "a");
		feed(m, o, i);
	}
	assert_int_equal(lines(m), 3);
	assert_string_equal(model_event(m, 0)->text, "newest first");
	assert_string_equal(model_event(m, 2)->text, "a");
}

CASE_WITH(a_line_that_comes_late_is_not_lost, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = feed_batch_of("leaf-r0-00", "log");

	line(o, 5, "of one daemon");
	feed(m, o, 5);
	o = feed_batch_of("leaf-r0-00", "log");
	line(o, 4, "of another");
	feed(m, o, 6);
	assert_int_equal(lines(m), 2);
}

CASE_WITH(lines_without_a_time_are_live, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (int i = 0; i < 2; i++) {
		struct obs *o = feed_batch_of("leaf-r0-00", "log");

		obs_log(o, obs_port(o, "Ethernet0"), 3, true, 0, "storm detected");
		feed(m, o, i);
	}
	assert_int_equal(feed_events(m, EV_LOG_ALARM), 2);
	assert_int_equal(model_event(m, 0)->priority, 3);
	assert_int_equal(model_event(m, 0)->port, feed_port(m, "leaf-r0-00", "Ethernet0")->id);
}

CASE_WITH(a_flood_is_bounded, feed_setup, feed_teardown)
{
	struct model *m = *state;
	char text[32];

	for (int i = 0; i < 50; i++) {
		struct obs *o = feed_batch_of("leaf-r0-00", "log");

		for (int j = 0; j < 20; j++) {
			(void)str_printf(text, sizeof(text), "line %d", i * 20 + j);
			obs_log(o, OBS_NO_PORT, -1, false, 0, text);
		}
		feed(m, o, i);
	}
	assert_int_equal(feed_events(m, EV_LOG), 60);
	assert_int_equal(feed_events(m, EV_LOG_ALARM), 1); /* says that there were more */
	for (int i = 0; i < 2; i++) {
		struct obs *o = feed_batch_of("leaf-r0-00", "log");

		line(o, 100, "after it");
		feed(m, o, 100 + i);
	}
	assert_int_equal(feed_events(m, EV_LOG), 61);
}

CASE_WITH(everybody_talking_is_bounded_too, feed_setup, feed_teardown)
{
	struct model *m = *state;
	static const char *const devices[] = {"leaf-r0-00", "leaf-r1-00", "spine-000", "node000"};
	char text[32];

	for (int i = 0; i < 200; i++) {
		struct obs *o = feed_batch_of(devices[i % 4], "log");

		(void)str_printf(text, sizeof(text), "line %d", i);
		obs_log(o, OBS_NO_PORT, -1, i % 10 == 0, 0, text);
		feed(m, o, i * 0.1);
	}
	assert_int_equal(feed_events(m, EV_LOG), 120);
	assert_int_equal(feed_events(m, EV_LOG_ALARM), 20 + 1);
}

CASE_WITH(of_a_long_history_the_end_is_shown, feed_setup, feed_teardown)
{
	struct model *m = *state;
	char text[32];

	for (int i = 0; i < 3; i++) {
		struct obs *o = feed_batch_of("leaf-r0-00", "messages");

		for (int j = 0; j < 500; j++) {
			(void)str_printf(text, sizeof(text), "line %d", j);
			line(o, j - 1000, text);
		}
		feed(m, o, i * 100);
	}
	assert_int_equal(feed_events(m, EV_LOG), 60);
	assert_string_equal(model_event(m, 0)->text, "line 499");
}

CASE_WITH(a_followed_log_makes_no_device_fresh, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct device *d = model_device(m, "leaf-r0-00");
	struct obs *o;

	feed_count(m, 0, "Ethernet0", CTR_RX_BYTES, 1);
	o = feed_batch_of("leaf-r0-00", "log");
	line(o, 60, "alive, but nobody counts");
	feed(m, o, 60);
	(void)model_age(m, feed_time(60));
	assert_int_equal(d->state, DEV_STALE);
	assert_true(d->last_ok_us == feed_time(0));
	assert_int_equal(d->polls, 1);
	feed_count(m, 61, "Ethernet0", CTR_RX_BYTES, 1);
	o = feed_batch_of("leaf-r0-00", "log");
	o->result = OBS_FAILED;
	err_set(&o->err, ERR_UNAUTHORISED, "leaf-r0-00", "may not read its log");
	feed(m, o, 62);
	(void)model_age(m, feed_time(62));
	assert_int_equal(d->state, DEV_FRESH);
	assert_int_equal(d->err->code, ERR_NONE);
}

CASE_WITH(a_word_in_a_log_makes_no_port, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct device *d = model_device(m, "leaf-r0-00");
	size_t n = d->ports.n;
	struct obs *o = feed_batch_of("leaf-r0-00", "log");

	obs_log(o, obs_port(o, "Ethernet4000"), -1, true, 0, "Ethernet4000: no such thing");
	obs_log(o, obs_port(o, "Ethernet12"), -1, true, 0, "Ethernet12: trouble");
	feed(m, o, 0);
	assert_int_equal(d->ports.n, n);
	assert_int_equal(lines(m), 2);
	assert_int_equal(model_event(m, 1)->port, EVENT_NO_ID);
	assert_false(feed_port(m, "leaf-r0-00", "Ethernet12")->seen);
}

CASES_MAIN(NULL, NULL)
