/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/diag_rows.h"
#include "views/panels/finding_text.h"
#include "views/panels/storm_tree.h"
#include "views/short_names.h"
#include "views/summary.h"

enum storm_column {
	STORM_TREE,
	STORM_HELD,
	STORM_HELD_1M,
	STORM_NTH,
	STORM_BLAME,
	STORM_END,
	STORM_BEHIND,
	STORM_LOST,
	STORM_SINCE,
	STORM_HOLDER,
	STORM_PRIORITY,
	STORM_CYCLE,
	STORM_HOPS,
	STORM_COLUMNS
};

static const struct table_column columns[STORM_COLUMNS] = {
	[STORM_TREE] = {"where", "source; below it, the paused ports", 36, 3, 0, false,
		"The source, the port where pauses begin; below it the ports that wait for it"},
	[STORM_HELD] = {"held", "paused", 6, 0, 0, true,
		"Per cent of time that its peer paused it; <=: upper bound from frames"},
	[STORM_HELD_1M] = {"held_1m", "in 1min", 7, 0, 2, true,
		"The same over the last minute, or what was seen of it: one short burst is no "
		"storm"},
	[STORM_NTH] = {"nth", "order", 6, 0, 0, true,
		"Order in which the ports were paused, from 1; ports of one poll share a number"},
	[STORM_BLAME] = {"blame", "cap lost", 8, 0, 0, true,
		"Capacity lost: bit/s that its pauses take from the ports behind it"},
	[STORM_END] = {"end", "ends in", 12, 0, 0, false,
		"Kind of the source: contention, nic, cycle, unexplained, blind (the device does "
		"not answer)"},
	[STORM_BEHIND] = {"behind", "behind", 6, 0, 1, true, "Ports below it in the tree"},
	[STORM_LOST] = {"lost", "lost", 6, 0, 2, true,
		"Bits per second that the port itself cannot use"},
	[STORM_SINCE] = {"since", "since", 10, 0, 2, false,
		"First sample in which it was paused, UTC unless a zone was set; the date after "
		"half a day"},
	[STORM_HOLDER] = {"holder", "paused by", 22, 1, 3, false, "The other end of its link"},
	[STORM_PRIORITY] = {"prio", "prio", 4, 0, 3, true, "Priority that is paused"},
	[STORM_CYCLE] = {"cycle", "cycle", 5, 0, 2, true,
		"Number of the pause cycle that it belongs to"},
	[STORM_HOPS] = {"hops", "hops", 4, 0, 4, true, "Hops to the nearest source"},
};

static void storm_rows(const struct view_ctx *ctx, row_vec *out)
{
	const struct pause_graph *g = ctx->diag ? diag_pauses(ctx->diag) : NULL;
	struct diag_rows *d = diag_rows_of(ctx);

	if (!g || !d)
		return;
	storm_layout(d, ctx->model, g);
	if (ctx->folded && !d->storm_whole)
		storm_fold(d, ctx->model, g);
	vec_reserve(out, out->n + d->storm.n);
	for (size_t i = 0; i < d->storm.n; i++) {
		uint32_t node = d->storm.at[i].node;

		if (d->storm.at[i].folded)
			continue;
		vec_push(out, (struct ref){.kind = REF_PRIORITY,
				      .port = g->nodes.at[node].port,
				      .priority = g->nodes.at[node].priority,
				      .seq = node});
	}
}

static bool is_node(const struct pause_node *n, struct ref row)
{
	return n && n->port == row.port && n->priority == row.priority;
}

