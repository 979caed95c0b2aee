/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tests/bench/diagnosis/groundtruth_internal.h"
#include "tests/support/plan_make.h"

/* The topology of a run as the plan of a fabric. */

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static int number_of(const json_t *o, const char *key, int otherwise)
{
	const json_t *v = json_object_get(o, key);

	return json_is_number(v) ? (int)json_number_value(v) : otherwise;
}

struct gt_node *gt_node(const struct groundtruth *g, const char *name)
{
	struct gt_node *n;

	HASH_FIND_STR(g->nodes, name, n);
	return n;
}

void gt_port_name(const struct gt_node *n, int port, char *dst, size_t size)
{
	if (!n->nic)
		(void)str_printf(dst, size, "%d", port);
	else if (port == 1)
		(void)str_copy(dst, size, n->name);
	else
		(void)str_printf(dst, size, "%s:%d", n->name, port);
}

static void add_node(struct groundtruth *g, const json_t *o)
{
	struct gt_node *n;
	int server = number_of(o, "server", -1);

	if (!*text_of(o, "name") || gt_node(g, text_of(o, "name")))
		return;
	n = mem_calloc(1, sizeof(*n));
	(void)str_copy(n->name, sizeof(n->name), text_of(o, "name"));
	n->nic = str_eq(text_of(o, "role"), "nic") || str_eq(text_of(o, "role"), "host");
	n->rail = number_of(o, "rail", -1);
	n->hops = n->nic ? 0 : 99;
	n->plan = -1;
	if (n->nic && server >= 0)
		(void)str_printf(n->device, sizeof(n->device), "server%d", server);
	else
		(void)str_copy(n->device, sizeof(n->device), n->name);
	HASH_ADD_STR(g->nodes, name, n);
}

/* The tier of a switch is its distance from the NICs, with any name. */
static void find_tiers(struct groundtruth *g)
{
	struct gt_node *n, *next;
	const json_t *l;
	size_t i;

	for (int round = 0; round < 4; round++) {
		json_array_foreach(json_object_get(g->topology, "links"), i, l)
		{
			struct gt_node *a = gt_node(g, text_of(l, "a")),
				       *b = gt_node(g, text_of(l, "b"));

			if (a && b && a->hops + 1 < b->hops)
				b->hops = a->hops + 1;
			if (a && b && b->hops + 1 < a->hops)
				a->hops = b->hops + 1;
		}
	}
	HASH_ITER (hh, g->nodes, n, next)
		n->tier = n->hops < 3 ? (enum tier)n->hops : TIER_SUPERSPINE;
}

static void add_devices(struct groundtruth *g)
{
	struct gt_node *n, *next;

	HASH_ITER (hh, g->nodes, n, next) {
		n->plan = plan_find(&g->plan, n->device);
		if (n->plan >= 0)
			continue;
		n->plan = (int)g->plan.devices.n;
		(void)plan_make_device(&g->plan, n->device, n->tier, n->nic ? -1 : n->rail);
		if (n->rail >= (int)g->plan.rails)
			g->plan.rails = (unsigned)n->rail + 1;
	}
}

/* The leaf that the rail plan gives a NIC; NULL: there is no such plan. */
static const char *planned_leaf(const struct groundtruth *g, const char *nic)
{
	const json_t *p;
	size_t i;

	json_array_foreach(json_object_get(g->topology, "planned_host_links"), i, p)
	{
		if (str_eq(text_of(p, "host"), nic))
			return text_of(p, "leaf");
	}
	return NULL;
}

static void plan_link(struct groundtruth *g, const struct gt_node *a, int a_port,
	const struct gt_node *b, int b_port, double gbps)
{
	char from[NAME_MAX_LEN], to[NAME_MAX_LEN];

	gt_port_name(a, a_port, from, sizeof(from));
	gt_port_name(b, b_port, to, sizeof(to));
	plan_make_link(&g->plan, (unsigned)a->plan, from, (unsigned)b->plan, to,
		a->rail >= 0 ? a->rail : b->rail);
	g->plan.links.at[g->plan.links.n - 1].speed_mbps = (unsigned)(gbps * 1000);
}

/* The leaf port of another NIC, which the plan has on this NIC's leaf. */
static int swapped_port(const struct groundtruth *g, const char *nic, const char *leaf)
{
	const char *mine = NULL;
	const json_t *l;
	size_t i;

	json_array_foreach(json_object_get(g->topology, "links"), i, l)
	{
		if (str_eq(text_of(l, "a"), nic))
			mine = text_of(l, "b");
	}
	json_array_foreach(json_object_get(g->topology, "links"), i, l)
	{
		const struct gt_node *a = gt_node(g, text_of(l, "a"));

		if (a && a->nic && str_eq(text_of(l, "b"), leaf) &&
			str_eq(planned_leaf(g, a->name), mine) && !str_eq(mine, leaf))
			return number_of(l, "b_port", -1);
	}
	return -1;
}

static void add_links(struct groundtruth *g)
{
	const json_t *l;
	size_t i;

	json_array_foreach(json_object_get(g->topology, "links"), i, l)
	{
		const struct gt_node *a = gt_node(g, text_of(l, "a")),
				     *b = gt_node(g, text_of(l, "b"));
		const char *leaf = a && a->nic ? planned_leaf(g, a->name) : NULL;
		int b_port = number_of(l, "b_port", 1);

		if (!a || !b)
			continue;
		if (leaf && !str_eq(leaf, b->name)) {
			b_port = swapped_port(g, a->name, leaf);
			b = gt_node(g, leaf);
		}
		if (b && b_port >= 0)
			plan_link(g, a, number_of(l, "a_port", 1), b, b_port,
				json_number_value(json_object_get(l, "gbps")));
	}
}

bool gt_read_topology(struct groundtruth *g, const char *dir, struct err *err)
{
	const json_t *o;
	size_t i;

	g->topology = read_json(dir, "topology.json");
	if (!g->topology)
		return err_set(err, ERR_CONFIG, dir, "topology.json(.gz) is missing or broken");
	plan_init(&g->plan);
	(void)str_copy(g->plan.fabric, sizeof(g->plan.fabric), "groundtruth");
	g->plan.lossless.priorities = 1U << 3;
	json_array_foreach(json_object_get(g->topology, "nodes"), i, o) add_node(g, o);
	find_tiers(g);
	add_devices(g);
	add_links(g);
	return g->plan.links.n > 0 || err_set(err, ERR_CONFIG, dir, "topology.json has no links");
}
