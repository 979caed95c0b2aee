/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "tests/actions/support/way.h"
#include "tests/support/cases.h"

/*
 * Each action, with each fault at each of its requests. The ledger must match the requests that the
 * device received and carried out, and the claimed end must be the device's state.
 */

static const char *const fault_names[] = {"well", "not left", "cut before", "cut after",
	"hang before", "hang after", "refuse", "deny", "noop", "wrong", "killed", "silent"};

/* How many changes the action takes when nothing goes wrong. */
static unsigned changes_of(const struct way_case *c, struct fake_setting *after)
{
	struct way *r = way_new();
	unsigned n;

	way_fit(r, c);
	assert_int_equal(way_do(r, c->action), ACT_DONE);
	n = fake_changes(&r->fake);
	*after = fake_now(&r->fake);
	way_free(r);
	return n;
}

static void explain(struct way *r, const struct way_case *c, enum fake_fault f, unsigned at,
	unsigned times, unsigned dead, const char *what)
{
	way_print(r);
	fail_msg("%s%s, %s at change %u, %u times, %u connections dead: %s", c->action,
		c->staged ? " staged" : "", fault_names[f], at, times, dead, what);
}

/* One of them. The stage in which it ended. */
static enum act_stage trouble(const struct way_case *c, enum fake_fault f, unsigned at,
	unsigned times, unsigned dead, const struct fake_setting *after)
{
	struct way *r = way_new();
	struct fake_setting now;
	enum act_stage end;

	way_fit(r, c);
	r->fake.fault = f;
	r->fake.at = at;
	r->fake.times = times;
	r->fake.dead_after_fault = dead;
	end = way_do(r, c->action);
	way_check(r, end);
	now = fake_now(&r->fake);
	if (end != ACT_DONE && end != ACT_FAILED && end != ACT_UNKNOWN)
		explain(r, c, f, at, times, dead, act_stage_name(end));
	if (end == ACT_DONE && !fake_setting_eq(&now, after))
		explain(r, c, f, at, times, dead, "done, and the device says otherwise");
	if (end == ACT_UNKNOWN && (!way_noted(r, "check ") || !way_noted(r, "ledger settle")))
		explain(r, c, f, at, times, dead, "unknown, and nobody is told what to do");
	/* With the connection and one fault only, it need not come to that. */
	if (end == ACT_UNKNOWN && dead < 3 && times == 1)
		explain(r, c, f, at, times, dead, "unknown without need");
	way_free(r);
	return end;
}

static unsigned each(enum fake_fault from, enum fake_fault to, unsigned times, unsigned dead)
{
	struct fake_setting after;
	unsigned ends[ACT_UNKNOWN + 1] = {0}, n;

	for (size_t i = 0; i < way_ncases; i++) {
		n = changes_of(&way_cases[i], &after);
		for (enum fake_fault f = from; f <= to; f++)
			for (unsigned at = 1; at <= n; at++)
				ends[trouble(&way_cases[i], f, at, times, dead, &after)]++;
	}
	print_message("          %u done, %u as before, %u unknown\n", ends[ACT_DONE],
		ends[ACT_FAILED], ends[ACT_UNKNOWN]);
	return ends[ACT_UNKNOWN];
}

CASE(test_cut_and_found_again)
{
	assert_int_equal(each(FAKE_CUT_BEFORE, FAKE_HANG_AFTER, 1, 0), 0);
}

CASE(test_cut_and_found_again_at_the_third_try)
{
	assert_int_equal(each(FAKE_CUT_BEFORE, FAKE_HANG_AFTER, 1, 2), 0);
}

/* A request that never left causes no "lost" line and no guessing. */
CASE(test_cut_before_it_left)
{
	struct way *r = way_new();
	const struct way_case c = {"pfcwd-reset", false};

	assert_int_equal(each(FAKE_NOT_LEFT, FAKE_NOT_LEFT, 1, 0), 0);
	way_fit(r, &c);
	r->fake.fault = FAKE_NOT_LEFT;
	r->fake.at = 2;
	r->fake.times = 1;
	assert_int_equal(way_do(r, c.action), ACT_FAILED);
	assert_true(way_says(r, "answered", "\"outcome\":\"not sent\""));
	assert_int_equal(way_lines(r, "lost"), 0);
	way_check(r, ACT_FAILED);
	way_free(r);
}

/* An end without a status is no refusal: it was done here, and the ledger must not say no. */
CASE(test_ended_without_a_status)
{
	struct fake_setting after;

	assert_int_equal(each(FAKE_KILLED, FAKE_KILLED, 1, 0), 0);
	for (size_t i = 0; i < way_ncases; i++) {
		(void)changes_of(&way_cases[i], &after);
		assert_int_equal(trouble(&way_cases[i], FAKE_KILLED, 1, 1, 0, &after), ACT_DONE);
	}
}

CASE(test_cut_and_gone)
{
	assert_true(each(FAKE_CUT_BEFORE, FAKE_CUT_AFTER, 1, 100) > 0);
}

CASE(test_refused_once)
{
	assert_int_equal(each(FAKE_REFUSE, FAKE_WRONG, 1, 0), 0);
}

