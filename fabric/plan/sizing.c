/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/plan/sizing.h"

#include <string.h>

#include "base/str.h"

/*
 * All presets use 64 x 400G switches, with as many uplinks as downlinks in every tier below the
 * top. 24k and 100k have more leaves a rail than a spine has down ports (32), so rails are cut
 * into pods. 100k has more pods than a superspine has ports, so each superspine belongs to one
 * rail.
 */
static const struct sizing presets[] = {
	{.preset = "ref256",
		.hosts = 32,
		.rails = 8,
		.leaves_per_rail = 1,
		.hosts_per_leaf = 32,
		.leaf_uplinks = 32,
		.spines = 4,
		.speed_mbps = 400000,
		.leaves_per_pod = 8,
		.spines_per_pod = 4,
		.planes = 1},
	{.preset = "4k",
		.hosts = 500,
		.rails = 8,
		.leaves_per_rail = 16,
		.hosts_per_leaf = 32,
		.leaf_uplinks = 32,
		.spines = 128,
		.spine_uplinks = 32,
		.superspines = 64,
		.speed_mbps = 400000,
		.spines_per_rail = true,
		.leaves_per_pod = 16,
		.spines_per_pod = 16,
		.planes = 2},
	{.preset = "24k",
		.hosts = 3000,
		.rails = 8,
		.leaves_per_rail = 94,
		.hosts_per_leaf = 32,
		.leaf_uplinks = 32,
		.spines = 768,
		.spine_uplinks = 32,
		.superspines = 512,
		.speed_mbps = 400000,
		.spines_per_rail = true,
		.leaves_per_pod = 32,
		.spines_per_pod = 32,
		.planes = 32},
	{.preset = "100k",
		.hosts = 12500,
		.rails = 8,
		.leaves_per_rail = 391,
		.hosts_per_leaf = 32,
		.leaf_uplinks = 32,
		.spines = 3328,
		.spine_uplinks = 32,
		.superspines = 2048,
		.speed_mbps = 400000,
		.spines_per_rail = true,
		.leaves_per_pod = 32,
		.spines_per_pod = 32,
		.planes = 32,
		.superspines_per_rail = true},
};

#define PRESETS (sizeof(presets) / sizeof(presets[0]))

const struct sizing *sizing_preset(const char *name)
{
	for (size_t i = 0; i < PRESETS; i++)
		if (strcmp(presets[i].preset, name) == 0)
			return &presets[i];
	return NULL;
}

const char *sizing_preset_names(void)
{
	return "ref256, 4k, 24k, 100k";
}

static unsigned total_leaves(const struct sizing *s)
{
	return s->rails * s->leaves_per_rail;
}

/* Parallel links of one leaf to one spine. */
static unsigned leaf_spine_links(const struct sizing *s)
{
	return s->leaf_uplinks / s->spines_per_pod;
}

static unsigned pods_per_rail(const struct sizing *s)
{
	return s->spines / s->spines_per_pod / s->rails;
}

/* Superspines that one spine reaches. */
static unsigned plane_superspines(const struct sizing *s)
{
	return s->superspines / s->planes / (s->superspines_per_rail ? s->rails : 1);
}

unsigned sizing_devices(const struct sizing *s, enum tier t)
{
	switch (t) {
	case TIER_HOST:
		return s->hosts;
	case TIER_LEAF:
		return total_leaves(s);
	case TIER_SPINE:
		return s->spines;
	case TIER_SUPERSPINE:
		return s->superspines;
	default:
		return 0;
	}
}

unsigned sizing_ports(const struct sizing *s, enum tier t)
{
	unsigned spines_per_plane;

	switch (t) {
	case TIER_HOST:
		return s->rails;
	case TIER_LEAF:
		return s->hosts_per_leaf + s->leaf_uplinks;
	case TIER_SPINE:
		return s->leaves_per_pod * leaf_spine_links(s) + s->spine_uplinks;
	case TIER_SUPERSPINE:
		if (!s->superspines)
			return 0;
		spines_per_plane = s->spines / s->planes / (s->superspines_per_rail ? s->rails : 1);
		return spines_per_plane * (s->spine_uplinks / plane_superspines(s));
	default:
		return 0;
	}
}

size_t sizing_wires(const struct sizing *s)
{
	return (size_t)s->hosts * s->rails + (size_t)total_leaves(s) * s->leaf_uplinks +
	       (size_t)s->spines * s->spine_uplinks;
}

static struct wire host_wire(const struct sizing *s, size_t i)
{
	unsigned host = (unsigned)(i / s->rails), rail = (unsigned)(i % s->rails);
	unsigned leaf = rail * s->leaves_per_rail + host / s->hosts_per_leaf;

	return (struct wire){
		{TIER_HOST, host, rail}, {TIER_LEAF, leaf, host % s->hosts_per_leaf}, (int)rail};
}

