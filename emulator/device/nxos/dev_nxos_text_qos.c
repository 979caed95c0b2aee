/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "emulator/device/nxos/dev_nxos.h"

/* Text output of the CLI about queues, flow control and configuration. */

typedef unsigned long long ull;

static const char *on_off(bool on)
{
	return on ? "On" : "Off";
}

void nxos_pfc_text(const struct nxos_query *q, struct buf *out)
{
	uint64_t rx, tx;

	(void)buf_adds(out, "slot  1\n=======\n\n"
			    "============================================================\n"
			    "Port               Mode Oper(VL bmap)  RxPPP      TxPPP\n"
			    "============================================================\n");
	for (unsigned i = 0; i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];

		if (!nxos_is_wanted(q, p))
			continue;
		personality_pause_frames(p, &rx, &tx);
		(void)buf_addf(out, "%-18s %-4s %-4s (%x)       %-10llu %llu\n", p->name,
			on_off(p->config.pfc_mask), on_off(p->config.pfc_mask && p->up),
			p->config.pfc_mask, (ull)rx, (ull)tx);
	}
}

static void print_priorities(const struct sim_port *p, const char *head, bool rx, struct buf *out)
{
	(void)buf_addf(out, "    %s |", head);
	for (unsigned i = 0; i < 8; i++)
		(void)buf_addf(out, "%-20llu |",
			(ull)(rx ? p->q[i].pfc_rx_frames : p->q[i].pfc_tx_frames));
	(void)buf_adds(out, "\n");
}

void nxos_pfc_detail_text(const struct nxos_query *q, struct buf *out)
{
	uint64_t rx, tx;

	for (unsigned i = 0; i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];

		if (!nxos_is_wanted(q, p))
			continue;
		personality_pause_frames(p, &rx, &tx);
		(void)buf_addf(out,
			"%s:\n    Admin Mode: %s\n    Oper Mode: %s\n    VL bitmap: (%x)\n"
			"    Total Rx PFC Frames: %llu\n    Total Tx PFC Frames: %llu\n    ",
			p->name, on_off(p->config.pfc_mask), on_off(p->config.pfc_mask && p->up),
			p->config.pfc_mask, (ull)rx, (ull)tx);
		(void)buf_adds(out, "   |");
		for (unsigned k = 0; k < 8; k++)
			(void)buf_addf(out, "Priority%-12u |", k);
		(void)buf_adds(out, "\n");
		print_priorities(p, "Rx", true, out);
		print_priorities(p, "Tx", false, out);
	}
}

static void group_row(const char *what, uint64_t v, struct buf *out)
{
	(void)buf_addf(out, "|%23s|%16llu|%16d|%16d|\n", what, (ull)v, 0, 0);
}

static void egress_text(const struct sim_port *p, struct buf *out)
{
	static const char rule[] = "+-----------------------------------------------------------"
				   "--------------+\n";

	(void)buf_addf(out, "\nEgress Queuing for %s [System]\n", p->name);
	for (unsigned i = 0; i < NXOS_GROUPS; i++) {
		const struct sim_queue *s = &p->q[i];

		(void)buf_addf(out,
			"%s|                              QOS GROUP %u"
			"                                |\n%s",
			rule, i, rule);
		(void)buf_addf(out, "|%23s|%16s|%16s|%16s|\n%s", "", "Unicast", "OOBFC Unicast",
			"Multicast", rule);
		group_row("Tx Pkts ", s->tx_packets, out);
		group_row("Tx Byts ", s->tx_bytes, out);
		group_row("WRED/AFD & Tail Drop Pkts", s->drops + s->wred_drops, out);
		group_row("Q Depth Byts ", s->depth_bytes, out);
		group_row("WD & Tail Drop Pkts ", s->wd_drops, out);
		if (p->config.ecn && p->config.pfc_mask >> i & 1)
			group_row("ECN Pkts ", s->ecn_marked, out);
	}
	(void)buf_adds(out, rule);
}

static void ingress_text(const struct sim_port *p, struct buf *out)
{
	uint64_t rx, tx, drops = 0;

	personality_pause_frames(p, &rx, &tx);
	for (unsigned i = 0; i < 8; i++)
		drops += p->q[i].pg_drops;
	(void)buf_addf(out,
		"\nIngress Queuing for %s\n\nPort Ingress Statistics\n"
		"--------------------------------------------------------\n"
		"Ingress MMU Drop Pkts %26llu\n\nPFC Statistics\n"
		"----------------------------------------------------------------------------\n"
		"TxPPP:  %20llu, RxPPP:  %20llu\n"
		"----------------------------------------------------------------------------\n"
		" COS QOS Group        PG   TxPause   TxCount         RxPause         RxCount\n",
		p->name, (ull)drops, (ull)tx, (ull)rx);
	for (unsigned i = 0; i < 8; i++) {
		const struct sim_queue *s = &p->q[i];
		char group[4] = "-";

		if (p->config.pfc_mask >> i & 1)
			(void)str_printf(group, sizeof(group), "%u", i);
		(void)buf_addf(out, "%4u %9s %9s  %-9s %8llu        %-9s %14llu\n", i, group, group,
			"Inactive", (ull)s->pfc_tx_frames, s->wd_stormed ? "Active" : "Inactive",
			(ull)s->pfc_rx_frames);
	}
}

