/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

/* Four uplinks of a leaf: how they share its load. */

static const char *const uplink[4][4] = {
	{"leaf-r0-00:Ethernet16", "leaf-r0-00:Ethernet20", "leaf-r0-00:Ethernet24",
		"leaf-r0-00:Ethernet28"},
	{"leaf-r0-01:Ethernet16", "leaf-r0-01:Ethernet20", "leaf-r0-01:Ethernet24",
		"leaf-r0-01:Ethernet28"},
	{"leaf-r1-00:Ethernet16", "leaf-r1-00:Ethernet20", "leaf-r1-00:Ethernet24",
		"leaf-r1-00:Ethernet28"},
	{"leaf-r1-01:Ethernet16", "leaf-r1-01:Ethernet20", "leaf-r1-01:Ethernet24",
		"leaf-r1-01:Ethernet28"},
};

#define FIVE_MINUTES 62 /* polls */

CASE_WITH(test_capacity, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	stand_link(s, uplink[0][0], false);
	stand_poll(s, 2);
	assert_null(stand_found(s, "ecmp.capacity", "leaf-r0-00"));
	stand_link(s, uplink[0][1], false);
	stand_poll(s, 2);
	f = stand_found(s, "ecmp.capacity", "leaf-r0-00");
	assert_non_null(f);
	assert_int_equal(f->members.n, 2);
}

CASE_WITH(test_uneven_for_seconds_is_nothing, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_load(s, uplink[0][0], 60);
	stand_poll(s, 20);
	assert_int_equal(stand_count(s, "ecmp.imbalance"), 0);
}

CASE_WITH(test_uneven_for_minutes, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	stand_load(s, uplink[0][0], 60);
	stand_poll(s, 2 * FIVE_MINUTES);
	f = stand_found(s, "ecmp.imbalance", "leaf-r0-00");
	assert_non_null(f);
	assert_true(f->members.n == 1 && f->members.at[0].port == stand_port(s, uplink[0][0]));
	assert_int_equal(stand_count(s, "ecmp.imbalance"), 1);
}

CASE_WITH(test_one_way, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_load(s, uplink[0][2], 0);
	stand_poll(s, 6);
	assert_int_equal(stand_count(s, "route.one_way"), 0);
	/* Four uplinks are few: it is told after minutes, and as a risk. */
	stand_poll(s, 4 * FIVE_MINUTES);
	assert_non_null(stand_found(s, "route.one_way", uplink[0][2]));
	assert_int_equal(stand_found(s, "route.one_way", uplink[0][2])->role, ROLE_RISK);
}

/* Few flows leave a member without any, and the others may be equally loaded for some seconds. */
CASE_WITH(test_equal_for_seconds_is_no_even_spread, stand_setup, stand_teardown)
{
	static const double uneven[] = {10, 30, 0, 50};
	struct stand *s = *state;

	for (int i = 0; i < 4; i++)
		stand_load(s, uplink[0][i], uneven[i]);
	stand_poll(s, 2 * FIVE_MINUTES);
	for (int i = 0; i < 4; i++)
		stand_load(s, uplink[0][i], uneven[i] > 0 ? 30 : 0);
	stand_poll(s, 8);
	assert_int_equal(stand_count(s, "route.one_way"), 0);
	stand_poll(s, 4 * FIVE_MINUTES);
	assert_non_null(stand_found(s, "route.one_way", uplink[0][2]));
}

/* The hash of a bundle leaves one of its links idle: ECMP's member is the bundle. */
CASE_WITH(test_links_of_a_bundle_are_one_member, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	struct obs *o = stand_batch(s, "leaf-r0-00");
	uint32_t bundle = obs_port(o, "PortChannel1");

	obs_word(o, bundle, ATTR_BOND, 0, "PortChannel1");
	obs_word(o, bundle, ATTR_OPER, 0, "up");
	for (int i = 2; i < 4; i++)
		stand_word(s, uplink[0][i], ATTR_BOND, 0, "PortChannel1");
	stand_load(s, uplink[0][2], 0);
	stand_load(s, uplink[0][3], 10);
	stand_poll(s, 6 + 4 * FIVE_MINUTES);
	assert_int_equal(stand_count(s, "route.one_way"), 0);
	/* Without the bundle the same load is a finding: test_one_way. */
	for (int i = 2; i < 4; i++)
		stand_word(s, uplink[0][i], ATTR_BOND, 0, "");
	stand_poll(s, 4 * FIVE_MINUTES);
	assert_non_null(stand_found(s, "route.one_way", uplink[0][2]));
}

