/* SPDX-License-Identifier: Apache-2.0 */
/* Units of hosts below the same leaves, and ranks of jobs against them. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "fabric/placement/placement.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"
#include "tests/support/rail_fabric.h"

static const char *first_host(const struct model *m, const struct unit *unit)
{
	return m->devices.at[unit->hosts.at[0]]->name;
}

CASE(hosts_below_the_same_leaves_are_a_unit)
{
	struct model *m =
		rail_fabric((struct rail_shape){.hosts = 10, .each = 4, .sets_in_pod = 8});
	struct units u;

	units_find(m, &u);
	assert_int_equal(u.at.n, 3);
	assert_int_equal(u.pods.n, 1);
	assert_int_equal(u.islands.n, 1);
	assert_int_equal(u.unplaced.n, 0);
	assert_string_equal(u.at.at[0].name, "su-leaf0-0");
	assert_string_equal(first_host(m, &u.at.at[0]), "node0-0");
	assert_string_equal(first_host(m, &u.at.at[2]), "node0-8");
	assert_int_equal(u.at.at[2].hosts.n, 2);
	assert_int_equal(u.at.at[0].leaves.n, RAIL_FABRIC_RAILS);
	assert_int_equal(u.at.at[0].by_plan, 4 * RAIL_FABRIC_RAILS);
	assert_int_equal(u.at.at[0].by_lldp, 0);
	assert_string_equal(u.pods.at[0].name, "spine0-0");
	assert_int_equal(units_of(&u, model_device(m, "node0-5")->id), 1);
	assert_int_equal(units_of(&u, model_device(m, "spine0-0")->id), UNIT_NONE);
	assert_int_equal(units_of(&u, 1000), UNIT_NONE);
	units_free(&u);
	model_free(m);
}

CASE(pods_share_spines_and_islands_no_more)
{
	struct model *m = rail_fabric((struct rail_shape){16, 4, 2, true});
	struct units u;

	units_find(m, &u);
	assert_int_equal(u.at.n, 4);
	assert_int_equal(u.pods.n, 2);
	assert_int_equal(u.pods.at[1].hosts, 8);
	assert_int_equal(u.islands.n, 1);
	assert_string_equal(u.islands.at[0].name, "top0-0");
	units_free(&u);
	model_free(m);
	/* Nothing joins the two pods: no path is known between them. */
	m = rail_fabric((struct rail_shape){16, 4, 2, false});
	units_find(m, &u);
	assert_int_equal(u.islands.n, 2);
	units_free(&u);
	model_free(m);
}

/* Moves a cable: LLDP of the leaf shows this host instead. */
static void move(
	struct model *m, const char *leaf, const char *port, const char *host, const char *nic)
{
	struct obs *o = obs_new(leaf, "lldp");

	obs_lldp(o, obs_port(o, port), host, nic);
	model_apply(m, o, RAIL_FABRIC_NOW);
	obs_free(o);
	model_links(m);
}

CASE(one_wrong_cable_does_not_join_two_units)
{
	struct model *m = rail_fabric((struct rail_shape){.hosts = 8, .each = 4, .sets_in_pod = 2});
	const struct port *p = model_port(m, model_device(m, "node0-0"), "mlx5_0");
	char other[NAME_MAX_LEN];
	struct units u;

	assert_non_null(p);
	/* NIC 0 of the first host is at the other unit's leaf. */
	(void)str_copy(other, sizeof(other), "leaf0-1");
	move(m, other, m->ports.at[model_device(m, other)->ports.at[0]]->name, "node0-0", "mlx5_0");
	units_find(m, &u);
	assert_int_equal(u.at.n, 2);
	assert_int_equal(units_of(&u, model_device(m, "node0-0")->id), 0);
	assert_int_equal(u.at.at[0].strays + u.at.at[1].strays, 2); /* and the one that lost it */
	assert_int_equal(u.at.at[0].by_lldp, 1);
	units_free(&u);
	model_free(m);
}

CASE(a_host_without_a_leaf_is_left_out)
{
	struct model *m = rail_fabric((struct rail_shape){.hosts = 4, .each = 4});
	struct obs *o = obs_new("stranger", "fast");
	struct units u;

	model_apply(m, o, RAIL_FABRIC_NOW);
	obs_free(o);
	model_device(m, "stranger")->tier = TIER_HOST;
	units_find(m, &u);
	assert_int_equal(u.at.n, 1);
	assert_int_equal(u.unplaced.n, 1);
	assert_string_equal(m->devices.at[u.unplaced.at[0]]->name, "stranger");
	units_free(&u);
	/* Storage servers are no hosts of jobs. */
	model_device(m, "stranger")->net = NET_STORAGE;
	units_find(m, &u);
	assert_int_equal(u.unplaced.n, 0);
	units_free(&u);
	model_free(m);
}

CASE(no_device_at_all)
{
	struct plan plan;
	struct model *m;
	struct units u;

	plan_init(&plan);
	m = model_new(&plan);
	plan_free(&plan);
	units_find(m, &u);
	assert_int_equal(u.at.n, 0);
	units_free(&u);
	model_free(m);
}

