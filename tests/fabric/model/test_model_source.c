/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "fabric/model/model_internal.h"
#include "fabric/vocabulary/counters.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"

/*
 * A device that a metrics engine tells about and that is asked itself by turns. Traffic is 1000
 * bytes a second throughout, and 7 discards a second.
 */

static uint64_t stands(double t)
{
	return 1000000 + (uint64_t)(t * 1000);
}

/* Data scraped at `read`, by the engine's clock, that arrives at t. */
static void by_engine(struct model *m, double t, double read)
{
	struct obs *o = feed_batch_of("leaf-r0-00", REQUEST_ENGINE);
	uint32_t p = obs_port(o, "Ethernet0");

	o->ports.at[p].sample_us = feed_time(read);
	obs_count(o, p, CTR_RX_BYTES, 0, stands(read));
	obs_count(o, p, CTR_TX_DISCARDS, 0, (uint64_t)(read * 7));
	obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, 5000 + read);
	feed(m, o, t);
}

static void itself(struct model *m, double t)
{
	struct obs *o = feed_batch();
	uint32_t p = obs_port(o, "Ethernet0");

	obs_count(o, p, CTR_RX_BYTES, 0, stands(t));
	obs_count(o, p, CTR_TX_DISCARDS, 0, (uint64_t)(t * 7));
	obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, 5000 + t);
	feed(m, o, t);
}

static void fails(struct model *m, double t, const char *request, enum err_code code)
{
	struct obs *o = feed_batch_of("leaf-r0-00", request);

	o->result = OBS_FAILED;
	err_set(&o->err, code, "leaf-r0-00", "no route to host");
	feed(m, o, t);
}

static double rate(const struct model *m)
{
	return feed_rate(m, "Ethernet0", CTR_RX_BYTES);
}

static const struct device *leaf(const struct model *m)
{
	return model_device(m, "leaf-r0-00");
}

CASE_WITH(the_rate_stays_while_sources_take_turns, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (double t = 15; t <= 60; t += 15)
		by_engine(m, t + 12, t);
	assert_near(rate(m), 1000);
	assert_true(leaf(m)->engine);
	assert_int_equal(leaf(m)->engine_us, feed_time(60));
	for (double t = 73; t < 90; t++) {
		itself(m, t);
		assert_near(rate(m), 1000);
	}
	assert_false(leaf(m)->engine);
	for (double t = 90; t < 150; t += 15) {
		by_engine(m, t + 12, t);
		assert_near(rate(m), 1000);
	}
	assert_true(leaf(m)->engine);
	assert_int_equal(feed_events(m, EV_COUNTER_RESET), 0);
}

/* The engine's sample was read before the device was asked last: its counter is behind. */
CASE_WITH(what_is_behind_is_late_and_not_cleared, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct err err;
	uint64_t grown;

	by_engine(m, 20, 15);
	by_engine(m, 35, 30);
	assert_true(model_mark(m, "here", feed_time(35), &err));
	itself(m, 40);
	itself(m, 41);
	itself(m, 42);
	by_engine(m, 43, 38);
	by_engine(m, 44, 41);
	assert_near(rate(m), 1000);
	assert_int_equal(feed_cell(m, "Ethernet0", CTR_RX_BYTES, 0)->u64, stands(42));
	by_engine(m, 65, 60);
	assert_near(rate(m), 1000);
	by_engine(m, 80, 75);
	assert_near(rate(m), 1000);
	assert_int_equal(feed_events(m, EV_COUNTER_RESET), 0);
	/* Nor does an older uptime tell of a reboot. */
	assert_int_equal(feed_events(m, EV_REBOOT), 0);
	/* Nothing is counted twice, and nothing is lost. */
	assert_true(port_since(m, feed_port(m, "leaf-r0-00", "Ethernet0"),
		model_mark_find(m, "here"), CTR_RX_BYTES, 0, &grown));
	assert_int_equal(grown, stands(75) - stands(30));
}

