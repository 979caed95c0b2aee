/* SPDX-License-Identifier: Apache-2.0 */
/* pfcwd-reset and pfcwd-enable: the commands they compose, refusals, expectations, watches. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/actions/support/site.h"
#include "tests/support/cases.h"

static step_vec steps;
static struct err err;

static bool compose(struct site *s)
{
	steps_free(&steps);
	err = (struct err){0};
	return s->x.action->compose(&s->at, &s->now, &steps, &err);
}

static void refused(struct site *s, const char *text, const char *cure)
{
	if (compose(s))
		fail_msg("it composes");
	if (err.code != ERR_REFUSED || !strstr(err.text, text) || !strstr(err.cure, cure))
		fail_msg("%s (%s)", err.text, err.cure);
}

static int setup(void **state)
{
	struct site *s = site_new();

	*state = s;
	site_action(s, "pfcwd-reset");
	site_word(s, "leaf-r0-00", "Ethernet12", ATTR_PFCWD_STATE, "stormed");
	return 0;
}

static int teardown(void **state)
{
	steps_free(&steps);
	return site_teardown(state);
}

CASE_WITH(a_reset_starts_with_the_values_that_were_read, setup, teardown)
{
	struct site *s = *state;
	char text[200] = "";

	s->now.wd_set = (struct wd_setting){"alert", 300, 700, true};
	assert_true(compose(s));
	assert_int_equal(steps.n, 2);
	assert_int_equal(steps.at[0].order.verb, VERB_WD_STOP);
	assert_int_equal(steps.at[1].order.verb, VERB_WD_START);
	assert_true(wd_setting_eq(&steps.at[1].order.wd, &s->now.wd_set));
	assert_true(steps.at[0].has_undo);
	assert_int_equal(steps.at[0].undo.verb, VERB_WD_START);
	assert_true(wd_setting_eq(&steps.at[0].undo.wd, &s->now.wd_set));
	assert_false(steps.at[1].has_undo);
	assert_string_equal(steps.at[0].order.port, "Ethernet12");
	s->x.action->expect(&s->at, &s->now, text, sizeof(text));
	assert_string_equal(
		text, "watchdog on Ethernet12 operational, alert 300/700 ms, no queue stormed");
}

CASE_WITH(a_queue_is_released_where_the_dialect_can, setup, teardown)
{
	struct site *s = *state;
	struct order look;

	s->can.verbs |= 1u << VERB_WD_RECOVER;
	s->can.queues = 1u << VERB_WD_RECOVER;
	assert_true(s->x.action->wants(&s->at, &look, &err));
	assert_int_equal(look.verb, VERB_WD_RECOVER);
	assert_int_equal(look.priority, 3); /* the only lossless one */
	assert_true(compose(s));
	assert_int_equal(steps.n, 1);
	assert_int_equal(steps.at[0].order.verb, VERB_WD_RECOVER);
	assert_int_equal(steps.at[0].order.priority, 3);
	assert_false(steps.at[0].has_undo);
	/* With two of them it takes a target. */
	s->plan.lossless.priorities = 1 << 3 | 1 << 4;
	assert_true(compose(s));
	assert_int_equal(steps.n, 2);
	site_at(s, "leaf-r0-00", "Ethernet12", 3);
	assert_true(compose(s));
	assert_int_equal(steps.n, 1);
	assert_int_equal(steps.at[0].order.priority, 3);
	site_at(s, "leaf-r0-00", "Ethernet12", 4);
	s->now.wd_state[4] = WD_OPERATIONAL;
	refused(s, "nothing to clear", "");
	/* A device that takes no queue: the order is for the whole port. */
	s->can.queues = 0;
	site_at(s, "leaf-r0-00", "Ethernet12", -1);
	assert_true(compose(s));
	assert_int_equal(steps.at[0].order.priority, -1);
}

CASE_WITH(a_reset_is_refused_where_there_is_nothing_to_reset, setup, teardown)
{
	struct site *s = *state;

	s->now.wd_state[3] = WD_OPERATIONAL;
	refused(s, "nothing to clear", "");
	/* Not told, but polled as stormed, or as a row that nothing came of. */
	s->now.wd_state[3] = WD_UNKNOWN;
	assert_true(compose(s));
	site_word(s, "leaf-r0-00", "Ethernet12", ATTR_PFCWD_STATE, "off");
	s->now.wd = 1;
	s->now.wd_state[3] = WD_UNKNOWN;
	assert_true(compose(s));
	site_word(s, "leaf-r0-00", "Ethernet12", ATTR_PFCWD_STATE, "operational");
	s->now.wd_state[3] = WD_UNKNOWN;
	refused(s, "does not report the state", "device");
	s->now.wd_state[3] = WD_OFF; /* a row that is not at work */
	assert_true(compose(s));
	s->now.wd = 0;
	refused(s, "no PFC watchdog", "pfcwd-enable");
	s->now.wd = -1;
	refused(s, "does not report if", "");
}

/* sonic-swss 4412: a watchdog in the chip is not restarted while its queue is held. */
CASE_WITH(a_watchdog_in_the_chip_is_left_alone, setup, teardown)
{
	struct site *s = *state;
	struct watchdog *w = port_watchdogs((struct port *)(uintptr_t)s->at.port);

	w[3].state = WD_STORMED;
	(void)str_copy(w[3].action, sizeof(w[3].action), "hw drop");
	refused(s, "runs in the chip", "at the peer");
	(void)str_copy(w[3].action, sizeof(w[3].action), "drop");
	assert_true(compose(s));
}

