/* SPDX-License-Identifier: Apache-2.0 */
#include "app/console/act_console.h"

#include "app/console/audit_rows.h"

#include <stdlib.h>
#include <string.h>

#include "app/output/act_json.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Number of newest ledger lines that the audit view loads first. They take 10 ms of the main
 * thread.
 */
#define AUDIT_LINES 300
#define SHEET_WIDTH 100 /* columns, until there is a console */

struct act_console {
	struct acting *acting; /* NULL: read-only */
	struct session *session;
	struct console *console;
	struct act_sheet sheet;
	struct audit_log audit;
	char *ledger;
	struct ledger_reader *reader; /* NULL: the audit view was not opened yet */
	ledger_line_vec lines;
	char offered[65]; /* hash of the plan last offered for approval by a second operator */
	char asked[120];  /* action and place: the title until there is a plan */
	void (*warn)(void *ctx, const char *message);
	void *ctx;
};

/* ---- the sheet ---- */

static enum role role_of(enum plan_tone t)
{
	switch (t) {
	case TONE_HEAD:
		return ROLE_TITLE;
	case TONE_DIM:
		return ROLE_DIM;
	case TONE_WARN:
		return ROLE_WARN;
	case TONE_COMMAND:
		return ROLE_HINT;
	default:
		return ROLE_NORMAL;
	}
}

static void add_line(void *ctx, enum plan_tone tone, const char *text)
{
	struct act_console *a = ctx;
	struct sheet_line *l = vec_add(&a->sheet.lines);

	l->role = role_of(tone);
	(void)str_copy(l->text, sizeof(l->text), text);
}

static enum role role_of_stage(enum act_stage s)
{
	switch (s) {
	case ACT_REFUSED:
	case ACT_UNKNOWN:
	case ACT_BROKE:
	case ACT_FAILED:
		return ROLE_CRIT;
	case ACT_RUNNING:
	case ACT_WATCHING:
		return ROLE_WARN;
	case ACT_DONE:
	case ACT_HELD:
		return ROLE_OK;
	default:
		return ROLE_NORMAL;
	}
}

static int sheet_width(const struct act_console *a)
{
	return a->console ? console_sheet_width(a->console) : SHEET_WIDTH;
}

static void add_refusal(void *ctx, enum plan_tone tone, const char *text)
{
	struct act_console *a = ctx;

	add_line(a, tone, text);
	a->sheet.lines.at[a->sheet.lines.n - 1].role = ROLE_CRIT;
}

static void fill_refusals(struct act_console *a, const refusal_vec *no)
{
	char line[640];

	for (size_t i = 0; i < no->n; i++) {
		refusal_line(&no->at[i], line, sizeof(line));
		plan_text_wrap(TONE_WARN, "", line, sheet_width(a), add_refusal, a);
	}
}

static void fill_notes(struct act_console *a, const act_note_vec *notes)
{
	char first[40], at[32];

	for (size_t i = 0; i < notes->n; i++) {
		(void)str_printf(first, sizeof(first), "%s ",
			clock_format_hms(notes->at[i].t_us, at, sizeof(at)));
		plan_text_wrap(
			notes->at[i].tone, first, notes->at[i].text, sheet_width(a), add_line, a);
	}
}

static void add_blank_line(struct act_console *a)
{
	if (a->sheet.lines.n)
		add_line(a, TONE_NORMAL, "");
}

static enum sheet_ask offered_answer(enum act_stage s)
{
	if (s == ACT_PLANNED)
		return SHEET_CONSENT;
	return s == ACT_WATCHING || s == ACT_BROKE || s == ACT_DONE ? SHEET_UNDO : SHEET_SHOWS;
}

static void fill_head(
	struct act_console *a, const struct action_manager *acts, const struct act_plan *p)
{
	enum act_stage s = manager_stage(acts);
	int64_t left = manager_watch_ends(acts) - session_now(a->session);

