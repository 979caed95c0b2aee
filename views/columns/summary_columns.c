/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/str.h"
#include "views/columns/columns.h"

static void cell_share(struct view_cell *c, double part, double whole)
{
	cell_percent(c, whole > 0 ? part / whole * 100 : NAN, INFINITY, INFINITY);
}

/* "7/8", marked and sorted by what is missing. */
static void cell_of(struct view_cell *c, unsigned have, unsigned want)
{
	if (!want) {
		cell_unknown(c, VALID_UNKNOWN);
		return;
	}
	cell_text(c, have < want ? ROLE_WARN : ROLE_NORMAL, "%u/%u%s", have, want,
		have < want ? "!" : "");
	c->number = have;
	c->has_number = true;
}

/* A slow port still carries: it warns, as in its own row. */
static void cell_slow(struct view_cell *c, double ports)
{
	cell_count_bad(c, ports);
	if (ports > 0)
		c->role = ROLE_WARN;
}

static void cell_words(const struct summary *s, enum column col, struct view_cell *out)
{
	switch (col) {
	case COL_STATE:
		cell_severity(out, s->health);
		break;
	case COL_WHY:
		cell_text(out, role_of_severity(s->health.severity), "%s", s->health.why);
		break;
	case COL_LEAVES:
		/* A rail of NICs alone has none. */
		if (!s->devices && s->ports_planned)
			cell_text(out, ROLE_DIM, "-");
		else
			cell_of(out, s->devices_seen, s->devices);
		break;
	case COL_PORTS:
		cell_of(out, s->ports_up, s->ports_planned);
		break;
	case COL_DATA:
		cell_text(out,
			s->devices || s->ports_planned ? role_of_device_state(s->data)
						       : ROLE_UNKNOWN,
			"%s", s->devices || s->ports_planned ? dev_state_name(s->data) : "-");
		break;
	default:
		cell_unknown(out, VALID_UNKNOWN);
		break;
	}
}

static void cell_signal(const struct summary *s, enum column col, struct view_cell *out)
{
	switch (col) {
	case COL_SLOW:
		cell_slow(out, s->slow);
		break;
	case COL_FEC:
		cell_count_bad(out, s->fec);
		break;
	case COL_BER:
		cell_ber(out, s->ber);
		break;
	case COL_OPTICS:
		cell_dbm(out, s->rx_power_dbm, s->light_low);
		break;
	default:
		cell_unknown(out, VALID_UNKNOWN);
		break;
	}
}

static void cell_measured(
	const struct view_ctx *ctx, const struct summary *s, enum column col, struct view_cell *out)
{
	switch (col) {
	case COL_RX:
		cell_bps(ctx, out, s->rx_bps);
		break;
	case COL_TX:
		cell_bps(ctx, out, s->tx_bps);
		break;
	case COL_RX_UTIL:
		cell_share(out, s->rx_bps, s->capacity_bps);
		break;
	case COL_TX_UTIL:
		cell_share(out, s->tx_bps, s->capacity_bps);
		break;
	case COL_UP_UTIL:
		cell_share(out, s->up_tx_bps, s->up_capacity_bps);
		break;
	case COL_PAUSED_RX:
		cell_paused(ctx, out, s->paused_rx);
		break;
	case COL_PAUSED_TX:
		cell_paused(ctx, out, s->paused_tx);
		break;
	case COL_ECN:
		cell_rate(out, s->ecn);
		break;
	case COL_ECN_SHARE:
		cell_share(out, s->ecn, s->ecn_of_pps);
		break;
	case COL_CNP:
		cell_rate(out, s->cnp);
		break;
	case COL_DROPS:
		cell_count_bad(out, s->drops);
		break;
	case COL_FLAPS:
		cell_count_bad(out, s->flaps);
		break;
	default:
		cell_signal(s, col, out);
		break;
	}
}

void summary_column(
	const struct view_ctx *ctx, const struct summary *s, enum column col, struct view_cell *out)
{
	if (col < COL_FIRST_MEASURED) {
		cell_words(s, col, out);
		return;
	}
	cell_measured(ctx, s, col, out);
	if (s->old)
		cell_mark_old(out);
}

void device_column(
	const struct view_ctx *ctx, const struct device *d, enum column col, struct view_cell *out)
{
	struct summary s;

	if (col == COL_NAME) {
		cell_text(out, ROLE_NORMAL, "%s", d->name);
		return;
	}
	if (col == COL_TIER) {
		cell_text(out, ROLE_NORMAL, "%s", model_tier_word(ctx->model, d->tier));
		return;
	}
	summary_device(ctx, d, &s);
	/* Leaves are counted in rails: of a device the column says nothing. */
	if (col == COL_LEAVES)
		cell_text(out, ROLE_DIM, "%s", "");
	else
		summary_column(ctx, &s, col, out);
}
