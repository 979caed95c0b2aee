/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/linux/change.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/linux/linux.h"
#include "backends/parse/first_line.h"
#include "backends/parse/frr.h"
#include "backends/parse/json_select.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Decodes the output of the condition's script. All names in it come from the device, and are
 * checked before use.
 */

struct view {
	const struct target *t;
	const struct order *o;
	struct condition *c;
	struct section netdev, uid, session, link, addr, route, standard, bgp, running, blink;
	struct section keep, manager, routes;
	bool begun, ended;
	struct json_value *links, *addresses;
	const struct json_value *own; /* the port, within links */
	char vrf[NAME_MAX_LEN];
};

static void first_line(const struct section *s, char line[LINE_TEXT])
{
	size_t at = 0;

	if (!s->len || !line_next(s, &at, line))
		line[0] = '\0';
}

/* Returns the list that ip(8) printed, even an empty one; NULL for other output. */
static struct json_value *parse_list(const struct view *v, const struct section *s)
{
	size_t at = 0;
	struct json_value *doc =
		s->len ? json_value_parse_next(s->body, s->len, &at, v->t->device, NULL) : NULL;

	if (doc)
		return doc;
	for (at = 0; at < s->len && strchr("[] \n", s->body[at]);)
		at++;
	if (!at || at != s->len)
		return NULL;
	doc = mem_calloc(1, sizeof(*doc));
	doc->kind = DV_ARRAY;
	return doc;
}

static void sort_sections(struct view *v, const char *bytes, size_t len)
{
	struct {
		const char *name;
		struct section *to;
	} known[] = {{"netdev", &v->netdev}, {"uid", &v->uid}, {"session", &v->session},
		{"link", &v->link}, {"addr", &v->addr}, {"route", &v->route},
		{"default", &v->standard}, {"bgp", &v->bgp}, {"running", &v->running},
		{"blink", &v->blink}, {"keep", &v->keep}, {"manager", &v->manager},
		{"routes", &v->routes}};
	struct section s;
	size_t at = 0;

	while (section_next(bytes, len, &at, &s)) {
		v->begun |= str_eq(s.name, "begin");
		v->ended |= str_eq(s.name, "end");
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			if (str_eq(s.name, known[i].name) && !known[i].to->body)
				*known[i].to = s;
	}
}

/* ---- the link ---- */

static bool has_flag(const struct json_value *link, const char *flag)
{
	for (json_value_items(one, json_value_get(link, "flags")))
		if (str_eq(json_value_text(one), flag))
			return true;
	return false;
}

static enum oper oper_of(const struct json_value *link)
{
	const char *state = json_value_text_or(json_value_get(link, "operstate"), "");

	if (str_eq(state, "UP"))
		return OPER_UP;
	/* Some drivers do not maintain it: then the carrier decides. */
	if (str_eq(state, "UNKNOWN"))
		return has_flag(link, "LOWER_UP") ? OPER_UP : OPER_DOWN;
	return *state ? OPER_DOWN : OPER_UNKNOWN;
}

static bool see_link(struct view *v, struct err *err)
{
	char line[LINE_TEXT];
	const struct json_value *link;

	first_line(&v->netdev, line);
	if (!linux_is_netdev(line)) {
		err_set(err, ERR_REFUSED, v->t->device, "%s has no network device", v->o->port);
		return err_cure(err, "check the device: ip -br link");
	}
	(void)str_copy(v->c->netdev, sizeof(v->c->netdev), line);
	v->links = parse_list(v, &v->link);
	link = json_value_at(v->links, 0);
	if (!str_eq(json_value_text(json_value_get(link, "ifname")), v->c->netdev)) {
		err_set(err, ERR_PROTOCOL, v->t->device, "`ip -j link show dev %s` printed: %s",
			v->c->netdev,
			parse_first_line(
				v->link.body ? v->link.body : "", v->link.len, line, sizeof(line)));
		return err_cure(err, "check the device: ip -br link");
	}
	v->own = link;
	if (json_value_is(json_value_get(link, "flags"), DV_ARRAY))
		v->c->admin = has_flag(link, "UP") ? OPER_UP : OPER_DOWN;
	v->c->oper = oper_of(link);
	if (str_eq(json_value_text(json_value_path(link, "linkinfo.info_slave_kind")), "vrf"))
		(void)str_copy(v->vrf, sizeof(v->vrf),
			json_value_text_or(json_value_get(link, "master"), "?"));
	return true;
}

