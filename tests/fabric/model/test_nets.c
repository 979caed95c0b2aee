/* SPDX-License-Identifier: Apache-2.0 */
/* The network of a port, and numbers of each network. */
#include <string.h>

#include "base/str.h"
#include "fabric/model/nets.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

#define NOW (INT64_C(1700000000) * 1000000)

/*
 * node0 and node1: mlx5_0 on the backend leaf, mlx5_8 on the storage leaf, eth0 on nothing; stor0:
 * a storage server at the storage leaf.
 */
static struct model *make_site(const struct plan_net *nets, size_t n)
{
	struct plan plan;
	struct model *m;

	plan_init(&plan);
	plan.rails = 1;
	(void)plan_make_device(&plan, "node0", TIER_HOST, -1);
	(void)plan_make_device(&plan, "node1", TIER_HOST, -1);
	(void)plan_make_device(&plan, "leaf", TIER_LEAF, 0);
	plan_make_device(&plan, "stor-leaf", TIER_LEAF, -1)->net = NET_STORAGE;
	plan_make_device(&plan, "stor0", TIER_HOST, -1)->net = NET_STORAGE;
	plan_make_link(&plan, 0, "mlx5_0", 2, "e0", 0);
	plan_make_link(&plan, 1, "mlx5_0", 2, "e1", 0);
	plan_make_link(&plan, 0, "mlx5_8", 3, "e0", -1);
	plan_make_link(&plan, 1, "mlx5_8", 3, "e1", -1);
	plan_make_link(&plan, 4, "mlx5_0", 3, "e2", -1);
	for (size_t i = 0; i < n; i++)
		vec_push(&plan.nets, nets[i]);
	m = model_new(&plan);
	plan_free(&plan);
	return m;
}

/* node0 reports so of a port, beside its byte counters. */
static void tell(struct model *m, const char *port, enum obs_attr a, const char *text)
{
	struct obs *o = obs_new("node0", "slow");
	uint32_t i = obs_port(o, port);

	obs_word(o, i, ATTR_OPER, 0, "up");
	if (text)
		obs_word(o, i, a, 0, text);
	model_apply(m, o, NOW);
	obs_free(o);
}

static enum net_kind net_of(const struct model *m, const char *device, const char *port)
{
	const struct port *p = model_port(m, model_device(m, device), port);

	assert_non_null(p);
	return port_net(m, p);
}

CASE(a_port_is_of_the_network_of_its_switch)
{
	struct model *m = make_site(NULL, 0);

	assert_int_equal(net_of(m, "node0", "mlx5_0"), NET_BACKEND);
	assert_int_equal(net_of(m, "node0", "mlx5_8"), NET_STORAGE);
	assert_int_equal(net_of(m, "stor-leaf", "e0"), NET_STORAGE);
	assert_int_equal(net_of(m, "stor0", "mlx5_0"), NET_STORAGE);
	assert_int_equal(net_of(m, "leaf", "e0"), NET_BACKEND);
	/* Neither a cable nor a rail nor the inventory says it. */
	tell(m, "eth0", ATTR_OPER, NULL);
	assert_int_equal(net_of(m, "node0", "eth0"), NET_COUNT);
	assert_string_equal(net_kind_name(NET_COUNT), "unknown");
	model_free(m);
}

CASE(the_inventory_has_the_first_word)
{
	static const struct plan_net nets[] = {
		{0, 2, NET_FRONTEND, "eth*"},
		{0, 1, NET_OOB, "mlx5_8"},
		{0, 2, NET_STORAGE, "stor0"},
	};
	struct model *m = make_site(nets, sizeof(nets) / sizeof(nets[0]));

	tell(m, "eth0", ATTR_OPER, NULL);
	assert_int_equal(net_of(m, "node0", "eth0"), NET_FRONTEND);
	assert_int_equal(net_of(m, "node0", "mlx5_8"), NET_OOB);
	assert_int_equal(net_of(m, "node1", "mlx5_8"), NET_STORAGE); /* beyond the list */
	/* By the network device of an RDMA device. */
	tell(m, "mlx5_9", ATTR_NETDEV, "stor0");
	assert_int_equal(net_of(m, "node0", "mlx5_9"), NET_STORAGE);
	/* A star is no prefix of nothing, and a bracket no pattern. */
	tell(m, "xeth0", ATTR_OPER, NULL);
	assert_int_equal(net_of(m, "node0", "xeth0"), NET_COUNT);
	model_free(m);
}

CASE(a_bond_and_its_slaves_are_of_one_network)
{
	static const struct plan_net nets[] = {{0, 1, NET_STORAGE, "bond0"}};
	struct model *m = make_site(nets, 1);

	tell(m, "bond0", ATTR_BOND, "bond0");
	tell(m, "eth2", ATTR_BOND, "bond0");
	tell(m, "eth3", ATTR_BOND, "bond0");
	assert_int_equal(net_of(m, "node0", "eth2"), NET_STORAGE);
	assert_int_equal(net_of(m, "node0", "eth3"), NET_STORAGE);
	tell(m, "bond1", ATTR_BOND, "bond1");
	tell(m, "mlx5_8", ATTR_BOND, "bond1");
	assert_int_equal(net_of(m, "node0", "bond1"), NET_STORAGE); /* by its slave's switch */
	model_free(m);
}

CASE(each_network_is_counted_apart)
{
	static const struct plan_net nets[] = {{0, 2, NET_FRONTEND, "eth0"}};
	struct model *m = make_site(nets, 1);
	struct net_count c[NET_COUNT + 1];

	tell(m, "eth0", ATTR_OPER, NULL);
	tell(m, "usb0", ATTR_OPER, NULL);
	tell(m, "mlx5_0", ATTR_OPER, NULL);
	model_links(m);
	model_count_nets(m, c);
	assert_int_equal(c[NET_BACKEND].switches, 1);
	assert_int_equal(c[NET_BACKEND].switches_seen, 0);
	assert_int_equal(c[NET_BACKEND].hosts, 2);
	assert_int_equal(c[NET_BACKEND].hosts_seen, 1);
	assert_int_equal(c[NET_BACKEND].ports, 2);
	assert_int_equal(c[NET_BACKEND].up, 1);
	assert_int_equal(c[NET_BACKEND].links, 2);
	assert_int_equal(c[NET_STORAGE].hosts, 3);
	assert_int_equal(c[NET_STORAGE].ports, 3);
	assert_int_equal(c[NET_STORAGE].links, 3);
	assert_int_equal(c[NET_FRONTEND].ports, 1);
	assert_int_equal(c[NET_FRONTEND].switches, 0);
	assert_int_equal(c[NET_OOB].ports, 0);
	assert_int_equal(c[NET_COUNT].ports, 1); /* usb0 */
	model_free(m);
}

CASES_MAIN(NULL, NULL)
