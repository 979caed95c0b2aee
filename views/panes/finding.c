/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/clock.h"
#include "base/str.h"
#include "diagnosis/evidence/recurrence.h"
#include "views/panels/finding_text.h"

/* The kind of a row is the upper half of its seq; the lower half is the index in that part. */
enum finding_part { PART_EVIDENCE, PART_REFUTED, PART_MEMBER, PART_VICTIM, PART_NEXT, PART_COUNT };
enum next_step { NEXT_VIEW, NEXT_RUNBOOK, NEXT_COMMAND, NEXT_COUNT };

enum finding_column {
	FINDING_PART,
	FINDING_WHERE,
	FINDING_WHAT,
	FINDING_VALUE,
	FINDING_THRESHOLD,
	FINDING_SOURCE,
	FINDING_TIME,
	FINDING_COLUMNS
};

static const struct table_column columns[FINDING_COLUMNS] = {
	[FINDING_PART] = {"part", "part", 8, 0, 0, false,
		"for, against: evidence; not: another explanation that was ruled out; member, "
		"victim, symptom; next: the next step"},
	[FINDING_WHERE] = {"where", "where", 22, 1, 0, false, "Place where it was seen"},
	[FINDING_WHAT] = {"what", "what", 18, 1, 0, false, "The counter, or the subject"},
	[FINDING_VALUE] = {"value", "value", 17, 3, 0, false, "The number, or why"},
	[FINDING_THRESHOLD] = {"threshold", "limit", 10, 0, 1, false,
		"The limit that it was compared with"},
	[FINDING_SOURCE] = {"source", "source", 8, 0, 2, false,
		"Source of the evidence: counter, lldp, config, log, nccl-ras, plan"},
	[FINDING_TIME] = {"time", "time", 10, 0, 2, false,
		"Time of the observation, UTC unless a zone was set"},
};

static struct ref row_of(enum finding_part part, size_t i)
{
	return (struct ref){.kind = REF_ROW, .seq = (uint64_t)part << 32 | (uint32_t)i};
}

static enum finding_part part_of(struct ref row)
{
	uint64_t part = row.seq >> 32;

	return row.kind == REF_ROW && part < PART_COUNT ? (enum finding_part)part : PART_COUNT;
}

static const char *next_text(const struct finding *f, size_t i)
{
	const struct finding_info *info = &finding_info[f->id];

	return i == NEXT_VIEW      ? info->view
	       : i == NEXT_RUNBOOK ? info->runbook
	       : i == NEXT_COMMAND ? f->command
				   : "";
}

/* Adds the findings that f explains, in the engine's order. */
static void push_symptoms(const struct view_ctx *ctx, const struct finding *f, row_vec *out)
{
	size_t n;
	const struct finding *const *all = diag_findings(ctx->diag, &n);

	for (size_t i = 0; i < n; i++)
		if (all[i]->root == f->key && all[i] != f)
			vec_push(out, ref_of_finding(all[i]->key));
}

static void finding_rows(const struct view_ctx *ctx, row_vec *out)
{
	const struct finding *f = finding_of(ctx, ctx->scope, NULL);

	if (!f)
		return;
	for (size_t i = 0; i < f->evidence.n; i++)
		vec_push(out, row_of(PART_EVIDENCE, i));
	for (size_t i = 0; i < f->refuted.n; i++)
		vec_push(out, row_of(PART_REFUTED, i));
	for (size_t i = 0; i < NEXT_COUNT; i++)
		if (next_text(f, i)[0])
			vec_push(out, row_of(PART_NEXT, i));
	for (size_t i = 0; i < f->members.n; i++)
		vec_push(out, row_of(PART_MEMBER, i));
	for (size_t i = 0; i < f->victims.n; i++)
		vec_push(out, row_of(PART_VICTIM, i));
	push_symptoms(ctx, f, out);
}

/* ---- cells ---- */

static struct ref place_of(const struct finding *f, struct ref row)
{
	size_t i = (uint32_t)row.seq;

	switch (part_of(row)) {
	case PART_EVIDENCE:
		return i < f->evidence.n ? f->evidence.at[i].at : (struct ref){0};
	case PART_REFUTED:
		return i < f->refuted.n ? f->refuted.at[i].at : (struct ref){0};
	case PART_MEMBER:
		return i < f->members.n ? f->members.at[i] : (struct ref){0};
	case PART_VICTIM:
		return i < f->victims.n ? f->victims.at[i].at : (struct ref){0};
	case PART_NEXT:
		return f->at;
	case PART_COUNT:
		break;
	}
	return (struct ref){0};
}

static void cell_where(const struct view_ctx *ctx, struct ref at, struct view_cell *out)
{
	char text[160];

	if (at.kind != REF_NONE)
		cell_text(out, ROLE_NORMAL, "%s", place_text(ctx, at, text, sizeof(text)));
}

