/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fabric/model/metrics.h"
#include "fabric/vocabulary/counters.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"

static void answer(struct model *m, double t)
{
	feed_count(m, t, "Ethernet0", CTR_RX_BYTES, 1);
}

static void failure(struct model *m, double t, enum err_code code, const char *text)
{
	struct obs *o = feed_batch();

	o->result = OBS_FAILED;
	err_set(&o->err, code, "leaf-r0-00", "%s", text);
	feed(m, o, t);
}

static enum dev_state state_of(struct model *m, double t)
{
	model_age(m, feed_time(t));
	return model_device(m, "leaf-r0-00")->state;
}

CASE_WITH(age_decides, feed_setup, feed_teardown)
{
	static const struct {
		double t;
		enum dev_state want;
	} cases[] = {{0, DEV_FRESH}, {7.5, DEV_FRESH}, {7.500001, DEV_LATE}, {10, DEV_LATE},
		{10.000001, DEV_STALE}, {3600, DEV_STALE}};
	struct model *m = *state;

	assert_int_equal(state_of(m, 0), DEV_PENDING);
	answer(m, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(state_of(m, cases[i].t), cases[i].want);
}

/* Telemetry that arrives each 15 s for an inventory of 5 s: its own period decides. */
CASE_WITH(who_sends_by_itself_has_a_period_of_its_own, feed_setup, feed_teardown)
{
	struct model *m = *state;
	for (unsigned i = 0; i < 4; i++) {
		/* A line a port, a moment apart. */
		feed_count(m, i * 15.0, "Ethernet0", CTR_RX_BYTES, i);
		feed_count(m, i * 15.0 + 0.1, "Ethernet4", CTR_RX_BYTES, i);
	}
	assert_int_equal(state_of(m, 45 + 20), DEV_FRESH);
	assert_int_equal(state_of(m, 45 + 40), DEV_STALE);
	/* An event that is told late makes nothing older. */
	feed_count(m, 60, "Ethernet0", CTR_RX_BYTES, 5);
	{
		struct obs *o = feed_batch();

		obs_event(o, obs_port(o, "Ethernet0"), EV_LINK_FLAP, feed_time(40), "");
		feed(m, o, 40);
	}
	assert_int_equal(model_device(m, "leaf-r0-00")->last_ok_us, feed_time(60));
	/* An outage is no period. */
	feed_count(m, 345, "Ethernet0", CTR_RX_BYTES, 9);
	feed_count(m, 360, "Ethernet0", CTR_RX_BYTES, 10);
	assert_int_equal(model_device(m, "leaf-r0-00")->interval_us, 15000000);
}

CASE_WITH(the_next_change_is_announced, feed_setup, feed_teardown)
{
	struct model *m = *state;

	assert_int_equal(model_age(m, feed_time(0)), INT64_MAX);
	answer(m, 0);
	assert_int_equal(model_age(m, feed_time(0)), feed_time(7.5) + 1);
	assert_int_equal(model_age(m, feed_time(7.5) + 1), feed_time(10) + 1);
	assert_int_equal(model_age(m, feed_time(10) + 1), INT64_MAX);
}

CASE_WITH(each_change_is_told_once, feed_setup, feed_teardown)
{
	struct model *m = *state;
	uint64_t generation;

	answer(m, 0);
	state_of(m, 1);
	assert_int_equal(m->event_seq, 0);
	state_of(m, 11);
	generation = m->generation;
	state_of(m, 12);
	assert_int_equal(m->generation, generation);
	assert_int_equal(feed_events(m, EV_STALE), 1);
	answer(m, 20);
	assert_int_equal(state_of(m, 20), DEV_FRESH);
	assert_int_equal(feed_events(m, EV_BACK), 1);
	failure(m, 25, ERR_UNREACHABLE, "connection refused");
	assert_int_equal(state_of(m, 25), DEV_UNREACHABLE);
	failure(m, 30, ERR_UNREACHABLE, "connection refused");
	state_of(m, 30);
	assert_int_equal(feed_events(m, EV_UNREACHABLE), 1);
	assert_string_equal(feed_event(m, EV_UNREACHABLE)->text, "connection refused");
	failure(m, 35, ERR_UNAUTHORISED, "key refused");
	assert_int_equal(state_of(m, 35), DEV_UNAUTHORISED);
	assert_int_equal(feed_events(m, EV_UNAUTHORISED), 1);
	answer(m, 40);
	assert_int_equal(state_of(m, 40), DEV_FRESH);
	assert_int_equal(feed_events(m, EV_BACK), 2);
	assert_int_equal(feed_events(m, EV_STALE), 1);
}

CASE_WITH(errors_before_the_first_answer, feed_setup, feed_teardown)
{
	static const struct {
		enum err_code code;
		enum dev_state want;
	} cases[] = {{ERR_UNREACHABLE, DEV_UNREACHABLE}, {ERR_UNAUTHORISED, DEV_UNAUTHORISED},
		{ERR_TIMEOUT, DEV_UNREACHABLE}, {ERR_PROTOCOL, DEV_NOT_UNDERSTOOD},
		{ERR_LIMIT, DEV_STALE}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct model *m = feed_new();

		failure(m, 0, cases[i].code, "so");
		assert_int_equal(state_of(m, 0), cases[i].want);
		model_free(m);
	}
}

CASE_WITH(a_timeout_ages_what_is_there, feed_setup, feed_teardown)
{
	struct model *m = *state;

	answer(m, 0);
	failure(m, 5, ERR_TIMEOUT, "no answer within 10 s");
	assert_int_equal(state_of(m, 5), DEV_FRESH);
	assert_int_equal(state_of(m, 11), DEV_STALE);
	assert_string_equal(feed_event(m, EV_STALE)->text, "no answer within 10 s");
	assert_int_equal(
		port_cell_valid(m, feed_port(m, "leaf-r0-00", "Ethernet0"), CTR_RX_BYTES, 0),
		VALID_STALE);
}

/* Slow with each answer is one state, not a stop and a return with every poll. */
CASE_WITH(a_slow_device_is_late_and_no_more, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (int t = 0; t < 120; t += 14) {
		struct obs *o = feed_batch();

		obs_count(o, obs_port(o, "Ethernet0"), CTR_RX_BYTES, 0, 1);
		o->took_us = 9000000;
		feed(m, o, t);
		assert_int_equal(state_of(m, t), DEV_FRESH);
		assert_int_equal(state_of(m, t + 13.9), DEV_LATE);
	}
	assert_int_equal(feed_events(m, EV_STALE), 0);
	assert_int_equal(state_of(m, 112 + 19), DEV_STALE);
}

/* ip, or the agent behind the CLI, is broken and everything else answers: old numbers must not look
 * like new ones. */
CASE_WITH(answers_without_counters_are_blind, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct device *d = model_device(m, "leaf-r0-00");

	answer(m, 0);
	for (int t = 5; t <= 60; t += 5) {
		struct obs *o = feed_batch();

		obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, t);
		err_set(&o->err, ERR_PROTOCOL, "leaf-r0-00", "ip could not list the ports");
		feed(m, o, t);
		assert_int_equal(device_blind(d), t > 15);
	}
	assert_int_equal(state_of(m, 60), DEV_FRESH);
	assert_int_equal(device_health(m, d, feed_time(60)).severity, SEV_WARN);
	assert_string_equal(device_health(m, d, feed_time(60)).why,
		"no port counters for 60s: ip could not list the ports");
	assert_int_equal(
		port_health(m, feed_port(m, "leaf-r0-00", "Ethernet0"), feed_time(60)).severity,
		SEV_UNKNOWN);
	answer(m, 65);
	assert_false(device_blind(d));
}

