/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/nxos/dev_nxos.h"

/* The managed objects: their places in the tree, and their attributes, which are all strings. */

typedef void (*fill_fn)(const struct machine *m, const struct nxos_mo *mo, json_t *a);

static void changed_at(const struct machine *m, json_t *a, int64_t us)
{
	char text[40];

	/* A value that was never refreshed is read at the request. */
	nxos_timestamp((us ? us : sim_now(m->ctx->sim)) + m->d->clock_skew_us, text);
	nxos_str(a, "modTs", text);
}

static void top_system(const struct machine *m, const struct nxos_mo *mo, json_t *a)
{
	int64_t up = (sim_now(m->ctx->sim) - m->d->boot_us) / CLOCK_SEC;
	char now[40], address[24];

	(void)mo;
	nxos_timestamp(personality_clock(m->ctx, m->d), now);
	personality_address(m->d, address);
	nxos_str(a, "name", m->d->name);
	nxos_str(a, "serial", m->d->serial);
	nxos_str(a, "address", address);
	nxos_str(a, "currentTime", now);
	nxos_strf(a, "systemUpTime", "%02lld:%02lld:%02lld:%02lld.000", (long long)(up / 86400),
		(long long)(up / 3600 % 24), (long long)(up / 60 % 60), (long long)(up % 60));
	changed_at(m, a, m->d->boot_us);
}

static void fill_chassis(const struct machine *m, const struct nxos_mo *mo, json_t *a)
{
	(void)mo;
	nxos_str(a, "id", "1");
	nxos_str(a, "model", m->d->model);
	nxos_str(a, "ser", m->d->serial);
	nxos_str(a, "descr", "Nexus9000 Chassis");
	nxos_str(a, "vendor", "Cisco Systems, Inc.");
	nxos_str(a, "operSt", "online");
	changed_at(m, a, m->d->boot_us);
}

static void show_version(const struct machine *m, const struct nxos_mo *mo, json_t *a)
{
	int64_t up = (sim_now(m->ctx->sim) - m->d->boot_us) / CLOCK_SEC;

	(void)mo;
	nxos_str(a, "nxosVersion", m->d->os_version);
	nxos_str(a, "hostName", m->d->name);
	nxos_strf(a, "kernelUptime", "%lld day(s), %lld hour(s), %lld minute(s), %lld second(s)",
		(long long)(up / 86400), (long long)(up / 3600 % 24), (long long)(up / 60 % 60),
		(long long)(up % 60));
	changed_at(m, a, m->d->boot_us);
}

static void fill_physical(const struct machine *m, const struct nxos_mo *mo, json_t *a)
{
	char name[24];

	nxos_short_name(mo->port, "eth", name, sizeof(name));
	nxos_str(a, "id", name);
	nxos_str(a, "adminSt", mo->port->config.admin_up ? "up" : "down");
	nxos_strf(a, "speed", "%uG", mo->port->plan_mbps / 1000);
	nxos_str(a, "descr", "");
	nxos_digits(a, "mtu", mo->port->config.mtu);
	nxos_str(a, "layer", "Layer3");
	nxos_str(a, "mode", "access");
	nxos_str(a, "duplex", "auto");
	nxos_str(a, "beacon", mo->port->config.beacon ? "on" : "off");
	nxos_str(a, "medium", "broadcast");
	changed_at(m, a, m->d->boot_us);
}

static const char *oper_qualifier(const struct sim_port *p)
{
	if (p->up)
		return "none";
	if (!p->config.admin_up)
		return "admin-down";
	return p->carrier_down ? "link-failure" : "link-not-connected";
}

static void fill_operational(const struct machine *m, const struct nxos_mo *mo, json_t *a)
{
	const struct sim_port *p = mo->port;
	char speed[16], text[40];

	nxos_str(a, "operSt", p->up ? "up" : "down");
	nxos_str(a, "operStQual", oper_qualifier(p));
	nxos_str(a, "operSpeed", p->up ? nxos_speed(p, speed) : "auto");
	nxos_str(a, "operDuplex", p->up ? "full" : "auto");
	nxos_str(a, "operFecMode", p->up ? "cl91-rs-fec" : "disable-fec");
	nxos_digits(a, "operMtu", p->config.mtu);
	nxos_timestamp(p->last_change_us + m->d->clock_skew_us, text);
	nxos_str(a, "lastLinkStChg", text);
	nxos_digits(a, "resetCtr", p->carrier_down);
	nxos_str(a, "intfT", "phy");
	changed_at(m, a, p->last_change_us);
}

