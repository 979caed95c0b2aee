/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "emulator/sim/topology.h"

/* Fabrics as lists of devices, ports and cables. */

static const char *const tier_platform[TIER_COUNT] = {
	[TIER_HOST] = "linux",
	[TIER_LEAF] = "sonic-spectrum",
	[TIER_SPINE] = "eos",
	[TIER_SUPERSPINE] = "eos",
};

const struct sim_platform *topo_default_platform(enum tier tier, const char *dialect)
{
	if (strcmp(dialect, "sonic") == 0)
		return sim_platform("sonic-spectrum");
	if (strcmp(dialect, "linux") == 0)
		return sim_platform(tier == TIER_HOST ? "linux" : "frr");
	/* Each other dialect has one platform, which has the dialect's name. */
	return sim_platform(dialect);
}

unsigned topo_net_speed(enum net_kind net)
{
	static const unsigned mbps[NET_COUNT] = {
		[NET_BACKEND] = 400000,
		[NET_STORAGE] = 200000,
		[NET_FRONTEND] = 100000,
		[NET_OOB] = 1000,
	};

	return mbps[net];
}

void topo_port_name(const struct topo_device *d, unsigned n, char dst[24])
{
	if (d->tier == TIER_HOST)
		(void)str_printf(dst, 24, "eth%u", n);
	else
		(void)(sizing_port_name(d->tier, d->platform->dialect, n, dst, 24) ||
			/*
			 * Linux switches of the emulator use the port names that the udev rules of
			 * most of them give.
			 */
			sizing_port_name(d->tier, "cumulus", n, dst, 24));
}

int topo_rail_in_name(const char *name)
{
	for (const char *s = strstr(name, "-r"); s; s = strstr(s + 1, "-r")) {
		size_t digits = strspn(s + 2, "0123456789");
		char after = s[2 + digits];

		if (digits && digits < 3 && (!after || after == '-' || after == '.'))
			return (int)strtol(s + 2, NULL, 10);
	}
	return -1;
}

/* ---- drafts ---- */

unsigned topo_draft_device(struct topo_draft *d, const char *name, enum tier tier,
	enum net_kind net, int rail, const struct sim_platform *platform)
{
	struct topo_device *dev = vec_add(&d->device);

	(void)str_copy(dev->name, sizeof(dev->name), name);
	dev->tier = tier;
	dev->net = net;
	dev->rail = rail;
	dev->platform = platform;
	return (unsigned)d->device.n - 1;
}

unsigned topo_draft_port(
	struct topo_draft *d, unsigned device, const char *name, unsigned speed_mbps, int rail)
{
	struct topo_port *p = vec_add(&d->port);

	p->device = device;
	(void)str_copy(p->name, sizeof(p->name), name);
	p->speed_mbps = speed_mbps;
	p->rail = rail;
	return (unsigned)d->port.n - 1;
}

void topo_draft_cable(struct topo_draft *d, unsigned a, unsigned b)
{
	vec_push(&d->cable, (struct topo_cable){a, b});
}

void topo_draft_free(struct topo_draft *d)
{
	vec_free(&d->device);
	vec_free(&d->port);
	vec_free(&d->cable);
}

struct placed {
	const struct topo_draft *draft;
	unsigned at; /* position in the draft */
};