/* ---- management path to the device ---- */

/* True: dev is the port, its master (bond, bridge), or a VLAN on top of either. */
static bool rests_on(const struct view *v, const char *dev)
{
	const char *master = json_value_text_or(json_value_get(v->own, "master"), "");

	for (int depth = 0; depth < 4 && dev && *dev; depth++) {
		const char *below = NULL;

		if (str_eq(dev, v->c->netdev) || (!*v->vrf && str_eq(dev, master)))
			return true;
		for (json_value_items(one, v->addresses))
			if (str_eq(json_value_text(json_value_get(one, "ifname")), dev))
				below = json_value_text(json_value_get(one, "link"));
		dev = below;
	}
	return false;
}

/* Returns the device that has the address; NULL: none. */
static const char *owner_of(const struct view *v, const char *address)
{
	for (json_value_items(dev, v->addresses))
		for (json_value_items(one, json_value_get(dev, "addr_info")))
			if (str_eq(json_value_text(json_value_get(one, "local")), address))
				return json_value_text(json_value_get(dev, "ifname"));
	return NULL;
}

static uint64_t metric_of(const struct json_value *route)
{
	uint64_t n;

	return json_value_u64(json_value_get(route, "metric"), &n) ? n : 0;
}

/* Default routes from a routing protocol belong to the fabric, which has alternatives. */
static bool is_learnt(const struct json_value *route)
{
	static const char *const words[] = {"bgp", "ospf", "isis", "zebra", "186", "188", "187"};
	const char *protocol = json_value_text_or(json_value_get(route, "protocol"), "");

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (str_eq(protocol, words[i]))
			return true;
	return false;
}

/* Of the device's default routes only those with the best metric are in use. */
static bool default_rests_on(const struct view *v, const struct json_value *routes)
{
	uint64_t best = UINT64_MAX;

	for (json_value_items(r, routes))
		if (metric_of(r) < best)
			best = metric_of(r);
	for (json_value_items(r, routes)) {
		if (metric_of(r) != best || is_learnt(r))
			continue;
		if (rests_on(v, json_value_text(json_value_get(r, "dev"))))
			return true;
		for (json_value_items(hop, json_value_get(r, "nexthops")))
			if (rests_on(v, json_value_text(json_value_get(hop, "dev"))))
				return true;
	}
	return false;
}

static void see_session(struct view *v)
{
	struct json_value *route = parse_list(v, &v->route), *routes = parse_list(v, &v->standard);
	char line[LINE_TEXT], client[64], server[64];
	const char *owner, *out;

	first_line(&v->session, line);
	v->addresses = parse_list(v, &v->addr);
	/* "192.0.2.1 51234 192.0.2.13 22", from sshd itself. */
	if (json_value_is(v->addresses, DV_ARRAY) && json_value_is(routes, DV_ARRAY) &&
		sscanf(line, "%63s %*u %63s", client, server) == 2) {
		owner = owner_of(v, server);
		out = json_value_text(json_value_get(json_value_at(route, 0), "dev"));
		if (rests_on(v, owner) || rests_on(v, out)) {
			v->c->session = 1;
			(void)str_printf(v->c->hazard, sizeof(v->c->hazard),
				"this session to the device runs over %s", v->c->netdev);
		} else if (default_rests_on(v, routes)) {
			v->c->session = 1;
			(void)str_printf(v->c->hazard, sizeof(v->c->hazard),
				"the device's default route leads over %s", v->c->netdev);
		} else if (owner && out) {
			v->c->session = 0;
		}
	}
	/* It is a hazard for taking the port down, not for blinking it. */
	if (v->o->verb != VERB_PORT_DOWN && v->o->verb != VERB_PORT_UP)
		v->c->hazard[0] = '\0';
	free(route);
	free(routes);
}

/* ---- configuration that is lost when the link goes down ---- */

