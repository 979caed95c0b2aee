/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "fabric/ref.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"

#define WORLD "0x9bd8b4c5a3b1e8f7"

static struct obs *batch(void)
{
	return feed_batch_of("node000", "nccl-ras");
}

static struct obs_nccl *add(struct obs *o, enum nccl_kind kind, const char *comm, int rank)
{
	struct obs_nccl *r = obs_nccl(o, kind, SOURCE_RAS);

	r->comm = obs_string(o, comm);
	r->rank = rank;
	return r;
}

/* Ranks 0..n-1 of comm, two of each host: node000, node001, ... by name or by address. */
static void ranks(struct obs *o, const char *comm, int n, int but)
{
	char host[32];

	for (int i = 0; i < n; i++) {
		struct obs_nccl *r;

		if (i == but)
			continue;
		r = add(o, NCCL_RANK, comm, i);
		(void)str_printf(host, sizeof(host), "node%03d", i / 2);
		r->host = obs_string(o, host);
		r->nranks = n;
		r->pid = 1000 + i;
		r->gpu = i % 2;
		r->state = NCCL_RUNNING;
	}
}

static void done(struct obs *o, const char *comm)
{
	(void)add(o, NCCL_DONE, comm, -1);
}

static const struct comm *comm_at(const struct model *m, size_t i)
{
	assert_true(i < m->nccl->comms.n);
	return m->nccl->comms.at[i];
}

static unsigned jobs_shown(const struct model *m)
{
	unsigned n = 0;

	for (size_t i = 0; i < m->nccl->jobs.n; i++)
		n += !job_is_free(m->nccl->jobs.at[i]);
	return n;
}

CASE_WITH(a_rank_leads_to_host_gpu_and_nic, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = batch();
	const struct rank *r;

	ranks(o, WORLD, 2, -1);
	feed(m, o, 0);
	r = &comm_at(m, 0)->rank[1];
	assert_int_equal(r->host, model_device(m, "node000")->id);
	assert_int_equal(r->host_source, SOURCE_RAS);
	assert_int_equal(r->gpu, 1);
	assert_int_equal(r->pid, 1001);
	assert_int_equal(r->local_gpu, -1);
	/* As many NICs as GPUs: by index, and said so. */
	assert_int_equal(r->nic, feed_port(m, "node000", "mlx5_1")->id);
	assert_int_equal(r->nic_source, SOURCE_UNKNOWN);
	assert_int_equal(comm_launched(comm_at(m, 0), 0), -1);
}

CASE_WITH(what_the_driver_tells_beats_the_index_and_nccl_beats_both, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = batch();
	struct obs_nccl *g;

	ranks(o, WORLD, 2, -1);
	feed(m, o, 0);
	o = batch();
	g = obs_nccl(o, NCCL_GPU, SOURCE_TOPOLOGY);
	g->gpu = 0;
	g->nic = obs_string(o, "mlx5_1");
	g->text2 = obs_string(o, "PIX");
	feed(m, o, 1);
	assert_int_equal(comm_at(m, 0)->rank[0].nic, feed_port(m, "node000", "mlx5_1")->id);
	assert_int_equal(comm_at(m, 0)->rank[0].nic_source, SOURCE_TOPOLOGY);
	assert_string_equal(nccl_gpu(m->nccl, model_device(m, "node000")->id, 0)->how, "PIX");
	o = batch();
	g = add(o, NCCL_RANK, WORLD, 0);
	g->source = SOURCE_NCCL_LOG;
	g->nic = obs_string(o, "mlx5_0:1");
	feed(m, o, 2);
	assert_int_equal(comm_at(m, 0)->rank[0].nic, feed_port(m, "node000", "mlx5_0")->id);
	assert_int_equal(comm_at(m, 0)->rank[0].nic_source, SOURCE_NCCL_LOG);
}

