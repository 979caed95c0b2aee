/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/diag_rows.h"
#include "views/panels/finding_text.h"
#include "views/summary.h"

enum lint_column {
	LINT_RESULT,
	LINT_CHECK,
	LINT_WHERE,
	LINT_IS,
	LINT_SHOULD,
	LINT_REASON,
	LINT_ALIKE,
	LINT_CURE,
	LINT_PEER,
	LINT_COLUMNS
};

static const struct table_column columns[LINT_COLUMNS] = {
	[LINT_RESULT] = {"result", "result", 8, 0, 0, false,
		"DIFFERS, ok, or unknown: it could not be checked, which does not mean ok"},
	[LINT_CHECK] = {"check", "check", 16, 0, 0, false, "Setting that was checked"},
	[LINT_WHERE] = {"where", "where", 18, 1, 0, false, "Port, device or tier that differs"},
	[LINT_IS] = {"is", "is", 12, 2, 0, false, "Value that is set"},
	[LINT_SHOULD] = {"should", "should be", 12, 2, 0, false, "Value that it was compared with"},
	[LINT_REASON] = {"reason", "by", 9, 0, 2, false,
		"Reference: the plan, the other end, the siblings"},
	[LINT_ALIKE] = {"alike", "ports", 5, 0, 2, true,
		"Ports of the same device that differ in the same way"},
	[LINT_CURE] = {"cure", "cure", 20, 3, 2, false, "Change to make"},
	[LINT_PEER] = {"peer", "peer", 18, 0, 4, false, "Value that it was compared with"},
};

#define LINT_AGAIN_US (2 * CLOCK_SEC) /* minimum time between two checks of changing settings */

static int differs_first(const void *pa, const void *pb)
{
	static const int order[] = {[LINT_DIFFERS] = 0, [LINT_UNKNOWN] = 1, [LINT_OK] = 2};
	const struct lint_row *a = pa, *b = pb;

	if (a->result != b->result)
		return order[a->result % 3] - order[b->result % 3];
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return ref_key(a->at) < ref_key(b->at) ? -1 : ref_key(a->at) > ref_key(b->at);
}

static size_t count_ranks(const struct model *m)
{
	return m->nccl->nranks + m->nccl->jobs.n;
}

static bool is_due(const struct view_ctx *ctx, const struct diag_rows *d)
{
	const struct model *m = ctx->model;

	if (d->lint_of != m || ctx->now_us < d->lint_us)
		return true;
	if (d->lint_settings == m->settings_generation && d->lint_wiring == m->wiring_generation &&
		d->lint_ranks == count_ranks(m))
		return false;
	return ctx->now_us - d->lint_us >= LINT_AGAIN_US;
}

static void note_begin(const struct view_ctx *ctx, struct diag_rows *d)
{
	d->lint_us = ctx->now_us;
	d->lint_settings = ctx->model->settings_generation;
	d->lint_wiring = ctx->model->wiring_generation;
	d->lint_ranks = count_ranks(ctx->model);
}

static void put_in_order(const struct view_ctx *ctx, struct diag_rows *d)
{
	if (d->lint.n)
		qsort(d->lint.at, d->lint.n, sizeof(d->lint.at[0]), differs_first);
	d->lint_of = ctx->model;
}

static void refresh_checks(const struct view_ctx *ctx, struct diag_rows *d)
{
	if (summary_paced(ctx) || !is_due(ctx, d))
		return;
	note_begin(ctx, d);
	d->lint.n = 0;
	lint_check(ctx->model, &d->lint);
	put_in_order(ctx, d);
}

static void stop_checks(struct diag_rows *d)
{
	lint_end(d->lint_job);
	d->lint_job = NULL;
	d->lint_next.n = 0;
}

/*
 * Works on the checks. If the model has grown meanwhile, begins again: new ports are missing in the
 * results.
 */
static bool lint_work(const struct view_ctx *ctx)
{
	struct diag_rows *d = diag_rows_of(ctx);
	lint_vec was;

	if (!d)
		return false;
	if (d->lint_job && !lint_fits(d->lint_job, ctx->model))
		stop_checks(d);
	if (!d->lint_job) {
		if (!is_due(ctx, d))
			return false;
		note_begin(ctx, d);
		d->lint_job = lint_begin(ctx->model, 0, LINT_CHECKS, &d->lint_next);
	}
	if (!lint_some(d->lint_job))
		return true;
	lint_jobs(ctx->model, &d->lint_next);
	was = d->lint;
	d->lint = d->lint_next;
	d->lint_next = was;
	stop_checks(d);
	put_in_order(ctx, d);
	return false;
}