static void fill_received(const struct machine *m, const struct nxos_mo *mo, json_t *a)
{
	const struct sim_port *p = mo->port;

	nxos_digits(a, "octets", p->rx_bytes);
	nxos_digits(a, "ucastPkts", p->rx_packets);
	nxos_digits(a, "multicastPkts", 0);
	nxos_digits(a, "broadcastPkts", 0);
	changed_at(m, a, p->counters_us);
}

static void fill_sent(const struct machine *m, const struct nxos_mo *mo, json_t *a)
{
	const struct sim_port *p = mo->port;

	nxos_digits(a, "octets", p->tx_bytes);
	nxos_digits(a, "ucastPkts", p->tx_packets);
	nxos_digits(a, "multicastPkts", 0);
	nxos_digits(a, "broadcastPkts", 0);
	changed_at(m, a, p->counters_us);
}

static void received_errors(const struct machine *m, const struct nxos_mo *mo, json_t *a)
{
	const struct sim_port *p = mo->port;

	nxos_digits(a, "octets", p->rx_bytes);
	nxos_digits(a, "ucastPkts", p->rx_packets);
	nxos_digits(a, "nUcastPkts", 0);
	nxos_digits(a, "discards", p->rx_discards);
	nxos_digits(a, "errors", p->rx_errors);
	nxos_digits(a, "unknownProtos", 0);
	changed_at(m, a, p->counters_us);
}

static void sent_errors(const struct machine *m, const struct nxos_mo *mo, json_t *a)
{
	const struct sim_port *p = mo->port;

	nxos_digits(a, "octets", p->tx_bytes);
	nxos_digits(a, "ucastPkts", p->tx_packets);
	nxos_digits(a, "nUcastPkts", 0);
	nxos_digits(a, "discards", p->tx_discards);
	nxos_digits(a, "errors", p->tx_errors);
	nxos_digits(a, "qLen", 0);
	changed_at(m, a, p->counters_us);
}

static void fill_ethernet(const struct machine *m, const struct nxos_mo *mo, json_t *a)
{
	const struct sim_port *p = mo->port;

	nxos_digits(a, "cRCAlignErrors", p->rx_fcs_errors);
	nxos_digits(a, "stompedCRCAlignErrors", 0);
	nxos_digits(a, "rxOversizePkts", p->q[SIM_PRIO_ROCE].rx_packets);
	nxos_digits(a, "txOversizePkts", p->q[SIM_PRIO_ROCE].tx_packets);
	nxos_digits(a, "undersizePkts", 0);
	nxos_digits(a, "fragments", 0);
	nxos_digits(a, "jabbers", 0);
	nxos_digits(a, "collisions", 0);
	nxos_digits(a, "dropEvents", p->rx_discards);
	changed_at(m, a, p->counters_us);
}

static void fill_dot3(const struct machine *m, const struct nxos_mo *mo, json_t *a)
{
	static const char *const zero[] = {"alignmentErrors", "carrierSenseErrors",
		"deferredTransmissions", "frameTooLongs", "lateCollisions", "inPauseFrames",
		"outPauseFrames"};
	const struct sim_port *p = mo->port;

	nxos_digits(a, "fCSErrors", p->rx_fcs_errors);
	nxos_digits(a, "symbolErrors", p->rx_symbol_errors);
	for (size_t i = 0; i < sizeof(zero) / sizeof(zero[0]); i++)
		nxos_digits(a, zero[i], 0);
	changed_at(m, a, p->counters_us);
}

static void fill_queuing(const struct machine *m, const struct nxos_mo *mo, json_t *a)
{
	const struct sim_queue *s = &mo->port->q[mo->index];
	uint64_t average = s->tx_packets ? s->tx_bytes / s->tx_packets : 0;

	if (mo->index)
		nxos_strf(a, "cmapName", "c-out-8q-q%u", mo->index);
	else
		nxos_str(a, "cmapName", "c-out-8q-q-default");
	nxos_digits(a, "txPackets", s->tx_packets);
	nxos_digits(a, "txBytes", s->tx_bytes);
	nxos_digits(a, "dropPackets", s->drops);
	nxos_digits(a, "dropBytes", s->drops * average);
	nxos_digits(a, "randDropPackets", s->wred_drops);
	nxos_digits(a, "randDropBytes", s->wred_drops * average);
	nxos_digits(a, "randEcnMarkedPackets", s->ecn_marked);
	nxos_digits(a, "ucCurrQueueDepth", s->depth_bytes);
	nxos_digits(a, "pfcRxPpp", s->pfc_rx_frames);
	nxos_digits(a, "pfcTxPpp", s->pfc_tx_frames);
	changed_at(m, a, mo->port->queues_us);
}

