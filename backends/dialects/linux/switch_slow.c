/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "backends/dialects/linux/switch.h"
#include "backends/dialects/poll_path.h"
#include "backends/contract/needs.h"
#include "backends/parse/optics.h"
#include "base/mem.h"
#include "base/str.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* ---- identity ---- */

/* Reads PRETTY_NAME="Debian GNU/Linux 12 (bookworm)". */
static void os_section(struct sw *s, const struct section *sec)
{
	static const char key[] = "PRETTY_NAME=";
	char line[LINE_TEXT], *value;
	size_t at = 0, n;

	while (line_next(sec, &at, line)) {
		if (!str_starts(line, key))
			continue;
		value = line + strlen(key);
		value += *value == '"';
		n = strlen(value);
		if (n && value[n - 1] == '"')
			value[n - 1] = '\0';
		(void)str_copy(s->os, sizeof(s->os), value);
	}
}

static void kernel_section(struct sw *s, const struct section *sec)
{
	size_t at = 0;
	char line[LINE_TEXT];

	if (line_next(sec, &at, line))
		(void)str_copy(s->kernel, sizeof(s->kernel), line);
}

/* Reads "FRRouting 8.4.4 (leaf1) on Linux(6.1.0-37-amd64).". */
static void frr_section(struct sw *s, const struct section *sec)
{
	static const char key[] = "FRRouting ";
	char line[LINE_TEXT];
	size_t at = 0;

	while (line_next(sec, &at, line))
		if (str_starts(line, key) && !*s->frr)
			(void)str_copyn(s->frr, sizeof(s->frr), line + strlen(key),
				strcspn(line + strlen(key), " "));
}

/*
 * The version consists of the system and the routing suite, because both determine the fabric's
 * behaviour.
 */
static void add_version(struct sw *s)
{
	char text[256];

	if (*s->os)
		str_copy(text, sizeof(text), s->os);
	else
		str_printf(text, sizeof(text), "%s%s", *s->kernel ? "Linux " : "", s->kernel);
	if (*s->frr)
		str_printf(text + strlen(text), sizeof(text) - strlen(text), "%sFRR %s",
			*text ? ", " : "", s->frr);
	if (!*text)
		return;
	obs_word(s->h.o, OBS_NO_PORT, ATTR_OS_VERSION, 0, text);
	need_say(s->h.o, NEED_IDENTITY, VALID_OK, "");
}

static void dmi_section(struct sw *s, const struct section *sec)
{
	char line[LINE_TEXT];
	size_t at = 0;

	while (line_next(sec, &at, line)) {
		char *colon = strchr(line, ':');

		if (!colon || !colon[1])
			continue;
		*colon = '\0';
		if (strstr(line, "product_name"))
			obs_word(s->h.o, OBS_NO_PORT, ATTR_MODEL, 0, colon + 1);
		else if (strstr(line, "product_serial"))
			obs_word(s->h.o, OBS_NO_PORT, ATTR_SERIAL, 0, colon + 1);
	}
}

/* The first chip's firmware stands for the switch. */
static void driver_section(struct sw *s, const struct section *sec)
{
	static const char key[] = "firmware-version: ";
	char line[LINE_TEXT];
	size_t at = 0;

	while (!s->h.has_firmware && host_by_netdev(&s->h, sec->arg) && line_next(sec, &at, line)) {
		if (!str_starts(line, key) || !line[strlen(key)])
			continue;
		obs_word(s->h.o, OBS_NO_PORT, ATTR_FIRMWARE, 0, line + strlen(key));
		s->h.has_firmware = true;
	}
}

/* ---- hash ---- */

/* Linux Documentation/networking/ip-sysctl.rst, fib_multipath_hash_policy and _fields. */
static const char *const hash_policies[] = {
	"src-ip dst-ip",
	"src-ip dst-ip protocol l4-src l4-dst",
	"inner-src-ip inner-dst-ip",
};
#define HASH_CUSTOM 3

static const char *const hash_fields[] = {"src-ip", "dst-ip", "protocol", "flow-label", "l4-src",
	"l4-dst", "inner-src-ip", "inner-dst-ip", "inner-protocol", "inner-flow-label",
	"inner-l4-src", "inner-l4-dst"};

