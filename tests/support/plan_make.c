/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/plan_make.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

static const char *usual_dialect(enum tier tier)
{
	if (tier == TIER_HOST)
		return "linux";
	return tier == TIER_SPINE ? "eos" : "sonic";
}

struct plan_device *plan_make_device(struct plan *plan, const char *name, enum tier tier, int rail)
{
	struct plan_device *d = vec_add(&plan->devices);

	(void)str_copy(d->name, sizeof(d->name), name);
	d->tier = tier;
	d->net = NET_BACKEND;
	d->rail = rail;
	d->dialect = mem_strdup(usual_dialect(tier));
	d->transport = mem_strdup("ssh");
	d->address = mem_strdup(name);
	d->interval_us = 5 * CLOCK_SEC;
	return d;
}

void plan_make_link(
	struct plan *plan, unsigned a, const char *a_port, unsigned b, const char *b_port, int rail)
{
	struct plan_link *l = vec_add(&plan->links);

	l->a = a;
	l->b = b;
	(void)str_copy(l->a_port, sizeof(l->a_port), a_port);
	(void)str_copy(l->b_port, sizeof(l->b_port), b_port);
	l->rail = rail;
	l->speed_mbps = 400000;
}
