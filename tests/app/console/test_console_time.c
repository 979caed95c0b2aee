/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "app/console/commands.h"
#include "app/config/embedded_texts.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"
#include "views/console/console.h"

/* 2023-11-14T22:13:20Z */
#define NOW  (INT64_C(1700000000) * 1000000)
#define HOUR (INT64_C(3600) * CLOCK_SEC)

struct desk {
	struct model *live, *past;
	struct keymap *keys;
	struct diag *diag;
	struct console *c;
	unsigned asked; /* hooks that were called */
	enum scrub how;
	int64_t arg;
	bool paused;
	char text[64];
	struct console_note note;
	unsigned notes;
	char sort[32];
	uint64_t hidden;
	unsigned arranged;
	bool acted;
};

static bool hook_scrub(void *ctx, enum scrub how, int64_t arg, struct err *err)
{
	struct desk *d = ctx;

	(void)err;
	d->asked++;
	d->how = how;
	d->arg = arg;
	return true;
}

static bool hook_text(void *ctx, const char *text, struct err *err)
{
	struct desk *d = ctx;

	d->asked++;
	(void)str_copy(d->text, sizeof(d->text), text);
	return !str_eq(text, "bad") || err_set(err, ERR_IO, "", "cannot");
}

static void hook_noted(void *ctx, const struct console_note *note)
{
	struct desk *d = ctx;

	d->note = *note;
	(void)str_copy(d->text, sizeof(d->text), note->text);
	d->notes++;
}

static void hook_arranged(void *ctx, const struct view_ops *view, const char *sort, uint64_t hidden)
{
	struct desk *d = ctx;

	assert_string_equal(view->name, "devices");
	(void)str_copy(d->sort, sizeof(d->sort), sort);
	d->hidden = hidden;
	d->arranged++;
}

static void hook_pause(void *ctx, bool paused)
{
	((struct desk *)ctx)->paused = paused;
}

static void hook_poll(void *ctx, const char *device)
{
	(void)device;
	((struct desk *)ctx)->asked++;
}

static void hook_actions(void *ctx, struct ref r,
	void (*add)(void *to, const char *name, const char *help), void *to)
{
	(void)ctx;
	(void)r;
	add(to, "locate", "blink the port");
}

static bool hook_act_begin(void *ctx, const char *action, struct ref r, struct err *err)
{
	(void)action;
	(void)r;
	(void)err;
	((struct desk *)ctx)->acted = true;
	return true;
}

static bool hook_act_go(
	void *ctx, const char *reason, const char *incident, const char *typed, struct err *err)
{
	(void)ctx;
	(void)reason;
	(void)incident;
	(void)typed;
	(void)err;
	return true;
}

static struct model *fabric(unsigned leaves)
{
	struct plan plan;
	struct model *m;
	char name[32];

	plan_init(&plan);
	plan.rails = leaves;
	(void)plan_make_device(&plan, "node000", TIER_HOST, -1);
	for (unsigned i = 0; i < leaves; i++) {
		(void)str_printf(name, sizeof(name), "leaf-r%u-00", i);
		(void)plan_make_device(&plan, name, TIER_LEAF, (int)i);
	}
	for (unsigned i = 0; i < leaves; i++) {
		(void)str_printf(name, sizeof(name), "mlx5_%u", i);
		plan_make_link(&plan, 0, name, 1 + i, "Ethernet0", (int)i);
	}
	m = model_new(&plan);
	plan_free(&plan);
	return m;
}

static int setup(void **state)
{
	struct desk *d = calloc(1, sizeof(*d));
	struct console_opts opts = {.commands = command_table, .ncommands = command_count_acting};

	opts.hooks = (struct console_hooks){.scrub = hook_scrub,
		.diff = hook_text,
		.snapshot = hook_text,
		.record = hook_text,
		.noted = hook_noted,
		.arranged = hook_arranged,
		.pause = hook_pause,
		.poll = hook_poll,
		.actions = hook_actions,
		.act_begin = hook_act_begin,
		.act_go = hook_act_go,
		.ctx = d};
	d->keys = keymap_new();
	assert_int_equal(keymap_read(d->keys, "default.keys", embedded_text("default.keys")->text,
				 NULL, NULL, NULL, NULL),
		0);
	opts.keymap = d->keys;
	d->live = fabric(4);
	d->past = fabric(2);
	d->diag = diag_new();
	d->c = console_new(&opts);
	console_diagnosis(d->c, d->diag);
	console_data(d->c, d->live, NOW, 0);
	*state = d;
	return 0;
}

