/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/nxos/dev_nxos.h"

/* The show commands that list interfaces. */

typedef void (*row_fn)(const struct nxos_query *q, const struct sim_port *p, json_t *row);

/* Appends one row per interface; name_key gets the interface's full name. */
static void add_rows(const struct nxos_query *q, json_t *rows, const char *name_key, row_fn fill)
{
	for (unsigned i = 0; i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];
		json_t *row;

		if (!nxos_is_wanted(q, p))
			continue;
		row = json_object();
		nxos_str(row, name_key, p->name);
		fill(q, p, row);
		(void)json_array_append_new(rows, row);
	}
}

static json_t *body_of(const struct nxos_query *q, const char *table, json_t *rows)
{
	json_t *body = json_object();

	nxos_table(q, body, table, rows);
	return body;
}

/* The management port: the first row of every list of all interfaces. */
static json_t *mgmt_row(const char *name_key)
{
	json_t *row = json_object();

	nxos_str(row, name_key, "mgmt0");
	return row;
}

static const char *up_down(bool up)
{
	return up ? "up" : "down";
}

static uint64_t per_second(double bytes_ps, uint64_t bytes, uint64_t packets)
{
	return bytes ? (uint64_t)(bytes_ps * (double)packets / (double)bytes) : 0;
}

static void rate_words(
	json_t *row, const char *way, unsigned interval, uint64_t bits, uint64_t packets)
{
	char key[48];

	(void)str_printf(key, sizeof(key), "eth_%srate%u_bits", way, interval);
	nxos_strf(row, key, "%llu", (unsigned long long)bits);
	(void)str_printf(key, sizeof(key), "eth_%srate%u_pkts", way, interval);
	nxos_strf(row, key, "%llu", (unsigned long long)packets);
	(void)str_printf(key, sizeof(key), "eth_%srate%u_summary_bits", way, interval);
	nxos_strf(row, key, "%.2f Gbps", (double)bits / 1e9);
	(void)str_printf(key, sizeof(key), "eth_%srate%u_summary_pkts", way, interval);
	nxos_strf(row, key, "%.2f Mpps", (double)packets / 1e6);
}

static void fill_rates(const struct sim_port *p, json_t *row)
{
	uint64_t in = (uint64_t)(p->rx_bytes_ps * 8), out = (uint64_t)(p->tx_bytes_ps * 8);
	uint64_t in_pps = per_second(p->rx_bytes_ps, p->rx_bytes, p->rx_packets);
	uint64_t out_pps = per_second(p->tx_bytes_ps, p->tx_bytes, p->tx_packets);

	nxos_int(row, "eth_load_interval1_rx", 30);
	rate_words(row, "in", 1, in, in_pps);
	nxos_str(row, "eth_load_interval1_tx", "30");
	rate_words(row, "out", 1, out, out_pps);
	nxos_str(row, "eth_load_interval2_rx", "300");
	rate_words(row, "in", 2, in, in_pps);
	nxos_str(row, "eth_load_interval2_tx", "300");
	rate_words(row, "out", 2, out, out_pps);
}

