/* SPDX-License-Identifier: Apache-2.0 */
#include "views/columns/columns.h"
#include "views/panels/panel.h"

#define FIRST(X)                                                                                   \
	X(NIC)                                                                                     \
	PORT_TRAFFIC_COLUMNS(X)
#define MIDDLE(X)                                                                                  \
	X(DROPS_NIC)                                                                               \
	X(FLAPS)                                                                                   \
	X(FEC)                                                                                     \
	X(BER)                                                                                     \
	X(FEC_BINS)                                                                                \
	X(OPTICS)                                                                                  \
	X(PCIE)                                                                                    \
	X(NETDEV)                                                                                  \
	X(NET)                                                                                     \
	X(RAIL)                                                                                    \
	X(PEER_RACK)
#define LAST(X)                                                                                    \
	X(TREND)                                                                                   \
	X(WHY)
/* Drops of a NIC are shown on wide screens only, unlike packets out of order. */
#define COLUMN_DROPS_NIC                                                                           \
	{                                                                                          \
		"drops", "drop/s", 6, 0, 2, true, "Packets lost per second in the NIC"             \
	}
#define COL_DROPS_NIC COL_DROPS
static const struct table_column columns[] = {FIRST(AS_COLUMN)
#define HOST_COLUMN AS_COUNTER_COLUMN
#include "views/columns/columns.def"
		MIDDLE(AS_COLUMN)
#define SINCE_COLUMN AS_COUNTER_COLUMN
#include "views/columns/columns.def"
			LAST(AS_COLUMN)};
static const enum column kinds[] = {FIRST(AS_KIND)
#define HOST_COLUMN AS_COUNTER_KIND
#include "views/columns/columns.def"
		MIDDLE(AS_KIND)
#define SINCE_COLUMN AS_COUNTER_KIND
#include "views/columns/columns.def"
			LAST(AS_KIND)};

static void host_cell(const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	port_row_cell(ctx, row, kinds, sizeof(kinds) / sizeof(kinds[0]), col, out);
}

const struct view_ops view_host = {
	.name = "host",
	.title = "NICs",
	.help = "The NICs of one host, one a rail. In a collective all of them do the same work, "
		"so look for the row that differs. oos and ackto are loss as the NIC sees it. cnp "
		"counts the CNPs that it sent because marked packets arrived; cnp rx counts those "
		"that slowed it down. Enter shows both ends of the link.",
	.scope = REF_DEVICE,
	.columns = columns,
	.ncolumns = sizeof(columns) / sizeof(columns[0]),
	.rows = device_port_rows,
	.cell = host_cell,
	.enter = enter_port,
	.panel = panel_host,
	.empty = device_ports_empty,
};