static int teardown(void **state)
{
	struct desk *d = *state;

	console_free(d->c);
	keymap_free(d->keys);
	diag_free(d->diag);
	model_free(d->live);
	model_free(d->past);
	free(d);
	return 0;
}
static void run(struct desk *d, const char *line)
{
	struct err err = {0};

	if (!console_run(d->c, line, &err))
		fail_msg("%s: %s; %s", line, err.text, err.cure);
}

static void refused(struct desk *d, const char *line, const char *why)
{
	struct err err = {0};
	unsigned asked = d->asked;

	assert_false(console_run(d->c, line, &err));
	if (!strstr(err.text, why) && !strstr(err.cure, why))
		fail_msg("%s: %s; %s", line, err.text, err.cure);
	assert_int_equal(d->asked, asked);
}

static void asks(struct desk *d, const char *line, enum scrub how, int64_t arg)
{
	unsigned asked = d->asked;

	run(d, line);
	assert_int_equal(d->asked, asked + 1);
	assert_int_equal(d->how, how);
	assert_true(d->arg == arg);
}

static void show_past(struct desk *d, int64_t at, bool file)
{
	struct console_moment m = {
		.replay = true, .file = file, .at_us = at, .from_us = NOW - HOUR, .to_us = NOW};

	console_moment(d->c, &m);
	console_data(d->c, d->past, at, 0);
}

static void show_live(struct desk *d)
{
	struct console_moment m = {.at_us = NOW, .from_us = NOW - HOUR, .to_us = NOW};

	console_moment(d->c, &m);
	console_data(d->c, d->live, NOW, 0);
}

static void place_is(struct desk *d, const char *locator)
{
	char text[160];

	console_locator(d->c, text, sizeof(text));
	assert_string_equal(text, locator);
}

/* ---- times ---- */

CASE_WITH(times_are_read, setup, teardown)
{
	struct desk *d = *state;
	int64_t midnight = NOW - (INT64_C(22) * 3600 + 13 * 60 + 20) * CLOCK_SEC;

	asks(d, "at -5m", SCRUB_BY, -5 * 60 * CLOCK_SEC);
	asks(d, "at -30s", SCRUB_BY, -30 * CLOCK_SEC);
	asks(d, "at live", SCRUB_LIVE, 0);
	asks(d, "live", SCRUB_LIVE, 0);
	asks(d, "at 22:10:05", SCRUB_AT, NOW - 195 * CLOCK_SEC);
	asks(d, "at 22:10", SCRUB_AT, NOW - 200 * CLOCK_SEC);
	asks(d, "at 2023-11-14T22:10:05Z", SCRUB_AT, NOW - 195 * CLOCK_SEC);
	asks(d, "at 2023-11-14 22:10:05", SCRUB_AT, NOW - 195 * CLOCK_SEC);
	/* Later than now is of the day before. */
	asks(d, "at 23:00", SCRUB_AT, midnight - HOUR);
	refused(d, "at", "is not a time");
	refused(d, "at soon", "is not a time");
	refused(d, "at 25:00", "is not a time");
	refused(d, "at 22:61", "is not a time");
	refused(d, "at 22:10:05:1", "is not a time");
	refused(d, "at -", "is not a time");
	refused(d, "at -1w", "is not a time");
	refused(d, "at 2023-13-14", "is not a time");
	refused(d, "at 2023-11-14x", "is not a time");
	refused(d, "scrub", "not a number");
	refused(d, "scrub 1x", "not a number");
	asks(d, "scrub -3", SCRUB_STEP, -3);
}

