/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/linux/linux.h"
#include "backends/dialects/poll_path.h"
#include "backends/parse/json_select.h"
#include "backends/contract/needs.h"
#include "backends/parse/lldp.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

#define LLDP_CURE                                                                                  \
	"let the user read lldpd's socket: sudo usermod -aG _lldpd USER, then log in again"

static void device_word(
	struct host *h, enum obs_attr attr, const struct section *s, const char *prefix)
{
	char line[LINE_TEXT], text[LINE_TEXT + 16];
	size_t at = 0;

	if (!line_next(s, &at, line) || !*line)
		return;
	str_printf(text, sizeof(text), "%s%s", prefix, line);
	obs_word(h->o, OBS_NO_PORT, attr, 0, text);
}

/* ---- sysfs attributes ---- */

/*
 * "32.0 GT/s PCIe", "16" of DEVICE/device/{current,max}_link_{speed,width}: all ports of the device
 * share them. Virtual functions and guests print "Unknown", 0 or 255.
 */
static void add_pcie(struct host *h, const char *rdma, const char *file, const char *value)
{
	bool is_width = strstr(file, "_link_width") != NULL, is_max = str_starts(file, "max_link_");
	double v;

	if (!strstr(file, "_link_") || parse_real(value, strlen(value), &v) != NUMBER_OK ||
		v <= 0 || (is_width && v > 32))
		return;
	if (!is_width)
		v *= 1000;
	for (size_t i = 0; i < h->ports.n; i++) {
		struct host_port *p = h->ports.at[i];

		if (!str_eq(p->rdma, rdma))
			continue;
		p->has_pcie |= !is_max && is_width;
		if (is_max)
			obs_number(h->o, p->port,
				is_width ? ATTR_PCIE_MAX_WIDTH : ATTR_PCIE_MAX_MTPS, 0, v);
		else
			obs_gauge(h->o, p->port, is_width ? CTR_PCIE_WIDTH : CTR_PCIE_SPEED_MTPS, 0,
				v);
	}
}

/* The first NIC's version stands for the host: the console shows one version per device. */
static void add_firmware(struct host *h, const char *version)
{
	if (h->has_firmware || !*version || str_eq(version, "N/A"))
		return;
	obs_word(h->o, OBS_NO_PORT, ATTR_FIRMWARE, 0, version);
	h->has_firmware = true;
}

static void attr_section(struct host *h, const struct section *s)
{
	char line[LINE_TEXT];
	size_t at = 0;

	while (line_next(s, &at, line)) {
		char *value = strchr(line, ':'), *slash = strchr(line, '/');

		if (strstr(line, "/ports/") || !value || !slash || slash > value)
			continue;
		*value++ = '\0';
		*slash++ = '\0';
		if (!str_eq(line, "..") || !host_provider_line(h, slash, value))
			preflight_attr(h, line, slash, value);
		if (str_eq(slash, "fw_ver"))
			add_firmware(h, value);
		else if (str_starts(slash, "device/"))
			add_pcie(h, line, slash + strlen("device/"), value);
	}
}

static void net_section(struct host *h, const struct section *s)
{
	char line[LINE_TEXT], *rest, *value;
	size_t at = 0;

	while (line_next(s, &at, line)) {
		struct host_port *p = host_net_line(h, line, &rest, &value);

		if (p && str_eq(rest, "address"))
			obs_word(h->o, p->port, ATTR_MAC, 0, value);
	}
}

bool host_pci_line(char *line, char **rdma, char **pci)
{
	char *mark = strstr(line, "/device:"), *slash = strrchr(line, '/');

	if (!mark || !slash || slash < mark)
		return false;
	*mark = '\0';
	*rdma = line;
	*pci = slash + 1;
	/* The path of a device that is not on PCI ends otherwise: "0000:5e:00.0". */
	return strspn(*pci, "0123456789abcdef:.") == strlen(*pci) && strchr(*pci, ':') &&
	       strchr(*pci, '.');
}

static void pci_section(struct host *h, const struct section *s)
{
	char line[LINE_TEXT], *rdma, *pci;
	size_t at = 0;

	while (line_next(s, &at, line)) {
		if (!host_pci_line(line, &rdma, &pci))
			continue;
		for (size_t i = 0; i < h->ports.n; i++)
			if (str_eq(h->ports.at[i]->rdma, rdma)) {
				obs_word(h->o, h->ports.at[i]->port, ATTR_PCI_ADDR, 0, pci);
				h->ports.at[i]->has_pci = true;
				(void)str_copy(
					h->ports.at[i]->pci, sizeof(h->ports.at[i]->pci), pci);
			}
	}
}