CASE_WITH(fewer_gpus_than_nics_prove_nothing, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = batch();

	ranks(o, WORLD, 1, -1);
	feed(m, o, 0);
	assert_int_equal(comm_at(m, 0)->rank[0].nic, JOB_NONE);
}

CASE_WITH(addresses_lead_to_hosts_also_when_they_come_late, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = batch();
	struct obs_nccl *r = add(o, NCCL_RANK, WORLD, 0);

	r->host = obs_string(o, "10.20.1.11");
	r->nranks = 2;
	feed(m, o, 0);
	assert_int_equal(comm_at(m, 0)->rank[0].host, JOB_NONE);
	assert_string_equal(comm_at(m, 0)->rank[0].host_text, "10.20.1.11");
	o = batch();
	r = obs_nccl(o, NCCL_ADDRESS, SOURCE_ADDRESSES);
	r->text = obs_string(o, "10.20.1.11");
	r = obs_nccl(o, NCCL_ADDRESS, SOURCE_ADDRESSES);
	r->text = obs_string(o, "127.0.0.1");
	feed(m, o, 1);
	assert_int_equal(comm_at(m, 0)->rank[0].host, model_device(m, "node000")->id);
	assert_int_equal(model_host_by_text(m, "127.0.0.1"), JOB_NONE);
	assert_int_equal(
		model_host_by_text(m, "NODE000.example.org"), model_device(m, "node000")->id);
	assert_int_equal(model_host_by_text(m, "node0"), JOB_NONE);
	assert_int_equal(model_host_by_text(m, ""), JOB_NONE);
}

CASE_WITH(a_cut_hash_is_the_same_communicator, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = batch();
	struct obs_nccl *r;

	r = add(o, NCCL_OP, "0x9BD8b4c5a3b1e8", 1);
	r->nranks = 2;
	r->func = obs_string(o, "AllReduce");
	r->seq = 7;
	r->took_us = 1000;
	feed(m, o, 0);
	o = batch();
	ranks(o, WORLD, 2, -1);
	feed(m, o, 1);
	assert_int_equal(m->nccl->comms.n, 1);
	assert_string_equal(comm_at(m, 0)->id, WORLD);
	assert_int_equal(comm_op(comm_at(m, 0), 0)->seq, 7);
}

CASE_WITH(communicators_of_one_process_are_one_job, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = batch();
	const struct job *j;

	/* The small ones come first and have nothing in common. */
	ranks(o, "0x1111111111111111", 1, -1);
	feed(m, o, 0);
	o = batch();
	ranks(o, "0x2222222222222222", 2, 0);
	feed(m, o, 1);
	assert_int_equal(jobs_shown(m), 2);
	o = batch();
	ranks(o, WORLD, 2, -1);
	feed(m, o, 2);
	assert_int_equal(jobs_shown(m), 1);
	j = m->nccl->jobs.at[comm_at(m, 2)->job];
	assert_int_equal(j->comms.n, 3);
	assert_int_equal(job_world(m->nccl, j, NULL)->nranks, 2);
	assert_int_equal(j->gpus, 2);
	assert_int_equal(j->hosts.n, 1);
	for (size_t i = 0; i < 3; i++)
		assert_ptr_equal(m->nccl->jobs.at[comm_at(m, i)->job], j);
	assert_int_equal(m->nccl->jobs.at[model_job_of(m, model_device(m, "node000")->id)] == j, 1);
}

static void tell_job(struct model *m, double t, const char *name, const char *host)
{
	struct obs *o = feed_batch_of("", "slurm");
	struct obs_nccl *r = obs_nccl(o, NCCL_JOB, SOURCE_SLURM);

	r->job = obs_string(o, name);
	r->host = obs_string(o, host);
	r->text = obs_string(o, "alice");
	(void)obs_nccl(o, NCCL_DONE, SOURCE_SLURM);
	model_nccl_apply(m, o, feed_time(t));
	obs_free(o);
}

