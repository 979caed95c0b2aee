/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "fabric/state/state.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

/* Peers that only the MAC tells: two hosts and two leaves, no plan of links, no LLDP. */

#define NIC0 "b8:ce:f6:aa:00:01"
#define NIC1 "b8:ce:f6:aa:00:02"
#define NIC2 "b8:ce:f6:aa:00:03"

static int setup(void **state)
{
	struct plan plan;

	plan_init(&plan);
	(void)str_copy(plan.fabric, sizeof(plan.fabric), "unplanned");
	plan.rails = 2;
	plan.lossless.priorities = 1 << 3;
	(void)plan_make_device(&plan, "gpu-1", TIER_HOST, -1);
	(void)plan_make_device(&plan, "gpu-2", TIER_HOST, -1);
	(void)plan_make_device(&plan, "leaf-1", TIER_LEAF, -1);
	(void)plan_make_device(&plan, "leaf-2", TIER_LEAF, -1);
	*state = model_new(&plan);
	plan_free(&plan);
	return 0;
}

static void nic(struct model *m, const char *device, const char *port, const char *mac)
{
	struct obs *o = feed_batch_of(device, "slow");

	obs_word(o, obs_port(o, port), ATTR_MAC, 0, mac);
	feed(m, o, 0);
}

static void hears(struct model *m, const char *device, const char *port, double t, const char *macs)
{
	struct obs *o = feed_batch_of(device, "stations");

	obs_word(o, obs_port(o, port), ATTR_MACS, 0, macs);
	feed(m, o, t);
	model_links(m);
}

static void lldp(struct model *m, const char *device, const char *port, const char *peer,
	const char *peer_port)
{
	struct obs *o = feed_batch_of(device, "lldp");

	obs_lldp(o, obs_port(o, port), peer, peer_port);
	feed(m, o, 1);
	model_links(m);
}

static const char *peer_of(struct model *m, const char *device, const char *port)
{
	static char text[2][80];
	static unsigned at;
	enum peer_source source;
	const struct port *q = port_peer(m, feed_port(m, device, port), &source);
	char *dst = text[at++ % 2];

	(void)str_printf(dst, 80, "%s%s%s %s", q ? model_dev_of(m, q)->name : "-", q ? ":" : "",
		q ? q->name : "", peer_source_name(source));
	return dst;
}

CASE_WITH(a_nic_is_where_its_mac_is_heard, setup, feed_teardown)
{
	struct model *m = *state;

	hears(m, "leaf-1", "swp1", 0, NIC0);
	nic(m, "gpu-1", "mlx5_0", "B8-CE-F6-AA-00-01");
	nic(m, "gpu-1", "mlx5_1", NIC1);
	model_links(m);
	assert_string_equal(peer_of(m, "leaf-1", "swp1"), "gpu-1:mlx5_0 mac");
	assert_string_equal(peer_of(m, "gpu-1", "mlx5_0"), "leaf-1:swp1 mac");
	assert_string_equal(peer_of(m, "gpu-1", "mlx5_1"), "- ");
	assert_int_equal(m->links.n, 1);
	assert_int_equal(m->links.at[0].state, LINK_FOUND);
	assert_int_equal(m->links.at[0].a, feed_port(m, "gpu-1", "mlx5_0")->id);
	assert_true(port_mac_heard_us(m, feed_port(m, "gpu-1", "mlx5_0")) == feed_time(0));
	assert_true(port_mac_heard_us(m, feed_port(m, "gpu-1", "mlx5_1")) == 0);
	/* Beside it a station that no host has, such as a virtual function. */
	hears(m, "leaf-1", "swp1", 1, "0a:00:00:00:00:07 " NIC0);
	assert_string_equal(peer_of(m, "gpu-1", "mlx5_0"), "leaf-1:swp1 mac");
	assert_false(port_miswired(m, feed_port(m, "leaf-1", "swp1")));
}