/* Reads `ethtool -i`: "firmware-version: 28.43.2026 (MT_0000000838)". */
static void driver_section(struct host *h, const struct section *s)
{
	struct host_port *p = host_of_section(h, s);
	char line[LINE_TEXT];
	size_t at = 0;

	while (p && line_next(s, &at, line)) {
		char *value = strstr(line, ": ");

		if (!value)
			continue;
		*value = '\0';
		value += 2;
		if (str_eq(line, "firmware-version")) {
			value[strcspn(value, " ")] = '\0';
			add_firmware(h, value);
		} else if (str_eq(line, "bus-info") && strchr(value, ':') && !p->has_pci) {
			obs_word(h->o, p->port, ATTR_PCI_ADDR, 0, value);
		}
	}
}

bool linux_parse_slow(struct host *h, const char *bytes, size_t len)
{
	static const struct {
		const char *name;
		void (*read)(struct host *h, const struct section *s);
	} sections[] = {{"attr", attr_section}, {"net", net_section}, {"pci", pci_section},
		{"driver", driver_section}, {"setup", preflight_host_section},
		{"lspci", preflight_lspci_section}};
	static const enum need_id needs[] = {NEED_PCIE};
	struct section s;
	size_t at = 0;

	while (section_next(bytes, len, &at, &s)) {
		if (host_common_section(h, &s))
			continue;
		if (str_eq(s.name, "kernel"))
			device_word(h, ATTR_OS_VERSION, &s, "Linux ");
		else if (str_eq(s.name, "via"))
			poll_path_read(s.body, s.len, TIER_HOST, h->o);
		for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
			if (str_eq(s.name, sections[i].name))
				sections[i].read(h, &s);
	}
	if (!h->begun)
		return false;
	if (h->has_dmi)
		obs_word(h->o, OBS_NO_PORT, ATTR_PROVIDER, 0, h->provider ? h->provider : "");
	host_settle(h);
	preflight_emit(h);
	/* A host that had bonds has none now. */
	for (size_t i = 0; !h->has_bonds && i < h->ports.n; i++)
		host_bond_emit(h, h->ports.at[i]);
	for (size_t i = 0; i < h->ports.n; i++)
		if (!h->ports.at[i]->has_pcie && !h->ports.at[i]->is_slave &&
			!h->ports.at[i]->is_ethernet)
			obs_invalid(h->o, h->ports.at[i]->port, CTR_PCIE_WIDTH, 0,
				VALID_UNSUPPORTED, "");
	needs_report(h->o, needs, sizeof(needs) / sizeof(needs[0]));
	return true;
}

/* ---- LLDP ---- */

struct neighbours {
	struct host *h;
	bool seen[HOST_PORTS_MAX];
};

static void add_neighbour(void *ctx, const char *local, const struct lldp_peer *peer)
{
	struct neighbours *n = ctx;

	for (size_t i = 0; i < n->h->ports.n; i++) {
		uint32_t port = n->h->ports.at[i]->port;

		if (!str_eq(n->h->ports.at[i]->netdev, local))
			continue;
		n->seen[i] |= lldp_add(n->h->o, port, peer);
	}
}

/* Its neighbour comes from the subnet: subnet.c. */
static bool in_subnet(const struct host *h, size_t i)
{
	char key[NAME_MAX_LEN + 4];

	return str_printf(key, sizeof(key), "ib.%s", h->ports.at[i]->rdma) &&
	       *facts_get(h->target->facts, key);
}

static void lldp_refusal(struct host *h, const struct section *s)
{
	if (host_no_program(s->body, s->len))
		need_say(h->o, NEED_LLDP, VALID_UNSUPPORTED,
			"install the package lldpd on the host");
	else
		need_say(h->o, NEED_LLDP, VALID_DISABLED, LLDP_CURE);
}

void host_lldp_section(struct host *h, const struct section *s)
{
	struct json_value *doc = json_value_parse(s->body, s->len, h->target->device, NULL);
	struct neighbours n = {.h = h};

	if (!json_value_get(doc, "lldp")) {
		lldp_refusal(h, s);
	} else {
		lldp_walk(doc, add_neighbour, &n);
		/*
		 * A disconnected cable has no neighbour; that says nothing about the previous one.
		 */
		for (size_t i = 0; i < h->ports.n; i++)
			if (!n.seen[i] && !h->ports.at[i]->is_bond && !in_subnet(h, i))
				obs_lldp(h->o, h->ports.at[i]->port, "", "");
		need_say(h->o, NEED_LLDP, VALID_OK, "");
	}
	free(doc);
}

bool linux_parse_lldp(struct host *h, const char *bytes, size_t len)
{
	struct section s;
	size_t at = 0;

	while (section_next(bytes, len, &at, &s))
		if (!host_common_section(h, &s) && str_eq(s.name, "lldp"))
			host_lldp_section(h, &s);
	return h->begun;
}
