/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/dev_nxos.h"

/* The show commands about the switch as a whole and its neighbours. */

struct span {
	uint64_t days, hours, minutes, seconds;
};

static struct span uptime_of(const struct machine *m)
{
	int64_t up = (sim_now(m->ctx->sim) - m->d->boot_us) / CLOCK_SEC;
	uint64_t s = up > 0 ? (uint64_t)up : 0;

	return (struct span){s / 86400, s / 3600 % 24, s / 60 % 60, s % 60};
}

/* What the device's own clock said then. */
static int64_t on_its_clock(const struct machine *m, int64_t us)
{
	return us + m->d->clock_skew_us;
}

json_t *nxos_version(const struct nxos_query *q)
{
	const struct sim_device *d = q->m->d;
	struct span up = uptime_of(q->m);
	json_t *o = json_object(), *packages = json_array(), *package = json_object();
	char booted[40];

	nxos_str(o, "header_str",
		"Cisco Nexus Operating System (NX-OS) Software\n"
		"TAC support: http://www.cisco.com/tac\n");
	nxos_str(o, "bios_ver_str", "01.12");
	nxos_str(o, "kickstart_ver_str", d->os_version);
	nxos_str(o, "nxos_ver_str", d->os_version);
	nxos_str(o, "bios_cmpl_time", "07/04/2023");
	nxos_str(o, "kick_file_name", "bootflash:///nxos64-cs.10.4.3.F.bin");
	nxos_str(o, "nxos_file_name", "bootflash:///nxos64-cs.10.4.3.F.bin");
	nxos_str(o, "kick_cmpl_time", "3/30/2024 12:00:00");
	nxos_str(o, "nxos_cmpl_time", "3/30/2024 12:00:00");
	nxos_str(o, "kick_tmstmp", "03/30/2024 19:03:41");
	nxos_str(o, "nxos_tmstmp", "03/30/2024 19:03:41");
	nxos_strf(o, "chassis_id", "Nexus9000 %s Chassis",
		d->model + (str_starts(d->model, "N9K-") ? 4 : 0));
	nxos_str(o, "cpu_name", "Intel(R) Xeon(R) CPU D-1633N @ 2.50GHz");
	nxos_int(o, "memory", 32827288);
	nxos_str(o, "mem_type", "kB");
	nxos_str(o, "proc_board_id", d->serial);
	nxos_str(o, "host_name", d->name);
	nxos_int(o, "bootflash_size", 115343360);
	nxos_int(o, "kern_uptm_days", up.days);
	nxos_int(o, "kern_uptm_hrs", up.hours);
	nxos_int(o, "kern_uptm_mins", up.minutes);
	nxos_int(o, "kern_uptm_secs", up.seconds);
	nxos_when(on_its_clock(q->m, d->boot_us), "%a %b %e %H:%M:%S %Y", booted, sizeof(booted));
	nxos_int(o, "rr_usecs", (uint64_t)(d->boot_us % CLOCK_SEC));
	nxos_str(o, "rr_ctime", booted);
	nxos_str(o, "rr_reason", "Reset Requested by CLI command reload");
	nxos_str(o, "rr_sys_ver", d->os_version);
	nxos_str(o, "rr_service", "");
	nxos_str(o, "plugins", "Core Plugin, Ethernet Plugin");
	nxos_str(o, "manufacturer", "Cisco Systems, Inc.");
	nxos_str(package, "package_id", "");
	(void)json_array_append_new(packages, package);
	nxos_table(q, o, "package_list", packages);
	return o;
}