/* The kernel removes the IPv6 addresses of a link that goes down, and does not restore them. */
static bool loses_address(const struct view *v)
{
	char line[LINE_TEXT];

	/* 1: configured addresses stay. */
	first_line(&v->keep, line);
	if (str_eq(line, "1"))
		return false;
	for (json_value_items(dev, v->addresses)) {
		if (!str_eq(json_value_text(json_value_get(dev, "ifname")), v->c->netdev))
			continue;
		for (json_value_items(one, json_value_get(dev, "addr_info")))
			/* An address from a router comes back with its next announcement. */
			if (str_eq(json_value_text(json_value_get(one, "family")), "inet6") &&
				str_eq(json_value_text(json_value_get(one, "scope")), "global") &&
				!json_value_is(json_value_get(one, "dynamic"), DV_TRUE))
				return true;
	}
	return false;
}

/* ip(8) prints no protocol for a route that was set with it. */
static bool is_set_by_hand(const struct json_value *route)
{
	const char *protocol = json_value_text_or(json_value_get(route, "protocol"), "boot");
	const char *type = json_value_text_or(json_value_get(route, "type"), "unicast");

	return str_eq(type, "unicast") && (str_eq(protocol, "boot") || str_eq(protocol, "static"));
}

static bool loses_route(struct view *v)
{
	struct json_value *all = parse_list(v, &v->routes);
	bool lost = false;

	for (json_value_items(one, all))
		lost |= json_value_is(one, DV_OBJECT) && is_set_by_hand(one);
	free(all);
	return lost;
}

/* Finds addresses and routes that no network manager will restore after the link comes up again. */
static void see_losses(struct view *v)
{
	char line[LINE_TEXT];
	const char *what;

	first_line(&v->manager, line);
	if (v->o->verb != VERB_PORT_DOWN || v->o->lines || *line || *v->c->hazard ||
		v->c->admin != OPER_UP)
		return;
	what = loses_address(v) ? "its IPv6 addresses" : loses_route(v) ? "its static routes" : "";
	if (*what)
		(void)str_printf(v->c->hazard, sizeof(v->c->hazard),
			"if %s goes down, it loses %s: networkd and NetworkManager do not manage "
			"it and would not restore them",
			v->c->netdev, what);
}

/* ---- BGP ---- */

static bool same_subnet(const char *a, const char *b, unsigned bits)
{
	unsigned char x[16], y[16];
	int family = strchr(a, ':') ? AF_INET6 : AF_INET;
	size_t whole = bits / 8;

	if (bits > (family == AF_INET ? 32u : 128u) || inet_pton(family, a, x) != 1 ||
		inet_pton(family, b, y) != 1 || memcmp(x, y, whole) != 0)
		return false;
	return bits % 8 == 0 || !((x[whole] ^ y[whole]) >> (8 - bits % 8));
}

/* True: the peer is the link partner, by the port's name or by an address in one of its subnets. */
static bool is_peer_of(const struct view *v, const char *peer)
{
	if (*v->o->peer)
		return str_eq(v->o->peer, peer);
	if (str_eq(peer, v->c->netdev))
		return true;
	for (json_value_items(dev, v->addresses)) {
		if (!str_eq(json_value_text(json_value_get(dev, "ifname")), v->c->netdev))
			continue;
		for (json_value_items(one, json_value_get(dev, "addr_info"))) {
			const char *local = json_value_text_or(json_value_get(one, "local"), "");
			uint64_t bits;

			if (json_value_u64(json_value_get(one, "prefixlen"), &bits) &&
				bits <= 128 && !str_starts(local, "fe80") && !str_eq(local, peer) &&
				same_subnet(local, peer, (unsigned)bits))
				return true;
		}
	}
	return false;
}

/* True: the default instance has "neighbor PEER shutdown"; *asn is its AS. */
static bool running_says(const struct view *v, const char *peer, uint32_t *asn)
{
	char line[LINE_TEXT], wanted[96];
	bool in = false, shut = false;
	size_t at = 0, n;

	(void)str_printf(wanted, sizeof(wanted), " neighbor %s shutdown", peer);
	n = strlen(wanted);
	while (v->running.len && line_next(&v->running, &at, line)) {
		if (str_starts(line, "router bgp ")) {
			char *as = line + strlen("router bgp ");

			/*
			 * With a VRF or a view it is another instance; "as-notation" still means
			 * the default one.
			 */
			in = !strstr(as, " vrf ") && !strstr(as, " view ");
			as[strcspn(as, " ")] = '\0';
			if (in)
				*asn = parse_as_number(as, strlen(as));
		} else if (line[0] != ' ') {
			in = false;
		}
		if (in && strncmp(line, wanted, n) == 0 && !str_starts(line + n, " rtt"))
			shut |= line[n] == '\0' || line[n] == ' ';
	}
	return shut;
}

