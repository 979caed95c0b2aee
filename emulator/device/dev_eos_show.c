/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/dev_eos.h"

/* The command table and the commands that are not about one port each. */

void eos_name(const struct sim_port *p, char dst[24])
{
	(void)str_printf(dst, 24, "Ethernet%u/1", p->port + 1);
}

double eos_seconds(int64_t us)
{
	return (double)us / 1e6;
}

bool eos_is_wanted(const struct sim_port *p, const char *wanted)
{
	char name[24];

	if (!wanted)
		return true;
	eos_name(p, name);
	return !strcasecmp(name, wanted) ||
	       (str_starts(wanted, "Et") && wanted[2] >= '0' && wanted[2] <= '9' &&
		       !strcmp(name + strlen("Ethernet"), wanted + 2));
}

/* "02:00:0a:00:01:03" as EOS writes it: "0200.0a00.0103" */
static void dotted_mac(const char *mac, char dst[EOS_MAC_TEXT])
{
	size_t n = 0, digits = 0;

	for (; *mac && n < EOS_MAC_TEXT - 1; mac++) {
		if (*mac == ':')
			continue;
		if (digits && digits % 4 == 0)
			dst[n++] = '.';
		dst[n++] = *mac;
		digits++;
	}
	dst[n] = '\0';
}

static json_t *version(const struct machine *m, const char *wanted)
{
	double up = eos_seconds(sim_now(m->ctx->sim) - m->d->boot_us);

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
		eos_seconds(m->d->boot_us), "uptime", up, "memTotal", 32853984, "memFree", 26112344,
		"isIntlVersion", 0);
}

static void version_text(const struct machine *m, struct buf *out)
{
	int64_t up = (sim_now(m->ctx->sim) - m->d->boot_us) / CLOCK_SEC;

	(void)buf_addf(out,
		"Arista %s\nHardware version: 11.02\nSerial number: %s\nSystem MAC address: %s\n\n"
		"Software image version: %s\nArchitecture: x86_64\n\n"
		"Uptime: %lld days, %lld hours and %lld minutes\nTotal memory: 32853984 kB\n"
		"Free memory: 26112344 kB\n",
		m->d->model, m->d->serial, m->d->mac_base, m->d->os_version,
		(long long)(up / 86400), (long long)(up / 3600 % 24), (long long)(up / 60 % 60));
}

static json_t *hostname(const struct machine *m, const char *wanted)
{
	(void)wanted;
	return json_pack("{s:s,s:s}", "hostname", m->d->name, "fqdn", m->d->name);
}

static json_t *lldp_neighbors(const struct machine *m, const char *wanted)
{
	json_t *all = json_array();
	struct lldp_peer peer;
	char name[24];
	unsigned i;

	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		if (!eos_is_wanted(p, wanted) || !personality_lldp(m->ctx, p, &peer))
			continue;
		eos_name(p, name);
		(void)json_array_append_new(
			all, json_pack("{s:s,s:s,s:s,s:i}", "port", name, "neighborDevice",
				     peer.name, "neighborPort", peer.port_id, "ttl", 120));
	}
	return json_pack("{s:f,s:i,s:i,s:i,s:i,s:o}", "tablesLastChangeTime",
		eos_seconds(m->d->boot_us), "tablesAgeOuts", 0, "tablesInserts",
		(int)json_array_size(all), "tablesDeletes", 0, "tablesDrops", 0, "lldpNeighbors",
		all);
}

static json_t *lldp_info(const struct lldp_peer *peer, double heard)
{
	char mac[EOS_MAC_TEXT];
	/* Text that is no address is printed in quotes, in its old field at least. */
	json_t *far = json_pack("{s:s,s:o,s:s,s:s}", "interfaceIdType",
		peer->local_id ? "local" : "interfaceName", "interfaceId",
		json_sprintf("\"%s\"", peer->port_id), "interfaceId_v2", peer->port_id,
		"interfaceDescription", peer->port_descr);

	dotted_mac(peer->chassis_id, mac);
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
	char name[24];
	unsigned i;

	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		if (!eos_is_wanted(p, wanted))
			continue;
		list = json_array();
		if (personality_lldp(m->ctx, p, &peer))
			(void)json_array_append_new(
				list, lldp_info(&peer, eos_seconds(p->last_change_us)));
		eos_name(p, name);
		(void)json_object_set_new_nocheck(
			all, name, json_pack("{s:o}", "lldpNeighborInfo", list));
	}
	return json_pack("{s:o}", "lldpNeighbors", all);
}

static json_t *bgp_summary(const struct machine *m, const char *wanted)
{
	json_t *peers = json_object();
	char address[32], mine[24];
	unsigned i;

	(void)wanted;
	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		if (!p->peer || p->peer->tier == TIER_HOST)
			continue;
		(void)str_printf(address, sizeof(address), "10.%u.%u.%u",
			200 + (unsigned)p->peer->tier, p->peer->device % 256, p->peer->port % 256);
		(void)json_object_set_new(peers, address,
			json_pack("{s:i,s:i,s:i,s:i,s:i,s:o,s:i,s:i,s:f,s:b,s:s}", "version", 4,
				"msgReceived", 5227, "msgSent", 5225, "inMsgQueue", 0,
				"outMsgQueue", 0, "asn",
				json_sprintf("%u",
					65000 + 100 * (unsigned)p->peer->tier + p->peer->device),
				"prefixAccepted", p->up ? 32 : 0, "prefixReceived", p->up ? 32 : 0,
				"upDownTime", eos_seconds(p->last_change_us), "underMaintenance", 0,
				"peerState", p->up ? "Established" : "Active"));
	}
	personality_address(m->d, mine);
	return json_pack("{s:{s:{s:s,s:s,s:s,s:o}}}", "vrfs", "default", "vrf", "default",
		"routerId", mine, "asn", "65200", "peers", peers);
}

