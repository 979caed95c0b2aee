/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "fabric/plan/sizing.h"
#include "fabric/vocabulary/counters.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"

CASE_WITH(the_plan_becomes_devices_and_ports, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct device *d = model_device(m, "leaf-r1-00");
	struct port *p = feed_port(m, "leaf-r1-00", "Ethernet0");

	assert_int_equal(m->devices.n, 4);
	assert_int_equal(m->ports.n, 8);
	assert_string_equal(d->dialect, "sonic");
	assert_string_equal(d->address, "leaf-r1-00");
	assert_int_equal(d->rail, 1);
	assert_int_equal(d->ports.n, 2);
	assert_true(isnan(d->uptime_s));
	assert_int_equal(p->rail, 1);
	assert_int_equal(p->plan_speed_mbps, 400000);
	assert_int_equal(p->oper, OPER_UNKNOWN);
	assert_false(p->seen);
	assert_null(port_cell(p, CTR_RX_BYTES, 0));
	assert_null(model_device(m, "leaf-r2-00"));
	assert_null(model_port(m, d, "Ethernet1"));
	assert_null(model_port(m, d, ""));
	assert_int_equal(model_census(m).ports_expected, 8);
	assert_int_equal(model_census(m).expected[TIER_LEAF], 2);
	assert_int_equal(model_census(m).seen[TIER_LEAF], 0);
}

CASE_WITH(ports_are_in_natural_order, feed_setup, feed_teardown)
{
	static const char *const want[] = {
		"Ethernet0", "Ethernet4", "Ethernet12", "Ethernet100", "Ethernet104"};
	struct model *m = *state;
	struct device *d = model_device(m, "leaf-r0-00");
	struct obs *o = feed_batch();

	obs_port(o, "Ethernet104");
	obs_port(o, "Ethernet4");
	obs_port(o, "Ethernet100");
	feed(m, o, 0);
	assert_int_equal(d->ports.n, 5);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(m->ports.at[d->ports.at[i]]->name, want[i]);
}

CASE_WITH(names_alias_and_netdev_lead_to_the_port, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct device *d = model_device(m, "node000");
	struct port *a = feed_port(m, "node000", "mlx5_0");
	struct obs *o = feed_batch_of("node000", "slow");

	obs_word(o, obs_port(o, "mlx5_0"), ATTR_NETDEV, 0, "eth0");
	obs_word(o, obs_port(o, "mlx5_0"), ATTR_ALIAS, 0, "mlx5_1"); /* a lie */
	obs_word(o, obs_port(o, "mlx5_1"), ATTR_NETDEV, 0, "eth1");
	feed(m, o, 0);
	assert_ptr_equal(model_port(m, d, "eth0"), a);
	assert_ptr_not_equal(model_port(m, d, "mlx5_1"), a);
	assert_int_equal(d->ports.n, 2);
	o = feed_batch_of("node000", "slow");
	obs_word(o, obs_port(o, "mlx5_0"), ATTR_NETDEV, 0, "ens1");
	feed(m, o, 5);
	assert_null(model_port(m, d, "eth0"));
	assert_ptr_equal(model_port(m, d, "ens1"), a);
}

/* The plan says mlx5_0, the device says ibp1 with the second name mlx5_0. */
CASE_WITH(a_planned_name_may_be_the_second_name, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct device *d = model_device(m, "node000");
	struct port *leaf = feed_port(m, "leaf-r0-00", "Ethernet0"), *p;
	struct obs *o = feed_batch_of("node000", "fast");

	obs_count(o, obs_port(o, "ibp1"), CTR_RX_BYTES, 0, 1);
	feed(m, o, 0);
	assert_int_equal(d->ports.n, 3);
	o = feed_batch_of("node000", "slow");
	obs_word(o, obs_port(o, "ibp1"), ATTR_NETDEV, 0, "mlx5_0");
	feed(m, o, 1);
	assert_int_equal(d->ports.n, 2);
	p = model_port(m, d, "mlx5_0");
	assert_string_equal(p->name, "ibp1");
	assert_ptr_equal(port_peer(m, leaf, NULL), p);
	assert_ptr_equal(port_peer(m, p, NULL), leaf);
	assert_int_equal(p->plan_speed_mbps, 400000);
	assert_int_equal(p->rail, 0);
	model_links(m);
	assert_int_equal(m->links.n, 4);
	assert_int_equal(model_census(m).ports_expected, 8);
}

