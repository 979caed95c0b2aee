/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "app/discover/discover.h"
#include "base/mem.h"
#include "base/str.h"

#define RAILS_MAX   64
#define FAR         UINT_MAX
#define SURE_SWITCH 60 /* least score, of 100, of a system description */

/* A device that could not be polled may be known by the description from its neighbours. */
static bool described_as_switch(const struct found *f)
{
	for (size_t i = 0; i < backend_count; i++) {
		const struct backend_ops *ops = backend_table[i];

		if (!str_eq(ops->name, "linux") && ops->score &&
			ops->score(f->descr, strlen(f->descr)) >= SURE_SWITCH)
			return true;
	}
	return false;
}

static bool is_host(const struct found *f)
{
	if (f->state == FOUND_KNOWN)
		return f->tier == TIER_HOST;
	return !described_as_switch(f);
}

static enum tier tier_at(unsigned distance)
{
	if (distance <= 1 || distance == FAR)
		return TIER_LEAF;
	return distance == 2 ? TIER_SPINE : TIER_SUPERSPINE;
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

			if (*near != FAR && *far > *near + 1) {
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
	unsigned *distance = mem_calloc(d->devices.n + 1, sizeof(*distance));

	for (size_t i = 0; i < d->devices.n; i++)
		distance[i] = is_host(&d->devices.at[i]) ? 0 : FAR;
	spread_distance(d, distance);
	for (size_t i = 0; i < d->devices.n; i++) {
		struct found *f = &d->devices.at[i];

		f->tier = is_host(f) ? TIER_HOST : tier_at(distance[i]);
		f->rail = f->tier == TIER_LEAF ? rail_of(d, i) : -1;
	}
	free(distance);
}