/* As on the device, some counters are strings of digits and others are numbers. */
static void interface_counters(const struct nxos_query *q, const struct sim_port *p, json_t *row)
{
	static const char *const zero_in[] = {"eth_storm_supp", "eth_frame", "eth_overrun",
		"eth_underrun", "eth_ignored", "eth_watchdog", "eth_bad_eth", "eth_bad_proto",
		"eth_in_ifdown_drops", "eth_dribble"};
	static const char *const zero_out[] = {"eth_coll", "eth_deferred", "eth_latecoll",
		"eth_lostcarrier", "eth_nocarrier", "eth_babbles"};

	nxos_int(row, "eth_inucast", p->rx_packets);
	nxos_int(row, "eth_inmcast", 0);
	nxos_int(row, "eth_inbcast", 0);
	nxos_int(row, "eth_inpkts", p->rx_packets);
	nxos_int(row, "eth_inbytes", p->rx_bytes);
	nxos_num(q, row, "eth_jumbo_inpkts", p->q[SIM_PRIO_ROCE].rx_packets);
	nxos_int(row, "eth_runts", 0);
	nxos_int(row, "eth_giants", 0);
	nxos_int(row, "eth_nobuf", 0);
	nxos_num(q, row, "eth_crc", p->rx_fcs_errors);
	nxos_num(q, row, "eth_inerr", p->rx_errors);
	nxos_num(q, row, "eth_indiscard", p->rx_discards);
	nxos_num(q, row, "eth_inpause", 0);
	for (size_t i = 0; i < sizeof(zero_in) / sizeof(zero_in[0]); i++)
		nxos_num(q, row, zero_in[i], 0);
	nxos_int(row, "eth_outucast", p->tx_packets);
	nxos_int(row, "eth_outmcast", 0);
	nxos_int(row, "eth_outbcast", 0);
	nxos_int(row, "eth_outpkts", p->tx_packets);
	nxos_int(row, "eth_outbytes", p->tx_bytes);
	nxos_num(q, row, "eth_jumbo_outpkts", p->q[SIM_PRIO_ROCE].tx_packets);
	nxos_num(q, row, "eth_outerr", p->tx_errors);
	nxos_num(q, row, "eth_outdiscard", p->tx_discards);
	nxos_num(q, row, "eth_outpause", 0);
	for (size_t i = 0; i < sizeof(zero_out) / sizeof(zero_out[0]); i++)
		nxos_num(q, row, zero_out[i], 0);
}

static void interface_settings(const struct nxos_query *q, const struct sim_port *p, json_t *row)
{
	char mac[18], dotted[DOTTED_MAC];

	personality_mac(q->m->d, p->port, mac);
	personality_dotted_mac(mac, dotted);
	nxos_str(row, "eth_hw_desc", "100000/200000/400000 Ethernet");
	nxos_str(row, "eth_hw_addr", dotted);
	nxos_str(row, "eth_bia_addr", dotted);
	nxos_num(q, row, "eth_mtu", p->config.mtu);
	nxos_int(row, "eth_bw", (uint64_t)p->speed_mbps * 1000);
	nxos_int(row, "eth_dly", 10);
	nxos_num(q, row, "eth_reliability", 255);
	nxos_num(q, row, "eth_txload",
		1 + (uint64_t)(p->tx_bytes_ps * 8 / 1e6 / p->speed_mbps * 254));
	nxos_num(q, row, "eth_rxload",
		1 + (uint64_t)(p->rx_bytes_ps * 8 / 1e6 / p->speed_mbps * 254));
	nxos_str(row, "medium", "broadcast");
	nxos_str(row, "eth_mode", "routed");
	nxos_str(row, "eth_duplex", p->up ? "full" : "auto");
	if (p->up)
		nxos_strf(row, "eth_speed", "%u Gb/s", p->speed_mbps / 1000);
	else
		nxos_str(row, "eth_speed", "auto-speed");
	nxos_strf(row, "eth_media", "%uG", p->plan_mbps / 1000);
	nxos_str(row, "eth_beacon", p->config.beacon ? "on" : "off");
	nxos_str(row, "eth_autoneg", "off");
	nxos_str(row, "eth_in_flowctrl", "off");
	nxos_str(row, "eth_out_flowctrl", "off");
	nxos_str(row, "eth_mdix", "off");
	nxos_str(row, "eth_swt_monitor", "off");
	nxos_str(row, "eth_ethertype", "0x8100");
	nxos_str(row, "eth_eee_state", "n/a");
	nxos_str(row, "eth_admin_fec_state", "auto");
	nxos_str(row, "eth_oper_fec_state", p->up ? "Rs-fec" : "off");
}

