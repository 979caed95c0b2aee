/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/diag_rows.h"
#include "views/panels/finding_text.h"

enum findings_column {
	FINDINGS_FOLD,
	FINDINGS_STATE,
	FINDINGS_CONFIDENCE,
	FINDINGS_ROLE,
	FINDINGS_WHAT,
	FINDINGS_WHERE,
	FINDINGS_BLOCKED,
	FINDINGS_SINCE,
	FINDINGS_VICTIMS,
	FINDINGS_BLAME,
	FINDINGS_SLOW,
	FINDINGS_PEER,
	FINDINGS_ACK,
	FINDINGS_TITLE,
	FINDINGS_COLUMNS
};

static const struct table_column columns[FINDINGS_COLUMNS] = {
	[FINDINGS_FOLD] = {"symptoms", "+", 4, 0, 0, false,
		"Number of symptoms that follow from it: + folded, - shown below (Space)"},
	[FINDINGS_STATE] = {"state", "state", 5, 0, 0, false, "ok, WARN or CRIT"},
	[FINDINGS_CONFIDENCE] = {"confidence", "conf", 4, 0, 0, true, "Confidence in per cent"},
	[FINDINGS_ROLE] = {"role", "role", 7, 0, 0, false,
		"culprit: the cause; symptom: follows from another finding; victim: affected only; "
		"risk: no impact now; info"},
	[FINDINGS_WHAT] = {"what", "what", 21, 1, 0, false, "Name of the finding"},
	[FINDINGS_WHERE] = {"where", "where", 21, 1, 0, false, "Place of the finding"},
	[FINDINGS_BLOCKED] = {"blocked", "GPUs", 5, 0, 1, true,
		"GPUs of jobs that stand still because of it"},
	[FINDINGS_SINCE] = {"since", "since", 10, 0, 2, false,
		"Time when it was first seen, UTC unless a zone was set; the date after half a "
		"day"},
	[FINDINGS_VICTIMS] = {"victims", "victims", 7, 0, 2, true, "Ports paused because of it"},
	[FINDINGS_BLAME] = {"blame", "cap lost", 8, 0, 2, true,
		"Capacity lost: bit/s that its pauses take away"},
	[FINDINGS_SLOW] = {"slow", "slow", 5, 0, 3, true, "GPUs of jobs that it slows"},
	[FINDINGS_PEER] = {"peer", "peer", 21, 1, 3, false, "The other end of the link"},
	[FINDINGS_ACK] = {"ack", "ack", 16, 0, 4, false,
		"Acknowledged until, by, reason (command ack)"},
	[FINDINGS_TITLE] = {"title", "title", 24, 6, 2, false, "Description"},
};

/* ---- rows ---- */

static int by_root(const void *pa, const void *pb)
{
	const struct folded *a = pa, *b = pb;

	if (a->root != b->root)
		return a->root < b->root ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Collects the symptoms by their root, so that each lookup is a binary search. */
static void collect_folded(struct diag_rows *d, const struct diag *diag)
{
	size_t n;
	const struct finding *const *all = diag_findings(diag, &n);

	d->folded.n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct finding *root = finding_root(diag, all[i]);

		if (root != all[i])
			vec_push(&d->folded, (struct folded){root->key, all[i]->key, (uint32_t)i});
	}
	if (d->folded.n)
		qsort(d->folded.at, d->folded.n, sizeof(d->folded.at[0]), by_root);
}

/* The first of the root's symptoms; *n is their number. */
static const struct folded *folded_of(const struct diag_rows *d, uint64_t root, size_t *n)
{
	size_t low = 0, high = d->folded.n, end;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (d->folded.at[mid].root < root)
			low = mid + 1;
		else
			high = mid;
	}
	for (end = low; end < d->folded.n && d->folded.at[end].root == root; end++)
		;
	*n = end - low;
	return d->folded.at ? d->folded.at + low : NULL;
}