CASE_WITH(test_a_storm_stops_flows_and_no_route, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_hold(s, "leaf-r0-00:Ethernet0", 100);
	stand_load(s, "leaf-r0-00:Ethernet0", 0);
	stand_load(s, uplink[0][2], 0);
	stand_poll(s, 8);
	assert_int_equal(stand_count(s, "pfc.storm"), 1);
	assert_int_equal(stand_count(s, "route.one_way"), 0);
	/* Nobody holds it any more and it is still so. */
	stand_hold(s, "leaf-r0-00:Ethernet0", 0);
	stand_load(s, "leaf-r0-00:Ethernet0", 10);
	stand_poll(s, 4 * FIVE_MINUTES);
	assert_non_null(stand_found(s, "route.one_way", uplink[0][2]));
}

CASE_WITH(test_idle_both_ways_is_not_one_way, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_load(s, uplink[0][2], 0);
	stand_load(s, "spine-002:Ethernet1/1", 0);
	stand_poll(s, FIVE_MINUTES);
	assert_int_equal(stand_count(s, "route.one_way"), 0);
}

CASE_WITH(test_polarised, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	for (int leaf = 0; leaf < 4; leaf++) {
		stand_load(s, uplink[leaf][0], 0);
		stand_load(s, uplink[leaf][1], 0);
	}
	stand_poll(s, 6);
	assert_int_equal(stand_count(s, "ecmp.polarisation"), 1);
	/* A pattern common to all is one finding. */
	assert_int_equal(stand_count(s, "route.one_way"), 0);
}

/* With adaptive routing the hash alone does not choose the members: no fault, and the reason. */
CASE_WITH(test_idle_members_beside_adaptive_routing, stand_setup, stand_teardown)
{
	static const char *const leaf[] = {"leaf-r0-00", "leaf-r0-01", "leaf-r1-00", "leaf-r1-01"};
	struct stand *s = *state;
	const struct finding *f;
	size_t n;

	for (int i = 0; i < 4; i++) {
		struct device *d = model_device(s->m, leaf[i]);

		(void)str_copy(d->balancing, sizeof(d->balancing), "adaptive");
		stand_load(s, uplink[i][0], 0);
		stand_load(s, uplink[i][1], 0);
	}
	stand_poll(s, 6);
	assert_int_equal(stand_count(s, "ecmp.polarisation"), 1);
	for (size_t i = 0; i < (diag_findings(s->d, &n), n); i++) {
		f = diag_findings(s->d, &n)[i];
		if (f->id != FIND_ECMP_POLARISATION)
			continue;
		assert_int_equal(f->severity, SEV_OK);
		assert_int_equal(f->role, ROLE_RISK);
		assert_non_null(strstr(f->title, "not the hash"));
	}
}

CASE_WITH(test_each_leaf_leaves_others_idle, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	for (int leaf = 0; leaf < 4; leaf++) {
		stand_load(s, uplink[leaf][leaf], 0);
		stand_load(s, uplink[leaf][(leaf + 1) % 4], 0);
	}
	stand_poll(s, 6);
	assert_int_equal(stand_count(s, "ecmp.polarisation"), 0);
}

/*
 * A ring crosses each leaf once, and chance may choose the same member at several: no more passes
 * there than one link below brings. Where more passes, all flows took one member.
 */
CASE_WITH(test_one_flow_each_is_no_polarisation, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	char nic[32];

	for (int leaf = 0; leaf < 4; leaf++)
		for (int i = 0; i < 4; i++)
			stand_load(s, uplink[leaf][i], i ? 0 : 30);
	for (int i = 0; i < 16; i++) {
		(void)str_printf(nic, sizeof(nic), "node%03d:mlx5_%d", i / 2, i % 2);
		stand_load(s, nic, 40);
	}
	stand_poll(s, 6);
	assert_int_equal(stand_count(s, "ecmp.polarisation"), 0);
	for (int leaf = 0; leaf < 4; leaf++)
		stand_load(s, uplink[leaf][0], 90);
	stand_poll(s, 6);
	assert_int_equal(stand_count(s, "ecmp.polarisation"), 1);
}

static void leave_below_idle(struct stand *s, int spine, int leaf, int link)
{
	char port[64];

	(void)str_printf(port, sizeof(port), "spine-%03d:Ethernet%d/%d", spine, leaf + 1, link + 1);
	stand_load(s, port, 0);
}

/* The spines hash as the leaves do: what came to one by the hash has one link left. */
CASE_WITH(test_parallel_links_below_are_polarised, stand_setup_parallel, stand_teardown)
{
	struct stand *s = *state;

	for (int leaf = 0; leaf < 4; leaf++) {
		leave_below_idle(s, 0, leaf, 1);
		leave_below_idle(s, 1, leaf, 0);
	}
	stand_poll(s, 6);
	assert_int_equal(stand_count(s, "ecmp.polarisation"), 1);
}

