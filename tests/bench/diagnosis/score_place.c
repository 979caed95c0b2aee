/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/diagnosis/score_place.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define PORTS_MOST 16

struct place {
	const char *node;
	long long port;
};

/* The places of a verdict: ports, or one name. */
struct named {
	struct place port[PORTS_MOST];
	size_t nports;
	const char *name;
	const json_t *topology;
};

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static long long whole(const json_t *o, const char *key, long long otherwise)
{
	const json_t *v = json_object_get(o, key);

	return json_is_number(v) ? (long long)json_number_value(v) : otherwise;
}

static void add_port(struct named *n, const json_t *pair)
{
	const json_t *port = json_array_get(pair, 1);

	if (n->nports < PORTS_MOST && json_is_string(json_array_get(pair, 0)) &&
		json_is_number(port))
		n->port[n->nports++] = (struct place){json_string_value(json_array_get(pair, 0)),
			(long long)json_number_value(port)};
}

static struct named read_named(const json_t *entity, const json_t *topology)
{
	struct named n = {.name = json_string_value(entity), .topology = topology};
	const json_t *first = json_array_get(entity, 0), *pair;
	size_t i;

	if (json_array_size(entity) == 2 && json_is_string(first) &&
		!json_is_string(json_array_get(entity, 1)))
		add_port(&n, entity);
	else if (json_is_array(first))
		json_array_foreach(entity, i, pair) add_port(&n, pair);
	return n;
}

/* The other end of a port's cable; node NULL: none. */
static struct place peer_of(const json_t *topology, struct place p)
{
	struct place other = {0};
	const json_t *l;
	size_t i;

	json_array_foreach(json_object_get(topology, "links"), i, l)
	{
		if (str_eq(text_of(l, "a"), p.node) && whole(l, "a_port", -1) == p.port)
			other = (struct place){text_of(l, "b"), whole(l, "b_port", -1)};
		else if (str_eq(text_of(l, "b"), p.node) && whole(l, "b_port", -1) == p.port)
			other = (struct place){text_of(l, "a"), whole(l, "a_port", -1)};
	}
	return other;
}

/* It, or a port of it, or the port it is plugged into. */
static bool touches(const struct named *n, const char *node)
{
	if (str_eq(n->name, node))
		return true;
	for (size_t i = 0; i < n->nports; i++)
		if (str_eq(n->port[i].node, node) ||
			str_eq(peer_of(n->topology, n->port[i]).node, node))
			return true;
	return false;
}

static bool has_port(const struct named *n, const char *node, long long port)
{
	for (size_t i = 0; i < n->nports; i++)
		if (str_eq(n->port[i].node, node) && n->port[i].port == port)
			return true;
	return false;
}

static bool is_link(const struct named *n, const json_t *end)
{
	return has_port(n, text_of(end, "node"), whole(end, "port", -1)) ||
	       has_port(n, text_of(end, "peer"), whole(end, "peer_port", -1));
}

static bool is_server(const struct named *n, const json_t *root)
{
	long long server = whole(root, "server", -1);
	const json_t *nics = json_object_get(root, "nics"), *o;
	char name[32];
	size_t i;

	(void)str_printf(name, sizeof(name), "server%lld", server);
	if (str_eq(n->name, name))
		return true;
	json_array_foreach(nics, i, o)
	{
		if (touches(n, json_string_value(o)))
			return true;
	}
	json_array_foreach(nics ? NULL : json_object_get(n->topology, "nodes"), i, o)
	{
		if (whole(o, "server", -1) == server && str_eq(text_of(o, "role"), "nic") &&
			touches(n, text_of(o, "name")))
			return true;
	}
	return false;
}

static int height(const json_t *topology, const char *node)
{
	static const char *const roles[] = {"nic", "leaf", "spine", "core"};
	const json_t *o;
	size_t i;

	json_array_foreach(json_object_get(topology, "nodes"), i, o)
	{
		for (int k = 0; k < 4 && str_eq(text_of(o, "name"), node); k++)
			if (str_eq(text_of(o, "role"), roles[k]))
				return k;
	}
	return 1;
}

