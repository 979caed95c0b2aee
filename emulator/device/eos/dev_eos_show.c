/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/eos/dev_eos.h"

/* The command table, and the commands that do not list ports. */

double eos_seconds(const struct machine *m, int64_t us)
{
	return (double)(us + m->d->clock_skew_us) / 1e6;
}

double eos_now(const struct machine *m)
{
	return eos_seconds(m, sim_now(m->ctx->sim));
}

static json_t *json_version(const struct machine *m, const char *wanted)
{
	double up = (double)(sim_now(m->ctx->sim) - m->d->boot_us) / 1e6;

	(void)wanted;
	return json_pack(
		"{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:f,s:f,s:i,s:i,s:b}",
		"mfgName", "Arista", "modelName", m->d->model, "hardwareRevision", "11.02",
		"serialNumber", m->d->serial, "systemMacAddress", m->d->mac_base, "hwMacAddress",
		m->d->mac_base, "configMacAddress", "00:00:00:00:00:00", "version",
		m->d->os_version, "architecture", "x86_64", "internalVersion", m->d->os_version,
		"internalBuildId", "5d4c1f0a-6f0e-4c52-9a57-2f6a41b7c1de", "cEosToolsVersion",
		"(unknown)", "kernelVersion", "5.10.165.Ar-38783123.4331F", "imageFormatVersion",
		"3.0", "imageOptimization", "Default", "bootupTimestamp",
		eos_seconds(m, m->d->boot_us), "uptime", up, "memTotal", 32853984, "memFree",
		26112344, "isIntlVersion", 0);
}

static void version_text(const struct machine *m, const char *wanted, struct buf *out)
{
	int64_t up = (sim_now(m->ctx->sim) - m->d->boot_us) / CLOCK_SEC;

	(void)wanted;
	(void)buf_addf(out,
		"Arista %s\nHardware version: 11.02\nSerial number: %s\nSystem MAC address: %s\n\n"
		"Software image version: %s\nArchitecture: x86_64\n\n"
		"Uptime: %lld days, %lld hours and %lld minutes\nTotal memory: 32853984 kB\n"
		"Free memory: 26112344 kB\n",
		m->d->model, m->d->serial, m->d->mac_base, m->d->os_version,
		(long long)(up / 86400), (long long)(up / 3600 % 24), (long long)(up / 60 % 60));
}

static json_t *json_hostname(const struct machine *m, const char *wanted)
{
	(void)wanted;
	return json_pack("{s:s,s:s}", "hostname", m->d->name, "fqdn", m->d->name);
}

static json_t *lldp_neighbors(const struct machine *m, const char *wanted)
{
	json_t *all = json_array();
	struct lldp_peer peer;
	unsigned i;

	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		if (!eos_is_wanted(p, wanted) || !personality_lldp(m->ctx, p, &peer))
			continue;
		(void)json_array_append_new(
			all, json_pack("{s:s,s:s,s:s,s:i}", "port", p->name, "neighborDevice",
				     peer.name, "neighborPort", peer.port_id, "ttl", 120));
	}
	return json_pack("{s:f,s:i,s:i,s:i,s:i,s:o}", "tablesLastChangeTime",
		eos_seconds(m, m->d->boot_us), "tablesAgeOuts", 0, "tablesInserts",
		(int)json_array_size(all), "tablesDeletes", 0, "tablesDrops", 0, "lldpNeighbors",
		all);
}

static json_t *lldp_info(const struct lldp_peer *peer, double heard)
{
	char mac[DOTTED_MAC];
	/* A port id that is not an address is printed in quotes, at least in the old field. */
	json_t *far = json_pack("{s:s,s:o,s:s,s:s}", "interfaceIdType",
		peer->local_id ? "local" : "interfaceName", "interfaceId",
		json_sprintf("\"%s\"", peer->port_id), "interfaceId_v2", peer->port_id,
		"interfaceDescription", peer->port_descr);

	personality_dotted_mac(peer->chassis_id, mac);
	return json_pack("{s:s,s:s,s:s,s:s,s:i,s:f,s:f,s:o,s:[{s:s,s:s}]}", "chassisIdType",
		"macAddress", "chassisId", mac, "systemName", peer->name, "systemDescription",
		peer->system, "ttl", 120, "lastChangeTime", heard, "neighborDiscoveryTime", heard,
		"neighborInterfaceInfo", far, "managementAddresses", "addressType", "ipv4",
		"address", peer->address);
}