static struct wire leaf_wire(const struct sizing *s, size_t i)
{
	unsigned leaf = (unsigned)(i / s->leaf_uplinks), up = (unsigned)(i % s->leaf_uplinks);
	unsigned rail = leaf / s->leaves_per_rail, links = leaf_spine_links(s);
	unsigned pod = 0, in_pod = leaf;

	if (s->spines_per_rail) {
		unsigned in_rail = leaf % s->leaves_per_rail;

		pod = rail * pods_per_rail(s) + in_rail / s->leaves_per_pod;
		in_pod = in_rail % s->leaves_per_pod;
	}
	return (struct wire){{TIER_LEAF, leaf, s->hosts_per_leaf + up},
		{TIER_SPINE, pod * s->spines_per_pod + up / links, in_pod * links + up % links},
		(int)rail};
}

static struct wire spine_wire(const struct sizing *s, size_t i)
{
	unsigned spine = (unsigned)(i / s->spine_uplinks), up = (unsigned)(i % s->spine_uplinks);
	unsigned pod = spine / s->spines_per_pod, in_pod = spine % s->spines_per_pod;
	unsigned reach = plane_superspines(s), links = s->spine_uplinks / reach;
	unsigned group = in_pod % s->planes, first_pod = 0;

	if (s->superspines_per_rail) {
		unsigned rail = pod / pods_per_rail(s);

		group += rail * s->planes;
		first_pod = rail * pods_per_rail(s);
	}
	return (struct wire){{TIER_SPINE, spine, s->leaves_per_pod * leaf_spine_links(s) + up},
		{TIER_SUPERSPINE, group * reach + up / links,
			((pod - first_pod) * (s->spines_per_pod / s->planes) + in_pod / s->planes) *
					links +
				up % links},
		-1};
}

struct wire sizing_wire(const struct sizing *s, size_t i)
{
	size_t hosts = (size_t)s->hosts * s->rails, up = (size_t)total_leaves(s) * s->leaf_uplinks;

	if (i < hosts)
		return host_wire(s, i);
	i -= hosts;
	if (i < up)
		return leaf_wire(s, i);
	return spine_wire(s, i - up);
}

int sizing_rail(const struct sizing *s, enum tier t, unsigned device)
{
	if (t == TIER_LEAF)
		return (int)(device / s->leaves_per_rail);
	if (t == TIER_SPINE && s->spines_per_rail)
		return (int)(device / s->spines_per_pod / pods_per_rail(s));
	if (t == TIER_SUPERSPINE && s->superspines_per_rail)
		return (int)(device / (s->superspines / s->rails));
	return -1;
}

/* Digits for numbers below count, at least `least`: names of a tier have the same length. */
static int digits_of(unsigned count, int least)
{
	int w = 1;

	for (unsigned n = count ? count - 1 : 0; n >= 10; n /= 10)
		w++;
	return w > least ? w : least;
}

bool sizing_device_name(
	const struct sizing *s, enum tier t, unsigned device, char *dst, size_t size)
{
	switch (t) {
	case TIER_HOST:
		return str_printf(dst, size, "node%0*u", digits_of(s->hosts, 3), device);
	case TIER_LEAF:
		return str_printf(dst, size, "leaf-r%u-%0*u", device / s->leaves_per_rail,
			digits_of(s->leaves_per_rail, 2), device % s->leaves_per_rail);
	case TIER_SPINE:
		return str_printf(dst, size, "spine-%0*u", digits_of(s->spines, 3), device);
	case TIER_SUPERSPINE:
		return str_printf(
			dst, size, "superspine-%0*u", digits_of(s->superspines, 2), device);
	default:
		return false;
	}
}

static const struct naming {
	const char *dialect;
	const char *head, *tail; /* around the number */
	unsigned first, step;
} namings[] = {{"sonic", "Ethernet", "", 0, 4}, {"eos", "Ethernet", "/1", 1, 1},
	{"nxos", "Ethernet1/", "", 1, 1}, {"cumulus", "swp", "", 1, 1}};
#define NAMINGS (sizeof(namings) / sizeof(namings[0]))

const char *sizing_naming(size_t i)
{
	return i < NAMINGS ? namings[i].dialect : NULL;
}

bool sizing_port_name(enum tier t, const char *dialect, unsigned port, char *dst, size_t size)
{
	if (t == TIER_HOST)
		return str_printf(dst, size, "mlx5_%u", port);
	for (size_t i = 0; i < NAMINGS; i++) {
		const struct naming *n = &namings[i];

		if (strcmp(dialect, n->dialect) == 0)
			return str_printf(
				dst, size, "%s%u%s", n->head, n->first + port * n->step, n->tail);
	}
	return false;
}
