/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/dev_eos.h"

/* The bodies of the show commands that list ports. */

typedef json_t *(*port_fn)(const struct machine *m, const struct sim_port *p);

static json_t *u64(uint64_t v)
{
	return json_integer((json_int_t)v);
}

static json_t *per_port(
	const struct machine *m, const char *wanted, const char *title, port_fn make)
{
	json_t *all = json_object(), *one;
	char name[24];
	unsigned i;

	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		if (!eos_is_wanted(p, wanted))
			continue;
		one = make(m, p);
		if (!one)
			continue;
		eos_name(p, name);
		(void)json_object_set_new_nocheck(all, name, one);
	}
	return json_pack("{s:o}", title, all);
}

static double packets_ps(double bytes_ps, uint64_t bytes, uint64_t packets)
{
	return bytes ? bytes_ps * (double)packets / (double)bytes : 0;
}

static json_t *counters(const struct machine *m, const struct sim_port *p)
{
	json_t *in = json_pack("{s:i,s:i,s:o,s:i,s:o,s:i}", "runtFrames", 0, "giantFrames", 0,
		"fcsErrors", u64(p->rx_fcs_errors), "alignmentErrors", 0, "symbolErrors",
		u64(p->rx_symbol_errors), "rxPause", 0);
	json_t *out = json_pack("{s:i,s:i,s:i,s:i}", "collisions", 0, "lateCollisions", 0,
		"deferredTransmissions", 0, "txPause", 0);

	return json_pack("{s:o,s:o,s:o,s:o,s:i,s:i,s:i,s:i,s:o,s:o,s:o,s:o,s:o,s:f,s:o,s:o}",
		"inOctets", u64(p->rx_bytes), "outOctets", u64(p->tx_bytes), "inUcastPkts",
		u64(p->rx_packets), "outUcastPkts", u64(p->tx_packets), "inMulticastPkts", 0,
		"outMulticastPkts", 0, "inBroadcastPkts", 0, "outBroadcastPkts", 0, "inDiscards",
		u64(p->rx_discards), "outDiscards", u64(p->tx_discards), "totalInErrors",
		u64(p->rx_errors), "totalOutErrors", u64(p->tx_errors), "linkStatusChanges",
		u64(p->carrier_up + p->carrier_down), "counterRefreshTime",
		eos_seconds(sim_now(m->ctx->sim)), "inputErrorsDetail", in, "outputErrorsDetail",
		out);
}

static json_t *description(const struct machine *m, const struct sim_port *p)
{
	struct lldp_peer peer;

	if (!personality_lldp(m->ctx, p, &peer))
		return json_string("");
	return json_sprintf("%s:%s", peer.name, peer.local_id ? peer.port_descr : peer.port_id);
}

static json_t *interface(const struct machine *m, const struct sim_port *p)
{
	char name[24], mac[18];
	json_t *statistics = json_pack("{s:f,s:f,s:f,s:f,s:f}", "updateInterval", 300.0,
		"inBitsRate", p->rx_bytes_ps * 8, "outBitsRate", p->tx_bytes_ps * 8, "inPktsRate",
		packets_ps(p->rx_bytes_ps, p->rx_bytes, p->rx_packets), "outPktsRate",
		packets_ps(p->tx_bytes_ps, p->tx_bytes, p->tx_packets));

	eos_name(p, name);
	personality_mac(m->d, p->port, mac);
	return json_pack("{s:s,s:s,s:s,s:s,s:I,s:i,s:s,s:s,s:i,s:s,s:s,s:s,s:f,s:o,s:[],s:o,s:o}",
		"name", name, "hardware", "ethernet", "lineProtocolStatus", p->up ? "up" : "down",
		"interfaceStatus",
		!p->config.admin_up ? "disabled"
		: p->up             ? "connected"
				    : "notconnect",
		"bandwidth", (json_int_t)p->speed_mbps * 1000000, "mtu", 9214, "duplex",
		"duplexFull", "autoNegotiate", "off", "lanes", (int)p->lanes, "loopbackMode",
		"loopbackNone", "forwardingModel", "routed", "physicalAddress", mac,
		"lastStatusChangeTimestamp", eos_seconds(p->last_change_us), "description",
		description(m, p), "interfaceAddress", "interfaceStatistics", statistics,
		"interfaceCounters", counters(m, p));
}