/* Chance leaves any of them idle. */
CASE_WITH(test_parallel_links_idle_by_chance, stand_setup_parallel, stand_teardown)
{
	struct stand *s = *state;

	for (int leaf = 0; leaf < 4; leaf++) {
		leave_below_idle(s, 0, leaf, leaf % 2);
		leave_below_idle(s, 1, leaf, leaf / 2);
	}
	stand_poll(s, 6);
	assert_int_equal(stand_count(s, "ecmp.polarisation"), 0);
}

/* As many links bring load as groups have some: one flow each needs one link. */
CASE_WITH(test_parallel_links_with_one_flow_each, stand_setup_parallel, stand_teardown)
{
	struct stand *s = *state;

	for (int leaf = 0; leaf < 4; leaf++) {
		stand_load(s, uplink[leaf][leaf % 2], 0);
		stand_load(s, uplink[leaf][2 + leaf / 2], 0);
		leave_below_idle(s, 0, leaf, 1);
		leave_below_idle(s, 1, leaf, 0);
	}
	stand_poll(s, 6);
	assert_int_equal(stand_count(s, "ecmp.polarisation"), 0);
}

CASE_WITH(test_collision, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_load(s, uplink[0][3], 95);
	stand_rate(s, uplink[0][3], CTR_QUEUE_TX_PACKETS, STAND_LOSSLESS, 11e6);
	stand_rate(s, uplink[0][3], CTR_ECN_MARKED_PACKETS, STAND_LOSSLESS, 1e6);
	stand_poll(s, 4);
	assert_non_null(stand_found(s, "ecmp.collision", uplink[0][3]));
	assert_int_equal(stand_count(s, "ecmp.collision"), 1);
}

/* Its flows are slowed down, though no job tells: few marks hold them to what the link takes. */
CASE_WITH(test_collision_that_no_job_tells_of, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	for (int i = 0; i < 4; i++)
		stand_load(s, uplink[0][i], i == 3 ? 84 : 5);
	stand_rate(s, uplink[0][3], CTR_QUEUE_TX_PACKETS, STAND_LOSSLESS, 10e6);
	/* So few hold nobody back: two flows meet somewhere in every job. */
	stand_rate(s, uplink[0][3], CTR_ECN_MARKED_PACKETS, STAND_LOSSLESS, 1e4);
	stand_poll(s, 5);
	assert_int_equal(stand_count(s, "ecmp.collision"), 0);
	stand_rate(s, uplink[0][3], CTR_ECN_MARKED_PACKETS, STAND_LOSSLESS, 2e5);
	stand_poll(s, 5);
	f = stand_found(s, "ecmp.collision", uplink[0][3]);
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_CULPRIT);
	/* They have slowed down to what the link takes. */
	stand_rate(s, uplink[0][3], CTR_ECN_MARKED_PACKETS, STAND_LOSSLESS, 1e4);
	stand_poll(s, 6);
	assert_int_equal(stand_count(s, "ecmp.collision"), 1);
	/* A link with room marks a little in every job. */
	stand_load(s, uplink[0][3], 40);
	stand_poll(s, 8);
	assert_int_equal(stand_count(s, "ecmp.collision"), 0);
}

/*
 * A job that sends half of the time fills the link to a half in the mean. One packet in thirty is
 * marked: it is told, and as a risk, for nothing shows that it costs.
 */
CASE_WITH(test_collision_in_bursts, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	for (int i = 0; i < 4; i++)
		stand_load(s, uplink[0][i], i == 3 ? 50 : 9);
	stand_rate(s, uplink[0][3], CTR_QUEUE_TX_PACKETS, STAND_LOSSLESS, 6e6);
	stand_rate(s, uplink[0][3], CTR_ECN_MARKED_PACKETS, STAND_LOSSLESS, 2e5);
	stand_poll(s, 6);
	f = stand_found(s, "ecmp.collision", uplink[0][3]);
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_RISK);
	/* Its siblings have as much: the load is even. */
	for (int i = 0; i < 3; i++)
		stand_load(s, uplink[0][i], 45);
	stand_poll(s, 8);
	assert_int_equal(stand_count(s, "ecmp.collision"), 0);
}

CASE_WITH(test_all_full_is_no_collision, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	for (int i = 0; i < 4; i++) {
		stand_load(s, uplink[0][i], 95);
		stand_rate(s, uplink[0][i], CTR_QUEUE_TX_PACKETS, STAND_LOSSLESS, 11e6);
		stand_rate(s, uplink[0][i], CTR_ECN_MARKED_PACKETS, STAND_LOSSLESS, 1e6);
	}
	stand_poll(s, 4);
	assert_int_equal(stand_count(s, "ecmp.collision"), 0);
}

CASE_WITH(test_healthy_for_minutes, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_poll(s, FIVE_MINUTES);
	stand_expect_innocent(s);
}

CASES_MAIN(NULL, NULL)
