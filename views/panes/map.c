/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "views/columns/columns.h"
#include "views/common.h"
#include "views/panels/cause.h"
#include "views/panels/finding_text.h"
#include "views/short_names.h"
#include "views/summary.h"

/*
 * The fabric as a map: a row a leaf, a column a spine, and between them the state of their links.
 * Large fabrics fold: a rail without a hot leaf is one row, and spines share columns.
 */

#define LOADED     80.0 /* per cent of a link's capacity */
#define PAUSED     10.0
#define BER_WEAK   1e-6
#define NAME_WIDTH 16
#define CELL_WIDTH 4

#define FLAPPED 1.0

enum map_heat {
	HEAT_OF_NONE,
	HEAT_OF_UNKNOWN,
	HEAT_OF_FINE,
	HEAT_OF_LOADED,
	HEAT_OF_FLAPPED,
	HEAT_OF_WEAK,
	HEAT_OF_PAUSED,
	HEAT_OF_DOWN
};

static const struct {
	const char *text;
	enum role role;
} looks[] = {
	[HEAT_OF_NONE] = {"", ROLE_DIM},
	[HEAT_OF_UNKNOWN] = {" ? ", ROLE_UNKNOWN},
	[HEAT_OF_FINE] = {"---", ROLE_DIM},
	[HEAT_OF_LOADED] = {":::", ROLE_ACCENT},
	[HEAT_OF_FLAPPED] = {"^^^", ROLE_WARN},
	[HEAT_OF_WEAK] = {"~~~", ROLE_WARN},
	[HEAT_OF_PAUSED] = {"===", ROLE_CRIT},
	[HEAT_OF_DOWN] = {"xxx", ROLE_CRIT},
};

/* A map of one kind shows the state from its limit on, and the number below the title. */
static const struct {
	enum map_heat hot;
	double limit;
	const char *legend;
} colours[MAP_COLOURS] = {
	[MAP_ALL] = {HEAT_OF_NONE, 0, ""},
	[MAP_LOAD] = {HEAT_OF_LOADED, LOADED, "load, % of the speed; marked from 80%"},
	[MAP_BER] = {HEAT_OF_WEAK, BER_WEAK,
		"BER before FEC, powers of ten: -7 is 1e-7; marked from 1e-6"},
	[MAP_FLAPS] = {HEAT_OF_FLAPPED, FLAPPED, "times that the link went down; marked from 1"},
	[MAP_PAUSES] = {HEAT_OF_PAUSED, PAUSED, "% of time paused, the worse way; marked from 10%"},
};

/* The number of one end; NAN: not known. */
static double number_of_end(
	const struct view_ctx *ctx, const struct port *p, enum map_colour colour)
{
	uint8_t mask = lossless_priorities(&ctx->model->lossless);

	switch (colour) {
	case MAP_LOAD:
		return p->speed_mbps ? fmax(port_bps(p, DIR_RX), port_bps(p, DIR_TX)) /
					       (p->speed_mbps * 1e4)
				     : NAN;
	case MAP_BER:
		return port_pre_fec_ber(p);
	case MAP_FLAPS:
		return port_flaps(p);
	default:
		return fmax(port_paused_max(p, mask, DIR_RX).percent,
			port_paused_max(p, mask, DIR_TX).percent);
	}
}

/* A state and a number of a link as the map shows them. */
struct map_link {
	enum map_heat heat;
	double number; /* of the chosen kind; NAN */
};

static struct map_link worse_of(struct map_link a, struct map_link b)
{
	return (struct map_link){a.heat > b.heat ? a.heat : b.heat, fmax(a.number, b.number)};
}

static struct map_link link_end(const struct view_ctx *ctx, const struct port *p)
{
	struct map_link out = {HEAT_OF_FINE, NAN};

	if (p->oper != OPER_UP)
		return (struct map_link){
			p->oper == OPER_DOWN ? HEAT_OF_DOWN : HEAT_OF_UNKNOWN, NAN};
	if (ctx->map != MAP_ALL) {
		out.number = number_of_end(ctx, p, ctx->map);
		if (isnan(out.number))
			out.heat = HEAT_OF_UNKNOWN;
		else if (out.number > 0 && out.number >= colours[ctx->map].limit)
			out.heat = colours[ctx->map].hot;
		return out;
	}
	for (enum map_colour k = MAP_ALL + 1; k < MAP_COLOURS; k++)
		/* The count of flaps is of weeks, and says little about now. */
		if (k != MAP_FLAPS && number_of_end(ctx, p, k) >= colours[k].limit &&
			colours[k].hot > out.heat)
			out.heat = colours[k].hot;
	return out;
}