CASE_WITH(what_is_not_unique_is_nobody, setup, feed_teardown)
{
	struct model *m = *state;

	nic(m, "gpu-1", "mlx5_0", NIC0);
	nic(m, "gpu-1", "mlx5_1", NIC1);
	nic(m, "gpu-2", "mlx5_0", NIC2);
	/* At two ports. */
	hears(m, "leaf-1", "swp1", 0, NIC0);
	hears(m, "leaf-2", "swp1", 0, NIC0);
	assert_string_equal(peer_of(m, "gpu-1", "mlx5_0"), "- ");
	/* One of the two no longer hears it: it was moved. */
	hears(m, "leaf-1", "swp1", 1, "");
	assert_string_equal(peer_of(m, "gpu-1", "mlx5_0"), "leaf-2:swp1 mac");
	assert_string_equal(peer_of(m, "leaf-1", "swp1"), "- ");
	/* Two NICs at one port: an uplink. */
	hears(m, "leaf-2", "swp1", 2, NIC0 " " NIC2);
	assert_string_equal(peer_of(m, "leaf-2", "swp1"), "- ");
	assert_string_equal(peer_of(m, "gpu-2", "mlx5_0"), "- ");
	hears(m, "leaf-2", "swp1", 3, MACS_MANY);
	assert_string_equal(peer_of(m, "leaf-2", "swp1"), "- ");
	/* A clone of a virtual machine. */
	hears(m, "leaf-2", "swp2", 4, NIC2);
	assert_string_equal(peer_of(m, "leaf-2", "swp2"), "gpu-2:mlx5_0 mac");
	nic(m, "gpu-1", "mlx5_1", NIC2);
	model_links(m);
	assert_string_equal(peer_of(m, "leaf-2", "swp2"), "- ");
}

CASE_WITH(a_slave_has_the_mac_of_its_bond, setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = feed_batch_of("gpu-1", "slow");

	obs_word(o, obs_port(o, "bond0"), ATTR_BOND, 0, "bond0");
	obs_word(o, obs_port(o, "bond0"), ATTR_MAC, 0, NIC0);
	obs_word(o, obs_port(o, "mlx5_0"), ATTR_BOND, 0, "bond0");
	obs_word(o, obs_port(o, "mlx5_0"), ATTR_MAC, 0, NIC0);
	/* As an active-backup bond: the other slave is active, under the first one's address. */
	obs_word(o, obs_port(o, "mlx5_1"), ATTR_BOND, 0, "bond0");
	obs_word(o, obs_port(o, "mlx5_1"), ATTR_MAC, 0, NIC1);
	feed(m, o, 0);
	hears(m, "leaf-2", "swp1", 0, NIC0);
	assert_string_equal(peer_of(m, "leaf-2", "swp1"), "- ");
	assert_string_equal(peer_of(m, "gpu-1", "mlx5_0"), "- ");
}

CASE_WITH(lldp_and_the_plan_come_first, setup, feed_teardown)
{
	struct model *m = *state;
	struct model *planned = feed_new();

	nic(m, "gpu-1", "mlx5_0", NIC0);
	nic(m, "gpu-2", "mlx5_0", NIC2);
	hears(m, "leaf-1", "swp1", 0, NIC0);
	assert_string_equal(peer_of(m, "leaf-1", "swp1"), "gpu-1:mlx5_0 mac");
	lldp(m, "leaf-1", "swp1", "gpu-2", "mlx5_0");
	assert_string_equal(peer_of(m, "leaf-1", "swp1"), "gpu-2:mlx5_0 lldp");
	assert_string_equal(peer_of(m, "gpu-1", "mlx5_0"), "- ");
	assert_int_equal(m->links.n, 1);
	/* A named stranger is a switch that the inventory lacks: it forwards the frames of others.
	 */
	lldp(m, "leaf-1", "swp1", "tor-x", "Ethernet1");
	assert_string_equal(peer_of(m, "leaf-1", "swp1"), "- ");
	/* Firmware of a NIC that names nothing known. */
	lldp(m, "leaf-1", "swp1", "0c:42:a1:00:00:09", "0c:42:a1:00:00:09");
	assert_string_equal(peer_of(m, "leaf-1", "swp1"), "gpu-1:mlx5_0 mac");
	/* A planned port keeps its plan, whoever is heard there, and accuses nobody. */
	nic(planned, "node000", "mlx5_1", NIC1);
	hears(planned, "leaf-r0-00", "Ethernet0", 0, NIC1);
	assert_string_equal(peer_of(planned, "leaf-r0-00", "Ethernet0"), "node000:mlx5_0 plan");
	assert_false(port_miswired(planned, feed_port(planned, "leaf-r0-00", "Ethernet0")));
	assert_int_equal(planned->links.n, 4);
	model_free(planned);
}

