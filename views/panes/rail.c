/* SPDX-License-Identifier: Apache-2.0 */
#include "views/columns/columns.h"
#include "views/panels/cause.h"
#include "views/common.h"
#include "views/panels/panel.h"
#include "views/summary.h"

#define COLUMNS(X)                                                                                 \
	X(NAME)                                                                                    \
	X(TIER)                                                                                    \
	X(STATE)                                                                                   \
	SUMMARY_COLUMNS(X)
static const struct table_column columns[] = {COLUMNS(AS_COLUMN)};
static const enum column kinds[] = {COLUMNS(AS_KIND)};

/* Without access to the switches a rail is its NICs. */
static void nic_rows(const struct view_ctx *ctx, row_vec *out)
{
	const struct model *m = ctx->model;

	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];

		for (size_t k = 0; d->tier == TIER_HOST && k < d->ports.n; k++) {
			const struct port *p = m->ports.at[d->ports.at[k]];

			if (p->rail == ctx->scope.rail && !p->merged)
				vec_push(out, ref_of_port(p));
		}
	}
}

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
	if (!out->n)
		nic_rows(ctx, out);
}

static void cell_nic(
	const struct view_ctx *ctx, const struct port *p, enum column col, struct view_cell *out)
{
	char name[2 * NAME_MAX_LEN];
	struct summary s;

	if (col == COL_NAME) {
		cell_text(out, ROLE_NORMAL, "%s", port_locator(ctx->model, p, name, sizeof(name)));
	} else if (col == COL_TIER) {
		cell_text(out, ROLE_NORMAL, "%s", tier_name(TIER_HOST));
	} else {
		summary_nic(ctx, p, &s);
		summary_column(ctx, &s, col, out);
	}
}

static void rail_cell(const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct device *d = view_device_of(ctx, row);
	const struct port *p = row.kind == REF_PORT ? ref_port(ctx->model, row) : NULL;

	if (p && col < sizeof(kinds) / sizeof(kinds[0]))
		cell_nic(ctx, p, kinds[col], out);
	else if (d && col < sizeof(kinds) / sizeof(kinds[0]))
		cause_device_column(ctx, d, kinds[col], out);
	else
		cell_unknown(out, VALID_UNKNOWN);
}

static bool rail_enter(
	const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	if (row.kind == REF_PORT) {
		*view = "port";
		*scope = row;
		return true;
	}
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
	return ctx->scope.kind == REF_RAIL
		       ? "no switch or NIC of the inventory belongs to this rail"
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
