/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "fabric/model/nets.h"
#include "views/columns/columns.h"
#include "views/panels/panel.h"

enum link_column {
	LINK_A,
	LINK_B,
	LINK_RAIL,
	LINK_STATE,
	LINK_OPER,
	LINK_WIRING,
	LINK_AB,
	LINK_BA,
	LINK_PAUSED_AB,
	LINK_PAUSED_BA,
	LINK_PAUSED_AB_1M,
	LINK_PAUSED_BA_1M,
	LINK_DROPS,
	LINK_FLAPS,
	LINK_BER,
	LINK_SITES,
	LINK_LENGTH,
	LINK_RTT,
	LINK_RACK_A,
	LINK_RACK_B,
	LINK_WHY,
	LINK_COLUMNS
};

static const struct table_column columns[LINK_COLUMNS] = {
	[LINK_A] = {"a", "a", 22, 1, 0, false, "End of the lower tier: the NIC, or the leaf port"},
	[LINK_B] = {"b", "b", 22, 1, 0, false, "End of the higher tier, as found, else as planned"},
	[LINK_RAIL] = {"rail", "rail", 4, 0, 3, true, "Rail of the link"},
	[LINK_STATE] = {"state", "state", 5, 0, 0, false, "The worse of both ends"},
	[LINK_OPER] = {"oper", "a/b", 9, 0, 2, false, "Operational state of both ends"},
	[LINK_WIRING] = {"wiring", "wiring", 8, 0, 1, false,
		"ok: LLDP agrees with the plan; planned: LLDP shows no neighbour; found: not "
		"planned; mac: neither LLDP nor a plan, a switch has heard the NIC; miswired: LLDP "
		"shows another peer"},
	[LINK_AB] = {"ab", "a>b", 6, 0, 0, true, "Bits per second from a to b"},
	[LINK_BA] = {"ba", "b>a", 6, 0, 0, true, "Bits per second from b to a"},
	[LINK_PAUSED_AB] = {"paused_ab", "p a>b", 6, 0, 2, true,
		"Per cent of time that b paused a on a lossless priority"},
	[LINK_PAUSED_BA] = {"paused_ba", "p b>a", 6, 0, 2, true,
		"Per cent of time that a paused b on a lossless priority"},
	[LINK_PAUSED_AB_1M] = {"paused_ab_1m", "a>b 1min", 8, 0, 5, true,
		"Per cent of the last minute, or of what was seen of it, that b paused a"},
	[LINK_PAUSED_BA_1M] = {"paused_ba_1m", "b>a 1min", 8, 0, 5, true,
		"Per cent of the last minute, or of what was seen of it, that a paused b"},
	[LINK_DROPS] = {"drops", "drop/s", 6, 0, 2, true, "Packets lost per second at both ends"},
	[LINK_FLAPS] = {"flaps", "flaps", 5, 0, 1, true, "Times down, the end that counted more"},
	[LINK_BER] = {"ber", "ber", 8, 0, 3, true, "Pre-FEC bit error ratio, the worse end"},
	[LINK_SITES] = {"sites", "sites", 9, 0, 4, false,
		"Site of both ends, or a/b where they differ, by the inventory"},
	[LINK_LENGTH] = {"length", "length", 7, 0, 4, true, "Length of the cable, by the plan"},
	[LINK_RTT] = {"rtt", "rtt", 8, 0, 4, true,
		"Round-trip time of light in that cable, the least there is; between sites without "
		"a length: their word"},
	[LINK_RACK_A] = {"rack_a", "rack a", 8, 0, 4, false,
		"Rack and unit where a stands, by the inventory"},
	[LINK_RACK_B] = {"rack_b", "rack b", 8, 0, 4, false,
		"Rack and unit where b stands, by the inventory"},
	[LINK_WHY] = {"why", "why", 24, 3, 2, false, "Problem at the worse end"},
};

/* The row's link; its seq is the link's index at the time when the rows were made. */
static const struct link *row_link(const struct view_ctx *ctx, struct ref row)
{
	const struct model *m = ctx->model;
	size_t up, down;

	if (row.kind != REF_LINK)
		return NULL;
	if (row.seq < m->links.n && m->links.at[row.seq].a == row.port)
		return &m->links.at[row.seq];
	/*
	 * The link has moved, usually by little: search near its old index, since each cell does
	 * this.
	 */
	up = down = row.seq < m->links.n ? (size_t)row.seq : m->links.n;
	for (; up < m->links.n || down > 0; up++) {
		if (up < m->links.n && m->links.at[up].a == row.port)
			return &m->links.at[up];
		if (down > 0 && m->links.at[--down].a == row.port)
			return &m->links.at[down];
	}
	return NULL;
}

