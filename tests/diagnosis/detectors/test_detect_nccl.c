/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL findings: the named ranks, those that must not be named, and the consequences. */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/diagnosis/engine/ring.h"
#include "tests/support/cases.h"

static void play(struct ring *r, unsigned polls)
{
	for (unsigned i = 0; i < polls; i++) {
		ring_play(r, 2);
		stand_poll(r->s, 1);
	}
}

static bool has_text(const struct finding *f, const char *what, const char *text)
{
	for (size_t i = 0; i < f->evidence.n; i++)
		if (str_eq(f->evidence.at[i].what, what) && str_eq(f->evidence.at[i].text, text))
			return true;
	return false;
}

CASE_WITH(a_healthy_job_is_silent, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);

	play(&r, 30);
	stand_expect_innocent(r.s);
	assert_int_equal(stand_count(r.s, "nccl.slow"), 0);
}

CASE_WITH(a_late_rank_is_a_culprit_at_its_host, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);
	const struct finding *f;

	play(&r, 10);
	r.gap[3] += 6000;
	play(&r, 6);
	f = stand_found(r.s, "nccl.straggler", "node003");
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_CULPRIT);
	assert_int_equal(f->root, 0);
	assert_int_equal(stand_count(r.s, "nccl.straggler"), 1);
	assert_int_equal(stand_count(r.s, "nccl.slow_edge"), 0);
	assert_int_equal(stand_role(r.s, ROLE_CULPRIT), 1);
	assert_non_null(strstr(f->title, "rank 3 of train"));
	assert_true(stand_has_evidence(f, "own gap before it enters"));
	assert_true(f->refuted.n >= 2);
	/* The ring sums: the text says which phase it is likely in, and why. */
	assert_true(has_text(f, "likely phase", "data parallel, by its collectives: AllReduce"));
	/* Both NICs of the host belong to it. */
	assert_int_equal(f->members.n, 2);
	assert_string_equal(f->evidence.at[0].source, "inspector");
}

CASE_WITH(it_closes_when_the_rank_is_in_time_again, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);

	play(&r, 10);
	r.gap[3] += 6000;
	play(&r, 6);
	assert_int_equal(stand_count(r.s, "nccl.straggler"), 1);
	r.gap[3] = RING_GAP;
	play(&r, 10);
	assert_int_equal(stand_count(r.s, "nccl.straggler"), 0);
}

CASE_WITH(a_slow_edge_is_a_symptom_with_both_nics, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);
	const struct finding *f;
	uint32_t from, to;
	unsigned found = 0;

	play(&r, 10);
	r.slow[1][2] = 4;
	play(&r, 6);
	f = stand_found(r.s, "nccl.slow_edge", "rank train/0xabcdef00000001/2");
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_SYMPTOM);
	assert_int_equal(f->at.kind, REF_RANK);
	assert_int_equal(f->at.rank, 2);
	assert_int_equal(f->peer.rank, 3);
	assert_int_equal(stand_role(r.s, ROLE_CULPRIT), 0);
	from = stand_port(r.s, "node002:mlx5_1");
	to = stand_port(r.s, "node003:mlx5_1");
	for (size_t i = 0; i < f->members.n; i++) {
		found += f->members.at[i].kind == REF_PORT &&
			 (f->members.at[i].port == from || f->members.at[i].port == to);
	}
	assert_int_equal(found, 2);
	assert_true(stand_has_evidence(f, "link in common"));
}

CASE_WITH(a_slow_sender_to_all_names_no_peer, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);
	const struct finding *f;

	r.func = "AlltoAll";
	play(&r, 10);
	r.slow[1][2] = 4;
	play(&r, 6);
	f = stand_found(r.s, "nccl.slow_edge", "rank train/0xabcdef00000001/2");
	assert_non_null(f);
	assert_int_equal(f->peer.kind, REF_NONE);
	assert_non_null(strstr(f->title, "its sending to all"));
	assert_true(has_text(
		f, "likely phase", "experts or sequence parallel, by its collectives: AlltoAll"));
	for (size_t i = 0; i < f->members.n; i++)
		assert_false(f->members.at[i].kind == REF_PORT &&
			     f->members.at[i].port == stand_port(r.s, "node003:mlx5_1"));
}