void nxos_version_text(const struct nxos_query *q, struct buf *out)
{
	const struct sim_device *d = q->m->d;
	struct span up = uptime_of(q->m);

	(void)buf_addf(out,
		"Cisco Nexus Operating System (NX-OS) Software\n"
		"TAC support: http://www.cisco.com/tac\n\n"
		"Software\n  BIOS: version 01.12\n NXOS: version %s\n"
		"  NXOS image file is: bootflash:///nxos64-cs.10.4.3.F.bin\n\n"
		"Hardware\n  cisco Nexus9000 %s Chassis\n"
		"  Intel(R) Xeon(R) CPU D-1633N @ 2.50GHz with 32827288 kB of memory.\n"
		"  Processor Board ID %s\n  Device name: %s\n  bootflash:  115343360 kB\n\n"
		"Kernel uptime is %llu day(s), %llu hour(s), %llu minute(s), %llu second(s)\n\n"
		"Last reset\n  Reason: Reset Requested by CLI command reload\n"
		"  System version: %s\n\nplugin\n  Core Plugin, Ethernet Plugin\n",
		d->os_version, d->model + (str_starts(d->model, "N9K-") ? 4 : 0), d->serial,
		d->name, (unsigned long long)up.days, (unsigned long long)up.hours,
		(unsigned long long)up.minutes, (unsigned long long)up.seconds, d->os_version);
}

json_t *nxos_hostname(const struct nxos_query *q)
{
	json_t *o = json_object();

	nxos_str(o, "hostname", q->m->d->name);
	return o;
}

void nxos_hostname_text(const struct nxos_query *q, struct buf *out)
{
	(void)buf_addf(out, "%s \n", q->m->d->name);
}

static void clock_of(const struct machine *m, char dst[64])
{
	int64_t now = personality_clock(m->ctx, m->d);
	char time[16], date[32];

	nxos_when(now, "%H:%M:%S", time, sizeof(time));
	nxos_when(now, "%a %b %d %Y", date, sizeof(date));
	(void)str_printf(
		dst, 64, "%s.%03d UTC %s", time, (int)(now % CLOCK_SEC / CLOCK_MSEC), date);
}

json_t *nxos_clock(const struct nxos_query *q)
{
	json_t *o = json_object();
	char now[64];

	clock_of(q->m, now);
	nxos_str(o, "simple_time", now);
	nxos_str(o, "time_source", "NTP");
	return o;
}

void nxos_clock_text(const struct nxos_query *q, struct buf *out)
{
	char now[64];

	clock_of(q->m, now);
	(void)buf_addf(out, "%s\nTime source is NTP\n", now);
}

json_t *nxos_uptime(const struct nxos_query *q)
{
	struct span up = uptime_of(q->m);
	json_t *o = json_object();
	char booted[40];

	nxos_when(on_its_clock(q->m, q->m->d->boot_us), "%a %b %e %H:%M:%S %Y", booted,
		sizeof(booted));
	nxos_str(o, "sys_st_time", booted);
	nxos_num(q, o, "sys_up_days", up.days);
	nxos_num(q, o, "sys_up_hrs", up.hours);
	nxos_num(q, o, "sys_up_mins", up.minutes);
	nxos_num(q, o, "sys_up_secs", up.seconds);
	nxos_num(q, o, "kn_up_days", up.days);
	nxos_num(q, o, "kn_up_hrs", up.hours);
	nxos_num(q, o, "kn_up_mins", up.minutes);
	nxos_num(q, o, "kn_up_secs", up.seconds);
	return o;
}

void nxos_uptime_text(const struct nxos_query *q, struct buf *out)
{
	struct span up = uptime_of(q->m);
	char booted[40];

	nxos_when(on_its_clock(q->m, q->m->d->boot_us), "%a %b %e %H:%M:%S %Y", booted,
		sizeof(booted));
	(void)buf_addf(out, "System start time:          %s\n", booted);
	for (int i = 0; i < 2; i++)
		(void)buf_addf(out,
			"%s uptime:              %llu days, %llu hours, %llu minutes, "
			"%llu seconds\n",
			i ? "Kernel" : "System", (unsigned long long)up.days,
			(unsigned long long)up.hours, (unsigned long long)up.minutes,
			(unsigned long long)up.seconds);
}

