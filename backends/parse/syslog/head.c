/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/syslog/head.h"

#include <stdbool.h>
#include <string.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Facilities of EOS and NX-OS and programs of SONiC, Cumulus and FRR, by their beginning: the
 * longest one counts ("eth" is of links, "ethpm" as well). Source: the vendors' lists of messages
 * and the names of the daemons.
 */
static const struct {
	const char *begin;
	enum syslog_field field;
} fields[] = {
	/* links */
	{"lineproto", FIELD_FABRIC},
	{"link", FIELD_FABRIC},
	{"eth", FIELD_FABRIC},
	{"port", FIELD_FABRIC},
	{"intf", FIELD_FABRIC},
	{"interface", FIELD_FABRIC},
	{"phy", FIELD_FABRIC},
	{"l1", FIELD_FABRIC},
	{"udld", FIELD_FABRIC},
	{"lldp", FIELD_FABRIC},
	{"errdisable", FIELD_FABRIC},
	{"switchd", FIELD_FABRIC},
	{"portmgrd", FIELD_FABRIC},
	{"intfmgrd", FIELD_FABRIC},
	{"vlanmgrd", FIELD_FABRIC},
	{"ptm", FIELD_FABRIC},
	{"linkmgrd", FIELD_FABRIC},
	{"linkstate", FIELD_FABRIC},
	{"fex", FIELD_FABRIC},
	/* loops */
	{"stp", FIELD_FABRIC},
	{"spantree", FIELD_FABRIC},
	{"mstpd", FIELD_FABRIC},
	{"l2fm", FIELD_FABRIC},
	{"storm", FIELD_FABRIC},
	/* bundles and pairs */
	{"lacp", FIELD_FABRIC},
	{"lag", FIELD_FABRIC},
	{"team", FIELD_FABRIC},
	{"mlag", FIELD_FABRIC},
	{"vpc", FIELD_FABRIC},
	{"clagd", FIELD_FABRIC},
	{"iccp", FIELD_FABRIC},
	{"mclag", FIELD_FABRIC},
	{"evpn", FIELD_FABRIC},
	{"nve", FIELD_FABRIC},
	{"vxlan", FIELD_FABRIC},
	/* sessions and routes */
	{"bgp", FIELD_FABRIC},
	{"bfd", FIELD_FABRIC},
	{"ospf", FIELD_FABRIC},
	{"isis", FIELD_FABRIC},
	{"routing", FIELD_FABRIC},
	{"route", FIELD_FABRIC},
	{"rib", FIELD_FABRIC},
	{"fib", FIELD_FABRIC},
	{"urib", FIELD_FABRIC},
	{"ufdm", FIELD_FABRIC},
	{"ipfib", FIELD_FABRIC},
	{"adjchange", FIELD_FABRIC},
	{"adjmgr", FIELD_FABRIC},
	{"arp", FIELD_FABRIC},
	{"zebra", FIELD_FABRIC},
	{"neighsyncd", FIELD_FABRIC},
	{"fpmsyncd", FIELD_FABRIC},
	{"maxpfx", FIELD_FABRIC},
	/* optics */
	{"xcvr", FIELD_FABRIC},
	{"transceiver", FIELD_FABRIC},
	{"sfp", FIELD_FABRIC},
	{"ccmisapi", FIELD_FABRIC},
	/* queues */
	{"pfc", FIELD_FABRIC},
	{"qos", FIELD_FABRIC},
	{"ipqos", FIELD_FABRIC},
	{"aclqos", FIELD_FABRIC},
	{"buffer", FIELD_FABRIC},
	{"lanz", FIELD_FABRIC},
	{"queue", FIELD_FABRIC},
	{"tahusd", FIELD_FABRIC},
	{"capacity", FIELD_FABRIC},
	{"orchagent", FIELD_FABRIC},
	/* hardware */
	{"platform", FIELD_SYSTEM},
	{"pfma", FIELD_SYSTEM},
	{"module", FIELD_SYSTEM},
	{"fru", FIELD_SYSTEM},
	{"env", FIELD_SYSTEM},
	{"thermal", FIELD_SYSTEM},
	{"temp", FIELD_SYSTEM},
	{"fan", FIELD_SYSTEM},
	{"psu", FIELD_SYSTEM},
	{"power", FIELD_SYSTEM},
	{"pwr", FIELD_SYSTEM},
	{"hardware", FIELD_SYSTEM},
	{"sand", FIELD_SYSTEM},
	{"jericho", FIELD_SYSTEM},
	{"strata", FIELD_SYSTEM},
	{"trident", FIELD_SYSTEM},
	{"asic", FIELD_SYSTEM},
	{"fabric", FIELD_SYSTEM},
	{"xbar", FIELD_SYSTEM},
	{"card", FIELD_SYSTEM},
	{"pcie", FIELD_SYSTEM},
	{"device_test", FIELD_SYSTEM},
	{"diag", FIELD_SYSTEM},
	{"nohms", FIELD_SYSTEM},
	{"redundancy", FIELD_SYSTEM},
	{"kern", FIELD_SYSTEM},
	{"sensor", FIELD_SYSTEM},
	{"smond", FIELD_SYSTEM},
	{"pwmd", FIELD_SYSTEM},
	{"chassisd", FIELD_SYSTEM},
	{"syncd", FIELD_SYSTEM},
	{"sdk", FIELD_SYSTEM},
	{"bcm", FIELD_SYSTEM},
	{"healthd", FIELD_SYSTEM},
	/* programs */
	{"sysmgr", FIELD_SYSTEM},
	{"procmgr", FIELD_SYSTEM},
	{"agent", FIELD_SYSTEM},
	{"supervis", FIELD_SYSTEM},
	{"monit", FIELD_SYSTEM},
	{"watchfrr", FIELD_SYSTEM},
	{"container", FIELD_SYSTEM},
	{"memory", FIELD_SYSTEM},
	{"vdc_mgr", FIELD_SYSTEM},
	/* of no link */
	{"aaa", FIELD_OTHER},
	{"auth", FIELD_OTHER},
	{"ssh", FIELD_OTHER},
	{"login", FIELD_OTHER},
	{"security", FIELD_OTHER},
	{"sudo", FIELD_OTHER},
	{"pam", FIELD_OTHER},
	{"ntp", FIELD_OTHER},
	{"chrony", FIELD_OTHER},
	{"clock", FIELD_OTHER},
	{"snmp", FIELD_OTHER},
	{"dhcp", FIELD_OTHER},
	{"dhcrelay", FIELD_OTHER},
	{"acllog", FIELD_OTHER},
	{"igmp", FIELD_OTHER},
	{"pim", FIELD_OTHER},
	{"cron", FIELD_OTHER},
	{"cli", FIELD_OTHER},
	{"telnet", FIELD_OTHER},
	{"lic", FIELD_OTHER},
	{"callhome", FIELD_OTHER},
	{"sflow", FIELD_OTHER},
	{"telemetry", FIELD_OTHER},
	{"gnmi", FIELD_OTHER},
	{"nxapi", FIELD_OTHER},
	{"radius", FIELD_OTHER},
	{"tacacs", FIELD_OTHER},
	{"dns", FIELD_OTHER},
	{"rsyslog", FIELD_OTHER},
	{"logrotate", FIELD_OTHER},
	{"daemon", FIELD_OTHER},
};

