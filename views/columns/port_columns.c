/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "fabric/model/nets.h"
#include "fabric/vocabulary/counters.h"
#include "views/columns/columns.h"
#include "views/columns/order.h"

typedef void port_fill(const struct view_ctx *ctx, const struct port *p, struct view_cell *out);

/* "-" as a word: there is nothing to compare with. */
static void cell_word(struct view_cell *c, enum role role, const char *text)
{
	if (text[0])
		cell_text(c, role, "%s", text);
	else
		cell_text(c, ROLE_UNKNOWN, "-");
}

static void cell_traffic(
	const struct view_ctx *ctx, const struct port *p, enum direction dir, struct view_cell *out)
{
	double v = port_bps(p, dir);

	if (isnan(v))
		cell_unknown(out, port_cell_valid(ctx->model, p,
					  dir == DIR_RX ? CTR_RX_BYTES : CTR_TX_BYTES, 0));
	else
		cell_bps(ctx, out, v);
}

/* A rate that has no single counter behind it: the word for the reason comes from one that does. */
static void cell_rate_or_why(const struct view_ctx *ctx, struct view_cell *c, const struct port *p,
	double v, bool bad, enum counter_id id, unsigned sub)
{
	if (isnan(v))
		cell_unknown(c, port_cell_valid(ctx->model, p, id, sub));
	else if (bad)
		cell_count_bad(c, v);
	else
		cell_rate(c, v);
}

static unsigned first_priority(uint8_t mask)
{
	unsigned prio = 0;

	while (prio < PRIORITIES - 1 && !(mask >> prio & 1))
		prio++;
	return prio;
}

static void fill_name(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	(void)ctx;
	cell_word(out, ROLE_NORMAL, p->name);
}

void cell_port_state(const struct view_ctx *ctx, struct view_cell *c, const struct port *p)
{
	struct health h = summary_health(ctx, p);

	cell_severity(c, h);
	if (p->oper == OPER_DOWN && h.severity < SEV_WARN) {
		c->role = ROLE_DIM;
		(void)str_copy(c->text, sizeof(c->text), "down");
	}
}

static void fill_oper(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	enum oper seen = port_oper_seen(ctx->model, p);

	if (p->oper == OPER_UNKNOWN && !port_is_gone(p))
		cell_text(out, seen == OPER_UP ? ROLE_NORMAL : ROLE_UNKNOWN, "%s",
			seen == OPER_UNKNOWN ? "-" : oper_name(seen));
	else
		cell_text(
			out, p->oper == OPER_UP ? ROLE_NORMAL : ROLE_DIM, "%s", port_state_name(p));
}

static void fill_state(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	cell_port_state(ctx, out, p);
}

static void fill_peer(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	char peer[2 * NAME_MAX_LEN];

	cell_word(out, ROLE_NORMAL, peer_locator(ctx->model, p, peer, sizeof(peer)));
}

static void fill_speed(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	char speed[TABLE_CELL_TEXT];

	(void)ctx;
	cell_speed(out, p->speed_mbps, p->plan_speed_mbps);
	/* A badge of the other transports. */
	if (!transport_has_pfc(p->more->link_layer) && str_copy(speed, sizeof(speed), out->text))
		(void)str_printf(out->text, sizeof(out->text), "%s%s",
			port_is_infiniband(p) ? "IB" : "EFA", speed);
}

static void fill_rail(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	int rail = p->rail >= 0 ? p->rail : model_dev_of(ctx->model, p)->rail;

	cell_unknown(out, VALID_UNKNOWN);
	if (rail < 0)
		return;
	cell_text(out, ROLE_NORMAL, "%d", rail);
	out->number = rail;
	out->has_number = true;
}

void cell_stand(const struct device *d, struct view_cell *out)
{
	char text[STAND_TEXT];

	cell_text(out, ROLE_NORMAL, "%s", device_stand(d, text, sizeof(text)));
}

static void fill_rack(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	cell_stand(model_dev_of(ctx->model, p), out);
}

static void fill_peer_rack(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	const struct port *peer = port_peer(ctx->model, p, NULL);

	if (peer)
		cell_stand(model_dev_of(ctx->model, peer), out);
	else
		cell_text(out, ROLE_NORMAL, "%s", "");
}

static void fill_net(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	enum net_kind net = port_net(ctx->model, p);

	cell_unknown(out, VALID_UNKNOWN);
	if (net != NET_COUNT)
		cell_text(out, ROLE_NORMAL, "%s", net_kind_name(net));
}

static void fill_netdev(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	(void)ctx;
	cell_word(out, ROLE_NORMAL, p->netdev);
}

static void fill_data(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	enum dev_state s = model_dev_of(ctx->model, p)->state;

	cell_text(out, role_of_device_state(s), "%s", dev_state_name(s));
}