void nxos_queuing_text(const struct nxos_query *q, struct buf *out)
{
	(void)buf_adds(out, "slot  1\n=======\n");
	for (unsigned i = 0; i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];

		if (!nxos_is_wanted(q, p))
			continue;
		egress_text(p, out);
		ingress_text(p, out);
	}
}

static void watched_text(const struct sim_port *p, unsigned i, bool detail, struct buf *out)
{
	static const char rule[] = "+----------------------------------------------------+\n";
	const struct sim_queue *s = &p->q[i];
	const struct {
		const char *what;
		uint64_t v;
	} rows[] = {{"Shutdown", s->wd_detected}, {"Restored", s->wd_restored},
		{"Total pkts drained", 0}, {"Total pkts dropped", s->wd_drops},
		{"Total pkts drained + dropped", s->wd_drops},
		{"Aggregate pkts dropped", s->wd_drops}, {"Total Ingress pkts dropped", 0},
		{"Aggregate Ingress pkts dropped", 0}};

	(void)buf_addf(out, "%s| QOS GROUP %u [%s] PFC [YES] PFC-COS [%u]\n%s", rule, i,
		s->wd_stormed ? "Shutdown" : "Active", i, rule);
	if (!detail)
		return;
	(void)buf_addf(out, "|                               |  Stats             |\n%s", rule);
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
		(void)buf_addf(out, "|%31s|%20llu|\n", rows[k].what, (ull)rows[k].v);
	(void)buf_adds(out, rule);
}

void nxos_watchdog_text(const struct nxos_query *q, struct buf *out)
{
	(void)buf_adds(out, "slot  1\n=======\n\n");
	for (unsigned i = 0; i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];

		if (!nxos_is_wanted(q, p))
			continue;
		(void)buf_addf(out,
			"%s Interface PFC watchdog: [%s]\n"
			"Disable-action                     : %s\n"
			"PFC watch-dog interface-multiplier : 0\n",
			p->name, p->config.wd_mask ? "Enabled" : "Disabled",
			p->config.wd_action == SIM_WD_ALERT ? "Yes" : "No");
		for (unsigned k = 0; k < NXOS_GROUPS; k++)
			if (p->config.pfc_mask >> k & 1)
				watched_text(p, k, q->detail, out);
	}
}

void nxos_load_balance_text(const struct nxos_query *q, struct buf *out)
{
	(void)q;
	(void)buf_adds(out,
		"System config:\n  Non-IP: src-dst mac\n  IP: src-dst ip-l4port rotate 0\n"
		"Port Channel Load-Balancing Configuration for all modules:\nModule 1:\n"
		"  Non-IP: src-dst mac\n  IP: src-dst ip-l4port rotate 0\n");
}

/* The seed comes from the system's address, so that switches differ by default. */
void nxos_load_sharing_text(const struct nxos_query *q, struct buf *out)
{
	unsigned seed = 2166136261u;

	for (const char *p = q->m->d->mac_base; *p; p++)
		seed = (seed ^ (unsigned char)*p) * 16777619u;
	(void)buf_addf(out,
		"IPv4/IPv6 ECMP load sharing:\nUniversal-id (Random Seed): %u\n"
		"Load-share mode : address source-destination port source-destination\n"
		"Rotate: 32  \nGRE-Outer hash is disabled\nConcatenation is disabled\n",
		seed);
}

void nxos_network_qos_text(const struct nxos_query *q, struct buf *out)
{
	const struct sim_device *d = q->m->d;

	(void)buf_addf(out,
		"\n  Type network-qos policy-maps\n  ============================\n"
		"  policy-map type network-qos qos_network\n"
		"    class type network-qos c-8q-nq%u\n      mtu %u\n      pause pfc-cos %u\n"
		"    class type network-qos c-8q-nq-default\n      mtu %u\n",
		LOSSLESS_PRIO, d->ports[0].config.mtu, LOSSLESS_PRIO, d->ports[0].config.mtu);
}

void nxos_queuing_policy_text(const struct nxos_query *q, struct buf *out)
{
	const struct sim_port_config *c = &q->m->d->ports[0].config;

	(void)buf_adds(out, "\n\n  Type queuing policy-maps\n  ========================\n\n"
			    "  policy-map type queuing qos_egress\n");
	(void)buf_addf(
		out, "    class type queuing c-out-8q-q%u\n      priority level 1\n", CNP_PRIO);
	(void)buf_addf(out,
		"    class type queuing c-out-8q-q%u\n      bandwidth remaining percent 80\n",
		LOSSLESS_PRIO);
	if (c->ecn)
		(void)buf_addf(out,
			"      random-detect minimum-threshold %u kbytes maximum-threshold %u "
			"kbytes drop-probability %u weight 0 ecn\n",
			c->ecn_min_bytes / 1000, c->ecn_max_bytes / 1000, c->ecn_max_percent);
	(void)buf_adds(out, "    class type queuing c-out-8q-q-default\n"
			    "      bandwidth remaining percent 20\n");
}

