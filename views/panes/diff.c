/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "views/panels/finding_text.h"

enum diff_column {
	DIFF_COL_STATE,
	DIFF_COL_KIND,
	DIFF_COL_WHERE,
	DIFF_COL_WHAT,
	DIFF_COL_BEFORE,
	DIFF_COL_AFTER,
	DIFF_COL_WAY,
	DIFF_COL_BANDS,
	DIFF_COL_COLUMNS
};

static const struct table_column columns[DIFF_COL_COLUMNS] = {
	[DIFF_COL_STATE] = {"state", "state", 5, 0, 0, false,
		"How much it matters: CRIT, WARN or ok"},
	[DIFF_COL_KIND] = {"kind", "kind", 7, 0, 0, false,
		"device, link, speed, config, wiring, finding or counter"},
	[DIFF_COL_WHERE] = {"where", "where", 22, 1, 0, false, "Place of the change"},
	[DIFF_COL_WHAT] = {"what", "what", 16, 1, 0, false,
		"The setting, state, finding or counter that changed"},
	[DIFF_COL_BEFORE] = {"before", "before", 12, 2, 0, false,
		"Value before; -: unknown or absent"},
	[DIFF_COL_AFTER] = {"after", "after", 12, 2, 0, false, "Value after; -: unknown or absent"},
	[DIFF_COL_WAY] = {"way", "way", 8, 0, 2, false,
		"lower: the counter fell; improved: a state or setting got better; worse"},
	[DIFF_COL_BANDS] = {"bands", "bands", 6, 0, 3, true,
		"Of a counter: distance of its rate from its usual band, in widths of the band"},
};

static const struct difference *row_of(const struct view_ctx *ctx, struct ref row)
{
	const struct differences *d = ctx->differences;

	if (!d || !d->list || row.kind != REF_ROW || row.seq >= d->list->n)
		return NULL;
	return &d->list->at[row.seq];
}

static void diff_rows(const struct view_ctx *ctx, row_vec *out)
{
	const struct differences *d = ctx->differences;

	for (size_t i = 0; d && d->list && i < d->list->n; i++)
		vec_push(out, (struct ref){.kind = REF_ROW, .seq = i});
}

static enum severity severity_of(const struct difference *d)
{
	return d->severity < SEV_COUNT ? (enum severity)d->severity : SEV_UNKNOWN;
}

/* An improvement is shown without alarm. */
static enum role role_of(const struct difference *d)
{
	return d->better ? ROLE_OK : role_of_severity(severity_of(d));
}

static void cell_word(struct view_cell *out, enum role role, const char *text)
{
	if (text[0] && !str_eq(text, "-"))
		cell_text(out, role, "%s", text);
}

static void diff_cell(const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct difference *d = row_of(ctx, row);

	cell_unknown(out, VALID_UNKNOWN);
	if (!d)
		return;
	switch (col) {
	case DIFF_COL_STATE:
		cell_severity(out, (struct health){.severity = severity_of(d)});
		break;
	case DIFF_COL_KIND:
		if (d->kind < DIFF_KIND_COUNT)
			cell_word(out, ROLE_NORMAL,
				difference_kind_name((enum difference_kind)d->kind));
		break;
	case DIFF_COL_WHERE:
		cell_word(out, ROLE_NORMAL, d->place);
		break;
	case DIFF_COL_WHAT:
		cell_word(out, ROLE_NORMAL, d->what);
		break;
	case DIFF_COL_BEFORE:
		cell_word(out, ROLE_NORMAL, d->before);
		break;
	case DIFF_COL_AFTER:
		cell_word(out, role_of(d), d->after);
		break;
	case DIFF_COL_WAY:
		cell_text(out, d->better ? ROLE_OK : ROLE_NORMAL, "%s",
			d->better ? d->kind == DIFF_COUNTER ? "lower" : "improved"
			: severity_of(d) >= SEV_WARN ? "worse"
						     : "");
		break;
	case DIFF_COL_BANDS:
		if (isnan(d->number))
			break;
		cell_text(out, ROLE_NORMAL, "%s", STR_NUMBER(d->number));
		out->number = d->number;
		out->has_number = true;
		break;
	default:
		break;
	}
}

/* Finds the object by its name: the list may be of another recording than the shown model. */
static struct ref diff_about(const struct view_ctx *ctx, struct ref row)
{
	const struct difference *d = row_of(ctx, row);
	struct ref at;

	if (d && d->place[0] && ref_parse(ctx->model, d->place, &at, NULL))
		return at;
	return (struct ref){.kind = REF_NONE};
}

static bool diff_enter(
	const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	return enter_place(ctx, diff_about(ctx, row), view, scope);
}

static int diff_panel(const struct view_ctx *ctx, struct region r)
{
	const struct differences *d = ctx->differences;
	char from[40], to[40];
	struct panel_line line;
	size_t worse = 0, better = 0;

	if (!d || !d->list)
		return 0;
	for (size_t i = 0; i < d->list->n; i++) {
		better += d->list->at[i].better;
		worse += !d->list->at[i].better && severity_of(&d->list->at[i]) >= SEV_WARN;
	}
	differences_span(ctx, from, sizeof(from), to, sizeof(to));
	panel_say(&line, worse ? ROLE_WARN : ROLE_ACCENT, "diff",
		"%zu difference%s, %zu worse, %zu lower or improved, from %s to %s", d->list->n,
		str_plural(d->list->n), worse, better, from, to);
	return panel_draw(r, &line, 1);
}

static const char *diff_empty(const struct view_ctx *ctx)
{
	if (!ctx->differences)
		return "nothing has been compared yet: diff -5m compares with five minutes before";
	return "no difference was found";
}

const struct view_ops view_diff = {
	.name = "diff",
	.title = "diff",
	.help = "Differences between two moments or two recordings, the worst first. They are "
		"devices that came, went or restarted, links, speeds, settings, wiring, and "
		"findings that opened or closed. Counters are listed when their rate left its "
		"usual band. The command diff fills the view: diff -5m, diff 02:00:00 02:13:30. "
		"Enter opens the place.",
	.scope = REF_NONE,
	.columns = columns,
	.ncolumns = DIFF_COL_COLUMNS,
	.rows = diff_rows,
	.cell = diff_cell,
	.enter = diff_enter,
	.about = diff_about,
	.panel = diff_panel,
	.empty = diff_empty,
};