	a->sheet.role = role_of_stage(s);
	a->sheet.ask = offered_answer(s);
	a->sheet.busy = s == ACT_RUNNING;
	a->sheet.follows = s == ACT_RUNNING || s == ACT_WATCHING;
	if (s == ACT_WATCHING)
		(void)str_printf(a->sheet.state, sizeof(a->sheet.state), "watching %lld min",
			(long long)(left > 0 ? (left + 60 * CLOCK_SEC - 1) / (60 * CLOCK_SEC) : 0));
	else
		(void)str_copy(a->sheet.state, sizeof(a->sheet.state),
			manager_words(acts)->n                  ? "written"
			: s == ACT_DONE && manager_unseen(acts) ? "taken"
								: act_stage_name(s));
	(void)str_copy(a->sheet.title, sizeof(a->sheet.title), a->asked);
	a->sheet.typed[0] = '\0';
	if (!p)
		return;
	(void)str_printf(
		a->sheet.title, sizeof(a->sheet.title), "%s %s", p->action->name, p->place);
	(void)str_copy(a->sheet.typed, sizeof(a->sheet.typed), p->typed);
}

/*
 * Whether the sheet ends with a summary. Refusals are at its top and the last note states a
 * failure: neither is repeated.
 */
static bool needs_summary(enum act_stage s)
{
	return s == ACT_DONE || s == ACT_WATCHING || s == ACT_HELD || s == ACT_BROKE;
}

static void fill_sheet(struct act_console *a)
{
	const struct action_manager *acts = acting_acts(a->acting);
	const struct act_plan *p = manager_plan(acts);
	enum act_stage s = manager_stage(acts);
	char summary[640];

	a->sheet.lines.n = 0;
	fill_head(a, acts, p);
	fill_refusals(a, manager_refusals(acts));
	if (p) {
		add_blank_line(a);
		act_plan_body(p, sheet_width(a), add_line, a);
	}
	add_blank_line(a);
	fill_notes(a, manager_notes(acts));
	if (!needs_summary(s))
		return;
	manager_summary(acts, summary, sizeof(summary));
	add_blank_line(a);
	plan_text_wrap(TONE_HEAD, "", summary, sheet_width(a), add_line, a);
	for (size_t i = 0; i < manager_words(acts)->n; i++)
		plan_text_wrap(TONE_COMMAND, "", manager_words(acts)->at[i].run, sheet_width(a),
			add_line, a);
}

static void update_sheet(void *ctx)
{
	struct act_console *a = ctx;
	const struct act_plan *p = manager_plan(acting_acts(a->acting));
	struct err err = {0};

	if (p && p->hash[0] && session_plan(a->session)->actions.four_eyes &&
		!str_eq(a->offered, p->hash)) {
		(void)str_copy(a->offered, sizeof(a->offered), p->hash);
		if (!act_offer(acting_acts(a->acting), NULL, &err))
			a->warn(a->ctx, err.text);
	}
	fill_sheet(a);
	if (a->console)
		console_act_sheet(a->console,
			manager_stage(acting_acts(a->acting)) == ACT_NONE ? NULL : &a->sheet);
	if (a->reader)
		act_console_audit(a);
}

/* ---- the audit view ---- */

const char *act_console_ledger(const struct act_console *a)
{
	return a->ledger;
}

void act_console_audit(struct act_console *a)
{
	struct err err = {0};
	bool anew = false;

	if (!a->reader)
		a->reader = ledger_reader_new(a->ledger, AUDIT_LINES);
	a->audit.problem[0] = '\0';
	if (!ledger_reader_next(a->reader, &a->lines, &anew, &err))
		(void)str_printf(
			a->audit.problem, sizeof(a->audit.problem), "%s: %s", err.origin, err.text);
	if (anew)
		a->audit.rows.n = 0;
	for (size_t i = a->audit.rows.n; i < a->lines.n; i++)
		audit_rows_add(&a->audit, &a->lines.at[i], model_clock(session_model(a->session)));
	if (a->console)
		console_audit(a->console, &a->audit);
}

/* ---- hooks ---- */

void act_console_actions(struct act_console *a, struct ref r,
	void (*add)(void *to, const char *name, const char *help), void *to)
{
	(void)a;
	for (size_t i = 0; i < action_count; i++)
		if (action_table[i]->kinds & 1u << r.kind)
			add(to, action_table[i]->name, action_table[i]->title);
}

