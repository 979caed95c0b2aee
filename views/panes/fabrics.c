/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"
#include "views/panels/net_tiles.h"

enum fabrics_column {
	FABRICS_NAME,
	FABRICS_STATE,
	FABRICS_SWITCHES,
	FABRICS_HOSTS,
	FABRICS_PORTS,
	FABRICS_DOWN,
	FABRICS_LINKS,
	FABRICS_CRIT,
	FABRICS_WARN,
	FABRICS_WHY,
	FABRICS_COLUMNS
};

static const struct table_column columns[FABRICS_COLUMNS] = {
	[FABRICS_NAME] = {"network", "network", 9, 0, 0, false,
		"backend, storage, frontend, oob; unknown: ports of which neither the inventory "
		"nor "
		"a cable says the network"},
	[FABRICS_STATE] = {"state", "state", 7, 0, 0, false,
		"Worst of its findings and ports; unknown: not all of it was seen"},
	[FABRICS_SWITCHES] = {"switches", "switches", 9, 0, 0, true,
		"Switches seen, and of them all"},
	[FABRICS_HOSTS] = {"hosts", "hosts", 9, 0, 0, true,
		"Hosts seen with a port in it, and of them all"},
	[FABRICS_PORTS] = {"ports", "ports up", 9, 0, 0, true,
		"Ports of hosts that are up, and all"},
	[FABRICS_DOWN] = {"down", "down", 5, 0, 0, true, "Ports of hosts that are down"},
	[FABRICS_LINKS] = {"links", "links", 11, 0, 2, true,
		"Links that LLDP shows as planned, and all planned; without a plan those that it "
		"shows"},
	[FABRICS_CRIT] = {"crit", "crit", 5, 0, 0, true, "Critical findings that are no symptoms"},
	[FABRICS_WARN] = {"warn", "warn", 5, 0, 2, true, "Warnings that are no symptoms"},
	[FABRICS_WHY] = {"why", "why", 20, 1, 1, false,
		"Its first finding, or why its state is not ok"},
};

static void fabrics_rows(const struct view_ctx *ctx, row_vec *out)
{
	const struct net_tile *t = net_tiles(ctx);

	for (unsigned k = 0; t && k <= NET_COUNT; k++)
		if (net_tile_exists(&t[k]))
			vec_push(out, (struct ref){.kind = REF_ROW, .seq = k});
}

static void cell_of(struct view_cell *out, unsigned part, unsigned all)
{
	if (!all) {
		cell_text(out, ROLE_DIM, "none");
		return;
	}
	cell_text(out, part < all ? ROLE_WARN : ROLE_NORMAL, "%u/%u%s", part, all,
		part < all ? "!" : "");
	out->number = part;
	out->has_number = true;
}

static void cell_number(struct view_cell *out, enum role role, unsigned n)
{
	cell_text(out, n ? role : ROLE_DIM, "%u%s", n, n && role != ROLE_NORMAL ? "!" : "");
	out->number = n;
	out->has_number = true;
}

static void cell_tile(const struct net_tile *t, unsigned net, size_t col, struct view_cell *out)
{
	const struct net_count *c = &t->count;

	switch (col) {
	case FABRICS_NAME:
		cell_text(out, ROLE_NORMAL, "%s", net_kind_name((enum net_kind)net));
		break;
	case FABRICS_STATE:
		cell_text(out, role_of_severity(t->severity), "%s",
			t->severity >= SEV_WARN ? severity_word(t->severity)
						: severity_name(t->severity));
		break;
	case FABRICS_SWITCHES:
		cell_of(out, c->switches_seen, c->switches);
		break;
	case FABRICS_HOSTS:
		cell_of(out, c->hosts_seen, c->hosts);
		break;
	case FABRICS_PORTS:
		cell_of(out, c->up, c->ports);
		break;
	case FABRICS_DOWN:
		cell_number(out, ROLE_CRIT, c->down);
		break;
	case FABRICS_LINKS:
		if (c->links)
			cell_of(out, c->found, c->links);
		else
			cell_number(out, ROLE_NORMAL, c->found);
		break;
	case FABRICS_CRIT:
		cell_number(out, ROLE_CRIT, t->crit);
		break;
	case FABRICS_WARN:
		cell_number(out, ROLE_WARN, t->warn);
		break;
	case FABRICS_WHY:
		if (t->worst[0] || t->why[0])
			cell_text(out, ROLE_NORMAL, "%s", t->worst[0] ? t->worst : t->why);
		break;
	default:
		break;
	}
}

static void fabrics_cell(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct net_tile *t = net_tiles(ctx);

	cell_unknown(out, VALID_UNKNOWN);
	if (t && row.kind == REF_ROW && row.seq <= NET_COUNT)
		cell_tile(&t[row.seq], (unsigned)row.seq, col, out);
}

const struct view_ops view_fabrics = {
	.name = "fabrics",
	.title = "networks of the site",
	.help = "The networks of the site, each counted and judged apart: the backend of the GPUs, "
		"storage, frontend and out-of-band. The network of a port is that of nets: in the "
		"inventory, else of its switch. A network is ok only if all of it was seen. GPUs "
		"count as blocked through the backend, and through the storage of a host whose "
		"rank "
		"is late by itself.",
	.scope = REF_NONE,
	.columns = columns,
	.ncolumns = FABRICS_COLUMNS,
	.rows = fabrics_rows,
	.cell = fabrics_cell,
};