static void lldp_port(const struct machine *m, const struct nxos_mo *mo, json_t *a)
{
	char name[24];

	nxos_short_name(mo->port, "eth", name, sizeof(name));
	nxos_str(a, "id", name);
	nxos_str(a, "adminRxSt", "enabled");
	nxos_str(a, "adminTxSt", "enabled");
	nxos_str(a, "portDesc", mo->port->name);
	changed_at(m, a, m->d->boot_us);
}

static void fill_adjacency(const struct machine *m, const struct nxos_mo *mo, json_t *a)
{
	struct lldp_peer peer;
	bool host;

	if (!personality_lldp(m->ctx, mo->port, &peer))
		return;
	host = sim_device_of(m->ctx->sim, mo->port->peer)->tier == TIER_HOST;
	nxos_str(a, "sysName", peer.name);
	nxos_str(a, "sysDesc", peer.system);
	nxos_str(a, "chassisIdT", "mac");
	nxos_str(a, "chassisIdV", peer.chassis_id);
	nxos_str(a, "portIdT", peer.local_id ? "local" : "if-name");
	nxos_str(a, "portIdV", peer.port_id);
	nxos_str(a, "portDesc", peer.port_descr);
	nxos_str(a, "mgmtIp", peer.address);
	nxos_str(a, "capability", host ? "station" : "bridge,router");
	nxos_str(a, "enCap", host ? "station" : "bridge,router");
	nxos_digits(a, "ttl", 120);
	changed_at(m, a, mo->port->last_change_us);
}

static void bgp_instance(const struct machine *m, const struct nxos_mo *mo, json_t *a)
{
	(void)mo;
	nxos_strf(a, "asn", "%u", m->d->asn);
	nxos_str(a, "adminSt", "enabled");
	changed_at(m, a, m->d->boot_us);
}

static void bgp_domain(const struct machine *m, const struct nxos_mo *mo, json_t *a)
{
	(void)mo;
	nxos_str(a, "name", "default");
	nxos_str(a, "rtrId", m->d->router_id);
	changed_at(m, a, m->d->boot_us);
}

static void bgp_peer(const struct machine *m, const struct nxos_mo *mo, json_t *a)
{
	char address[16];
	unsigned asn;

	if (!nxos_neighbor(m, mo->port, address, &asn))
		return;
	nxos_str(a, "addr", address);
	nxos_strf(a, "asn", "%u", asn);
	nxos_str(a, "adminSt", mo->port->bgp.shut ? "disabled" : "enabled");
	changed_at(m, a, m->d->boot_us);
}

static void bgp_entry(const struct machine *m, const struct nxos_mo *mo, json_t *a)
{
	const struct sim_port *p = mo->port;
	char address[16], since[40];
	unsigned asn;

	if (!nxos_neighbor(m, p, address, &asn))
		return;
	nxos_str(a, "addr", address);
	nxos_str(a, "operSt",
		p->bgp.established      ? "established"
		: p->bgp.shut || !p->up ? "idle"
					: "active");
	nxos_str(a, "type", "ebgp");
	nxos_timestamp(p->bgp.since_us + m->d->clock_skew_us, since);
	nxos_str(a, "lastFlapTs", since);
	changed_at(m, a, p->bgp.since_us);
}

static void fill_bare(const struct machine *m, const struct nxos_mo *mo, json_t *a)
{
	(void)mo;
	changed_at(m, a, m->d->boot_us);
}