static void lint_rows(const struct view_ctx *ctx, row_vec *out)
{
	struct diag_rows *d = diag_rows_of(ctx);

	if (!d)
		return;
	refresh_checks(ctx, d);
	for (size_t i = 0; i < d->lint.n; i++)
		vec_push(out, (struct ref){.kind = REF_ROW, .seq = i});
}

const struct lint_row *lint_of_row(const struct view_ctx *ctx, struct ref row)
{
	const struct diag_rows *d = diag_rows_of(ctx);

	if (!d || d->lint_of != ctx->model || row.kind != REF_ROW || row.seq >= d->lint.n)
		return NULL;
	return &d->lint.at[row.seq];
}

static void cell_result(const struct lint_row *l, struct view_cell *out)
{
	if (l->result == LINT_OK)
		cell_text(out, ROLE_OK, "ok");
	else if (l->result == LINT_DIFFERS)
		cell_text(out, role_of_severity(finding_info[l->id].severity), "DIFFERS");
	else
		cell_text(out, ROLE_UNKNOWN, "unknown");
}

static void cell_word(const char *text, struct view_cell *out)
{
	if (text[0])
		cell_text(out, ROLE_NORMAL, "%s", text);
}

static void lint_cell(const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct lint_row *l = lint_of_row(ctx, row);
	char text[160];

	cell_unknown(out, VALID_UNKNOWN);
	if (!l || (unsigned)l->id >= FIND_COUNT)
		return;
	switch (col) {
	case LINT_RESULT:
		cell_result(l, out);
		break;
	case LINT_CHECK:
		/* All names begin with "lint.". */
		cell_word(str_starts(finding_info[l->id].name, "lint.")
				  ? finding_info[l->id].name + 5
				  : finding_info[l->id].name,
			out);
		break;
	case LINT_WHERE:
		cell_word(place_text(ctx, l->at, text, sizeof(text)), out);
		break;
	case LINT_PEER:
		cell_word(place_text(ctx, l->peer, text, sizeof(text)), out);
		break;
	case LINT_IS:
		cell_word(l->is, out);
		break;
	case LINT_SHOULD:
		cell_word(l->should, out);
		break;
	case LINT_REASON:
		cell_word(l->reason, out);
		break;
	case LINT_CURE:
		cell_word(l->cure, out);
		break;
	case LINT_ALIKE:
		if (l->result != LINT_DIFFERS)
			break;
		cell_text(out, ROLE_NORMAL, "%u", l->alike);
		out->number = l->alike;
		out->has_number = true;
		break;
	default:
		break;
	}
}

static struct ref lint_about(const struct view_ctx *ctx, struct ref row)
{
	const struct lint_row *l = lint_of_row(ctx, row);

	return l ? l->at : (struct ref){.kind = REF_NONE};
}

static bool lint_enter(
	const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	return enter_place(ctx, lint_about(ctx, row), view, scope);
}

static int lint_panel(const struct view_ctx *ctx, struct region r)
{
	struct diag_rows *d = diag_rows_of(ctx);
	unsigned n[3] = {0};
	struct panel_line line;

	if (!d)
		return 0;
	refresh_checks(ctx, d);
	for (size_t i = 0; i < d->lint.n; i++)
		n[d->lint.at[i].result % 3]++;
	if (!d->lint.n)
		return 0;
	panel_say(&line,
		n[LINT_DIFFERS]   ? ROLE_WARN
		: n[LINT_UNKNOWN] ? ROLE_UNKNOWN
				  : ROLE_OK,
		n[LINT_DIFFERS]   ? "WARN"
		: n[LINT_UNKNOWN] ? "?"
				  : "OK",
		"%u differ, %u check%s could not be made, %u consistent", n[LINT_DIFFERS],
		n[LINT_UNKNOWN], str_plural(n[LINT_UNKNOWN]), n[LINT_OK]);
	return panel_draw(r, &line, 1);
}

static const char *lint_empty(const struct view_ctx *ctx)
{
	const struct diag_rows *d = diag_rows_of(ctx);

	if (d && d->lint_job)
		return "settings are being compared";
	return "no setting has been reported yet: devices report settings in slow polls";
}

const struct view_ops view_lint = {
	.name = "lint",
	.title = "lint",
	.help = "Settings of switches and NICs, compared with the other end, the plan and their "
		"siblings: PFC, DSCP maps, trust, ECN thresholds, CNPs, MTU, watchdogs, hashing. "
		"Differences come first, then checks that could not be made. No extra polls are "
		"needed. Enter shows the port or device.",
	.scope = REF_NONE,
	.columns = columns,
	.ncolumns = LINT_COLUMNS,
	.rows = lint_rows,
	.cell = lint_cell,
	.enter = lint_enter,
	.about = lint_about,
	.panel = lint_panel,
	.empty = lint_empty,
	.work = lint_work,
};