static const struct obs_bgp *session_of(const struct view *v, const struct obs *o, unsigned *n)
{
	const struct obs_bgp *found = NULL;

	*n = 0;
	for (size_t i = 0; i < o->bgp.n; i++) {
		const struct obs_bgp *b = &o->bgp.at[i];
		const char *peer = obs_text(o, b->peer);

		if (!str_eq(obs_text(o, b->vrf), "default") || !is_peer_of(v, peer))
			continue;
		/* Several families of one session, or two sessions over the link. */
		if (!found || !str_eq(obs_text(o, found->peer), peer))
			++*n;
		found = b;
	}
	return found;
}

static void see_session_of(struct view *v, const struct obs *o)
{
	struct condition *c = v->c;
	unsigned n;
	const struct obs_bgp *b = session_of(v, o, &n);
	const char *peer = b && n == 1 ? obs_text(o, b->peer) : "";
	bool own;

	own = running_says(v, peer, &c->bgp_asn);
	if (!*peer || strlen(peer) >= sizeof(c->bgp_peer))
		return;
	(void)str_copy(c->bgp_peer, sizeof(c->bgp_peer), peer);
	c->bgp = b->state;
	c->bgp_shut = own || b->state == BGP_ADMIN_DOWN;
	if (v->o->verb == VERB_BGP_UP && c->bgp_shut && !own && c->bgp_asn)
		(void)str_printf(c->hazard, sizeof(c->hazard),
			"%s is shut by its peer group, not by itself", peer);
}

static void see_bgp(struct view *v)
{
	struct obs *o;

	if (!v->bgp.len)
		return;
	if (*v->vrf) {
		if (v->o->verb == VERB_BGP_DOWN || v->o->verb == VERB_BGP_UP)
			(void)str_printf(v->c->hazard, sizeof(v->c->hazard),
				"%s is in the VRF %s: only the default one is changed",
				v->c->netdev, v->vrf);
		return;
	}
	o = obs_new(v->t->device, LINUX_CONDITION);
	if (frr_read_bgp(v->bgp.body, v->bgp.len, o))
		see_session_of(v, o);
	obs_free(o);
}

/* ---- the light ---- */

static void see_blink(struct view *v)
{
	char line[LINE_TEXT], wanted[64];
	bool all = false, on = false;
	size_t at = 0;

	(void)str_printf(wanted, sizeof(wanted), "ethtool -p %s ", v->c->netdev);
	while (v->blink.len && line_next(&v->blink, &at, line)) {
		all |= str_eq(line, "all");
		on |= str_starts(line, wanted);
	}
	if (all || on)
		v->c->beacon = on;
}

/* ---- all sections ---- */

static bool see_all(struct view *v, const struct reply *r, struct err *err)
{
	char line[LINE_TEXT];
	uint64_t uid;

	if (!v->begun || !v->ended) {
		err_set(err, ERR_PROTOCOL, v->t->device, "the script's output %s: %s",
			v->begun ? "breaks off" : "is missing",
			parse_first_line(r->bytes, r->len, line, sizeof(line)));
		return err_cure(err,
			"the login shell must run `sh -s`: try ssh %s sh -s </dev/null",
			v->t->device);
	}
	if (!see_link(v, err))
		return false;
	first_line(&v->uid, line);
	if (str_to_u64(line, &uid))
		v->c->root = uid == 0;
	v->c->pending = 0; /* the kernel and vtysh have no pending changes */
	see_session(v);
	see_losses(v);
	see_bgp(v);
	see_blink(v);
	return true;
}

bool linux_see(const struct target *t, const struct order *o, const char *request,
	const struct reply *r, struct condition *c, struct err *err)
{
	struct view v = {.t = t, .o = o, .c = c};
	bool ok;

	if (str_eq(request, LINUX_PERFTEST))
		return linux_perftest_see(t, r, c, err);
	if (!str_eq(request, LINUX_CONDITION))
		return err_set(err, ERR_INTERNAL, t->device, "railtop has no question %s", request);
	sort_sections(&v, r->bytes, r->len);
	ok = see_all(&v, r, err);
	free(v.links);
	free(v.addresses);
	return ok;
}