CASE_WITH(the_scheduler_names_the_job, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = batch();
	const struct job *j;

	ranks(o, WORLD, 2, -1);
	feed(m, o, 0);
	assert_string_equal(m->nccl->jobs.at[comm_at(m, 0)->job]->name, "job-9bd8b4c5");
	tell_job(m, 1, "pretrain", "node000");
	j = nccl_job(m->nccl, "pretrain", NULL);
	assert_non_null(j);
	assert_string_equal(j->user, "alice");
	assert_int_equal(jobs_shown(m), 1);
	assert_ptr_equal(m->nccl->jobs.at[comm_at(m, 0)->job], j);
	/* And communicators that come later find it. */
	o = batch();
	ranks(o, "0x3333333333333333", 2, 1);
	feed(m, o, 2);
	assert_int_equal(j->comms.n, 2);
	tell_job(m, 3, "other", "leaf-r0-00");
	assert_true(nccl_job(m->nccl, "pretrain", NULL)->gone);
	assert_true(comm_at(m, 0)->gone);
	assert_int_equal(model_job_of(m, model_device(m, "node000")->id), JOB_NONE);
}

static void count(struct obs *o, int rank, int64_t launched)
{
	struct obs_nccl *r = add(o, NCCL_COUNT, WORLD, rank);

	r->func = obs_string(o, "AllReduce");
	r->seq = launched;
}

CASE_WITH(counts_remember_when_they_grew, feed_setup, feed_teardown)
{
	struct model *m = *state;
	static const int64_t seen[] = {5, 6, 6};
	const struct rank *r;
	struct obs *o;

	for (unsigned i = 0; i < 3; i++) {
		o = batch();
		ranks(o, WORLD, 2, -1);
		count(o, 0, seen[i]);
		feed(m, o, i * 10);
	}
	r = &comm_at(m, 0)->rank[0];
	assert_int_equal(r->count[0].launched, 6);
	assert_int_equal(r->count[0].grew_us, feed_time(10));
	assert_int_equal(comm_launched(comm_at(m, 0), 0), 6);
	assert_int_equal(comm_at(m, 0)->rank[1].count[0].launched, -1);
	/* Another process counts from zero. */
	o = batch();
	add(o, NCCL_RANK, WORLD, 0)->pid = 5;
	feed(m, o, 40);
	assert_int_equal(r->count[0].launched, -1);
}

CASE_WITH(a_complete_answer_shows_who_is_missing, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = batch();

	ranks(o, WORLD, 4, -1);
	ranks(o, "0x4444444444444444", 4, -1);
	done(o, WORLD);
	feed(m, o, 0);
	assert_int_equal(comm_at(m, 0)->missing, 0);
	o = batch();
	ranks(o, WORLD, 4, 2);
	ranks(o, "0x4444444444444444", 4, 2);
	done(o, WORLD);
	feed(m, o, 10);
	assert_int_equal(comm_at(m, 0)->missing, 1);
	assert_int_equal(comm_at(m, 0)->rank[2].state, NCCL_UNRESPONSIVE);
	assert_int_equal(comm_at(m, 0)->rank[2].state_us, feed_time(10));
	/* One event for the process. */
	assert_int_equal(feed_events(m, EV_RANK_MISSING), 1);
	o = batch();
	ranks(o, WORLD, 4, -1);
	done(o, WORLD);
	feed(m, o, 20);
	assert_int_equal(comm_at(m, 0)->missing, 0);
	assert_int_equal(comm_at(m, 0)->rank[2].state, NCCL_RUNNING);
	/* The other communicator of the job is not there any more. */
	assert_true(comm_at(m, 1)->gone);
	assert_false(m->nccl->jobs.at[comm_at(m, 0)->job]->gone);
}