static void logging_text(const struct machine *m, struct buf *out)
{
	unsigned i;

	for (i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];
		time_t t = (time_t)(p->last_change_us / CLOCK_SEC);
		char when[32];
		struct tm tm = {0};

		if (!p->carrier_down)
			continue;
		(void)gmtime_r(&t, &tm);
		(void)strftime(when, sizeof(when), "%b %e %H:%M:%S", &tm);
		(void)buf_addf(out,
			"%s %s Ebra: %%LINEPROTO-5-UPDOWN: Line protocol on Interface "
			"Ethernet%u/1, changed "
			"state to %s\n",
			when, m->d->name, p->port + 1, p->up ? "up" : "down");
	}
}

static void pfc_status_text(const struct machine *m, struct buf *out)
{
	(void)m;
	(void)buf_adds(out, "The hardware supports PFC on priorities 0 1 2 3 4 5 6 7\n"
			    "PFC watchdog is enabled on priorities 3\n");
}

/* No port here is ever disabled by an error. */
static json_t *errdisabled(const struct machine *m, const char *wanted)
{
	(void)m, (void)wanted;
	return json_pack("{s:{}}", "interfaceStatuses");
}

static json_t *enable(const struct machine *m, const char *wanted)
{
	(void)m, (void)wanted;
	return json_object();
}

/* The longer of two commands that begin alike stands first only for the reader: all words match. */
const struct eos_command eos_commands[] = {
	{"enable", enable, NULL},
	{"show version", version, version_text},
	{"show hostname", hostname, NULL},
	{"show interfaces", eos_interfaces, NULL},
	{"show interfaces %", eos_interfaces, NULL},
	{"show interfaces status", eos_status, NULL},
	{"show interfaces status errdisabled", errdisabled, NULL},
	{"show interfaces counters", eos_interfaces, NULL},
	{"show interfaces counters errors", eos_errors, NULL},
	{"show interfaces counters discards", eos_discards, NULL},
	{"show interfaces counters rates", eos_rates, NULL},
	{"show interfaces counters queue detail", eos_queues, NULL},
	{"show interfaces phy detail", eos_phy, NULL},
	{"show interfaces % phy detail", eos_phy, NULL},
	{"show interfaces transceiver dom thresholds", eos_optics, NULL},
	{"show interfaces % transceiver dom thresholds", eos_optics, NULL},
	{"show priority-flow-control counters", eos_pfc, NULL},
	{"show priority-flow-control counters detail", eos_pfc_detail, NULL},
	{"show interfaces priority-flow-control counters detail", eos_pfc_detail, NULL},
	{"show interfaces % priority-flow-control counters detail", eos_pfc_detail, NULL},
	{"show priority-flow-control counters watchdog", eos_watchdog, NULL},
	{"show priority-flow-control status", NULL, pfc_status_text},
	{"show qos interfaces ecn counters queue", eos_ecn, NULL},
	{"show lldp neighbors", lldp_neighbors, NULL},
	{"show lldp neighbors detail", lldp_detail, NULL},
	{"show lldp neighbors % detail", lldp_detail, NULL},
	{"show bgp summary", bgp_summary, NULL},
	{"show bgp summary vrf all", bgp_summary, NULL},
	{"show ip bgp summary vrf all", bgp_summary, NULL},
	{"show logging", NULL, logging_text},
	{"show logging last 15 minutes", NULL, logging_text},
	{NULL, NULL, NULL},
};

/* Word by word; a '%' takes an interface name. */
static bool matches(const char *words, const char *line, char buffer[32], const char **wanted)
{
	*wanted = NULL;
	for (;;) {
		size_t want = strcspn(words, " "), have;

		line += strspn(line, " ");
		have = strcspn(line, " ");
		if (!want || !have)
			return want == have;
		if (*words == '%') {
			if (strncasecmp(line, "et", 2) != 0 || !str_copyn(buffer, 32, line, have))
				return false;
			*wanted = buffer;
		} else if (want != have || strncasecmp(words, line, want) != 0) {
			return false;
		}
		words += want + (words[want] == ' ');
		line += have;
	}
}

const struct eos_command *eos_find(const char *line, char buffer[32], const char **wanted)
{
	const struct eos_command *c;

	for (c = eos_commands; c->words; c++)
		if (matches(c->words, line, buffer, wanted))
			return c;
	return NULL;
}

unsigned eos_bad_token(const char *line, char token[64])
{
	const struct eos_command *c;
	unsigned best = 0, n;
	size_t have, want;

	for (c = eos_commands; c->words; c++) {
		const char *a = line + strspn(line, " "), *b = c->words;

		for (n = 0; *a && *b; n++) {
			have = strcspn(a, " ");
			want = strcspn(b, " ");
			if (*b != '%' && (have != want || strncasecmp(a, b, want) != 0))
				break;
			a += have + strspn(a + have, " ");
			b += want + (b[want] == ' ');
		}
		best = n > best ? n : best;
	}
	for (n = 0, line += strspn(line, " "); n < best; n++) {
		line += strcspn(line, " ");
		line += strspn(line, " ");
	}
	(void)str_copyn(token, 64, line, strcspn(line, " "));
	return best + 1;
}
