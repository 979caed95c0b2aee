/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fabric/vocabulary/counters.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"

/* One answer about one port: a negative number or NULL is not reported. */
struct said {
	const char *oper;
	int downs, carrier;
	double change; /* seconds after FEED_T0 */
};

static void say(struct model *m, double t, struct said s)
{
	struct obs *o = feed_batch();
	uint32_t p = obs_port(o, "Ethernet0");

	if (s.oper)
		obs_word(o, p, ATTR_OPER, 0, s.oper);
	if (s.downs >= 0)
		obs_count(o, p, CTR_LINK_DOWN_EVENTS, 0, (uint64_t)s.downs);
	if (s.carrier >= 0)
		obs_count(o, p, CTR_CARRIER_CHANGES, 0, (uint64_t)s.carrier);
	if (s.change >= 0)
		obs_number(o, p, ATTR_LAST_CHANGE, 0, (double)feed_time(s.change) / 1e6);
	feed(m, o, t);
}

struct flap_case {
	const char *name;
	struct said say[5];
	unsigned down, up, flap, flaps;
};

#define END                                                                                        \
	{                                                                                          \
		NULL, -2, -2, -2                                                                   \
	}

static const struct flap_case cases[] = {
	{"steady", {{"up", 3, 6, 1}, {"up", 3, 6, 1}, {"up", 3, 6, 1}, END}, 0, 0, 0, 0},
	{"first sight of a down port", {{"down", -1, -1, -1}, END}, 0, 0, 0, 0},
	{"down and up seen as state",
		{{"up", -1, -1, -1}, {"down", -1, -1, -1}, {"up", -1, -1, -1}, END}, 1, 1, 0, 1},
	{"state and counter together",
		{{"up", 0, -1, -1}, {"down", 1, -1, -1}, {"up", 1, -1, -1}, END}, 1, 1, 0, 1},
	{"between two polls, by counter", {{"up", 0, -1, -1}, {"up", 3, -1, -1}, END}, 0, 0, 1, 3},
	{"between two polls, by carrier", {{"up", -1, 8, -1}, {"up", -1, 12, -1}, END}, 0, 0, 1, 2},
	{"between two polls, by time", {{"up", -1, -1, 5}, {"up", -1, -1, 50}, END}, 0, 0, 1, 1},
	{"a time that jitters", {{"up", -1, -1, 5}, {"up", -1, -1, 6}, END}, 0, 0, 0, 0},
	{"down, and more than once", {{"up", 0, -1, -1}, {"down", 3, -1, -1}, END}, 1, 0, 1, 3},
	{"the counter lags behind the state",
		{{"up", 0, -1, -1}, {"down", 0, -1, -1}, {"up", 0, -1, -1}, {"up", 1, -1, -1}, END},
		1, 1, 0, 1},
	{"the counter comes before the state",
		{{"up", 0, -1, -1}, {NULL, 1, -1, -1}, {"down", -1, -1, -1}, END}, 1, 0, 0, 1},
	{"counter alone, then the state is unchanged",
		{{"up", 0, -1, -1}, {NULL, 1, -1, -1}, {"up", -1, -1, -1}, END}, 0, 0, 1, 1},
	{"counter without any state", {{NULL, 0, -1, -1}, {NULL, 2, -1, -1}, END}, 0, 0, 1, 2},
	{"half a carrier change, then the state",
		{{"up", -1, 8, -1}, {"up", -1, 9, -1}, {"down", -1, 9, -1}, END}, 1, 0, 0, 1},
	{"both counters are one flap", {{"up", 0, 8, -1}, {"up", 1, 10, -1}, END}, 0, 0, 1, 1},
	{"the counter was cleared", {{"up", 9, -1, -1}, {"up", 0, -1, -1}, END}, 0, 0, 0, 0},
	{"a state that is no state", {{"up", -1, -1, -1}, {"testing", -1, -1, -1}, END}, 0, 0, 0,
		0},
};

CASE_WITH(flaps_are_told_once, feed_setup, feed_teardown)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct flap_case *c = &cases[i];
		struct model *m = feed_new();
		unsigned down, up, flap, flaps;

		for (unsigned j = 0; c->say[j].downs != -2; j++)
			say(m, j * 5, c->say[j]);
		down = feed_events(m, EV_LINK_DOWN);
		up = feed_events(m, EV_LINK_UP);
		flap = feed_events(m, EV_LINK_FLAP);
		flaps = feed_port(m, "leaf-r0-00", "Ethernet0")->flaps;
		if (down != c->down || up != c->up || flap != c->flap || flaps != c->flaps)
			fail_msg("%s: %u down, %u up, %u flap events; %u flaps", c->name, down, up,
				flap, flaps);
		model_free(m);
	}
}

CASE_WITH(the_devices_own_time_is_kept, feed_setup, feed_teardown)
{
	struct model *m = *state;

	say(m, 10, (struct said){"up", -1, -1, 1});
	say(m, 15, (struct said){"down", -1, -1, 12.5});
	assert_int_equal(feed_event(m, EV_LINK_DOWN)->device_us, feed_time(12.5));
	assert_int_equal(feed_event(m, EV_LINK_DOWN)->wall_us, feed_time(15));
	assert_int_equal(
		feed_event(m, EV_LINK_DOWN)->port, feed_port(m, "leaf-r0-00", "Ethernet0")->id);
	say(m, 20, (struct said){"up", -1, -1, -1});
	assert_int_equal(feed_event(m, EV_LINK_UP)->device_us, 0);
}