static void cell_evidence(
	const struct view_ctx *ctx, const struct evidence *e, size_t col, struct view_cell *out)
{
	char text[160];

	switch (col) {
	case FINDING_PART:
		cell_text(out, e->against ? ROLE_OK : ROLE_WARN, "%s",
			e->against ? "against" : "for");
		break;
	case FINDING_WHAT:
		cell_text(out, ROLE_NORMAL, "%s", e->what);
		break;
	case FINDING_VALUE:
		cell_text(out, ROLE_NORMAL, "%s", evidence_value(e, text, sizeof(text)));
		out->number = e->value;
		out->has_number = isfinite(e->value);
		break;
	case FINDING_THRESHOLD:
		cell_text(out, ROLE_NORMAL, "%s", e->threshold);
		break;
	case FINDING_SOURCE:
		cell_text(out, ROLE_DIM, "%s", e->source);
		break;
	case FINDING_TIME:
		cell_moment(ctx, e->t_us, out);
		break;
	default:
		break;
	}
}

static void cell_victim(const struct victim *v, size_t col, struct view_cell *out)
{
	char text[16];

	if (col == FINDING_PART) {
		cell_text(out, ROLE_NORMAL, "victim");
	} else if (col == FINDING_WHAT) {
		cell_text(out, ROLE_DIM, "paused");
	} else if (col == FINDING_VALUE && !isnan(v->percent)) {
		cell_text(out, ROLE_NORMAL, "%s",
			percent_text((double)v->percent, text, sizeof(text)));
		out->number = (double)v->percent;
		out->has_number = true;
	}
}

static void cell_next(const struct finding *f, size_t i, size_t col, struct view_cell *out)
{
	static const char *const kinds[NEXT_COUNT] = {"view", "b runbook", "run on it"};

	if (col == FINDING_PART)
		cell_text(out, ROLE_ACCENT, "next");
	else if (col == FINDING_WHAT && i < NEXT_COUNT)
		cell_text(out, ROLE_ACCENT, "%s", kinds[i]);
	else if (col == FINDING_VALUE)
		cell_text(out, ROLE_NORMAL, "%s", next_text(f, i));
}

static void cell_refuted(const struct refuted *r, size_t col, struct view_cell *out)
{
	if (col == FINDING_PART)
		cell_text(out, ROLE_DIM, "not");
	else if (col == FINDING_WHAT && r->id < FIND_COUNT)
		cell_text(out, ROLE_NORMAL, "%s", finding_info[r->id].name);
	else if (col == FINDING_VALUE)
		cell_text(out, ROLE_NORMAL, "%s", r->why);
}

static void cell_symptom(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct finding *f = finding_of(ctx, row, NULL);

	if (!f)
		return;
	if (col == FINDING_PART)
		cell_text(out, ROLE_NORMAL, "symptom");
	else if (col == FINDING_WHERE)
		cell_where(ctx, f->at, out);
	else if (col == FINDING_WHAT)
		cell_text(out, role_of_finding(ctx, f), "%s", finding_info[f->id].name);
	else if (col == FINDING_VALUE)
		cell_text(out, ROLE_NORMAL, "%s", f->title);
	else if (col == FINDING_TIME)
		cell_moment(ctx, f->first_seen_us, out);
}

static void finding_cell(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct finding *f = finding_of(ctx, ctx->scope, NULL);
	size_t i = (uint32_t)row.seq;

	cell_unknown(out, VALID_UNKNOWN);
	if (row.kind == REF_FINDING) {
		cell_symptom(ctx, row, col, out);
		return;
	}
	if (!f)
		return;
	/* A cell that does not apply to a row is empty, not unknown. */
	if (part_of(row) != PART_COUNT)
		cell_text(out, ROLE_DIM, "%s", "");
	if (col == FINDING_WHERE) {
		cell_where(ctx, place_of(f, row), out);
		return;
	}
	switch (part_of(row)) {
	case PART_EVIDENCE:
		if (i < f->evidence.n)
			cell_evidence(ctx, &f->evidence.at[i], col, out);
		break;
	case PART_REFUTED:
		if (i < f->refuted.n)
			cell_refuted(&f->refuted.at[i], col, out);
		break;
	case PART_VICTIM:
		if (i < f->victims.n)
			cell_victim(&f->victims.at[i], col, out);
		break;
	case PART_MEMBER:
		if (i < f->members.n && col == FINDING_PART)
			cell_text(out, ROLE_NORMAL, "member");
		else if (col == FINDING_VALUE)
			cell_text(out, ROLE_DIM, "%zu of %zu", i + 1, f->members.n);
		break;
	case PART_NEXT:
		cell_next(f, i, col, out);
		break;
	case PART_COUNT:
		break;
	}
}

/* ---- targets of Enter ---- */

/* Enter opens the finding's view at the finding's place. */
static bool enter_next(const struct view_ctx *ctx, const struct finding *f, size_t i,
	const char **view, struct ref *scope)
{
	const struct view_ops *v = i == NEXT_VIEW ? view_by_name(finding_info[f->id].view) : NULL;

	if (!v)
		return false;
	*view = v->name;
	*scope = f->at;
	if (view_takes(v, f->at.kind))
		return true;
	*scope = (struct ref){.kind = REF_FABRIC};
	return view_is_whole(v) || enter_place(ctx, f->at, view, scope);
}

