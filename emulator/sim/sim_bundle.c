/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/sim/sim_internal.h"

/*
 * Bundles of switches (LACP). Those of a pair of leaves to the bonds of hosts have the same numbers
 * on both, because both have the same ports.
 */

/* What the ports of a bundle have in common: the first slave of a bond, or the far switch. */
static const void *far_end(struct sim *s, const struct sim_port *p)
{
	const struct sim_port *far = p->plan_peer;

	if (!far)
		return NULL;
	if (far->tier != TIER_HOST)
		return sim_device_of(s, far);
	if (!far->bond)
		return NULL;
	return far->bond->port < far->port ? far->bond : far;
}

static unsigned links_to(struct sim *s, const struct sim_device *d, const void *far)
{
	unsigned n = 0;

	for (unsigned i = 0; i < d->nports; i++)
		n += far_end(s, &d->ports[i]) == far;
	return n;
}

static void bundle_port(struct sim *s, struct sim_device *d, struct sim_port *p)
{
	const void *far = far_end(s, p);

	/* One link to a switch is no bundle; one to a bond is this switch's part of it. */
	if (!far || (p->plan_peer->tier != TIER_HOST && links_to(s, d, far) < 2))
		return;
	for (struct sim_port *q = d->ports; q < p; q++)
		if (far_end(s, q) == far)
			p->bundle = q->bundle;
	if (!p->bundle)
		p->bundle = ++d->bundles;
	if (p->plan_peer->bond && p->plan_peer->bond->plan_peer)
		d->pair = sim_device_of(s, p->plan_peer->bond->plan_peer);
}

void sim_build_bundles(struct sim *s)
{
	for (size_t i = 0; i < s->ndevices; i++) {
		struct sim_device *d = &s->device[i];

		d->bundle_min = s->topology->device[i].bundle_min;
		for (unsigned k = 0; d->bundle_min && k < d->nports; k++)
			bundle_port(s, d, &d->ports[k]);
	}
}

bool sim_bundle_active(const struct sim_port *p)
{
	return p->bundle && p->up && p->config.admin_up && !p->lacp_out;
}

struct sim_bundle sim_bundle_of(const struct sim_device *d, unsigned bundle)
{
	struct sim_bundle b = {.least = d->bundle_min};

	for (unsigned i = 0; i < d->nports; i++) {
		const struct sim_port *p = &d->ports[i];

		if (p->bundle != bundle)
			continue;
		b.members++;
		b.active += sim_bundle_active(p);
		b.shared |= p->plan_peer->tier == TIER_HOST && d->pair;
	}
	if (b.shared)
		b.least = 1;
	b.up = b.active && b.active >= b.least;
	return b;
}
