/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "views/diag_rows.h"
#include "views/panels/finding_text.h"

enum trace_column {
	TRACE_MARK,
	TRACE_STEP,
	TRACE_WHERE,
	TRACE_STATE,
	TRACE_NUMBER,
	TRACE_WHY,
	TRACE_LEARNED,
	TRACE_COLUMNS
};

static const struct table_column columns[TRACE_COLUMNS] = {
	[TRACE_MARK] = {"mark", " ", 2, 0, 0, false, "An arrow at the culprit"},
	[TRACE_STEP] = {"step", "step", 11, 0, 0, false,
		"Kind of the hop; alternative: another possible cause"},
	[TRACE_WHERE] = {"where", "where", 22, 1, 0, false, "Rank, GPU, NIC or port of the hop"},
	[TRACE_STATE] = {"state", "state", 7, 0, 0, false,
		"ok, suspect, victim, CULPRIT, unknown: no data of this hop"},
	[TRACE_NUMBER] = {"number", "number", 13, 1, 0, false, "The one number that matters here"},
	[TRACE_WHY] = {"why", "why", 20, 4, 0, false, "Reason for the state"},
	[TRACE_LEARNED] = {"learned", "from", 12, 0, 3, false, "Source for this part of the path"},
};

/* The rows of the alternatives follow those of the hops. */
#define ALTERNATIVE (UINT64_C(1) << 32)

static bool same_time(const struct diag_rows *d, const struct view_ctx *ctx)
{
	return d->traced && d->trace_of == ctx->model && d->trace_us == ctx->now_us &&
	       ref_eq(d->trace_from, ctx->scope) &&
	       d->trace_generation == diag_generation(ctx->diag);
}

/* The trace of the scope, computed again after changes; NULL: none is possible. */
static const struct trace *trace_of(const struct view_ctx *ctx)
{
	struct diag_rows *d = diag_rows_of(ctx);
	struct ref from = ctx->scope;

	if (!d || !ctx->diag || from.kind == REF_NONE)
		return NULL;
	if (same_time(d, ctx))
		return d->trace_err.code == ERR_NONE ? &d->trace : NULL;
	if (d->traced)
		trace_free(&d->trace);
	memset(&d->trace, 0, sizeof(d->trace));
	memset(&d->trace_err, 0, sizeof(d->trace_err));
	d->traced = true;
	d->trace_of = ctx->model;
	d->trace_us = ctx->now_us;
	d->trace_from = ctx->scope;
	d->trace_generation = diag_generation(ctx->diag);
	if (!trace_from(ctx->diag, ctx->model, from, ctx->now_us, &d->trace, &d->trace_err)) {
		if (d->trace_err.code == ERR_NONE)
			(void)err_set(&d->trace_err, ERR_USAGE, "", "the trace has no start here");
		return NULL;
	}
	return &d->trace;
}

static void trace_rows(const struct view_ctx *ctx, row_vec *out)
{
	const struct trace *t = trace_of(ctx);

	for (size_t i = 0; t && i < t->chain.n; i++)
		vec_push(out, (struct ref){.kind = REF_ROW, .seq = i});
	for (size_t i = 0; t && i < t->alternatives.n; i++)
		vec_push(out, (struct ref){.kind = REF_ROW, .seq = ALTERNATIVE | i});
}

static const struct hop *hop_of(const struct trace *t, struct ref row)
{
	return t && row.kind == REF_ROW && row.seq < t->chain.n ? &t->chain.at[row.seq] : NULL;
}

static const struct trace_alternative *alternative_of(const struct trace *t, struct ref row)
{
	uint64_t i = row.seq ^ ALTERNATIVE;

	return t && row.kind == REF_ROW && i < t->alternatives.n ? &t->alternatives.at[i] : NULL;
}

/* ---- cells ---- */

