/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/common.h"
#include "views/panels/panel.h"
#include "views/runbook/step_text.h"

enum runbook_column {
	RUNBOOK_NOW,
	RUNBOOK_STEP,
	RUNBOOK_OUTCOME,
	RUNBOOK_TEXT,
	RUNBOOK_VALUE,
	RUNBOOK_NOTE,
	RUNBOOK_TIME,
	RUNBOOK_WHO,
	RUNBOOK_BOOK,
	RUNBOOK_TARGET,
	RUNBOOK_COLUMNS
};

static const struct table_column columns[RUNBOOK_COLUMNS] = {
	[RUNBOOK_NOW] = {"now", ">", 1, 0, 0, false, "> the current step"},
	[RUNBOOK_STEP] = {"step", "step", 4, 0, 0, false,
		"Number of the step; of the trail, its name"},
	[RUNBOOK_OUTCOME] = {"outcome", "outcome", 11, 0, 0, false,
		"pass, fail, cannot tell, skipped; by hand: judged by a person, not by the "
		"numbers; open: not judged yet"},
	[RUNBOOK_TEXT] = {"text", "task", 24, 2, 0, false, "The step in short"},
	[RUNBOOK_VALUE] = {"value", "value", 20, 2, 0, false,
		"Numbers on which the result is based"},
	[RUNBOOK_NOTE] = {"note", "note", 12, 1, 1, false, "Note of the operator"},
	[RUNBOOK_TIME] = {"time", "time", 10, 0, 2, false,
		"Time of the result, UTC unless a zone was set"},
	[RUNBOOK_WHO] = {"who", "who", 8, 0, 3, false,
		"Operator that left the step, or wrote the note"},
	[RUNBOOK_BOOK] = {"runbook", "runbook", 14, 0, 4, false, "Runbook of the step"},
	[RUNBOOK_TARGET] = {"target", "about", 20, 0, 4, false, "Place that the runbook is about"},
};

/* The steps of the running runbook; without one, the trail of earlier runs. */
static void runbook_rows(const struct view_ctx *ctx, row_vec *out)
{
	size_t n = ctx->run ? ctx->run->book->steps.n : ctx->trail ? ctx->trail->n : 0;

	for (size_t i = 0; i < n; i++)
		vec_push(out, (struct ref){.kind = REF_ROW, .seq = i});
}

static const struct runbook_log_entry *entry_of(const struct view_ctx *ctx, struct ref row)
{
	if (row.kind != REF_ROW)
		return NULL;
	if (ctx->run)
		return row.seq < ctx->run->steps.n ? &ctx->run->steps.at[row.seq] : NULL;
	return ctx->trail && row.seq < ctx->trail->n ? &ctx->trail->at[row.seq] : NULL;
}

static void cell_some(struct view_cell *out, enum role role, const char *text)
{
	cell_text(out, role, "%s", text);
}

/* The current step shows its present result, other steps their recorded one. */
static void cell_judged(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct runbook_run *r = ctx->run;
	bool now = r && row.seq == r->at;
	const struct runbook_step *s =
		r && row.seq < r->book->steps.n ? &r->book->steps.at[row.seq] : NULL;
	struct runbook_log_entry e = *entry_of(ctx, row);
	char text[48];

	if (now) {
		e.outcome = r->now.outcome;
		e.by_hand = false;
		(void)str_copy(e.value, sizeof(e.value),
			r->now.outcome == STEP_UNKNOWN && r->now.why[0] ? r->now.why
									: r->now.value);
	}
	if (col == RUNBOOK_VALUE)
		cell_some(out, ROLE_NORMAL, e.value);
	else if (now && e.outcome == STEP_OPEN)
		cell_text(out, ROLE_ACCENT, "you judge");
	else if (e.outcome == STEP_OPEN && !ctx->run)
		cell_some(out, ROLE_DIM, "");
	else
		cell_some(out, role_of_outcome(s, (enum step_outcome)e.outcome),
			outcome_text(s, &e, text, sizeof(text)));
}

static void cell_step(const struct view_ctx *ctx, struct ref row, struct view_cell *out)
{
	if (!ctx->run) {
		cell_some(out, ROLE_NORMAL, entry_of(ctx, row)->step);
		return;
	}
	cell_text(out, ROLE_NORMAL, "%u", (unsigned)row.seq + 1);
	out->number = (double)row.seq + 1;
	out->has_number = true;
}