json_t *eos_interfaces(const struct machine *m, const char *wanted)
{
	return per_port(m, wanted, "interfaces", interface);
}

static json_t *status(const struct machine *m, const struct sim_port *p)
{
	return json_pack("{s:s,s:s,s:I,s:s,s:o,s:s,s:b}", "linkStatus",
		!p->config.admin_up ? "disabled"
		: p->up             ? "connected"
				    : "notconnect",
		"lineProtocolStatus", p->up ? "up" : "down", "bandwidth",
		(json_int_t)p->speed_mbps * 1000000, "duplex", "duplexFull", "description",
		description(m, p), "interfaceType", "400GBASE-DR4", "autoNegotiateActive", 0);
}

json_t *eos_status(const struct machine *m, const char *wanted)
{
	return per_port(m, wanted, "interfaceStatuses", status);
}

static json_t *errors(const struct machine *m, const struct sim_port *p)
{
	(void)m;
	return json_pack("{s:o,s:i,s:o,s:i,s:o,s:i,s:o}", "inErrors", u64(p->rx_errors),
		"frameTooLongs", 0, "outErrors", u64(p->tx_errors), "frameTooShorts", 0,
		"fcsErrors", u64(p->rx_fcs_errors), "alignmentErrors", 0, "symbolErrors",
		u64(p->rx_symbol_errors));
}

json_t *eos_errors(const struct machine *m, const char *wanted)
{
	return per_port(m, wanted, "interfaceErrorCounters", errors);
}

static json_t *discards(const struct machine *m, const struct sim_port *p)
{
	(void)m;
	return json_pack(
		"{s:o,s:o}", "inDiscards", u64(p->rx_discards), "outDiscards", u64(p->tx_discards));
}

json_t *eos_discards(const struct machine *m, const char *wanted)
{
	json_t *o = per_port(m, wanted, "interfaces", discards);
	uint64_t in = 0, out = 0;
	unsigned i;

	for (i = 0; i < m->d->nports; i++) {
		in += m->d->ports[i].rx_discards;
		out += m->d->ports[i].tx_discards;
	}
	(void)json_object_set_new(o, "inDiscardsTotal", u64(in));
	(void)json_object_set_new(o, "outDiscardsTotal", u64(out));
	return o;
}

static json_t *rates(const struct machine *m, const struct sim_port *p)
{
	return json_pack("{s:s,s:i,s:f,s:f,s:f,s:f,s:f}", "description", "", "interval", 300,
		"inBpsRate", p->rx_bytes_ps * 8, "outBpsRate", p->tx_bytes_ps * 8, "inPpsRate",
		packets_ps(p->rx_bytes_ps, p->rx_bytes, p->rx_packets), "outPpsRate",
		packets_ps(p->tx_bytes_ps, p->tx_bytes, p->tx_packets), "lastUpdateTimestamp",
		eos_seconds(sim_now(m->ctx->sim)));
}

json_t *eos_rates(const struct machine *m, const char *wanted)
{
	return per_port(m, wanted, "interfaces", rates);
}

static json_t *pfc_total(const struct machine *m, const struct sim_port *p)
{
	uint64_t rx = 0, tx = 0;
	unsigned i;

	(void)m;
	for (i = 0; i < 8; i++) {
		rx += p->q[i].pfc_rx_frames;
		tx += p->q[i].pfc_tx_frames;
	}
	return json_pack("{s:o,s:o}", "rxFrames", u64(rx), "txFrames", u64(tx));
}

json_t *eos_pfc(const struct machine *m, const char *wanted)
{
	return per_port(m, wanted, "interfaceCounters", pfc_total);
}