json_t *nxos_inventory(const struct nxos_query *q)
{
	static const char *const name[] = {"Chassis", "Slot 1"};
	json_t *rows = json_array(), *body = json_object(), *row;

	for (size_t i = 0; i < 2; i++) {
		row = json_object();
		nxos_strf(row, "name", "\"%s\"", name[i]);
		nxos_strf(row, "desc", "\"Nexus9000 %s %s\"", q->m->d->model,
			i ? "64x400G QSFP-DD Ethernet Module" : "Chassis");
		nxos_str(row, "productid", q->m->d->model);
		nxos_str(row, "vendorid", "V01");
		nxos_str(row, "serialnum", q->m->d->serial);
		(void)json_array_append_new(rows, row);
	}
	nxos_table(q, body, "inv", rows);
	return body;
}

/* ---- LLDP ---- */

static const char *port_type(const struct lldp_peer *peer)
{
	return peer->local_id ? "Locally Assigned" : "Interface Name";
}

static const char *capabilities(const struct machine *m, const struct sim_port *p, bool brief)
{
	if (sim_device_of(m->ctx->sim, p->peer)->tier == TIER_HOST)
		return "S";
	return brief ? "BR" : "B, R";
}

/* The peer's port has an address of its own, which stands in for an IPv6 one. */
static json_t *neighbor(const struct nxos_query *q, const struct sim_port *p,
	const struct lldp_peer *peer, bool detail)
{
	json_t *row = json_object();
	char local[24], mac[NXOS_MAC];

	nxos_mac(peer->chassis_id, mac);
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
	nxos_str(row, "system_capability", capabilities(q->m, p, !detail));
	nxos_str(row, "enabled_capability", capabilities(q->m, p, !detail));
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

static json_t *neighbors(const struct nxos_query *q, const char *table, bool detail)
{
	json_t *rows = json_array(), *body = json_object();
	struct lldp_peer peer;
	size_t n;

	for (unsigned i = 0; i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];

		if (nxos_is_wanted(q, p) && personality_lldp(q->m->ctx, p, &peer))
			(void)json_array_append_new(rows, neighbor(q, p, &peer, detail));
	}
	n = json_array_size(rows);
	nxos_str(body, "neigh_hdr", "neigh_hdr");
	nxos_table(q, body, table, rows);
	nxos_num(q, body, "neigh_count", n);
	return body;
}

json_t *nxos_lldp(const struct nxos_query *q)
{
	return neighbors(q, "nbor", false);
}

json_t *nxos_lldp_detail(const struct nxos_query *q)
{
	return neighbors(q, "nbor_detail", true);
}

/* ---- BGP ---- */

/* A keepalive a minute each way, and an update now and then. */
static uint64_t messages(const struct machine *m, const struct sim_port *p)
{
	int64_t up = sim_now(m->ctx->sim) - p->bgp.since_us;

	return p->bgp.established && up > 0 ? 12 + (uint64_t)(up / (60 * CLOCK_SEC)) : 0;
}

static json_t *summary_row(
	const struct nxos_query *q, const struct sim_port *p, const char *address, unsigned asn)
{
	json_t *row = json_object();
	char since[40];

	nxos_duration(sim_now(q->m->ctx->sim) - p->bgp.since_us, since);
	nxos_str(row, "neighborid", address);
	nxos_num(q, row, "neighborversion", 4);
	nxos_int(row, "msgrecvd", messages(q->m, p));
	nxos_int(row, "msgsent", messages(q->m, p));
	nxos_num(q, row, "neighbortableversion", p->bgp.established ? 42 : 0);
	nxos_num(q, row, "inq", 0);
	nxos_num(q, row, "outq", 0);
	nxos_strf(row, "neighboras", "%u", asn);
	nxos_str(row, "time", since);
	nxos_str(row, "state", nxos_bgp_state(p));
	nxos_num(q, row, "prefixreceived", p->bgp.established ? p->bgp.prefixes : 0);
	return row;
}