CASE_WITH(an_answer_of_few_or_a_broken_one_shows_nothing_missing, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = batch();

	ranks(o, WORLD, 4, -1);
	feed(m, o, 0);
	o = batch();
	(void)add(o, NCCL_RANK, WORLD, 3);
	done(o, WORLD);
	feed(m, o, 10);
	assert_int_equal(comm_at(m, 0)->missing, 0);
	o = batch();
	ranks(o, WORLD, 4, 2);
	done(o, WORLD);
	(void)err_set(&o->err, ERR_LIMIT, "node000", "cut");
	feed(m, o, 20);
	assert_int_equal(comm_at(m, 0)->missing, 0);
}

CASE_WITH(a_process_that_died_is_dead_in_all_its_communicators, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = batch();
	struct obs_nccl *r;

	ranks(o, WORLD, 2, -1);
	ranks(o, "0x4444444444444444", 2, -1);
	feed(m, o, 0);
	o = batch();
	r = obs_nccl(o, NCCL_STATE, SOURCE_RAS);
	r->host = obs_string(o, "node000");
	r->pid = 1001;
	r->state = NCCL_DEAD;
	r = obs_nccl(o, NCCL_ERROR, SOURCE_NCCL_LOG);
	r->pid = 1000;
	r->text = obs_string(o, "completion with status 12");
	feed(m, o, 1);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(comm_at(m, i)->rank[1].state, NCCL_DEAD);
		assert_int_equal(comm_at(m, i)->rank[0].state, NCCL_RUNNING);
		assert_string_equal(comm_at(m, i)->rank[0].error, "completion with status 12");
		assert_int_equal(comm_at(m, i)->rank[1].error_us, 0);
	}
	assert_int_equal(feed_events(m, EV_RANK_DEAD), 1);
	assert_int_equal(feed_events(m, EV_RANK_ERROR), 1);
}

CASE_WITH(ras_does_not_heal_a_watchdog, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = batch();
	struct obs_nccl *r;

	ranks(o, WORLD, 2, -1);
	count(o, 0, 5);
	feed(m, o, 0);
	o = batch();
	r = add(o, NCCL_STATE, WORLD, 0);
	r->source = SOURCE_WATCHDOG_LOG;
	r->state = NCCL_TIMED_OUT;
	feed(m, o, 1);
	o = batch();
	ranks(o, WORLD, 2, -1);
	feed(m, o, 2);
	assert_int_equal(comm_at(m, 0)->rank[0].state, NCCL_TIMED_OUT);
	o = batch();
	count(o, 0, 6);
	feed(m, o, 3);
	assert_int_equal(comm_at(m, 0)->rank[0].state, NCCL_RUNNING);
}

static struct obs_nccl *op(struct obs *o, int rank, int64_t seq, int64_t begin, int64_t end)
{
	struct obs_nccl *r = add(o, NCCL_OP, WORLD, rank);

	r->nranks = 4;
	r->func = obs_string(o, "AllReduce");
	r->seq = seq;
	r->begin_us = begin;
	r->end_us = end;
	return r;
}

CASE_WITH(operations_are_a_ring_of_the_newest, feed_setup, feed_teardown)
{
	struct model *m = *state;
	const struct comm *c;
	struct obs *o = batch();
	struct obs_nccl *e;

	for (int rank = 0; rank < 2; rank++) {
		for (int64_t seq = 0; seq < 100; seq++)
			(void)op(o, rank, seq, 1000 + seq * 10, 1005 + seq * 10);
	}
	e = op(o, 1, 99, 0, 0);
	e->kind = NCCL_EDGE;
	e->peer = 2;
	e->took_us = 33;
	feed(m, o, 0);
	c = comm_at(m, 0);
	for (unsigned i = 0; i < NCCL_OPS; i++) {
		assert_int_equal(comm_op(c, i)->seq, 99 - i);
		assert_int_equal(comm_op(c, i)->told, 2);
	}
	assert_null(comm_op(c, NCCL_OPS));
	assert_near(comm_op(c, 0)->rank[1].took_us, 5);
	assert_near(comm_op(c, 0)->rank[1].send_us, 33);
	assert_int_equal(comm_op(c, 0)->rank[1].peer, 2);
	assert_int_equal(comm_op(c, 0)->rank[0].peer, -1);
	assert_true(isnan(comm_op(c, 0)->rank[2].took_us));
	assert_int_equal(c->rank[0].op_end_us, 1995);
	/* A third rank's late report of operations that are gone does not bring them back. */
	o = batch();
	for (int64_t seq = 0; seq < 100; seq++)
		(void)op(o, 3, seq, 1000 + seq * 10, 1005 + seq * 10);
	feed(m, o, 1);
	assert_int_equal(comm_op(c, 0)->seq, 99);
	assert_int_equal(comm_op(c, 0)->told, 3);
	assert_int_equal(comm_op(c, NCCL_OPS - 1)->seq, 68);
}

