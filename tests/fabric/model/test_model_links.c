/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fabric/model/metrics.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"

static void lldp(struct model *m, const char *device, const char *port, double t, const char *peer,
	const char *peer_port)
{
	struct obs *o = feed_batch_of(device, "lldp");

	obs_lldp(o, obs_port(o, port), peer, peer_port);
	feed(m, o, t);
}

static const struct link *link_at(struct model *m, const struct port *p)
{
	model_links(m);
	for (size_t i = 0; i < m->links.n; i++)
		if (m->links.at[i].a == p->id || m->links.at[i].b == p->id)
			return &m->links.at[i];
	fail_msg("%s is on no link", p->name);
	return NULL;
}

CASE_WITH(all_planned_links_are_listed, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct port *p = feed_port(m, "node000", "mlx5_0");
	enum peer_source source;

	model_links(m);
	assert_int_equal(m->links.n, 4);
	for (size_t i = 0; i < m->links.n; i++) {
		const struct port *a = m->ports.at[m->links.at[i].a];
		const struct port *b = m->ports.at[m->links.at[i].b];

		assert_int_equal(m->links.at[i].state, LINK_PLANNED);
		assert_true(model_dev_of(m, a)->tier < model_dev_of(m, b)->tier);
	}
	assert_ptr_equal(port_peer(m, p, &source), feed_port(m, "leaf-r0-00", "Ethernet0"));
	assert_int_equal(source, PEER_PLAN);
	assert_int_equal(model_census(m).links_expected, 4);
	assert_int_equal(model_census(m).links_found, 0);
}

/* The kept census equals a new count. */
static void kept_census_is_right(const struct model *m)
{
	struct census counted = model_census(m), kept = model_census_links(m);

	counted.ports_up = 0;
	assert_memory_equal(&kept, &counted, sizeof(kept));
}

CASE_WITH(one_end_is_enough, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct port *nic = feed_port(m, "node000", "mlx5_0");
	enum peer_source source;

	kept_census_is_right(m);
	lldp(m, "leaf-r0-00", "Ethernet0", 0, "node000", "mlx5_0");
	assert_int_equal(link_at(m, nic)->state, LINK_AS_PLANNED);
	kept_census_is_right(m);
	/* The silent end knows its peer too. */
	assert_ptr_equal(port_peer(m, nic, &source), feed_port(m, "leaf-r0-00", "Ethernet0"));
	assert_int_equal(source, PEER_LLDP);
	assert_int_equal(model_census(m).links_found, 1);
}

CASE_WITH(both_ends_agree, feed_setup, feed_teardown)
{
	struct model *m = *state;

	lldp(m, "leaf-r0-00", "Ethernet12", 0, "spine-000.dc1.example.net", "Ethernet1/1");
	lldp(m, "spine-000", "Ethernet1/1", 0, "leaf-r0-00", "Ethernet12");
	assert_int_equal(
		link_at(m, feed_port(m, "spine-000", "Ethernet1/1"))->state, LINK_AS_PLANNED);
	assert_int_equal(m->links.n, 4);
}

CASE_WITH(the_switch_may_name_netdev_mac_or_rdma_device, feed_setup, feed_teardown)
{
	static const char *const names[] = {"mlx5_1", "eth3", "aa:bb:cc:dd:ee:ff"};

	for (size_t i = 0; i < 3; i++) {
		struct model *m = feed_new();
		struct obs *o;

		/* The neighbour is told before the host says its names. */
		lldp(m, "leaf-r1-00", "Ethernet0", 0, "host-7", names[i]);
		o = feed_batch_of("node000", "slow");
		obs_word(o, OBS_NO_PORT, ATTR_HOSTNAME, 0, "host-7");
		obs_word(o, obs_port(o, "mlx5_1"), ATTR_NETDEV, 0, "eth3");
		obs_word(o, obs_port(o, "mlx5_1"), ATTR_MAC, 0, "aa:bb:cc:dd:ee:ff");
		feed(m, o, 1);
		assert_int_equal(
			link_at(m, feed_port(m, "node000", "mlx5_1"))->state, LINK_AS_PLANNED);
		model_free(m);
	}
}