/* The state of a link, from both of its ends; what one end does not count the other may. */
static struct map_link link_of(const struct view_ctx *ctx, const struct port *p)
{
	const struct port *peer = port_peer(ctx->model, p, NULL);
	struct map_link here = link_end(ctx, p), there;

	if (!peer)
		return here;
	there = link_end(ctx, peer);
	if (ctx->map != MAP_ALL && here.heat == HEAT_OF_UNKNOWN && p->oper == OPER_UP)
		return there;
	if (ctx->map != MAP_ALL && there.heat == HEAT_OF_UNKNOWN && peer->oper == OPER_UP)
		return here;
	return worse_of(here, there);
}

/* The devices of a map. */
struct map {
	const struct view_ctx *ctx;
	VEC(const struct device *) leaves, spines;
	int columns;            /* of spines; they share them if there are more */
	struct map_link *links; /* by leaf and column */
	unsigned *hosts;        /* by leaf: links to hosts that are hot */
	int *column_of;         /* by device: of a spine; -1 */
};

/* Load is no fault, and hot only where it was asked for. */
static bool is_hot_link(const struct view_ctx *ctx, enum map_heat heat)
{
	return heat >= (ctx->map == MAP_ALL ? HEAT_OF_FLAPPED : HEAT_OF_LOADED);
}

static void note_port(struct map *map, size_t leaf, const struct port *p)
{
	const struct model *m = map->ctx->model;
	const struct port *peer = port_peer(m, p, NULL);
	const struct device *far = peer ? model_dev_of(m, peer) : NULL;
	struct map_link link;
	int column = far ? map->column_of[far->id] : -1;

	if (!far || (column < 0 && far->tier != TIER_HOST))
		return;
	link = link_of(map->ctx, p);
	if (column < 0) {
		map->hosts[leaf] += is_hot_link(map->ctx, link.heat);
		return;
	}
	column += (int)leaf * map->columns;
	map->links[column] = worse_of(map->links[column], link);
}

static void map_open(struct map *map, const struct view_ctx *ctx, int width)
{
	const struct model *m = ctx->model;
	int fit = (width - NAME_WIDTH - 20) / CELL_WIDTH;

	memset(map, 0, sizeof(*map));
	map->ctx = ctx;
	map->column_of = mem_calloc(m->devices.n + 1, sizeof(*map->column_of));
	for (size_t i = 0; i < m->devices.n; i++) {
		map->column_of[i] = -1;
		if (m->devices.at[i]->tier == TIER_LEAF)
			vec_push(&map->leaves, m->devices.at[i]);
		else if (m->devices.at[i]->tier == TIER_SPINE)
			vec_push(&map->spines, m->devices.at[i]);
	}
	map->columns = (int)map->spines.n < fit ? (int)map->spines.n : fit;
	if (map->columns < 1)
		map->columns = 1;
	for (size_t i = 0; i < map->spines.n; i++)
		map->column_of[map->spines.at[i]->id] =
			(int)(i * (size_t)map->columns / map->spines.n);
	map->links = mem_calloc(map->leaves.n * (size_t)map->columns + 1, sizeof(*map->links));
	for (size_t i = 0; i < map->leaves.n * (size_t)map->columns; i++)
		map->links[i].number = NAN;
	map->hosts = mem_calloc(map->leaves.n + 1, sizeof(*map->hosts));
	for (size_t i = 0; i < map->leaves.n; i++)
		for (size_t k = 0; k < map->leaves.at[i]->ports.n; k++)
			note_port(map, i, m->ports.at[map->leaves.at[i]->ports.at[k]]);
}

static void map_close(struct map *map)
{
	vec_free(&map->leaves);
	vec_free(&map->spines);
	free(map->links);
	free(map->hosts);
	free(map->column_of);
}

