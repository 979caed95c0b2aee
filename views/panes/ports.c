/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "views/columns/columns.h"
#include "views/panels/panel.h"

/* Columns of this view only, before the columns of all port tables. */
enum { PORTS_DEVICE, PORTS_PORT, PORTS_TIER, PORTS_PRIOS, PORTS_OWN };

/* Peer and speed may be dropped on a narrow screen: device and port identify the row. */
/* clang-format off */
#define PEER_COLUMN {"peer", "peer", 15, 3, 2, false, \
	"The other end of the link, as LLDP found it, else as planned"}
#define SPEED_COLUMN {"speed", "speed", 5, 0, 2, true, \
	"Speed in operation; ! behind it: not the planned speed"}
#define SHARED_FIRST(X)                                                                            \
	X(STATE)                                                                                   \
	X(OPER)                                                                                    \
	X(PEER)                                                                                    \
	X(SPEED)                                                                                   \
	X(RX)                                                                                      \
	X(TX)                                                                                      \
	X(RX_UTIL)                                                                                 \
	X(TX_UTIL)                                                                                 \
	X(PAUSED_RX)                                                                               \
	X(PAUSED_TX)                                                                               \
	X(PAUSED_RX_1M)                                                                            \
	X(PAUSED_TX_1M)                                                                            \
	X(ECN)                                                                                     \
	X(CNP)                                                                                     \
	X(DROPS)                                                                                   \
	X(FLAPS)                                                                                   \
	X(FEC)                                                                                     \
	X(BER)                                                                                     \
	X(FEC_BINS)                                                                                \
	X(OPTICS)                                                                                  \
	X(WD)                                                                                      \
	X(RAIL) \
	X(RACK) \
	X(PEER_RACK)
#define SHARED_LAST(X)                                                                             \
	X(DATA)                                                                                    \
	X(WHY)
/* clang-format on */
#undef COLUMN_PEER
#undef COLUMN_SPEED
#define COLUMN_PEER  PEER_COLUMN
#define COLUMN_SPEED SPEED_COLUMN

static const struct table_column columns[] = {
	{"device", "device", 12, 0, 0, false, "Device that the port belongs to"}, COLUMN_PORT,
	COLUMN_TIER,
	{"prios", "paused by prio", 18, 0, 4, false,
		"Each priority that is paused by its peer or pauses it now: number, then per cent "
		"of time paused by the peer / pausing the peer"},
	SHARED_FIRST(AS_COLUMN)
#define SWITCH_COLUMN AS_COUNTER_COLUMN
#define SINCE_COLUMN  AS_COUNTER_COLUMN
#include "views/columns/columns.def"
		SHARED_LAST(AS_COLUMN)};
static const enum column kinds[] = {SHARED_FIRST(AS_KIND)
#define SWITCH_COLUMN AS_COUNTER_KIND
#define SINCE_COLUMN  AS_COUNTER_KIND
#include "views/columns/columns.def"
		SHARED_LAST(AS_KIND)};

static bool in_scope(const struct view_ctx *ctx, const struct device *d, const struct port *p)
{
	switch (ctx->scope.kind) {
	case REF_RAIL:
		return (p->rail >= 0 ? p->rail : d->rail) == ctx->scope.rail;
	case REF_DEVICE:
		return d->id == ctx->scope.device;
	case REF_TIER:
		return d->tier == (enum tier)ctx->scope.tier;
	default:
		return true;
	}
}

static bool may_be_in_scope(const struct view_ctx *ctx, const struct device *d)
{
	return (ctx->scope.kind != REF_DEVICE || d->id == ctx->scope.device) &&
	       (ctx->scope.kind != REF_TIER || d->tier == (enum tier)ctx->scope.tier);
}

/* *at: the next device. */
static bool ports_list(const struct view_ctx *ctx, size_t *at, row_vec *out)
{
	const struct model *m = ctx->model;
	size_t looked = 0;

	if (!*at && ctx->scope.kind != REF_DEVICE)
		vec_reserve(out, out->n + m->ports.n);
	for (; *at < m->devices.n && looked < VIEW_LIST_PIECE; (*at)++) {
		const struct device *d = m->devices.at[*at];

		looked++;
		if (!may_be_in_scope(ctx, d))
			continue;
		looked += d->ports.n;
		for (size_t k = 0; k < d->ports.n; k++) {
			const struct port *p = m->ports.at[d->ports.at[k]];

			if (in_scope(ctx, d, p))
				vec_push(out, ref_of_port(p));
		}
	}
	return *at >= m->devices.n;
}

