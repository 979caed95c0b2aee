/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/cases.h"
#include "tests/views/support/stage.h"

static const struct stage acting, watched = {.with_ledger = true}, ungated = {.no_gate = true},
				  reading = {.read_only = true, .with_ledger = true};

#define PLAN ":act pfcwd-reset leaf-r2-00:Ethernet4\r"

struct scene {
	const char *name, *keys;
	const struct stage *x;
};

static const struct scene scenes[] = {
	{"act/menu", ":leaf-r2-00:Ethernet4\r!", &acting},
	{"act/plan", PLAN, &acting},
	{"act/refused", ":leaf-r2-00\r:act counterpoll-enable leaf-r2-00\r", &acting},
	{"act/reason", PLAN "cwatch it come back", &acting},
	{"act/incident", PLAN "cwatch it come back\r", &acting},
	{"act/name", PLAN "cwatch it come back\rINC-4711\rEthern", &acting},
	{"act/running", PLAN "cstuck after a storm\rINC-4711\rEthernet4\r", &acting},
	{"act/badge", PLAN "cstuck after a storm\rINC-4711\rEthernet4\r\033", &acting},
	{"act/unknown", PLAN "clost on purpose\rINC-4711\rEthernet4\r", &acting},
	{"act/watch", PLAN "cwatch it come back\rINC-4711\rEthernet4\r", &acting},
	{"act/undo", PLAN "cwatch it come back\rINC-4711\rEthernet4\ru", &acting},
	{"audit", ":audit\r", &watched},
	{"audit-port", ":leaf-r1-00:Ethernet4\r:audit\r", &watched},
	{"audit-read-only", ":audit\r", &reading},
};

static void golden(int rows, int cols)
{
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		struct vt *vt = stage_start(scenes[i].x, rows, cols);

		stage_type(vt, scenes[i].keys);
		stage_golden(vt, scenes[i].name);
		vt_free(vt);
	}
}

CASE(golden_80x24)
{
	golden(24, 80);
}

CASE(golden_200x50)
{
	golden(50, 200);
}

/* The whole dialogue, one answer after the other; the command line shows the agreed plan. */
CASE(three_answers_do_it)
{
	struct vt *vt = stage_start(&acting, 24, 80);

	stage_type(vt, ":leaf-r2-00:Ethernet4\r!pfcwd-reset\r");
	assert_true(vt_has(vt, "[ PLANNED ]"));
	stage_type(vt, "cwatch it come back\r");
	assert_true(vt_has(vt, "2/3 incident key:"));
	stage_type(vt, "INC-4711\r");
	assert_true(vt_has(vt, "3/3 type Ethernet4 to do it:"));
	assert_false(vt_has(vt, "CONFIRMED"));
	stage_type(vt, "Ethernet4\r");
	assert_true(vt_has(vt, "CONFIRMED by \"watch it come back\", INC-4711, Ethernet4"));
	/* The incident's key is offered again, the reason is not. */
	stage_type(vt, "u\t");
	assert_false(vt_has(vt, "why (10 characters or more): watch"));
	vt_key(vt, "Up");
	vt_settle(vt);
	assert_false(vt_has(vt, "why (10 characters or more): watch"));
	stage_type(vt, "it was the wrong port\r");
	assert_true(vt_has(vt, "incident key: INC-4711"));
	stage_type(vt, "\rEthernet4\r");
	assert_true(vt_has(vt, "TAKEN BACK for \"it was the wrong port\", INC-4711"));
	stage_end(vt);
}

/* Each way out of each question. */
CASE(every_question_can_be_cancelled)
{
	static const char *const before[] = {
		"c", "cstuck after a storm\r", "cstuck after a storm\rINC-1\r"};
	static const char *const ways[] = {"\033", "\r", "!", "\b", "   \r"};
	struct vt *vt = stage_start(&acting, 24, 80);

	stage_type(vt, ":leaf-r2-00:Ethernet4\r!pfcwd-reset\r");
	for (size_t q = 0; q < 3; q++) {
		for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
			stage_type(vt, before[q]);
			assert_true(vt_has(vt, "/3 "));
			stage_type(vt, ways[w]);
			assert_true(vt_has(vt, "nothing was changed"));
			assert_false(vt_has(vt, "/3 "));
			assert_true(vt_has(vt, "[ PLANNED ]"));
		}
	}
	assert_false(vt_has(vt, "CONFIRMED"));
	stage_end(vt);
}