static void custom_hash(uint64_t fields, char *dst, size_t size)
{
	dst[0] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(hash_fields); i++)
		if (fields >> i & 1)
			str_printf(dst + strlen(dst), size - strlen(dst), "%s%s", *dst ? " " : "",
				hash_fields[i]);
}

/* Reads "PATH/fib_multipath_hash_policy:1" or "bond0/bonding/xmit_hash_policy:layer3+4 1". */
static void hash_section(struct sw *s, const struct section *sec)
{
	uint64_t policy = UINT64_MAX, fields = 0;
	char line[LINE_TEXT], text[256];
	size_t at = 0;

	while (line_next(sec, &at, line)) {
		char *colon = strrchr(line, ':');

		if (!colon)
			continue;
		*colon++ = '\0';
		if (strstr(line, "hash_policy") && strstr(line, "/fib_"))
			(void)str_to_u64(colon, &policy);
		else if (strstr(line, "/fib_"))
			(void)str_to_u64(colon, &fields);
		else if (strstr(line, "xmit_hash_policy")) {
			colon[strcspn(colon, " ")] = '\0';
			obs_word(s->h.o, OBS_NO_PORT, ATTR_LAG_HASH, 0, colon);
		}
	}
	if (policy == HASH_CUSTOM)
		custom_hash(fields, text, sizeof(text));
	if (policy < ARRAY_LEN(hash_policies) || policy == HASH_CUSTOM)
		obs_word(s->h.o, OBS_NO_PORT, ATTR_ECMP_HASH, 0,
			policy == HASH_CUSTOM ? text : hash_policies[policy]);
	need_say(s->h.o, NEED_HASH, policy <= HASH_CUSTOM ? VALID_OK : VALID_UNSUPPORTED, "");
}

/* ---- all sections ---- */

static const struct {
	const char *name;
	void (*read)(struct sw *s, const struct section *sec);
} sections[] = {
	{"os", os_section},
	{"kernel", kernel_section},
	{"frr", frr_section},
	{"dmi", dmi_section},
	{"driver", driver_section},
	{"hash", hash_section},
};

/* ---- dcb ---- */

static const struct {
	const char *name;
	void (*read)(struct nic_qos *n, const struct section *s);
} dcb_objects[] = {
	{"pfc", qos_dcb_pfc},
	{"ets", qos_dcb_ets},
	{"app", qos_dcb_app},
	{"apptrust", qos_dcb_apptrust},
	{"buffer", qos_dcb_buffer},
};

static void dcb_section(struct sw *s, const struct section *sec)
{
	const struct sw_port *more = sw_more(s, sec->arg);

	if (!more)
		return;
	if (!s->qos) {
		s->qos = mem_calloc(HOST_PORTS_MAX, sizeof(*s->qos));
		for (size_t i = 0; i < HOST_PORTS_MAX; i++)
			s->qos[i].pfc = -1;
	}
	for (size_t i = 0; i < ARRAY_LEN(dcb_objects); i++)
		if (str_eq(sec->name, dcb_objects[i].name))
			dcb_objects[i].read(&s->qos[more - s->more.at], sec);
}

static void add_word(struct sw *s, uint32_t port, enum obs_attr attr, const char *text)
{
	if (*text)
		obs_word(s->h.o, port, attr, 0, text);
}

static void emit_qos(struct sw *s, uint32_t port, const struct nic_qos *n)
{
	if (n->pfc >= 0)
		obs_number(s->h.o, port, ATTR_PFC_ENABLED, 0, n->pfc);
	/* Without an explicit setting a driver trusts DSCP as soon as one value is mapped. */
	add_word(s, port, ATTR_TRUST, !*n->trust && *n->dscp ? "dscp" : n->trust);
	add_word(s, port, ATTR_DSCP_TO_TC, n->dscp);
	add_word(s, port, ATTR_TC_TO_QUEUE, n->prio_tc);
	add_word(s, port, ATTR_PRIO_TO_QUEUE, n->prio_tc);
	add_word(s, port, ATTR_TC_TO_PG, n->prio_buffer);
}