static void fill_interface(const struct nxos_query *q, const struct sim_port *p, json_t *row)
{
	char ago[40];

	nxos_str(row, "state", up_down(p->up));
	if (!p->up)
		nxos_str(row, "state_rsn_desc", nxos_down_reason(p));
	nxos_str(row, "admin_state", up_down(p->config.admin_up));
	nxos_str(row, "share_state", "Dedicated");
	interface_settings(q, p, row);
	nxos_ago(sim_now(q->m->ctx->sim) - p->last_change_us, ago);
	nxos_str(row, "eth_link_flapped", p->carrier_up + p->carrier_down ? ago : "never");
	nxos_int(row, "eth_reset_cntr", p->carrier_down);
	fill_rates(p, row);
	interface_counters(q, p, row);
}

static json_t *mgmt0_interface(const struct nxos_query *q)
{
	json_t *row = mgmt_row("interface");
	char address[24], dotted[DOTTED_MAC];

	personality_address(q->m->d, address);
	personality_dotted_mac(q->m->d->mac_base, dotted);
	nxos_str(row, "state", "up");
	nxos_str(row, "admin_state", "up");
	nxos_str(row, "eth_hw_desc", "Ethernet");
	nxos_str(row, "eth_hw_addr", dotted);
	nxos_str(row, "eth_bia_addr", dotted);
	nxos_str(row, "eth_ip_addr", address);
	nxos_int(row, "eth_ip_mask", 16);
	nxos_num(q, row, "eth_mtu", 1500);
	nxos_int(row, "eth_bw", 1000000);
	nxos_int(row, "eth_dly", 10);
	nxos_str(row, "eth_duplex", "full");
	nxos_str(row, "eth_speed", "1000 Mb/s");
	return row;
}

json_t *nxos_interface(const struct nxos_query *q)
{
	json_t *rows = json_array();

	if (!q->only)
		(void)json_array_append_new(rows, mgmt0_interface(q));
	add_rows(q, rows, "interface", fill_interface);
	return body_of(q, "interface", rows);
}

static void fill_brief(const struct nxos_query *q, const struct sim_port *p, json_t *row)
{
	char speed[16];

	(void)q;
	nxos_str(row, "vlan", "--");
	nxos_str(row, "type", "eth");
	nxos_str(row, "portmode", "routed");
	nxos_str(row, "state", up_down(p->up));
	nxos_str(row, "state_rsn_desc", p->up ? "none" : nxos_down_reason(p));
	nxos_str(row, "speed", p->up ? nxos_speed(p, speed) : "auto");
	nxos_str(row, "ratemode", "D");
}

json_t *nxos_brief(const struct nxos_query *q)
{
	json_t *rows = json_array(), *row = mgmt_row("interface");
	char address[24];

	personality_address(q->m->d, address);
	nxos_str(row, "state", "up");
	nxos_str(row, "ip_addr", address);
	nxos_str(row, "speed", "1000");
	nxos_num(q, row, "mtu", 1500);
	(void)json_array_append_new(rows, row);
	add_rows(q, rows, "interface", fill_brief);
	return body_of(q, "interface", rows);
}

static void fill_status(const struct nxos_query *q, const struct sim_port *p, json_t *row)
{
	char speed[16];

	(void)q;
	nxos_str(row, "state",
		p->up                ? "connected"
		: p->config.admin_up ? "notconnect"
				     : "disabled");
	nxos_str(row, "vlan", "routed");
	nxos_str(row, "duplex", p->up ? "full" : "auto");
	nxos_str(row, "speed", p->up ? nxos_speed(p, speed) : "auto");
	nxos_str(row, "type", "QDD-400G-DR4-S");
}

json_t *nxos_interface_status(const struct nxos_query *q)
{
	json_t *rows = json_array(), *row;

	if (!q->only) {
		row = mgmt_row("interface");
		nxos_str(row, "state", "connected");
		nxos_str(row, "vlan", "routed");
		nxos_str(row, "duplex", "full");
		nxos_str(row, "speed", "1000");
		nxos_str(row, "type", "--");
		(void)json_array_append_new(rows, row);
	}
	add_rows(q, rows, "interface", fill_status);
	return body_of(q, "interface", rows);
}

