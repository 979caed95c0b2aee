/* SPDX-License-Identifier: Apache-2.0 */
/* The frame gate: at most one unanswered frame, no answer is ever a key or the shell's input. */
#include <string.h>

#include "tests/support/cases.h"
#include "tests/tui/demo.h"
#include "tui/gate.h"
#include "tui/keymap.h"

#define S INT64_C(1000000)

CASE(test_open_until_asked)
{
	struct gate g;

	gate_init(&g, true);
	assert_true(gate_open(&g, 0));
	assert_true(gate_deadline(&g) == INT64_MAX);
	gate_asked(&g, 5 * S);
	assert_false(gate_open(&g, 5 * S + 1));
	assert_true(gate_deadline(&g) == 7 * S);
	gate_answer(&g, 5 * S + 300);
	assert_true(gate_open(&g, 5 * S + 301));
	assert_int_equal(g.rtt, 300);
}

CASE(test_silent_terminal_switches_off_for_good)
{
	struct gate g;

	gate_init(&g, true);
	gate_asked(&g, 0);
	assert_false(gate_open(&g, 2 * S - 1));
	assert_true(gate_open(&g, 2 * S));
	assert_false(g.on);
	assert_true(gate_deadline(&g) == INT64_MAX);
}

CASE(test_lost_answer_does_not_switch_off)
{
	struct gate g;

	gate_init(&g, true);
	gate_asked(&g, 0);
	gate_answer(&g, 1);
	gate_asked(&g, 10 * S);
	/* 10 kB at 2,400 B/s take four seconds: longer than the first question may take. */
	assert_false(gate_open(&g, 15 * S));
	assert_true(gate_open(&g, 20 * S));
	assert_true(g.on);
	gate_asked(&g, 20 * S);
	gate_answer(&g, 21 * S);
	assert_true(gate_open(&g, 21 * S));
}

CASE(test_unasked_answer_is_ignored)
{
	struct gate g;

	gate_init(&g, true);
	gate_answer(&g, 3);
	assert_false(g.answered);
	assert_int_equal(g.rtt, -1);
}

static void scene(struct demo *d, struct region s)
{
	char key[24] = "none";

	if (d->last_key)
		(void)key_name(d->last_key, key, sizeof(key));
	draw_textf(s, 0, 0, ROLE_NORMAL, "keys %d last %s frames %d.", d->keys, key, d->frames);
}

CASE(test_one_unanswered_frame)
{
	struct demo d = {.draw = scene, .idle_always = true};
	struct vt *vt = demo_start(&d, 24, 80, NULL, NULL);

	vt_wait_questions(vt, 1);
	vt_hold_answers(vt, true);
	vt_type(vt, "a");
	vt_wait_questions(vt, 2);
	for (const char *c = "bcdefgh"; *c; c++) {
		vt_type(vt, (char[]){*c, '\0'});
		vt_settle(vt);
	}
	/* Seven states later the screen still shows the state that is not acknowledged. */
	assert_string_equal(vt_line(vt, 0), "keys 1 last a frames 2.");
	assert_int_equal(vt_questions(vt), 2);
	vt_hold_answers(vt, false);
	/* And then the newest at once, not the ones between. */
	vt_wait_text(vt, "keys 8 last h frames 3.", 0);
	demo_end(vt);
}

CASE(test_answer_in_pieces_is_no_key)
{
	struct demo d = {.draw = scene, .idle_always = true};
	struct vt *vt = demo_start(&d, 24, 80, NULL, NULL);

	vt_wait_text(vt, "keys 0", 0);
	vt_type(vt, "a");
	vt_wait_questions(vt, 2);
	vt_hold_answers(vt, true);
	vt_type(vt, "b");
	vt_wait_questions(vt, 3);
	vt_type(vt, "c");
	vt_settle(vt);
	vt_send(vt, "\033", 1);
	vt_settle(vt);
	vt_send(vt, "[0", 2);
	vt_settle(vt);
	vt_send(vt, "n", 1);
	vt_wait_text(vt, "keys 3 last c frames 4.", 0);
	/* One answer too many is held: taken for this frame's, it would make that one stray. */
	vt_wait_questions(vt, 4);
	vt_hold_answers(vt, false);
	vt_type(vt, "d");
	vt_wait_text(vt, "keys 4 last d", 0);
	vt_settle(vt);
	demo_end(vt);
}

CASE(test_escape_while_waiting_is_not_lost)
{
	struct demo d = {.draw = scene, .idle_always = true};
	struct vt *vt = demo_start(&d, 24, 80, NULL, NULL);

	vt_wait_questions(vt, 1);
	vt_type(vt, "a");
	vt_wait_questions(vt, 2);
	vt_hold_answers(vt, true);
	vt_type(vt, "b");
	vt_wait_text(vt, "keys 2", 0);
	vt_send(vt, "\033", 1);
	vt_settle(vt);
	vt_hold_answers(vt, false);
	vt_wait_text(vt, "keys 3 last Esc", 0);
	demo_end(vt);
}

CASE(test_terminal_that_never_answers)
{
	struct demo d = {.draw = scene};
	struct vt_opts opts = {.mute = true, .idle = true, .own_stderr = true};
	struct vt *vt = vt_spawn_fn(&opts, demo_run, &d);

	vt_type(vt, "abc");
	vt_wait_text(vt, "keys 3", 0);
	vt_type(vt, "d");
	vt_settle(vt);
	vt_wait_text(vt, "keys 4 last d", 0);
	assert_int_equal(vt_questions(vt), 1);
	demo_end(vt);
}

CASE(test_gate_can_be_off)
{
	struct demo d = {.draw = scene, .opts = {.no_gate = true}};
	struct vt *vt = demo_start(&d, 24, 80, NULL, NULL);

	vt_type(vt, "abc");
	vt_wait_text(vt, "keys 3", 0);
	assert_int_equal(vt_questions(vt), 0);
	demo_end(vt);
}

/* The program leaves while the answer is still on its way; the shell must not get it. */
CASE(test_leaving_drains_the_answer)
{
	for (int i = 0; i < 5; i++) {
		struct demo d = {.draw = scene, .leave_at_once = true};
		struct vt *vt = demo_start(&d, 24, 80, NULL, NULL);

		vt_wait_output(vt, "$ ");
		assert_int_equal(vt_questions(vt), 1);
		vt_type(vt, "done\n");
		assert_int_equal(vt_wait_exit(vt), DEMO_FINE);
		vt_free(vt);
	}
}

static void scene_still(struct demo *d, struct region s)
{
	(void)d;
	draw_text(s, 0, 0, ROLE_NORMAL, "still", -1);
}

CASE(test_same_frame_costs_nothing)
{
	struct demo d = {.draw = scene_still};
	struct vt *vt = demo_start(&d, 24, 80, NULL, NULL);
	uint64_t before;

	vt_settle(vt);
	before = vt_bytes(vt);
	vt_type(vt, "abc");
	vt_settle(vt);
	assert_int_equal(vt_bytes(vt), before);
	assert_int_equal(vt_questions(vt), 1);
	demo_end(vt);
}

CASES_MAIN(NULL, NULL)