static void add_qos(struct sw *s)
{
	bool pfc = false, maps = false;

	for (size_t i = 0; s->qos && i < s->h.ports.n; i++) {
		const struct nic_qos *n = &s->qos[i];

		emit_qos(s, s->h.ports.at[i]->port, n);
		pfc |= n->pfc >= 0;
		maps |= *n->dscp || *n->trust || *n->prio_tc;
	}
	need_say(s->h.o, NEED_PFC_CONFIG, pfc ? VALID_OK : VALID_UNSUPPORTED, "");
	need_say(s->h.o, NEED_QOS_MAPS, maps ? VALID_OK : VALID_UNSUPPORTED, "");
}

/* ---- stations ---- */

static uint32_t port_of_netdev(void *ctx, const char *netdev)
{
	const struct sw *s = ctx;

	for (size_t i = 0; i < s->h.ports.n; i++)
		if (str_eq(s->h.ports.at[i]->netdev, netdev))
			return s->h.ports.at[i]->port;
	return OBS_NO_PORT;
}

static void neigh_section(struct sw *s, const struct section *sec)
{
	struct json_value *list = sw_list(sec, s);

	/* A list without entries counts; errors are not printed. */
	s->has_neigh = memchr(sec->body, '[', sec->len) != NULL;
	stations_neigh(&s->stations, list, port_of_netdev, s);
	free(list);
}

static void fdb_section(struct sw *s, const struct section *sec)
{
	struct json_value *list = sw_list(sec, s);

	stations_fdb(&s->stations, list, port_of_netdev, s);
	free(list);
}

void sw_slow_section(struct sw *s, const struct section *sec)
{
	if (str_eq(sec->name, "via"))
		poll_path_read(sec->body, sec->len, TIER_LEAF, s->h.o);
	if (str_eq(sec->name, "link"))
		sw_link_section(s, sec, false);
	else if (str_eq(sec->name, "qdisc"))
		sw_qdisc_section(s, sec, true);
	else if (str_eq(sec->name, "neigh"))
		neigh_section(s, sec);
	else if (str_eq(sec->name, "fdb"))
		fdb_section(s, sec);
	else
		dcb_section(s, sec);
	for (size_t i = 0; i < ARRAY_LEN(sections); i++)
		if (str_eq(sec->name, sections[i].name))
			sections[i].read(s, sec);
}

static void add_ecn(struct sw *s)
{
	bool marks = false;

	for (size_t i = 0; i < s->more.n; i++)
		marks |= s->more.at[i].marks;
	if (!s->has_qdisc)
		need_say(s->h.o, NEED_ECN_CONFIG, VALID_UNSUPPORTED, "");
	else if (marks)
		need_say(s->h.o, NEED_ECN_CONFIG, VALID_OK, "");
	else
		need_say(s->h.o, NEED_ECN_CONFIG, VALID_DISABLED,
			"no queue marks: tc qdisc replace dev PORT root red ... ecn");
}

void sw_slow_finish(struct sw *s)
{
	add_version(s);
	if (!s->has_link)
		return;
	add_ecn(s);
	add_qos(s);
	if (s->has_neigh)
		stations_tell(&s->stations, s->h.o, true);
}

/* ---- modules ---- */

void sw_optics_section(struct sw *s, const struct section *sec)
{
	struct host_port *p;

	if (str_eq(sec->name, "link"))
		sw_link_section(s, sec, false);
	else if (str_eq(sec->name, "module"))
		host_module_section(&s->h, sec);
	else if (str_eq(sec->name, "reason"))
		host_link_section(&s->h, sec);
	else
		return;
	p = host_by_netdev(&s->h, sec->arg);
	if (p && str_eq(sec->name, "reason") && *p->reason)
		obs_word(s->h.o, p->port, ATTR_DOWN_REASON, 0, p->reason);
}

/*
 * No chip, no module: reported once for the device. A virtual port has no module that could be
 * missing.
 */
void sw_optics_finish(struct sw *s)
{
	bool any = false;

	needs_report(s->h.o, optics_needs, optics_needs_count);
	for (size_t i = 0; i < s->h.o->items.n; i++)
		any |= s->h.o->items.at[i].kind == OBS_CAPABILITY;
	if (s->has_link)
		host_limits_say(&s->h);
	if (any || (s->has_link && s->h.ended))
		optics_report_vdm(s->h.o, VDM_OF_ETHTOOL);
	if (any || !s->has_link || !s->h.ended)
		return;
	for (size_t i = 0; i < optics_needs_count; i++)
		need_say(s->h.o, optics_needs[i], VALID_UNSUPPORTED, "");
}