static void fill_why(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	struct health h = summary_health(ctx, p);

	cell_text(out, role_of_severity(h.severity), "%s",
		h.why[0] || p->oper != OPER_DOWN ? h.why : p->more->down_reason);
}

static void fill_rx(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	cell_traffic(ctx, p, DIR_RX, out);
}

static void fill_tx(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	cell_traffic(ctx, p, DIR_TX, out);
}

static void fill_rx_util(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	(void)ctx;
	cell_percent(out, port_utilisation(p, DIR_RX) * 100, INFINITY, INFINITY);
}

static void fill_tx_util(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	(void)ctx;
	cell_percent(out, port_utilisation(p, DIR_TX) * 100, INFINITY, INFINITY);
}

static void cell_port_paused(const struct view_ctx *ctx, struct view_cell *c, const struct port *p,
	enum direction dir, bool recent)
{
	uint8_t mask = lossless_priorities(&ctx->model->lossless);
	struct paused paused =
		recent ? port_paused_recent_max(p, mask, dir) : port_paused_max(p, mask, dir);
	enum counter_id frames = dir == DIR_RX ? CTR_PFC_RX_FRAMES : CTR_PFC_TX_FRAMES;

	(recent ? cell_paused_recent : cell_paused)(ctx, c, paused);
	if (isnan(paused.percent))
		cell_unknown(c, port_cell_valid(ctx->model, p, frames, first_priority(mask)));
}

static void fill_paused_rx(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	cell_port_paused(ctx, out, p, DIR_RX, false);
}

static void fill_paused_tx(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	cell_port_paused(ctx, out, p, DIR_TX, false);
}

static void fill_paused_rx_1m(
	const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	cell_port_paused(ctx, out, p, DIR_RX, true);
}

static void fill_paused_tx_1m(
	const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	cell_port_paused(ctx, out, p, DIR_TX, true);
}

/* The sum of a counter's priorities; for a reason why there is none, the first lossless one. */
static void cell_priorities(
	const struct view_ctx *ctx, struct view_cell *c, const struct port *p, enum counter_id id)
{
	cell_rate_or_why(ctx, c, p, port_rate_prios(p, id, 0xff),
		counter_info[id].trend == TREND_BAD, id,
		first_priority(lossless_priorities(&ctx->model->lossless)));
}

static void fill_ecn(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	double marked = port_rate_prios(p, CTR_ECN_MARKED_PACKETS, 0xff);

	if (model_dev_of(ctx->model, p)->tier == TIER_HOST && isnan(marked))
		cell_counter(ctx, out, p, CTR_ECN_MARKED_ROCE_PACKETS, 0);
	else
		cell_priorities(ctx, out, p, CTR_ECN_MARKED_PACKETS);
}

static void fill_order(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	static const char *const words[] = {
		"-", "quiet", "ECN", "ECN>PFC", "PFC>ECN!", "PFC!", "PFC"};
	struct order o = order_of_port(ctx->model, p);
	enum order_kind kind = order_kind(o);

	cell_unknown(out, VALID_UNKNOWN);
	/* A host's marks are those that arrive; its queues do not mark. */
	if (kind == ORDER_UNKNOWN || model_dev_of(ctx->model, p)->tier == TIER_HOST)
		return;
	cell_text(out,
		kind == ORDER_PFC_FIRST || kind == ORDER_PFC_ALONE ? ROLE_WARN
		: kind == ORDER_QUIET                              ? ROLE_DIM
								   : ROLE_NORMAL,
		"%s", words[kind]);
	out->number = o.paused - (isnan(o.marked) ? 0 : o.marked);
	out->has_number = true;
}

static void fill_cnp(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	const struct port *peer = port_peer(ctx->model, p, NULL);

	if (model_dev_of(ctx->model, p)->tier == TIER_HOST)
		cell_counter(ctx, out, p, CTR_CNP_SENT, 0);
	else if (peer && model_dev_of(ctx->model, peer)->tier == TIER_HOST)
		cell_counter(ctx, out, peer, CTR_CNP_SENT, 0);
	else
		cell_unknown(out, VALID_UNKNOWN);
}

static void fill_drops(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	cell_rate_or_why(ctx, out, p, port_drop_rate(p), true, CTR_RX_DISCARDS, 0);
}

static void fill_flaps(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	(void)ctx;
	cell_count_bad(out, port_flaps(p));
}

static void fill_fec(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	cell_rate_or_why(ctx, out, p, port_rate(p, CTR_FEC_UNCORRECTABLE_CODEWORDS, 0), true,
		CTR_FEC_UNCORRECTABLE_CODEWORDS, 0);
}

