/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "emulator/sim/topology.h"

/*
 * The networks beside the backend are small two-tier ones. There is a leaf, or a pair of leaves,
 * for every 48 GPU hosts, each of which has one port. The spines are chassis with as many ports as
 * there are uplinks. A storage server for every 16 hosts has a port on either leaf of its pair.
 */

#define HOSTS_A_LEAF   48U
#define HOSTS_A_SERVER 16U
#define UPLINKS        2U /* from a leaf to each spine */

struct network {
	enum net_kind net;
	const char *leaf, *spine; /* names without the number */
	unsigned step;            /* leaves per group of hosts */
	unsigned spines;
	enum tier like; /* its switches have the platform of this tier of the backend */
};

static const struct network networks[] = {
	{NET_STORAGE, "stor-leaf-", "stor-spine-", 2, 2, TIER_LEAF},
	{NET_FRONTEND, "front-leaf-", "front-spine-", 2, 2, TIER_SPINE},
	{NET_OOB, "oob-leaf-", "oob-spine-", 1, 1, TIER_LEAF},
};

struct draw {
	struct topo_draft to;
	const struct network *net;
	const struct sim_platform *platform;
	unsigned *ports; /* of each device so far */
	size_t devices;  /* capacity of ports */
};

bool topology_networks(const char *list, unsigned *mask, struct err *err)
{
	*mask = 0;
	while (*list) {
		size_t n = strcspn(list, ",");
		bool known = false;

		for (int i = NET_STORAGE; i < NET_COUNT; i++) {
			const char *name = net_kind_name((enum net_kind)i);

			if (strlen(name) != n || strncasecmp(name, list, n) != 0)
				continue;
			*mask |= 1U << i;
			known = true;
		}
		if (!known) {
			err_set(err, ERR_USAGE, "--with", "\"%.40s\" is not a network", list);
			return err_cure(err, "some of storage,frontend,oob");
		}
		list += n;
		list += *list == ',';
	}
	return true;
}

static unsigned add_device(
	struct draw *d, const char *name, enum tier tier, const struct sim_platform *platform)
{
	unsigned at = topo_draft_device(&d->to, name, tier, d->net->net, -1, platform);

	if (d->to.device.n > d->devices) {
		size_t more = d->to.device.n * 2;

		d->ports = mem_realloc(d->ports, more, sizeof(*d->ports));
		memset(d->ports + d->devices, 0, (more - d->devices) * sizeof(*d->ports));
		d->devices = more;
	}
	return at;
}

/* Adds a cable between the next free port of each. */
static void add_cable(struct draw *d, unsigned low, unsigned high)
{
	unsigned end[2] = {low, high}, port[2];
	char name[24];

	for (int i = 0; i < 2; i++) {
		topo_port_name(&d->to.device.at[end[i]], d->ports[end[i]]++, name);
		/* The out-of-band port of a host is that of its management controller. */
		if (d->net->net == NET_OOB && d->to.device.at[end[i]].tier == TIER_HOST)
			(void)str_copy(name, sizeof(name), SIM_BMC_PORT);
		port[i] = topo_draft_port(&d->to, end[i], name, topo_net_speed(d->net->net), -1);
	}
	topo_draft_cable(&d->to, port[0], port[1]);
}

static int count_digits(unsigned count, int least)
{
	int n = 1;

	for (unsigned v = count ? count - 1 : 0; v >= 10; v /= 10)
		n++;
	return n > least ? n : least;
}

/* Adds count numbered devices; returns the position of the first. */
static unsigned add_row(struct draw *d, const char *head, unsigned count, int width, enum tier tier,
	const struct sim_platform *platform)
{
	unsigned first = (unsigned)d->to.device.n;
	char name[32];

	for (unsigned i = 0; i < count; i++) {
		(void)str_printf(name, sizeof(name), "%s%0*u", head, count_digits(count, width), i);
		(void)add_device(d, name, tier, platform);
	}
	return first;
}