CASE_WITH(a_moment_without_a_recording, setup, teardown)
{
	struct desk *d = *state;

	show_live(d);
	refused(d, "scrub 1", "later data does not exist");
	refused(d, "at +1m", "later data does not exist");
	refused(d, "at 20:00:00", "nothing was recorded at that time");
	refused(d, "at 20:00:00", "2023-11-14T21:13:20Z to 2023-11-14T22:13:20Z");
	refused(d, "play", "by itself");
	/* Of the day on which there is something. */
	show_past(d, NOW - HOUR / 2, true);
	asks(d, "at 21:13:20", SCRUB_AT, NOW - HOUR);
	asks(d, "at +1m", SCRUB_BY, 60 * CLOCK_SEC);
	asks(d, "scrub 1", SCRUB_STEP, 1);
}

CASE_WITH(playing, setup, teardown)
{
	struct desk *d = *state;
	struct console_moment m = {.replay = true, .at_us = NOW - HOUR, .to_us = NOW};

	show_past(d, NOW - HOUR / 2, false);
	asks(d, "play", SCRUB_PLAY, 1000);
	asks(d, "play 4", SCRUB_PLAY, 4000);
	asks(d, "play x0.5", SCRUB_PLAY, 500);
	asks(d, "play stop", SCRUB_PLAY, 0);
	refused(d, "play 0", "not a speed");
	refused(d, "play -1", "not a speed");
	refused(d, "play nan", "not a speed");
	refused(d, "play fast", "not a speed");
	/* The key that holds the picture stops it, and goes on as fast as before. */
	m.speed = 4000;
	console_moment(d->c, &m);
	asks(d, "pause", SCRUB_PLAY, 0);
	m.speed = 0;
	console_moment(d->c, &m);
	asks(d, "pause", SCRUB_PLAY, 4000);
	assert_false(d->paused);
}

/* ---- the screen shows the past, not the present ---- */

CASE_WITH(the_past_is_not_changed, setup, teardown)
{
	struct desk *d = *state;

	run(d, "mark before");
	show_past(d, NOW - HOUR / 2, false);
	refused(d, "mark a", "this is 21:43:20Z, not now");
	refused(d, "mark", "Esc comes back");
	refused(d, "poll", "not now");
	run(d, "goto leaf-r1-00:Ethernet0");
	refused(d, "act locate", "not now");
	refused(d, "act", "not now");
	refused(d, "act locate leaf-r0-00", "not now");
	assert_false(d->acted);
	assert_int_equal(d->past->nmarks, 0);
	assert_int_equal(d->notes, 1);
	show_past(d, NOW - HOUR / 2, true);
	refused(d, "mark a", "this is a recording");
	show_live(d);
	run(d, "act locate leaf-r0-00");
	assert_true(d->acted);
	refused(d, "unmark after", "no mark after");
	run(d, "unmark before");
	assert_int_equal(d->notes, 2);
}

/* On the way to the first one the live data is still shown, and already not to be relied on. */
CASE_WITH(the_first_moment_is_on_its_way, setup, teardown)
{
	struct desk *d = *state;
	struct console_moment m = {.replay = true, .seeking = true, .to_us = NOW};

	run(d, "goto leaf-r3-00:Ethernet0");
	console_moment(d->c, &m);
	console_data(d->c, d->live, NOW, 0);
	place_is(d, "leaf-r3-00:Ethernet0:3");
	refused(d, "mark a", "being loaded");
	refused(d, "act locate", "being loaded");
	console_key(d->c, 27);
	assert_int_equal(d->how, SCRUB_LIVE);
	show_live(d);
	place_is(d, "leaf-r3-00:Ethernet0:3");
	run(d, "mark a");
}

CASE_WITH(no_data_is_no_model, setup, teardown)
{
	struct desk *d = *state;

	run(d, "goto leaf-r3-00");
	console_data(d->c, NULL, NOW, 0);
	refused(d, "mark a", "no data");
	(void)console_run(d->c, "open", NULL);
	console_move(d->c, TABLE_DOWN);
	show_past(d, NOW - HOUR / 2, true);
	assert_false(console_run(d->c, "goto leaf-r3-00", NULL));
	place_is(d, "rail 0");
}

CASE_WITH(marks_are_told, setup, teardown)
{
	struct desk *d = *state;

	run(d, "mark before the change");
	assert_int_equal(d->note.kind, NOTE_MARK);
	assert_string_equal(d->text, "before the change");
	assert_true(d->note.t_us == NOW);
	run(d, "unmark before the change");
	assert_int_equal(d->note.kind, NOTE_UNMARK);
	assert_string_equal(d->text, "before the change");
}

