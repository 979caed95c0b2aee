/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"

#define PORT "Ethernet0"

static unsigned changes(const struct model *m)
{
	return feed_events(m, EV_ADMIN) + feed_events(m, EV_WATCHDOG_SET) +
	       feed_events(m, EV_PFC_SET) + feed_events(m, EV_ECN_SET);
}

/* A poll that tells all of a watchdog, as SONiC's counters do. */
static void feed_watchdog(struct model *m, double t, const char *state, const char *action,
	double detect, double restore)
{
	struct obs *o = feed_batch();
	uint32_t at = obs_port(o, PORT);

	if (action)
		obs_word(o, at, ATTR_PFCWD_ACTION, 3, action);
	obs_word(o, at, ATTR_PFCWD_STATE, 3, state);
	if (detect > 0)
		obs_number(o, at, ATTR_PFCWD_DETECT_MS, 3, detect);
	if (restore > 0)
		obs_number(o, at, ATTR_PFCWD_RESTORE_MS, 3, restore);
	feed(m, o, t);
}

CASE_WITH(a_reset_by_hand_is_two_events, feed_setup, feed_teardown)
{
	struct model *m = *state;

	feed_watchdog(m, 0, "operational", "drop", 200, 400);
	feed_watchdog(m, 5, "operational", "drop", 200, 400);
	assert_int_equal(changes(m), 0);
	feed_watchdog(m, 10, "off", NULL, 0, 0);
	assert_int_equal(feed_events(m, EV_WATCHDOG_SET), 1);
	assert_string_equal(feed_event(m, EV_WATCHDOG_SET)->text, "was drop 200/400 ms, is off");
	assert_int_equal(feed_event(m, EV_WATCHDOG_SET)->priority, 3);
	assert_int_equal(
		feed_event(m, EV_WATCHDOG_SET)->port, feed_port(m, "leaf-r0-00", PORT)->id);
	feed_watchdog(m, 15, "operational", "drop", 200, 800);
	assert_int_equal(feed_events(m, EV_WATCHDOG_SET), 2);
	assert_string_equal(feed_event(m, EV_WATCHDOG_SET)->text, "was off, is drop 200/800 ms");
	assert_int_equal(changes(m), 2);
}

CASE_WITH(a_storm_is_no_setting, feed_setup, feed_teardown)
{
	struct model *m = *state;

	feed_watchdog(m, 0, "operational", "drop", 200, 400);
	feed_watchdog(m, 5, "stormed", "drop", 200, 400);
	feed_watchdog(m, 10, "operational", "drop", 200, 400);
	assert_int_equal(changes(m), 0);
}

CASE_WITH(timers_and_actions, feed_setup, feed_teardown)
{
	struct model *m = *state;

	feed_watchdog(m, 0, "operational", "drop", 200, 400);
	feed_watchdog(m, 5, "operational", "forward", 200, 400);
	assert_string_equal(
		feed_event(m, EV_WATCHDOG_SET)->text, "was drop 200/400 ms, is forward 200/400 ms");
	feed_watchdog(m, 10, "operational", "forward", 100, 400);
	assert_string_equal(feed_event(m, EV_WATCHDOG_SET)->text,
		"was forward 200/400 ms, is forward 100/400 ms");
	assert_int_equal(changes(m), 2);
	/* A configuration is not in force while the watchdog does not run. */
	feed_watchdog(m, 15, "off", NULL, 0, 0);
	feed_watchdog(m, 20, "off", "drop", 300, 600);
	assert_int_equal(changes(m), 3);
}

/* A device that answers in part, or in words that nobody understands, has changed nothing. */
CASE_WITH(part_of_an_answer_is_no_change, feed_setup, feed_teardown)
{
	struct model *m = *state;

	feed_watchdog(m, 0, "operational", "drop", 200, 400);
	feed_watchdog(m, 5, "operational", NULL, 0, 0);
	feed_watchdog(m, 10, "fnord", "", 0, 0);
	feed_watchdog(m, 15, "operational", "drop", 200, 400);
	assert_int_equal(changes(m), 0);
	/* The value from before the unknown word is still known. */
	feed_watchdog(m, 20, "fnord", "drop", 200, 400);
	feed_watchdog(m, 25, "off", "drop", 200, 400);
	assert_int_equal(changes(m), 1);
}

static void feed_admin(struct model *m, double t, const char *word)
{
	struct obs *o = feed_batch();

	obs_word(o, obs_port(o, PORT), ATTR_ADMIN, 0, word);
	feed(m, o, t);
}

CASE_WITH(shut_and_opened, feed_setup, feed_teardown)
{
	struct model *m = *state;

	feed_admin(m, 0, "down");
	feed_admin(m, 5, "up");
	assert_string_equal(feed_event(m, EV_ADMIN)->text, "was down, is up");
	feed_admin(m, 10, "testing");
	feed_admin(m, 15, "up");
	assert_int_equal(changes(m), 1);
	feed_admin(m, 20, "testing");
	feed_admin(m, 25, "down");
	assert_string_equal(feed_event(m, EV_ADMIN)->text, "was up, is down");
	assert_int_equal(changes(m), 2);
}