CASE_WITH(swapped_cables_are_two_wrong_links, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct port *a = feed_port(m, "node000", "mlx5_0"), *b = feed_port(m, "node000", "mlx5_1");

	kept_census_is_right(m);
	lldp(m, "leaf-r0-00", "Ethernet0", 0, "node000", "mlx5_1");
	lldp(m, "leaf-r1-00", "Ethernet0", 0, "node000", "mlx5_0");
	assert_int_equal(link_at(m, a)->state, LINK_MISWIRED);
	kept_census_is_right(m);
	assert_int_equal(link_at(m, a)->b, feed_port(m, "leaf-r1-00", "Ethernet0")->id);
	assert_int_equal(link_at(m, b)->state, LINK_MISWIRED);
	assert_int_equal(link_at(m, b)->b, feed_port(m, "leaf-r0-00", "Ethernet0")->id);
	assert_int_equal(m->links.n, 4);
	assert_int_equal(model_census(m).links_found, 0);
}

CASE_WITH(a_stranger_on_a_planned_port_is_wrong, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct port *p = feed_port(m, "leaf-r0-00", "Ethernet12");

	lldp(m, "leaf-r0-00", "Ethernet12", 0, "printer", "1");
	assert_int_equal(link_at(m, p)->state, LINK_MISWIRED);
	assert_int_equal(p->lldp_peer, PORT_NONE);
	assert_string_equal(p->lldp_device, "printer");
}

CASE_WITH(an_unknown_port_name_proves_nothing, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct port *leaf = feed_port(m, "leaf-r0-00", "Ethernet0");
	struct port *nic = feed_port(m, "node000", "mlx5_0");

	/* The planned device, by a port name of its own: health and links must say the same. */
	lldp(m, "leaf-r0-00", "Ethernet0", 0, "NODE000.example.net", "enp1s0f0np0");
	assert_int_equal(leaf->lldp_peer, PORT_NONE);
	assert_int_equal(link_at(m, leaf)->state, LINK_PLANNED);
	assert_false(port_miswired(m, leaf));
	assert_string_equal(port_health(m, leaf, feed_time(0)).why, "");
	/* The other end's word settles it. */
	lldp(m, "node000", "mlx5_0", 1, "leaf-r0-00", "Ethernet0");
	assert_int_equal(link_at(m, leaf)->state, LINK_AS_PLANNED);
	lldp(m, "node000", "mlx5_0", 2, "leaf-r1-00", "Ethernet0");
	assert_int_equal(link_at(m, nic)->state, LINK_MISWIRED);
	assert_true(port_miswired(m, nic));
	/* A known port of the same device is another matter, and so is a name without a device. */
	lldp(m, "leaf-r0-00", "Ethernet0", 3, "node000", "mlx5_1");
	assert_true(port_miswired(m, leaf));
	lldp(m, "leaf-r0-00", "Ethernet0", 4, ".example.net", "1");
	assert_true(port_miswired(m, leaf));
	leaf->plan_peer = PORT_NONE;
	assert_false(port_miswired(m, leaf));
}

CASE_WITH(links_without_a_plan_are_found, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = feed_batch_of("spine-001", "lldp");

	obs_lldp(o, obs_port(o, "swp1"), "leaf-r0-00", "Ethernet60");
	feed(m, o, 0);
	o = feed_batch();
	obs_lldp(o, obs_port(o, "Ethernet60"), "spine-001", "swp1");
	feed(m, o, 0);
	assert_int_equal(link_at(m, feed_port(m, "spine-001", "swp1"))->state, LINK_FOUND);
	assert_int_equal(m->links.n, 5);
}

