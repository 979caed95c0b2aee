/* SPDX-License-Identifier: Apache-2.0 */
#include "app/output/arranged_json.h"
#include "app/console/commands.h"
#include "app/sandbox/confine.h"
#include "app/console/console_app_private.h"
#include "base/str.h"

/* The callbacks of the console, struct console_hooks. */

static void hook_focus(void *ctx, const char *device)
{
	struct console_app *a = ctx;

	if (a->session)
		session_focus(a->session, device);
}

static void hook_poll(void *ctx, const char *device)
{
	(void)session_poll(((struct console_app *)ctx)->session, device);
}

static void hook_pause(void *ctx, bool paused)
{
	struct console_app *a = ctx;

	if (a->session)
		session_hold(a->session, paused);
}

static void hook_actions(void *ctx, struct ref r,
	void (*add)(void *to, const char *name, const char *help), void *to)
{
	act_console_actions(((struct console_app *)ctx)->acts, r, add, to);
}

static bool hook_act_begin(void *ctx, const char *action, struct ref r, struct err *err)
{
	return act_console_begin(((struct console_app *)ctx)->acts, action, r, err);
}

static bool hook_act_go(
	void *ctx, const char *reason, const char *incident, const char *typed, struct err *err)
{
	return act_console_go(((struct console_app *)ctx)->acts, reason, incident, typed, err);
}

static bool hook_act_undo(void *ctx, const char *reason, const char *incident, struct err *err)
{
	return act_console_undo(((struct console_app *)ctx)->acts, reason, incident, err);
}

static bool hook_act_drop(void *ctx, struct err *err)
{
	return act_console_drop(((struct console_app *)ctx)->acts, err);
}

static void hook_audit(void *ctx)
{
	struct console_app *a = ctx;

	if (a->acts)
		act_console_audit(a->acts);
}

/* ---- time ---- */

static bool hook_scrub(void *ctx, enum scrub how, int64_t arg, struct err *err)
{
	struct console_app *a = ctx;

	a->place = NULL;
	return console_scrub_to(a, how, arg, err);
}

static bool hook_diff(void *ctx, const char *text, struct err *err)
{
	return console_compare(ctx, text, err);
}

static bool hook_snapshot(void *ctx, const char *reason, struct err *err)
{
	return console_snap(ctx, reason, err);
}

static bool hook_record(void *ctx, const char *path, struct err *err)
{
	return console_record_file(ctx, path, err);
}

/* ---- notes and arrangements ---- */

static enum entry_kind kind_of(enum note_kind k)
{
	static const enum entry_kind kinds[] = {[NOTE_MARK] = ENTRY_MARK,
		[NOTE_UNMARK] = ENTRY_UNMARK,
		[NOTE_ACK] = ENTRY_ACK,
		[NOTE_UNACK] = ENTRY_UNACK,
		[NOTE_TRAIL] = ENTRY_TRAIL,
		[NOTE_PIN] = ENTRY_PIN,
		[NOTE_UNPIN] = ENTRY_UNPIN};

	return kinds[k];
}

/* Others hear of it: consoles, the wall, `railtop watch`. */
static void share_ack(struct console_app *a, const struct console_note *n)
{
	struct err err = {0};
	char text[300];

	if (!a->acks || (n->kind != NOTE_ACK && n->kind != NOTE_UNACK))
		return;
	if (!acks_give(a->acks, session_model(a->session), session_diag(a->session), n->key,
		    n->t_us, n->kind == NOTE_ACK ? n->until_us : 0, a->user, n->text ? n->text : "",
		    &err))
		console_message(a->console, ROLE_WARN, "other processes do not hear of it: %s",
			err_format(&err, text, sizeof(text)));
}

void console_acks_open(struct console_app *a)
{
	const struct options *o = a->opts->options;

	/* Each demo is a fabric of its own, though all have the same name. */
	if (!o->observations && !str_eq(o->sub->name, "demo"))
		a->acks = acks_open(session_plan(a->session));
}

void console_acks_look(struct console_app *a)
{
	if (a->acks)
		acks_step(a->acks, session_model(a->session), session_diag(a->session),
			session_now(a->session), session_note_taken, a->session);
}

static void hook_noted(void *ctx, const struct console_note *n)
{
	struct console_app *a = ctx;
	struct entry e = {.kind = (uint8_t)kind_of(n->kind),
		.t_us = n->t_us,
		.key = n->key,
		.until_us = n->until_us};

	if (!a->session)
		return;
	share_ack(a, n);
	(void)str_copy(e.user, sizeof(e.user), a->user);
	(void)str_copy(e.text, sizeof(e.text), n->text ? n->text : "");
	if (n->trail)
		e.trail = *n->trail;
	session_note(a->session, &e);
}

static void hook_arranged(void *ctx, const struct view_ops *view, const char *sort, uint64_t hidden)
{
	arranged_set(((struct console_app *)ctx)->arranged, view, sort, hidden);
}

static void hook_saved(void *ctx, const struct saved_filter *s, bool dropped)
{
	arranged_save_filter(((struct console_app *)ctx)->arranged, s, dropped);
}

static bool hook_chart_past(void *ctx, const struct chart_question *q, struct err *err)
{
	return console_chart_ask(ctx, q, err);
}

/* ---- own commands ---- */

static void on_program_end(void *ctx, const char *output, size_t len, const char *end)
{
	struct console_app *a = ctx;

	a->program = NULL;
	if (a->console && !a->stopping)
		console_output(a->console, output, len, end);
}

static bool hook_run_program(void *ctx, const char *const *argv, size_t n, struct err *err)
{
	struct console_app *a = ctx;

	if (a->program) {
		err_set(err, ERR_REFUSED, argv[0], "another program still runs");
		return err_cure(err, "wait for its output: 30 s at most");
	}
	a->program = program_run_start(&a->loop, argv, n, on_program_end, a, err);
	return a->program != NULL;
}

/* A file is read in a sandbox that starts no program, and --read-only promises to start none. */
static bool may_run_programs(const struct console_app *a)
{
	return a->session && !a->opts->options->read_only &&
	       confine_profile(a->opts->options) == SANDBOX_DEVICES;
}

void console_hooks_fill(struct console_app *a, struct console_hooks *hooks)
{
	hooks->focus = hook_focus;
	if (a->session) {
		hooks->poll = a->opts->options->observations ? NULL : hook_poll;
		hooks->pause = hook_pause;
		hooks->record = hook_record;
	}
	hooks->audit = hook_audit;
	hooks->noted = hook_noted;
	hooks->arranged = hook_arranged;
	hooks->saved = hook_saved;
	if (a->prometheus_past || a->chart_file)
		hooks->chart_past = hook_chart_past;
	if (may_run_programs(a))
		hooks->run_program = hook_run_program;
	if (a->past) {
		hooks->scrub = hook_scrub;
		hooks->diff = hook_diff;
		hooks->snapshot = hook_snapshot;
	}
	hooks->ctx = a;
}

void console_hooks_act(struct console_app *a, struct console_opts *copts)
{
	if (!a->acts || !act_console_acting(a->acts))
		return;
	copts->ncommands = command_count_acting;
	copts->read_only = false;
	copts->hooks.actions = hook_actions;
	copts->hooks.act_begin = hook_act_begin;
	copts->hooks.act_go = hook_act_go;
	copts->hooks.act_undo = hook_act_undo;
	copts->hooks.act_drop = hook_act_drop;
}