static void fill_ber(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	double ber = port_pre_fec_ber(p);

	cell_ber(out, ber);
	if (isnan(ber))
		cell_unknown(out, port_cell_valid(ctx->model, p, CTR_PRE_FEC_BER, 0));
}

static void fill_optics(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	double dbm = port_rx_power_min(p);

	cell_dbm(out, dbm, port_light_is_low(p));
	if (isnan(dbm))
		cell_unknown(out, port_cell_valid(ctx->model, p, CTR_RX_POWER_DBM, 0));
}

static void fill_wd(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	enum wd_state s = watchdog_worst(p, lossless_priorities(&ctx->model->lossless));

	cell_text(out, watchdog_role(s), "%s", watchdog_word(s));
}

/* PCI-SIG transfer rates per generation. */
static unsigned pcie_generation(double mtps)
{
	static const double rates[] = {2500, 5000, 8000, 16000, 32000, 64000};
	unsigned gen = 0;

	while (gen < sizeof(rates) / sizeof(rates[0]) && mtps >= rates[gen])
		gen++;
	return gen;
}

static void fill_pcie(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	const struct cell *width = port_cell(p, CTR_PCIE_WIDTH, 0);
	const struct cell *speed = port_cell(p, CTR_PCIE_SPEED_MTPS, 0);

	if (!width || width->valid != VALID_OK || !speed || speed->valid != VALID_OK) {
		cell_unknown(out, port_cell_valid(ctx->model, p, CTR_PCIE_WIDTH, 0));
		return;
	}
	cell_text(out, ROLE_NORMAL, "gen%u x%.0f", pcie_generation(speed->real), width->real);
	out->number = width->real * speed->real;
	out->has_number = true;
}

/* The highest bin that has a codeword; -1: none has, -2: not told. */
static int fec_worst_bin(const struct port *p)
{
	int worst = -2;

	for (int bin = 0; bin < FEC_BINS; bin++) {
		const struct cell *c = port_cell(p, CTR_FEC_BIN, (unsigned)bin);

		if (c && (c->valid == VALID_OK || c->valid == VALID_RESET))
			worst = c->u64 ? bin : worst == -2 ? -1 : worst;
	}
	return worst;
}

void fec_bins_text(const struct term *t, const struct port *p, char *dst, size_t size)
{
	float bars[FEC_BINS + 1];
	size_t len;

	for (unsigned bin = 0; bin < FEC_BINS; bin++) {
		const struct cell *c = port_cell(p, CTR_FEC_BIN, bin);
		bool known = c && (c->valid == VALID_OK || c->valid == VALID_RESET);

		/* An empty bin is no bar at all: one codeword is what must not be overlooked. */
		bars[bin] = known && c->u64 ? (float)(log10((double)c->u64) + 1) : NAN;
	}
	/* The gap that says "now" in a history would come behind the last bar. */
	bars[FEC_BINS] = NAN;
	spark_text(t, bars, FEC_BINS + 1, FEC_BINS, FEC_BINS, 0, FEC_BINS + 1, dst, size);
	len = strlen(dst);
	if (len && dst[len - 1] == ' ')
		dst[len - 1] = '\0';
}

static void fill_fec_bins(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	int worst = fec_worst_bin(p);

	if (worst == -2) {
		cell_unknown(out, port_cell_valid(ctx->model, p, CTR_FEC_BIN, 0));
		return;
	}
	cell_text(out, ROLE_NORMAL, "to bin %d", worst);
	if (ctx->term)
		fec_bins_text(ctx->term, p, out->text, sizeof(out->text));
	out->number = worst;
	out->has_number = true;
}

/* ---- columns.def: the cell of one counter ---- */

typedef void counter_show(const struct view_ctx *ctx, const struct port *p, enum counter_id id,
	struct view_cell *out);

static void show_rate(
	const struct view_ctx *ctx, const struct port *p, enum counter_id id, struct view_cell *out)
{
	if (counter_info[id].dim == DIM_ONE)
		cell_counter(ctx, out, p, id, 0);
	else
		cell_priorities(ctx, out, p, id);
}

static void show_since(
	const struct view_ctx *ctx, const struct port *p, enum counter_id id, struct view_cell *out)
{
	cell_since(ctx, out, p, id, 0xff);
}

static void show_since_lossless(
	const struct view_ctx *ctx, const struct port *p, enum counter_id id, struct view_cell *out)
{
	cell_since(ctx, out, p, id, lossless_priorities(&ctx->model->lossless));
}