CASE_WITH(logs_and_states_alone_are_not, feed_setup, feed_teardown)
{
	struct model *m = *state;

	answer(m, 0);
	for (int t = 5; t <= 60; t += 5) {
		struct obs *o = feed_batch();

		obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, t);
		feed(m, o, t);
	}
	assert_false(device_blind(model_device(m, "leaf-r0-00")));
}

/* The device reports that it has no counters: its other values are no counters. */
CASE_WITH(who_says_so_is_blind, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = feed_batch();

	obs_word(o, OBS_NO_PORT, ATTR_MODEL, 0, "PowerEdge");
	obs_capability(o, "port counters", VALID_UNSUPPORTED, "install rdma-core");
	feed(m, o, 0);
	assert_int_equal(state_of(m, 1), DEV_FRESH);
	assert_true(device_blind(model_device(m, "leaf-r0-00")));
	answer(m, 5);
	assert_false(device_blind(model_device(m, "leaf-r0-00")));
}

static struct obs *nothing_of_use(void)
{
	struct obs *o = feed_batch();

	obs_capability(o, "PFC settings", VALID_UNSUPPORTED, "");
	obs_fact(o, "use.pfc", "2");
	obs_invalid(o, obs_port(o, "Ethernet0"), CTR_RX_BYTES, 0, VALID_UNSUPPORTED, "");
	return o;
}

