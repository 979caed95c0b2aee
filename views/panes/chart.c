/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "views/chart/chart.h"
#include "views/common.h"

enum chart_column {
	CHART_SIGN,
	CHART_PLACE,
	CHART_COUNTER,
	CHART_AT,
	CHART_MEAN,
	CHART_MOST,
	CHART_LEAST,
	CHART_NOTE,
	CHART_COLUMNS
};

static const struct table_column columns[CHART_COLUMNS] = {
	[CHART_SIGN] = {"sign", "#", 2, 0, 0, false, "The sign or the colour of the line"},
	[CHART_PLACE] = {"place", "place", 26, 2, 0, false,
		"Port and priority or lane; of a device, rail or job the sum over its ports"},
	[CHART_COUNTER] = {"counter", "counter", 18, 1, 1, false, "Counter that is drawn"},
	[CHART_AT] = {"at", "at cursor", 10, 0, 0, true,
		"Value at the time of the cursor; without a cursor, the newest one"},
	[CHART_MEAN] = {"mean", "mean", 9, 0, 2, true, "Mean of the shown time"},
	[CHART_MOST] = {"most", "most", 9, 0, 1, true, "Greatest value of the shown time"},
	[CHART_LEAST] = {"least", "least", 9, 0, 3, true, "Least value of the shown time"},
	[CHART_NOTE] = {"note", "note", 10, 1, 4, false,
		"Why there is no line, or how many ports the sum has"},
};

/* Columns of the values in the table; the drawing has as many as the screen. */
#define READ_COLUMNS 200U

static void chart_rows(const struct view_ctx *ctx, row_vec *out)
{
	for (size_t i = 0; ctx->chart && i < ctx->chart->n; i++)
		vec_push(out, (struct ref){.kind = REF_ROW, .seq = i});
}

static void cell_value(const struct view_ctx *ctx, counter_id id, double v, struct view_cell *out)
{
	char text[32];

	if (isnan(v))
		return;
	cell_text(out, ROLE_NORMAL, "%s", chart_value_text(ctx, id, v, text, sizeof(text)));
	out->number = v;
	out->has_number = true;
}

static void cell_note(counter_id id, const struct chart_values *v, struct view_cell *out)
{
	if (!v->known)
		cell_text(out, ROLE_DIM, "no history: it never moved, or is not kept");
	else if (v->of > 1)
		cell_text(out, ROLE_DIM, "%s of %u of %u ports",
			chart_is_reading(id) ? "worst" : "sum", v->ports, v->of);
	else
		cell_text(out, ROLE_DIM, "%s", "");
}

static void chart_cell(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct chart *c = ctx->chart;
	const struct chart_series *s;
	struct chart_window w;
	struct chart_values v;
	char text[200];
	size_t i = row.kind == REF_ROW ? (size_t)row.seq : SIZE_MAX;

	cell_unknown(out, VALID_UNKNOWN);
	if (!c || i >= c->n)
		return;
	s = &c->series[i];
	if (col == CHART_SIGN) {
		cell_text(out, plot_role(i), "%s",
			plot_sign(plot_style(ctx->term, c->choice, c->n), i));
		return;
	}
	if (col == CHART_PLACE || col == CHART_COUNTER) {
		cell_text(out, ROLE_NORMAL, "%s",
			col == CHART_PLACE ? chart_place_text(ctx, s, text, sizeof(text))
					   : chart_info(s->id)->name);
		return;
	}
	w = chart_window(c, ctx->now_us, READ_COLUMNS);
	chart_read(ctx, c, i, &w, &v);
	switch (col) {
	case CHART_AT:
		cell_value(ctx, s->id, v.at_cursor, out);
		break;
	case CHART_MEAN:
		cell_value(ctx, s->id, v.average, out);
		break;
	case CHART_MOST:
		cell_value(ctx, s->id, v.most, out);
		break;
	case CHART_LEAST:
		cell_value(ctx, s->id, v.least, out);
		break;
	case CHART_NOTE:
		cell_note(s->id, &v, out);
		break;
	default:
		break;
	}
}

static bool chart_enter(
	const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	size_t i = row.kind == REF_ROW ? (size_t)row.seq : SIZE_MAX;
	const struct view_ops *v;

	if (!ctx->chart || i >= ctx->chart->n)
		return false;
	v = view_for_ref(ctx->model, ctx->chart->series[i].at);
	if (!v)
		return false;
	*view = v->name;
	*scope = ctx->chart->series[i].at;
	return true;
}

static struct ref chart_about(const struct view_ctx *ctx, struct ref row)
{
	size_t i = row.kind == REF_ROW ? (size_t)row.seq : SIZE_MAX;

	return ctx->chart && i < ctx->chart->n ? ctx->chart->series[i].at : (struct ref){0};
}

/* The table keeps a line a series; all other lines are the plot's. */
static int chart_panel(const struct view_ctx *ctx, struct region r)
{
	int keeps = ctx->chart ? (int)ctx->chart->n - 4 : 0;

	if (keeps > 0)
		r.h -= keeps;
	return chart_draw(ctx, r);
}

static const char *chart_empty(const struct view_ctx *ctx)
{
	(void)ctx;
	return "no counter is charted: v on a port, a finding or a device, or :chart PLACE";
}

const struct view_ops view_chart = {
	.name = "chart",
	.title = "chart",
	.help = "Counters over time: v opens the chart of what the cursor is on. m changes the "
		"counter, a adds a port or a counter, d drops a line, + and - zoom, L is a "
		"logarithmic scale. Left and Right move the cursor over the time, and Enter shows "
		"all views at that moment. Events of the ports are marks below the lines. A line "
		"with a gap was not known there; series with another unit have a scale of their "
		"own.",
	.scope = REF_NONE,
	.columns = columns,
	.ncolumns = CHART_COLUMNS,
	.rows = chart_rows,
	.cell = chart_cell,
	.enter = chart_enter,
	.about = chart_about,
	.panel = chart_panel,
	.empty = chart_empty,
};