CASE_WITH(hostile_numbers_are_refused, feed_setup, feed_teardown)
{
	struct model *m = *state;
	static const int32_t sizes[] = {INT32_MAX, COMM_RANKS + 1, -5, 0};
	struct obs *o = batch();
	struct obs_nccl *r;

	for (unsigned i = 0; i < 4; i++) {
		r = add(o, NCCL_RANK, WORLD, INT32_MAX);
		r->nranks = sizes[i];
	}
	r = add(o, NCCL_RANK, WORLD, INT32_MIN);
	r->nranks = 4;
	(void)op(o, 9, 1, 1, 2);
	(void)op(o, 0, INT64_MAX, INT64_MAX, INT64_MAX);
	(void)op(o, 0, -1, 1, 2);
	op(o, 0, 3, 1, 2)->peer = INT32_MAX;
	r = op(o, 0, INT64_MAX, 5, 4);
	r->took_us = -1;
	r = op(o, 0, 1, 5, 4);
	r->kind = NCCL_EDGE;
	r->peer = 4;
	r->took_us = INFINITY;
	for (int i = 0; i < 100; i++) {
		char name[32];

		(void)str_printf(name, sizeof(name), "Func%d", i);
		r = add(o, NCCL_COUNT, WORLD, 0);
		r->func = obs_string(o, name);
		r->seq = INT64_MAX;
	}
	r = add(o, NCCL_GPU, "", -1);
	r->gpu = INT32_MAX;
	r = add(o, NCCL_STATE, WORLD, 0);
	r->state = 255;
	r = add(o, (enum nccl_kind)200, WORLD, 0);
	feed(m, o, 0);
	assert_int_equal(comm_at(m, 0)->nranks, 4);
	assert_int_equal(comm_at(m, 0)->nfuncs, NCCL_FUNCS);
	assert_true(m->nccl->refused > 80);
	assert_int_equal(m->nccl->nranks, 4);
}

CASE_WITH(many_communicators_are_bounded, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (unsigned k = 0; k < 2; k++) {
		struct obs *o = batch();

		for (unsigned i = 0; i < COMMS_MAX; i++) {
			char id[32];
			struct obs_nccl *r;

			(void)str_printf(id, sizeof(id), "0x%08x00000000", k * COMMS_MAX + i + 1);
			r = add(o, NCCL_RANK, id, 0);
			r->nranks = 2;
			r->host = obs_string(o, id);
			r->pid = 1;
		}
		feed(m, o, k);
	}
	assert_int_equal(m->nccl->comms.n, COMMS_MAX);
	assert_true(m->nccl->jobs.n <= JOBS_MAX);
	assert_true(m->nccl->refused >= COMMS_MAX);
}

