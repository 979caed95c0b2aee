/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/nxos/dev_nxos.h"

/* Text output of the CLI about state; dev_nxos_text_qos.c has the rest. */

typedef unsigned long long ull;

void nxos_interface_text(const struct nxos_query *q, struct buf *out)
{
	for (unsigned i = 0; i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];
		char mac[18], dotted[DOTTED_MAC], ago[40];
		const char *why = nxos_down_reason(p);

		if (!nxos_is_wanted(q, p))
			continue;
		personality_mac(q->m->d, p->port, mac);
		personality_dotted_mac(mac, dotted);
		nxos_ago(sim_now(q->m->ctx->sim) - p->last_change_us, ago);
		(void)buf_addf(out, "%s is %s%s%s%s\nadmin state is %s, Dedicated Interface\n",
			p->name, p->up ? "up" : "down", why ? " (" : "", why ? why : "",
			why ? ")" : "", p->config.admin_up ? "up" : "down");
		(void)buf_addf(out,
			"  Hardware: 100000/200000/400000 Ethernet, address: %s (bia %s)\n"
			"  MTU %u bytes, BW %llu Kbit , DLY 10 usec\n"
			"  Encapsulation ARPA, medium is broadcast\n  Port mode is routed\n"
			"  %s-duplex, %u Gb/s, media type is %uG\n  Beacon is turned %s\n"
			"  Last link flapped %s\n  %llu interface resets\n",
			dotted, dotted, p->config.mtu, (ull)p->speed_mbps * 1000,
			p->up ? "full" : "auto", p->speed_mbps / 1000, p->plan_mbps / 1000,
			p->config.beacon ? "on" : "off", ago, (ull)p->carrier_down);
		(void)buf_addf(out,
			"  RX\n    %llu unicast packets  0 multicast packets  0 broadcast packets\n"
			"    %llu input packets  %llu bytes\n"
			"    0 runts  0 giants  %llu CRC  0 no buffer\n"
			"    %llu input error  0 short frame  0 overrun   0 underrun  0 ignored\n"
			"    0 input with dribble  %llu input discard\n    0 Rx pause\n",
			(ull)p->rx_packets, (ull)p->rx_packets, (ull)p->rx_bytes,
			(ull)p->rx_fcs_errors, (ull)p->rx_errors, (ull)p->rx_discards);
		(void)buf_addf(out,
			"  TX\n    %llu unicast packets  0 multicast packets  0 broadcast packets\n"
			"    %llu output packets  %llu bytes\n"
			"    %llu output error  0 collision  0 deferred  0 late collision\n"
			"    0 lost carrier  0 no carrier  0 babble  %llu output discard\n"
			"    0 Tx pause\n\n",
			(ull)p->tx_packets, (ull)p->tx_packets, (ull)p->tx_bytes, (ull)p->tx_errors,
			(ull)p->tx_discards);
	}
}

static void print_rule(struct buf *out)
{
	(void)buf_adds(out, "----------------------------------------------------------------------"
			    "----------\n");
}

void nxos_brief_text(const struct nxos_query *q, struct buf *out)
{
	char name[24], speed[16], address[24];

	personality_address(q->m->d, address);
	if (!q->only) {
		print_rule(out);
		(void)buf_adds(out,
			"Port   VRF          Status IP Address                              "
			"Speed    MTU\n");
		print_rule(out);
		(void)buf_addf(out, "mgmt0  --           up     %-39s 1000     1500\n\n", address);
	}
	print_rule(out);
	(void)buf_adds(out, "Ethernet        VLAN    Type Mode   Status  Reason                 "
			    "Speed     Port\n"
			    "Interface                                                             "
			    "       Ch #\n");
	print_rule(out);
	for (unsigned i = 0; i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];

		if (!nxos_is_wanted(q, p))
			continue;
		nxos_short_name(p, "Eth", name, sizeof(name));
		(void)buf_addf(out, "%-15s --      eth  routed %-7s %-22s %7s(D) --\n", name,
			p->up ? "up" : "down", p->up ? "none" : nxos_down_reason(p),
			p->up ? nxos_speed(p, speed) : "auto");
	}
}

void nxos_interface_status_text(const struct nxos_query *q, struct buf *out)
{
	char name[24], speed[16];

	print_rule(out);
	(void)buf_adds(out, "Port          Name               Status    Vlan      Duplex  Speed   "
			    "Type\n");
	print_rule(out);
	if (!q->only)
		(void)buf_adds(out, "mgmt0         --                 connected routed    full    "
				    "1000    --\n");
	for (unsigned i = 0; i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];

		if (!nxos_is_wanted(q, p))
			continue;
		nxos_short_name(p, "Eth", name, sizeof(name));
		(void)buf_addf(out, "%-13s --                 %-9s routed    %-7s %-7s %s\n", name,
			p->up                ? "connected"
			: p->config.admin_up ? "notconnec"
					     : "disabled",
			p->up ? "full" : "auto", p->up ? nxos_speed(p, speed) : "auto",
			"QDD-400G-DR4-S");
	}
}