CASE_WITH(an_event_line_and_the_poll_are_one, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o;

	say(m, 0, (struct said){"up", 0, -1, -1});
	o = feed_batch();
	obs_event(o, obs_port(o, "Ethernet0"), EV_LINK_DOWN, feed_time(2), "carrier lost");
	feed(m, o, 3);
	say(m, 5, (struct said){"down", 1, -1, -1});
	assert_int_equal(feed_events(m, EV_LINK_DOWN), 1);
	assert_int_equal(feed_events(m, EV_LINK_FLAP), 0);
	assert_string_equal(feed_event(m, EV_LINK_DOWN)->text, "carrier lost");
	assert_int_equal(feed_port(m, "leaf-r0-00", "Ethernet0")->flaps, 1);
}

/* The answer was made before the line, and arrives behind it. */
CASE_WITH(an_answer_that_crosses_an_event_line_is_no_second_down, feed_setup, feed_teardown)
{
	struct model *m = *state;
	const struct port *p;
	struct obs *o;

	say(m, 0, (struct said){"up", 0, -1, -1});
	o = feed_batch();
	obs_event(o, obs_port(o, "Ethernet0"), EV_LINK_DOWN, feed_time(5), "");
	feed(m, o, 5);
	say(m, 5, (struct said){"up", 0, -1, -1});
	p = feed_port(m, "leaf-r0-00", "Ethernet0");
	assert_true(port_down_unsure(m, p, feed_time(5)));
	assert_false(port_down_unsure(m, p, feed_time(10)));
	say(m, 10, (struct said){"down", 1, -1, -1});
	assert_int_equal(p->flaps, 1);
	assert_int_equal(feed_events(m, EV_LINK_FLAP), 0);
	/* The next is one of its own, with a counter and without. */
	say(m, 15, (struct said){"up", 1, -1, -1});
	say(m, 20, (struct said){"down", 2, -1, -1});
	assert_int_equal(p->flaps, 2);
	say(m, 25, (struct said){"up", -1, -1, -1});
	say(m, 30, (struct said){"down", -1, -1, -1});
	assert_int_equal(p->flaps, 3);
}

/* Likewise for a line that says up. */
CASE_WITH(an_answer_that_crosses_an_up_line_is_no_down, feed_setup, feed_teardown)
{
	struct model *m = *state;
	const struct port *p;
	struct obs *o;

	say(m, 0, (struct said){"up", 0, -1, -1});
	say(m, 5, (struct said){"down", 1, -1, -1});
	o = feed_batch();
	obs_event(o, obs_port(o, "Ethernet0"), EV_LINK_UP, feed_time(10), "");
	feed(m, o, 10);
	p = feed_port(m, "leaf-r0-00", "Ethernet0");
	assert_false(port_down_unsure(m, p, feed_time(10)));
	say(m, 10, (struct said){"down", 1, -1, -1});
	say(m, 15, (struct said){"up", 1, -1, -1});
	assert_int_equal(p->flaps, 1);
	say(m, 20, (struct said){"down", 2, -1, -1});
	assert_int_equal(p->flaps, 2);
}

/* ---- watchdog ---- */

static void storm(struct model *m, double t, const char *word, int detected, int restored)
{
	struct obs *o = feed_batch();
	uint32_t p = obs_port(o, "Ethernet0");

	if (detected >= 0)
		obs_count(o, p, CTR_PFCWD_STORM_DETECTED, 3, (uint64_t)detected);
	if (restored >= 0)
		obs_count(o, p, CTR_PFCWD_STORM_RESTORED, 3, (uint64_t)restored);
	if (word)
		obs_word(o, p, ATTR_PFCWD_STATE, 3, word);
	feed(m, o, t);
}

CASE_WITH(storms_by_counter, feed_setup, feed_teardown)
{
	struct model *m = *state;

	storm(m, 0, "operational", 4, 4);
	storm(m, 5, "stormed", 5, 4);
	assert_int_equal(feed_events(m, EV_STORM_DETECTED), 1);
	assert_int_equal(feed_event(m, EV_STORM_DETECTED)->priority, 3);
	assert_int_equal(feed_port(m, "leaf-r0-00", "Ethernet0")->wd[3].state, WD_STORMED);
	storm(m, 10, "operational", 5, 5);
	assert_int_equal(feed_events(m, EV_STORM_RESTORED), 1);
	storm(m, 15, "operational", 7, 7);
	assert_int_equal(feed_events(m, EV_STORM_DETECTED), 2);
	assert_int_equal(feed_events(m, EV_STORM_RESTORED), 2);
}

CASE_WITH(storms_by_state_alone, feed_setup, feed_teardown)
{
	struct model *m = *state;

	storm(m, 0, "operational", -1, -1);
	storm(m, 5, "stormed", -1, -1);
	storm(m, 10, "stormed", -1, -1);
	storm(m, 15, "operational", -1, -1);
	assert_int_equal(feed_events(m, EV_STORM_DETECTED), 1);
	assert_int_equal(feed_events(m, EV_STORM_RESTORED), 1);
	storm(m, 20, "off", -1, -1);
	assert_int_equal(feed_events(m, EV_STORM_DETECTED), 1);
	assert_int_equal(feed_events(m, EV_STORM_RESTORED), 1);
	assert_int_equal(feed_events(m, EV_WATCHDOG_SET), 1);
	assert_int_equal(m->event_seq, 3);
	assert_string_equal(
		wd_state_name((enum wd_state)feed_port(m, "leaf-r0-00", "Ethernet0")->wd[3].state),
		"off");
}

CASES_MAIN(NULL, NULL)
