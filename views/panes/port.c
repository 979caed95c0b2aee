/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "views/panels/port_panel.h"
#include "views/panels/port_settings.h"

/*
 * One row for each priority. The columns of the far end have the numbers of the far end's own view,
 * so that one row shows the sent and the received pauses of both ends.
 */
enum prio_column {
	PRIO_NUMBER,
	PRIO_CLASS,
	PRIO_PFC_RX,
	PRIO_PFC_TX,
	PRIO_PAUSED_RX,
	PRIO_PAUSED_TX,
	PRIO_PAUSED_RX_1M,
	PRIO_PAUSED_TX_1M,
	PRIO_ECN,
	PRIO_DROPS,
	PRIO_BYTES,
	PRIO_DEPTH,
	PRIO_Q_PEAK,
	PRIO_PG_PEAK,
	PRIO_HEADROOM_PEAK,
	PRIO_WD,
	PRIO_FAR_PAUSED_RX,
	PRIO_FAR_PAUSED_TX,
	PRIO_FAR_ECN,
	PRIO_FAR_DROPS,
	PRIO_FAR_WD,
	PRIO_DSCP,
	PRIO_ECN_MIN,
	PRIO_ECN_MAX,
	PRIO_ECN_PROBABILITY,
	PRIO_XOFF,
	PRIO_HEADROOM,
	PRIO_WD_DETECT,
	PRIO_WD_RESTORE,
	PRIO_SINCE_PFC_RX,
	PRIO_SINCE_PFC_TX,
	PRIO_SINCE_DROPS,
	PRIO_COLUMNS
};

static const struct table_column columns[PRIO_COLUMNS] = {
	[PRIO_NUMBER] = {"prio", "prio", 4, 0, 0, true, "Priority: 0 to 7"},
	[PRIO_CLASS] = {"class", "class", 8, 0, 1, false,
		"lossless or lossy by the inventory (3 is lossless by default); ! behind it: the "
		"PFC setting of the device differs"},
	[PRIO_PFC_RX] = {"pfc_rx", "pfc rx", 6, 0, 0, true,
		"PFC frames received per second: the peer pauses this port"},
	[PRIO_PFC_TX] = {"pfc_tx", "pfc tx", 6, 0, 0, true,
		"PFC frames sent per second: this port pauses its peer"},
	[PRIO_PAUSED_RX] = {"paused_rx", "pau rx", 6, 0, 0, true,
		"Per cent of time paused by the peer; <=: upper bound from frames"},
	[PRIO_PAUSED_TX] = {"paused_tx", "pau tx", 6, 0, 0, true,
		"Per cent of time that this port pauses the peer; <=: upper bound from frames"},
	[PRIO_PAUSED_RX_1M] = {"paused_rx_1m", "rx 1min", 7, 0, 3, true,
		"Per cent of the last minute, or of what was seen of it, paused by the peer"},
	[PRIO_PAUSED_TX_1M] = {"paused_tx_1m", "tx 1min", 7, 0, 3, true,
		"Per cent of the last minute, or of what was seen of it, that this port paused the "
		"peer"},
	[PRIO_ECN] = {"ecn", "ecn/s", 6, 0, 1, true,
		"Packets marked congestion-experienced per second"},
	[PRIO_DROPS] = {"drops", "drop/s", 6, 0, 1, true,
		"Packets lost per second: queue, priority group, watchdog, NIC buffer"},
	[PRIO_BYTES] = {"bytes", "q B/s", 6, 0, 1, true, "Bytes sent from the queue per second"},
	[PRIO_DEPTH] = {"depth", "depth", 6, 0, 2, true, "Bytes waiting in the queue now"},
	[PRIO_Q_PEAK] = {"q_peak", "q peak", 6, 0, 2, true,
		"Peak of the egress queue in bytes since the device's own clear"},
	[PRIO_PG_PEAK] = {"pg_peak", "pg peak", 7, 0, 2, true,
		"Peak of the shared buffer in the ingress priority group"},
	[PRIO_HEADROOM_PEAK] = {"hdrm_peak", "hdrm pk", 7, 0, 2, true,
		"Most headroom used after XOFF: full headroom means loss"},
	[PRIO_WD] = {"wd", "wd", 5, 0, 1, false, "PFC watchdog of the queue: ok, STORM, off"},
	[PRIO_FAR_PAUSED_RX] = {"far_paused_rx", "peer pause rx", 13, 0, 3, true,
		"Peer: per cent of time that this port paused it"},
	[PRIO_FAR_PAUSED_TX] = {"far_paused_tx", "peer pause tx", 13, 0, 3, true,
		"Peer: per cent of time that it paused this port"},
	[PRIO_FAR_ECN] = {"far_ecn", "peer ecn", 8, 0, 4, true, "Peer: packets marked per second"},
	[PRIO_FAR_DROPS] = {"far_drops", "peer drop", 9, 0, 3, true,
		"Peer: packets lost per second"},
	[PRIO_FAR_WD] = {"far_wd", "peer wd", 7, 0, 3, false, "Peer: PFC watchdog of the queue"},
	[PRIO_DSCP] = {"dscp", "dscp", 8, 1, 4, false,
		"DSCPs that are mapped to the traffic class of this number"},
	[PRIO_ECN_MIN] = {"ecn_min", "ecn min", 7, 0, 4, true,
		"Bytes in the queue from which some packets are marked"},
	[PRIO_ECN_MAX] = {"ecn_max", "ecn max", 7, 0, 4, true,
		"Bytes in the queue from which all ECN-capable packets are marked"},
	[PRIO_ECN_PROBABILITY] = {"ecn_prob", "ecn%", 5, 0, 4, true,
		"Share of packets that is marked just below the maximum"},
	[PRIO_XOFF] = {"xoff", "xoff", 6, 0, 4, true,
		"Bytes in the priority group above which the peer is paused"},
	[PRIO_HEADROOM] = {"headroom", "hdroom", 6, 0, 4, true,
		"Bytes of buffer for packets that still arrive after XOFF"},
	[PRIO_WD_DETECT] = {"wd_detect", "detect", 6, 0, 4, true,
		"Milliseconds of pause after which the watchdog detects a storm"},
	[PRIO_WD_RESTORE] = {"wd_restore", "restore", 7, 0, 4, true,
		"Milliseconds without pause that end a storm"},
	[PRIO_SINCE_PFC_RX] = {"since_pfc_rx", "+pfc rx", 7, 0, 3, true,
		"PFC frames received since the mark (m sets one)"},
	[PRIO_SINCE_PFC_TX] = {"since_pfc_tx", "+pfc tx", 7, 0, 3, true,
		"PFC frames sent since the mark"},
	[PRIO_SINCE_DROPS] = {"since_drops", "+drop", 6, 0, 3, true,
		"Packets lost since the mark: queue, priority group, watchdog, NIC buffer"},
};