static json_t *session_row(
	const struct nxos_query *q, const struct sim_port *p, const char *address, unsigned asn)
{
	json_t *row = json_object();
	char since[40];

	nxos_duration(sim_now(q->m->ctx->sim) - p->bgp.since_us, since);
	nxos_str(row, "neighbor-id", address);
	nxos_num(q, row, "connectionsdropped", p->bgp.resets);
	nxos_strf(row, "remoteas", "%u", asn);
	nxos_str(row, "lastflap", since);
	nxos_str(row, "lastread", "PT23S");
	nxos_str(row, "lastwrite", "PT41S");
	nxos_str(row, "state", p->bgp.shut ? "Shutdown" : nxos_bgp_state(p));
	nxos_num(q, row, "localport", p->bgp.established ? 179 : 0);
	nxos_num(q, row, "remoteport", p->bgp.established ? 20480 + p->port : 0);
	nxos_num(q, row, "notificationssent", p->bgp.resets);
	nxos_num(q, row, "notificationsreceived", 0);
	return row;
}

typedef json_t *(*neighbor_fn)(
	const struct nxos_query *q, const struct sim_port *p, const char *address, unsigned asn);

static json_t *bgp_rows(const struct nxos_query *q, neighbor_fn make, size_t *established)
{
	json_t *rows = json_array();
	char address[16];
	unsigned asn;

	*established = 0;
	for (unsigned i = 0; i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];

		if (!nxos_neighbor(q->m, p, address, &asn))
			continue;
		*established += p->bgp.established;
		(void)json_array_append_new(rows, make(q, p, address, asn));
	}
	return rows;
}

static json_t *family(const struct nxos_query *q)
{
	size_t established;
	json_t *peers = bgp_rows(q, summary_row, &established), *o = json_object();

	nxos_int(o, "safi", 1);
	nxos_str(o, "af-name", "IPv4 Unicast");
	nxos_num(q, o, "tableversion", 42);
	nxos_num(q, o, "configuredpeers", json_array_size(peers));
	nxos_num(q, o, "capablepeers", established);
	nxos_num(q, o, "totalnetworks", 544);
	nxos_num(q, o, "totalpaths", 544 * (established ? established : 1));
	nxos_num(q, o, "memoryused", 135616);
	nxos_num(q, o, "numberattrs", 38);
	nxos_num(q, o, "bytesattrs", 13376);
	nxos_num(q, o, "numberpaths", 34);
	nxos_num(q, o, "bytespaths", 340);
	nxos_num(q, o, "numbercommunities", 0);
	nxos_num(q, o, "bytescommunities", 0);
	nxos_num(q, o, "numberclusterlist", 0);
	nxos_num(q, o, "bytesclusterlist", 0);
	nxos_str(o, "dampening", q->native ? "false" : "Disabled");
	nxos_table(q, o, "neighbor", peers);
	return o;
}

static json_t *alone(json_t *row)
{
	return json_pack("[o]", row);
}

json_t *nxos_bgp_summary(const struct nxos_query *q)
{
	json_t *body = json_object(), *vrf = json_object(), *af = json_object();

	nxos_table(q, af, "saf", alone(family(q)));
	nxos_num(q, af, "af-id", 1);
	nxos_str(vrf, "vrf-name-out", "default");
	nxos_str(vrf, "vrf-router-id", q->m->d->router_id);
	nxos_strf(vrf, "vrf-local-as", "%u", q->m->d->asn);
	nxos_table(q, vrf, "af", alone(af));
	nxos_table(q, body, "vrf", alone(vrf));
	return body;
}

json_t *nxos_bgp_sessions(const struct nxos_query *q)
{
	json_t *body = json_object(), *vrf = json_object();
	size_t established;
	json_t *peers = bgp_rows(q, session_row, &established);

	nxos_num(q, body, "totalpeers", json_array_size(peers));
	nxos_num(q, body, "totalestablishedpeers", established);
	nxos_strf(body, "localas", "%u", q->m->d->asn);
	nxos_str(vrf, "vrf-name-out", "default");
	nxos_strf(vrf, "local-as", "%u", q->m->d->asn);
	nxos_num(q, vrf, "vrfpeers", json_array_size(peers));
	nxos_num(q, vrf, "vrfestablishedpeers", established);
	nxos_str(vrf, "router-id", q->m->d->router_id);
	nxos_table(q, vrf, "neighbor", peers);
	nxos_table(q, body, "vrf", alone(vrf));
	return body;
}