static void ports_rows(const struct view_ctx *ctx, row_vec *out)
{
	size_t at = 0;

	while (!ports_list(ctx, &at, out))
		;
}

/*
 * "3:31/0%": the priorities with a pause, so that a search finds a pause on an unexpected priority.
 */
static void cell_prios(const struct port *p, struct view_cell *out)
{
	double worst = NAN;
	size_t n = 0;

	cell_unknown(out, VALID_UNKNOWN);
	for (unsigned prio = 0; prio < PRIORITIES; prio++) {
		double rx = port_paused(p, prio, DIR_RX).percent;
		double tx = port_paused(p, prio, DIR_TX).percent;
		char a[16], b[16];

		if (isnan(rx) && isnan(tx))
			continue;
		worst = fmax(worst, fmax(rx, tx));
		if (!(rx > 0) && !(tx > 0))
			continue;
		(void)str_printf(out->text + n, sizeof(out->text) - n, "%s%u:%s/%s", n ? " " : "",
			prio, percent_text(rx, a, sizeof(a)), percent_text(tx, b, sizeof(b)));
		n += strlen(out->text + n);
	}
	out->number = worst;
	out->role = ROLE_NORMAL;
	if (!n)
		(void)str_copy(out->text, sizeof(out->text), isnan(worst) ? "-" : "none");
}

static void ports_cell(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct port *p = view_port_of(ctx, row);
	const struct device *d = p ? model_dev_of(ctx->model, p) : NULL;

	if (!p || col >= sizeof(columns) / sizeof(columns[0])) {
		cell_unknown(out, VALID_UNKNOWN);
		return;
	}
	switch (col) {
	case PORTS_DEVICE:
		cell_text(out, ROLE_NORMAL, "%s", d->name);
		break;
	case PORTS_PORT:
		port_column(ctx, p, COL_PORT, out);
		break;
	case PORTS_TIER:
		cell_text(out, ROLE_NORMAL, "%s", model_tier_word(ctx->model, d->tier));
		break;
	case PORTS_PRIOS:
		cell_prios(p, out);
		if (device_is_old(d))
			cell_mark_old(out);
		break;
	default:
		port_column(ctx, p, kinds[col - PORTS_OWN], out);
		break;
	}
}

/*
 * The cells depend on the port's device; at a leaf, cnp and the peer's name depend on the other
 * end.
 */
static uint64_t ports_stamp(const struct view_ctx *ctx, struct ref row)
{
	const struct model *m = ctx->model;
	const struct port *p = view_port_of(ctx, row), *peer;
	uint64_t hash;

	if (!ctx->cache || !p)
		return 0;
	peer = port_peer(m, p, NULL);
	hash = summary_version(ctx, model_dev_of(m, p)) * UINT64_C(0x9e3779b97f4a7c15);
	hash ^= peer ? summary_version(ctx, model_dev_of(m, peer)) + peer->id : 0;
	/* A new or newly chosen mark changes the "since" columns. */
	hash = (hash ^ (uint64_t)(view_mark(ctx) + 2)) * UINT64_C(0x9e3779b97f4a7c15);
	return (hash ^ (hash >> 29)) | 1;
}

static const char *ports_empty(const struct view_ctx *ctx)
{
	if (!ctx->model->devices.n)
		return "the inventory has no device";
	return ctx->scope.kind == REF_RAIL ? "no port belongs to this rail"
					   : "no port is planned and none was reported yet";
}

const struct view_ops view_ports = {
	.name = "ports",
	.title = "ports",
	.help = "Every port of the fabric, of a rail, a tier or a device, each end of a link in "
		"its own row. The view is made for filters, such as rail=3 pfc_rx.paused>1%. "
		"paused by prio names every priority that is paused, lossless or not. Enter shows "
		"both ends of the link.",
	.scope = REF_NONE,
	.kinds = 1U << REF_RAIL | 1U << REF_DEVICE | 1U << REF_TIER,
	.columns = columns,
	.ncolumns = sizeof(columns) / sizeof(columns[0]),
	.sort = "-state",
	.rows = ports_rows,
	.list = ports_list,
	.cell = ports_cell,
	.stamp = ports_stamp,
	.enter = enter_port,
	.empty = ports_empty,
};
