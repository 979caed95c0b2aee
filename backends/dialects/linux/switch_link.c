/* SPDX-License-Identifier: Apache-2.0 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/linux/switch.h"
#include "backends/contract/needs.h"
#include "backends/parse/json_select.h"
#include "backends/parse/first_line.h"
#include "backends/parse/lag.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* ---- ip -j -s -s -d link ---- */

struct json_value *sw_list(const struct section *sec, const struct sw *s)
{
	size_t at = 0;
	struct json_value *doc;

	/* A warning before it is not an array. */
	while ((doc = json_value_parse_next(sec->body, sec->len, &at, s->h.target->device, NULL))) {
		if (json_value_is(doc, DV_ARRAY))
			return doc;
		free(doc);
	}
	return NULL;
}

struct sw_port *sw_more(struct sw *s, const char *netdev)
{
	for (size_t i = 0; i < s->h.ports.n; i++)
		if (str_eq(s->h.ports.at[i]->netdev, netdev))
			return &s->more.at[i];
	return NULL;
}

static const char *kind_of(const struct json_value *link)
{
	return json_value_text_or(json_value_path(link, "linkinfo.info_kind"), "");
}

static bool has_flag(const struct json_value *link, const char *flag)
{
	for (json_value_items(v, json_value_get(link, "flags"))) {
		if (str_eq(json_value_text_or(v, ""), flag))
			return true;
	}
	return false;
}

/* Only these have cables: bridges, VLANs, bonds and tunnels are built on top of them. */
static bool is_ethernet(const struct json_value *link)
{
	static const char *const kinds[] = {"", "veth", "dsa", "netdevsim"};
	const char *kind = kind_of(link);

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (str_eq(kind, kinds[i]))
			return str_eq(
				json_value_text_or(json_value_get(link, "link_type"), ""), "ether");
	return false;
}

static bool is_management(const struct json_value *link)
{
	static const char *const names[] = {"mgmt*", "oob*", "ma[0-9]", "eth0"};
	const char *name = json_value_text_or(json_value_get(link, "ifname"), "");

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (fnmatch(names[i], name, 0) == 0)
			return true;
	return str_eq(json_value_text_or(json_value_get(link, "master"), ""), "mgmt");
}

/* Implements the rule of switch.h. */
static bool is_front_port(const struct json_value *link, bool has_switch_ids)
{
	if (!is_ethernet(link))
		return false;
	return has_switch_ids ? json_value_text(json_value_get(link, "phys_switch_id")) != NULL
			      : !is_management(link);
}

static bool any_switch_id(const struct json_value *list)
{
	for (json_value_items(v, list)) {
		if (is_ethernet(v) && json_value_text(json_value_get(v, "phys_switch_id")))
			return true;
	}
	return false;
}

static struct host_port *make_port(struct sw *s, const struct json_value *link)
{
	const char *name = json_value_text_or(json_value_get(link, "ifname"), "");
	struct host_port *p = *name ? host_port(&s->h, name, 1) : NULL;
	struct sw_port *more;

	if (!p)
		return NULL;
	(void)str_copy(p->netdev, sizeof(p->netdev), name);
	/* The same name twice is the same port. */
	if (s->more.n < s->h.ports.n) {
		more = vec_add(&s->more);
		more->is_virtual = str_eq(kind_of(link), "veth");
	}
	return p;
}

/* "UP" if the driver reports it; old virtual devices say "UNKNOWN", but have a carrier. */
static void port_state(struct sw *s, struct host_port *p, const struct json_value *link)
{
	const char *oper = json_value_text_or(json_value_get(link, "operstate"), "");
	bool admin = has_flag(link, "UP");

	p->is_up = str_eq(oper, "UP") || (str_eq(oper, "UNKNOWN") && has_flag(link, "LOWER_UP"));
	obs_word(s->h.o, p->port, ATTR_OPER, 0, p->is_up ? "up" : "down");
	obs_word(s->h.o, p->port, ATTR_ADMIN, 0, admin ? "up" : "down");
	/* Other reasons come with the modules; a link that is up has none. */
	if (p->is_up || !admin)
		obs_word(s->h.o, p->port, ATTR_DOWN_REASON, 0, "");
	(void)json_value_number(s->h.o, p->port, ATTR_MTU, 0, json_value_get(link, "mtu"));
	(void)json_value_word(s->h.o, p->port, ATTR_MAC, 0, json_value_get(link, "address"));
	(void)json_value_word(
		s->h.o, p->port, ATTR_DESCRIPTION, 0, json_value_get(link, "ifalias"));
}

