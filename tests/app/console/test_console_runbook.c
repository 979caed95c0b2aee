/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "app/console/commands.h"
#include "app/config/runbooks.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"
#include "views/console/console.h"

#define NOW (INT64_C(1700000000) * 1000000)

/* A console with the runbooks of the binary, on a fabric that has said nothing yet. */
struct desk {
	struct model *m;
	struct diag *diag;
	struct runbooks books;
	struct console *c;
	runbook_log noted;
};

static void hook_noted(void *ctx, const struct console_note *note)
{
	struct desk *d = ctx;

	assert_int_equal(note->kind, NOTE_TRAIL);
	assert_non_null(note->trail);
	assert_true(note->t_us == note->trail->t_us);
	assert_string_equal(note->text, note->trail->note);
	vec_push(&d->noted, *note->trail);
}

static void answer(struct model *m, const char *device, const char *port, const char *oper)
{
	struct obs *o = obs_new(device, "fast");

	o->result = OBS_DATA;
	o->received_us = NOW;
	obs_word(o, obs_port(o, port), ATTR_OPER, 0, oper);
	model_apply(m, o, NOW);
	obs_free(o);
	(void)model_age(m, NOW);
	model_links(m);
}

static int setup(void **state)
{
	struct desk *d = calloc(1, sizeof(*d));
	struct console_opts opts = {
		.commands = command_table, .ncommands = command_count, .read_only = true};
	struct err err = {0};
	struct plan plan;

	if (!runbooks_load(&d->books, NULL, NULL, &err))
		return -1;
	plan_init(&plan);
	plan.rails = 1;
	(void)plan_make_device(&plan, "node000", TIER_HOST, -1);
	(void)plan_make_device(&plan, "leaf-r0-00", TIER_LEAF, 0);
	plan_make_link(&plan, 0, "mlx5_0", 1, "Ethernet0", 0);
	d->m = model_new(&plan);
	plan_free(&plan);
	d->diag = diag_new();
	opts.runbooks = &d->books;
	opts.user = "ann";
	opts.hooks.noted = hook_noted;
	opts.hooks.ctx = d;
	d->c = console_new(&opts);
	console_diagnosis(d->c, d->diag);
	console_data(d->c, d->m, NOW, 0);
	*state = d;
	return 0;
}

static int teardown(void **state)
{
	struct desk *d = *state;

	console_free(d->c);
	diag_free(d->diag);
	model_free(d->m);
	runbooks_free(&d->books);
	vec_free(&d->noted);
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

	assert_false(console_run(d->c, line, &err));
	if (!strstr(err.text, why) && !strstr(err.cure, why))
		fail_msg("%s: %s; %s", line, err.text, err.cure);
}

static const struct runbook_log_entry *last(const struct desk *d)
{
	assert_true(d->noted.n > 0);
	return &d->noted.at[d->noted.n - 1];
}

static void type(struct desk *d, const char *keys)
{
	for (; *keys; keys++)
		console_key(d->c, *keys);
}

CASE_WITH(what_was_done_is_noted, setup, teardown)
{
	struct desk *d = *state;
	const runbook_log *all;

	answer(d->m, "leaf-r0-00", "Ethernet0", "down");
	console_data(d->c, d->m, NOW, 0);
	run(d, "runbook link-flap leaf-r0-00:Ethernet0");
	assert_int_equal(d->noted.n, 1);
	assert_string_equal(last(d)->runbook, "link-flap");
	assert_string_equal(last(d)->step, "");
	assert_string_equal(last(d)->user, "ann");
	run(d, "note second of this week");
	assert_string_equal(last(d)->note, "second of this week");
	assert_true(last(d)->step[0]);
	run(d, "note");
	type(d, "and a third\r");
	assert_string_equal(last(d)->note, "and a third");
	run(d, "next fail");
	assert_int_equal(last(d)->outcome, STEP_FAIL);
	assert_true(last(d)->by_hand);
	run(d, "next pass");
	assert_int_equal(last(d)->outcome, STEP_PASS);
	run(d, "runbook-back");
	run(d, "next skip");
	assert_int_equal(last(d)->outcome, STEP_SKIPPED);
	run(d, "runbook-end");
	assert_true(strstr(last(d)->value, "closed at step") != NULL);
	all = console_trail(d->c);
	assert_int_equal(all->n, d->noted.n);
	for (size_t i = 0; i < all->n; i++)
		assert_memory_equal(&all->at[i], &d->noted.at[i], sizeof(all->at[i]));
}