static void counter_pair(const struct nxos_query *q, const char *first, const char *second,
	unsigned part, struct buf *out)
{
	char name[24];

	(void)buf_adds(out, "\n");
	print_rule(out);
	(void)buf_addf(out, "Port %36s %36s\n", first, second);
	print_rule(out);
	for (unsigned i = 0; i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];
		const uint64_t values[4][2] = {
			{p->rx_bytes, p->rx_packets}, {0, 0}, {p->tx_bytes, p->tx_packets}, {0, 0}};

		if (!nxos_is_wanted(q, p))
			continue;
		nxos_short_name(p, "Eth", name, sizeof(name));
		(void)buf_addf(out, "%-13s %27llu %36llu\n", name, (ull)values[part][0],
			(ull)values[part][1]);
	}
}

void nxos_counters_text(const struct nxos_query *q, struct buf *out)
{
	counter_pair(q, "InOctets", "InUcastPkts", 0, out);
	counter_pair(q, "InMcastPkts", "InBcastPkts", 1, out);
	counter_pair(q, "OutOctets", "OutUcastPkts", 2, out);
	counter_pair(q, "OutMcastPkts", "OutBcastPkts", 3, out);
}

static void errors_head(struct buf *out, const char *columns)
{
	(void)buf_addf(out,
		"\n--------------------------------------------------------------------------------"
		"--\n"
		"Port          %s\n"
		"----------------------------------------------------------------------------------"
		"\n",
		columns);
}

void nxos_errors_text(const struct nxos_query *q, struct buf *out)
{
	static const char *const heads[] = {
		" Align-Err    FCS-Err   Xmit-Err    Rcv-Err  UnderSize OutDiscards",
		"Single-Col  Multi-Col   Late-Col  Exces-Col  Carri-Sen       Runts",
		"   Giants SQETest-Err Deferred-Tx IntMacTx-Er IntMacRx-Er Symbol-Err",
		"InDiscards"};

	for (size_t part = 0; part < sizeof(heads) / sizeof(heads[0]); part++) {
		errors_head(out, heads[part]);
		for (unsigned i = 0; i < q->m->d->nports; i++) {
			const struct sim_port *p = &q->m->d->ports[i];
			char name[24];

			if (!nxos_is_wanted(q, p))
				continue;
			nxos_short_name(p, "Eth", name, sizeof(name));
			if (part == 0)
				(void)buf_addf(out, "%-13s %10d %10llu %10llu %10llu %10d %11llu\n",
					name, 0, (ull)p->rx_fcs_errors, (ull)p->tx_errors,
					(ull)p->rx_errors, 0, (ull)p->tx_discards);
			else if (part == 1)
				(void)buf_addf(out, "%-13s %10d %10d %10d %10d %10d %11d\n", name,
					0, 0, 0, 0, 0, 0);
			else if (part == 2)
				(void)buf_addf(out, "%-13s %9d %11s %11d %11d %11d %10llu\n", name,
					0, "--", 0, 0, 0, (ull)p->rx_symbol_errors);
			else
				(void)buf_addf(out, "%-13s %10llu\n", name, (ull)p->rx_discards);
		}
	}
}

static void lane_text(const struct sim_port *p, unsigned i, struct buf *out)
{
	const struct sim_lane *l = &p->lane[i];
	char tx[16], rx[16];

	nxos_dbm(l->tx_dbm, tx);
	nxos_dbm(l->rx_dbm, rx);
	(void)buf_addf(out,
		"\nLane Number:%u Network Lane\n"
		"           SFP Detail Diagnostics Information (internal calibration)\n"
		"  ----------------------------------------------------------------------------\n"
		"                Current              Alarms                  Warnings\n"
		"                Measurement     High        Low         High          Low\n"
		"  ----------------------------------------------------------------------------\n"
		"  Temperature   %.2f C        80.00 C     -5.00 C     75.00 C        0.00 C\n"
		"  Voltage        %.2f V         3.63 V      2.97 V      3.46 V        3.13 V\n"
		"  Current       %.2f mA     120.00 mA    10.00 mA   110.00 mA      15.00 mA\n",
		i + 1, p->temperature_c, p->voltage_v, l->bias_ma);
	(void)buf_addf(out,
		"  Tx Power      %6s%s       5.50 dBm   -5.50 dBm    4.00 dBm     -2.90 dBm\n"
		"  Rx Power      %6s%s       6.00 dBm   -9.50 dBm    4.00 dBm     -5.90 dBm\n"
		"  Transmit Fault Count = %d\n"
		"  ----------------------------------------------------------------------------\n"
		"  Note: ++  high-alarm; +  high-warning; --  low-alarm; -  low-warning\n",
		tx, str_eq(tx, "N/A") ? "    " : " dBm", rx, str_eq(rx, "N/A") ? "    " : " dBm",
		p->tx_fault);
}