static void port_counters(struct host_port *p, const struct json_value *link, bool is_virtual)
{
	static const struct {
		const char *path;
		enum counter_id id;
		bool chip; /* a virtual port prints 0 for counters that it cannot have */
	} names[] = {
		{"rx.bytes", CTR_RX_BYTES, false},
		{"rx.packets", CTR_RX_PACKETS, false},
		{"rx.errors", CTR_RX_ERRORS, false},
		{"rx.dropped", CTR_RX_DISCARDS, false},
		{"rx.crc_errors", CTR_RX_FCS_ERRORS, true},
		{"tx.bytes", CTR_TX_BYTES, false},
		{"tx.packets", CTR_TX_PACKETS, false},
		{"tx.errors", CTR_TX_ERRORS, false},
		{"tx.dropped", CTR_TX_DISCARDS, false},
		{"tx.carrier_changes", CTR_CARRIER_CHANGES, false},
	};
	const struct json_value *stats = json_value_get(link, "stats64");
	uint64_t n;

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!(names[i].chip && is_virtual) &&
			json_value_u64(json_value_path(stats, names[i].path), &n))
			cells_offer(&p->cells, names[i].id, 0, n, 5);
}

void sw_link_section(struct sw *s, const struct section *sec, bool full)
{
	struct json_value *list = sw_list(sec, s);
	bool ids = any_switch_id(list);
	struct host_port *p;

	s->has_link = list != NULL;
	if (!list)
		parse_first_line(sec->body, sec->len, s->refusal, sizeof(s->refusal));
	for (json_value_items(v, list)) {
		p = is_front_port(v, ids) ? make_port(s, v) : NULL;
		if (!p || !full)
			continue;
		port_state(s, p, v);
		port_counters(p, v, str_eq(kind_of(v), "veth"));
		lag_link_port(s->h.o, p->port, p->is_up, v, list);
	}
	if (list && !full)
		sw_tenants(s, list);
	if (list && full) {
		obs_port_list(s->h.o);
		lag_link_bundles(s->h.o, list);
		need_say(s->h.o, NEED_BUNDLES, VALID_OK, "");
	}
	free(list);
}

/* ---- tc -j -s -d qdisc ---- */

/* Disciplines with bands, a small part of all. */
struct banded {
	const char *dev, *handle;
	uint64_t bands;
};
struct disciplines {
	VEC(struct banded) at;
	size_t last; /* tc prints device by device: the next one usually has the same parent */
};

static void add_banded(struct disciplines *d, const struct json_value *qdisc)
{
	struct banded b = {json_value_text_or(json_value_get(qdisc, "dev"), ""),
		json_value_text_or(json_value_get(qdisc, "handle"), ""), 0};

	if (json_value_u64(json_value_path(qdisc, "options.bands"), &b.bands) &&
		b.bands <= PRIORITIES)
		*vec_add(&d->at) = b;
}

/*
 * Returns the queue of the discipline. Class 1:1 of prio and ets is the band of highest priority,
 * which drivers map to the highest traffic class. Any other discipline serves the port's only
 * queue.
 */