static int by_tier(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	const struct topo_device *dx = &x->draft->device.at[x->at],
				 *dy = &y->draft->device.at[y->at];

	if (dx->tier != dy->tier)
		return dx->tier < dy->tier ? -1 : 1;
	if (dx->net != dy->net)
		return dx->net < dy->net ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static int by_device(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	const struct topo_port *px = &x->draft->port.at[x->at], *py = &y->draft->port.at[y->at];
	int names;

	if (px->device != py->device)
		return px->device < py->device ? -1 : 1;
	/* Last, because the NICs are numbered by their place. */
	if (str_eq(px->name, SIM_BMC_PORT) != str_eq(py->name, SIM_BMC_PORT))
		return str_eq(px->name, SIM_BMC_PORT) ? 1 : -1;
	names = str_natcmp(px->name, py->name);
	return names ? names : x->at < y->at ? -1 : x->at > y->at;
}

/* The positions 0..n-1, sorted. Most drafts are already in order, and large. */
static struct placed *sort_positions(
	const struct topo_draft *d, size_t n, int (*order)(const void *a, const void *b))
{
	struct placed *list = mem_calloc(n + 1, sizeof(*list));
	bool is_sorted = true;

	for (size_t i = 0; i < n; i++) {
		list[i] = (struct placed){d, (unsigned)i};
		is_sorted = is_sorted && (!i || order(&list[i - 1], &list[i]) <= 0);
	}
	if (!is_sorted)
		qsort(list, n, sizeof(*list), order);
	return list;
}

/* The new position of each old one. */
static unsigned *invert_positions(const struct placed *list, size_t n)
{
	unsigned *to = mem_calloc(n + 1, sizeof(*to));

	for (size_t i = 0; i < n; i++)
		to[list[i].at] = (unsigned)i;
	return to;
}

static void place_devices(struct topo_draft *d, struct topology *t)
{
	struct placed *list = sort_positions(d, d->device.n, by_tier);
	unsigned *to = invert_positions(list, d->device.n);

	t->ndevices = d->device.n;
	t->device = mem_calloc(t->ndevices + 1, sizeof(*t->device));
	for (size_t i = 0; i < t->ndevices; i++)
		t->device[i] = d->device.at[list[i].at];
	for (size_t i = 0; i < d->port.n; i++)
		d->port.at[i].device = to[d->port.at[i].device];
	free(list);
	free(to);
}

static void place_ports(struct topo_draft *d, struct topology *t)
{
	struct placed *list = sort_positions(d, d->port.n, by_device);
	unsigned *to = invert_positions(list, d->port.n);

	t->nports = d->port.n;
	t->port = mem_calloc(t->nports + 1, sizeof(*t->port));
	for (size_t i = 0; i < t->nports; i++)
		t->port[i] = d->port.at[list[i].at];
	t->ncables = d->cable.n;
	t->cable = mem_calloc(t->ncables + 1, sizeof(*t->cable));
	for (size_t i = 0; i < t->ncables; i++)
		t->cable[i] = (struct topo_cable){to[d->cable.at[i].a], to[d->cable.at[i].b]};
	free(list);
	free(to);
}

void topo_draft_finish(struct topo_draft *d, struct topology *t)
{
	free(t->device);
	free(t->port);
	free(t->cable);
	place_devices(d, t);
	place_ports(d, t);
	topo_draft_free(d);
}

/* ---- presets ---- */

static void draw_device(struct topo_draft *d, const struct sizing *z, enum tier tier,
	unsigned index, const struct sim_platform *platform)
{
	int rail = sizing_rail(z, tier, index);
	char name[NAME_MAX_LEN] = "", port[24];
	unsigned at;

	(void)sizing_device_name(z, tier, index, name, sizeof(name));
	at = topo_draft_device(d, name, tier, NET_BACKEND, rail, platform);
	for (unsigned i = 0; i < sizing_ports(z, tier); i++) {
		topo_port_name(&d->device.at[at], i, port);
		(void)topo_draft_port(
			d, at, port, z->speed_mbps, tier == TIER_HOST ? (int)i : rail);
	}
}

struct topology *topology_of_sizing(
	const struct sizing *z, const struct sim_platform *const platform[TIER_COUNT])
{
	struct topology *t = mem_calloc(1, sizeof(*t));
	struct topo_draft d = {0};
	unsigned first[TIER_COUNT]; /* port of each tier */

	(void)str_copy(t->name, sizeof(t->name), z->preset);
	t->sizing = z;
	for (int tier = 0; tier < TIER_COUNT; tier++) {
		const struct sim_platform *p = platform ? platform[tier] : NULL;

		first[tier] = (unsigned)d.port.n;
		for (unsigned i = 0; i < sizing_devices(z, (enum tier)tier); i++)
			draw_device(&d, z, (enum tier)tier, i,
				p ? p : sim_platform(tier_platform[tier]));
	}
	for (size_t i = 0; i < sizing_wires(z); i++) {
		struct wire w = sizing_wire(z, i);

		topo_draft_cable(&d,
			first[w.a.tier] + w.a.device * sizing_ports(z, w.a.tier) + w.a.port,
			first[w.b.tier] + w.b.device * sizing_ports(z, w.b.tier) + w.b.port);
	}
	topo_draft_finish(&d, t);
	return t;
}

size_t topology_use_platform(struct topology *t, enum tier tier, const struct sim_platform *p)
{
	size_t n = 0;

	for (size_t i = 0; i < t->ndevices; i++) {
		struct topo_device *d = &t->device[i];

		if (d->tier != tier || strcmp(d->platform->dialect, p->dialect) != 0)
			continue;
		d->platform = p;
		n++;
	}
	return n;
}

void topology_free(struct topology *t)
{
	if (!t)
		return;
	free(t->device);
	free(t->port);
	free(t->cable);
	free(t);
}
