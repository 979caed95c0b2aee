/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/eos/dev_eos.h"

/* The show commands that list ports. */

json_t *eos_u64(uint64_t v)
{
	return json_integer((json_int_t)v);
}

json_t *eos_per_port(const struct machine *m, const char *wanted, const char *title,
	json_t *(*make)(const struct machine *m, const struct sim_port *p))
{
	json_t *all = json_object(), *one;
	unsigned i;

	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		one = eos_is_wanted(p, wanted) ? make(m, p) : NULL;
		if (one)
			(void)json_object_set_new_nocheck(all, p->name, one);
	}
	return json_pack("{s:o}", title, all);
}

/* The time of the agent's last read of the hardware. */
static double refresh_time(const struct machine *m, const struct sim_port *p)
{
	return p->counters_us ? eos_seconds(m, p->counters_us) : eos_now(m);
}

/* Priority pause frames are counted apart from link-level pause, which is off. */
static const char *link_status(const struct sim_port *p)
{
	return !p->config.admin_up ? "disabled" : p->up ? "connected" : "notconnect";
}

static double packets_ps(double bytes_ps, uint64_t bytes, uint64_t packets)
{
	return bytes ? bytes_ps * (double)packets / (double)bytes : 0;
}

static json_t *json_counters(const struct machine *m, const struct sim_port *p)
{
	json_t *in = json_pack("{s:i,s:i,s:o,s:i,s:o,s:i}", "runtFrames", 0, "giantFrames", 0,
		"fcsErrors", eos_u64(p->rx_fcs_errors), "alignmentErrors", 0, "symbolErrors",
		eos_u64(p->rx_symbol_errors), "rxPause", 0);
	json_t *out = json_pack("{s:i,s:i,s:i,s:i}", "collisions", 0, "lateCollisions", 0,
		"deferredTransmissions", 0, "txPause", 0);

	return json_pack("{s:o,s:o,s:o,s:o,s:i,s:i,s:i,s:i,s:o,s:o,s:o,s:o,s:o,s:f,s:o,s:o}",
		"inOctets", eos_u64(p->rx_bytes), "outOctets", eos_u64(p->tx_bytes), "inUcastPkts",
		eos_u64(p->rx_packets), "outUcastPkts", eos_u64(p->tx_packets), "inMulticastPkts",
		0, "outMulticastPkts", 0, "inBroadcastPkts", 0, "outBroadcastPkts", 0, "inDiscards",
		eos_u64(p->rx_discards), "outDiscards", eos_u64(p->tx_discards), "totalInErrors",
		eos_u64(p->rx_errors), "totalOutErrors", eos_u64(p->tx_errors), "linkStatusChanges",
		eos_u64(p->carrier_up + p->carrier_down), "counterRefreshTime", refresh_time(m, p),
		"inputErrorsDetail", in, "outputErrorsDetail", out);
}

static json_t *json_description(const struct machine *m, const struct sim_port *p)
{
	struct lldp_peer peer;

	if (!personality_lldp(m->ctx, p, &peer))
		return json_string("");
	return json_sprintf("%s:%s", peer.name, peer.local_id ? peer.port_descr : peer.port_id);
}

static json_t *json_interface(const struct machine *m, const struct sim_port *p)
{
	char mac[18];
	json_t *statistics = json_pack("{s:f,s:f,s:f,s:f,s:f}", "updateInterval", 300.0,
		"inBitsRate", p->rx_bytes_ps * 8, "outBitsRate", p->tx_bytes_ps * 8, "inPktsRate",
		packets_ps(p->rx_bytes_ps, p->rx_bytes, p->rx_packets), "outPktsRate",
		packets_ps(p->tx_bytes_ps, p->tx_bytes, p->tx_packets));

	personality_mac(m->d, p->port, mac);
	return json_pack(
		"{s:s,s:s,s:s,s:s,s:I,s:i,s:s,s:s,s:i,s:s,s:s,s:s,s:s,s:f,s:o,s:[],s:o,s:o}",
		"name", p->name, "hardware", "ethernet", "lineProtocolStatus",
		p->up ? "up" : "down", "interfaceStatus", link_status(p), "bandwidth",
		(json_int_t)p->speed_mbps * 1000000, "mtu", (int)p->config.mtu, "duplex",
		"duplexFull", "autoNegotiate", "off", "lanes", (int)p->lanes, "loopbackMode",
		"loopbackNone", "forwardingModel", "routed", "physicalAddress", mac,
		"burnedInAddress", mac, "lastStatusChangeTimestamp",
		eos_seconds(m, p->last_change_us), "description", json_description(m, p),
		"interfaceAddress", "interfaceStatistics", statistics, "interfaceCounters",
		json_counters(m, p));
}

json_t *eos_interfaces(const struct machine *m, const char *wanted)
{
	return eos_per_port(m, wanted, "interfaces", json_interface);
}

