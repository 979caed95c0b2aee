/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/election.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/support/cases.h"

/* The hosts that collectors ask about jobs: one host of each job, found with few questions. */

#define HOSTS 64

/* Which job runs where: 0 none. The listener of a host answers for all of its job. */
struct bed {
	struct plan plan;
	struct model *model;
	struct job_election *e;
	int job[HOSTS];
	bool dead[HOSTS];
	bool asked[HOSTS];
	unsigned questions;
	int64_t now;
};

static void tell(void *ctx, const char *device, bool on)
{
	struct bed *b = ctx;
	int i = plan_find(&b->plan, device);

	assert_in_range(i, 0, HOSTS - 1);
	assert_true(b->asked[i] != on);
	b->asked[i] = on;
}

static void connect_all(struct bed *b)
{
	for (unsigned i = 0; i < HOSTS; i++) {
		struct obs *o = obs_new(b->plan.devices.at[i].name, "connect");

		o->result = b->dead[i] ? OBS_FAILED : OBS_CONNECTED;
		if (b->dead[i])
			err_set(&o->err, ERR_UNREACHABLE, "x", "gone");
		model_apply(b->model, o, b->now);
		job_election_heard(b->e, b->model, o, b->now);
		obs_free(o);
	}
}

static int setup(void **state)
{
	struct bed *b = mem_calloc(1, sizeof(*b));
	struct plan_jobs *j;

	plan_init(&b->plan);
	for (unsigned i = 0; i < HOSTS; i++) {
		struct plan_device *d = vec_add(&b->plan.devices);

		memset(d, 0, sizeof(*d));
		d->rail = -1;
		d->tier = TIER_HOST;
		d->interval_us = CLOCK_SEC;
		d->dialect = mem_strdup("linux");
		d->transport = mem_strdup("ssh");
		d->address = mem_strdup("127.0.0.1");
		(void)str_printf(d->name, sizeof(d->name), "node%03u", i);
	}
	j = vec_add(&b->plan.jobs);
	memset(j, 0, sizeof(*j));
	(void)str_copy(j->source, sizeof(j->source), "nccl-ras");
	b->model = model_new(&b->plan);
	b->e = job_election_new(&b->plan);
	assert_non_null(b->e);
	b->now = 1000 * CLOCK_SEC;
	connect_all(b);
	job_election_step(b->e, b->model, b->now, tell, b);
	assert_int_equal(job_election_trying(b->e), 0); /* their addresses come first */
	b->now += 5 * CLOCK_SEC;
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bed *b = *state;

	job_election_free(b->e);
	model_free(b->model);
	plan_free(&b->plan);
	free(b);
	return 0;
}

/* The answer of the host's listener; a refused connection if it runs no job. */
static void answer(struct bed *b, unsigned host)
{
	struct obs *o = obs_new(b->plan.devices.at[host].name, "nccl-ras");

	b->questions++;
	o->followed = true;
	o->received_us = b->now;
	if (!b->job[host]) {
		o->result = OBS_FAILED;
		err_set(&o->err, ERR_UNREACHABLE, "x", "no process listens");
	}
	for (unsigned i = 0; i < HOSTS && b->job[host]; i++) {
		struct obs_nccl *n;

		if (b->job[i] != b->job[host])
			continue;
		n = obs_nccl(o, NCCL_RANK, SOURCE_RAS);
		n->host = obs_string(o, b->plan.devices.at[i].name);
		n->rank = (int32_t)i;
	}
	job_election_heard(b->e, b->model, o, b->now);
	obs_free(o);
}

/* A second a turn; the elected are asked each turn. */
static void turns(struct bed *b, unsigned n)
{
	while (n--) {
		b->now += CLOCK_SEC;
		for (unsigned i = 0; i < HOSTS; i++)
			if (b->asked[i] && !b->dead[i])
				answer(b, i);
		job_election_step(b->e, b->model, b->now, tell, b);
	}
}

static unsigned asked_of(const struct bed *b, int job)
{
	unsigned n = 0;

	for (unsigned i = 0; i < HOSTS; i++)
		n += b->asked[i] && b->job[i] == job;
	return n;
}