/* A slow scrape: its samples are older than the device's last answer. */
CASE_WITH(what_was_heard_before_is_late_and_not_cleared, feed_setup, feed_teardown)
{
	struct model *m = *state;

	by_engine(m, 20, 15);
	by_engine(m, 35, 30);
	for (double t = 50; t < 80; t++)
		itself(m, t);
	by_engine(m, 65, 45);
	assert_true(leaf(m)->engine);
	assert_near(rate(m), 1000);
	assert_int_equal(feed_cell(m, "Ethernet0", CTR_RX_BYTES, 0)->u64, stands(79));
	by_engine(m, 125, 105);
	by_engine(m, 140, 120);
	assert_near(rate(m), 1000);
	assert_int_equal(feed_events(m, EV_COUNTER_RESET), 0);
}

CASE_WITH(a_clear_is_one_though_the_source_changed, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o;

	by_engine(m, 20, 15);
	by_engine(m, 35, 30);
	itself(m, 40);
	itself(m, 41);
	for (double t = 42; t < 200; t += 15) {
		o = feed_batch_of("leaf-r0-00", REQUEST_ENGINE);
		(void)obs_port(o, "Ethernet0");
		o->ports.at[0].sample_us = feed_time(t);
		obs_count(o, 0, CTR_RX_BYTES, 0, (uint64_t)(t - 40) * 10);
		feed(m, o, t + 1);
	}
	assert_int_equal(feed_events(m, EV_COUNTER_RESET), 1);
	assert_near(rate(m), 10);
}

CASE_WITH(a_reboot_is_one_though_the_source_changed, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o;

	by_engine(m, 20, 15);
	by_engine(m, 35, 30);
	o = feed_batch();
	obs_count(o, obs_port(o, "Ethernet0"), CTR_RX_BYTES, 0, 17);
	obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, 9);
	feed(m, o, 40);
	assert_int_equal(feed_events(m, EV_REBOOT), 1);
	assert_true(isnan(rate(m)));
}

CASE_WITH(who_cannot_be_asked_stays_with_the_engine, feed_setup, feed_teardown)
{
	struct model *m = *state;

	by_engine(m, 20, 15);
	by_engine(m, 35, 30);
	fails(m, 36, "connect", ERR_UNREACHABLE);
	(void)model_age(m, feed_time(36));
	assert_int_equal(leaf(m)->state, DEV_FRESH);
	assert_int_equal(leaf(m)->err->code, ERR_NONE);
	assert_string_equal(leaf(m)->not_asked, "no route to host");
	assert_near(rate(m), 1000);
	itself(m, 40);
	assert_string_equal(leaf(m)->not_asked, "");
	/* Lost while it was asked: the engine goes on, and the reason is there. */
	fails(m, 41, "connect", ERR_TIMEOUT);
	(void)model_age(m, feed_time(41));
	assert_int_equal(leaf(m)->state, DEV_FRESH);
	assert_string_equal(leaf(m)->not_asked, "no route to host");
}

/* An engine may have no counters of a device at all. */
CASE_WITH(words_alone_are_the_engine_s_too, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = feed_batch_of("leaf-r0-00", REQUEST_ENGINE);

	obs_word(o, obs_port(o, "Ethernet0"), ATTR_OPER, 0, "up");
	feed(m, o, 10);
	assert_true(leaf(m)->engine);
	itself(m, 20);
	o = feed_batch_of("leaf-r0-00", REQUEST_ENGINE);
	obs_word(o, obs_port(o, "Ethernet0"), ATTR_OPER, 0, "up");
	feed(m, o, 25);
	assert_false(leaf(m)->engine);
}

CASE_WITH(what_the_engine_says_is_down_is_down, feed_setup, feed_teardown)
{
	struct model *m = *state;

	by_engine(m, 20, 15);
	fails(m, 36, REQUEST_ENGINE, ERR_UNREACHABLE);
	(void)model_age(m, feed_time(36));
	assert_int_equal(leaf(m)->state, DEV_UNREACHABLE);
	/* A device that no engine tells about is as it always was. */
	itself(m, 37);
	fails(m, 38, "fast", ERR_PROTOCOL);
	assert_int_equal(leaf(m)->err->code, ERR_PROTOCOL);
}

CASES_MAIN(NULL, NULL)