/* Weeks of jobs: ended ones make room for new ones, and in the end cost nothing. */
CASE_WITH(weeks_of_jobs_do_not_make_it_blind, feed_setup, feed_teardown)
{
	struct model *m = *state;
	const int days = 86400;

	for (unsigned k = 0; k < 14; k++) {
		struct obs *o = batch();

		for (unsigned i = 0; i < 10; i++) {
			char id[32];

			(void)str_printf(id, sizeof(id), "0x%08x00000000", k * 10 + i + 1);
			(void)add(o, NCCL_RANK, id, COMM_RANKS / 8);
			(void)add(o, NCCL_RANK, id, 0);
		}
		feed(m, o, (int)k * days / 8);
	}
	assert_int_equal(m->nccl->refused, 0);
	assert_true(m->nccl->nranks <= RANKS_MAX);
	(void)model_age(m, feed_time(14 * days));
	(void)model_age(m, feed_time(15 * days));
	assert_int_equal(m->nccl->nranks, 0);
	assert_int_equal(jobs_shown(m), 0);
}

CASE_WITH(what_ras_tells_of_no_more_is_gone_and_then_forgotten, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = batch();
	struct obs_nccl *r;

	ranks(o, WORLD, 4, -1);
	feed(m, o, 0);
	/* From a log, which tells of it once. */
	r = add(o = batch(), NCCL_RANK, "0x0123456789abcdef", 1);
	r->source = SOURCE_NCCL_LOG;
	feed(m, o, 1);
	(void)model_age(m, feed_time(800));
	assert_false(comm_at(m, 0)->gone);
	(void)model_age(m, feed_time(1000));
	assert_true(comm_at(m, 0)->gone && m->nccl->jobs.at[comm_at(m, 0)->job]->gone);
	assert_false(comm_at(m, 1)->gone);
	assert_int_equal(comm_at(m, 0)->nranks, 4);
	(void)model_age(m, feed_time(4000));
	assert_int_equal(comm_at(m, 0)->nranks, 0);
	assert_int_equal(comm_at(m, 1)->nranks, 2);
	/* Its slot is the next one's. */
	o = batch();
	ranks(o, WORLD, 4, -1);
	feed(m, o, 4001);
	assert_int_equal(m->nccl->comms.n, 2);
	assert_int_equal(comm_at(m, 0)->nranks, 4);
	assert_false(comm_at(m, 0)->gone);
}

CASE_WITH(what_a_scheduler_calls_running_is_not_gone, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = batch();
	struct obs_nccl *r;

	r = obs_nccl(o, NCCL_JOB, SOURCE_SLURM);
	r->job = obs_string(o, "pretrain");
	r->host = obs_string(o, "node000");
	ranks(o, WORLD, 2, -1);
	feed(m, o, 0);
	assert_int_equal(jobs_shown(m), 1);
	(void)model_age(m, feed_time(9 * 86400));
	assert_false(comm_at(m, 0)->gone);
	assert_false(comm_is_silent(m->nccl, comm_at(m, 0), feed_time(9 * 86400)));
}

static bool parses(const struct model *m, const char *text, struct ref *r, struct err *err)
{
	return ref_parse(m, text, r, err);
}

CASE_WITH(jobs_and_ranks_have_locators, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = batch();
	struct ref r;
	struct err err = {0};
	char text[128];

	ranks(o, WORLD, 4, -1);
	ranks(o, "0x1111111111111111", 2, -1);
	feed(m, o, 0);
	assert_true(parses(m, " rank 3 ", &r, &err));
	assert_int_equal(r.kind, REF_RANK);
	assert_int_equal(r.rank, 3);
	assert_true(ref_format(m, r, text, sizeof(text)));
	assert_string_equal(text, "rank job-9bd8b4c5/3");
	assert_true(parses(m, text, &r, &err));
	assert_int_equal(r.rank, 3);
	assert_true(parses(m, "rank job-9bd8b4c5/0x1111111111111111/1", &r, &err));
	assert_true(ref_format(m, r, text, sizeof(text)));
	assert_string_equal(text, "rank job-9bd8b4c5/0x1111111111111111/1");
	assert_true(parses(m, "job job-9bd8b4c5", &r, &err));
	assert_int_equal(r.kind, REF_JOB);
	assert_true(ref_format(m, r, text, sizeof(text)));
	assert_string_equal(text, "job job-9bd8b4c5");
	assert_true(parses(m, "comm job-9bd8b4c5/" WORLD, &r, &err));
	assert_int_equal(r.kind, REF_COMM);
	assert_false(parses(m, "rank 4", &r, &err));
	assert_non_null(strstr(err.text, "0 to 3"));
	assert_false(parses(m, "job job-9bd8b4c6", &r, &err));
	assert_non_null(strstr(err.cure, "job-9bd8b4c5"));
	assert_false(parses(m, "rank nobody/1", &r, &err));
	assert_false(parses(m, "rank x", &r, &err));
}

