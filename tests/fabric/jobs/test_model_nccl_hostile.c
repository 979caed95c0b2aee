/* SPDX-License-Identifier: Apache-2.0 */
/* Records that contradict one another in every way: nothing may break, all indices stay valid. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "fabric/ref.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"

static uint32_t next(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % below;
}

static int32_t number(uint64_t *seed)
{
	static const int32_t odd[] = {
		-1, 0, 1, 7, 63, 200, COMM_RANKS, COMM_RANKS + 1, INT32_MAX, INT32_MIN};

	return next(seed, 4) ? (int32_t)next(seed, 12)
			     : odd[next(seed, sizeof(odd) / sizeof(odd[0]))];
}

static int64_t wide(uint64_t *seed)
{
	static const int64_t odd[] = {-1, 0, INT64_MAX, INT64_MIN, INT64_C(1) << 40, 31, 32, 33};

	return next(seed, 4) ? (int64_t)next(seed, 90) : odd[next(seed, 8)];
}

static uint32_t word(struct obs *o, uint64_t *seed, const char *what, uint32_t variants)
{
	char text[80];

	if (!next(seed, 4))
		return 0;
	(void)str_printf(text, sizeof(text), what, next(seed, variants));
	return obs_string(o, text);
}

static void record(struct obs *o, uint64_t *seed)
{
	struct obs_nccl *r = obs_nccl(o, (enum nccl_kind)next(seed, NCCL_DONE + 2),
		(enum nccl_source)next(seed, NCCL_SOURCE_COUNT + 1));

	r->job = next(seed, 3) ? 0 : word(o, seed, "job%u", 6);
	r->comm = word(o, seed, next(seed, 2) ? "0x%014x99" : "pg%u", 12);
	r->comm_name = next(seed, 5) ? 0 : word(o, seed, "name%u", 3);
	r->host = word(o, seed, next(seed, 2) ? "node%03u" : "10.0.0.%u", 6);
	r->nic = word(o, seed, "mlx5_%u", 3);
	r->func = word(o, seed, "Func%u", 15);
	r->text = word(o, seed, "10.0.0.%u", 6);
	r->text2 = word(o, seed, "PIX%u", 2);
	r->rank = number(seed);
	r->nranks = number(seed);
	if (r->nranks == COMM_RANKS && next(seed, 20))
		r->nranks = 16;
	if (r->rank == COMM_RANKS)
		r->rank = 3;
	r->peer = number(seed);
	r->pid = number(seed);
	r->gpu = number(seed);
	r->local_gpu = number(seed);
	r->seq = wide(seed);
	r->completed = wide(seed);
	r->begin_us = wide(seed);
	r->end_us = wide(seed);
	r->took_us = next(seed, 3) ? (double)wide(seed) : (double)NAN;
	r->wait_us = next(seed, 9) ? 1 : (double)INFINITY;
	r->state = (uint8_t)next(seed, NCCL_STATE_COUNT + 2);
}

static void check_job(const struct model *m, uint32_t index)
{
	const struct job *j = m->nccl->jobs.at[index];

	if (job_is_free(j)) {
		assert_int_equal(j->comms.n + j->hosts.n, 0);
		return;
	}
	assert_ptr_equal(nccl_job(m->nccl, j->name, NULL), j);
	for (size_t i = 0; i < j->comms.n; i++)
		assert_int_equal(m->nccl->comms.at[j->comms.at[i]]->job, index);
	for (size_t i = 0; i < j->hosts.n; i++) {
		assert_true(j->hosts.at[i] < m->devices.n);
		assert_true(!i || j->hosts.at[i - 1] < j->hosts.at[i]);
	}
}

static void check_comm(const struct model *m, uint32_t index)
{
	const struct comm *c = m->nccl->comms.at[index];
	unsigned times = 0;

	assert_true(c->nranks >= 0 && c->nranks <= COMM_RANKS);
	for (int32_t i = 0; i < c->nranks; i++) {
		assert_true(c->rank[i].host == JOB_NONE || c->rank[i].host < m->devices.n);
		assert_true(c->rank[i].nic == JOB_NONE || c->rank[i].nic < m->ports.n);
		assert_true(c->rank[i].state < NCCL_STATE_COUNT);
	}
	for (unsigned i = 0; comm_op(c, i); i++) {
		const struct op *op = comm_op(c, i);

		assert_true(op->func < c->nfuncs && op->told <= (unsigned)c->nranks);
		for (int32_t k = 0; k < c->nranks; k++)
			assert_true(op->rank[k].peer < c->nranks);
	}
	if (c->job == JOB_NONE)
		return;
	for (size_t i = 0; i < m->nccl->jobs.at[c->job]->comms.n; i++)
		times += m->nccl->jobs.at[c->job]->comms.at[i] == index;
	assert_int_equal(times, 1);
}

static void check(const struct model *m)
{
	size_t ranks = 0;

	for (uint32_t i = 0; i < m->nccl->jobs.n; i++)
		check_job(m, i);
	for (uint32_t i = 0; i < m->nccl->comms.n; i++) {
		check_comm(m, i);
		ranks += (size_t)m->nccl->comms.at[i]->nranks;
	}
	assert_int_equal(ranks, m->nccl->nranks);
	assert_true(ranks <= RANKS_MAX);
}

CASE_WITH(contradictions_break_nothing, feed_setup, feed_teardown)
{
	struct model *m = *state;
	uint64_t seed = 5;

	for (unsigned i = 0; i < effort(300); i++) {
		char host[16];
		struct obs *o;

		(void)str_printf(host, sizeof(host), "node%03u", next(&seed, 3));
		if (i % 3 == 0)
			host[0] = '\0';
		o = obs_new(host, "nccl");
		o->result = OBS_DATA;
		for (unsigned k = 0; k < 60; k++)
			record(o, &seed);
		model_apply(m, o, feed_time(i * 7));
		obs_free(o);
		check(m);
	}
	assert_true(m->nccl->comms.n > 10 && m->nccl->jobs.n > 3);
	assert_true(m->nccl->refused > 100);
}

CASES_MAIN(NULL, NULL)