/* Any output of a device can be taken for "it does not have that": it is no data. */
CASE_WITH(answers_that_say_nothing_are_not_understood, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct device *d = model_device(m, "leaf-r0-00");

	for (int t = 0; t < 60; t += 5) {
		feed(m, nothing_of_use(), t);
		/* The first few may only have taught how to ask. */
		assert_int_equal(state_of(m, t + 1), t < 20 ? DEV_PENDING : DEV_NOT_UNDERSTOOD);
	}
	assert_true(d->connected);
	assert_int_equal(d->last_ok_us, 0);
	assert_int_equal(model_coverage(m).by_state[DEV_NOT_UNDERSTOOD], 1);
	assert_int_equal(device_health(m, d, feed_time(60)).severity, SEV_CRIT);
	assert_int_equal(model_census(m).seen[TIER_LEAF], 0);
	assert_int_equal(d->err->code, ERR_PROTOCOL);
	assert_non_null(strstr(d->err->cure, "railtop discover --seed leaf-r0-00"));
	/* The first word that fits ends it. */
	answer(m, 65);
	assert_int_equal(state_of(m, 66), DEV_FRESH);
	assert_int_equal(d->err->code, ERR_NONE);
	/* And from then on it counts as a need that the device does not support. */
	feed(m, nothing_of_use(), 67);
	assert_int_equal(d->err->code, ERR_NONE);
	assert_int_equal(state_of(m, 68), DEV_FRESH);
}

/* The first answers of a device tell how to ask it: it is no stranger for that. */
CASE_WITH(answers_that_teach_are_no_nonsense, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct device *d = model_device(m, "leaf-r0-00");
	struct obs *o = obs_new("leaf-r0-00", "detect");

	obs_fact(o, "tools", "ethtool");
	feed(m, o, 0);
	assert_int_equal(state_of(m, 0), DEV_PENDING);
	assert_int_equal(d->err->code, ERR_NONE);
	answer(m, 1);
	assert_int_equal(state_of(m, 1), DEV_FRESH);
	assert_int_equal(feed_events(m, EV_BAD_ANSWER), 0);
	/* But one that teaches for ever and tells nothing is one. */
	d = model_device(m, "leaf-r1-00");
	for (int t = 0; t < 60; t += 5) {
		o = obs_new("leaf-r1-00", "fast");
		obs_fact(o, "sha", "1");
		o->again = true;
		feed(m, o, t);
	}
	assert_int_equal(d->err->code, ERR_PROTOCOL);
	(void)model_age(m, feed_time(60));
	assert_int_equal(d->state, DEV_NOT_UNDERSTOOD);
}

/* Reinstalled with another system: it goes on answering. */
CASE_WITH(a_device_that_is_another_now, feed_setup, feed_teardown)
{
	struct model *m = *state;

	answer(m, 0);
	for (int t = 5; t <= 30; t += 5)
		feed(m, nothing_of_use(), t);
	assert_int_equal(state_of(m, 31), DEV_NOT_UNDERSTOOD);
	assert_int_equal(feed_events(m, EV_STALE), 1);
	failure(m, 35, ERR_TIMEOUT, "no answer within 10 s");
	assert_int_equal(state_of(m, 36), DEV_STALE);
	answer(m, 40);
	assert_int_equal(state_of(m, 41), DEV_FRESH);
	assert_int_equal(feed_events(m, EV_BACK), 1);
}

CASE_WITH(a_connection_alone_is_no_answer, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = feed_batch();

	failure(m, 0, ERR_UNREACHABLE, "refused");
	o->result = OBS_CONNECTED;
	feed(m, o, 1);
	assert_int_equal(state_of(m, 1), DEV_PENDING);
	assert_true(model_device(m, "leaf-r0-00")->connected);
	assert_int_equal(feed_events(m, EV_BACK), 0);
}

/* Said of the polling, not by the device: its data is as old as it was. */
CASE_WITH(polls_that_were_left_out_are_no_answer, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = feed_batch_of("leaf-r0-00", "left-out");

	answer(m, 0);
	o->followed = true;
	obs_event(o, OBS_NO_PORT, EV_POLLS_LEFT_OUT, 0, "3 polls skipped");
	feed(m, o, 9);
	assert_int_equal(state_of(m, 9), DEV_LATE);
	assert_int_equal(feed_events(m, EV_POLLS_LEFT_OUT), 1);
	assert_string_equal(feed_event(m, EV_POLLS_LEFT_OUT)->text, "3 polls skipped");
	assert_int_equal(
		feed_event(m, EV_POLLS_LEFT_OUT)->device, model_device(m, "leaf-r0-00")->id);
}

CASE_WITH(coverage_counts_them, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct coverage c;

	answer(m, 0);
	model_age(m, feed_time(1));
	c = model_coverage(m);
	assert_int_equal(c.devices, 4);
	assert_int_equal(c.by_state[DEV_FRESH], 1);
	assert_int_equal(c.by_state[DEV_PENDING], 3);
}

CASES_MAIN(NULL, NULL)