CASE_WITH(the_ring_keeps_the_newest, feed_setup, feed_teardown)
{
	struct model *m = *state;
	char text[32];

	assert_null(model_event(m, 0));
	for (unsigned i = 1; i <= EVENT_RING + 5; i++) {
		str_printf(text, sizeof(text), "event %u", i);
		model_add_event(m, i, EV_LINK_UP, NULL, NULL, -1, 0, text);
	}
	assert_string_equal(model_event(m, 0)->text, "event 4101");
	assert_int_equal(model_event(m, 0)->seq, EVENT_RING + 5);
	assert_string_equal(model_event(m, EVENT_RING - 1)->text, "event 6");
	assert_null(model_event(m, EVENT_RING));
	model_add_event(m, 0, EV_LINK_UP, NULL, NULL, 3, 0, "a\033[2Jb");
	assert_string_equal(model_event(m, 0)->text, "a?[2Jb");
	assert_int_equal(model_event(m, 0)->device, EVENT_NO_ID);
}

CASE_WITH(a_plan_that_uses_a_port_twice, feed_setup, feed_teardown)
{
	struct plan plan;
	struct model *m;

	plan_init(&plan);
	for (unsigned i = 0; i < 3; i++) {
		struct plan_device *d = vec_add(&plan.devices);

		str_printf(d->name, sizeof(d->name), "d%u", i);
	}
	for (unsigned i = 1; i <= 3; i++) {
		struct plan_link *l = vec_add(&plan.links);

		l->b = i; /* 3: there is no such device */
		str_copy(l->a_port, sizeof(l->a_port), "p0");
		str_copy(l->b_port, sizeof(l->b_port), "p0");
	}
	m = model_new(&plan);
	model_links(m);
	assert_int_equal(m->links.n, 1);
	assert_ptr_equal(port_peer(m, feed_port(m, "d0", "p0"), NULL), feed_port(m, "d1", "p0"));
	model_free(m);
	plan_free(&plan);
	model_free(NULL);
}

static void plan_of(const struct sizing *s, struct plan *plan)
{
	unsigned first[TIER_COUNT + 1] = {0};

	plan_init(plan);
	for (unsigned t = 0; t < TIER_COUNT; t++) {
		unsigned n = sizing_devices(s, (enum tier)t);

		first[t + 1] = first[t] + n;
		for (unsigned i = 0; i < n; i++) {
			struct plan_device *d = vec_add(&plan->devices);

			sizing_device_name(s, (enum tier)t, i, d->name, sizeof(d->name));
			d->tier = (enum tier)t;
			d->rail = sizing_rail(s, d->tier, i);
		}
	}
	for (size_t i = 0; i < sizing_wires(s); i++) {
		struct wire w = sizing_wire(s, i);
		struct plan_link *l = vec_add(&plan->links);

		l->a = first[w.a.tier] + w.a.device;
		l->b = first[w.b.tier] + w.b.device;
		l->rail = w.rail;
		sizing_port_name(w.a.tier, "sonic", w.a.port, l->a_port, sizeof(l->a_port));
		sizing_port_name(w.b.tier, "sonic", w.b.port, l->b_port, sizeof(l->b_port));
	}
}

CASE_WITH(the_4k_fabric_is_whole, feed_setup, feed_teardown)
{
	struct plan plan;
	struct model *m;
	struct census c;

	plan_of(sizing_preset("4k"), &plan);
	m = model_new(&plan);
	plan_free(&plan);
	c = model_census(m);
	assert_int_equal(m->devices.n, 820);
	assert_int_equal(c.ports_expected, 24384);
	assert_int_equal(c.links_expected, 12192);
	assert_int_equal(m->links.n, 12192);
	assert_string_equal(
		port_peer(m, feed_port(m, "node499", "mlx5_7"), NULL)->name, "Ethernet76");
	model_free(m);
}

CASES_MAIN(NULL, NULL)
