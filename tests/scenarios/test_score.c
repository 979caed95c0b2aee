/* SPDX-License-Identifier: Apache-2.0 */
/* The score that tests/bench gives the diagnosis: runs of a few polls, judged by hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/bench/diagnosis/score.h"
#include "tests/support/cases.h"

#define BUCKET_US 1000

/* Two servers on a leaf; the first fault is at h0, the second one at the link of h1. */
static const char topology[] = "{\"nodes\":[{\"name\":\"h0\",\"role\":\"nic\",\"server\":0},"
			       "{\"name\":\"h1\",\"role\":\"nic\",\"server\":1},"
			       "{\"name\":\"h2\",\"role\":\"nic\",\"server\":2},"
			       "{\"name\":\"leaf\",\"role\":\"leaf\",\"server\":-1}],"
			       "\"links\":[{\"a\":\"h0\",\"a_port\":1,\"b\":\"leaf\",\"b_port\":1},"
			       "{\"a\":\"h1\",\"a_port\":1,\"b\":\"leaf\",\"b_port\":2},"
			       "{\"a\":\"h2\",\"a_port\":1,\"b\":\"leaf\",\"b_port\":3}]}";
#define SLOW                                                                                       \
	"{\"class\":\"slow_receiver_nic\",\"root\":{\"type\":\"nic\",\"node\":\"h0\"},"            \
	"\"fault_start_us\":4000,\"fault_end_us\":8000}"
#define CORRUPT                                                                                    \
	"{\"class\":\"link_corruption\",\"root\":{\"type\":\"link\",\"a\":{\"node\":\"leaf\","     \
	"\"port\":2,\"peer\":\"h1\",\"peer_port\":1}},"                                            \
	"\"fault_start_us\":4000,\"fault_end_us\":8000}"

struct trial {
	char dir[64];
	said_vec said;
	struct score score;
};