CASE_WITH(all_slower_than_before_is_said_of_the_job, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);
	const struct finding *f;

	play(&r, 12);
	r.all = 1.5;
	play(&r, 5);
	f = stand_found(r.s, "nccl.slow", "job train");
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_SYMPTOM);
	assert_int_equal(f->severity, SEV_CRIT);
	assert_non_null(strstr(f->title, "AllReduce"));
	assert_int_equal(stand_role(r.s, ROLE_CULPRIT), 0);
}

static const int64_t even[] = {50, 50, 50, 50, 50, 50, 50, 50};

static void ras(struct ring *r, const int64_t *launched, const enum nccl_state *s, unsigned polls)
{
	for (unsigned i = 0; i < polls; i++) {
		ring_ras(r, launched, s);
		stand_poll(r->s, 1);
	}
}

CASE_WITH(the_dead_and_the_silent_are_told_apart, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);
	int64_t n[RING_RANKS];
	enum nccl_state s[RING_RANKS];
	const struct finding *f;

	memcpy(n, even, sizeof(n));
	for (int i = 0; i < RING_RANKS; i++)
		s[i] = NCCL_RUNNING;
	ras(&r, n, s, 3);
	stand_expect_innocent(r.s);
	s[2] = NCCL_DEAD;
	s[6] = NCCL_UNRESPONSIVE;
	n[2] = n[6] = -1;
	ras(&r, n, s, 2);
	f = stand_found(r.s, "nccl.dead", "node002");
	assert_non_null(f);
	assert_true(f->gpus_blocked > 0);
	assert_int_equal(stand_count(r.s, "nccl.dead"), 1);
	assert_int_equal(stand_count(r.s, "nccl.incomplete"), 1);
	f = stand_found(r.s, "nccl.incomplete", "node006");
	assert_non_null(f);
	assert_true(stand_has_evidence(f, "state"));
}

CASE_WITH(a_rank_behind_is_named_with_the_counts, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);
	int64_t n[RING_RANKS];
	const struct finding *f;

	memcpy(n, even, sizeof(n));
	ras(&r, n, NULL, 8);
	for (int i = 0; i < RING_RANKS; i++)
		n[i] = i == 5 ? 51 : 60;
	ras(&r, n, NULL, 3);
	f = stand_found(r.s, "nccl.mismatch", "node005");
	assert_non_null(f);
	assert_int_equal(stand_count(r.s, "nccl.mismatch"), 1);
	assert_int_equal((int)f->evidence.at[0].value, 51);
	assert_non_null(strstr(f->evidence.at[0].text, "60"));
}

/* The job advances; in every second answer rank 5 is one operation behind, as NCCL lets it be. */
CASE_WITH(a_rank_that_is_one_behind_again_and_again_is_late, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);
	int64_t n[RING_RANKS];
	const struct finding *f;

	for (int k = 0; k < 12; k++) {
		for (int i = 0; i < RING_RANKS; i++)
			n[i] = 100 + 7 * k - (i == 5 && k % 2);
		ras(&r, n, NULL, 1);
	}
	f = stand_found(r.s, "nccl.straggler", "node005");
	assert_non_null(f);
	assert_int_equal(stand_count(r.s, "nccl.straggler"), 1);
	assert_int_equal(f->role, ROLE_CULPRIT);
	assert_non_null(strstr(f->title, "enters late"));
	/* It keeps up again. */
	for (int k = 12; k < 24; k++) {
		for (int i = 0; i < RING_RANKS; i++)
			n[i] = 100 + 7 * k;
		ras(&r, n, NULL, 1);
	}
	assert_int_equal(stand_count(r.s, "nccl.straggler"), 0);
}

/* An answer is no picture of one moment: each time another rank is one behind. */
CASE_WITH(ranks_that_take_turns_at_being_behind_are_not_late, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);
	int64_t n[RING_RANKS];

	for (int k = 0; k < 40; k++) {
		for (int i = 0; i < RING_RANKS; i++)
			n[i] = 100 + 7 * k - (i == k * 5 % RING_RANKS);
		ras(&r, n, NULL, 1);
		assert_int_equal(stand_count(r.s, "nccl.straggler"), 0);
	}
}

CASE_WITH(ranks_that_are_ahead_are_not_blamed, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);
	int64_t n[RING_RANKS];

	memcpy(n, even, sizeof(n));
	for (int k = 0; k < 8; k++) {
		for (int i = 0; i < RING_RANKS; i++)
			n[i]++;
		ras(&r, n, NULL, 1);
	}
	n[1] += 5;
	n[4] += 5;
	ras(&r, n, NULL, 8);
	assert_int_equal(stand_count(r.s, "nccl.mismatch"), 1);
	assert_non_null(stand_found(r.s, "nccl.mismatch", "job train"));
}