static enum syslog_field field_of(const char *name, size_t len)
{
	enum syslog_field found = FIELD_UNKNOWN;
	size_t longest = 0;

	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		size_t n = strlen(fields[i].begin);

		if (n > longest && n <= len && !memcmp(fields[i].begin, name, n)) {
			longest = n;
			found = fields[i].field;
		}
	}
	return found;
}

/* "%facility-slot1-3-mnemonic: ", "%adjchange: " of FRR; false: none of them. */
static bool read_mnemonic(const char *line, struct syslog_head *h)
{
	for (const char *at = strchr(line, '%'); at; at = strchr(at + 1, '%')) {
		size_t n = strcspn(at, ": ");
		const char *end = at + n, *part = at;
		bool has_severity = false;

		if (n < 3)
			continue;
		h->mnemonic = at + 1;
		while ((part = memchr(part, '-', (size_t)(end - part)))) {
			if (part[1] >= '0' && part[1] <= '7' && part[2] == '-') {
				h->severity = part[1] - '0';
				h->mnemonic = part + 3;
				has_severity = true;
				break;
			}
			part++;
		}
		/* "%libsysmgr-3-sigterm_force_exit Service ...": some forget the colon. */
		if (*end != ':' && !has_severity) {
			h->mnemonic = "";
			continue;
		}
		h->mnemonic_len = (size_t)(end - h->mnemonic);
		/* An agent of EOS says less than the facility of its line. */
		if (field_of(at + 1, n - 1) != FIELD_UNKNOWN)
			h->field = field_of(at + 1, n - 1);
		h->sentence = *end ? end + 1 : end;
		return true;
	}
	return false;
}

/* The word of a severity at the beginning of a line of SONiC. */
static const char *read_severity(const char *line, struct syslog_head *h)
{
	static const struct {
		const char *word;
		int severity;
	} words[] = {{"emerg ", 0}, {"alert ", 1}, {"crit ", 2}, {"err ", 3}, {"error ", 3},
		{"warning ", 4}, {"notice ", 5}, {"info ", 6}, {"debug ", 7}};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t n = strlen(words[i].word);

		if (strncmp(line, words[i].word, n) != 0)
			continue;
		h->severity = words[i].severity;
		return line + n;
	}
	return line;
}

/* "swss#orchagent: ", "switchd[12]: ", "bgp#bgpd[45]: "; old releases: "swss/orchagent: " */
static const char *read_program(const char *line, struct syslog_head *h)
{
	size_t n = strcspn(line, " :");
	const char *hash;
	size_t name;

	if (line[n] != ':' || !n || *line == '%')
		return line;
	hash = memchr(line, '#', n);
	if (!hash)
		hash = memchr(line, '/', n);
	name = strcspn(hash ? hash + 1 : line, "[: ");
	h->field = field_of(hash ? hash + 1 : line, name);
	/* The container tells what its helpers are for. */
	if (h->field == FIELD_UNKNOWN && hash)
		h->field = field_of(line, (size_t)(hash - line));
	return line + n + 1;
}

void syslog_head_read(const char *line, struct syslog_head *h)
{
	const char *at, *function;

	*h = (struct syslog_head){.severity = -1, .mnemonic = "", .sentence = line};
	at = read_severity(line, h);
	at = read_program(at, h);
	if (read_mnemonic(at, h))
		return;
	h->sentence = at;
	/* ":- function: " of SONiC: the name of a function is no sentence. */
	function = strstr(at, ":- ");
	if (function && function[3 + strcspn(function + 3, " :")] == ':')
		h->sentence = strchr(function + 3, ':') + 1;
}