static bool is_hot(const struct map *map, size_t leaf)
{
	if (map->hosts[leaf] || cause_is_at(map->ctx, map->leaves.at[leaf]))
		return true;
	for (int c = 0; c < map->columns; c++)
		if (is_hot_link(map->ctx, map->links[(int)leaf * map->columns + c].heat))
			return true;
	return false;
}

/* The signs of the states; of one kind the meaning of its numbers. */
static int draw_legend(const struct map *map, struct region r)
{
	int x = 0;

	if (map->ctx->map != MAP_ALL) {
		x = draw_text(r, 0, 0, ROLE_TITLE, colours[map->ctx->map].legend, -1) + 2;
		x += draw_text(r, 0, x, ROLE_CRIT, looks[HEAT_OF_DOWN].text, -1) + 1;
		return x + draw_text(r, 0, x, ROLE_NORMAL, "down", -1) + 2;
	}
	for (size_t i = HEAT_OF_DOWN; i > HEAT_OF_UNKNOWN; i--) {
		static const char *const words[] = {[HEAT_OF_FINE] = "ok",
			[HEAT_OF_LOADED] = "load > 80%",
			[HEAT_OF_FLAPPED] = "",
			[HEAT_OF_WEAK] = "weak signal",
			[HEAT_OF_PAUSED] = "paused > 10%",
			[HEAT_OF_DOWN] = "down"};

		if (!words[i][0])
			continue;
		x += draw_text(r, 0, x, looks[i].role, looks[i].text, -1) + 1;
		x += draw_text(r, 0, x, ROLE_NORMAL, words[i], -1) + 2;
	}
	return x;
}

static void draw_head(const struct map *map, struct region r)
{
	int x = draw_legend(map, r);

	(void)draw_text(r, 0, x, ROLE_CRIT, "[X]", -1);
	(void)draw_text(r, 0, x + 4, ROLE_NORMAL, "cause", -1);
	(void)draw_text(r, 1, 0, ROLE_HEADER, "leaf \\ spine", -1);
	for (int c = 0; c < map->columns; c++) {
		char text[16];

		(void)str_printf(text, sizeof(text), "%d",
			(int)((size_t)c * map->spines.n / (size_t)map->columns));
		(void)draw_text(
			r, 1, NAME_WIDTH + 4 + c * CELL_WIDTH, ROLE_HEADER, text, CELL_WIDTH - 1);
	}
	(void)draw_text(r, 1, NAME_WIDTH + 5 + map->columns * CELL_WIDTH, ROLE_HEADER,
		"links to hosts", -1);
}

/* Three columns: the sign, or the number of the chosen kind. */
static const char *link_text(
	const struct map *map, const struct map_link *l, char *dst, size_t size)
{
	double v = l->number;

	if (map->ctx->map == MAP_ALL || l->heat < HEAT_OF_FINE || l->heat == HEAT_OF_DOWN ||
		isnan(v))
		return looks[l->heat].text;
	if (map->ctx->map == MAP_BER)
		(void)str_printf(dst, size, v > 0 ? "%3.0f" : "  0", floor(log10(v)));
	else if (v > 999)
		(void)str_copy(dst, size, ">1k");
	else
		(void)str_printf(dst, size, "%3.0f", v);
	return dst;
}

static void draw_leaf(const struct map *map, struct region r, int y, size_t leaf)
{
	const struct device *d = map->leaves.at[leaf];
	bool cause = cause_is_at(map->ctx, d);
	unsigned bad;
	enum severity s = summary_severity(map->ctx, d, &bad);
	char name[NAME_MAX_LEN];
	int x = NAME_WIDTH + 4 + map->columns * CELL_WIDTH + 1;

	(void)str_copy(name, sizeof(name), d->name);
	(void)draw_text(r, y, 0, ROLE_NORMAL, name, NAME_WIDTH - 1);
	if (cause)
		(void)draw_text(r, y, NAME_WIDTH, ROLE_CRIT, "[X]", -1);
	else
		(void)draw_text(r, y, NAME_WIDTH + 1, role_of_severity(s),
			s == SEV_OK ? "." : severity_letter(s), -1);
	for (int c = 0; c < map->columns; c++) {
		const struct map_link *l = &map->links[(int)leaf * map->columns + c];
		char text[16];

		(void)draw_text(r, y, NAME_WIDTH + 4 + c * CELL_WIDTH, looks[l->heat].role,
			link_text(map, l, text, sizeof(text)), -1);
	}
	if (map->hosts[leaf])
		(void)draw_textf(r, y, x, ROLE_CRIT, "%u hot", map->hosts[leaf]);
	else
		(void)draw_text(r, y, x, ROLE_DIM, "ok", -1);
}