/* The node of a row and its line; the graph may be of a later run than the row. */
static const struct pause_node *node_of(
	const struct view_ctx *ctx, struct ref row, const struct storm_row **line)
{
	const struct pause_graph *g = ctx->diag ? diag_pauses(ctx->diag) : NULL;
	const struct diag_rows *d = diag_rows_of(ctx);
	const struct pause_node *n = NULL;
	size_t i;

	*line = NULL;
	if (!g || row.kind != REF_PRIORITY || row.port >= ctx->model->ports.n)
		return NULL;
	if (row.seq < g->nodes.n)
		n = &g->nodes.at[row.seq];
	if (!is_node(n, row))
		n = pause_node_of(g, row.port);
	if (!is_node(n, row))
		return NULL;
	i = (size_t)(n - g->nodes.at);
	if (d && i < d->storm_line.n && d->storm_line.at[i] < d->storm.n)
		*line = &d->storm.at[d->storm_line.at[i]];
	return n;
}

/* Two columns for each level; a deeper node shows its depth as a number. */
#define DEPTH_SHOWN 8

static void tree_prefix(
	const struct view_ctx *ctx, const struct storm_row *line, char *dst, size_t size)
{
	size_t len = 0;

	dst[0] = '\0';
	if (!line || !line->depth)
		return;
	if (line->depth > DEPTH_SHOWN) {
		(void)str_printf(dst, size, "%*s+%u ", 2 * DEPTH_SHOWN - 2, "", line->depth);
		return;
	}
	for (unsigned i = 0; i + 1 < line->depth; i++) {
		(void)str_printf(dst + len, size - len, "%s ",
			line->trunks >> i & 1U ? glyph(ctx->term, GLYPH_TRUNK) : " ");
		len += strlen(dst + len);
	}
	(void)str_printf(dst + len, size - len, "%s ",
		glyph(ctx->term, line->last ? GLYPH_BRANCH_LAST : GLYPH_BRANCH));
}

/* On the screen the root is the NIC where a storm begins: "node002:mlx5_3 -> r3-00:Eth8". */
static void name_root(
	const struct view_ctx *ctx, const struct pause_node *n, char *dst, size_t size)
{
	char nic[2 * NAME_MAX_LEN], brief[2 * NAME_MAX_LEN];

	if (!ctx->folded || n->end != PAUSE_NIC)
		return;
	(void)peer_locator(ctx->model, ctx->model->ports.at[n->port], nic, sizeof(nic));
	short_place(dst, brief, sizeof(brief));
	if (nic[0] && str_copy(nic + strlen(nic), sizeof(nic) - strlen(nic), " -> ") &&
		str_copy(nic + strlen(nic), sizeof(nic) - strlen(nic), brief))
		(void)str_copy(dst, size, nic);
}

static void cell_tree(const struct view_ctx *ctx, const struct pause_node *n,
	const struct storm_row *line, struct view_cell *out)
{
	const struct port *p = ctx->model->ports.at[n->port];
	char prefix[64], port[2 * NAME_MAX_LEN], cycle[24] = "", more[32] = "";
	bool terminal = n->end != PAUSE_INNER;

	tree_prefix(ctx, line, prefix, sizeof(prefix));
	if (n->cycle)
		(void)str_printf(cycle, sizeof(cycle), " (cycle %u)", n->cycle);
	if (line && line->more)
		(void)str_printf(more, sizeof(more), " +%u", line->more);
	(void)port_locator(ctx->model, p, port, sizeof(port));
	name_root(ctx, n, port, sizeof(port));
	cell_text(out, terminal ? ROLE_CRIT : ROLE_NORMAL, "%s%s%s%s", prefix, port, cycle, more);
}

static void cell_nth(const struct storm_row *line, struct view_cell *out)
{
	cell_text(out, ROLE_NORMAL, "%u", line->nth);
	out->number = line->nth;
	out->has_number = true;
}

static void cell_bits(float bps, struct view_cell *out)
{
	if (bps > 0)
		cell_rate(out, (double)bps);
	else
		cell_text(out, ROLE_DIM, "%s", "");
	out->number = (double)bps;
	out->has_number = !isnan(bps);
}

static void cell_plain(double v, struct view_cell *out)
{
	cell_text(out, ROLE_NORMAL, "%.0f", v);
	out->number = v;
	out->has_number = true;
}