static enum role role_of_hop(enum hop_state s)
{
	static const enum role roles[] = {[HOP_UNKNOWN] = ROLE_UNKNOWN,
		[HOP_OK] = ROLE_OK,
		[HOP_SUSPECT] = ROLE_WARN,
		[HOP_CULPRIT] = ROLE_CRIT,
		[HOP_VICTIM] = ROLE_WARN};

	return (unsigned)s < sizeof(roles) / sizeof(roles[0]) ? roles[s] : ROLE_UNKNOWN;
}

static void cell_hop(
	const struct view_ctx *ctx, const struct hop *h, size_t col, struct view_cell *out)
{
	bool culprit = h->state == HOP_CULPRIT;
	char text[160];

	switch (col) {
	case TRACE_MARK:
		cell_text(out, ROLE_CRIT, "%s", culprit ? glyph(ctx->term, GLYPH_ARROW) : "");
		break;
	case TRACE_STEP:
		cell_text(out, ROLE_NORMAL, "%s", hop_step_name(h->step));
		break;
	case TRACE_WHERE:
		cell_text(out, culprit ? ROLE_CRIT : ROLE_NORMAL, "%s",
			h->place[0] ? h->place : place_text(ctx, h->at, text, sizeof(text)));
		break;
	case TRACE_STATE:
		cell_text(out, role_of_hop(h->state), "%s",
			culprit ? "CULPRIT" : hop_state_name(h->state));
		break;
	case TRACE_NUMBER:
		/* A number without a word gets the mark of what is bad. */
		cell_text(out, culprit ? ROLE_CRIT : ROLE_NORMAL, "%s%s", h->number,
			culprit && h->number[strspn(h->number, "0123456789.,%-")] == '\0' &&
					h->number[0]
				? "!"
				: "");
		break;
	case TRACE_WHY:
		cell_text(out, ROLE_NORMAL, "%s", h->why);
		break;
	case TRACE_LEARNED:
		cell_text(out, ROLE_DIM, "%s", h->learned);
		break;
	default:
		break;
	}
}

static void cell_alternative(const struct view_ctx *ctx, const struct trace_alternative *a,
	size_t col, struct view_cell *out)
{
	char text[160];

	switch (col) {
	case TRACE_MARK:
		cell_text(out, ROLE_DIM, "%s", "");
		break;
	case TRACE_STEP:
		cell_text(out, ROLE_DIM, "alternative");
		break;
	case TRACE_WHERE:
		cell_text(out, ROLE_NORMAL, "%s", place_text(ctx, a->at, text, sizeof(text)));
		break;
	case TRACE_STATE:
		if (isnan(a->confidence)) {
			cell_text(out, ROLE_DIM, "refuted");
			break;
		}
		cell_text(out, ROLE_DIM, "%s",
			str_share((double)a->confidence, "%", text, sizeof(text)));
		out->number = (double)a->confidence * 100;
		out->has_number = true;
		break;
	case TRACE_NUMBER:
		cell_text(out, ROLE_DIM, "%s",
			(unsigned)a->id < FIND_COUNT ? finding_info[a->id].name : "-");
		break;
	case TRACE_WHY:
		cell_text(out, ROLE_NORMAL, "%s", a->why);
		break;
	default:
		break;
	}
}

static void trace_cell(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct trace *t = trace_of(ctx);
	const struct hop *h = hop_of(t, row);
	const struct trace_alternative *a = alternative_of(t, row);

	cell_unknown(out, VALID_UNKNOWN);
	if (h)
		cell_hop(ctx, h, col, out);
	else if (a)
		cell_alternative(ctx, a, col, out);
}

static bool trace_enter(
	const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	const struct trace *t = trace_of(ctx);
	const struct hop *h = hop_of(t, row);
	const struct trace_alternative *a = alternative_of(t, row);
	uint64_t key = h ? h->finding : a ? a->finding : 0;

	if (key && diag_finding(ctx->diag, key)) {
		*view = "finding";
		*scope = ref_of_finding(key);
		return true;
	}
	if (!h && !a)
		return false;
	/* A rank would lead back here, so its communicator's ranks are opened. */
	if (h && h->at.kind == REF_RANK) {
		*view = "ranks";
		*scope = (struct ref){.kind = REF_COMM, .comm = h->at.comm};
		return true;
	}
	return enter_place(ctx, h ? h->at : a->at, view, scope);
}