static void put(const struct trial *t, const char *name, const char *text)
{
	char path[128];
	FILE *f;

	(void)str_printf(path, sizeof(path), "%s/%s", t->dir, name);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void begin(struct trial *t, const char *faults)
{
	char label[1000];

	*t = (struct trial){.dir = "/tmp/railtop-score-XXXXXX"};
	assert_non_null(mkdtemp(t->dir));
	(void)str_printf(
		label, sizeof(label), "{\"bucket_us\":%d,\"faults\":[%s]}", BUCKET_US, faults);
	put(t, "label.json", label);
	put(t, "topology.json", topology);
}

/* A poll at the end of the bucket; more verdicts follow by add(). */
static void begin_poll(struct trial *t, int bucket)
{
	struct said *s = vec_add(&t->said);

	s->t_us = (int64_t)bucket * BUCKET_US;
}

static void add(struct trial *t, const char *class, const char *entity)
{
	struct guess *g = vec_add(&t->said.at[t->said.n - 1].guesses);

	(void)str_copy(g->class, sizeof(g->class), class);
	g->entity = json_loads(entity, JSON_DECODE_ANY, NULL);
	assert_non_null(g->entity);
}

static void ignore(void *ctx, const char *class, bool top1, bool class_ok, double polls,
	unsigned incidents, const char *verdict)
{
	(void)ctx, (void)class, (void)top1, (void)class_ok, (void)polls, (void)incidents,
		(void)verdict;
}

static void judge(struct trial *t)
{
	assert_true(score_run(&t->score, t->dir, &t->said, ignore, NULL));
}

static void end(struct trial *t)
{
	static const char *const names[] = {"label.json", "topology.json"};
	char path[128];

	for (size_t i = 0; i < 2; i++) {
		(void)str_printf(path, sizeof(path), "%s/%s", t->dir, names[i]);
		(void)unlink(path);
	}
	(void)rmdir(t->dir);
	said_free(&t->said);
	score_free(&t->score);
}

CASE(a_fault_is_found_when_it_stands_first_in_two_polls)
{
	struct trial t;

	begin(&t, SLOW);
	for (int i = 1; i <= 10; i++) {
		begin_poll(&t, i);
		if (i >= 6)
			add(&t, "slow_receiver_nic", "\"h0\"");
	}
	judge(&t);
	assert_int_equal(t.score.faults, 1);
	assert_int_equal(t.score.detected, 1);
	assert_int_equal(t.score.top1, 1);
	assert_int_equal(t.score.right_class, 1);
	assert_int_equal(t.score.incidents, 1);
	assert_int_equal(t.score.right_incidents, 1);
	end(&t);
}

CASE(one_fault_behind_a_wrong_verdict_is_not_found)
{
	struct trial t;

	begin(&t, SLOW);
	for (int i = 1; i <= 10; i++) {
		begin_poll(&t, i);
		if (i < 6)
			continue;
		add(&t, "incast", "[\"leaf\",3]");
		add(&t, "slow_receiver_nic", "\"h0\"");
	}
	judge(&t);
	assert_int_equal(t.score.detected, 0);
	assert_int_equal(t.score.top1, 0);
	assert_int_equal(t.score.top3, 1);
	assert_int_equal(t.score.right_incidents, 0);
	end(&t);
}

CASE(of_two_faults_the_one_that_is_listed_second_is_found)
{
	struct trial t;

	begin(&t, SLOW "," CORRUPT);
	for (int i = 1; i <= 10; i++) {
		begin_poll(&t, i);
		if (i < 6)
			continue;
		add(&t, "slow_receiver_nic", "\"h0\"");
		add(&t, "link_corruption", "[[\"leaf\",2],[\"h1\",1]]");
	}
	judge(&t);
	assert_int_equal(t.score.faults, 2);
	assert_int_equal(t.score.detected, 2);
	assert_int_equal(t.score.top1, 2);
	assert_int_equal(t.score.right_class, 2);
	assert_int_equal(t.score.stable.n, 2);
	/* score.py detects only what stands first. */
	assert_int_equal(t.score.py_detected, 1);
	assert_int_equal(t.score.py_top1, 2);
	end(&t);
}

CASE(of_two_faults_the_one_behind_a_wrong_verdict_is_not_found)
{
	struct trial t;

	begin(&t, SLOW "," CORRUPT);
	for (int i = 1; i <= 10; i++) {
		begin_poll(&t, i);
		if (i < 6)
			continue;
		add(&t, "slow_receiver_nic", "\"h0\"");
		add(&t, "incast", "[\"leaf\",3]");
		add(&t, "link_corruption", "[[\"leaf\",2],[\"h1\",1]]");
	}
	judge(&t);
	assert_int_equal(t.score.detected, 1);
	assert_int_equal(t.score.top1, 1);
	assert_int_equal(t.score.py_top1, 2);
	end(&t);
}

CASE(of_two_faults_the_one_that_nobody_names_is_not_found)
{
	struct trial t;

	begin(&t, SLOW "," CORRUPT);
	for (int i = 1; i <= 10; i++) {
		begin_poll(&t, i);
		if (i >= 6)
			add(&t, "link_corruption", "[[\"leaf\",2],[\"h1\",1]]");
	}
	judge(&t);
	assert_int_equal(t.score.detected, 1);
	assert_int_equal(t.score.top1, 1);
	assert_int_equal(t.score.stable.n, 1);
	end(&t);
}

CASE(time_counts_buckets_also_where_polls_are_twice_as_coarse)
{
	struct trial fine, coarse;

	begin(&fine, SLOW);
	begin(&coarse, SLOW);
	for (int i = 1; i <= 10; i++) {
		begin_poll(&fine, i);
		if (i >= 6)
			add(&fine, "slow_receiver_nic", "\"h0\"");
	}
	for (int i = 2; i <= 10; i += 2) {
		begin_poll(&coarse, i);
		if (i >= 6)
			add(&coarse, "slow_receiver_nic", "\"h0\"");
	}
	judge(&fine);
	judge(&coarse);
	/* Both say it at 6 ms, two buckets of 5 s behind its start. */
	assert_float_equal((float)score_stable_s(&fine.score, 0.5), 10.0F, 1e-6F);
	assert_float_equal((float)score_stable_s(&coarse.score, 0.5), 10.0F, 1e-6F);
	end(&fine);
	end(&coarse);
}

CASE(a_verdict_that_changes_is_stable_from_its_last_change_on)
{
	struct trial t;

	begin(&t, SLOW);
	for (int i = 5; i <= 10; i++) {
		begin_poll(&t, i);
		add(&t, "slow_receiver_nic", i == 7 ? "\"h1\"" : "\"h0\"");
	}
	judge(&t);
	assert_int_equal(t.score.detected, 1);
	assert_float_equal((float)score_stable_s(&t.score, 0.5), 20.0F, 1e-6F);
	end(&t);
}

CASE(a_second_fault_that_comes_first_late_is_no_false_incident)
{
	struct trial t;

	begin(&t, SLOW "," CORRUPT);
	for (int i = 5; i <= 17; i++) {
		begin_poll(&t, i);
		if (i < 13)
			add(&t, "slow_receiver_nic", "\"h0\"");
		add(&t, "link_corruption", "[[\"leaf\",2],[\"h1\",1]]");
	}
	judge(&t);
	assert_int_equal(t.score.incidents, 2);
	assert_int_equal(t.score.right_incidents, 2);
	end(&t);
}

CASE(an_incident_that_begins_late_is_false)
{
	struct trial t;

	begin(&t, SLOW);
	for (int i = 5; i <= 17; i++) {
		begin_poll(&t, i);
		if (i >= 13)
			add(&t, "slow_receiver_nic", "\"h0\"");
	}
	judge(&t);
	assert_int_equal(t.score.incidents, 1);
	assert_int_equal(t.score.right_incidents, 0);
	end(&t);
}

CASE(an_incident_of_a_healthy_run_is_false)
{
	struct trial t;

	begin(&t, "{\"class\":\"none\",\"root\":null}");
	for (int i = 1; i <= 4; i++) {
		begin_poll(&t, i);
		if (i == 2 || i == 3)
			add(&t, "incast", "[\"leaf\",3]");
	}
	judge(&t);
	assert_int_equal(t.score.healthy, 1);
	assert_int_equal(t.score.faults, 0);
	assert_int_equal(t.score.false_incidents, 1);
	end(&t);
}

CASES_MAIN(NULL, NULL)
