/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drain, undrain, bounce, locate, counters: the commands they compose, refusals, expectations,
 * watches.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/actions/support/site.h"
#include "tests/support/cases.h"

static step_vec steps;
static struct err err;
static char expected[200];

static bool compose(struct site *s)
{
	bool ok;

	steps_free(&steps);
	err = (struct err){0};
	ok = s->x.action->compose(&s->at, &s->now, &steps, &err);
	if (ok)
		s->x.action->expect(&s->at, &s->now, expected, sizeof(expected));
	return ok;
}

static void refused(struct site *s, const char *text, const char *cure)
{
	if (compose(s))
		fail_msg("it composes");
	if (!strstr(err.text, text) || !strstr(err.cure, cure))
		fail_msg("%s (%s)", err.text, err.cure);
}

/* A step and the step that undoes it; VERB_COUNT: no undo. */
static void is(size_t i, enum verb v, enum verb undo)
{
	assert_true(i < steps.n);
	assert_int_equal(steps.at[i].order.verb, v);
	assert_int_equal(steps.at[i].has_undo ? steps.at[i].undo.verb : VERB_COUNT, undo);
}

static enum verb looks_for(struct site *s)
{
	struct order look = {0};

	assert_true(s->x.action->wants(&s->at, &look, &err));
	return look.verb;
}

static int teardown(void **state)
{
	steps_free(&steps);
	return site_teardown(state);
}

static void session(struct site *s, int shut)
{
	(void)str_copy(s->now.bgp_peer, sizeof(s->now.bgp_peer), "10.0.0.1");
	s->now.bgp_asn = 65001;
	s->now.bgp_shut = shut;
	s->now.bgp = shut ? BGP_ADMIN_DOWN : BGP_ESTABLISHED;
}

CASE_WITH(a_drain_shuts_the_port, site_setup, teardown)
{
	struct site *s = *state;

	assert_int_equal(looks_for(s), VERB_PORT_DOWN);
	assert_true(compose(s));
	assert_int_equal(steps.n, 1);
	is(0, VERB_PORT_DOWN, VERB_PORT_UP);
	assert_string_equal(steps.at[0].undo.port, "Ethernet12");
	assert_string_equal(expected, "Ethernet12 shut, its link down at both ends");
	s->now.admin = OPER_DOWN;
	refused(s, "drained already: it is shut", "port-undrain");
	s->now.admin = OPER_UNKNOWN;
	refused(s, "does not report", "");
}

CASE_WITH(a_drain_by_bgp_shuts_the_session, site_setup, teardown)
{
	struct site *s = *state;

	s->plan.actions.drain_bgp = true;
	assert_int_equal(looks_for(s), VERB_BGP_DOWN);
	session(s, 0);
	assert_true(compose(s));
	is(0, VERB_BGP_DOWN, VERB_BGP_UP);
	assert_string_equal(steps.at[0].order.peer, "10.0.0.1");
	assert_int_equal(steps.at[0].undo.asn, 65001);
	assert_string_equal(
		expected, "BGP session of Ethernet12 with 10.0.0.1 shut, the link stays up");
	session(s, 1);
	refused(s, "its BGP session is shut", "port-undrain");
	session(s, -1);
	refused(s, "does not report if the session", "");
	/* Without a BGP session on this link, the drain shuts the port. */
	s->now.bgp_peer[0] = '\0';
	assert_true(compose(s));
	is(0, VERB_PORT_DOWN, VERB_PORT_UP);
	/* A host has no sessions. */
	site_at(s, "leaf-r0-00", "Ethernet0", -1);
	assert_int_equal(looks_for(s), VERB_PORT_DOWN);
	site_at(s, "leaf-r0-00", "Ethernet12", -1);
	s->can.verbs &= ~(1u << VERB_BGP_UP);
	assert_int_equal(looks_for(s), VERB_PORT_DOWN);
}