static bool finding_enter(
	const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	const struct finding *f = finding_of(ctx, ctx->scope, NULL);

	if (row.kind == REF_FINDING && finding_of(ctx, row, NULL)) {
		*view = "finding";
		*scope = row;
		return true;
	}
	if (!f)
		return false;
	if (part_of(row) == PART_NEXT)
		return enter_next(ctx, f, (uint32_t)row.seq, view, scope);
	return enter_place(ctx, place_of(f, row), view, scope);
}

static struct ref finding_about(const struct view_ctx *ctx, struct ref row)
{
	const struct finding *f = finding_of(ctx, ctx->scope, NULL);
	const struct finding *symptom = finding_of(ctx, row, NULL);
	struct ref at = {.kind = REF_NONE};

	if (symptom)
		return symptom->at;
	if (f)
		at = place_of(f, row);
	return f && at.kind == REF_NONE ? f->at : at;
}

/* ---- panel ---- */

static void say_role(
	const struct view_ctx *ctx, const struct finding *f, int64_t closed, struct panel_line *out)
{
	const struct finding *root = finding_root(ctx->diag, f);
	char share[16], since[32], end[48] = "", because[300] = "", locator[240];

	(void)view_hms(ctx, f->first_seen_us, since, sizeof(since));
	if (closed) {
		char when[32];

		(void)str_printf(end, sizeof(end), ", closed at %s",
			view_hms(ctx, closed, when, sizeof(when)));
	}
	if (root != f) {
		finding_locator(ctx->model, root, locator, sizeof(locator));
		(void)str_printf(because, sizeof(because), ", follows from %s", locator);
	}
	panel_say(out, closed ? ROLE_DIM : role_of_finding(ctx, f), finding_role_name(f->role),
		"%s sure, since %s%s%s",
		str_share((double)f->confidence, "%", share, sizeof(share)), since, end, because);
}

static void say_impact(const struct finding *f, struct panel_line *out)
{
	char blame[48] = "", rate[24];

	if (f->blame_gbps > 0)
		(void)str_printf(blame, sizeof(blame), ", %s lost",
			str_bitrate((double)f->blame_gbps * 1e9, rate, sizeof(rate)));
	panel_say(out, ROLE_NORMAL, "impact", "%u GPU%s blocked, %u slowed, %u victim%s%s",
		f->gpus_blocked, str_plural(f->gpus_blocked), f->gpus_slow, f->nvictims,
		str_plural(f->nvictims), blame);
}

static int finding_panel(const struct view_ctx *ctx, struct region r)
{
	int64_t closed;
	const struct finding *f = finding_of(ctx, ctx->scope, &closed);
	struct panel_line lines[9];
	struct recurrence again;
	char text[320];
	size_t n = 0;

	if (!f)
		return 0;
	panel_say(&lines[n++], role_of_finding(ctx, f), severity_word(f->severity), "%s: %s",
		finding_info[f->id].name, f->title);
	panel_say(&lines[n++], ROLE_ACCENT, "where", "%s", ends_text(ctx, f, text, sizeof(text)));
	if (stands_text(ctx->model, f, text, sizeof(text))[0])
		panel_say(&lines[n++], ROLE_NORMAL, "rack", "%s", text);
	say_role(ctx, f, closed, &lines[n++]);
	say_impact(f, &lines[n++]);
	if (finding_recurrence(ctx->model, f, ctx->now_us, &again))
		panel_say(&lines[n++], ROLE_NORMAL, "returns", "%s",
			recurrence_words(&again, text, sizeof(text)));
	if (finding_acked(f, ctx->now_us))
		panel_say(&lines[n++], ROLE_DIM, "", "%s", ack_text(ctx, f, text, sizeof(text)));
	panel_say(&lines[n++], ROLE_DIM, "means", "%s", finding_info[f->id].help);
	return panel_draw(r, lines, n);
}

static const char *finding_empty(const struct view_ctx *ctx)
{
	if (!finding_of(ctx, ctx->scope, NULL))
		return "this finding is closed: go back to the list";
	return "this finding has no evidence to show";
}

const struct view_ops view_finding = {
	.name = "finding",
	.title = "finding",
	.help = "One finding with all its evidence. Each number for or against it has its limit "
		"and its source. Then come the explanations that were ruled out, the next steps, "
		"the victims and the symptoms. Enter leads to the row's port, device, rank or "
		"view.",
	.scope = REF_FINDING,
	.columns = columns,
	.ncolumns = FINDING_COLUMNS,
	.rows = finding_rows,
	.cell = finding_cell,
	.enter = finding_enter,
	.about = finding_about,
	.panel = finding_panel,
	.empty = finding_empty,
};