CASE(trigger_cancels_only_as_first_key)
{
	struct vt *vt = stage_start(&acting, 24, 80);

	stage_type(vt, ":leaf-r2-00:Ethernet4\r!pfcwd-reset\rcstuck again!\r");
	assert_true(vt_has(vt, "2/3"));
	stage_type(vt, "!");
	assert_true(vt_has(vt, "nothing was changed"));
	stage_end(vt);
}

CASE(a_wrong_name_has_no_second_try)
{
	static const char *const wrong[] = {
		"Ethernet", "ethernet4", "Ethernet4 ", " Ethernet4", "Ethernet44", "y"};
	struct vt *vt = stage_start(&acting, 24, 80);

	stage_type(vt, PLAN);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		stage_type(vt, "cstuck after a storm\rINC-1\r");
		stage_type(vt, wrong[i]);
		stage_type(vt, "\r");
		assert_true(vt_has(vt, "the name does not match: nothing was changed"));
		/* Not the question again: this would be its answer. */
		stage_type(vt, "Ethernet4\r");
		assert_false(vt_has(vt, "CONFIRMED"));
		assert_false(vt_has(vt, "3/3"));
		stage_type(vt, "\033:act-show\r");
	}
	stage_end(vt);
}

CASE(a_short_reason_is_asked_for_again)
{
	struct vt *vt = stage_start(&acting, 24, 80);

	stage_type(vt, PLAN "cfix it    \r");
	assert_true(vt_has(vt, "1/3"));
	assert_true(vt_has(vt, "ten characters or more"));
	stage_type(vt, " now please\r");
	assert_true(vt_has(vt, "2/3"));
	stage_end(vt);
}

static const char burst[] = "cReason enough for it\rINC-1\rEthernet4\r";

/* A paste, a key that was held, an impatient hand: keys typed before the question are no answer. */
static void burst_of(const struct stage *x, bool with_answers)
{
	struct vt *vt = stage_start(x, 24, 80);

	stage_type(vt, PLAN);
	vt_hold_answers(vt, !with_answers);
	vt_type(vt, burst);
	if (!with_answers) {
		vt_wait_text(vt, "1/3", 0);
		vt_type(vt, burst + 1);
		vt_hold_answers(vt, false);
	}
	vt_settle(vt);
	assert_false(vt_has(vt, "CONFIRMED"));
	assert_false(vt_has(vt, "3/3"));
	assert_true(vt_has(vt, "[ PLANNED ]"));
	stage_end(vt);
}

CASE(a_burst_does_not_confirm)
{
	burst_of(&acting, true);
}

/* On a slow line: the question is on its way, the terminal has not confirmed it. */
CASE(typing_ahead_of_a_slow_line_does_not_confirm)
{
	burst_of(&acting, false);
}

CASE(a_burst_does_not_confirm_without_the_gate)
{
	burst_of(&ungated, true);
}

/* And between two questions as before the first. */
CASE(a_burst_answers_one_question_at_most)
{
	struct vt *vt = stage_start(&acting, 24, 80);

	stage_type(vt, PLAN "c");
	vt_type(vt, "watch it come back\rINC-1\rEthernet4\r");
	vt_settle(vt);
	assert_false(vt_has(vt, "CONFIRMED"));
	assert_true(vt_has(vt, "2/3 incident key:"));
	assert_true(vt_has(vt, "ignored"));
	stage_type(vt, "INC-2\r");
	/* The name may be pasted once it was asked for. */
	vt_type(vt, "Ethernet4");
	vt_settle(vt);
	stage_type(vt, "\r");
	assert_true(vt_has(vt, "CONFIRMED by \"watch it come back\", INC-2, Ethernet4"));
	stage_end(vt);
}

/* A question without room to show it takes no answer. */
CASE(a_window_too_small_asks_nothing)
{
	struct vt *vt = stage_start(&acting, 24, 80);

	stage_type(vt, PLAN);
	vt_resize(vt, 24, 36);
	vt_settle(vt);
	stage_type(vt, "cstuck after a storm\rINC-1\rEthernet4\r");
	assert_true(vt_has(vt, "too small"));
	vt_resize(vt, 24, 80);
	vt_settle(vt);
	assert_false(vt_has(vt, "CONFIRMED"));
	assert_true(vt_has(vt, "1/3"));
	stage_end(vt);
}