CASE_WITH(a_link_that_goes_down_keeps_its_peer, setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o;

	nic(m, "gpu-1", "mlx5_0", NIC0);
	nic(m, "gpu-2", "mlx5_0", NIC2);
	hears(m, "leaf-1", "swp1", 0, NIC0);
	/* A complete list without the port: its link is down, and its table was flushed. */
	o = feed_batch_of("leaf-1", "stations");
	obs_word(o, obs_port(o, "swp2"), ATTR_MACS, 0, NIC2);
	obs_number(o, OBS_NO_PORT, ATTR_MACS, 0, 1);
	feed(m, o, 300);
	model_links(m);
	assert_string_equal(peer_of(m, "leaf-1", "swp1"), "gpu-1:mlx5_0 mac");
	assert_true(port_mac_heard_us(m, feed_port(m, "leaf-1", "swp1")) == feed_time(0));
	/* The NIC shows up elsewhere. */
	hears(m, "leaf-2", "swp9", 400, NIC0);
	assert_string_equal(peer_of(m, "leaf-1", "swp1"), "- ");
	assert_string_equal(peer_of(m, "gpu-1", "mlx5_0"), "leaf-2:swp9 mac");
	assert_int_equal(m->links.n, 2);
}

CASE_WITH(a_shared_bmc_gives_way_to_its_nic, setup, feed_teardown)
{
	struct model *m = *state;

	nic(m, "gpu-1", "bmc", NIC1);
	nic(m, "gpu-1", "mlx5_0", NIC0);
	hears(m, "leaf-1", "swp1", 0, NIC0 " " NIC1);
	assert_string_equal(peer_of(m, "leaf-1", "swp1"), "gpu-1:mlx5_0 mac");
	hears(m, "leaf-1", "swp1", 1, NIC1);
	assert_string_equal(peer_of(m, "leaf-1", "swp1"), "gpu-1:bmc mac");
}

CASE_WITH(a_loaded_model_has_the_same_peers, setup, feed_teardown)
{
	struct model *m = *state, *loaded;
	void *other;
	struct state s;
	struct buf b;

	nic(m, "gpu-1", "mlx5_0", NIC0);
	hears(m, "leaf-1", "swp1", 5, NIC0);
	hears(m, "leaf-1", "swp2", 5, NIC1);
	hears(m, "leaf-1", "swp1", 9, "");
	buf_init(&b, (size_t)1 << 20);
	state_saves(&s, &b);
	for (size_t i = 0; i < model_state_steps(m); i++)
		assert_true(model_state_step(&s, m, i));
	(void)setup(&other);
	loaded = other;
	state_loads(&s, b.data, b.len);
	for (size_t i = 0; i < model_state_steps(loaded); i++)
		assert_true(model_state_step(&s, loaded, i));
	assert_true(state_ended(&s) && model_state_loaded(loaded));
	assert_string_equal(peer_of(loaded, "gpu-1", "mlx5_0"), "leaf-1:swp1 mac");
	assert_true(feed_port(loaded, "leaf-1", "swp1")->more->macs_old);
	assert_true(
		port_mac_heard_us(loaded, feed_port(loaded, "gpu-1", "mlx5_0")) == feed_time(5));
	assert_int_equal(loaded->links.n, 1);
	assert_int_equal(loaded->wiring_generation, m->wiring_generation);
	/* It goes on from there. */
	nic(loaded, "gpu-1", "mlx5_1", NIC1);
	model_links(loaded);
	assert_string_equal(peer_of(loaded, "gpu-1", "mlx5_1"), "leaf-1:swp2 mac");
	assert_int_equal(loaded->links.n, 2);
	buf_free(&b);
	model_free(loaded);
}

CASES_MAIN(NULL, NULL)