static json_t *lldp_detail(const struct machine *m, const char *wanted)
{
	json_t *all = json_object(), *list;
	struct lldp_peer peer;
	unsigned i;

	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		if (!eos_is_wanted(p, wanted))
			continue;
		list = json_array();
		if (personality_lldp(m->ctx, p, &peer))
			(void)json_array_append_new(
				list, lldp_info(&peer, eos_seconds(m, p->last_change_us)));
		(void)json_object_set_new_nocheck(
			all, p->name, json_pack("{s:o}", "lldpNeighborInfo", list));
	}
	return json_pack("{s:o}", "lldpNeighbors", all);
}

static void lldp_text(const struct machine *m, const char *wanted, struct buf *out)
{
	struct lldp_peer peer;
	unsigned i;

	(void)buf_addf(
		out, "%-12s %-28s %-24s TTL\n", "Port", "Neighbor Device ID", "Neighbor Port ID");
	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		if (eos_is_wanted(p, wanted) && personality_lldp(m->ctx, p, &peer))
			(void)buf_addf(out, "Et%-10s %-28s %-24s 120\n",
				p->name + strlen("Ethernet"), peer.name, peer.port_id);
	}
}

static void hostname_text(const struct machine *m, const char *wanted, struct buf *out)
{
	(void)wanted;
	(void)buf_addf(out, "Hostname: %s\nFQDN:     %s\n", m->d->name, m->d->name);
}

static json_t *json_uptime(const struct machine *m, const char *wanted)
{
	(void)wanted;
	return json_pack("{s:f,s:f,s:i,s:[f,f,f]}", "currentTime", eos_now(m), "upTime",
		(double)(sim_now(m->ctx->sim) - m->d->boot_us) / 1e6, "users", 1, "loadAvg", 0.31,
		0.42, 0.4);
}

static json_t *clock_now(const struct machine *m, const char *wanted)
{
	time_t now = (time_t)eos_now(m);
	struct tm tm = {0};

	(void)wanted;
	(void)gmtime_r(&now, &tm);
	return json_pack("{s:f,s:s,s:{s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i},s:{s:b}}", "utcTime",
		eos_now(m), "timezone", "UTC", "localTime", "year", tm.tm_year + 1900, "month",
		tm.tm_mon + 1, "dayOfMonth", tm.tm_mday, "hour", tm.tm_hour, "min", tm.tm_min,
		"sec", tm.tm_sec, "dayOfWeek", (tm.tm_wday + 6) % 7, "dayOfYear", tm.tm_yday + 1,
		"daylightSavingsAdjust", 0, "clockSource", "local", 1);
}

static void hash_text(const struct machine *m, const char *wanted, struct buf *out)
{
	(void)m, (void)wanted;
	(void)buf_adds(out, "L3 hashing fields: ingress interface, source and destination address, "
			    "protocol, source and destination port\nECMP load balancing: static "
			    "hashing\nHash polynomial: 3\nHash seed: 0\n");
}

static json_t *json_locators(const struct machine *m, const char *wanted)
{
	json_t *on = json_array();
	unsigned i;

	(void)wanted;
	for (i = 0; i < m->d->nports; i++)
		if (m->d->ports[i].config.beacon)
			(void)json_array_append_new(on, json_string(m->d->ports[i].name));
	return json_pack("{s:o}", "interfaces", on);
}

/* The emulator never disables a port because of errors. */
static json_t *arp_table(const struct machine *m, const char *wanted)
{
	json_t *entries = json_array(), *far = personality_neighbours(m), *e;
	char mac[DOTTED_MAC];
	size_t i;

	(void)wanted;
	json_array_foreach(far, i, e)
	{
		personality_dotted_mac(json_string_value(json_object_get(e, "lladdr")), mac);
		(void)json_array_append_new(
			entries, json_pack("{s:s,s:O,s:O,s:i}", "hwAddress", mac, "address",
					 json_object_get(e, "dst"), "interface",
					 json_object_get(e, "dev"), "age", 137));
	}
	json_decref(far);
	return json_pack("{s:{s:{s:o,s:i,s:i,s:i,s:i}}}", "vrfs", "default", "ipV4Neighbors",
		entries, "totalEntries", (int)json_array_size(entries), "dynamicEntries",
		(int)json_array_size(entries), "staticEntries", 0, "notLearnedEntries", 0);
}

static json_t *json_errdisabled(const struct machine *m, const char *wanted)
{
	(void)m, (void)wanted;
	return json_pack("{s:{}}", "interfaceStatuses");
}

