/* SPDX-License-Identifier: Apache-2.0 */
/* The guards that look at the fabric: storms and paths. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/actions/support/site.h"
#include "tests/support/cases.h"

/* ---- storm ---- */

CASE_WITH(no_storm_where_nothing_pauses, site_setup, site_teardown)
{
	struct site *s = *state;

	site_action(s, "pfcwd-reset");
	site_passes(s, "storm-active");
	site_action(s, "port-drain"); /* a drain ends a storm */
	s->pfc3 += 100000;
	site_poll(s, 1);
	site_passes(s, "storm-active");
}

CASE_WITH(frames_that_grow_refuse, site_setup, site_teardown)
{
	struct site *s = *state;

	site_action(s, "pfcwd-reset");
	s->pfc3 += 5000;
	site_poll(s, 1);
	site_refused(s, "storm-active", "Ethernet12 receives 1e+03 PFC frames/s on priority 3",
		"railtop trace --at leaf-r0-00:Ethernet12");
}

CASE_WITH(a_queue_that_is_stormed_but_quiet_may_be_reset, site_setup, site_teardown)
{
	struct site *s = *state;

	site_action(s, "pfcwd-reset");
	site_word(s, "leaf-r0-00", "Ethernet12", ATTR_PFCWD_STATE, "stormed");
	site_passes(s, "storm-active");
}

CASE_WITH(quiet_for_ten_seconds_is_needed, site_setup, site_teardown)
{
	struct site *s = *state;

	site_action(s, "pfcwd-reset");
	s->pfc3 += 5000;
	site_poll(s, 2); /* the second finds it standing still */
	site_refused(s, "storm-active", "quiet for 5 s, 10 s are needed", "at 22:13:55 UTC");
	site_poll(s, 1);
	site_passes(s, "storm-active");
}

CASE_WITH(quiet_for_three_restorations_is_needed, site_setup, site_teardown)
{
	struct site *s = *state;

	site_action(s, "pfcwd-reset");
	s->now.wd_set.restore_ms = 5000;
	site_passes(s, "storm-active"); /* 15 s have passed since the first poll */
	s->now.wd_set.restore_ms = 6000;
	site_refused(s, "storm-active", "quiet for 15 s, 18 s are needed", "allowed again at");
}

CASE_WITH(the_reading_knows_better_than_the_last_poll, site_setup, site_teardown)
{
	struct site *s = *state;

	site_action(s, "pfcwd-reset");
	s->now.rx_pause[3] += 12;
	site_refused(s, "storm-active", "12 PFC frames on priority 3 since the last poll", "trace");
}

CASE_WITH(a_reading_that_stood_still_prolongs_the_quiet, site_setup, site_teardown)
{
	struct site *s = *state;

	site_action(s, "pfcwd-reset");
	s->pfc3 += 5000;
	site_poll(s, 2);
	s->now.at_us = s->x.now_us = s->x.wall_us = s->now_us + 5 * CLOCK_SEC;
	site_passes(s, "storm-active");
	s->now.rx_pause[3] = UINT64_MAX; /* not told: only the model counts */
	site_refused(s, "storm-active", "quiet for 5 s", "next poll");
}

CASE(a_pause_that_is_not_counted_refuses)
{
	struct site *s = site_new();

	site_action(s, "pfcwd-reset");
	s->now.pfc = 1 << 3 | 1 << 4;
	site_refused(s, "storm-active", "paused on priority 4: PFC frames are not reported",
		"railtop check");
	site_free(s);
}

CASE_WITH(one_sample_is_not_enough, site_setup, site_teardown)
{
	struct site *s = *state;
	struct model *m = model_new(&s->plan), *had = s->m;

	s->m = m;
	s->at.model = m;
	site_at(s, "leaf-r0-00", "Ethernet12", -1);
	site_action(s, "pfcwd-reset");
	site_refused(
		s, "storm-active", "paused on priority 3: PFC frames are not reported", "check");
	site_poll(s, 1);
	site_refused(s, "storm-active", "counted only once", "two polls");
	model_free(had);
}

CASE_WITH(a_counter_that_was_cleared_starts_the_quiet_anew, site_setup, site_teardown)
{
	struct site *s = *state;

	site_action(s, "pfcwd-reset");
	s->pfc3 = 0;
	site_poll(s, 2);
	site_refused(s, "storm-active", "10 s are needed", "");
	site_poll(s, 2);
	site_passes(s, "storm-active");
}

/* ---- uplinks ---- */

