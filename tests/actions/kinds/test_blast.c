/* SPDX-License-Identifier: Apache-2.0 */
/* The blast radius of taking a link away. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/actions/support/site.h"
#include "tests/support/cases.h"

static struct blast of(const struct site *s, const char *device, const char *port)
{
	struct blast b;

	blast_of(s->m, site_port(s, device, port), s->now_us, &b);
	return b;
}

CASE_WITH(a_host_link_is_the_last_path_of_its_ranks, site_setup, site_teardown)
{
	struct site *s = *state;
	static const char *const ends[][2] = {{"node000", "mlx5_0"}, {"leaf-r0-00", "Ethernet0"}};

	for (size_t i = 0; i < 2; i++) {
		struct blast b = of(s, ends[i][0], ends[i][1]);

		assert_int_equal(b.jobs, 1);
		assert_int_equal(b.ranks, 1);
		assert_int_equal(b.gpus, 1);
		assert_string_equal(b.names, "pretrain");
		assert_true(b.last_path && !b.jobs_unknown);
		assert_string_equal(b.last_job, "pretrain");
		assert_int_equal(b.uplinks_planned, 0);
		assert_true(fabs(b.load - 0.1) < 0.001);
	}
}

/* As either end of the link tells; nothing is said where nobody does. */
CASE_WITH(tenants_of_a_link_are_named, site_setup, site_teardown)
{
	struct site *s = *state;

	assert_string_equal(of(s, "leaf-r0-00", "Ethernet0").tenants, "");
	site_word(s, "leaf-r0-00", "Ethernet0", ATTR_TENANT, "Vrf-red vni 10100,10200; vni 5000");
	assert_string_equal(
		of(s, "leaf-r0-00", "Ethernet0").tenants, "Vrf-red vni 10100,10200; vni 5000");
	assert_string_equal(
		of(s, "node000", "mlx5_0").tenants, "Vrf-red vni 10100,10200; vni 5000");
	assert_string_equal(of(s, "leaf-r0-00", "Ethernet4").tenants, "");
	site_word(s, "leaf-r0-00", "Ethernet0", ATTR_TENANT, "");
	assert_string_equal(of(s, "leaf-r0-00", "Ethernet0").tenants, "");
}

CASE_WITH(a_nic_of_another_rail_is_nobodys_path, site_setup, site_teardown)
{
	struct blast b = of(*state, "node000", "mlx5_1");

	assert_int_equal(b.jobs, 0);
	assert_false(b.last_path || b.jobs_unknown);
}

CASE_WITH(an_uplink_is_one_way_of_all_jobs_below, site_setup, site_teardown)
{
	struct site *s = *state;
	struct blast b = of(s, "leaf-r0-00", "Ethernet12");

	assert_int_equal(b.jobs, 1);
	assert_int_equal(b.ranks, 2);
	assert_int_equal(b.gpus, 2);
	assert_false(b.last_path);
	assert_int_equal(b.uplinks_planned, 4);
	assert_int_equal(b.uplinks_up, 4);
	assert_int_equal(b.peer_planned, 2);
	assert_int_equal(b.peer_up, 2);
	/* From the other end the same, with the ends changed. */
	b = of(s, "spine-000", "Ethernet1/1");
	assert_int_equal(b.ranks, 2);
	assert_int_equal(b.uplinks_planned, 2);
	assert_int_equal(b.peer_planned, 4);
	/* Nobody below the other leaf is in the job: its ranks are on rail 0. */
	assert_int_equal(of(s, "leaf-r1-00", "Ethernet12").jobs, 0);
}

CASE_WITH(links_that_are_down_or_drained_do_not_count, site_setup, site_teardown)
{
	struct site *s = *state;
	struct blast b;

	site_word(s, "leaf-r0-00", "Ethernet16", ATTR_OPER, "down");
	site_bgp(s, "leaf-r0-00", "Ethernet20", BGP_ADMIN_DOWN);
	b = of(s, "leaf-r0-00", "Ethernet12");
	assert_int_equal(b.uplinks_planned, 4);
	assert_int_equal(b.uplinks_up, 2);
	assert_false(b.last_path);
	site_word(s, "leaf-r0-00", "Ethernet24", ATTR_ADMIN, "down");
	b = of(s, "leaf-r0-00", "Ethernet12");
	assert_int_equal(b.uplinks_up, 1);
	assert_true(b.last_path);
	/* From above as well. */
	assert_true(of(s, "spine-000", "Ethernet1/1").last_path);
}

/* A job of which only a scheduler told: hosts, no ranks. */
static void scheduled(struct site *s, const char *job, const char *host)
{
	struct obs *o = obs_new("node000", "jobs");
	struct obs_nccl *r = obs_nccl(o, NCCL_JOB, SOURCE_SLURM);

	r->job = obs_string(o, job);
	r->host = obs_string(o, host);
	o->result = OBS_DATA;
	o->received_us = s->now_us;
	model_apply(s->m, o, s->now_us);
	obs_free(o);
}

CASE_WITH(a_job_whose_ranks_are_not_known_may_use_any_nic, site_setup, site_teardown)
{
	struct site *s = *state;
	struct blast b;

	scheduled(s, "eval", "node001");
	b = of(s, "node001", "mlx5_1");
	assert_int_equal(b.jobs, 1);
	assert_int_equal(b.ranks, 0);
	assert_true(b.last_path);
	assert_string_equal(b.names, "eval");
	assert_int_equal(of(s, "node000", "mlx5_1").jobs, 0);
}

CASE_WITH(without_a_source_jobs_are_unknown_not_none, site_setup, site_teardown)
{
	struct site *s = *state;
	struct model *m = model_new(&s->plan), *had = s->m;
	struct blast b;

	s->m = m;
	b = of(s, "node000", "mlx5_0");
	assert_true(b.jobs_unknown && isnan(b.load));
	assert_int_equal(b.jobs, 0);
	s->m = had;
	model_free(m);
}

CASE_WITH(jobs_of_which_nobody_tells_any_more_are_unknown, site_setup, site_teardown)
{
	struct site *s = *state;

	s->jobs = false;
	site_poll(s, 36); /* 180 s */
	assert_false(of(s, "node000", "mlx5_0").jobs_unknown);
	site_poll(s, 1);
	assert_true(of(s, "node000", "mlx5_0").jobs_unknown);
	/* It may run nevertheless. */
	assert_true(of(s, "node000", "mlx5_0").last_path);
}

CASE_WITH(the_other_end_tells_the_load_where_this_one_does_not, site_setup, site_teardown)
{
	struct site *s = *state;

	model_device(s->m, "node000")->state = DEV_STALE;
	assert_true(fabs(of(s, "node000", "mlx5_0").load - 0.1) < 0.001);
	model_device(s->m, "leaf-r0-00")->state = DEV_UNREACHABLE;
	assert_true(isnan(of(s, "node000", "mlx5_0").load));
}

CASE_WITH(a_port_without_an_other_end_hits_nobody_known, site_setup, site_teardown)
{
	struct site *s = *state;
	struct blast b;

	site_word(s, "leaf-r0-00", "Ethernet40", ATTR_OPER, "up");
	b = of(s, "leaf-r0-00", "Ethernet40");
	assert_int_equal(b.uplinks_planned, 0);
	assert_int_equal(b.peer_planned, 0);
	assert_true(isnan(b.load));
}

CASES_MAIN(NULL, NULL)
