/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fabric/model/stand.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "fabric/model/cells_internal.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

static void fill_plan(struct plan *plan)
{
	plan_init(plan);
	(void)str_copy(plan->fabric, sizeof(plan->fabric), "stand");
	plan->rails = 2;
	plan->lossless.priorities = 1 << 3;
	(void)plan_make_device(plan, "node000", TIER_HOST, -1);
	(void)plan_make_device(plan, "node001", TIER_HOST, -1);
	(void)plan_make_device(plan, "leaf-r0-00", TIER_LEAF, 0);
	(void)plan_make_device(plan, "leaf-r1-00", TIER_LEAF, 1);
	(void)plan_make_device(plan, "spine-000", TIER_SPINE, -1);
	plan_make_link(plan, 0, "mlx5_0", 2, "Ethernet0", 0);
	plan_make_link(plan, 0, "mlx5_1", 3, "Ethernet0", 1);
	plan_make_link(plan, 1, "mlx5_0", 2, "Ethernet4", 0);
	plan_make_link(plan, 1, "mlx5_1", 3, "Ethernet4", 1);
	plan_make_link(plan, 2, "Ethernet12", 4, "Ethernet1/1", 0);
	plan_make_link(plan, 3, "Ethernet12", 4, "Ethernet2/1", 1);
}

struct model *stand_new(void)
{
	struct plan plan;
	struct model *m;

	fill_plan(&plan);
	m = model_new(&plan);
	plan_free(&plan);
	for (size_t i = 0; i < m->devices.n; i++) {
		m->devices.at[i]->state = DEV_FRESH;
		m->devices.at[i]->last_ok_us = STAND_NOW;
	}
	for (size_t i = 0; i < m->ports.n; i++) {
		struct port *p = m->ports.at[i];

		p->seen = true;
		p->oper = p->admin = OPER_UP;
		p->speed_mbps = 400000;
	}
	return m;
}

struct port *stand_port(const struct model *m, const char *device, const char *port)
{
	struct device *d = model_device(m, device);
	struct port *p = d ? model_port(m, d, port) : NULL;

	if (!p)
		fail_msg("the stand has no %s:%s", device, port);
	return p;
}

static struct cell *put(struct port *p, counter_id id, unsigned sub, enum validity v)
{
	struct cell *c = port_cell_get(p, counter_cell(id, sub));

	c->valid = (uint8_t)v;
	c->rate = (float)NAN;
	cell_stamp(p, c, STAND_NOW, 0, 0);
	return c;
}

void stand_count(struct port *p, counter_id id, unsigned sub, uint64_t value, double rate)
{
	struct cell *c = put(p, id, sub, VALID_OK);

	c->u64 = value;
	c->rate = (float)rate;
}

void stand_gauge(struct port *p, counter_id id, unsigned sub, double value)
{
	put(p, id, sub, VALID_OK)->real = value;
}

void stand_invalid(struct port *p, counter_id id, unsigned sub, enum validity v)
{
	(void)put(p, id, sub, v);
}