/* *at: the next link. */
static bool links_list(const struct view_ctx *ctx, size_t *at, row_vec *out)
{
	const struct model *m = ctx->model;
	size_t most = out->n + VIEW_LIST_PIECE;

	if (!*at)
		vec_reserve(out, out->n + m->links.n);
	for (; *at < m->links.n && out->n < most; (*at)++) {
		const struct link *l = &m->links.at[*at];

		if (l->a < m->ports.n && l->b < m->ports.n)
			vec_push(out, (struct ref){.kind = REF_LINK, .port = l->a, .seq = *at});
	}
	return *at >= m->links.n;
}

static void links_rows(const struct view_ctx *ctx, row_vec *out)
{
	size_t at = 0;

	while (!links_list(ctx, &at, out))
		;
}

/* The worse end; a when they are equal. */
static const struct port *worse_end(
	const struct view_ctx *ctx, const struct port *a, const struct port *b)
{
	struct health ha = summary_health(ctx, a), hb = summary_health(ctx, b);

	return health_worse(&hb, &ha) ? b : a;
}

/*
 * The rate from one end to the other: sent by one, or received by the other. Prefers a known value
 * to an unknown one, and a current value to an old one.
 */
static void cell_rate_between(const struct view_ctx *ctx, const struct port *from,
	const struct port *to, struct view_cell *out)
{
	struct view_cell other = {.number = NAN};

	port_column(ctx, from, COL_TX, out);
	if (out->has_number && !isnan(out->number) &&
		!device_is_old(model_dev_of(ctx->model, from)))
		return;
	port_column(ctx, to, COL_RX, &other);
	if (!isnan(other.number))
		*out = other;
}

static void cell_paused_between(const struct view_ctx *ctx, const struct port *from,
	const struct port *to, bool recent, struct view_cell *out)
{
	struct view_cell other = {.number = NAN};

	port_column(ctx, from, recent ? COL_PAUSED_RX_1M : COL_PAUSED_RX, out);
	if (!isnan(out->number) && !device_is_old(model_dev_of(ctx->model, from)))
		return;
	port_column(ctx, to, recent ? COL_PAUSED_TX_1M : COL_PAUSED_TX, &other);
	if (!isnan(other.number))
		*out = other;
}

static void cell_wiring(const struct model *m, const struct link *l, struct view_cell *out)
{
	enum peer_source source;

	static const enum role roles[] = {[LINK_UNKNOWN] = ROLE_UNKNOWN,
		[LINK_AS_PLANNED] = ROLE_OK,
		[LINK_PLANNED] = ROLE_DIM,
		[LINK_FOUND] = ROLE_NORMAL,
		[LINK_MISWIRED] = ROLE_CRIT};

	(void)port_peer(m, m->ports.at[l->a], &source);
	if (l->state == LINK_FOUND && source == PEER_MAC) {
		cell_text(out, ROLE_NORMAL, "%s", peer_source_name(source));
		return;
	}
	cell_text(out,
		(size_t)l->state < sizeof(roles) / sizeof(roles[0]) ? roles[l->state]
								    : ROLE_UNKNOWN,
		"%s", link_state_name(l->state));
}

static void cell_end(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	char name[2 * NAME_MAX_LEN];

	cell_text(out, ROLE_NORMAL, "%s", port_locator(ctx->model, p, name, sizeof(name)));
}

/* A link that is down and should be up is red: its rates of the last seconds may still look well.
 */
static enum role role_of_states(
	const struct view_ctx *ctx, const struct port *a, const struct port *b)
{
	enum severity worst = summary_health(ctx, worse_end(ctx, a, b)).severity;

	if (a->oper == OPER_UP && b->oper == OPER_UP)
		return ROLE_NORMAL;
	if ((a->oper == OPER_DOWN || b->oper == OPER_DOWN) && worst >= SEV_WARN)
		return role_of_severity(worst);
	return ROLE_DIM;
}

static void cell_sites(const struct view_ctx *ctx, const struct port *a, const struct port *b,
	struct view_cell *out)
{
	const char *here = model_dev_of(ctx->model, a)->site;
	const char *there = model_dev_of(ctx->model, b)->site;

	if (!*here && !*there)
		cell_text(out, ROLE_NORMAL, "%s", "");
	else if (str_eq(here, there))
		cell_text(out, ROLE_NORMAL, "%s", here);
	else
		cell_text(out, ROLE_ACCENT, "%s/%s", *here ? here : "-", *there ? there : "-");
}

static void cell_reach(const struct view_ctx *ctx, const struct port *a, const struct port *b,
	size_t col, struct view_cell *out)
{
	struct link_reach r = port_reach(ctx->model, a);

	if (col == LINK_SITES) {
		cell_sites(ctx, a, b, out);
		return;
	}
	cell_text(out, ROLE_NORMAL, "%s", "");
	if (col == LINK_RTT && r.reach == REACH_BETWEEN)
		cell_text(out, ROLE_UNKNOWN, "%s", reach_name(r.reach));
	if (!r.metres)
		return;
	if (col == LINK_RTT)
		cell_text(out, ROLE_NORMAL, r.rtt_us < 100 ? "%.1f us" : "%.0f us", r.rtt_us);
	else
		cell_text(out, ROLE_NORMAL, r.metres < 2000 ? "%.0f m" : "%.1f km",
			r.metres < 2000 ? (double)r.metres : r.metres / 1e3);
	out->number = col == LINK_RTT ? r.rtt_us : (double)r.metres;
	out->has_number = true;
}