static void cell_held(const struct view_ctx *ctx, const struct pause_node *n, struct view_cell *out)
{
	if (n->held > 0) {
		cell_paused(ctx, out,
			(struct paused){.percent = (double)n->held * 100, .upper_bound = n->bound});
		return;
	}
	cell_text(out, ROLE_DIM, "full");
	out->number = 0;
	out->has_number = true;
}

/* By the port's own counters, else by those of the peer, as the graph has it. */
static void cell_held_recent(
	const struct view_ctx *ctx, const struct pause_node *n, struct view_cell *out)
{
	const struct port *p = ctx->model->ports.at[n->port], *peer;
	struct paused own = port_paused_recent(p, n->priority, DIR_RX), far = {.percent = NAN};

	peer = port_peer(ctx->model, p, NULL);
	if (peer && (isnan(own.percent) || own.upper_bound))
		far = port_paused_recent(peer, n->priority, DIR_TX);
	cell_paused_recent(ctx, out, isnan(far.percent) || far.upper_bound ? own : far);
}

static void cell_rest(const struct view_ctx *ctx, const struct pause_node *n,
	const struct storm_row *line, size_t col, struct view_cell *out)
{
	char text[2 * NAME_MAX_LEN];

	switch (col) {
	case STORM_BEHIND:
		if (line)
			cell_plain(line->behind, out);
		break;
	case STORM_LOST:
		cell_bits(n->lost_bps, out);
		break;
	case STORM_SINCE:
		cell_moment(ctx, n->since_us, out);
		break;
	case STORM_HOLDER:
		(void)peer_locator(ctx->model, ctx->model->ports.at[n->port], text, sizeof(text));
		if (n->held > 0 && text[0])
			cell_text(out, ROLE_NORMAL, "%s", text);
		break;
	case STORM_PRIORITY:
		cell_plain(n->priority, out);
		break;
	case STORM_CYCLE:
		if (n->cycle)
			cell_plain(n->cycle, out);
		break;
	case STORM_HOPS:
		cell_plain(n->depth, out);
		break;
	default:
		break;
	}
}

static void storm_cell(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct storm_row *line;
	const struct pause_node *n = node_of(ctx, row, &line);

	cell_unknown(out, VALID_UNKNOWN);
	if (!n)
		return;
	switch (col) {
	case STORM_TREE:
		cell_tree(ctx, n, line, out);
		break;
	case STORM_HELD:
		cell_held(ctx, n, out);
		break;
	case STORM_HELD_1M:
		cell_held_recent(ctx, n, out);
		break;
	case STORM_NTH:
		if (line)
			cell_nth(line, out);
		break;
	case STORM_BLAME:
		cell_bits(n->blame_bps, out);
		break;
	case STORM_END:
		cell_text(out, n->end == PAUSE_INNER ? ROLE_DIM : ROLE_CRIT, "%s",
			n->end == PAUSE_INNER ? "" : pause_end_name((enum pause_end)n->end));
		break;
	default:
		cell_rest(ctx, n, line, col, out);
		break;
	}
}

/* ---- panel: sums, then each cycle as text ---- */

#define CYCLES_SHOWN 4

static void say_cycle(
	const struct view_ctx *ctx, const struct pause_graph *g, size_t i, struct panel_line *out)
{
	const struct pause_cycle *c = &g->cycles.at[i];
	size_t len;

	panel_say(out, c->hard ? ROLE_CRIT : ROLE_WARN, c->hard ? "DEADLOCK" : "cycle",
		"cycle %zu: ", i + 1);
	len = strlen(out->text);
	for (size_t n = 0; n <= c->nodes.n && c->nodes.n; n++) {
		uint32_t node = c->nodes.at[n % c->nodes.n];
		char port[2 * NAME_MAX_LEN] = "?";

		if (node < g->nodes.n && g->nodes.at[node].port < ctx->model->ports.n)
			(void)port_locator(ctx->model, ctx->model->ports.at[g->nodes.at[node].port],
				port, sizeof(port));
		(void)str_printf(
			out->text + len, sizeof(out->text) - len, "%s%s", n ? " -> " : "", port);
		len += strlen(out->text + len);
	}
	(void)str_printf(out->text + len, sizeof(out->text) - len, "%s",
		c->hard ? "; nothing moves: it does not end by itself" : "; bytes still move");
}