static void add_servers(struct draw *d, unsigned hosts, unsigned leaf)
{
	unsigned n = (hosts + HOSTS_A_SERVER - 1) / HOSTS_A_SERVER;
	unsigned first = add_row(d, "stor", n, 3, TIER_HOST, sim_platform("linux"));

	for (unsigned i = 0; i < n; i++) {
		unsigned pair = leaf + i * HOSTS_A_SERVER / HOSTS_A_LEAF * 2;

		add_cable(d, first + i, pair);
		add_cable(d, first + i, pair + 1);
	}
}

static void add_network(struct draw *d, const unsigned *host, unsigned hosts)
{
	const struct network *net = d->net;
	unsigned groups = (hosts + HOSTS_A_LEAF - 1) / HOSTS_A_LEAF;
	unsigned leaves = groups * net->step;
	unsigned leaf = add_row(d, net->leaf, leaves, 2, TIER_LEAF, d->platform);
	unsigned spine;

	for (unsigned i = 0; i < hosts; i++)
		add_cable(d, host[i], leaf + i / HOSTS_A_LEAF * net->step + i % net->step);
	if (net->net == NET_STORAGE)
		add_servers(d, hosts, leaf);
	/* A single leaf needs no spines. Nor does a pair of which every server has a port on both.
	 */
	if (groups == 1 && (leaves == 1 || net->net == NET_STORAGE))
		return;
	spine = add_row(d, net->spine, net->spines, 2, TIER_SPINE, d->platform);
	for (unsigned i = 0; i < leaves; i++)
		for (unsigned k = 0; k < net->spines * UPLINKS; k++)
			add_cable(d, leaf + i, spine + k / UPLINKS);
}

static const struct sim_platform *platform_of(const struct topology *t, enum tier tier)
{
	for (size_t i = 0; i < t->ndevices; i++)
		if (t->device[i].tier == tier && t->device[i].net == NET_BACKEND)
			return t->device[i].platform;
	return sim_platform("sonic-spectrum");
}

static bool has_network(const struct topology *t, enum net_kind net)
{
	for (size_t i = 0; i < t->ndevices; i++)
		if (t->device[i].net == net)
			return true;
	return false;
}

/* Copies all devices, ports and cables of t. */
static void copy_topology(struct draw *d, const struct topology *t)
{
	static const struct network backend = {.net = NET_BACKEND};

	d->net = &backend;
	for (size_t i = 0; i < t->ndevices; i++) {
		unsigned at =
			add_device(d, t->device[i].name, t->device[i].tier, t->device[i].platform);

		d->to.device.at[at] = t->device[i];
	}
	for (size_t i = 0; i < t->nports; i++) {
		vec_push(&d->to.port, t->port[i]);
		if (t->port[i].device < d->devices)
			d->ports[t->port[i].device]++;
	}
	for (size_t i = 0; i < t->ncables; i++)
		vec_push(&d->to.cable, t->cable[i]);
}

void topology_add_networks(struct topology *t, unsigned mask)
{
	unsigned *host = mem_calloc(t->ndevices + 1, sizeof(*host)), hosts = 0;
	struct draw d = {0};

	for (size_t i = 0; i < t->ndevices; i++)
		if (t->device[i].tier == TIER_HOST && t->device[i].net == NET_BACKEND)
			host[hosts++] = (unsigned)i;
	copy_topology(&d, t);
	for (size_t i = 0; i < sizeof(networks) / sizeof(networks[0]); i++) {
		if (!(mask & 1U << networks[i].net) || !hosts || has_network(t, networks[i].net))
			continue;
		d.net = &networks[i];
		d.platform = platform_of(t, networks[i].like);
		add_network(&d, host, hosts);
		t->sizing = NULL;
	}
	topo_draft_finish(&d.to, t);
	free(d.ports);
	free(host);
}
