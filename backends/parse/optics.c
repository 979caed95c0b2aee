/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/optics.h"
#include "backends/contract/needs.h"
#include "fabric/vocabulary/counters.h"

const enum need_id optics_needs[] = {
	NEED_OPTICS_RX,
	NEED_OPTICS_TX,
	NEED_OPTICS_BIAS,
	NEED_OPTICS_TEMPERATURE,
};
const size_t optics_needs_count = sizeof(optics_needs) / sizeof(optics_needs[0]);

static bool is_dark(enum number has, double dbm)
{
	return has == NUMBER_NONE || has == NUMBER_MINUS_INF || dbm <= DARK_DBM;
}

/*
 * A receiver on a connected lane still measures some noise. So exactly -inf everywhere identifies
 * an unused lane; a lit lane that lost its peer shows other values.
 */
static bool is_unused(const struct optics_lane *l)
{
	return l->has_rx != NUMBER_OK && is_dark(l->has_tx, l->tx_dbm) &&
	       (l->has_bias != NUMBER_OK || l->bias_ma == 0);
}

static void emit_power(struct obs *o, uint32_t port, enum counter_id id, unsigned lane,
	enum number has, double dbm)
{
	if (has == NUMBER_MINUS_INF || (has == NUMBER_OK && dbm < DARK_DBM))
		obs_gauge(o, port, id, lane, DARK_DBM);
	else if (has == NUMBER_OK)
		obs_gauge(o, port, id, lane, dbm);
}

static void emit_lane(const struct optics_lane *l, struct obs *o, uint32_t port, unsigned lane)
{
	emit_power(o, port, CTR_RX_POWER_DBM, lane, l->has_rx, l->rx_dbm);
	emit_power(o, port, CTR_TX_POWER_DBM, lane, l->has_tx, l->tx_dbm);
	if (l->has_bias == NUMBER_OK)
		obs_gauge(o, port, CTR_TX_BIAS_MA, lane, l->bias_ma);
}

static void emit_lanes(const struct optics *x, struct obs *o, uint32_t port)
{
	unsigned used = 0;
	bool rx = false, tx = false, bias = false;

	for (unsigned i = 0; i < LANES; i++) {
		const struct optics_lane *l = &x->lane[i];

		used |= (unsigned)!is_unused(l) << i;
		rx |= l->has_rx != NUMBER_NONE;
		tx |= l->has_tx != NUMBER_NONE;
		bias |= l->has_bias != NUMBER_NONE;
	}
	for (unsigned i = 0; i < LANES; i++)
		if (!used || used >> i & 1)
			emit_lane(&x->lane[i], o, port, i);
	if (!rx)
		obs_invalid(o, port, CTR_RX_POWER_DBM, 0, VALID_UNSUPPORTED, "");
	if (!tx)
		obs_invalid(o, port, CTR_TX_POWER_DBM, 0, VALID_UNSUPPORTED, "");
	if (!bias)
		obs_invalid(o, port, CTR_TX_BIAS_MA, 0, VALID_UNSUPPORTED, "");
}

void optics_emit(const struct optics *x, struct obs *o, uint32_t port)
{
	static const struct optics nothing;

	/* A running module has a supply voltage: copper cables print 0 V for "not measured". */
	if (x->has_voltage && x->voltage == 0)
		x = &nothing;
	if (x->has_temperature)
		obs_gauge(o, port, CTR_TEMPERATURE_C, 0, x->temperature);
	else
		obs_invalid(o, port, CTR_TEMPERATURE_C, 0, VALID_UNSUPPORTED, "");
	if (x->has_voltage)
		obs_gauge(o, port, CTR_VOLTAGE_V, 0, x->voltage);
	else
		obs_invalid(o, port, CTR_VOLTAGE_V, 0, VALID_UNSUPPORTED, "");
	emit_lanes(x, o, port);
}