CASE_WITH(escape_comes_back_to_now, setup, teardown)
{
	struct desk *d = *state;

	run(d, "goto leaf-r1-00");
	run(d, "goto leaf-r1-00:Ethernet0");
	show_past(d, NOW - HOUR / 2, false);
	/* No Esc: a page back, still in the past. */
	run(d, "back");
	assert_int_equal(d->asked, 0);
	place_is(d, "leaf-r1-00:Ethernet0");
	console_key(d->c, '<');
	assert_int_equal(d->asked, 0);
	run(d, "goto leaf-r1-00");
	run(d, "help");
	console_key(d->c, 27); /* closes the help */
	assert_int_equal(d->asked, 0);
	console_key(d->c, 27);
	assert_int_equal(d->asked, 1);
	assert_int_equal(d->how, SCRUB_LIVE);
	place_is(d, "leaf-r1-00:Ethernet0");
	/* There is no now behind a file. */
	show_past(d, NOW - HOUR / 2, true);
	console_key(d->c, 27);
	assert_int_equal(d->asked, 1);
	place_is(d, "rail 0");
}

CASE_WITH(keys_of_time, setup, teardown)
{
	struct desk *d = *state;

	console_key(d->c, '[');
	assert_int_equal(d->how, SCRUB_STEP);
	assert_true(d->arg == -1);
	show_past(d, NOW - HOUR / 2, false);
	console_key(d->c, ']');
	assert_true(d->arg == 1);
	console_key(d->c, '{');
	assert_int_equal(d->how, SCRUB_BY);
	assert_true(d->arg == -60 * CLOCK_SEC);
	console_key(d->c, '}');
	assert_true(d->arg == 60 * CLOCK_SEC);
	console_key(d->c, 'p');
	assert_int_equal(d->how, SCRUB_PLAY);
	assert_int_equal(d->asked, 5);
}

CASE_WITH(going_back_in_time_ends_a_pause, setup, teardown)
{
	struct desk *d = *state;

	run(d, "pause");
	assert_true(d->paused);
	run(d, "scrub -1");
	assert_false(d->paused);
}

/* ---- objects that do not exist ---- */

CASE_WITH(pages_of_what_is_not_there_are_left, setup, teardown)
{
	struct desk *d = *state;

	run(d, "goto leaf-r1-00");
	run(d, "goto leaf-r3-00");
	run(d, "goto leaf-r3-00:Ethernet0");
	show_past(d, NOW - HOUR / 2, false);
	/* The page before it is still there. */
	place_is(d, "leaf-r1-00:Ethernet0");
	run(d, "back");
	assert_false(console_run(d->c, "forward", NULL) && console_run(d->c, "forward", NULL));
	show_live(d);
	run(d, "goto rail 3");
	show_past(d, NOW - HOUR / 2, false);
	assert_false(console_run(d->c, "goto rail 3", NULL));
	place_is(d, "leaf-r1-00:Ethernet0");
}

/* At the number of a thing another one may be. */
CASE_WITH(pages_follow_names_and_not_numbers, setup, teardown)
{
	struct desk *d = *state;
	struct model *other;
	struct plan plan;

	plan_init(&plan);
	(void)plan_make_device(&plan, "leaf-r1-00", TIER_LEAF, 0);
	(void)plan_make_device(&plan, "leaf-r0-00", TIER_LEAF, 1);
	(void)plan_make_device(&plan, "node000", TIER_HOST, -1);
	plan_make_link(&plan, 2, "mlx5_1", 0, "Ethernet0", 0);
	plan_make_link(&plan, 2, "mlx5_0", 1, "Ethernet0", 1);
	other = model_new(&plan);
	plan_free(&plan);
	run(d, "goto leaf-r0-00:Ethernet0:3");
	place_is(d, "leaf-r0-00:Ethernet0:3");
	model_free(d->past);
	d->past = other;
	show_past(d, NOW - HOUR / 2, false);
	place_is(d, "leaf-r0-00:Ethernet0:3");
	show_live(d);
	place_is(d, "leaf-r0-00:Ethernet0:3");
}

/* ---- the other hooks ---- */

