/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/linux/linux.h"
#include "backends/dialects/role.h"
#include "backends/parse/frr.h"
#include "backends/parse/json_select.h"
#include "backends/parse/lldp.h"
#include "base/str.h"

/*
 * What a Linux device is in the fabric, for `railtop discover`. The answer gives facts:
 *   role           "1": the device was read
 *   rdma, gpus     "1": it has RDMA devices, GPUs
 *   chip           "1": its ports are those of a switch chip
 *   forwards       "0", "1": whether it forwards IP packets
 *   caps           LLDP_CAP_* that it announces
 *   caps.PEER      LLDP_CAP_* that the neighbour announces
 *   bridged        a netdev that belongs to a bridge
 *   addr           "10.0.0.1/31 swp1"
 *   route          "10.1.2.0/24 swp49 swp50": of a routing protocol, with the netdevs it leaves by
 *   route.static   the same of another route with a gateway
 *   via            the address that this connection reached.
 *
 * Besides: its BGP sessions, and neighbours: of its RDMA ports where it has some, otherwise of each
 * netdev.
 */

#define CHIP_PORTS 2 /* fewer: a NIC that switches for its virtual functions */

struct role {
	struct host h;
	bool has_rdma;
	unsigned chip_ports;
};

/* ---- neighbours ---- */

static void fact_caps(void *ctx, const char *local, const struct lldp_peer *peer)
{
	char key[NAME_MAX_LEN + 8], value[16];
	struct obs *o = ctx;

	(void)local;
	(void)str_printf(value, sizeof(value), "%u", peer->caps);
	if (peer->caps && peer->device && *peer->device &&
		str_printf(key, sizeof(key), "caps.%s", peer->device))
		obs_fact(o, key, value);
}

static void any_neighbour(void *ctx, const char *local, const struct lldp_peer *peer)
{
	struct obs *o = ctx;

	(void)lldp_add(o, obs_port(o, local), peer);
}

static void neighbours(struct role *r, const struct section *s)
{
	struct json_value *doc = json_value_parse(s->body, s->len, r->h.target->device, NULL);

	r->has_rdma = host_has_rdma(&r->h);
	if (r->has_rdma)
		host_lldp_section(&r->h, s);
	else if (doc)
		lldp_walk(doc, any_neighbour, r->h.o);
	if (doc)
		lldp_walk(doc, fact_caps, r->h.o);
	free(doc);
}

static void own_caps(struct role *r, const struct section *s)
{
	struct json_value *doc = json_value_parse(s->body, s->len, r->h.target->device, NULL);
	unsigned caps = doc ? lldp_own_caps(doc) : 0;
	char value[16];

	(void)str_printf(value, sizeof(value), "%u", caps);
	if (caps)
		obs_fact(r->h.o, "caps", value);
	free(doc);
}

/* ---- addresses and routes ---- */

/* "2: swp1    inet 10.0.0.1/31 scope global swp1\ ..." */
static void address_line(struct role *r, char *line)
{
	char *rest = NULL, *netdev, *word, value[NAME_MAX_LEN * 2];

	(void)strtok_r(line, " \t", &rest);
	netdev = strtok_r(NULL, " \t", &rest);
	word = strtok_r(NULL, " \t", &rest);
	if (!netdev || !word || !str_starts(word, "inet"))
		return;
	word = strtok_r(NULL, " \t", &rest);
	if (word && str_printf(value, sizeof(value), "%s %s", word, netdev))
		obs_fact(r->h.o, "addr", value);
}

static bool is_protocol(const char *name)
{
	static const char *const others[] = {
		"kernel", "boot", "static", "ra", "dhcp", "redirect", "196"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (str_eq(name, others[i]))
			return false;
	return *name != '\0';
}

/* "10.1.2.0/24 nhid 7 proto bgp metric 20 \	nexthop via 10.254.1.0 dev swp50 weight 1 ..." */
static void route_line(struct role *r, char *line)
{
	char value[256], *rest = NULL, *word = strtok_r(line, " \t\\", &rest);
	bool protocol = false, gateway = false;
	size_t n;

	if (!word || !str_copy(value, sizeof(value), word))
		return;
	for (const char *before = ""; (word = strtok_r(NULL, " \t\\", &rest)); before = word) {
		n = strlen(value);
		if (str_eq(before, "proto"))
			protocol = is_protocol(word);
		else if (str_eq(before, "dev") && n + strlen(word) + 2 < sizeof(value))
			(void)str_printf(value + n, sizeof(value) - n, " %s", word);
		gateway |= str_eq(before, "via");
	}
	if (protocol || gateway)
		obs_fact(r->h.o, protocol ? "route" : "route.static", value);
}

/* ---- sections ---- */

static void role_line(struct role *r, const char *section, char *line)
{
	const char *value = strrchr(line, ':');

	if (str_eq(section, "accel")) {
		obs_fact(r->h.o, "gpus", "1");
	} else if (str_eq(section, "forward") && value) {
		obs_fact(r->h.o, "forwards", str_eq(value, ":1") ? "1" : "0");
	} else if (str_eq(section, "chip") && value && value[1]) {
		if (++r->chip_ports == CHIP_PORTS && !r->has_rdma)
			obs_fact(r->h.o, "chip", "1");
	} else if (str_eq(section, "bridged")) {
		obs_fact(r->h.o, "bridged", line);
	} else if (str_eq(section, "addr")) {
		address_line(r, line);
	} else if (str_eq(section, "route")) {
		route_line(r, line);
	} else if (str_eq(section, "via")) {
		/* "CLIENT PORT SERVER PORT" */
		char *rest = NULL, *word = strtok_r(line, " ", &rest);

		for (int i = 0; word && i < 2; i++)
			word = strtok_r(NULL, " ", &rest);
		if (word)
			obs_fact(r->h.o, "via", word);
	}
}

static void role_section(struct role *r, const struct section *s)
{
	char line[LINE_TEXT];
	size_t at = 0;

	if (str_eq(s->name, "lldp")) {
		neighbours(r, s);
		return;
	}
	if (str_eq(s->name, "chassis")) {
		own_caps(r, s);
		return;
	}
	if (str_eq(s->name, "bgp")) {
		(void)frr_read_bgp(s->body, s->len, r->h.o);
		return;
	}
	while (line_next(s, &at, line))
		role_line(r, s->name, line);
}

bool linux_parse_role(const struct target *t, const char *bytes, size_t len, struct obs *o)
{
	struct role r = {.h = {.target = t, .o = o}};
	struct section s;
	size_t at = 0;

	while (section_next(bytes, len, &at, &s))
		if (!host_common_section(&r.h, &s))
			role_section(&r, &s);
	if (r.has_rdma)
		obs_fact(o, "rdma", "1");
	/* An answer that breaks off may lack what makes it a switch or a host. */
	if (r.h.begun && r.h.ended)
		obs_fact(o, "role", "1");
	host_free(&r.h);
	return r.h.begun;
}