static void findings_rows(const struct view_ctx *ctx, row_vec *out)
{
	struct diag_rows *d = diag_rows_of(ctx);
	const struct finding *const *all;
	size_t n, m;

	if (!ctx->diag)
		return;
	all = diag_findings(ctx->diag, &n);
	if (d)
		collect_folded(d, ctx->diag);
	for (size_t i = 0; i < n; i++) {
		const struct folded *below;

		if (d && finding_root(ctx->diag, all[i]) != all[i])
			continue;
		vec_push(out, ref_of_finding(all[i]->key));
		if (!d || !fold_set_has(&d->roots, all[i]->key))
			continue;
		below = folded_of(d, all[i]->key, &m);
		for (size_t s = 0; s < m; s++)
			vec_push(out, ref_of_finding(below[s].key));
	}
}

/* ---- cells ---- */

static void cell_fold(
	const struct view_ctx *ctx, const struct finding *f, bool root, struct view_cell *out)
{
	const struct diag_rows *d = diag_rows_of(ctx);
	size_t n = 0;

	if (d)
		(void)folded_of(d, f->key, &n);
	if (!root)
		cell_text(out, ROLE_DIM, "  %s", glyph(ctx->term, GLYPH_BRANCH_LAST));
	else if (n)
		cell_text(
			out, ROLE_ACCENT, "%c%zu", fold_set_has(&d->roots, f->key) ? '-' : '+', n);
	else
		cell_text(out, ROLE_DIM, "%s", "");
	out->number = (double)n;
	out->has_number = true;
}

static void cell_some(struct view_cell *out, double v, bool bad)
{
	if (v <= 0)
		cell_text(out, ROLE_DIM, "%s", "");
	else if (bad)
		cell_count_bad(out, v);
	else
		cell_rate(out, v);
	out->number = v;
	out->has_number = true;
}

static void cell_place(const struct view_ctx *ctx, struct ref at, struct view_cell *out)
{
	char text[160];

	if (at.kind != REF_NONE)
		cell_text(out, ROLE_NORMAL, "%s", place_text(ctx, at, text, sizeof(text)));
}

/* "ended 10 s ago: ", or "" while it is there. */
static const char *ended_text(
	const struct view_ctx *ctx, const struct finding *f, char *dst, size_t size)
{
	int64_t ended = finding_ended_us(f);

	dst[0] = '\0';
	if (ended && ctx->now_us >= ended)
		(void)str_printf(dst, size,
			"ended %lld s ago: ", (long long)((ctx->now_us - ended) / CLOCK_SEC));
	return dst;
}

static void cell_measure(
	const struct view_ctx *ctx, const struct finding *f, size_t col, struct view_cell *out)
{
	char text[200];

	switch (col) {
	case FINDINGS_BLOCKED:
		cell_some(out, f->gpus_blocked, true);
		break;
	case FINDINGS_SLOW:
		cell_some(out, f->gpus_slow, true);
		break;
	case FINDINGS_VICTIMS:
		cell_some(out, f->nvictims, false);
		break;
	case FINDINGS_BLAME:
		cell_some(out, (double)f->blame_gbps * 1e9, false);
		break;
	case FINDINGS_SINCE:
		cell_moment(ctx, f->first_seen_us, out);
		break;
	case FINDINGS_ACK:
		cell_text(out, ROLE_DIM, "%s", ack_text(ctx, f, text, sizeof(text)));
		break;
	case FINDINGS_TITLE:
		cell_text(
			out, ROLE_NORMAL, "%s%s", ended_text(ctx, f, text, sizeof(text)), f->title);
		break;
	default:
		break;
	}
}

static void findings_cell(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct finding *f = finding_of(ctx, row, NULL);
	bool root;
	char text[16];

	cell_unknown(out, VALID_UNKNOWN);
	if (!f)
		return;
	root = finding_root(ctx->diag, f) == f;
	switch (col) {
	case FINDINGS_FOLD:
		cell_fold(ctx, f, root, out);
		break;
	case FINDINGS_STATE:
		cell_severity(out, (struct health){.severity = f->severity});
		break;
	case FINDINGS_CONFIDENCE:
		cell_text(out, ROLE_NORMAL, "%s",
			str_share((double)f->confidence, "%", text, sizeof(text)));
		out->number = (double)f->confidence * 100;
		out->has_number = true;
		break;
	case FINDINGS_ROLE:
		cell_text(out, f->role == ROLE_CULPRIT ? role_of_finding(ctx, f) : ROLE_NORMAL,
			"%s", finding_role_name(f->role));
		break;
	case FINDINGS_WHAT:
		cell_text(out, role_of_finding(ctx, f), "%s", finding_info[f->id].name);
		break;
	case FINDINGS_WHERE:
		cell_place(ctx, f->at, out);
		break;
	case FINDINGS_PEER:
		cell_place(ctx, f->peer, out);
		break;
	default:
		cell_measure(ctx, f, col, out);
		break;
	}
	if (finding_acked(f, ctx->now_us))
		out->role = ROLE_DIM;
}