static void port_rows(const struct view_ctx *ctx, row_vec *out)
{
	const struct port *p = view_port_of(ctx, ctx->scope);

	for (unsigned prio = 0; p && prio < PRIORITIES; prio++)
		vec_push(out, ref_of_priority(p, prio));
}

/* The lossless priority that is paused most, either way; without a pause the first lossless one. */
static struct ref port_first(const struct view_ctx *ctx)
{
	const struct port *p = view_port_of(ctx, ctx->scope);
	uint8_t mask = lossless_priorities(&ctx->model->lossless);
	double most = -1;
	unsigned worst = PRIORITIES;

	for (unsigned prio = 0; p && prio < PRIORITIES; prio++) {
		double rx, tx;

		if (!(mask >> prio & 1))
			continue;
		rx = port_paused(p, prio, DIR_RX).percent;
		tx = port_paused(p, prio, DIR_TX).percent;
		rx = isnan(rx) ? 0 : rx;
		rx = !isnan(tx) && tx > rx ? tx : rx;
		if (rx > most) {
			most = rx;
			worst = prio;
		}
	}
	return worst < PRIORITIES ? ref_of_priority(p, worst) : (struct ref){.kind = REF_NONE};
}

static void cell_class(
	const struct view_ctx *ctx, const struct port *p, unsigned prio, struct view_cell *out)
{
	bool lossless = lossless_priorities(&ctx->model->lossless) >> prio & 1;
	bool known = p->pfc_enabled >> 8 & 1, on = p->pfc_enabled >> prio & 1;
	bool differs = known && on != lossless;

	cell_text(out,
		differs    ? ROLE_WARN
		: lossless ? ROLE_NORMAL
			   : ROLE_DIM,
		"%s%s", lossless ? "lossless" : "lossy", differs ? "!" : "");
}

static const enum counter_id drops[] = {
	CTR_QUEUE_DROPS, CTR_PG_DROPS, CTR_PFCWD_DROPS, CTR_RX_PRIO_DISCARDS};
enum { DROP_COUNTERS = sizeof(drops) / sizeof(drops[0]) };

static void cell_since_drops(
	const struct view_ctx *ctx, const struct port *p, unsigned prio, struct view_cell *out)
{
	double sum = NAN;

	for (size_t i = 0; i < DROP_COUNTERS; i++) {
		struct view_cell one;

		cell_since(ctx, &one, p, drops[i], (uint8_t)(1U << prio));
		sum = known_sum(sum, one.number);
	}
	cell_count_bad(out, sum);
}

