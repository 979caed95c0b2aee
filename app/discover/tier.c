/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "app/discover/discover.h"
#include "base/mem.h"
#include "base/str.h"

#define RAILS_MAX 64
#define FAR       UINT_MAX
/* Sets the tier of a switch. */
static void set_tier(struct found *f, unsigned distance)
{
	if (distance == FAR) {
		/* Without hosts there is only the name. */
		f->tier = strcasestr(f->name, "superspine") ? TIER_SUPERSPINE
			  : strcasestr(f->name, "spine")    ? TIER_SPINE
							    : TIER_LEAF;
		f->tier_why = "no host is in sight: by its name";
	} else if (distance <= 1) {
		f->tier = TIER_LEAF;
		f->tier_why = "hosts are cabled to it";
	} else {
		f->tier = distance == 2 ? TIER_SPINE : TIER_SUPERSPINE;
		f->tier_why = distance == 2 ? "leaves are cabled to it, and no host"
					    : "spines are cabled to it, and neither leaf nor host";
	}
}

/* Computes the least number of cables from each device to a host. */
static void spread_distance(const struct discovery *d, unsigned *distance)
{
	bool changed = true;

	/* There cannot be more rounds than devices; a Clos has a handful of tiers. */
	for (size_t round = 0; changed && round <= d->devices.n; round++) {
		changed = false;
		for (size_t i = 0; i < d->links.n; i++) {
			unsigned *a = &distance[d->links.at[i].a], *b = &distance[d->links.at[i].b];
			unsigned *far = *a > *b ? a : b, *near = *a > *b ? b : a;

			if (!d->links.at[i].management && *near != FAR && *far > *near + 1) {
				*far = *near + 1;
				changed = true;
			}
		}
	}
}

/* Position of the port among the host's NICs; -1: not found. */
static int nic_index(const struct found *f, const char *port)
{
	for (size_t i = 0; i + 1 < f->slaves.n; i += 2)
		if (str_eq(f->slaves.at[i], port))
			port = f->slaves.at[i + 1];
	for (size_t i = 0; i < f->nics.n && i < RAILS_MAX; i++)
		if (str_eq(f->nics.at[i], port))
			return (int)i;
	return -1;
}

/* A leaf belongs to a rail when nine of ten of its cables to hosts go to the same NIC. */
static int rail_of(const struct discovery *d, size_t leaf)
{
	unsigned votes[RAILS_MAX] = {0}, all = 0;

	for (size_t i = 0; i < d->links.n; i++) {
		const struct found_link *l = &d->links.at[i];
		int nic = -1;

		if (l->a == leaf)
			nic = nic_index(&d->devices.at[l->b], l->b_port);
		else if (l->b == leaf)
			nic = nic_index(&d->devices.at[l->a], l->a_port);
		if (nic < 0)
			continue;
		votes[nic]++;
		all++;
	}
	for (int r = 0; r < RAILS_MAX; r++)
		if (votes[r] && votes[r] * 10 >= all * 9)
			return r;
	return -1;
}

void discovery_tiers(struct discovery *d)
{
	discovery_roles(d);
	discovery_place(d);
}

void discovery_place(struct discovery *d)
{
	unsigned *distance = mem_calloc(d->devices.n + 1, sizeof(*distance));

	for (size_t i = 0; i < d->devices.n; i++)
		distance[i] = d->devices.at[i].is_switch ? FAR : 0;
	spread_distance(d, distance);
	for (size_t i = 0; i < d->devices.n; i++) {
		struct found *f = &d->devices.at[i];

		f->tier = TIER_HOST;
		f->tier_why = "";
		if (f->is_switch)
			set_tier(f, distance[i]);
		f->rail = f->tier == TIER_LEAF ? rail_of(d, i) : -1;
	}
	free(distance);
}
