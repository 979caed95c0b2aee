/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All runbooks over a healthy emulated fabric: no step
 * fails, and a step that cannot tell says what to do about it.
 */
#include <stdio.h>
#include <string.h>

#include "app/config/runbooks.h"
#include "app/session/runbook_walk.h"
#include "base/str.h"
#include "fabric/ref.h"
#include "tests/bench/diagnosis/sim_run.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"

/* Then at every poll for so long: checkpoints of the jobs come once a minute. */
#define WALKED (effort_full() ? 10 * 60 * CLOCK_SEC : 75 * CLOCK_SEC)
/* Steps that look back for an hour can tell with FULL=1, and say otherwise what they lack. */
#define WATCHED (effort_full() ? 62 * 60 * CLOCK_SEC : 11 * 60 * CLOCK_SEC)

/* The place for each runbook, as a person would give it; a runbook about all takes none. */
static const struct {
	const char *book, *place;
} places[] = {
	{"bgp-ecmp", "leaf-r3-00"},
	{"degraded-optic", "leaf-r3-00:Ethernet12"},
	{"high-cnp", "leaf-r3-00:Ethernet12"},
	{"link-flap", "leaf-r3-00:Ethernet12"},
	{"lossless-drops", "leaf-r3-00:Ethernet12"},
	{"mis-wiring", "cluster"},
	{"mixed-traffic", "leaf-r3-00:Ethernet12"},
	{"nccl-hang", "rank 3"},
	{"new-node", "node003"},
	{"pfc-storm", "leaf-r3-00:Ethernet12"},
	{"prove-innocence", "cluster"},
	{"rank-placement", "cluster"},
	{"watchdog-fired", "leaf-r3-00:Ethernet12"},
};

/* Words of a cure: what to run, give, wait for or look at. */
static bool has_cure(const char *why)
{
	static const char *const cures[] = {"railtop check", "--from", "give ", "jobs: in", "see "};

	for (size_t i = 0; i < sizeof(cures) / sizeof(cures[0]); i++)
		if (strstr(why, cures[i]))
			return true;
	return false;
}

struct stand {
	struct sim_run run;
	struct bed bed;
	struct runbooks all;
	unsigned failed, cureless; /* steps */
};

static void open_stand(struct stand *s)
{
	struct err err = {0};

	memset(s, 0, sizeof(*s));
	if (!sim_run_open(&s->run, "ref256", 3, NULL, &sweep_none, &err))
		fail_msg("%s", err.text);
	bed_open(&s->bed, &s->run.plan, &sweep_none);
	while (s->run.now_us < SIM_START + WATCHED)
		sim_run_poll(&s->run, &s->bed);
	assert_int_equal(s->bed.refused, 0);
	assert_true(runbooks_load(&s->all, NULL, NULL, &err));
	assert_int_equal(s->all.at.n, sizeof(places) / sizeof(places[0]));
}

static void close_stand(struct stand *s)
{
	runbooks_free(&s->all);
	bed_close(&s->bed);
	sim_run_close(&s->run);
}

/* Number of steps that passed. */
static unsigned walk_one(struct stand *s, const char *name, const char *place)
{
	const struct runbook *book = runbook_find(&s->all, name);
	struct ref target = {.kind = REF_FABRIC};
	struct view_ctx ctx = {.model = s->bed.m, .diag = s->bed.d, .now_us = s->run.now_us};
	struct walk w = {0};
	struct err err = {0};
	unsigned passed = 0;

	assert_non_null(book);
	if (place && !ref_parse(s->bed.m, place, &target, &err))
		fail_msg("%s: %s", place, err.text);
	ctx.cache = view_cache_new();
	if (!walk_runbook(&w, book, target, &ctx, &err))
		fail_msg("%s at %s: %s", name, place ? place : "the fabric", err.text);
	for (size_t i = 0; i < w.steps.n; i++) {
		const struct walked *at = &w.steps.at[i];
		bool compared;

		passed += at->result.outcome == STEP_PASS;
		if (at->result.outcome != STEP_PASS)
			print_message("# %5.0f s %-16s %-22s %-14s %-11s %s%s\n",
				(double)(s->run.now_us - SIM_START) / CLOCK_SEC, name,
				place ? place : "", at->step->id,
				step_outcome_name((enum step_outcome)at->result.outcome),
				at->result.why,
				at->result.outcome == STEP_FAIL ? at->result.value : "");
		s->failed += at->result.outcome == STEP_FAIL;
		/* Settings are compared: a step that passes says by how many checks. */
		compared = !at->step->view || !str_eq(at->step->view->name, "lint") ||
			   at->result.outcome != STEP_PASS ||
			   !strstr(at->result.value, "there are no");
		if (!compared)
			print_message("# %s: %s passes on nothing: %s\n", name, at->step->id,
				at->result.value);
		s->failed += !compared;
		s->cureless += at->result.outcome == STEP_UNKNOWN && !has_cure(at->result.why);
	}
	walk_free(&w);
	view_cache_free(ctx.cache);
	return passed;
}

static void walk_all(struct stand *s)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		assert_true(walk_one(s, places[i].book, places[i].place) > 0);
	/* Without a place, as far as a runbook is about all. */
	for (size_t i = 0; i < s->all.at.n; i++)
		if (runbook_is_about(s->all.at.at[i], "fabric"))
			(void)walk_one(s, s->all.at.at[i]->name, NULL);
}

CASE(a_healthy_fabric_passes_every_runbook)
{
	struct stand s;

	open_stand(&s);
	for (int64_t end = s.run.now_us + WALKED; s.run.now_us < end;) {
		walk_all(&s);
		sim_run_poll(&s.run, &s.bed);
	}
	assert_int_equal(s.failed, 0);
	assert_int_equal(s.cureless, 0);
	close_stand(&s);
}

CASES_MAIN(NULL, NULL)