/* A job by whatever a person has at hand: its name, a hash out of a log, a process. */
CASE_WITH(a_job_goes_by_name_hash_or_process, feed_setup, feed_teardown)
{
	static const char *const names[] = {"job job-9bd8b4c5", "job-9bd8b4c5",
		"job 0x9bd8b4c5a3b1e8f7", WORLD, "0x9BD8B4", "9bd8b4c5a3b1e8", "job 9bd8b4c5",
		"job 1003"};
	struct model *m = *state;
	struct obs *o = batch();
	struct ref want, r;
	struct err err = {0};

	ranks(o, WORLD, 4, -1);
	feed(m, o, 0);
	assert_true(parses(m, names[0], &want, &err));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!parses(m, names[i], &r, &err))
			fail_msg("%s: %s", names[i], err.text);
		assert_true(ref_eq(r, want));
	}
	assert_true(parses(m, "job-9bd8b4c5/3", &r, &err));
	assert_int_equal(r.kind, REF_RANK);
	assert_int_equal(r.rank, 3);
	assert_true(parses(m, "rank 0x9bd8b4/2", &r, &err));
	assert_int_equal(r.rank, 2);
	/* Five digits are too few, and no process has this number. */
	assert_false(parses(m, "0x9bd8b", &r, &err));
	assert_false(parses(m, "job 77", &r, &err));
	assert_string_equal(err.cure, "jobs: job-9bd8b4c5");
	/* A hash that two jobs begin with names neither. */
	o = batch();
	ranks(o, "0x9bd8b4ffffffffff", 2, -1);
	feed(m, o, 1);
	if (jobs_shown(m) == 2)
		assert_false(parses(m, "job 0x9bd8b4", &r, &err));
}

static void collect(void *ctx, const char *text)
{
	char *all = ctx;

	(void)str_copy(all + strlen(all), 400 - strlen(all), text);
	(void)str_copy(all + strlen(all), 400 - strlen(all), ";");
}

CASE_WITH(locators_are_completed, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = batch();
	char all[400] = "";

	ranks(o, WORLD, 2, -1);
	feed(m, o, 0);
	ref_complete(m, "jo", 9, collect, all);
	assert_string_equal(all, "job job-9bd8b4c5;job-9bd8b4c5;");
	all[0] = '\0';
	ref_complete(m, "rank ", 9, collect, all);
	assert_string_equal(all, "rank job-9bd8b4c5/;");
	all[0] = '\0';
	ref_complete(m, "rank job-9bd8b4c5/", 9, collect, all);
	assert_string_equal(all, "rank job-9bd8b4c5/0;rank job-9bd8b4c5/1;");
}

CASE_WITH(a_world_of_4096_ranks_stays_small, feed_setup, feed_teardown)
{
	size_t ranks_size = sizeof(struct rank) * 4096;
	size_t ops_size = sizeof(struct op_rank) * 4096 * NCCL_OPS;

	print_message("# rank %zu B, op_rank %zu B: %.1f MB\n", sizeof(struct rank),
		sizeof(struct op_rank), (double)(ranks_size + ops_size) / 1e6);
	assert_true(ranks_size + ops_size <= 25u * 1000 * 1000);
}

CASES_MAIN(NULL, NULL)