void nxos_transceiver_text(const struct nxos_query *q, struct buf *out)
{
	for (unsigned i = 0; i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];

		if (!nxos_is_wanted(q, p))
			continue;
		(void)buf_addf(out,
			"%s\n    transceiver is present\n    type is QSFP-DD-400G-DR4\n"
			"    name is CISCO-ACACIA\n    part number is DP04QSDD-D10\n"
			"    revision is A\n    serial number is RTX%04u%03u-A\n"
			"    nominal bitrate is 425000 MBit/sec per channel\n"
			"    cisco id is 24\n    cisco part number is 10-3281-01\n"
			"    cisco product id is QDD-400G-DR4-S\n",
			p->name, q->m->d->index % 10000, p->port % 1000);
		for (unsigned k = 0; q->detail && k < p->lanes; k++)
			lane_text(p, k, out);
		(void)buf_adds(out, "\n");
	}
}

static void log_link(const struct sim_log *l, const char *name, struct buf *out)
{
	if (l->kind == SIM_LOG_LINK_UP)
		(void)buf_addf(out, "%%ETHPORT-5-IF_UP: Interface %s is up in Layer3", name);
	else
		(void)buf_addf(out,
			"%%ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface %s is down (Link failure)",
			name);
}

static void log_bgp(const struct machine *m, const struct sim_log *l, struct buf *out)
{
	char address[16] = "";
	unsigned asn;

	if (l->port < m->d->nports)
		(void)nxos_neighbor(m, &m->d->ports[l->port], address, &asn);
	(void)buf_addf(out, "%%BGP-5-ADJCHANGE:  bgp-%u [28211] (default) neighbor %s %s",
		m->d->asn, address,
		l->kind == SIM_LOG_BGP_UP ? "Up" : "Down - holdtimer expired error");
}

static void log_line(const struct machine *m, const struct sim_log *l, struct buf *out)
{
	const char *name = l->port < m->d->nports ? m->d->ports[l->port].name : "";
	char when[40];

	nxos_when(l->t_us + m->d->clock_skew_us, "%Y %b %e %H:%M:%S", when, sizeof(when));
	(void)buf_addf(out, "%s %s ", when, m->d->name);
	switch (l->kind) {
	case SIM_LOG_LINK_UP:
	case SIM_LOG_LINK_DOWN:
		log_link(l, name, out);
		break;
	case SIM_LOG_BGP_UP:
	case SIM_LOG_BGP_DOWN:
		log_bgp(m, l, out);
		break;
	case SIM_LOG_STORM_DETECTED:
		(void)buf_addf(out,
			"%%TAHUSD-SLOT1-2-TAHUSD_SYSLOG_CRIT: PFC watchdog shutdown on %s "
			"qos-group %u",
			name, l->prio);
		break;
	case SIM_LOG_STORM_RESTORED:
		(void)buf_addf(out,
			"%%TAHUSD-SLOT1-2-TAHUSD_SYSLOG_CRIT: PFC watchdog restored on %s "
			"qos-group %u",
			name, l->prio);
		break;
	case SIM_LOG_CONFIG:
		(void)buf_addf(out,
			"%%VSHD-5-VSHD_SYSLOG_CONFIG_I: Configured from vty by %s on vsh.bin.18400",
			str_starts(l->text, "configured by ") ? l->text + 14 : "admin");
		break;
	case SIM_LOG_BOOT:
		(void)buf_adds(out, "%VDC_MGR-2-VDC_ONLINE: vdc 1 has come online");
		break;
	case SIM_LOG_OPTIC:
		(void)buf_addf(out, "%%ETHPORT-3-IF_XCVR_ALARM: Interface %s, %s", name, l->text);
		break;
	case SIM_LOG_XID:
		break;
	}
	(void)buf_adds(out, "\n");
}

void nxos_logging_text(const struct nxos_query *q, struct buf *out)
{
	const struct sim_device *d = q->m->d;
	uint64_t at = d->logged > SIM_LOG_KEPT ? d->logged - SIM_LOG_KEPT : 0;

	/* "show logging last N" */
	if (q->count && d->logged - at > q->count)
		at = d->logged - q->count;
	for (; at < d->logged; at++)
		log_line(q->m, &d->log[at % SIM_LOG_KEPT], out);
}
