/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/diagnosis/engine/small_fabric.h"

#include <stdio.h>

#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

#define HOSTS  4
#define RAILS  4
#define SPINES 2

static void add_links(struct plan *plan)
{
	char a[NAME_MAX_LEN], b[NAME_MAX_LEN];

	for (unsigned h = 0; h < HOSTS; h++)
		for (unsigned r = 0; r < RAILS; r++) {
			(void)str_printf(a, sizeof(a), "mlx5_%u", r);
			(void)str_printf(b, sizeof(b), "Ethernet%u", h * 4);
			plan_make_link(plan, h, a, HOSTS + r, b, (int)r);
		}
	for (unsigned r = 0; r < RAILS; r++)
		for (unsigned s = 0; s < SPINES; s++) {
			(void)str_printf(a, sizeof(a), "Ethernet%u", (HOSTS + s) * 4);
			(void)str_printf(b, sizeof(b), "Ethernet%u/1", r + 1);
			plan_make_link(plan, HOSTS + r, a, HOSTS + RAILS + s, b, -1);
		}
}

static void fill(struct plan *plan)
{
	char name[NAME_MAX_LEN];

	plan_init(plan);
	(void)str_copy(plan->fabric, sizeof(plan->fabric), "small");
	plan->rails = RAILS;
	plan->lossless.priorities = 1U << 3;
	plan->lossless.dscp_prio[26] = 3;
	plan->lossless.cnp_dscp = 48;
	plan->lossless.ecn_min_bytes = 500000;
	plan->lossless.ecn_max_bytes = 1500000;
	for (unsigned h = 0; h < HOSTS; h++) {
		(void)str_printf(name, sizeof(name), "node%03u", h);
		(void)plan_make_device(plan, name, TIER_HOST, -1);
	}
	for (int r = 0; r < RAILS; r++) {
		(void)str_printf(name, sizeof(name), "leaf-r%d", r);
		(void)plan_make_device(plan, name, TIER_LEAF, r);
	}
	for (unsigned s = 0; s < SPINES; s++) {
		(void)str_printf(name, sizeof(name), "spine-%u", s);
		(void)plan_make_device(plan, name, TIER_SPINE, -1);
	}
	add_links(plan);
}

struct port *small_port(const struct model *m, const char *device, const char *port)
{
	struct device *d = model_device(m, device);
	struct port *p = d ? model_port(m, d, port) : NULL;

	if (!p)
		fail_msg("the fabric has no %s:%s", device, port);
	return p;
}

static void tell(struct model *m, struct port *p, const struct port *q)
{
	if (q) {
		string_pool_set(m->texts, &p->lldp_device, model_dev_of(m, q)->name);
		string_pool_set(m->texts, &p->lldp_port, q->name);
		p->lldp_us = SMALL_NOW;
	} else {
		string_pool_set(m->texts, &p->lldp_device, "");
		string_pool_set(m->texts, &p->lldp_port, "");
	}
	m->links_dirty = true;
	m->wiring_generation++;
}

void small_cable(struct model *m, const char *a_device, const char *a_port, const char *b_device,
	const char *b_port)
{
	struct port *a = small_port(m, a_device, a_port);

	tell(m, a, *b_device ? small_port(m, b_device, b_port) : NULL);
	if (*b_device)
		tell(m, small_port(m, b_device, b_port), a);
	model_links(m);
}

void small_uncable(struct model *m)
{
	for (size_t i = 0; i < m->ports.n; i++)
		tell(m, m->ports.at[i], NULL);
	model_links(m);
}

struct model *small_fabric(void)
{
	struct plan plan;
	struct model *m;

	fill(&plan);
	m = model_new(&plan);
	plan_free(&plan);
	for (size_t i = 0; i < m->devices.n; i++) {
		m->devices.at[i]->state = DEV_FRESH;
		m->devices.at[i]->last_ok_us = m->devices.at[i]->counters_us = SMALL_NOW;
	}
	for (size_t i = 0; i < m->ports.n; i++) {
		struct port *p = m->ports.at[i];

		p->seen = true;
		p->oper = p->admin = OPER_UP;
		p->speed_mbps = 400000;
		tell(m, p, m->ports.at[p->plan_peer]);
	}
	model_links(m);
	return m;
}