CASE_WITH(masks_and_thresholds, feed_setup, feed_teardown)
{
	struct model *m = *state;
	static const struct {
		double pfc, ecn, min, max, share;
	} polls[] = {{8, 8, 500000, 1500000, 5}, {8, 8, 500000, 1500000, 5},
		{24, 8, 500000, 1500000, 5}, {0, 0, 500000, 1500000, 5}, {0, 0, 250000, 1500000, 5},
		{0, 0, 250000, 1500000, 10}};

	for (size_t i = 0; i < sizeof(polls) / sizeof(polls[0]); i++) {
		struct obs *o = feed_batch_of("leaf-r0-00", "slow");
		uint32_t at = obs_port(o, PORT);

		obs_number(o, at, ATTR_PFC_ENABLED, 0, polls[i].pfc);
		obs_number(o, at, ATTR_ECN_ENABLED, 0, polls[i].ecn);
		obs_number(o, at, ATTR_ECN_MIN_BYTES, 3, polls[i].min);
		obs_number(o, at, ATTR_ECN_MAX_BYTES, 3, polls[i].max);
		obs_number(o, at, ATTR_ECN_PROBABILITY, 3, polls[i].share);
		feed(m, o, 300.0 * (double)i);
		if (i == 2)
			assert_string_equal(
				feed_event(m, EV_PFC_SET)->text, "was on for 3, is on for 3,4");
		if (i == 3) {
			assert_string_equal(
				feed_event(m, EV_PFC_SET)->text, "was on for 3,4, is off");
			assert_string_equal(
				feed_event(m, EV_ECN_SET)->text, "was on for 3, is off");
		}
		if (i == 4)
			assert_string_equal(feed_event(m, EV_ECN_SET)->text,
				"was 500k-1.50M 5%, is 250k-1.50M 5%");
	}
	assert_int_equal(feed_events(m, EV_PFC_SET), 2);
	assert_int_equal(feed_events(m, EV_ECN_SET), 3);
	assert_int_equal(changes(m), 5);
}

/* A device under another name of its port tells of one change, not of two. */
CASE_WITH(two_names_of_a_port, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (unsigned i = 0; i < 2; i++) {
		struct obs *o = feed_batch();
		uint32_t at = obs_port(o, PORT), other;

		obs_word(o, at, ATTR_ALIAS, 0, "etp1");
		obs_word(o, at, ATTR_ADMIN, 0, i ? "down" : "up");
		other = obs_port(o, "etp1");
		if (i)
			obs_word(o, other, ATTR_ADMIN, 0, "down");
		feed(m, o, 5.0 * i);
	}
	assert_int_equal(feed_events(m, EV_ADMIN), 1);
}

CASE_WITH(what_a_restart_brings_is_its_own, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o;

	feed_watchdog(m, 0, "operational", "drop", 200, 400);
	o = feed_batch_of("leaf-r0-00", "identity");
	obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, 86400);
	feed(m, o, 1);
	o = feed_batch_of("leaf-r0-00", "identity");
	obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, 60);
	feed(m, o, 100);
	assert_int_equal(feed_events(m, EV_REBOOT), 1);
	feed_watchdog(m, 105, "off", NULL, 0, 0);
	assert_int_equal(changes(m), 0);
	/* Even long after, a change is compared with that value. */
	feed_watchdog(m, 500, "operational", "drop", 200, 400);
	assert_int_equal(changes(m), 1);
	assert_string_equal(feed_event(m, EV_WATCHDOG_SET)->text, "was off, is drop 200/400 ms");
}

CASE_WITH(a_reload_is_summed_up, feed_setup, feed_teardown)
{
	struct model *m = *state;
	char name[32];

	for (unsigned i = 0; i < 2; i++) {
		struct obs *o = feed_batch();

		for (unsigned p = 0; p < 64; p++) {
			(void)str_printf(name, sizeof(name), "Ethernet%u", p);
			obs_word(o, obs_port(o, name), ATTR_ADMIN, 0, i ? "down" : "up");
		}
		feed(m, o, 5.0 * i);
	}
	assert_int_equal(feed_events(m, EV_ADMIN), 9);
	assert_string_equal(feed_event(m, EV_ADMIN)->text, "and 56 more");
	assert_int_equal(feed_event(m, EV_ADMIN)->port, EVENT_NO_ID);
}

/* Two requests that contradict each other for ever must not wash out the ring. */
CASE_WITH(a_device_in_two_minds_is_bounded, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (unsigned i = 0; i < 1000; i++)
		feed_admin(m, 0.5 * i, i % 2 ? "down" : "up");
	assert_true(feed_events(m, EV_ADMIN) <= 64);
	feed_admin(m, 5000, "up");
	feed_admin(m, 5001, "down");
	assert_string_equal(feed_event(m, EV_ADMIN)->text, "was up, is down");
	assert_int_equal(feed_event(m, EV_ADMIN)->wall_us, feed_time(5001));
}

CASES_MAIN(NULL, NULL)