void nxos_qos_classes_text(const struct nxos_query *q, struct buf *out)
{
	const struct sim_device_config *c = &q->m->d->config;

	(void)buf_adds(out, "\n\n  Type qos class-maps\n  ===================\n");
	for (unsigned prio = 1; prio < 8; prio++) {
		bool any = false;

		for (unsigned dscp = 0; dscp < 64; dscp++) {
			if (c->dscp_prio[dscp] != prio)
				continue;
			if (!any)
				(void)buf_addf(out,
					"\n    class-map type qos match-all qos_group_%u\n", prio);
			(void)buf_addf(out, "      match dscp %u\n", dscp);
			any = true;
		}
	}
}

/* A class for each priority with DSCPs, and the default class for the rest. */
void nxos_qos_policy_text(const struct nxos_query *q, struct buf *out)
{
	const struct sim_device_config *c = &q->m->d->config;

	(void)buf_adds(out, "\n\n  Type qos policy-maps\n  ====================\n\n"
			    "  policy-map type qos qos_classify\n");
	for (unsigned prio = 1; prio < 8; prio++) {
		unsigned dscp = 0;

		while (dscp < 64 && c->dscp_prio[dscp] != prio)
			dscp++;
		if (dscp < 64)
			(void)buf_addf(out,
				"    class type qos qos_group_%u\n      set qos-group %u\n", prio,
				prio);
	}
	(void)buf_adds(out, "    class type qos class-default\n      set qos-group 0\n");
}

static void running_port(const struct sim_port *p, struct buf *out)
{
	char address[16];

	(void)buf_addf(out, "\ninterface %s\n  no switchport\n  mtu %u\n", p->name, p->config.mtu);
	if (p->bgp.configured) {
		personality_link_address(p, address);
		(void)buf_addf(out, "  ip address %s/31\n", address);
	}
	if (p->config.pfc_mask)
		(void)buf_adds(out, "  priority-flow-control mode on\n");
	if (p->config.wd_mask)
		(void)buf_addf(out, "  priority-flow-control watch-dog-interval on%s\n",
			p->config.wd_action == SIM_WD_ALERT ? " disable-action" : "");
	if (p->config.beacon)
		(void)buf_adds(out, "  beacon\n");
	(void)buf_addf(out, "  %sshutdown\n", p->config.admin_up ? "no " : "");
}

static void running_bgp(const struct machine *m, struct buf *out)
{
	char address[16];
	unsigned asn;

	(void)buf_addf(out, "\nrouter bgp %u\n  router-id %s\n", m->d->asn, m->d->router_id);
	for (unsigned i = 0; i < m->d->nports; i++) {
		if (!nxos_neighbor(m, &m->d->ports[i], address, &asn))
			continue;
		(void)buf_addf(out,
			"  neighbor %s\n    remote-as %u\n    address-family ipv4 unicast\n",
			address, asn);
		if (m->d->ports[i].bgp.shut)
			(void)buf_adds(out, "    shutdown\n");
	}
}

void nxos_running_text(const struct nxos_query *q, struct buf *out)
{
	const struct sim_device *d = q->m->d;

	(void)buf_addf(out, "\n!Command: show running-config\n\nversion %s Bios:version 01.12\n",
		d->os_version);
	if (!q->only)
		(void)buf_addf(out,
			"hostname %s\n\nfeature nxapi\nfeature bgp\nfeature lldp\n"
			"priority-flow-control watch-dog interval %u\n"
			"priority-flow-control watch-dog shutdown-multiplier %u\n"
			"priority-flow-control auto-restore multiplier %u\n",
			d->name, d->config.wd_poll_ms,
			d->ports[0].config.wd_detect_ms / d->config.wd_poll_ms,
			d->ports[0].config.wd_restore_ms / d->config.wd_poll_ms);
	for (unsigned i = 0; i < d->nports; i++)
		if (nxos_is_wanted(q, &d->ports[i]))
			running_port(&d->ports[i], out);
	if (!q->only)
		nxos_running_bundles(d, out);
	if (!q->only && d->asn)
		running_bgp(q->m, out);
}

void nxos_running_bgp_text(const struct nxos_query *q, struct buf *out)
{
	(void)buf_addf(out,
		"\n!Command: show running-config bgp\n\nversion %s Bios:version 01.12\n"
		"feature bgp\n",
		q->m->d->os_version);
	if (q->m->d->asn)
		running_bgp(q->m, out);
}