CASE_WITH(an_undrain_takes_back_what_is_down, site_setup, teardown)
{
	struct site *s = *state;

	site_action(s, "port-undrain");
	assert_int_equal(looks_for(s), VERB_BGP_UP);
	s->now.bgp_shut = 0;
	refused(s, "not drained: it is switched on and its BGP session is not shut",
		"no action is needed");
	s->now.oper = OPER_DOWN;
	refused(s, "not drained", "another reason");
	session(s, 1);
	assert_true(compose(s));
	assert_int_equal(steps.n, 1);
	is(0, VERB_BGP_UP, VERB_BGP_DOWN);
	s->now.admin = OPER_DOWN;
	assert_true(compose(s));
	assert_int_equal(steps.n, 2);
	is(0, VERB_PORT_UP, VERB_PORT_DOWN);
	is(1, VERB_BGP_UP, VERB_BGP_DOWN);
	assert_string_equal(
		expected, "link of Ethernet12 up, BGP session with 10.0.0.1 established");
	session(s, 0);
	s->now.admin = OPER_UNKNOWN;
	refused(s, "does not report", "");
	site_word(s, "leaf-r0-00", "Ethernet12", ATTR_ADMIN, "down");
	assert_int_equal(looks_for(s), VERB_PORT_UP);
}

CASE_WITH(a_bounce_waits_between_down_and_up, site_setup, teardown)
{
	struct site *s = *state;

	site_action(s, "port-bounce");
	assert_true(compose(s));
	assert_int_equal(steps.n, 2);
	is(0, VERB_PORT_DOWN, VERB_PORT_UP);
	is(1, VERB_PORT_UP, VERB_COUNT);
	assert_true(steps.at[0].dwell_us == 5 * CLOCK_SEC && !steps.at[1].dwell_us);
	s->now.oper = OPER_DOWN; /* it may help a link that is down */
	assert_true(compose(s));
	s->now.admin = OPER_DOWN;
	refused(s, "drained on purpose", "port-undrain");
	s->now.admin = OPER_UNKNOWN;
	refused(s, "does not report", "");
}

CASE_WITH(a_light_is_switched_on_and_off, site_setup, teardown)
{
	struct site *s = *state;

	site_action(s, "locate");
	assert_true(compose(s));
	is(0, VERB_LOCATE_ON, VERB_LOCATE_OFF);
	assert_int_equal(steps.at[0].order.seconds, 60);
	s->now.beacon = 1;
	assert_true(compose(s));
	is(0, VERB_LOCATE_OFF, VERB_LOCATE_ON);
	s->can.verbs &= ~(1u << VERB_LOCATE_OFF);
	refused(s, "blinks already", "by itself");
	s->now.beacon = -1;
	assert_true(compose(s));
	is(0, VERB_LOCATE_ON, VERB_COUNT);
}

static void disabled(struct site *s, const char *need, enum validity v)
{
	struct obs *o = obs_new("leaf-r0-00", "fast");

	o->result = OBS_DATA;
	o->received_us = s->now_us;
	obs_capability(o, need, v, "sudo counterpoll wredqueue enable");
	model_apply(s->m, o, s->now_us);
	obs_free(o);
}

CASE_WITH(counters_that_are_off_are_switched_on, site_setup, teardown)
{
	struct site *s = *state;
	struct order look;

	site_action(s, "counterpoll-enable");
	site_at(s, "leaf-r0-00", NULL, -1);
	refused(s, "no disabled counters are known", "railtop check");
	disabled(s, "ECN marks", VALID_DISABLED);
	assert_true(s->x.action->wants(&s->at, &look, &err));
	assert_string_equal(look.group, "wredqueue");
	assert_string_equal(look.port, "");
	assert_true(order_check(&look, &err));
	refused(s, "does not report", "");
	s->now.counters = 0;
	assert_true(compose(s));
	is(0, VERB_COUNTERS_ON, VERB_COUNTERS_OFF);
	assert_string_equal(
		expected, "counters \"wredqueue\" on, ECN marks reported by leaf-r0-00");
	s->now.counters = 1;
	refused(s, "are on already", "next polls");
	/* The most wanted first. */
	disabled(s, "queue counters", VALID_DISABLED);
	assert_true(s->x.action->wants(&s->at, &look, &err));
	assert_string_equal(look.group, "queue");
	disabled(s, "queue counters", VALID_UNSUPPORTED);
	assert_true(s->x.action->wants(&s->at, &look, &err));
	assert_string_equal(look.group, "wredqueue");
	site_at(s, "spine-000", NULL, -1);
	assert_false(s->x.action->wants(&s->at, &look, &err));
}

