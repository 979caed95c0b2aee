/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "emulator/device/nxos/dev_nxos.h"

/* The LLDP neighbours of the switch. */

static const char *port_type(const struct lldp_peer *peer)
{
	return peer->local_id ? "Locally Assigned" : "Interface Name";
}

static const char *capability_letters(const struct machine *m, const struct sim_port *p, bool brief)
{
	if (sim_device_of(m->ctx->sim, p->peer)->tier == TIER_HOST)
		return "S";
	return brief ? "BR" : "B, R";
}

static json_t *json_neighbor(const struct nxos_query *q, const struct sim_port *p,
	const struct lldp_peer *peer, bool detail)
{
	json_t *row = json_object();
	char local[24], mac[DOTTED_MAC];

	personality_dotted_mac(peer->chassis_id, mac);
	nxos_short_name(p, "Eth", local, sizeof(local));
	nxos_str(row, "chassis_type", detail ? "Mac Address" : "Locally Assigned");
	nxos_str(row, "chassis_id", detail ? mac : peer->name);
	if (detail) {
		nxos_str(row, "port_type", port_type(peer));
		nxos_str(row, "port_id", peer->port_id);
	}
	nxos_str(row, "l_port_id", local);
	if (detail) {
		nxos_str(row, "port_desc", peer->port_descr[0] ? peer->port_descr : "null");
		nxos_str(row, "sys_name", peer->name);
		nxos_str(row, "sys_desc", peer->system);
	}
	nxos_num(q, row, detail ? "ttl" : "hold_time", detail ? 107 : 120);
	nxos_str(row, "system_capability", capability_letters(q->m, p, !detail));
	nxos_str(row, "enabled_capability", capability_letters(q->m, p, !detail));
	if (!detail) {
		nxos_str(row, "port_type", port_type(peer));
		nxos_str(row, "port_id", peer->port_id);
	}
	nxos_str(row, "mgmt_addr_type", "IPV4");
	nxos_str(row, "mgmt_addr", peer->address);
	nxos_str(row, "mgmt_addr_ipv6_type", "Address not advertised");
	nxos_str(row, "mgmt_addr_ipv6", "not advertised");
	if (detail)
		nxos_str(row, "invalid_vlan_id", "not advertised");
	return row;
}

static json_t *json_neighbors(const struct nxos_query *q, const char *table, bool detail)
{
	json_t *rows = json_array(), *body = json_object();
	struct lldp_peer peer;
	size_t n;

	for (unsigned i = 0; i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];

		if (nxos_is_wanted(q, p) && personality_lldp(q->m->ctx, p, &peer))
			(void)json_array_append_new(rows, json_neighbor(q, p, &peer, detail));
	}
	n = json_array_size(rows);
	nxos_str(body, "neigh_hdr", "neigh_hdr");
	nxos_table(q, body, table, rows);
	nxos_num(q, body, "neigh_count", n);
	return body;
}

json_t *nxos_lldp(const struct nxos_query *q)
{
	return json_neighbors(q, "nbor", false);
}

json_t *nxos_lldp_detail(const struct nxos_query *q)
{
	return json_neighbors(q, "nbor_detail", true);
}

static const char capability_codes[] =
	"Capability codes:\n"
	"  (R) Router, (B) Bridge, (T) Telephone, (C) DOCSIS Cable Device\n"
	"  (W) WLAN Access Point, (P) Repeater, (S) Station, (O) Other\n";

void nxos_lldp_text(const struct nxos_query *q, struct buf *out)
{
	struct lldp_peer peer;
	unsigned n = 0;
	char name[24];

	(void)buf_addf(out,
		"%sDevice ID            Local Intf      Hold-time  Capability  Port ID  \n",
		capability_codes);
	for (unsigned i = 0; i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];

		if (!nxos_is_wanted(q, p) || !personality_lldp(q->m->ctx, p, &peer))
			continue;
		nxos_short_name(p, "Eth", name, sizeof(name));
		(void)buf_addf(out, "%-20s %-15s %-10d %-11s %s\n", peer.name, name, 120,
			capability_letters(q->m, p, true), peer.port_id);
		n++;
	}
	(void)buf_addf(out, "Total entries displayed: %u\n", n);
}

void nxos_lldp_detail_text(const struct nxos_query *q, struct buf *out)
{
	unsigned n = 0;

	(void)buf_addf(out,
		"%sDevice ID            Local Intf      Hold-time  Capability  Port ID  \n",
		capability_codes);
	for (unsigned i = 0; i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];
		char name[24], mac[DOTTED_MAC];
		struct lldp_peer peer;

		if (!nxos_is_wanted(q, p) || !personality_lldp(q->m->ctx, p, &peer))
			continue;
		personality_dotted_mac(peer.chassis_id, mac);
		nxos_short_name(p, "Eth", name, sizeof(name));
		(void)buf_addf(out,
			"\nChassis id: %s\nPort id: %s\nLocal Port id: %s\nPort Description: %s\n"
			"System Name: %s\nSystem Description: %s\nTime remaining: 107 seconds\n"
			"System Capabilities: %s\nEnabled Capabilities: %s\n"
			"Management Address: %s\nManagement Address IPV6: not advertised\n"
			"Vlan ID: not advertised\n\n",
			mac, peer.port_id, name, peer.port_descr[0] ? peer.port_descr : "null",
			peer.name, peer.system, capability_letters(q->m, p, false),
			capability_letters(q->m, p, false), peer.address);
		n++;
	}
	(void)buf_addf(out, "Total entries displayed: %u\n", n);
}