static void rx_bytes(const struct nxos_query *q, const struct sim_port *p, json_t *row)
{
	nxos_num(q, row, "eth_inbytes", p->rx_bytes);
	nxos_num(q, row, "eth_inucast", p->rx_packets);
}

static void rx_casts(const struct nxos_query *q, const struct sim_port *p, json_t *row)
{
	(void)p;
	nxos_num(q, row, "eth_inmcast", 0);
	nxos_num(q, row, "eth_inbcast", 0);
}

static void tx_bytes(const struct nxos_query *q, const struct sim_port *p, json_t *row)
{
	nxos_num(q, row, "eth_outbytes", p->tx_bytes);
	nxos_num(q, row, "eth_outucast", p->tx_packets);
}

static void tx_casts(const struct nxos_query *q, const struct sim_port *p, json_t *row)
{
	(void)p;
	nxos_num(q, row, "eth_outmcast", 0);
	nxos_num(q, row, "eth_outbcast", 0);
}

/* In the order of the CLI's table: a section of bytes for all ports, then one of multicast. */
json_t *nxos_counters(const struct nxos_query *q)
{
	json_t *rx = json_array(), *tx = json_array(), *body = json_object();

	add_rows(q, rx, "interface_rx", rx_bytes);
	add_rows(q, rx, "interface_rx", rx_casts);
	add_rows(q, tx, "interface_tx", tx_bytes);
	add_rows(q, tx, "interface_tx", tx_casts);
	nxos_table(q, body, "rx_counters", rx);
	nxos_table(q, body, "tx_counters", tx);
	return body;
}

static void errors_1(const struct nxos_query *q, const struct sim_port *p, json_t *row)
{
	nxos_num(q, row, "eth_align_err", 0);
	nxos_num(q, row, "eth_fcs_err", p->rx_fcs_errors);
	nxos_num(q, row, "eth_xmit_err", p->tx_errors);
	nxos_num(q, row, "eth_rcv_err", p->rx_errors);
	nxos_num(q, row, "eth_undersize", 0);
	nxos_num(q, row, "eth_outdisc", p->tx_discards);
}

static void errors_2(const struct nxos_query *q, const struct sim_port *p, json_t *row)
{
	static const char *const keys[] = {"eth_single_col", "eth_multi_col", "eth_late_col",
		"eth_excess_col", "eth_carri_sen", "eth_runts"};

	(void)p;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		nxos_num(q, row, keys[i], 0);
}

static void errors_3(const struct nxos_query *q, const struct sim_port *p, json_t *row)
{
	nxos_num(q, row, "eth_giants", 0);
	nxos_str(row, "eth_sqetest_err", "--");
	nxos_num(q, row, "eth_deferred_tx", 0);
	nxos_num(q, row, "eth_inmactx_err", 0);
	nxos_num(q, row, "eth_inmacrx_err", 0);
	nxos_num(q, row, "eth_symbol_err", p->rx_symbol_errors);
}

static void errors_4(const struct nxos_query *q, const struct sim_port *p, json_t *row)
{
	nxos_num(q, row, "eth_indisc", p->rx_discards);
}

json_t *nxos_errors(const struct nxos_query *q)
{
	static const row_fn sections[] = {errors_1, errors_2, errors_3, errors_4};
	json_t *rows = json_array(), *row;

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		if (!q->only && i == 0) {
			row = mgmt_row("interface");
			nxos_num(q, row, "eth_align_err", 0);
			nxos_num(q, row, "eth_fcs_err", 0);
			nxos_str(row, "eth_xmit_err", "--");
			nxos_str(row, "eth_rcv_err", "--");
			nxos_str(row, "eth_undersize", "--");
			nxos_str(row, "eth_outdisc", "--");
			(void)json_array_append_new(rows, row);
		}
		add_rows(q, rows, "interface", sections[i]);
	}
	return body_of(q, "interface", rows);
}