static void cell_bytes(uint32_t bytes, struct view_cell *out)
{
	if (bytes != UINT32_MAX)
		cell_rate(out, bytes);
}

static void cell_ms(uint32_t ms, struct view_cell *out)
{
	if (ms)
		cell_rate(out, ms);
	out->second = 1e3;
}

/* On entry out is "unknown". */
static void cell_setting(const struct port *p, unsigned prio, size_t col, struct view_cell *out)
{
	const struct qos_prio *q = p->qos ? &p->qos->prio[prio] : NULL;
	char dscps[TABLE_CELL_TEXT];

	if (col == PRIO_WD_DETECT) {
		cell_ms(p->wd[prio].detect_ms, out);
	} else if (col == PRIO_WD_RESTORE) {
		cell_ms(p->wd[prio].restore_ms, out);
	} else if (col == PRIO_DSCP && q && p->qos->dscp_to_tc) {
		settings_dscps(p, prio, dscps, sizeof(dscps));
		cell_text(out, ROLE_NORMAL, "%s", dscps);
	} else if (q && col == PRIO_ECN_PROBABILITY) {
		if (!isnan(q->ecn_probability))
			cell_percent(out, (double)q->ecn_probability, INFINITY, INFINITY);
	} else if (q && col != PRIO_DSCP) {
		cell_bytes(col == PRIO_ECN_MIN   ? q->ecn_min_bytes
			   : col == PRIO_ECN_MAX ? q->ecn_max_bytes
			   : col == PRIO_XOFF    ? q->xoff_bytes
						 : q->headroom_bytes,
			out);
	}
}

static void cell_drops(
	const struct view_ctx *ctx, const struct port *p, unsigned prio, struct view_cell *out)
{
	double sum = NAN;

	for (size_t i = 0; i < DROP_COUNTERS; i++)
		sum = known_sum(sum, port_rate(p, drops[i], prio));
	if (isnan(sum))
		cell_unknown(out, port_cell_valid(ctx->model, p, CTR_QUEUE_DROPS, prio));
	else
		cell_count_bad(out, sum);
	if (device_is_old(model_dev_of(ctx->model, p)))
		cell_mark_old(out);
}

static void cell_paused_prio(const struct view_ctx *ctx, const struct port *p, unsigned prio,
	enum direction dir, bool recent, struct view_cell *out)
{
	struct paused paused =
		recent ? port_paused_recent(p, prio, dir) : port_paused(p, prio, dir);

	(recent ? cell_paused_recent : cell_paused)(ctx, out, paused);
	if (isnan(paused.percent))
		cell_unknown(
			out, port_cell_valid(ctx->model, p,
				     dir == DIR_RX ? CTR_PFC_RX_FRAMES : CTR_PFC_TX_FRAMES, prio));
	if (device_is_old(model_dev_of(ctx->model, p)))
		cell_mark_old(out);
}

static void cell_wd(const struct port *p, unsigned prio, struct view_cell *out)
{
	enum wd_state s = (enum wd_state)p->wd[prio].state;

	cell_text(out, watchdog_role(s), "%s", watchdog_word(s));
}