bool act_console_begin(struct act_console *a, const char *action, struct ref r, struct err *err)
{
	char place[90] = "";

	(void)ref_format(session_model(a->session), r, place, sizeof(place));
	/* An action that has ended is dropped, so that the next one can begin. */
	if (act_stage_ended(manager_stage(acting_acts(a->acting))))
		(void)manager_drop(acting_acts(a->acting), NULL);
	/* Fails if an action has not ended: the error names it. The title stays. */
	if (!act_stage_ended(manager_stage(acting_acts(a->acting))))
		return acting_begin(a->acting, action, r, err);
	(void)str_printf(a->asked, sizeof(a->asked), "%s %s", action, place);
	return acting_begin(a->acting, action, r, err);
}

static void fill_consent(struct consent *c, const char *reason, const char *incident)
{
	memset(c, 0, sizeof(*c));
	(void)str_copy(c->reason, sizeof(c->reason), reason);
	(void)str_copy(c->incident, sizeof(c->incident), incident);
}

bool act_console_go(struct act_console *a, const char *reason, const char *incident,
	const char *typed, struct err *err)
{
	struct consent c;

	fill_consent(&c, reason, incident);
	return acting_go(a->acting, &c, typed, err);
}

bool act_console_undo(
	struct act_console *a, const char *reason, const char *incident, struct err *err)
{
	struct consent c;

	fill_consent(&c, reason, incident);
	return acting_undo(a->acting, &c, err);
}

bool act_console_drop(struct act_console *a, struct err *err)
{
	bool ok = manager_drop(acting_acts(a->acting), err);

	update_sheet(a);
	return ok;
}

/* ---- opening and closing ---- */

/* Tells what a killed railtop may have left on a device. */
static void warn_of_open(struct act_console *a)
{
	ledger_open_vec open = {0};
	char line[900];

	(void)ledger_open_acts(a->ledger, &open, NULL);
	for (size_t i = 0; i < open.n; i++) {
		struct err what = {0};

		ledger_open_text(&open.at[i], &what);
		a->warn(a->ctx, err_format(&what, line, sizeof(line)));
	}
	vec_free(&open);
}

struct act_console *act_console_open(uv_loop_t *loop, struct session *s, bool read_only,
	void (*warn)(void *ctx, const char *message), void *ctx)
{
	const struct plan *plan = session_plan(s);
	struct act_console *a = mem_calloc(1, sizeof(*a));
	struct acting_opts opts = {.loop = loop,
		.session = s,
		.read_only = read_only,
		.changed = update_sheet,
		.ctx = a};
	struct err err = {0};
	char line[900];

	a->session = s;
	a->warn = warn;
	a->ctx = ctx;
	a->ledger = plan->actions.ledger ? mem_strdup(plan->actions.ledger) : ledger_default_path();
	(void)str_copy(a->audit.path, sizeof(a->audit.path), a->ledger);
	if (read_only || !plan->actions.granted)
		return a;
	warn_of_open(a);
	a->acting = acting_open(&opts, &err);
	if (!a->acting)
		warn(ctx, err_format(&err, line, sizeof(line)));
	return a;
}

void act_console_close(struct act_console *a)
{
	if (!a)
		return;
	acting_close(a->acting);
	vec_free(&a->sheet.lines);
	vec_free(&a->audit.rows);
	ledger_reader_free(a->reader);
	vec_free(&a->lines);
	free(a->ledger);
	free(a);
}

bool act_console_acting(const struct act_console *a)
{
	return a->acting != NULL;
}

bool act_console_running(const struct act_console *a)
{
	return a->acting && manager_stage(acting_acts(a->acting)) == ACT_RUNNING;
}

void act_console_attach(struct act_console *a, struct console *c)
{
	a->console = c;
}

void act_console_resized(struct act_console *a)
{
	if (a && a->acting)
		update_sheet(a);
}

void act_console_turn(struct act_console *a)
{
	if (a->acting)
		acting_turn(a->acting);
}
