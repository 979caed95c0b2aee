/* SPDX-License-Identifier: Apache-2.0 */
#include "views/columns/columns.h"
#include "views/panels/panel.h"

#define COLUMNS(X)                                                                                 \
	X(NAME)                                                                                    \
	X(TIER)                                                                                    \
	X(STATE)                                                                                   \
	SUMMARY_COLUMNS(X)
static const struct table_column columns[] = {COLUMNS(AS_COLUMN)};
static const enum column kinds[] = {COLUMNS(AS_KIND)};

static void rail_rows(const struct view_ctx *ctx, row_vec *out)
{
	static const enum tier tiers[] = {TIER_LEAF, TIER_SPINE, TIER_SUPERSPINE};
	const struct model *m = ctx->model;

	if (ctx->scope.kind != REF_RAIL)
		return;
	for (size_t t = 0; t < sizeof(tiers) / sizeof(tiers[0]); t++)
		for (size_t i = 0; i < m->devices.n; i++) {
			const struct device *d = m->devices.at[i];

			if (d->tier == tiers[t] && device_serves_rail(m, d, ctx->scope.rail))
				vec_push(out, ref_of_device(d));
		}
}

static void rail_cell(const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct device *d = view_device_of(ctx, row);

	if (d && col < sizeof(kinds) / sizeof(kinds[0]))
		device_column(ctx, d, kinds[col], out);
	else
		cell_unknown(out, VALID_UNKNOWN);
}

static bool rail_enter(
	const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	if (!view_device_of(ctx, row))
		return false;
	*view = "leaf";
	*scope = row;
	return true;
}

static int rail_panel(const struct view_ctx *ctx, struct region r)
{
	struct panel_line line;

	if (ctx->scope.kind != REF_RAIL)
		return 0;
	panel_rail_line(ctx, ctx->scope.rail, &line);
	return panel_draw(r, &line, 1);
}

static const char *rail_empty(const struct view_ctx *ctx)
{
	return ctx->scope.kind == REF_RAIL ? "no switch of the inventory belongs to this rail"
					   : "choose a rail: type rail 3 in the palette";
}

const struct view_ops view_rail = {
	.name = "rail",
	.title = "rail",
	.help = "The leaves of one rail and the spines that serve it. rx and tx are the traffic of "
		"the ports to the tier below, up% is the load of the uplinks. paused, ber and rx "
		"dBm are those of the worst port. cnp counts the CNPs of the NICs below. All "
		"leaves of a rail should look the same: open the one that differs with Enter.",
	.scope = REF_RAIL,
	.columns = columns,
	.ncolumns = sizeof(columns) / sizeof(columns[0]),
	.rows = rail_rows,
	.cell = rail_cell,
	.enter = rail_enter,
	.panel = rail_panel,
	.empty = rail_empty,
};