CASE_WITH(one_of_four_uplinks_may_go, site_setup, site_teardown)
{
	struct site *s = *state;

	site_passes(s, "uplinks");
	site_word(s, "leaf-r0-00", "Ethernet16", ATTR_OPER, "down");
	site_refused(s, "uplinks", "leaf-r0-00 would keep 2 of 4", "railtop findings");
	/* A link that is down already carries nothing. */
	site_at(s, "leaf-r0-00", "Ethernet16", -1);
	site_passes(s, "uplinks");
}

CASE_WITH(the_other_end_counts_as_well, site_setup, site_teardown)
{
	struct site *s = *state;

	site_word(s, "spine-000", "Ethernet2/1", ATTR_OPER, "down");
	site_refused(s, "uplinks", "spine-000 would keep 0 of 2", "restore");
	site_at(s, "spine-000", "Ethernet1/1", -1);
	site_refused(s, "uplinks", "spine-000 would keep 0 of 2", "restore");
}

CASE_WITH(an_uplink_drained_by_bgp_is_not_up, site_setup, site_teardown)
{
	struct site *s = *state;

	site_bgp(s, "leaf-r0-00", "Ethernet20", BGP_ADMIN_DOWN);
	site_refused(s, "uplinks", "leaf-r0-00 would keep 2 of 4", "restore");
}

CASE_WITH(uplinks_of_a_silent_spine_are_not_known, site_setup, site_teardown)
{
	struct site *s = *state;

	model_device(s->m, "spine-000")->state = DEV_UNREACHABLE;
	site_refused(s, "uplinks", "spine-000 that are up is not known: its data is unreachable",
		"check");
}

CASE_WITH(an_unknown_other_end_refuses, site_setup, site_teardown)
{
	struct site *s = *state;
	struct obs *o = obs_new("leaf-r0-00", "fast");

	o->result = OBS_DATA;
	o->received_us = s->now_us;
	obs_word(o, obs_port(o, "Ethernet40"), ATTR_OPER, 0, "up");
	model_apply(s->m, o, s->now_us);
	obs_free(o);
	site_at(s, "leaf-r0-00", "Ethernet40", -1);
	site_refused(s, "uplinks", "other end of Ethernet40 is not known", "wiring");
}

/* ---- last path ---- */

CASE_WITH(no_job_loses_its_last_path, site_setup, site_teardown)
{
	struct site *s = *state;

	site_passes(s, "last-path"); /* one uplink of four */
	site_at(s, "leaf-r0-00", "Ethernet0", -1);
	site_refused(s, "last-path", "job pretrain (1 rank, 1 GPU) has no path", "drain");
	site_at(s, "node001", "mlx5_0", -1);
	site_refused(s, "last-path", "job pretrain", "drain");
	/* The job is on rail 0. */
	site_at(s, "node001", "mlx5_1", -1);
	site_passes(s, "last-path");
	site_action(s, "pfcwd-reset");
	site_at(s, "node001", "mlx5_0", -1);
	site_passes(s, "last-path");
}

CASE_WITH(the_last_uplink_of_a_leaf_is_a_last_path, site_setup, site_teardown)
{
	struct site *s = *state;

	site_word(s, "leaf-r0-00", "Ethernet16", ATTR_OPER, "down");
	site_word(s, "leaf-r0-00", "Ethernet20", ATTR_OPER, "down");
	site_passes(s, "last-path");
	site_word(s, "leaf-r0-00", "Ethernet24", ATTR_OPER, "down");
	site_refused(s, "last-path", "job pretrain (2 ranks, 2 GPUs)", "drain");
}

CASE_WITH(jobs_unknown_and_load_refuse, site_setup, site_teardown)
{
	struct site *s = *state;

	s->jobs = false;
	site_poll(s, 40); /* nobody told of a job for 200 s */
	site_passes(s, "last-path");
	site_at(s, "leaf-r0-00", "Ethernet4", -1);
	site_refused(s, "last-path", "job pretrain", "drain"); /* nor that it has ended */
	site_poll(s, 400);
	site_at(s, "leaf-r0-00", "Ethernet4", -1);
	site_refused(s, "last-path", "not known, and the link carries 10.0%", "jobs:");
	s->load = 25000000;
	site_poll(s, 2);
	site_passes(s, "last-path");
	s->no_load = true;
	site_poll(s, 400);
	site_at(s, "leaf-r0-00", "Ethernet4", -1);
	model_device(s->m, "leaf-r0-00")->state = DEV_STALE;
	model_device(s->m, "node001")->state = DEV_STALE;
	site_refused(s, "last-path", "the jobs and the load", "jobs:");
}

CASES_MAIN(NULL, NULL)