CASE_WITH(a_row_without_times_is_not_doubled, setup, teardown)
{
	struct site *s = *state;

	s->now.wd_set.restore_ms = 0;
	refused(s, "no restoration time", "actions.watchdog.restore");
	s->plan.actions.wd_restore_ms = 600;
	assert_true(compose(s));
	assert_int_equal(steps.at[1].order.wd.restore_ms, 600);
	assert_int_equal(steps.at[1].order.wd.detect_ms, 200);
	s->now.wd_set.detect_ms = 0;
	refused(s, "detection time could not be read", "device");
	/* Timers of the device as a whole: the dialect has no such choice. */
	s->now.wd_set = (struct wd_setting){0};
	assert_true(compose(s));
	assert_int_equal(steps.at[1].order.wd.restore_ms, 0);
}

CASE_WITH(a_dialect_that_cannot_says_so, setup, teardown)
{
	struct site *s = *state;
	struct order look;

	s->can.verbs &= ~(1u << VERB_WD_START);
	assert_false(s->x.action->wants(&s->at, &look, &err));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	assert_true(err.cure[0]);
	site_at(s, "leaf-r0-00", NULL, -1);
	assert_false(s->x.action->wants(&s->at, &look, &err));
	assert_int_equal(err.code, ERR_REFUSED);
}

CASE_WITH(enabling_takes_the_sites_timers, setup, teardown)
{
	struct site *s = *state;
	struct plan_actions *a = &s->plan.actions;

	site_action(s, "pfcwd-enable");
	refused(s, "has a PFC watchdog: drop 200/400 ms", "pfcwd-reset");
	s->now.wd = 0;
	refused(s, "does not state the site's watchdog", "actions");
	(void)str_copy(a->wd_action, sizeof(a->wd_action), "drop");
	a->wd_detect_ms = 250;
	a->wd_restore_ms = 500;
	assert_true(compose(s));
	assert_int_equal(steps.n, 1);
	assert_int_equal(steps.at[0].order.verb, VERB_WD_START);
	assert_int_equal(steps.at[0].order.wd.detect_ms, 250);
	assert_int_equal(steps.at[0].order.wd.restore_ms, 500);
	assert_int_equal(steps.at[0].undo.verb, VERB_WD_STOP);
	s->now.wd = -1;
	refused(s, "does not report", "");
}

/* ---- the watch ---- */

static bool holds(struct site *s, int64_t since_us, char *why, size_t size)
{
	why[0] = '\0';
	s->at.now_us = s->now_us;
	return s->x.action->holds(&s->at, &s->now, since_us, why, size);
}

CASE_WITH(the_outcome_holds_until_a_storm_comes, setup, teardown)
{
	struct site *s = *state;
	int64_t since = s->now_us;
	char why[200];

	/* Polls from before the action do not count. */
	assert_true(holds(s, since, why, sizeof(why)));
	site_poll(s, 1);
	assert_true(holds(s, since, why, sizeof(why)));
	site_poll(s, 5);
	assert_false(holds(s, since, why, sizeof(why)));
	assert_string_equal(why, "queue 3 is stormed");
	site_word(s, "leaf-r0-00", "Ethernet12", ATTR_PFCWD_STATE, "operational");
	assert_true(holds(s, since, why, sizeof(why)));
	site_word(s, "leaf-r0-00", "Ethernet12", ATTR_PFCWD_STATE, "off");
	assert_false(holds(s, since, why, sizeof(why)));
	assert_string_equal(why, "queue 3 has no watchdog");
}

CASE_WITH(new_storms_and_drops_break_it, setup, teardown)
{
	struct site *s = *state;
	struct port *p = site_port(s, "leaf-r0-00", "Ethernet12");
	int64_t since = s->now_us;
	struct obs *o;
	char why[200];

	site_word(s, "leaf-r0-00", "Ethernet12", ATTR_PFCWD_STATE, "operational");
	site_poll(s, 6);
	assert_true(holds(s, since, why, sizeof(why)));
	o = obs_new("leaf-r0-00", "fast");
	o->result = OBS_DATA;
	o->received_us = s->now_us += 5 * CLOCK_SEC;
	obs_count(o, obs_port(o, p->name), CTR_PFCWD_STORM_DETECTED, 3, 2);
	model_apply(s->m, o, s->now_us);
	obs_free(o);
	assert_false(holds(s, since, why, sizeof(why)));
	assert_string_equal(why, "the watchdog of queue 3 saw 2 new storms");
}

CASE_WITH(a_device_that_fell_silent_holds_nothing, setup, teardown)
{
	struct site *s = *state;
	int64_t since = s->now_us;
	char why[200];

	s->now_us += 60 * CLOCK_SEC;
	assert_true(holds(s, since, why, sizeof(why)));
	s->now_us += CLOCK_SEC;
	assert_false(holds(s, since, why, sizeof(why)));
	assert_non_null(strstr(why, "outcome is not known"));
}

CASES_MAIN(NULL, NULL)