CASE_WITH(a_neighbour_that_goes_or_changes, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct port *p = feed_port(m, "leaf-r0-00", "Ethernet0");
	uint64_t generation;

	lldp(m, "leaf-r0-00", "Ethernet0", 0, "node000", "mlx5_0");
	model_links(m);
	generation = m->generation;
	lldp(m, "leaf-r0-00", "Ethernet0", 30, "node000", "mlx5_0");
	model_links(m);
	assert_int_equal(m->generation, generation);
	assert_int_equal(p->lldp_us, feed_time(30));
	assert_int_equal(feed_events(m, EV_NEIGHBOUR), 0);
	lldp(m, "leaf-r0-00", "Ethernet0", 60, "node000", "mlx5_1");
	assert_int_equal(feed_events(m, EV_NEIGHBOUR), 1);
	assert_string_equal(
		feed_event(m, EV_NEIGHBOUR)->text, "node000:mlx5_1, was node000:mlx5_0");
	lldp(m, "leaf-r0-00", "Ethernet0", 90, "", "");
	assert_int_equal(p->lldp_peer, PORT_NONE);
	/* the last time there was one, however often nobody is reported */
	lldp(m, "leaf-r0-00", "Ethernet0", 120, "", "");
	assert_int_equal(p->lldp_us, feed_time(60));
	assert_int_equal(link_at(m, p)->state, LINK_PLANNED);
	assert_int_equal(feed_events(m, EV_NEIGHBOUR), 1);
}

CASE_WITH(two_neighbours_do_not_take_turns, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (unsigned i = 0; i < 6; i++) {
		struct obs *o = feed_batch_of("leaf-r0-00", "lldp");
		uint32_t p = obs_port(o, "Ethernet0");

		obs_lldp(o, p, i % 2 ? "node000" : "other", i % 2 ? "mlx5_0" : "x");
		obs_lldp(o, p, i % 2 ? "other" : "node000", i % 2 ? "x" : "mlx5_0");
		feed(m, o, i * 30);
	}
	assert_int_equal(feed_events(m, EV_NEIGHBOUR), 0);
}

/* As NX-OS is asked: first all ports, then the ports that have a neighbour. */
CASE_WITH(somebody_wins_over_nobody, feed_setup, feed_teardown)
{
	static const char *const peers[] = {"node000", "node000", "spine-000", ""};
	struct port *p = feed_port(*state, "leaf-r0-00", "Ethernet0");

	for (int i = 0; i < 4; i++) {
		struct obs *o = feed_batch_of("leaf-r0-00", "lldp");
		uint32_t at = obs_port(o, "Ethernet0");

		obs_lldp(o, at, "", "");
		if (*peers[i])
			obs_lldp(o, at, peers[i], "x");
		feed(*state, o, i);
		assert_string_equal(p->lldp_device, peers[i]);
		assert_true(p->lldp_us == feed_time(i < 3 ? i : 2));
	}
	assert_int_equal(feed_events(*state, EV_NEIGHBOUR), 1);
}

/* The switch hears the host by the planned name, and the host's own answer has another. */
CASE_WITH(a_port_that_is_another_keeps_its_neighbour, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct port *leaf = feed_port(m, "leaf-r0-00", "Ethernet0");
	struct obs *o = feed_batch_of("node000", "fast");

	lldp(m, "leaf-r0-00", "Ethernet0", 1, "node000", "mlx5_0");
	assert_int_equal(leaf->lldp_peer, feed_port(m, "node000", "mlx5_0")->id);
	obs_word(o, obs_port(o, "rocep1"), ATTR_ALIAS, 0, "mlx5_0");
	feed(m, o, 2);
	assert_int_equal(leaf->lldp_peer, feed_port(m, "node000", "rocep1")->id);
	assert_int_equal(leaf->plan_peer, leaf->lldp_peer);
	assert_int_equal(feed_port(m, "node000", "rocep1")->lldp_peer, leaf->id);
	assert_int_equal(link_at(m, leaf)->state, LINK_AS_PLANNED);
}

CASES_MAIN(NULL, NULL)