static void cell_words(
	const struct view_ctx *ctx, const struct link *l, size_t col, struct view_cell *out)
{
	const struct port *a = ctx->model->ports.at[l->a], *b = ctx->model->ports.at[l->b];

	switch (col) {
	case LINK_A:
		cell_end(ctx, a, out);
		break;
	case LINK_B:
		cell_end(ctx, b, out);
		break;
	case LINK_RAIL:
		port_column(ctx, a, COL_RAIL, out);
		if (l->rail >= 0) {
			cell_text(out, ROLE_NORMAL, "%d", l->rail);
			out->number = l->rail;
			out->has_number = true;
		}
		break;
	case LINK_STATE:
		port_column(ctx, worse_end(ctx, a, b), COL_STATE, out);
		break;
	case LINK_OPER:
		cell_text(out, role_of_states(ctx, a, b), "%s/%s",
			a->oper == OPER_UNKNOWN && !port_is_gone(a) ? "-" : port_state_name(a),
			b->oper == OPER_UNKNOWN && !port_is_gone(b) ? "-" : port_state_name(b));
		break;
	case LINK_SITES:
	case LINK_LENGTH:
	case LINK_RTT:
		cell_reach(ctx, a, b, col, out);
		break;
	case LINK_WIRING:
		cell_wiring(ctx->model, l, out);
		break;
	case LINK_RACK_A:
		port_column(ctx, a, COL_RACK, out);
		break;
	case LINK_RACK_B:
		port_column(ctx, b, COL_RACK, out);
		break;
	default:
		port_column(ctx, worse_end(ctx, a, b), COL_WHY, out);
		break;
	}
}

static void links_cell(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct link *l = row_link(ctx, row);
	const struct port *a, *b;

	cell_unknown(out, VALID_UNKNOWN);
	if (!l || col >= LINK_COLUMNS || l->a >= ctx->model->ports.n || l->b >= ctx->model->ports.n)
		return;
	a = ctx->model->ports.at[l->a];
	b = ctx->model->ports.at[l->b];
	switch (col) {
	case LINK_AB:
		cell_rate_between(ctx, a, b, out);
		break;
	case LINK_BA:
		cell_rate_between(ctx, b, a, out);
		break;
	case LINK_PAUSED_AB:
		cell_paused_between(ctx, a, b, false, out);
		break;
	case LINK_PAUSED_BA:
		cell_paused_between(ctx, b, a, false, out);
		break;
	case LINK_PAUSED_AB_1M:
		cell_paused_between(ctx, a, b, true, out);
		break;
	case LINK_PAUSED_BA_1M:
		cell_paused_between(ctx, b, a, true, out);
		break;
	case LINK_DROPS:
		cell_count_bad(out, known_sum(port_drop_rate(a), port_drop_rate(b)));
		break;
	case LINK_FLAPS:
		cell_count_bad(out, fmax(port_flaps(a), port_flaps(b)));
		break;
	case LINK_BER:
		cell_ber(out, fmax(port_pre_fec_ber(a), port_pre_fec_ber(b)));
		break;
	default:
		cell_words(ctx, l, col, out);
		break;
	}
}

/* The cells depend on the two devices and on the link itself. */
static uint64_t links_stamp(const struct view_ctx *ctx, struct ref row)
{
	const struct model *m = ctx->model;
	const struct link *l = row_link(ctx, row);
	uint64_t parts[5];

	if (!ctx->cache || !l || l->a >= m->ports.n || l->b >= m->ports.n)
		return 0;
	parts[0] = summary_version(ctx, model_dev_of(m, m->ports.at[l->a]));
	parts[1] = summary_version(ctx, model_dev_of(m, m->ports.at[l->b]));
	parts[2] = l->b;
	parts[3] = (uint64_t)l->rail;
	parts[4] = l->state;
	return stamp_of_parts(parts, sizeof(parts) / sizeof(parts[0]));
}

static const char *links_empty(const struct view_ctx *ctx)
{
	return ctx->model->devices.n ? "no link is planned and LLDP has found none yet"
				     : "the inventory has no device";
}

const struct view_ops view_links = {
	.name = "links",
	.title = "links",
	.help = "Every link, planned or found, with both ends in one row. a is the end of the "
		"lower tier; wiring compares LLDP with the plan. paused a>b is the time that a was "
		"paused by b. The worst links come first. Enter shows the port of end a with its "
		"peer.",
	.scope = REF_NONE,
	.columns = columns,
	.ncolumns = LINK_COLUMNS,
	.sort = "-state",
	.rows = links_rows,
	.list = links_list,
	.cell = links_cell,
	.stamp = links_stamp,
	.enter = enter_port,
	.empty = links_empty,
};