CASE_WITH(all_of_them_end, setup, teardown)
{
	struct desk *d = *state;

	for (size_t i = 0; i < d->books.at.n; i++) {
		char line[96];
		const struct runbook *b = d->books.at.at[i];
		size_t steps = 0;

		(void)str_printf(line, sizeof(line), "runbook %s leaf-r0-00:Ethernet0", b->name);
		if (!console_run(d->c, line, NULL)) {
			(void)str_printf(line, sizeof(line), "runbook %s cluster", b->name);
			/* Of a job: there is none here. */
			if (!console_run(d->c, line, NULL))
				continue;
		}
		assert_string_equal(last(d)->runbook, b->name);
		for (; steps < 200 && !str_starts(last(d)->value, "ended"); steps++) {
			struct err err = {0};

			(void)console_run(d->c, "look", &err);
			run(d, "next skip");
		}
		assert_true(steps < 200);
		run(d, "runbook-end");
	}
}

CASE_WITH(nothing_is_under_way, setup, teardown)
{
	struct desk *d = *state;

	refused(d, "next", "no runbook is open");
	refused(d, "note x", "no runbook is open");
	refused(d, "look", "no runbook is open");
	refused(d, "runbook-back", "no runbook is open");
	refused(d, "runbook-end", "no runbook is open");
	refused(d, "runbook no-such", "no runbook no-such");
	refused(d, "runbook no-such", "link-flap");
	refused(d, "runbook link-flap nowhere", "nowhere");
	run(d, "view runbook");
	refused(d, "open", "trail");
	assert_int_equal(d->noted.n, 0);
	run(d, "runbook link-flap leaf-r0-00:Ethernet0");
	refused(d, "next maybe", "not a result");
	refused(d, "runbook-back", "first step");
	/* A runbook that cannot begin leaves the other as it is. */
	refused(d, "runbook no-such", "no runbook");
	assert_int_equal(d->noted.n, 1);
}

/* Without a finding here the key asks for a name; a runbook under way is shown. */
CASE_WITH(one_key_for_all, setup, teardown)
{
	struct desk *d = *state;
	char text[160];

	run(d, "goto leaf-r0-00:Ethernet0");
	run(d, "runbook");
	type(d, "link-flap\r");
	assert_int_equal(d->noted.n, 1);
	assert_string_equal(last(d)->target, "leaf-r0-00:Ethernet0");
	run(d, "view devices");
	run(d, "runbook");
	assert_int_equal(d->noted.n, 1);
	/* The runbook's view: a row points at the target of the runbook. */
	console_locator(d->c, text, sizeof(text));
	assert_string_equal(text, "leaf-r0-00:Ethernet0");
	run(d, "open");
	run(d, "runbook-end");
	/* Esc: nothing is begun. */
	run(d, "runbook");
	console_key(d->c, 27);
	assert_int_equal(d->noted.n, 2);
}

/* A step is judged when the data has changed, and next notes that judgement. */
CASE_WITH(numbers_are_of_the_last_data, setup, teardown)
{
	struct desk *d = *state;

	answer(d->m, "leaf-r0-00", "Ethernet0", "up");
	answer(d->m, "node000", "mlx5_0", "up");
	console_data(d->c, d->m, NOW, 0);
	run(d, "runbook link-flap leaf-r0-00:Ethernet0");
	answer(d->m, "leaf-r0-00", "Ethernet0", "down");
	answer(d->m, "node000", "mlx5_0", "down");
	console_data(d->c, d->m, NOW + CLOCK_SEC, 0);
	run(d, "next");
	assert_false(last(d)->by_hand);
	assert_int_equal(last(d)->outcome, STEP_FAIL);
	assert_true(last(d)->value[0]);
}

CASE_WITH(without_runbooks_it_says_so, setup, teardown)
{
	struct desk *d = *state;
	struct console_opts opts = {.commands = command_table, .ncommands = command_count};
	struct console *c = console_new(&opts);
	struct err err = {0};

	console_data(c, d->m, NOW, 0);
	assert_false(console_run(c, "runbook link-flap", &err));
	assert_non_null(strstr(err.text, "no runbooks"));
	console_free(c);
}

CASES_MAIN(NULL, NULL)