static void show_since_lost(
	const struct view_ctx *ctx, const struct port *p, enum counter_id id, struct view_cell *out)
{
	static const enum counter_id lost[] = {CTR_RX_DISCARDS, CTR_TX_DISCARDS, CTR_QUEUE_DROPS,
		CTR_PG_DROPS, CTR_PFCWD_DROPS, CTR_RX_PRIO_DISCARDS};
	double sum = NAN;

	(void)id;
	for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++) {
		struct view_cell one;

		cell_since(ctx, &one, p, lost[i], 0xff);
		sum = known_sum(sum, one.number);
	}
	cell_count_bad(out, sum);
}

#define SHOW_RATE           show_rate
#define SHOW_SINCE          show_since
#define SHOW_SINCE_LOSSLESS show_since_lossless
#define SHOW_SINCE_LOST     show_since_lost
#define SHOWN(col, id, title, width, priority, shows, counter, help)                               \
	[COL_##col - COL_FIRST_COUNTER] = {CTR_##counter, SHOW_##shows},

/* The counter of each column from COL_FIRST_COUNTER on. */
static const struct {
	enum counter_id id;
	counter_show *show;
} counters[COL_COUNT - COL_FIRST_COUNTER] = {
#define HOST_COLUMN   SHOWN
#define SWITCH_COLUMN SHOWN
#define SINCE_COLUMN  SHOWN
#include "views/columns/columns.def"
};

#define TREND_WIDTH 20

/* For the eye only: a batch has the numbers. */
static void fill_trend(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	struct history h;
	unsigned mbps = p->speed_mbps ? p->speed_mbps : p->plan_speed_mbps;

	cell_text(out, ROLE_ACCENT, "%s", "");
	if (ctx->term && port_history(p, CTR_RX_BYTES, 0, &h)) {
		float bins[TREND_WIDTH];
		size_t next = h.next, used = h.used;

		spark_fold(h.at, HISTORY_LEN, &next, &used, bins, TREND_WIDTH);
		spark_text(ctx->term, bins, TREND_WIDTH, next, used, mbps * 1e6 / 8, TREND_WIDTH,
			out->text, sizeof(out->text));
	}
}

_Static_assert(HISTORY_LEN % TREND_WIDTH == 0, "a bin is a whole number of samples");

static port_fill *const fills[COL_FIRST_COUNTER] = {
	[COL_PORT] = fill_name,
	[COL_NIC] = fill_name,
	[COL_NAME] = fill_name,
	[COL_STATE] = fill_state,
	[COL_OPER] = fill_oper,
	[COL_PEER] = fill_peer,
	[COL_SPEED] = fill_speed,
	[COL_RAIL] = fill_rail,
	[COL_RACK] = fill_rack,
	[COL_PEER_RACK] = fill_peer_rack,
	[COL_NETDEV] = fill_netdev,
	[COL_NET] = fill_net,
	[COL_DATA] = fill_data,
	[COL_WHY] = fill_why,
	[COL_RX] = fill_rx,
	[COL_TX] = fill_tx,
	[COL_RX_UTIL] = fill_rx_util,
	[COL_TX_UTIL] = fill_tx_util,
	[COL_PAUSED_RX] = fill_paused_rx,
	[COL_PAUSED_TX] = fill_paused_tx,
	[COL_PAUSED_RX_1M] = fill_paused_rx_1m,
	[COL_PAUSED_TX_1M] = fill_paused_tx_1m,
	[COL_ECN] = fill_ecn,
	[COL_ORDER] = fill_order,
	[COL_CNP] = fill_cnp,
	[COL_DROPS] = fill_drops,
	[COL_FLAPS] = fill_flaps,
	[COL_FEC] = fill_fec,
	[COL_BER] = fill_ber,
	[COL_OPTICS] = fill_optics,
	[COL_WD] = fill_wd,
	[COL_PCIE] = fill_pcie,
	[COL_FEC_BINS] = fill_fec_bins,
	[COL_TREND] = fill_trend,
};

void port_column(
	const struct view_ctx *ctx, const struct port *p, enum column col, struct view_cell *out)
{
	if ((unsigned)col >= COL_COUNT || (col < COL_FIRST_COUNTER && !fills[col])) {
		cell_unknown(out, VALID_UNKNOWN);
		return;
	}
	if (col < COL_FIRST_COUNTER)
		fills[col](ctx, p, out);
	else
		counters[col - COL_FIRST_COUNTER].show(
			ctx, p, counters[col - COL_FIRST_COUNTER].id, out);
	if (col >= COL_FIRST_MEASURED && device_is_old(model_dev_of(ctx->model, p)))
		cell_mark_old(out);
}

void port_row_cell(const struct view_ctx *ctx, struct ref row, const enum column *kinds, size_t n,
	size_t col, struct view_cell *out)
{
	const struct port *p = view_port_of(ctx, row);

	if (p && col < n)
		port_column(ctx, p, kinds[col], out);
	else
		cell_unknown(out, VALID_UNKNOWN);
}