/* ---- the watch ---- */

static bool holds(struct site *s, int64_t since_us, char *why, size_t size)
{
	why[0] = '\0';
	s->at.now_us = s->now_us;
	return s->x.action->holds(&s->at, &s->now, since_us, why, size);
}

CASE_WITH(a_bounced_link_must_stay_up, site_setup, teardown)
{
	struct site *s = *state;
	int64_t since = s->now_us;
	char why[200];

	site_action(s, "port-bounce");
	/* The polls right after it still tell of the bounce itself. */
	site_word(s, "leaf-r0-00", "Ethernet12", ATTR_OPER, "down");
	site_poll(s, 1);
	assert_true(holds(s, since, why, sizeof(why)));
	site_word(s, "leaf-r0-00", "Ethernet12", ATTR_OPER, "up");
	site_poll(s, 5);
	assert_true(holds(s, since, why, sizeof(why)));
	site_word(s, "leaf-r0-00", "Ethernet12", ATTR_OPER, "down");
	assert_false(holds(s, since, why, sizeof(why)));
	assert_string_equal(why, "Ethernet12 is down");
	site_word(s, "leaf-r0-00", "Ethernet12", ATTR_OPER, "up");
	assert_false(holds(s, since, why, sizeof(why)));
	assert_non_null(strstr(why, "lost its link again at 22:"));
}

CASE_WITH(a_drained_port_must_stay_down, site_setup, teardown)
{
	struct site *s = *state;
	int64_t since = s->now_us;
	char why[200];

	site_word(s, "leaf-r0-00", "Ethernet12", ATTR_OPER, "down");
	site_word(s, "leaf-r0-00", "Ethernet12", ATTR_ADMIN, "down");
	site_poll(s, 6);
	assert_true(holds(s, since, why, sizeof(why)));
	site_word(s, "leaf-r0-00", "Ethernet12", ATTR_ADMIN, "up");
	assert_false(holds(s, since, why, sizeof(why)));
	assert_string_equal(why, "Ethernet12 is switched on again");
}

CASE_WITH(an_undrained_session_must_be_established, site_setup, teardown)
{
	struct site *s = *state;
	int64_t since = s->now_us;
	char why[200];

	site_action(s, "port-undrain");
	(void)str_copy(s->now.bgp_peer, sizeof(s->now.bgp_peer), "Ethernet12");
	site_poll(s, 6);
	assert_true(holds(s, since, why, sizeof(why)));
	site_bgp(s, "leaf-r0-00", "Ethernet12", BGP_ACTIVE);
	assert_false(holds(s, since, why, sizeof(why)));
	assert_string_equal(why, "the BGP session with Ethernet12 is active");
}

CASE_WITH(every_action_says_what_it_is, site_setup, teardown)
{
	assert_int_equal(action_count, 10);
	for (size_t i = 0; i < action_count; i++) {
		const struct action_ops *a = action_table[i];

		assert_non_null(strstr(action_names(), a->name));
		assert_ptr_equal(action_by_name(a->name), a);
		assert_true(strlen(a->title) > 10 && strlen(a->title) < 70);
		assert_true(strlen(a->help) > 80);
		assert_true(a->kinds && a->expect);
		/* Words are given, and nothing is read or sent for them. */
		assert_true(
			a->words ? !a->wants && !a->compose && !a->holds : a->wants && a->compose);
		if (a->words)
			continue;
		/* Every action that is not harmless saves the state first, and is compared. */
		assert_true(a->harmless || (a->needs & NEED_SNAPSHOT && a->needs & NEED_AGREEMENT));
	}
	assert_null(action_by_name("reboot"));
}

CASES_MAIN(NULL, NULL)