static void cell_brief(const struct view_ctx *ctx, struct ref row, struct view_cell *out)
{
	char text[TABLE_CELL_TEXT];

	cell_some(out, ROLE_DIM, "");
	if (ctx->run && row.seq < ctx->run->book->steps.n)
		cell_some(out, row.seq == ctx->run->at ? ROLE_ACCENT : ROLE_NORMAL,
			step_brief(&ctx->run->book->steps.at[row.seq], text, sizeof(text)));
}

static void runbook_cell(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct runbook_log_entry *e = entry_of(ctx, row);

	cell_unknown(out, VALID_UNKNOWN);
	if (!e)
		return;
	switch (col) {
	case RUNBOOK_NOW:
		cell_some(out, ROLE_ACCENT, ctx->run && row.seq == ctx->run->at ? ">" : "");
		break;
	case RUNBOOK_STEP:
		cell_step(ctx, row, out);
		break;
	case RUNBOOK_OUTCOME:
	case RUNBOOK_VALUE:
		cell_judged(ctx, row, col, out);
		break;
	case RUNBOOK_TEXT:
		cell_brief(ctx, row, out);
		break;
	case RUNBOOK_NOTE:
		cell_some(out, ROLE_NORMAL, e->note);
		break;
	case RUNBOOK_TIME:
		cell_moment(ctx, e->t_us, out);
		break;
	case RUNBOOK_WHO:
		cell_some(out, ROLE_NORMAL, e->user);
		break;
	case RUNBOOK_BOOK:
		cell_some(out, ROLE_NORMAL, e->runbook);
		break;
	case RUNBOOK_TARGET:
		cell_some(out, ROLE_NORMAL, e->target);
		break;
	default:
		break;
	}
}

/* The object of the runbook. */
static struct ref runbook_about(const struct view_ctx *ctx, struct ref row)
{
	const struct runbook_log_entry *e = entry_of(ctx, row);
	struct ref at;

	if (e && e->target[0] && ref_parse(ctx->model, e->target, &at, NULL))
		return at;
	return (struct ref){.kind = REF_NONE};
}

static int runbook_panel(const struct view_ctx *ctx, struct region r)
{
	const struct runbook_run *run = ctx->run;
	step_line_vec lines = {0};
	struct step_line *head;
	char progress[64];
	int used;

	if (!run)
		return 0;
	head = vec_add(&lines);
	head->role = ROLE_ACCENT;
	(void)str_copy(head->head, sizeof(head->head), "runbook");
	(void)str_printf(head->text, sizeof(head->text), "%s  %s%s%s",
		run_progress(run, progress, sizeof(progress)), run->target_text,
		run->target_text[0] ? "  " : "", run->book->title ? run->book->title : "");
	/* On a low screen the result comes before the explanation. */
	if (r.h < 8)
		step_lines_now(run, r.w, &lines);
	step_lines_text(run, r.w, &lines);
	if (r.h >= 8)
		step_lines_now(run, r.w, &lines);
	step_lines_more(run, r.w, &lines);
	used = step_lines_draw(region_sub(r, 0, 0, panel_height(r.h), r.w), lines.at, lines.n);
	vec_free(&lines);
	return used;
}

static const char *runbook_empty(const struct view_ctx *ctx)
{
	(void)ctx;
	return "no runbook is open: b on a finding opens its runbook, :runbook NAME any other";
}

const struct view_ops view_runbook = {
	.name = "runbook",
	.title = "runbook",
	.help = "The open runbook: its steps with result, numbers and notes. The current step is "
		"judged again when the data changes: pass, fail or cannot tell. Enter or o opens "
		"the view of a step with its filter. n goes to the next step by the numbers, and N "
		"adds a note. Without an open runbook: the trail of earlier ones, with results, "
		"operators and times.",
	.scope = REF_NONE,
	.columns = columns,
	.ncolumns = RUNBOOK_COLUMNS,
	.rows = runbook_rows,
	.cell = runbook_cell,
	.about = runbook_about,
	.panel = runbook_panel,
	.empty = runbook_empty,
};