/* ---- jobs ---- */

static unsigned in_order(unsigned i)
{
	return i;
}

/* 0 4 1 5 2 6 3 7: each neighbour is in the other unit. */
static unsigned alternating(unsigned i)
{
	return i / 2 + i % 2 * 4;
}

static unsigned ends_of_pods(unsigned i)
{
	return i * 8;
}

CASE(an_order_that_alternates_crosses_at_each_step)
{
	struct model *m = rail_fabric((struct rail_shape){.hosts = 8, .each = 4, .sets_in_pod = 2});
	device_ids order = {0};
	struct placement p;
	struct units u;

	rail_fabric_job(m, 16, 2, alternating);
	units_find(m, &u);
	assert_true(placement_find(m, &u, 0, &p));
	assert_true(p.ordered);
	assert_int_equal(p.hosts.n, 8);
	assert_int_equal(p.runs, 8);
	assert_int_equal(p.units, 2);
	assert_int_equal(p.crossings, 8);
	assert_int_equal(p.crossings_least, 2);
	assert_int_equal(p.pod_crossings, 0);
	assert_true(placement_improves(&p));
	assert_int_equal(p.rail_pairs, 16);
	assert_int_equal(p.off_rail, 0);
	placement_better(&u, &p, &order);
	for (size_t i = 0; i < 8; i++) {
		char name[NAME_MAX_LEN];

		(void)str_printf(name, sizeof(name), "node0-%zu", i);
		assert_string_equal(m->devices.at[order.at[i]]->name, name);
	}
	placement_free(&p);
	vec_free(&order);
	units_free(&u);
	model_free(m);
}

CASE(an_order_by_units_is_as_good_as_it_gets)
{
	struct model *m = rail_fabric((struct rail_shape){.hosts = 8, .each = 4, .sets_in_pod = 2});
	struct placement p;
	struct units u;

	rail_fabric_job(m, 16, 2, in_order);
	units_find(m, &u);
	assert_true(placement_find(m, &u, 0, &p));
	assert_int_equal(p.crossings, 2);
	assert_int_equal(p.crossings_least, 2);
	assert_false(placement_improves(&p));
	placement_free(&p);
	assert_false(placement_find(m, &u, 7, &p));
	units_free(&u);
	model_free(m);
}

CASE(a_job_over_more_pods_than_hold_it)
{
	struct model *m = rail_fabric((struct rail_shape){16, 4, 2, true});
	struct placement p;
	struct units u;

	rail_fabric_job(m, 4, 2, ends_of_pods);
	units_find(m, &u);
	assert_true(placement_find(m, &u, 0, &p));
	assert_int_equal(p.hosts.n, 2);
	assert_int_equal(p.pods, 2);
	assert_int_equal(p.pods_least, 1);
	assert_int_equal(p.crossings, 2);
	assert_false(placement_improves(&p)); /* no order of these two helps */
	placement_free(&p);
	units_free(&u);
	model_free(m);
}

CASE(a_gpu_with_the_nic_of_another_rail)
{
	struct model *m = rail_fabric((struct rail_shape){.hosts = 4, .each = 4});
	struct obs *o = obs_new("node0-1", "nccl-log");
	struct obs_nccl *r;
	struct placement p;
	struct units u;

	rail_fabric_job(m, 8, 2, in_order);
	r = obs_nccl(o, NCCL_RANK, SOURCE_NCCL_LOG);
	r->comm = obs_string(o, RAIL_FABRIC_COMM);
	r->rank = 3;
	r->nic = obs_string(o, "mlx5_3");
	model_apply(m, o, RAIL_FABRIC_NOW);
	obs_free(o);
	units_find(m, &u);
	assert_true(placement_find(m, &u, 0, &p));
	assert_int_equal(p.rail_pairs, 8);
	assert_int_equal(p.off_rail, 2); /* to it and from it */
	assert_int_equal(p.off_from, 1);
	assert_int_equal(p.off_to, 3);
	placement_free(&p);
	units_free(&u);
	model_free(m);
}

CASE(an_unknown_host_leaves_the_order_unknown)
{
	struct model *m = rail_fabric((struct rail_shape){.hosts = 8, .each = 4, .sets_in_pod = 2});
	struct obs *o = obs_new("node0-0", "nccl-ras");
	struct obs_nccl *r;
	struct placement p;
	struct units u;

	rail_fabric_job(m, 16, 2, alternating);
	r = obs_nccl(o, NCCL_RANK, SOURCE_RAS);
	r->comm = obs_string(o, RAIL_FABRIC_COMM);
	r->rank = 16;
	r->nranks = 17;
	r->host = obs_string(o, "10.9.9.9");
	model_apply(m, o, RAIL_FABRIC_NOW);
	obs_free(o);
	units_find(m, &u);
	assert_true(placement_find(m, &u, 0, &p));
	assert_int_equal(p.lost_ranks, 1);
	assert_false(p.ordered);
	assert_false(placement_improves(&p));
	placement_free(&p);
	units_free(&u);
	model_free(m);
}

CASES_MAIN(NULL, NULL)