CASE(what_is_under_way_is_not_left)
{
	struct vt *vt = stage_start(&acting, 24, 80);

	stage_type(vt, PLAN "cstuck after a storm\rINC-1\rEthernet4\r\033");
	assert_false(vt_has(vt, "CONFIRMED"));
	assert_true(vt_has(vt, "ACT running"));
	vt_key(vt, "Ctrl-c");
	vt_settle(vt);
	assert_true(vt_has(vt, "is running"));
	/* On every page, and it can be looked at again. */
	stage_type(vt, ":hosts\r");
	assert_true(vt_has(vt, "ACT running"));
	stage_type(vt, ":act\r");
	assert_true(vt_has(vt, "CONFIRMED"));
	stage_type(vt, "c");
	assert_true(vt_has(vt, "has no effect now"));
	vt_free(vt);
}

CASE(refusals_are_said)
{
	struct vt *vt = stage_start(&acting, 24, 80);

	stage_type(vt, PLAN "cfail on purpose\rINC-1\rEthernet4\r");
	assert_true(vt_has(vt, "refused by storm-active; find the cause of the pauses first"));
	stage_type(vt, "\033:act locate leaf-r9-00\r");
	assert_false(vt_has(vt, "[ PLANNED ]"));
	stage_type(vt, ":act port-melt leaf-r2-00:Ethernet4\r");
	assert_true(vt_has(vt, "no action port-melt for leaf-r2-00:Ethernet4"));
	stage_end(vt);
}

/* A reason typed into a refusal must not sort, open or mark rows under the sheet. */
CASE(what_is_covered_is_not_touched)
{
	struct vt *vt = stage_start(&acting, 24, 80);
	static const char *const keys[] = {"\r", "A", "7", "x"};

	stage_type(vt, ":leaf-r2-00\r:act counterpoll-enable leaf-r2-00\r");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		stage_type(vt, keys[i]);
		assert_true(vt_has(vt, "[ REFUSED ]"));
	}
	stage_type(vt, "q");
	assert_false(vt_has(vt, "[ REFUSED ]"));
	assert_true(vt_has(vt, "rail 2"));
	stage_end(vt);
}

/* A plan can be forgotten, and another one takes its place. */
CASE(plans_come_and_go)
{
	struct vt *vt = stage_start(&acting, 24, 80);

	stage_type(vt, PLAN "d");
	assert_false(vt_has(vt, "[ PLANNED ]"));
	assert_false(vt_has(vt, "ACT"));
	stage_type(vt, PLAN "\033:act locate leaf-r3-00:Ethernet0\r");
	assert_true(vt_has(vt, "locate leaf-r3-00:Ethernet0"));
	stage_type(vt, "d:act-show\r");
	assert_true(vt_has(vt, "no action has been planned"));
	stage_end(vt);
}

/* The place under the cursor counts when the prompt is opened, with the actions possible there. */
CASE(names_are_completed)
{
	struct vt *vt = stage_start(&acting, 24, 80);

	stage_type(vt, ":leaf-r2-00:Ethernet4\r!");
	assert_true(vt_has(vt, "act at leaf-r2-00:Ethernet4:"));
	assert_true(vt_has(vt, "restart the PFC watchdog of one port"));
	stage_type(vt, "lo\t\r");
	assert_true(vt_has(vt, "locate leaf-r2-00:Ethernet4"));
	assert_true(vt_has(vt, "[ PLANNED ]"));
	stage_type(vt, "\033:act pf");
	assert_true(vt_has(vt, "act pfcwd-enable"));
	stage_end(vt);
}

/* Where nothing can be done nothing leads there. */
CASE(read_only_shows_nothing_of_it)
{
	struct vt *vt = stage_start(&reading, 50, 200);
	static const char *const pages[] = {":leaf-r2-00:Ethernet4\r", ":hosts\r", "?", ":a"};

	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		stage_type(vt, pages[i]);
		assert_false(vt_has(vt, " act "));
		assert_false(vt_has(vt, "pfcwd-reset"));
		assert_false(vt_has(vt, "Plan an action"));
		stage_type(vt, "\033");
	}
	stage_type(vt, "!");
	assert_true(vt_has(vt, "! is not bound"));
	stage_end(vt);
}

CASES_MAIN(NULL, NULL)
