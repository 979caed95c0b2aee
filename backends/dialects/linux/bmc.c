/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "backends/contract/needs.h"
#include "backends/dialects/linux/linux.h"
#include "base/str.h"
#include "fabric/vocabulary/mac.h"

/*
 * The management controller, as its host sees it over IPMI: a port of the out-of-band network. It
 * tells its address and its MAC, by which the switch's LLDP or table finds it. It does not tell
 * whether its link is up, so the state of the port is unknown here.
 */

#define SILENT_CURE                                                                                \
	"the BMC does not answer its host: sudo ipmitool mc info; ipmitool mc reset cold "         \
	"restarts "                                                                                \
	"the BMC alone"
#define LAN_CURE                                                                                   \
	"let the user read the BMC's port: USER ALL=(root) NOPASSWD: /usr/bin/ipmitool lan print"
#define TOOL_CURE "install the package ipmitool on the host"

struct bmc {
	bool present, asked;
	char firmware[40], address[48], mac[MAC_TEXT], vlan[16];
};

/* "PATH:1.43" */
static void firmware_line(struct bmc *b, const char *line)
{
	const char *value = strstr(line, "/firmware_revision:");

	if (value && *(value = strchr(value, ':') + 1))
		(void)str_copy(b->firmware, sizeof(b->firmware), value);
}

/* "IP Address              : 10.0.0.5" */
static void lan_line(struct bmc *b, char *line)
{
	char *value = strstr(line, ": ");

	if (!value)
		return;
	value += 2;
	value[strcspn(value, " \t")] = '\0';
	if (str_starts(line, "IP Address ")) {
		(void)str_copy(b->address, sizeof(b->address), value);
	} else if (str_starts(line, "MAC Address ")) {
		if (!mac_read(value, b->mac) || str_eq(b->mac, "00:00:00:00:00:00"))
			b->mac[0] = '\0';
	} else if (str_starts(line, "802.1q VLAN ID ") && strcspn(value, "0123456789") == 0) {
		(void)str_copy(b->vlan, sizeof(b->vlan), value);
	}
}

static void read_section(struct bmc *b, const struct section *s, struct obs *o)
{
	bool lan = str_eq(s->name, "lan");
	char line[LINE_TEXT];
	size_t at = 0;

	if (!lan && !str_eq(s->name, "bmc"))
		return;
	while (line_next(s, &at, line)) {
		b->present |= !lan && str_eq(line, "present");
		if (lan)
			lan_line(b, line);
		else
			firmware_line(b, line);
	}
	if (lan && str_eq(s->arg, "missing"))
		need_say(o, NEED_BMC, VALID_DISABLED, TOOL_CURE);
	else if (lan && !*b->mac)
		need_say(o, NEED_BMC, VALID_DISABLED, LAN_CURE);
	else if (lan)
		need_say(o, NEED_BMC, VALID_OK, "");
}

static void describe(const struct bmc *b, char *text, size_t size)
{
	bool none = str_eq(b->address, "0.0.0.0");

	(void)snprintf(text, size, "BMC%s%s%s%s%s%s%s", *b->firmware ? " firmware " : "",
		b->firmware, *b->firmware ? "" : " does not answer the host",
		*b->address ? none ? ", no address" : ", address " : "", none ? "" : b->address,
		*b->vlan ? ", VLAN " : "", b->vlan);
}

bool linux_parse_bmc(struct host *h, const char *bytes, size_t len)
{
	struct bmc b = {0};
	struct section s;
	size_t at = 0;
	uint32_t port;
	char text[160];

	while (section_next(bytes, len, &at, &s))
		if (!host_common_section(h, &s))
			read_section(&b, &s, h->o);
	if (!h->begun)
		return false;
	/* Silence is worse than a missing right. */
	if (b.present && !*b.firmware)
		need_say(h->o, NEED_BMC, VALID_DISABLED, SILENT_CURE);
	if (!b.present && !*b.mac)
		return true;
	port = obs_port(h->o, HOST_BMC_PORT);
	if (*b.mac)
		obs_word(h->o, port, ATTR_MAC, 0, b.mac);
	describe(&b, text, sizeof(text));
	obs_word(h->o, port, ATTR_DESCRIPTION, 0, text);
	return true;
}
