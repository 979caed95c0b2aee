/* SPDX-License-Identifier: Apache-2.0 */
#include "views/columns/columns.h"
#include "views/panels/panel.h"

#define FIRST(X)                                                                                   \
	X(PORT)                                                                                    \
	PORT_TRAFFIC_COLUMNS(X)                                                                    \
	X(DROPS)                                                                                   \
	X(FLAPS)                                                                                   \
	X(FEC)                                                                                     \
	X(BER)                                                                                     \
	X(FEC_BINS)                                                                                \
	X(OPTICS)                                                                                  \
	X(WD)                                                                                      \
	X(ORDER)                                                                                   \
	X(RAIL)                                                                                    \
	X(PEER_RACK)
#define LAST(X)                                                                                    \
	X(TREND)                                                                                   \
	X(WHY)

static const struct table_column columns[] = {FIRST(AS_COLUMN)
#define SWITCH_COLUMN AS_COUNTER_COLUMN
#define SINCE_COLUMN  AS_COUNTER_COLUMN
#include "views/columns/columns.def"
		LAST(AS_COLUMN)};
static const enum column kinds[] = {FIRST(AS_KIND)
#define SWITCH_COLUMN AS_COUNTER_KIND
#define SINCE_COLUMN  AS_COUNTER_KIND
#include "views/columns/columns.def"
		LAST(AS_KIND)};

static void leaf_cell(const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	port_row_cell(ctx, row, kinds, sizeof(kinds) / sizeof(kinds[0]), col, out);
}

const struct view_ops view_leaf = {
	.name = "leaf",
	.title = "ports",
	.help = "The ports of one switch. state is the verdict of fixed rules, and why names the "
		"worst of them. paused rx: the port is paused by its peer. paused tx: the port "
		"pauses its peer. order says whether ECN or PFC acts first. cnp counts the CNPs "
		"that the NIC at the other end sends. Enter "
		"shows both ends of a link.",
	.scope = REF_DEVICE,
	.columns = columns,
	.ncolumns = sizeof(columns) / sizeof(columns[0]),
	.rows = device_port_rows,
	.cell = leaf_cell,
	.enter = enter_port,
	.panel = panel_device,
	.empty = device_ports_empty,
};