/* The culprit in words: who pauses whom. */
static void draw_cause(const struct view_ctx *ctx, struct region r, int y)
{
	const struct finding *f = cause_finding(ctx);
	char at[160], peer[160];

	if (!f || y >= r.h)
		return;
	(void)place_text(ctx, f->at, at, sizeof(at));
	(void)place_text(ctx, f->peer, peer, sizeof(peer));
	(void)draw_textf(r, y, 0, ROLE_CRIT, "[X] %s %s %s", at,
		finding_info[f->id].family == FAMILY_PFC ? "pauses" : "with", peer);
}

/* Rows of the map when every leaf has one; with folding, of the hot leaves and of the rails. */
static int draw_rows(const struct map *map, struct region r, int y)
{
	bool fold = (int)map->leaves.n > r.h - y - 1;
	int rail = -2;
	unsigned cold = 0;

	for (size_t i = 0; i < map->leaves.n && y < r.h - 1; i++) {
		const struct device *d = map->leaves.at[i];

		if (!fold || is_hot(map, i)) {
			draw_leaf(map, r, y++, i);
			continue;
		}
		if (d->rail == rail) {
			cold++;
		} else {
			rail = d->rail;
			cold = 1;
		}
		if (i + 1 < map->leaves.n && map->leaves.at[i + 1]->rail == rail)
			continue;
		(void)draw_textf(
			r, y++, 0, ROLE_DIM, "rail %d: %u leaves without a hot link", rail, cold);
	}
	return y;
}

static int map_panel(const struct view_ctx *ctx, struct region r)
{
	struct map map;
	int y = 2;

	if (r.h < 4)
		return 0;
	map_open(&map, ctx, r.w);
	if (!map.leaves.n) {
		map_close(&map);
		return 0;
	}
	draw_head(&map, r);
	y = draw_rows(&map, r, y);
	draw_cause(ctx, r, y++);
	map_close(&map);
	return y < r.h ? y : r.h;
}

/* ---- the table: switches, the worst first ---- */

#define COLUMNS(X)                                                                                 \
	X(NAME)                                                                                    \
	X(STATE)                                                                                   \
	SUMMARY_COLUMNS(X)
static const struct table_column columns[] = {COLUMNS(AS_COLUMN)};
static const enum column kinds[] = {COLUMNS(AS_KIND)};

static void map_rows(const struct view_ctx *ctx, row_vec *out)
{
	for (int want = SEV_CRIT; want >= 0; want--)
		for (size_t i = 0; i < ctx->model->devices.n; i++) {
			const struct device *d = ctx->model->devices.at[i];
			unsigned bad;

			if (d->tier != TIER_HOST && (int)summary_severity(ctx, d, &bad) == want)
				vec_push(out, ref_of_device(d));
		}
}

static void map_cell(const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct device *d = view_device_of(ctx, row);

	if (col >= sizeof(kinds) / sizeof(kinds[0]) || !d)
		cell_unknown(out, VALID_UNKNOWN);
	else
		cause_device_column(ctx, d, kinds[col], out);
}

static bool map_enter(
	const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	if (!view_device_of(ctx, row))
		return false;
	*view = "leaf";
	*scope = row;
	return true;
}

const struct view_ops view_map = {
	.name = "map",
	.title = "map of links",
	.help = "The leaves as rows, the spines as columns, and between them the worst state of "
		"their links: down, paused above 10% of the time, weak signal, load above 80%. C "
		"chooses one of load, BER, flaps and pauses, with its number for each link. "
		"[X] is the device of the cause. On large fabrics rails without a hot link are one "
		"row, and spines share columns. The table has the switches, the worst first.",
	.scope = REF_NONE,
	.columns = columns,
	.ncolumns = sizeof(columns) / sizeof(columns[0]),
	.rows = map_rows,
	.cell = map_cell,
	.enter = map_enter,
	.panel = map_panel,
};