static struct ref trace_about(const struct view_ctx *ctx, struct ref row)
{
	const struct trace *t = trace_of(ctx);
	const struct hop *h = hop_of(t, row);
	const struct trace_alternative *a = alternative_of(t, row);

	return h ? h->at : a ? a->at : (struct ref){.kind = REF_NONE};
}

static int trace_panel(const struct view_ctx *ctx, struct region r)
{
	const struct trace *t = trace_of(ctx);
	const struct hop *here = hop_of(t, ctx->cursor);
	const struct trace_alternative *other = alternative_of(t, ctx->cursor);
	struct panel_line lines[3];
	char from[160], culprit[160], sure[16] = "";
	const char *name;
	size_t n = 0;

	if (!t)
		return 0;
	(void)place_text(ctx, ctx->scope, from, sizeof(from));
	panel_say(&lines[n++], ROLE_TITLE, "trace", "%s%s%s", from, t->summary[0] ? ": " : "",
		t->summary);
	if (t->culprit.kind == REF_NONE) {
		if (isfinite(t->confidence) && t->confidence > 0)
			(void)str_printf(sure, sizeof(sure), "%.0f%%, ", t->confidence * 100);
		panel_say(&lines[n++], t->verdict == VERDICT_UNKNOWN ? ROLE_UNKNOWN : ROLE_OK,
			verdict_name(t->verdict), "%sno culprit on this path", sure);
	} else {
		name = (unsigned)t->id < FIND_COUNT ? finding_info[t->id].name : "culprit";
		/* The share is that of this cause; the title has that of the whole network. */
		panel_say(&lines[n++], ROLE_CRIT, verdict_name(t->verdict), "%s %s: this cause %s",
			name, place_text(ctx, t->culprit, culprit, sizeof(culprit)),
			str_share(t->confidence, "%", sure, sizeof(sure)));
	}
	/* The full text, because the column is narrow. */
	if (here)
		panel_say(&lines[n++], ROLE_ACCENT, hop_step_name(here->step), "%s%s%s (from %s)",
			here->number, here->number[0] && here->why[0] ? ": " : "",
			here->number[0] || here->why[0] ? here->why : hop_state_name(here->state),
			here->learned[0] ? here->learned : "-");
	else if (other)
		panel_say(&lines[n++], ROLE_ACCENT, "alternative", "%s: %s",
			(unsigned)other->id < FIND_COUNT ? finding_info[other->id].name : "-",
			other->why);
	return panel_draw(r, lines, n);
}

static const char *trace_empty(const struct view_ctx *ctx)
{
	const struct diag_rows *d = diag_rows_of(ctx);

	if (!ctx->diag)
		return "nothing is diagnosed here: the data is a plain snapshot";
	if (d && d->traced && d->trace_err.text[0])
		return d->trace_err.text;
	return "no path is known from here";
}

const struct view_ops view_trace = {
	.name = "trace",
	.title = "trace",
	.help = "The path from a rank or host to the spine port, a row a hop: its state, the one "
		"number that matters, and the source. An arrow and CULPRIT mark the cause; a "
		"victim is affected only. alternative is another possible cause, with the reason "
		"against it. Enter leads to the finding behind a hop, else to the hop.",
	.scope = REF_RANK,
	.kinds = 1U << REF_DEVICE | 1U << REF_PORT | 1U << REF_JOB,
	.columns = columns,
	.ncolumns = TRACE_COLUMNS,
	.rows = trace_rows,
	.cell = trace_cell,
	.enter = trace_enter,
	.about = trace_about,
	.panel = trace_panel,
	.empty = trace_empty,
};