CASE(test_everything_from_there_on_fails)
{
	(void)each(FAKE_CUT_BEFORE, FAKE_WRONG, 100, 0);
}

CASE(test_neither_an_answer_nor_an_end)
{
	struct fake_setting after;
	const struct way_case c = {"port-drain", false};

	assert_int_equal(changes_of(&c, &after), 1);
	assert_int_equal(trouble(&c, FAKE_SILENT, 1, 1, 0, &after), ACT_DONE);
}

/* ---- the results ---- */

CASE(test_a_reset_that_leaves_the_port_bare_is_loud)
{
	struct way *r = way_new();
	const struct way_case c = {"pfcwd-reset", false};

	way_fit(r, &c);
	r->fake.fault = FAKE_DENY;
	r->fake.at = 2;
	r->fake.times = 100;
	assert_int_equal(way_do(r, c.action), ACT_UNKNOWN);
	assert_true(way_noted(r, "WITHOUT ITS PFC WATCHDOG"));
	assert_true(way_noted(r, "to correct it: set Ethernet12 wd on drop 200 400 0"));
	assert_int_equal(fake_now(&r->fake).wd, 0);
	way_check(r, ACT_UNKNOWN);
	way_free(r);
}

CASE(test_unknown_blocks_what_comes_after)
{
	struct way *r = way_new();
	const struct way_case c = {"port-drain", false};
	struct err err = {0};

	way_fit(r, &c);
	r->fake.fault = FAKE_CUT_AFTER;
	r->fake.at = 1;
	r->fake.dead_after_fault = 100;
	assert_int_equal(way_do(r, c.action), ACT_UNKNOWN);
	assert_true(way_noted(r, "show port Ethernet12"));
	r->fake.dead = 0;
	assert_true(way_begin(r, "locate", &err));
	assert_int_equal(way_leave_stage(r, ACT_LOOKING), ACT_REFUSED);
	assert_string_equal(manager_refusals(r->acts)->at[0].guard, "unfinished");
	way_free(r);
}

CASE(test_slow_to_show)
{
	for (size_t i = 0; i < way_ncases; i++) {
		struct way *r = way_new();

		way_fit(r, &way_cases[i]);
		r->fake.slow = 5;
		assert_int_equal(way_do(r, way_cases[i].action), ACT_DONE);
		way_check(r, ACT_DONE);
		way_free(r);
	}
}

/* It was done, and shows only after the connection was found again: it must not be sent twice. */
CASE(test_slow_to_show_after_a_cut)
{
	struct way *r = way_new();
	const struct way_case c = {"port-drain", false};

	way_fit(r, &c);
	r->fake.slow = 5;
	r->fake.fault = FAKE_CUT_AFTER;
	r->fake.at = 1;
	assert_int_equal(way_do(r, c.action), ACT_DONE);
	assert_int_equal(fake_changes(&r->fake), 1);
	way_check(r, ACT_DONE);
	way_free(r);
}

CASE(test_still_at_it_for_ever)
{
	struct way *r = way_new();
	const struct way_case c = {"pfcwd-reset", true};

	way_fit(r, &c);
	r->fake.waits = 1000;
	assert_int_equal(way_do(r, c.action), ACT_FAILED);
	way_check(r, ACT_FAILED);
	way_free(r);
}

CASE(test_a_light_that_nobody_tells_of)
{
	struct way *r = way_new();

	r->fake.tells_no_beacon = true;
	assert_int_equal(way_do(r, "locate"), ACT_DONE);
	assert_true(way_says(r, "done", "not confirmed by the device"));
	way_check(r, ACT_DONE);
	way_free(r);
}

CASE(test_the_reading_back_is_cut)
{
	for (unsigned n = 1; n <= 4; n++) {
		struct way *r = way_new();
		struct err err = {0};
		enum act_stage end;

		way_plan(r, "port-drain");
		pthread_mutex_lock(&r->fake.lock);
		r->fake.cut_read = n;
		pthread_mutex_unlock(&r->fake.lock);
		assert_true(way_go(r, &err));
		end = way_leave_stage(r, ACT_RUNNING);
		end = end == ACT_WATCHING ? ACT_DONE : end;
		assert_true(end == ACT_DONE || end == ACT_FAILED);
		way_check(r, end);
		way_free(r);
	}
}

/* A failure that is noticed before the first request costs a connection, not the action. */
CASE(test_the_connection_died_while_the_plan_was_read)
{
	for (unsigned silent = 0; silent < 2; silent++) {
		struct way *r = way_new();
		struct err err = {0};

		way_plan(r, "port-drain");
		pthread_mutex_lock(&r->fake.lock);
		r->fake.cut_read = !silent;
		r->fake.silent_reads = silent;
		pthread_mutex_unlock(&r->fake.lock);
		assert_true(way_go(r, &err));
		(void)way_leave_stage(r, ACT_RUNNING);
		assert_int_equal(r->fake.connects, 2);
		assert_int_equal(fake_changes(&r->fake), 1);
		way_check(r, ACT_DONE);
		way_free(r);
	}
}

CASES_MAIN(NULL, NULL)
