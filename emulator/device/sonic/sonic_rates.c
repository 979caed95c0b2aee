/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/str.h"
#include "emulator/device/sonic/sonic_notes.h"
#include "emulator/device/sonic/sonic_redis.h"

/* COUNTERS_DB: values derived from counters, and values read beside them. */

static double packets_ps(double bytes_ps, uint64_t bytes, uint64_t packets)
{
	return bytes ? bytes_ps * (double)packets / (double)bytes : 0;
}

static void give_number(redis_field_fn each, void *arg, const char *name, double x)
{
	struct redis_value v;

	redis_textf(&v, "%.17g", x);
	redis_give(each, arg, name, &v);
}

static void rates_each(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_port *p = sonic_counted(r->ctx, r->d, row->port, SONIC_PORT);

	redis_give_u64(each, arg, "SAI_PORT_STAT_IF_IN_OCTETS_last", p->rx_bytes);
	redis_give_u64(each, arg, "SAI_PORT_STAT_IF_OUT_OCTETS_last", p->tx_bytes);
	give_number(each, arg, "FEC_PRE_BER", p->pre_fec_ber);
	give_number(each, arg, "FEC_POST_BER", 0);
	redis_give_text(each, arg, "FEC_MAX_T", "-1");
	/* Bytes per second, in spite of the name. */
	give_number(each, arg, "RX_BPS", p->rx_bytes_ps);
	give_number(each, arg, "RX_PPS", packets_ps(p->rx_bytes_ps, p->rx_bytes, p->rx_packets));
	give_number(each, arg, "TX_BPS", p->tx_bytes_ps);
	give_number(each, arg, "TX_PPS", packets_ps(p->tx_bytes_ps, p->tx_bytes, p->tx_packets));
}

/* PORT_PHY_ATTR: JSON inside strings, lanes as keys. */
static void phy_each(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_port *p = row->port;
	struct redis_value signal, snr;
	size_t n = 0, m = 0;

	(void)r;
	for (unsigned i = 0; i < p->lanes && i < 8; i++) {
		n += (size_t)snprintf(signal.text + n, sizeof(signal.text) - n, "%s\"%u\":\"%s\"",
			i ? ", " : "{", i, p->up ? "T" : "F");
		m += (size_t)snprintf(snr.text + m, sizeof(snr.text) - m, "%s\"%u\":%u",
			i ? ", " : "{", i, p->up ? 6000 : 0);
	}
	if (!n)
		return;
	(void)str_copy(signal.text + n, sizeof(signal.text) - n, "}");
	(void)str_copy(snr.text + m, sizeof(snr.text) - m, "}");
	redis_give_text(each, arg, "phy_rx_signal_detect", signal.text);
	redis_give_text(each, arg, "pcs_fec_lane_alignment_lock", signal.text);
	redis_give_text(each, arg, "rx_snr", snr.text);
}

static const enum redis_object port_type = OID_PORT;

const struct redis_table redis_rate_tables[] = {
	{COUNTERS_DB, "RATES:oid:", REDIS_OIDS, rates_each, NULL, &port_type},
	{COUNTERS_DB, "PORT_PHY_ATTR:oid:", REDIS_OIDS, phy_each, NULL, &port_type},
	{0, NULL, NULL, NULL, NULL, NULL, NULL},
};