/* The content of a column: a counter, or a value computed from several. */
struct prio_cell {
	enum {
		NOTHING,
		NUMBER,
		CLASS,
		COUNTER_CELL,
		PAUSED_RX,
		PAUSED_TX,
		PAUSED_RX_1M,
		PAUSED_TX_1M,
		DROPS,
		WATCHDOG,
		SETTING,
		SINCE,
		SINCE_DROPS
	} what;
	enum counter_id id;
	bool far;
};
static const struct prio_cell cells[PRIO_COLUMNS] = {
	[PRIO_NUMBER] = {NUMBER, 0, false},
	[PRIO_CLASS] = {CLASS, 0, false},
	[PRIO_PFC_RX] = {COUNTER_CELL, CTR_PFC_RX_FRAMES, false},
	[PRIO_PFC_TX] = {COUNTER_CELL, CTR_PFC_TX_FRAMES, false},
	[PRIO_PAUSED_RX] = {PAUSED_RX, 0, false},
	[PRIO_PAUSED_TX] = {PAUSED_TX, 0, false},
	[PRIO_PAUSED_RX_1M] = {PAUSED_RX_1M, 0, false},
	[PRIO_PAUSED_TX_1M] = {PAUSED_TX_1M, 0, false},
	[PRIO_ECN] = {COUNTER_CELL, CTR_ECN_MARKED_PACKETS, false},
	[PRIO_DROPS] = {DROPS, 0, false},
	[PRIO_BYTES] = {COUNTER_CELL, CTR_QUEUE_TX_BYTES, false},
	[PRIO_DEPTH] = {COUNTER_CELL, CTR_QUEUE_DEPTH_BYTES, false},
	[PRIO_Q_PEAK] = {COUNTER_CELL, CTR_QUEUE_WATERMARK_BYTES, false},
	[PRIO_PG_PEAK] = {COUNTER_CELL, CTR_PG_WATERMARK_BYTES, false},
	[PRIO_HEADROOM_PEAK] = {COUNTER_CELL, CTR_HEADROOM_WATERMARK_BYTES, false},
	[PRIO_WD] = {WATCHDOG, 0, false},
	[PRIO_FAR_PAUSED_RX] = {PAUSED_RX, 0, true},
	[PRIO_FAR_PAUSED_TX] = {PAUSED_TX, 0, true},
	[PRIO_FAR_ECN] = {COUNTER_CELL, CTR_ECN_MARKED_PACKETS, true},
	[PRIO_FAR_DROPS] = {DROPS, 0, true},
	[PRIO_FAR_WD] = {WATCHDOG, 0, true},
	[PRIO_DSCP] = {SETTING, 0, false},
	[PRIO_ECN_MIN] = {SETTING, 0, false},
	[PRIO_ECN_MAX] = {SETTING, 0, false},
	[PRIO_ECN_PROBABILITY] = {SETTING, 0, false},
	[PRIO_XOFF] = {SETTING, 0, false},
	[PRIO_HEADROOM] = {SETTING, 0, false},
	[PRIO_WD_DETECT] = {SETTING, 0, false},
	[PRIO_WD_RESTORE] = {SETTING, 0, false},
	[PRIO_SINCE_PFC_RX] = {SINCE, CTR_PFC_RX_FRAMES, false},
	[PRIO_SINCE_PFC_TX] = {SINCE, CTR_PFC_TX_FRAMES, false},
	[PRIO_SINCE_DROPS] = {SINCE_DROPS, 0, false},
};

static void port_cell_of(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct port *p = view_port_of(ctx, row);
	unsigned prio = row.priority;

	if (p && col < PRIO_COLUMNS && cells[col].far)
		p = port_peer(ctx->model, p, NULL);
	cell_unknown(out, VALID_UNKNOWN);
	if (!p || col >= PRIO_COLUMNS || prio >= PRIORITIES)
		return;
	switch (cells[col].what) {
	case NUMBER:
		cell_text(out, ROLE_NORMAL, "%u", prio);
		out->number = prio;
		out->has_number = true;
		break;
	case CLASS:
		cell_class(ctx, p, prio, out);
		break;
	case COUNTER_CELL:
		cell_counter(ctx, out, p, cells[col].id, prio);
		break;
	case PAUSED_RX:
		cell_paused_prio(ctx, p, prio, DIR_RX, false, out);
		break;
	case PAUSED_TX:
		cell_paused_prio(ctx, p, prio, DIR_TX, false, out);
		break;
	case PAUSED_RX_1M:
		cell_paused_prio(ctx, p, prio, DIR_RX, true, out);
		break;
	case PAUSED_TX_1M:
		cell_paused_prio(ctx, p, prio, DIR_TX, true, out);
		break;
	case DROPS:
		cell_drops(ctx, p, prio, out);
		break;
	case WATCHDOG:
		cell_wd(p, prio, out);
		break;
	case SETTING:
		cell_setting(p, prio, col, out);
		break;
	case SINCE:
		cell_since(ctx, out, p, cells[col].id, (uint8_t)(1U << prio));
		break;
	case SINCE_DROPS:
		cell_since_drops(ctx, p, prio, out);
		break;
	case NOTHING:
		break;
	}
}

static bool port_enter(
	const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	const struct port *p = view_port_of(ctx, row);

	if (!p || row.kind != REF_PRIORITY)
		return false;
	*view = "priority";
	*scope = ref_of_priority(p, row.priority);
	return true;
}

static const char *port_empty(const struct view_ctx *ctx)
{
	(void)ctx;
	return "no port is chosen: type one in the palette, such as leaf-r0-00:Ethernet0";
}

const struct view_ops view_port = {
	.name = "port",
	.title = "port",
	.help = "Both ends of one link side by side, then a row a priority. pfc tx of one end is "
		"pfc rx of the other. paused rx is the time that this port was paused by its peer. "
		"The peer columns are the same numbers at the other end. Enter shows every counter "
		"of the priority.",
	.scope = REF_PORT,
	.columns = columns,
	.ncolumns = PRIO_COLUMNS,
	.rows = port_rows,
	.cell = port_cell_of,
	.enter = port_enter,
	.first = port_first,
	.panel = port_panel,
	.empty = port_empty,
};
