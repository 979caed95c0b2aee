/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/rail_fabric.h"

#include <stdio.h>

#include "base/str.h"
#include "tests/support/plan_make.h"

static unsigned add_device(
	struct plan *plan, const char *form, unsigned a, unsigned b, enum tier tier)
{
	char name[NAME_MAX_LEN];

	(void)str_printf(name, sizeof(name), "%s%u-%u", form, a, b);
	(void)plan_make_device(plan, name, tier, -1);
	return (unsigned)plan->devices.n - 1;
}

static void add_cable(struct plan *plan, unsigned lower, unsigned upper, int rail)
{
	char a[NAME_MAX_LEN], b[NAME_MAX_LEN];

	if (rail >= 0)
		(void)str_printf(a, sizeof(a), "mlx5_%d", rail);
	else
		(void)str_printf(a, sizeof(a), "up%u", upper);
	(void)str_printf(b, sizeof(b), "down%u", lower);
	plan_make_link(plan, lower, a, upper, b, rail);
}

struct model *rail_fabric(struct rail_shape s)
{
	unsigned sets = (s.hosts + s.each - 1) / s.each, top, spine = 0;
	struct plan plan;
	struct model *m;

	plan_init(&plan);
	plan.rails = RAIL_FABRIC_RAILS;
	/* Out of order on purpose: units go by their hosts. */
	for (unsigned h = s.hosts; h-- > 0;)
		(void)add_device(&plan, "node", h / 10, h % 10, TIER_HOST);
	top = s.top ? add_device(&plan, "top", 0, 0, TIER_SUPERSPINE) : 0;
	for (unsigned set = 0; set < sets; set++) {
		if (s.sets_in_pod && set % s.sets_in_pod == 0) {
			spine = add_device(&plan, "spine", set / s.sets_in_pod, 0, TIER_SPINE);
			if (s.top)
				add_cable(&plan, spine, top, -1);
		}
		for (int rail = 0; rail < RAIL_FABRIC_RAILS; rail++) {
			unsigned leaf = add_device(&plan, "leaf", (unsigned)rail, set, TIER_LEAF);

			for (unsigned h = set * s.each; h < s.hosts && h < (set + 1) * s.each; h++)
				add_cable(&plan, s.hosts - 1 - h, leaf, rail);
			if (s.sets_in_pod)
				add_cable(&plan, leaf, spine, -1);
		}
	}
	m = model_new(&plan);
	plan_free(&plan);
	return m;
}

void rail_fabric_job(struct model *m, unsigned n, unsigned gpus, unsigned (*host)(unsigned i))
{
	struct obs *o = obs_new("node0-0", "nccl-ras");
	char name[NAME_MAX_LEN], nic[16];

	for (unsigned i = 0; i < n; i++) {
		struct obs_nccl *r = obs_nccl(o, NCCL_RANK, SOURCE_RAS);
		unsigned h = host(i / gpus);

		r->comm = obs_string(o, RAIL_FABRIC_COMM);
		r->rank = (int)i;
		r->nranks = (int)n;
		r->pid = 100 + (int)i;
		r->gpu = r->local_gpu = (int)(i % gpus);
		r->state = NCCL_RUNNING;
		(void)str_printf(name, sizeof(name), "node%u-%u", h / 10, h % 10);
		r->host = obs_string(o, name);
		(void)str_printf(nic, sizeof(nic), "mlx5_%u", i % gpus);
		r->nic = obs_string(o, nic);
	}
	model_apply(m, o, RAIL_FABRIC_NOW);
	obs_free(o);
}