CASE_WITH(a_diff_opens_its_view, setup, teardown)
{
	struct desk *d = *state;
	difference_vec list = {0};
	struct difference *one = vec_add(&list);
	struct err err = {0};

	assert_false(console_run(d->c, "diff bad", &err));
	assert_string_equal(err.text, "cannot");
	run(d, "diff -5m");
	assert_string_equal(d->text, "-5m");
	place_is(d, "cluster");
	(void)str_copy(one->place, sizeof(one->place), "leaf-r1-00:Ethernet0");
	/* Of another model: only its name counts. */
	one->at = (struct ref){.kind = REF_PORT, .port = 4000};
	one->number = 0;
	console_differences(d->c, &list, INT64_C(1699999700000000), INT64_C(1700000000000000));
	console_data(d->c, d->live, NOW, 0);
	run(d, "view diff");
	run(d, "filter leaf-r1");
	place_is(d, "leaf-r1-00:Ethernet0");
	run(d, "open");
	run(d, "back");
	console_differences(d->c, NULL, 0, 0);
	console_data(d->c, d->live, NOW, 0);
	assert_false(console_run(d->c, "open", NULL));
	vec_free(&list);
}

CASE_WITH(columns_and_order_are_told_and_kept, setup, teardown)
{
	struct desk *d = *state;
	const struct view_ops *v = view_by_name("devices");

	run(d, "view devices");
	run(d, "sort name");
	assert_string_equal(d->sort, "name");
	run(d, "sort-reverse");
	assert_string_equal(d->sort, "-name");
	run(d, "columns");
	console_move(d->c, TABLE_DOWN);
	run(d, "open"); /* turns the second column */
	assert_int_equal(d->arranged, 3);
	assert_true(d->hidden == 2);
	run(d, "back");
	run(d, "back");
	run(d, "view devices");
	run(d, "sort-reverse"); /* of the new page: still by the same column, still hidden */
	assert_string_equal(d->sort, "name");
	assert_true(d->hidden == 2);
	/* As an earlier session left it. */
	console_arrange(d->c, v, "-state", 5);
	run(d, "sort-reverse");
	assert_string_equal(d->sort, "state");
	assert_true(d->hidden == 5);
	console_arrange(d->c, v, "no such column", 0);
	console_arrange(d->c, v, NULL, 0);
}

CASE_WITH(a_snapshot_asks_why, setup, teardown)
{
	struct desk *d = *state;

	run(d, "snapshot INC-7");
	assert_string_equal(d->text, "INC-7");
	run(d, "snapshot");
	assert_int_equal(d->asked, 1);
	for (const char *p = "storm\r"; *p; p++)
		console_key(d->c, *p);
	assert_string_equal(d->text, "storm");
	run(d, "snapshot");
	console_key(d->c, '\r');
	assert_string_equal(d->text, "");
	run(d, "snapshot");
	console_key(d->c, 27);
	assert_int_equal(d->asked, 3);
}

CASE_WITH(a_file_of_what_comes, setup, teardown)
{
	struct desk *d = *state;

	run(d, "record /tmp/shift 7.rts");
	assert_string_equal(d->text, "/tmp/shift 7.rts");
	run(d, "record stop");
	assert_string_equal(d->text, "");
	assert_int_equal(d->asked, 2);
	refused(d, "record", "no file");
	/* In a pause there is no moment to begin with; an end there is always. */
	run(d, "pause");
	refused(d, "record x.rts", "frozen");
	run(d, "record stop");
	assert_int_equal(d->asked, 3);
}

CASE_WITH(without_hooks_it_says_why, setup, teardown)
{
	struct desk *d = *state;
	struct console_opts opts = {.commands = command_table, .ncommands = command_count};
	struct console *with = d->c;

	d->c = console_new(&opts);
	console_data(d->c, d->live, NOW, 0);
	refused(d, "scrub -1", "no recording");
	refused(d, "at -5m", "no recording");
	refused(d, "play", "no recording");
	refused(d, "diff", "no recording");
	refused(d, "snapshot", "cannot write a snapshot");
	refused(d, "record x.rts", "cannot record here");
	console_free(d->c);
	d->c = with;
}

CASES_MAIN(NULL, NULL)