static bool findings_enter(
	const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	if (!finding_of(ctx, row, NULL))
		return false;
	*view = "finding";
	*scope = row;
	return true;
}

static struct ref findings_about(const struct view_ctx *ctx, struct ref row)
{
	const struct finding *f = finding_of(ctx, row, NULL);

	return f ? f->at : (struct ref){.kind = REF_NONE};
}

/* Depends on the diagnosis run, because a finding's numbers may change with any run. */
static uint64_t findings_stamp(const struct view_ctx *ctx, struct ref row)
{
	const struct finding *f = finding_of(ctx, row, NULL);

	if (!f || !ctx->cache)
		return 0;
	return (diag_generation(ctx->diag) * UINT64_C(0x9e3779b97f4a7c15) ^
		       (uint64_t)f->last_seen_us) |
	       1;
}

/* ---- panel: the verdict, then the evidence for the row under the cursor ---- */

#define PANEL_LINES 24

static size_t selected_lines(const struct view_ctx *ctx, struct panel_line *out, size_t max)
{
	const struct finding *f = finding_of(ctx, ctx->cursor, NULL);
	size_t n = 0, most;
	char ack[160];

	if (!f || max < 2)
		return 0;
	panel_say(&out[n++], ROLE_TITLE, "finding", "%s", f->title);
	if (finding_acked(f, ctx->now_us) && max > 2)
		panel_say(&out[n++], ROLE_DIM, "", "%s", ack_text(ctx, f, ack, sizeof(ack)));
	/* The next step is more important than the last of the evidence. */
	most = max - 2;
	for (size_t i = 0; i < f->evidence.n && n <= most; i++)
		evidence_line(ctx, &f->evidence.at[i], &out[n++]);
	for (size_t i = 0; i < f->refuted.n && n <= most; i++)
		refuted_line(ctx, &f->refuted.at[i], &out[n++]);
	next_line(f, &out[n++]);
	return n;
}

static int findings_panel(const struct view_ctx *ctx, struct region r)
{
	struct panel_line lines[PANEL_LINES];
	/* The table is the main part, so the panel gets at most half of the lines. */
	size_t max = (size_t)(r.h / 2), n = 0;

	if (!ctx->diag || r.h < 1)
		return 0;
	if (max > PANEL_LINES)
		max = PANEL_LINES;
	verdict_line(ctx, diag_verdict(ctx->diag), &lines[n++]);
	if (max > n)
		n += selected_lines(ctx, lines + n, max - n);
	return panel_draw(r, lines, n);
}

static const char *findings_empty(const struct view_ctx *ctx)
{
	struct coverage c = model_coverage(ctx->model);

	if (!ctx->diag)
		return "nothing is diagnosed here: the data is a plain snapshot";
	if (!c.by_state[DEV_FRESH])
		return "no finding is open, but no device is fresh: the state of the fabric is "
		       "unknown";
	return "no finding is open: the line above says how much of the fabric was seen";
}

const struct view_ops view_findings = {
	.name = "findings",
	.title = "findings",
	.help = "Open findings, the most likely root first. Symptoms are folded below their root "
		"(Space). A victim is never a culprit. conf is the confidence; GPUs is the number "
		"of GPUs that stand still. Enter shows all evidence, and t traces the path. a "
		"acknowledges: the row is dim and at the end until the time is over or the finding "
		"gets worse. Above the table stand the verdict and the evidence of the row under "
		"the cursor.",
	.scope = REF_NONE,
	.columns = columns,
	.ncolumns = FINDINGS_COLUMNS,
	.rows = findings_rows,
	.cell = findings_cell,
	.stamp = findings_stamp,
	.enter = findings_enter,
	.about = findings_about,
	.panel = findings_panel,
	.empty = findings_empty,
};