static unsigned queue_of(struct disciplines *d, const struct json_value *qdisc)
{
	const char *parent = json_value_text_or(json_value_get(qdisc, "parent"), ""),
		   *colon = strchr(parent, ':');
	const char *dev = json_value_text_or(json_value_get(qdisc, "dev"), "");
	uint64_t band;

	/* Class numbers are hexadecimal, but there are at most 16 bands. */
	if (!colon || !str_to_u64(colon + 1, &band) || band < 1)
		return 0;
	for (size_t i = 0; i < d->at.n; i++) {
		size_t k = (d->last + i) % d->at.n;
		const struct banded *b = &d->at.at[k];

		if (band > b->bands || !str_eq(b->dev, dev) ||
			strncmp(parent, b->handle, (size_t)(colon + 1 - parent)) != 0)
			continue;
		d->last = k;
		return (unsigned)(b->bands - band);
	}
	return 0;
}

static void red_counts(struct host_port *p, unsigned queue, const struct json_value *q)
{
	static const struct {
		const char *key;
		enum counter_id id;
	} names[] = {
		{"marked", CTR_ECN_MARKED_PACKETS}, /* first: see below */
		{"early", CTR_WRED_DROPS},
		{"drops", CTR_QUEUE_DROPS},
		{"bytes", CTR_QUEUE_TX_BYTES},
		{"packets", CTR_QUEUE_TX_PACKETS},
	};
	bool ecn = json_value_is(json_value_path(q, "options.ecn"), DV_TRUE);
	uint64_t n;

	/* Without the flag it drops instead of marking, and counts no mark. */
	for (size_t i = ecn ? 0 : 1; i < ARRAY_LEN(names); i++)
		if (json_value_u64(json_value_get(q, names[i].key), &n))
			cells_offer(&p->cells, names[i].id, queue, n, 5);
}

static void red_settings(
	struct sw *s, const struct host_port *p, unsigned queue, const struct json_value *q)
{
	const struct json_value *options = json_value_get(q, "options");
	double share;

	(void)json_value_number(
		s->h.o, p->port, ATTR_ECN_MIN_BYTES, queue, json_value_get(options, "min"));
	(void)json_value_number(
		s->h.o, p->port, ATTR_ECN_MAX_BYTES, queue, json_value_get(options, "max"));
	if (json_value_real(json_value_get(options, "probability"), &share) == NUMBER_OK)
		obs_number(s->h.o, p->port, ATTR_ECN_PROBABILITY, queue, share * 100);
}

/*
 * Packets dropped by a root discipline, including those below it, are egress discards of the port.
 */
static void root_drops(struct host_port *p, const struct json_value *q)
{
	uint16_t cell = counter_cell(CTR_TX_DISCARDS, 0);
	uint64_t n;

	if (json_value_is(json_value_get(q, "root"), DV_TRUE) &&
		json_value_u64(json_value_get(q, "drops"), &n) && p->cells.rank[cell] &&
		p->cells.rank[cell] <= 5)
		p->cells.value[cell] += n;
}

void sw_qdisc_section(struct sw *s, const struct section *sec, bool settings)
{
	struct json_value *list = sw_list(sec, s);
	unsigned mask[HOST_PORTS_MAX] = {0};
	struct disciplines all = {.last = 0};

	s->has_qdisc = list != NULL;
	for (json_value_items(v, list))
		add_banded(&all, v);
	for (json_value_items(v, list)) {
		const char *dev = json_value_text_or(json_value_get(v, "dev"), "");
		struct host_port *p = host_by_netdev(&s->h, dev);
		struct sw_port *more = sw_more(s, dev);
		unsigned queue = queue_of(&all, v);
		bool red = str_eq(json_value_text_or(json_value_get(v, "kind"), ""), "red");

		if (!p || !more)
			continue;
		if (!settings)
			root_drops(p, v);
		if (red && settings)
			red_settings(s, p, queue, v);
		if (red && !settings)
			red_counts(p, queue, v);
		if (red && json_value_is(json_value_path(v, "options.ecn"), DV_TRUE)) {
			more->marks = true;
			mask[more - s->more.at] |= 1u << queue;
		}
	}
	for (size_t i = 0; settings && list && i < s->h.ports.n; i++)
		obs_number(s->h.o, s->h.ports.at[i]->port, ATTR_ECN_ENABLED, 0, mask[i]);
	vec_free(&all.at);
	free(list);
}
