/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"
#include "views/panels/cluster_panel.h"
#include "views/columns/columns.h"
#include "views/panels/cause.h"

#define COLUMNS(X)                                                                                 \
	X(NAME)                                                                                    \
	X(STATE)                                                                                   \
	X(LEAVES)                                                                                  \
	SUMMARY_COLUMNS(X)
static const struct table_column columns[] = {COLUMNS(AS_COLUMN)};
static const enum column kinds[] = {COLUMNS(AS_KIND)};

/* The rails, then the switches without a rail, so that Enter leads to every device. */
static void cluster_rows(const struct view_ctx *ctx, row_vec *out)
{
	const struct model *m = ctx->model;

	for (int rail = 0; rail < view_rails(m); rail++)
		vec_push(out, ref_of_rail(rail));
	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];

		if (d->tier != TIER_HOST && d->rail < 0)
			vec_push(out, ref_of_device(d));
	}
}

/* Whether a leaf of the rail has the cause: its rail stands out among those of the victims. */
static bool cause_in_rail(const struct view_ctx *ctx, int rail)
{
	const struct finding *f = cause_finding(ctx);
	const struct device *at = f ? ref_device(ctx->model, f->at) : NULL;
	const struct device *peer = f ? ref_device(ctx->model, f->peer) : NULL;

	return (at && at->tier == TIER_LEAF && at->rail == rail) ||
	       (peer && peer->tier == TIER_LEAF && peer->rail == rail);
}

static void cell_rail(const struct view_ctx *ctx, int rail, enum column col, struct view_cell *out)
{
	struct summary s;

	if (col == COL_NAME) {
		cell_text(out, ROLE_NORMAL, "rail %d", rail);
		return;
	}
	if (col == COL_STATE && cause_in_rail(ctx, rail)) {
		cell_text(out, ROLE_CRIT, "CAUSE");
		return;
	}
	summary_rail(ctx, rail, &s);
	if (col == COL_STATE && ctx->folded && cause_victim(ctx, NULL, &s.health)) {
		cell_severity_victim(out, s.health);
		return;
	}
	summary_column(ctx, &s, col, out);
}

static void cluster_cell(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct device *d = view_device_of(ctx, row);

	if (col >= sizeof(kinds) / sizeof(kinds[0]))
		cell_unknown(out, VALID_UNKNOWN);
	else if (row.kind == REF_RAIL)
		cell_rail(ctx, row.rail, kinds[col], out);
	else if (d)
		cause_device_column(ctx, d, kinds[col], out);
	else
		cell_unknown(out, VALID_UNKNOWN);
}

static bool cluster_enter(
	const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	if (row.kind != REF_RAIL && !view_device_of(ctx, row))
		return false;
	*view = row.kind == REF_RAIL ? "rail" : "leaf";
	*scope = row;
	return true;
}

static const char *cluster_empty(const struct view_ctx *ctx)
{
	return ctx->model->devices.n
		       ? "the inventory has no rail and no switch: see the views hosts and devices"
		       : "the inventory has no device";
}

const struct view_ops view_cluster = {
	.name = "cluster",
	.title = "cluster",
	.help = "The whole fabric: the verdict, the devices seen against those planned, and the "
		"age of the data. The map shows all leaves by rail: the number of bad ports and "
		"the worst severity (W or C; v: victims of the cause alone; ok; ? unknown). Below "
		"it are the worst problems now, "
		"and a row a rail. Rails do the same work in a collective, so they should look the "
		"same. Enter leads to the rail.",
	.scope = REF_NONE,
	.columns = columns,
	.ncolumns = sizeof(columns) / sizeof(columns[0]),
	.rows = cluster_rows,
	.cell = cluster_cell,
	.enter = cluster_enter,
	.panel = cluster_panel,
	.empty = cluster_empty,
};