/* The cells depend on the last run of the diagnosis and on both ends; a time gets its date later.
 */
static uint64_t storm_stamp(const struct view_ctx *ctx, struct ref row)
{
	const struct port *p = ref_port(ctx->model, row);
	const struct port *peer = p ? port_peer(ctx->model, p, NULL) : NULL;
	const struct diag_rows *d = diag_rows_of(ctx);
	uint64_t parts[4];

	if (!ctx->cache || !ctx->diag || !p)
		return 0;
	parts[0] = diag_cost(ctx->diag).runs * 2 + (d && d->storm_whole);
	parts[1] = summary_version(ctx, model_dev_of(ctx->model, p));
	parts[2] = peer ? summary_version(ctx, model_dev_of(ctx->model, peer)) : 0;
	parts[3] = (uint64_t)(ctx->now_us / (60 * CLOCK_SEC));
	return stamp_of_parts(parts, sizeof(parts) / sizeof(parts[0]));
}

static int storm_panel(const struct view_ctx *ctx, struct region r)
{
	const struct pause_graph *g = ctx->diag ? diag_pauses(ctx->diag) : NULL;
	struct panel_line lines[1 + CYCLES_SHOWN];
	double lost = 0;
	bool hard = false;
	size_t n = 0;
	char si[24];

	if (!g || !g->nodes.n)
		return 0;
	for (size_t i = 0; i < g->nodes.n; i++)
		lost += (double)g->nodes.at[i].lost_bps;
	for (size_t i = 0; i < g->cycles.n; i++)
		hard |= g->cycles.at[i].hard;
	panel_say(&lines[n++], hard ? ROLE_CRIT : ROLE_ACCENT, "storm",
		"%u port%s paused, %zu source%s, %s of capacity lost%s", g->held,
		str_plural(g->held), g->terminals.n, str_plural(g->terminals.n),
		str_bitrate(lost, si, sizeof(si)), hard ? "; there is a deadlock" : "");
	for (size_t i = 0; i < g->cycles.n && i < CYCLES_SHOWN; i++)
		say_cycle(ctx, g, i, &lines[n++]);
	return panel_draw(r, lines, n);
}

static const char *storm_empty(const struct view_ctx *ctx)
{
	struct coverage c = model_coverage(ctx->model);

	if (!ctx->diag)
		return "nothing is diagnosed here: the data is a plain snapshot";
	if (!c.by_state[DEV_FRESH])
		return "no paused port is known, and no device is fresh";
	if (c.by_state[DEV_FRESH] + c.by_state[DEV_LATE] < c.devices)
		return "no port is paused on the devices that answer; some do not answer";
	return "no port is paused by its peer, and all devices answer";
}

const struct view_ops view_storm = {
	.name = "storm",
	.title = "storm",
	.help = "The tree of pauses. Each source is the port where pauses begin, with the capacity "
		"that it costs. Below it stand the ports that wait for it, in the order in which "
		"they were paused. A port stands once, below the port that delays it most. Cycles "
		"and deadlocks are named above. full: the port is not paused, its queue is full. "
		"Ports of a device that wait equally long for the same port are one line with "
		"their "
		"number, +7, NICs of hosts too; Space shows each. "
		"Enter shows both ends.",
	.scope = REF_NONE,
	.columns = columns,
	.ncolumns = STORM_COLUMNS,
	.rows = storm_rows,
	.cell = storm_cell,
	.stamp = storm_stamp,
	.enter = enter_port,
	.panel = storm_panel,
	.empty = storm_empty,
};