/* format: of the distinguished name, with the interface ("eth1/4") or the neighbour's address. */
enum per { PER_DEVICE, PER_PORT, PER_QUEUE, PER_LLDP, PER_NEIGHBOR };
static const struct mo_class {
	const char *name, *head, *tail;
	enum per per;
	fill_fn fill;
} classes[] = {
	{"topSystem", "sys", "", PER_DEVICE, top_system},
	{"eqptCh", "sys/ch", "", PER_DEVICE, fill_chassis},
	{"sysmgrShowVersion", "sys/showversion", "", PER_DEVICE, show_version},
	{"interfaceEntity", "sys/intf", "", PER_DEVICE, fill_bare},
	{"l1PhysIf", "sys/intf/phys-[", "]", PER_PORT, fill_physical},
	{"ethpmPhysIf", "sys/intf/phys-[", "]/phys", PER_PORT, fill_operational},
	{"rmonIfIn", "sys/intf/phys-[", "]/dbgIfIn", PER_PORT, received_errors},
	{"rmonIfOut", "sys/intf/phys-[", "]/dbgIfOut", PER_PORT, sent_errors},
	{"rmonIfHCIn", "sys/intf/phys-[", "]/dbgIfHCIn", PER_PORT, fill_received},
	{"rmonIfHCOut", "sys/intf/phys-[", "]/dbgIfHCOut", PER_PORT, fill_sent},
	{"rmonEtherStats", "sys/intf/phys-[", "]/dbgEtherStats", PER_PORT, fill_ethernet},
	{"rmonDot3Stats", "sys/intf/phys-[", "]/dbgDot3Stats", PER_PORT, fill_dot3},
	{"ipqosQueuingStats", "sys/ipqos/queuing/policy/out/intf-[",
		"]/pmap-[default-8q-out-policy]/queuing-stats/cmap-", PER_QUEUE, fill_queuing},
	{"lldpEntity", "sys/lldp", "", PER_DEVICE, fill_bare},
	{"lldpInst", "sys/lldp/inst", "", PER_DEVICE, fill_bare},
	{"lldpIf", "sys/lldp/inst/if-[", "]", PER_PORT, lldp_port},
	{"lldpAdjEp", "sys/lldp/inst/if-[", "]/adj-1", PER_LLDP, fill_adjacency},
	{"bgpEntity", "sys/bgp", "", PER_DEVICE, fill_bare},
	{"bgpInst", "sys/bgp/inst", "", PER_DEVICE, bgp_instance},
	{"bgpDom", "sys/bgp/inst/dom-default", "", PER_DEVICE, bgp_domain},
	{"bgpPeer", "sys/bgp/inst/dom-default/peer-[", "]", PER_NEIGHBOR, bgp_peer},
	{"bgpPeerEntry", "sys/bgp/inst/dom-default/peer-[", "]/ent-[", PER_NEIGHBOR, bgp_entry},
};

bool nxos_mo_class(const char *name)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (!strcmp(classes[i].name, name))
			return true;
	return false;
}

static bool name_neighbor(const struct machine *m, const struct mo_class *c, struct nxos_mo *mo)
{
	char address[16];
	unsigned asn;

	if (!nxos_neighbor(m, mo->port, address, &asn))
		return false;
	(void)str_printf(mo->dn, sizeof(mo->dn), "%s%s%s%s%s", c->head, address, c->tail,
		c->fill == bgp_entry ? address : "", c->fill == bgp_entry ? "]" : "");
	return true;
}

static void each_of_port(const struct machine *m, const struct mo_class *c, struct nxos_mo *mo,
	nxos_mo_fn each, void *arg)
{
	struct lldp_peer peer;
	char name[24];

	if (c->per == PER_NEIGHBOR) {
		if (name_neighbor(m, c, mo))
			each(mo, arg);
		return;
	}
	if (c->per == PER_LLDP && !personality_lldp(m->ctx, mo->port, &peer))
		return;
	nxos_short_name(mo->port, "eth", name, sizeof(name));
	for (mo->index = 0; mo->index < (c->per == PER_QUEUE ? NXOS_GROUPS : 1); mo->index++) {
		(void)str_printf(mo->dn, sizeof(mo->dn), "%s%s%s", c->head, name, c->tail);
		if (c->per == PER_QUEUE) {
			size_t n = strlen(mo->dn);

			(void)(mo->index ? str_printf(mo->dn + n, sizeof(mo->dn) - n,
						   "[c-out-8q-q%u]", mo->index)
					 : str_copy(mo->dn + n, sizeof(mo->dn) - n,
						   "[c-out-8q-q-default]"));
		}
		each(mo, arg);
	}
}

void nxos_mo_each(const struct machine *m, nxos_mo_fn each, void *arg)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		const struct mo_class *c = &classes[i];
		struct nxos_mo mo = {.class = c->name};

		if (c->per == PER_DEVICE) {
			(void)str_copy(mo.dn, sizeof(mo.dn), c->head);
			each(&mo, arg);
			continue;
		}
		for (unsigned k = 0; k < m->d->nports; k++) {
			mo.port = &m->d->ports[k];
			each_of_port(m, c, &mo, each, arg);
		}
	}
}

void nxos_mo_fill(const struct machine *m, struct nxos_mo *mo)
{
	mo->attributes = json_object();
	nxos_str(mo->attributes, "childAction", "");
	nxos_str(mo->attributes, "dn", mo->dn);
	nxos_str(mo->attributes, "status", "");
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (!strcmp(classes[i].name, mo->class))
			classes[i].fill(m, mo, mo->attributes);
}