static json_t *pfc_priorities(const struct machine *m, const struct sim_port *p)
{
	json_t *all = json_object();
	char name[4];
	unsigned i;

	(void)m;
	for (i = 0; i < 8; i++) {
		(void)str_printf(name, sizeof(name), "%u", i);
		(void)json_object_set_new_nocheck(all, name,
			json_pack("{s:o,s:o}", "rxFrames", u64(p->q[i].pfc_rx_frames), "txFrames",
				u64(p->q[i].pfc_tx_frames)));
	}
	return json_pack("{s:o}", "priorities", all);
}

json_t *eos_pfc_detail(const struct machine *m, const char *wanted)
{
	return per_port(m, wanted, "interfaces", pfc_priorities);
}

/* Strings; "-" where the queue has no ECN counter. */
static json_t *ecn_queues(const struct machine *m, const struct sim_port *p)
{
	json_t *all = json_object();
	char name[4];
	unsigned i;

	(void)m;
	for (i = 0; i < 8; i++) {
		(void)str_printf(name, sizeof(name), "%u", i);
		(void)json_object_set_new_nocheck(all, name,
			LOSSLESS_MASK >> i & 1
				? json_sprintf("%llu", (unsigned long long)p->q[i].ecn_marked)
				: json_string("-"));
	}
	return json_pack("{s:o}", "queueCounters", all);
}

json_t *eos_ecn(const struct machine *m, const char *wanted)
{
	return per_port(m, wanted, "intfQueueCounters", ecn_queues);
}

/* A queue shows from its first event on, a port from its first queue. */
static json_t *watchdog(const struct machine *m, const struct sim_port *p)
{
	json_t *all = json_object();
	char name[4];
	unsigned i;

	(void)m;
	for (i = 0; i < 8; i++) {
		if (!p->q[i].wd_detected)
			continue;
		(void)str_printf(name, sizeof(name), "%u", i);
		(void)json_object_set_new_nocheck(all, name,
			json_pack("{s:o,s:o}", "stuckCount", u64(p->q[i].wd_detected),
				"recoveryCount", u64(p->q[i].wd_restored)));
	}
	if (!json_object_size(all)) {
		json_decref(all);
		return NULL;
	}
	return json_pack("{s:o}", "txQueues", all);
}

json_t *eos_watchdog(const struct machine *m, const char *wanted)
{
	return per_port(m, wanted, "interfaces", watchdog);
}

static json_t *traffic_classes(const struct sim_port *p, bool unicast)
{
	json_t *all = json_object(), *dp;
	const struct sim_queue *q;
	char name[8];
	unsigned i;

	for (i = 0; i < 8; i++) {
		q = &p->q[i];
		dp = unicast ? json_pack("{s:o,s:o,s:o,s:i}", "enqueuedPackets", u64(q->tx_packets),
				       "enqueuedBytes", u64(q->tx_bytes), "droppedPackets",
				       u64(q->drops), "droppedBytes", 0)
			     : json_pack("{s:i,s:i,s:i,s:i}", "enqueuedPackets", 0, "enqueuedBytes",
				       0, "droppedPackets", 0, "droppedBytes", 0);
		(void)str_printf(name, sizeof(name), "TC%u", i);
		(void)json_object_set_new_nocheck(
			all, name, json_pack("{s:{s:o}}", "dropPrecedences", "DP0", dp));
	}
	return json_pack("{s:o}", "trafficClasses", all);
}

static json_t *queue_counters(const struct machine *m, const struct sim_port *p)
{
	(void)m;
	return json_pack("{s:o,s:o}", "ucastQueues", traffic_classes(p, true), "mcastQueues",
		traffic_classes(p, false));
}

json_t *eos_queues(const struct machine *m, const char *wanted)
{
	return json_pack(
		"{s:o}", "egressQueueCounters", per_port(m, wanted, "interfaces", queue_counters));
}

static json_t *changing(json_t *value, uint64_t changes, double when)
{
	return json_pack("{s:o,s:o,s:f}", "value", value, "changes", u64(changes), "lastChange",
		changes ? when : 0.0);
}

