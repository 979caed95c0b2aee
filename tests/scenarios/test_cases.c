/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scenarios that were judged wrongly once: tests/scenarios/cases, see tests/cases/README.md. Each
 * has windows of simulated time in which a finding must be a culprit at every poll, and windows in
 * which nothing may be blamed.
 *
 *   SCENARIO=moves build/tests/scenarios/test_cases     only files of that name
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/engine/diagnosis.h"
#include "fabric/ref.h"
#include "tests/bench/diagnosis/sim_run.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"

#define FOLDER "tests/scenarios/cases/"

/* The finding must be a culprit; of several lines of one time all must be. NULL: none may be. */
struct expected {
	int from_s, to_s;
	const char *id, *at;
};

static bool is_culprit(const struct finding *f)
{
	return f->role == ROLE_CULPRIT && !f->root;
}

static bool is_blamed(const struct bed *b, const struct expected *e)
{
	const struct finding *const *list;
	char at[160];
	size_t n;

	list = diag_findings(b->d, &n);
	for (size_t i = 0; i < n; i++) {
		if (!is_culprit(list[i]))
			continue;
		if (!e->id)
			return true;
		(void)ref_format(b->m, list[i]->at, at, sizeof(at));
		if (str_eq(finding_info[list[i]->id].name, e->id) && strstr(at, e->at))
			return true;
	}
	return false;
}

static void print_culprits(const struct bed *b)
{
	const struct finding *const *list;
	char at[160];
	size_t n;

	list = diag_findings(b->d, &n);
	for (size_t i = 0; i < n; i++) {
		(void)ref_format(b->m, list[i]->at, at, sizeof(at));
		(void)fprintf(stderr, "  %s %s %s: %s\n", finding_role_name(list[i]->role),
			finding_info[list[i]->id].name, at, list[i]->title);
	}
}

static void check(const struct bed *b, const char *name, const struct expected *e, int now_s)
{
	if (now_s < e->from_s || now_s > e->to_s || is_blamed(b, e) == (e->id != NULL))
		return;
	print_culprits(b);
	if (e->id)
		fail_msg("%s at %d s: no culprit %s at %s", name, now_s, e->id, e->at);
	fail_msg("%s at %d s: something is blamed", name, now_s);
}

static void play(const char *name, int length_s, const struct expected *e, size_t n)
{
	const char *only = getenv("SCENARIO");
	struct sim_run run;
	struct bed bed;
	struct err err = {0};
	char path[200];

	if (only && !strstr(name, only))
		skip();
	(void)str_printf(path, sizeof(path), FOLDER "%s.scenario", name);
	if (!sim_run_open(&run, "ref256", 1, path, &sweep_none, &err))
		fail_msg("%s: %s", path, err.text);
	bed_open(&bed, &run.plan, &sweep_none);
	while (run.now_us + run.interval_us <= SIM_START + length_s * CLOCK_SEC) {
		sim_run_poll(&run, &bed);
		bed_print(&bed, run.now_us - SIM_START);
		for (size_t i = 0; i < n; i++)
			check(&bed, name, &e[i], (int)((run.now_us - SIM_START) / CLOCK_SEC));
	}
	assert_int_equal(bed.refused, 0);
	bed_close(&bed);
	sim_run_close(&run);
}

#define PLAY(name, length_s, ...)                                                                  \
	do {                                                                                       \
		static const struct expected e[] = {__VA_ARGS__};                                  \
		play(name, length_s, e, sizeof(e) / sizeof(e[0]));                                 \
	} while (0)

CASE(three_faults_that_overlap_are_each_named)
{
	PLAY("three-overlap", 110, {5, 14, NULL, NULL},
		{35, 84, "host.slow_receiver", "node003:mlx5_2"},
		{40, 84, "link.corrupting", "leaf-r5-00:Ethernet140"},
		{65, 84, "nccl.straggler", "node017"});
}

CASE(a_fault_that_moves_is_named_where_it_is)
{
	PLAY("moves", 110, {5, 14, NULL, NULL}, {30, 39, "host.slow_receiver", "node005:mlx5_1"},
		{55, 64, "host.slow_receiver", "node014:mlx5_1"},
		{80, 94, "host.slow_receiver", "node022:mlx5_6"});
}

CASE(a_fault_under_load_is_named_and_a_later_one_does_not_cause_it)
{
	PLAY("fault-in-load", 90, {5, 14, NULL, NULL},
		{55, 88, "congestion.cnp_off", "node006:mlx5_5"},
		{55, 88, "link.down", "leaf-r1-00"});
}

CASE(a_straggler_is_named)
{
	PLAY("straggler-alone", 130, {5, 19, NULL, NULL}, {60, 125, "nccl.straggler", "node017"});
	PLAY("straggler-big", 130, {5, 19, NULL, NULL}, {45, 125, "nccl.straggler", "node017"});
}

CASE(drops_that_are_healed_leave_nobody_to_blame)
{
	PLAY("drops-stale", 120, {5, 14, NULL, NULL}, {25, 27, "pfc.ignored", "node004:mlx5_2"},
		{60, 120, NULL, NULL});
}

CASE(heavy_load_blames_nobody_however_long_it_lasts)
{
	PLAY("heavy-without-end", effort_full() ? 3600 : 420, {5, 3600, NULL, NULL});
}

CASE(bursts_and_checkpoints_blame_nobody_for_hours)
{
	PLAY("loud-hours", effort_full() ? 7200 : 420, {5, 7200, NULL, NULL});
}

CASES_MAIN(NULL, NULL)
