/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "backends/dialect_linux.h"
#include "backends/needs.h"
#include "backends/parse_lldp.h"
#include "backends/parse_optics.h"
#include "base/str.h"

#define MODULE_CURE                                                                                \
	"reading modules needs CAP_NET_ADMIN: sudo setcap cap_net_admin+ep $(command -v ethtool)"
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

/* "32.0 GT/s PCIe", "16" of DEVICE/device/current_link_{speed,width}; both count for all ports. */
static void pcie(struct host *h, const char *rdma, const char *file, const char *value)
{
	double v;

	for (size_t i = 0; i < h->ports.n; i++) {
		if (!str_eq(h->ports.at[i]->rdma, rdma))
			continue;
		if (str_eq(file, "current_link_width") &&
			parse_real(value, strlen(value), &v) == NUMBER_OK && v > 0)
			obs_gauge(h->o, h->ports.at[i]->port, CTR_PCIE_WIDTH, 0, v);
		if (str_eq(file, "current_link_speed") &&
			parse_real(value, strlen(value), &v) == NUMBER_OK && v > 0)
			obs_gauge(h->o, h->ports.at[i]->port, CTR_PCIE_SPEED_MTPS, 0, v * 1000);
	}
}

/* One NIC's stands for the host: the console names one version a device. */
static void firmware(struct host *h, const char *version)
{
	obs_word(h->o, OBS_NO_PORT, ATTR_FIRMWARE, 0, version);
	h->has_firmware = true;
}

static void attr_line(struct host *h, char *line)
{
	char *rest, *value, *slash;
	struct host_port *p;

	if (strstr(line, "/device/net/")) {
		p = host_net_line(h, line, &rest, &value);
		if (p && str_eq(rest, "address"))
			obs_word(h->o, p->port, ATTR_MAC, 0, value);
		return;
	}
	value = strchr(line, ':');
	slash = strchr(line, '/');
	if (!value || !slash || slash > value)
		return;
	*value++ = '\0';
	*slash++ = '\0';
	if (str_eq(line, "..") && str_eq(slash, "dmi/id/product_name"))
		obs_word(h->o, OBS_NO_PORT, ATTR_MODEL, 0, value);
	else if (str_eq(slash, "fw_ver") && !h->has_firmware)
		firmware(h, value);
	else if (str_starts(slash, "device/"))
		pcie(h, line, slash + strlen("device/"), value);
}

/* Ports first: the other lines of the section refer to them. */
static void attr_section(struct host *h, const struct section *s)
{
	char line[LINE_TEXT], *rest, *value;
	size_t at = 0;

	while (line_next(s, &at, line)) {
		struct host_port *p = host_ib_line(h, line, &rest, &value);

		if (p && str_eq(rest, "gid_attrs/ndevs/0"))
			str_copy(p->netdev, sizeof(p->netdev), value);
	}
	for (at = 0; line_next(s, &at, line);)
		if (!strstr(line, "/ports/"))
			attr_line(h, line);
}

/* ---- ethtool -m: labels and their case drift between versions, the words stay ---- */

struct module {
	struct optics optics;
	bool any, denied;
	char media[64], serial[40];
};

/* Lane of "... (Channel 3)" or "... (Chan 3)": 2; 0 where the label has none. */
static unsigned lane_of(char *label)
{
	char *open = strcasestr(label, "(chan");
	uint64_t n;

	if (!open)
		return 0;
	*open = '\0';
	open += strcspn(open + 1, "0123456789)") + 1;
	return parse_leading_u64(open, strlen(open), &n) && n >= 1 && n <= LANES ? (unsigned)n - 1
										 : LANES;
}

static void trim_end(char *s)
{
	size_t n = strlen(s);

	while (n && isspace((unsigned char)s[n - 1]))
		s[--n] = '\0';
}

/* "1.12 mW / 0.49 dBm" */
static enum number dbm(const char *value, double *out)
{
	const char *slash = strchr(value, '/');

	return slash ? parse_real(slash + 1, strlen(slash + 1), out) : NUMBER_NONE;
}

static bool is_one_of(const char *label, const char *a, const char *b)
{
	return strcasecmp(label, a) == 0 || strcasecmp(label, b) == 0;
}

static void module_lane(struct module *m, const char *label, unsigned lane, const char *value)
{
	struct optics_lane *l = &m->optics.lane[lane];

	if (is_one_of(label, "Laser tx bias current", "Laser bias current"))
		l->has_bias = parse_real(value, strlen(value), &l->bias_ma);
	else if (is_one_of(label, "Transmit avg optical power", "Laser output power"))
		l->has_tx = dbm(value, &l->tx_dbm);
	else if (is_one_of(label, "Rcvr signal avg optical power",
			 "Receiver signal average optical power"))
		l->has_rx = dbm(value, &l->rx_dbm);
}

/* "0x19 (OSFP 8X Pluggable Transceiver)" */
static void module_media(struct module *m, const char *value)
{
	const char *open = strchr(value, '(');

	if (open)
		str_copyn(m->media, sizeof(m->media), open + 1, strcspn(open + 1, ")"));
}