CASE_WITH(a_job_that_stands_still_is_a_hang, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);
	int64_t n[RING_RANKS];
	const struct finding *f;

	memcpy(n, even, sizeof(n));
	for (int k = 0; k < 5; k++) {
		for (int i = 0; i < RING_RANKS; i++)
			n[i] += 3;
		ras(&r, n, NULL, 1);
	}
	ras(&r, n, NULL, 2);
	assert_int_equal(stand_count(r.s, "nccl.hang"), 0);
	ras(&r, n, NULL, 6);
	f = stand_found(r.s, "nccl.hang", "job train");
	assert_non_null(f);
	assert_int_equal(f->severity, SEV_WARN); /* it may be a checkpoint */
	assert_int_equal(f->role, ROLE_SYMPTOM);
	assert_true(f->members.n >= RING_RANKS);
	ras(&r, n, NULL, 12);
	f = stand_found(r.s, "nccl.hang", "job train");
	assert_non_null(f);
	assert_int_equal(f->severity, SEV_CRIT);
}

CASE_WITH(an_error_in_the_log_is_a_symptom, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);
	struct obs *o = obs_new("node001", "nccl-log");
	struct obs_nccl *e;
	const struct finding *f;

	ras(&r, even, NULL, 2);
	e = obs_nccl(o, NCCL_ERROR, SOURCE_NCCL_LOG);
	e->pid = 100;
	e->text = obs_string(o, "completion from peer 10.0.0.2: status 12, vendor error 129");
	o->result = OBS_DATA;
	model_apply(r.s->m, o, r.s->now_us);
	obs_free(o);
	ras(&r, even, NULL, 2);
	f = stand_found(r.s, "nccl.error", "node001");
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_SYMPTOM);
	assert_non_null(strstr(f->title, "status 12"));
}

/* A line of a log that is read later than it was written. */
static void logged(struct stand *s, const char *kind, const char *text, int64_t age_s)
{
	struct obs *o = obs_new("node001", "nccl-log");
	struct obs_nccl *e = obs_nccl(o, NCCL_ERROR, SOURCE_NCCL_LOG);

	e->pid = 100;
	e->func = obs_string(o, kind);
	e->text = obs_string(o, text);
	e->begin_us = s->now_us - age_s * CLOCK_SEC;
	o->result = OBS_DATA;
	model_apply(s->m, o, s->now_us);
	obs_free(o);
	stand_poll(s, 2);
}

/* A warning that nobody understands is told for as long as an error is: the hour of the incident.
 */
CASE_WITH(an_unknown_warning_of_ten_minutes_ago_is_told, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	logged(s, "note", "ERROR engine: NIXL_ERR_BACKEND", 600);
	f = stand_found(s, "nccl.error", "node001");
	assert_non_null(f);
	assert_int_equal(f->severity, SEV_WARN);
	assert_non_null(strstr(f->title, "NIXL_ERR_BACKEND"));
}

CASE_WITH(an_unknown_warning_of_this_morning_is_not, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	logged(s, "note", "ERROR engine: NIXL_ERR_BACKEND", 4000);
	assert_null(stand_found(s, "nccl.error", "node001"));
	logged(s, "advice", "MTU is smaller than that of the peer", 600);
	assert_null(stand_found(s, "nccl.error", "node001"));
}

CASE_WITH(a_job_that_is_gone_has_no_findings, stand_setup, stand_teardown)
{
	struct ring r = ring_make(*state);
	struct obs *o = obs_new("", "slurm");
	struct obs_nccl *j;

	play(&r, 10);
	r.gap[3] += 6000;
	play(&r, 6);
	j = obs_nccl(o, NCCL_JOB, SOURCE_INSPECTOR);
	j->job = obs_string(o, "train");
	j->source = SOURCE_SLURM;
	o->result = OBS_DATA;
	model_apply(r.s->m, o, r.s->now_us);
	obs_free(o);
	o = obs_new("", "slurm");
	(void)obs_nccl(o, NCCL_DONE, SOURCE_SLURM);
	o->result = OBS_DATA;
	model_apply(r.s->m, o, r.s->now_us + 1);
	obs_free(o);
	stand_poll(r.s, 10);
	assert_int_equal(stand_count(r.s, "nccl.straggler"), 0);
}

CASES_MAIN(NULL, NULL)