CASE_WITH(asks_one_host_of_each_job, setup, teardown)
{
	struct bed *b = *state;

	for (unsigned i = 0; i < HOSTS; i++)
		b->job[i] = i < 32 ? 1 : i < 48 ? 2 : i < 60 ? 3 : 0;
	turns(b, 12);
	assert_int_equal(asked_of(b, 1), 1);
	assert_int_equal(asked_of(b, 2), 1);
	assert_int_equal(asked_of(b, 3), 1);
	assert_int_equal(asked_of(b, 0), 0); /* tried once, and left alone */
	assert_int_equal(job_election_elected(b->e), 3);
	/* Far fewer than all hosts once: the jobs cover theirs. */
	b->questions = 0;
	turns(b, 10);
	assert_int_equal(b->questions, 30);
}

CASE_WITH(tries_few_at_a_time, setup, teardown)
{
	struct bed *b = *state;

	turns(b, 1);
	assert_int_equal(job_election_trying(b->e), 4);
	turns(b, 1);
	assert_int_equal(b->questions, 4);
	turns(b, 1);
	assert_int_equal(b->questions, 8);
}

CASE_WITH(leaves_idle_hosts_alone_for_longer_and_longer, setup, teardown)
{
	struct bed *b = *state;

	turns(b, 20);
	assert_int_equal(b->questions, HOSTS);
	assert_int_equal(job_election_trying(b->e), 0);
	turns(b, 60);
	assert_int_equal(b->questions, 2 * HOSTS);
	b->questions = 0;
	turns(b, 3600);
	assert_true(b->questions <= 9 * HOSTS);
	assert_true(b->questions >= 5 * HOSTS);
}

CASE_WITH(elects_another_when_one_falls_silent, setup, teardown)
{
	struct bed *b = *state;
	unsigned first = HOSTS;

	for (unsigned i = 0; i < HOSTS; i++)
		b->job[i] = 1;
	turns(b, 10);
	assert_int_equal(asked_of(b, 1), 1);
	for (unsigned i = 0; i < HOSTS; i++)
		if (b->asked[i])
			first = i;
	b->dead[first] = true; /* no word from it, not even that it is gone */
	turns(b, 60);
	assert_int_equal(asked_of(b, 1), 1);
	assert_false(b->asked[first]);
}

CASE_WITH(elects_another_at_once_when_a_host_is_lost, setup, teardown)
{
	struct bed *b = *state;
	unsigned first = HOSTS;

	for (unsigned i = 0; i < HOSTS; i++)
		b->job[i] = 1;
	turns(b, 10);
	for (unsigned i = 0; i < HOSTS; i++)
		if (b->asked[i])
			first = i;
	assert_in_range(first, 0, HOSTS - 1);
	b->dead[first] = true;
	connect_all(b);
	turns(b, 4);
	assert_false(b->asked[first]);
	assert_int_equal(asked_of(b, 1), 1);
}

/* The listener of a host that two jobs share is of one of them; the other's hosts are not lost. */
CASE_WITH(covers_jobs_that_share_a_host, setup, teardown)
{
	struct bed *b = *state;

	for (unsigned i = 0; i < HOSTS; i++)
		b->job[i] = i < 32 ? 1 : 2;
	turns(b, 10);
	b->job[31] = 2;
	turns(b, 30);
	assert_int_equal(asked_of(b, 1), 1);
	assert_int_equal(asked_of(b, 2), 1);
}

CASE_WITH(asks_nobody_who_is_not_connected, setup, teardown)
{
	struct bed *b = *state;

	for (unsigned i = 0; i < HOSTS; i++) {
		b->job[i] = 1;
		b->dead[i] = true;
	}
	connect_all(b);
	turns(b, 10);
	assert_int_equal(job_election_trying(b->e) + job_election_elected(b->e), 0);
	b->dead[7] = false;
	connect_all(b);
	turns(b, 3);
	assert_true(b->asked[7]);
}

CASE_WITH(needs_no_election_without_such_a_source, setup, teardown)
{
	struct bed *b = *state;

	(void)str_copy(b->plan.jobs.at[0].source, sizeof(b->plan.jobs.at[0].source), "slurm");
	assert_null(job_election_new(&b->plan));
	job_election_step(NULL, b->model, b->now, tell, b);
	assert_int_equal(job_election_elected(NULL), 0);
}

CASES_MAIN(NULL, NULL)