static void module_line(struct module *m, char *line)
{
	char *colon = strstr(line, " : ");
	char *label = line + strspn(line, " \t"), *value;
	unsigned lane;

	if (!colon) {
		m->denied |= strstr(line, "not permitted") != NULL;
		return;
	}
	*colon = '\0';
	value = colon + 3;
	lane = lane_of(label);
	trim_end(label);
	m->any = true;
	if (strcasecmp(label, "Identifier") == 0)
		module_media(m, value);
	else if (strcasecmp(label, "Vendor SN") == 0)
		str_copy(m->serial, sizeof(m->serial), value);
	else if (strcasecmp(label, "Module temperature") == 0)
		m->optics.has_temperature =
			parse_real(value, strlen(value), &m->optics.temperature) == NUMBER_OK;
	else if (strcasecmp(label, "Module voltage") == 0)
		m->optics.has_voltage =
			parse_real(value, strlen(value), &m->optics.voltage) == NUMBER_OK;
	else if (lane < LANES)
		module_lane(m, label, lane, value);
}

static void module_section(struct host *h, const struct section *s)
{
	struct host_port *p = host_by_netdev(h, s->arg);
	struct module m = {0};
	char line[LINE_TEXT];
	size_t at = 0;

	while (p && line_next(s, &at, line))
		module_line(&m, line);
	if (!p)
		return;
	if (m.denied) {
		static const enum counter_id ids[] = {CTR_RX_POWER_DBM, CTR_TX_POWER_DBM,
			CTR_TX_BIAS_MA, CTR_TEMPERATURE_C, CTR_VOLTAGE_V};

		for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
			obs_invalid(h->o, p->port, ids[i], 0, VALID_DISABLED, MODULE_CURE);
		return;
	}
	optics_emit(&m.optics, h->o, p->port);
	if (*m.media)
		obs_word(h->o, p->port, ATTR_MEDIA, 0, m.media);
	if (*m.serial)
		obs_word(h->o, p->port, ATTR_MODULE_SN, 0, m.serial);
}

/* ---- settings ---- */

static void pfc_section(struct host *h, const struct section *s)
{
	struct host_port *p = host_by_netdev(h, s->arg);
	json_t *doc = p ? parse_json(s->body, s->len, h->target->device, NULL) : NULL;
	const json_t *list = pj_get(doc, "prio_pfc"), *v;
	unsigned mask = 0;
	size_t i;

	json_array_foreach((json_t *)list, i, v)
	{
		if (json_is_true(v) && i < PRIORITIES)
			mask |= 1u << i;
	}
	if (p && json_array_size(list))
		obs_number(h->o, p->port, ATTR_PFC_ENABLED, 0, mask);
	json_decref(doc);
}

/* ---- LLDP ---- */

struct neighbours {
	struct host *h;
	bool seen[HOST_PORTS_MAX];
};

static void neighbour(void *ctx, const char *local, const struct lldp_peer *peer)
{
	struct neighbours *n = ctx;

	for (size_t i = 0; i < n->h->ports.n; i++) {
		if (n->seen[i] || !str_eq(n->h->ports.at[i]->netdev, local))
			continue;
		n->seen[i] = true;
		obs_lldp(n->h->o, n->h->ports.at[i]->port, peer->device, lldp_peer_port(peer));
	}
}

static void lldp_refusal(struct host *h, const struct section *s)
{
	if (memmem(s->body, s->len, "not found", 9))
		need_say(h->o, NEED_LLDP, VALID_UNSUPPORTED,
			"install the package lldpd on the host");
	else
		need_say(h->o, NEED_LLDP, VALID_DISABLED, LLDP_CURE);
}

static void lldp_section(struct host *h, const struct section *s)
{
	json_t *doc = parse_json(s->body, s->len, h->target->device, NULL);
	struct neighbours n = {.h = h};

	if (!pj_get(doc, "lldp")) {
		lldp_refusal(h, s);
	} else {
		lldp_walk(doc, neighbour, &n);
		for (size_t i = 0; i < h->ports.n; i++)
			if (!n.seen[i])
				obs_lldp(h->o, h->ports.at[i]->port, "", "");
		need_say(h->o, NEED_LLDP, VALID_OK, "");
	}
	json_decref(doc);
}

bool linux_parse_slow(struct host *h, const char *bytes, size_t len, struct err *err)
{
	struct section s;
	size_t at = 0;

	(void)err;
	while (section_next(bytes, len, &at, &s)) {
		if (host_common_section(h, &s))
			continue;
		if (str_eq(s.name, "kernel"))
			device_word(h, ATTR_OS_VERSION, &s, "Linux ");
		else if (str_eq(s.name, "attr"))
			attr_section(h, &s);
		else if (str_eq(s.name, "module"))
			module_section(h, &s);
		else if (str_eq(s.name, "pfc"))
			pfc_section(h, &s);
		else if (str_eq(s.name, "lldp"))
			lldp_section(h, &s);
	}
	if (!h->begun)
		return false;
	needs_report(h->o, optics_needs, optics_needs_count);
	return true;
}