/* The MAC side knows nothing of the line; the chip in between sees both. */
static json_t *phy(const struct machine *m, const struct sim_port *p)
{
	double now = eos_seconds(sim_now(m->ctx->sim)), change = eos_seconds(p->last_change_us);
	json_t *line = json_pack("{s:{s:s,s:s},s:{s:o,s:o,s:o},s:{s:f},s:{s:{}},s:o}",
		"description", "phyChipName", "BCM78900-PM8x100", "location", "line", "fec",
		"hiSer", changing(json_false(), 0, 0), "correctedCodewords",
		changing(u64(p->fec_corrected), p->fec_corrected, now), "uncorrectedCodewords",
		changing(u64(p->fec_uncorrectable), p->fec_uncorrectable, now), "preFecBer",
		"value", p->pre_fec_ber, "pma", "laneTxStatus", "phyState",
		changing(json_string(p->up ? "linkUp" : "linkDown"),
			p->carrier_up + p->carrier_down, change));
	json_t *system = json_pack("{s:{s:s,s:s},s:{s:o,s:o},s:{s:f}}", "description",
		"phyChipName", "BCM78900-PM8x100", "location", "system", "fec",
		"correctedCodewords", changing(u64(0), 0, 0), "uncorrectedCodewords",
		changing(u64(0), 0, 0), "preFecBer", "value", 1.3e-12);

	return json_pack("{s:[{s:{s:s}},o,o],s:{},s:{},s:{}}", "phyStatuses", "description",
		"phyChipName", "BCM78900", system, line, "interfaceState", "transceiver",
		"macFaults");
}

json_t *eos_phy(const struct machine *m, const char *wanted)
{
	return per_port(m, wanted, "interfacePhyStatuses", phy);
}

static json_t *threshold(double low_alarm, double low, double high, double high_alarm)
{
	return json_pack("{s:f,s:b,s:f,s:b,s:f,s:b,s:f,s:b}", "lowAlarm", low_alarm,
		"lowAlarmOverridden", 0, "lowWarn", low, "lowWarnOverridden", 0, "highWarn", high,
		"highWarnOverridden", 0, "highAlarm", high_alarm, "highAlarmOverridden", 0);
}

static json_t *parameter(const char *unit, json_t *channels, json_t *limits)
{
	return json_pack("{s:s,s:o,s:o}", "unit", unit, "channels", channels, "threshold", limits);
}

static json_t *lanes(const struct sim_port *p, char what)
{
	json_t *all = json_object();
	char name[4];
	unsigned i;

	for (i = 0; i < p->lanes; i++) {
		double v = what == 'r'   ? p->lane[i].rx_dbm
			   : what == 't' ? p->lane[i].tx_dbm
					 : p->lane[i].bias_ma;

		(void)str_printf(name, sizeof(name), "%u", i + 1);
		/* A dark lane reads the floor of the converter. */
		(void)json_object_set_new_nocheck(
			all, name, json_real(isfinite(v) ? fmax(v, -40) : -40));
	}
	return all;
}

static json_t *optics(const struct machine *m, const struct sim_port *p)
{
	char name[24];

	eos_name(p, name);
	return json_pack("{s:s,s:s,s:o,s:{s:o,s:o,s:o,s:o,s:o}}", "displayName", name, "mediaType",
		"400GBASE-DR4", "vendorSn", json_sprintf("XTH%04u%02u", m->d->index, p->port),
		"parameters", "temperature",
		parameter("C", json_pack("{s:f}", "-", p->temperature_c), threshold(-5, 0, 70, 75)),
		"voltage",
		parameter("V", json_pack("{s:f}", "-", p->voltage_v),
			threshold(2.97, 3.13, 3.46, 3.63)),
		"txBias", parameter("mA", lanes(p, 'b'), threshold(20, 25, 85, 90)), "rxPower",
		parameter("dBm", lanes(p, 'r'), threshold(-9, -6.5, 4, 5.5)), "txPower",
		parameter("dBm", lanes(p, 't'), threshold(-5.5, -3, 4, 5.5)));
}

json_t *eos_optics(const struct machine *m, const char *wanted)
{
	return per_port(m, wanted, "interfaces", optics);
}