/* ---- optics ---- */

struct limits {
	const char *name;
	double high_alarm, low_alarm, high, low;
};
static const struct limits limits[] = {
	{"temp", 80, -5, 75, 0},
	{"volt", 3.63, 2.97, 3.46, 3.13},
	{"current", 120, 10, 110, 15},
	{"tx_pwr", 5.5, -5.5, 4, -2.9},
	{"rx_pwr", 6, -9.5, 4, -5.9},
};

/* "--" marks a low alarm, "-" a low warning; "++" and "+" mark high ones. */
static const char *flag_of(const struct limits *l, double v)
{
	if (v >= l->high_alarm)
		return "++";
	if (v <= l->low_alarm)
		return "--";
	return v >= l->high ? "+" : v <= l->low ? "-" : "";
}

static void fill_reading(json_t *lane, size_t what, const char *key, double v)
{
	const struct limits *l = &limits[what];
	char name[32], text[16];

	nxos_dbm(v, text);
	nxos_str(lane, key, text);
	if (flag_of(l, v)[0]) {
		(void)str_printf(name, sizeof(name), "%s_flag", l->name);
		nxos_str(lane, name, flag_of(l, v));
	}
	(void)str_printf(name, sizeof(name), "%s_alrm_hi", l->name);
	nxos_strf(lane, name, "%.2f", l->high_alarm);
	(void)str_printf(name, sizeof(name), "%s_alrm_lo", l->name);
	nxos_strf(lane, name, "%.2f", l->low_alarm);
	(void)str_printf(name, sizeof(name), "%s_warn_hi", l->name);
	nxos_strf(lane, name, "%.2f", l->high);
	(void)str_printf(name, sizeof(name), "%s_warn_lo", l->name);
	nxos_strf(lane, name, "%.2f", l->low);
}

static json_t *lane_of(const struct nxos_query *q, const struct sim_port *p, unsigned i)
{
	json_t *lane = json_object();

	nxos_num(q, lane, "lane_number", i + 1);
	fill_reading(lane, 0, "temperature", p->temperature_c);
	fill_reading(lane, 1, "voltage", p->voltage_v);
	fill_reading(lane, 2, "current", p->lane[i].bias_ma);
	fill_reading(lane, 3, "tx_pwr", p->lane[i].tx_dbm);
	fill_reading(lane, 4, "rx_pwr", p->lane[i].rx_dbm);
	nxos_num(q, lane, "xmit_faults", p->tx_fault);
	return lane;
}

static void fill_transceiver(const struct nxos_query *q, const struct sim_port *p, json_t *row)
{
	json_t *lanes = json_array();

	nxos_str(row, "sfp", "present");
	nxos_str(row, "type", "QSFP-DD-400G-DR4");
	nxos_str(row, "name", "CISCO-ACACIA");
	nxos_str(row, "partnum", "DP04QSDD-D10");
	nxos_str(row, "rev", "A");
	nxos_strf(row, "serialnum", "RTX%04u%03u-A", q->m->d->index % 10000, p->port % 1000);
	nxos_num(q, row, "nom_bitrate", 425000);
	nxos_str(row, "ciscoid", "24");
	nxos_num(q, row, "ciscoid_1", 0);
	nxos_str(row, "cisco_part_number", "10-3281-01");
	nxos_str(row, "cisco_product_id", "QDD-400G-DR4-S");
	nxos_str(row, "cisco_vendor_id", "V01");
	if (q->detail) {
		for (unsigned i = 0; i < p->lanes; i++)
			(void)json_array_append_new(lanes, lane_of(q, p, i));
		nxos_table(q, row, "lane", lanes);
	} else {
		json_decref(lanes);
	}
}

json_t *nxos_transceiver(const struct nxos_query *q)
{
	json_t *rows = json_array();

	add_rows(q, rows, "interface", fill_transceiver);
	return body_of(q, "interface", rows);
}