static json_t *json_status(const struct machine *m, const struct sim_port *p)
{
	return json_pack("{s:s,s:s,s:I,s:s,s:o,s:s,s:b}", "linkStatus", link_status(p),
		"lineProtocolStatus", p->up ? "up" : "down", "bandwidth",
		(json_int_t)p->speed_mbps * 1000000, "duplex", "duplexFull", "description",
		json_description(m, p), "interfaceType", "400GBASE-DR4", "autoNegotiateActive", 0);
}

json_t *eos_status(const struct machine *m, const char *wanted)
{
	return eos_per_port(m, wanted, "interfaceStatuses", json_status);
}

static void status_line(const struct machine *m, const struct sim_port *p, struct buf *out)
{
	struct lldp_peer peer;
	char descr[64] = "", speed[16];

	if (personality_lldp(m->ctx, p, &peer))
		(void)str_printf(descr, sizeof(descr), "%s", peer.name);
	(void)str_printf(speed, sizeof(speed), "%uG", p->speed_mbps / 1000);
	(void)buf_addf(out, "Et%-9s %-20s %-12s routed   full   %-6s 400GBASE-DR4\n",
		p->name + strlen("Ethernet"), descr, link_status(p), speed);
}

void eos_status_text(const struct machine *m, const char *wanted, struct buf *out)
{
	unsigned i;

	(void)buf_addf(
		out, "%-11s %-20s %-12s Vlan     Duplex Speed  Type\n", "Port", "Name", "Status");
	for (i = 0; i < m->d->nports; i++)
		if (eos_is_wanted(&m->d->ports[i], wanted))
			status_line(m, &m->d->ports[i], out);
}

static json_t *json_errors(const struct machine *m, const struct sim_port *p)
{
	(void)m;
	return json_pack("{s:o,s:i,s:o,s:i,s:o,s:i,s:o}", "inErrors", eos_u64(p->rx_errors),
		"frameTooLongs", 0, "outErrors", eos_u64(p->tx_errors), "frameTooShorts", 0,
		"fcsErrors", eos_u64(p->rx_fcs_errors), "alignmentErrors", 0, "symbolErrors",
		eos_u64(p->rx_symbol_errors));
}

json_t *eos_errors(const struct machine *m, const char *wanted)
{
	return eos_per_port(m, wanted, "interfaceErrorCounters", json_errors);
}

static json_t *json_discards(const struct machine *m, const struct sim_port *p)
{
	(void)m;
	return json_pack("{s:o,s:o}", "inDiscards", eos_u64(p->rx_discards), "outDiscards",
		eos_u64(p->tx_discards));
}

json_t *eos_discards(const struct machine *m, const char *wanted)
{
	json_t *o = eos_per_port(m, wanted, "interfaces", json_discards);
	uint64_t in = 0, out = 0;
	unsigned i;

	for (i = 0; i < m->d->nports; i++) {
		in += m->d->ports[i].rx_discards;
		out += m->d->ports[i].tx_discards;
	}
	(void)json_object_set_new(o, "inDiscardsTotal", eos_u64(in));
	(void)json_object_set_new(o, "outDiscardsTotal", eos_u64(out));
	return o;
}

static json_t *json_rates(const struct machine *m, const struct sim_port *p)
{
	return json_pack("{s:s,s:i,s:f,s:f,s:f,s:f,s:f}", "description", "", "interval", 300,
		"inBpsRate", p->rx_bytes_ps * 8, "outBpsRate", p->tx_bytes_ps * 8, "inPpsRate",
		packets_ps(p->rx_bytes_ps, p->rx_bytes, p->rx_packets), "outPpsRate",
		packets_ps(p->tx_bytes_ps, p->tx_bytes, p->tx_packets), "lastUpdateTimestamp",
		refresh_time(m, p));
}

json_t *eos_rates(const struct machine *m, const char *wanted)
{
	return eos_per_port(m, wanted, "interfaces", json_rates);
}

static json_t *json_precedence(uint64_t packets, uint64_t bytes, uint64_t drops)
{
	/* Assumes that dropped packets have the mean length of sent ones. */
	double mean = packets ? (double)bytes / (double)packets : 0;

	return json_pack("{s:{s:{s:o,s:o,s:o,s:o}}}", "dropPrecedences", "DP0", "enqueuedPackets",
		eos_u64(packets), "enqueuedBytes", eos_u64(bytes), "droppedPackets", eos_u64(drops),
		"droppedBytes", eos_u64((uint64_t)((double)drops * mean)));
}

static json_t *traffic_classes(const struct sim_port *p, bool unicast)
{
	json_t *all = json_object();
	char name[8];
	unsigned i;

	for (i = 0; i < 8; i++) {
		const struct sim_queue *q = &p->q[i];

		(void)str_printf(name, sizeof(name), "TC%u", i);
		(void)json_object_set_new_nocheck(all, name,
			unicast ? json_precedence(q->tx_packets, q->tx_bytes, q->drops)
				: json_precedence(0, 0, 0));
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
	return json_pack("{s:o}", "egressQueueCounters",
		eos_per_port(m, wanted, "interfaces", queue_counters));
}