const struct eos_command eos_commands[] = {
	{"show version", json_version, version_text, false},
	{"show hostname", json_hostname, hostname_text, false},
	{"show uptime", json_uptime, NULL, false},
	{"show clock", clock_now, NULL, false},
	{"show interfaces", eos_interfaces, NULL, false},
	{"show interfaces %", eos_interfaces, NULL, false},
	{"show interfaces status", eos_status, eos_status_text, false},
	{"show interfaces % status", eos_status, eos_status_text, false},
	{"show interfaces status errdisabled", json_errdisabled, NULL, false},
	{"show interfaces counters", eos_interfaces, NULL, false},
	{"show interfaces % counters", eos_interfaces, NULL, false},
	{"show interfaces counters errors", eos_errors, NULL, false},
	{"show interfaces % counters errors", eos_errors, NULL, false},
	{"show interfaces counters discards", eos_discards, NULL, false},
	{"show interfaces % counters discards", eos_discards, NULL, false},
	{"show interfaces counters rates", eos_rates, NULL, false},
	{"show interfaces % counters rates", eos_rates, NULL, false},
	{"show interfaces counters queue detail", eos_queues, NULL, false},
	{"show interfaces % counters queue detail", eos_queues, NULL, false},
	{"show interfaces phy detail", eos_phy, NULL, false},
	{"show interfaces % phy detail", eos_phy, NULL, false},
	{"show interfaces transceiver", eos_transceiver, NULL, false},
	{"show interfaces % transceiver", eos_transceiver, NULL, false},
	{"show interfaces transceiver dom thresholds", eos_optics, NULL, false},
	{"show interfaces % transceiver dom thresholds", eos_optics, NULL, false},
	{"show arp vrf all", arp_table, NULL, false},
	{"show port-channel", eos_port_channel, NULL, false},
	{"show mlag", eos_mlag, NULL, false},
	{"show priority-flow-control counters", eos_pfc, eos_pfc_text, false},
	{"show priority-flow-control counters detail", eos_pfc_detail, NULL, false},
	{"show interfaces priority-flow-control counters detail", eos_pfc_detail, NULL, false},
	{"show interfaces % priority-flow-control counters detail", eos_pfc_detail, NULL, false},
	{"show priority-flow-control counters watchdog", eos_watchdog, eos_watchdog_text, false},
	{"show priority-flow-control", NULL, eos_pfc_status_text, false},
	{"show priority-flow-control status", NULL, eos_pfc_status_text, false},
	{"show interfaces % priority-flow-control status", NULL, eos_pfc_status_text, false},
	{"show qos interfaces ecn counters queue", eos_ecn, NULL, false},
	{"show qos interfaces % ecn counters queue", eos_ecn, NULL, false},
	{"show qos interfaces ecn", NULL, eos_ecn_text, false},
	{"show qos interfaces % ecn", NULL, eos_ecn_text, false},
	{"show qos interfaces", NULL, eos_schedulers_text, false},
	{"show qos interfaces trust", NULL, eos_trust_text, false},
	{"show qos interfaces % trust", NULL, eos_trust_text, false},
	{"show qos maps", NULL, eos_maps_text, false},
	{"show load-balance profile", NULL, hash_text, false},
	{"show lldp neighbors", lldp_neighbors, lldp_text, false},
	{"show lldp neighbors %", lldp_neighbors, lldp_text, false},
	{"show lldp neighbors detail", lldp_detail, NULL, false},
	{"show lldp neighbors % detail", lldp_detail, NULL, false},
	{"show bgp summary", eos_bgp_summary, eos_bgp_summary_text, false},
	{"show bgp summary vrf all", eos_bgp_summary, eos_bgp_summary_text, false},
	{"show ip bgp summary", eos_bgp_summary, eos_bgp_summary_text, false},
	{"show ip bgp summary vrf all", eos_bgp_summary, eos_bgp_summary_text, false},
	{"show locator-led", json_locators, NULL, false},
	{"show configuration sessions", eos_sessions_show, NULL, false},
	{"show logging", NULL, eos_log_text, false},
	{"show logging #", NULL, eos_log_lines_text, false},
	{"show logging last # minutes", NULL, eos_log_minutes_text, false},
	{"show logging last # hours", NULL, eos_log_hours_text, false},
	{"show running-config", NULL, eos_running_text, true},
	{"show running-config interfaces %", NULL, eos_running_interface_text, true},
	{"show running-config section *", NULL, eos_running_section_text, true},
	{NULL, NULL, NULL, false},
};