static bool is_fabric(const struct named *n)
{
	if (str_eq(n->name, "leaf") || str_eq(n->name, "spine") || str_eq(n->name, "fabric"))
		return true;
	for (size_t i = 0; i < n->nports; i++) {
		struct place peer = peer_of(n->topology, n->port[i]);

		if (peer.node &&
			height(n->topology, peer.node) > height(n->topology, n->port[i].node))
			return true;
	}
	return false;
}

static bool has_name(const json_t *list, const char *name)
{
	const json_t *o;
	size_t i;

	json_array_foreach(list, i, o)
	{
		if (str_eq(json_string_value(o), name))
			return true;
	}
	return false;
}

/* The same set of names. */
static bool is_cycle(const json_t *entity, const json_t *nodes)
{
	const json_t *o;
	size_t i;

	if (!json_array_size(entity))
		return false;
	json_array_foreach(entity, i, o)
	{
		if (!has_name(nodes, json_string_value(o)))
			return false;
	}
	json_array_foreach(nodes, i, o)
	{
		if (!has_name(entity, json_string_value(o)))
			return false;
	}
	return true;
}

static bool is_nics(const struct named *n, const json_t *fault, const json_t *root)
{
	const json_t *o;
	const char *note = text_of(fault, "note"), *into = note, *p;
	size_t i;

	json_array_foreach(json_object_get(root, "nodes"), i, o)
	{
		if (touches(n, json_string_value(o)))
			return true;
	}
	if (*text_of(root, "dst") && touches(n, text_of(root, "dst")))
		return true;
	while ((p = strstr(into, " into ")))
		into = p + strlen(" into ");
	for (i = 0; json_is_string(json_object_get(root, "job")) && i < n->nports; i++)
		if (str_eq(peer_of(n->topology, n->port[i]).node, into))
			return true;
	return false;
}

bool place_is_right(const json_t *fault, const json_t *entity, const json_t *topology)
{
	const json_t *root = json_object_get(fault, "root");
	const char *type = text_of(root, "type");
	struct named n = read_named(entity, topology);

	if (str_eq(type, "nic"))
		return touches(&n, text_of(root, "node"));
	if (str_eq(type, "egress_port") || str_eq(type, "switch_port_config")) {
		const json_t *at = json_object_get(root, "at");

		return is_link(&n, at) || (n.name && str_eq(n.name, text_of(at, "peer")));
	}
	if (str_eq(type, "link"))
		return is_link(&n, json_object_get(root, "a"));
	if (str_eq(type, "server"))
		return is_server(&n, root);
	if (str_eq(type, "fabric"))
		return is_fabric(&n);
	if (str_eq(type, "node"))
		return touches(&n, text_of(root, "node"));
	if (str_eq(type, "cycle"))
		return is_cycle(entity, json_object_get(root, "nodes"));
	return str_eq(type, "nics") && is_nics(&n, fault, root);
}

bool class_is_right(const json_t *fault, const char *class)
{
	static const struct {
		const char *label, *also;
	} equal[] = {{"link_flap_host", "link_flap"}, {"link_flap_host", "link_down"},
		{"link_flap_fabric", "link_flap"}, {"link_flap_fabric", "link_down"},
		{"ecmp_collision", "ecmp_imbalance"},
		{"pfc_cyclic_buffer_dependency_transient", "pfc_cycle"},
		{"pfc_cyclic_buffer_dependency_persistent", "pfc_cycle"},
		{"incast_uncontrolled_burst", "incast"},
		{"incast_uncontrolled_burst", "dcqcn_disabled_senders"}};
	const char *label = text_of(fault, "class");

	if (str_eq(label, class))
		return true;
	for (size_t i = 0; i < sizeof(equal) / sizeof(equal[0]); i++)
		if (str_eq(label, equal[i].label) && str_eq(class, equal[i].also))
			return true;
	return false;
}
