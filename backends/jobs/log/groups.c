/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/log/log.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Several jobs in one log. torch numbers the process groups of each job from 0, so that "pg0" of
 * two jobs looks like one group. A rank cannot give up on two operations far from each other at
 * about one time, and two pods or containers are not one rank: where that is so, there are as many
 * jobs. Each line belongs to the job of its writer, else to the one whose operation is nearest to
 * its own. The parts are named "pg0#1", "pg0#2", ...: parts of one number are of one job.
 */

#define PARTS_MOST 8
/* One process may give up on so many operations, which wait behind one another. */
#define QUEUE_MOST 64
/* One job after another may end by its watchdog as well; then so much lies between them. */
#define APART_US INT64_C(600000000)

struct part {
	int64_t seq;     /* of the rank that told most */
	uint32_t writer; /* 0: unknown */
};
struct part_list {
	struct part at[PARTS_MOST];
	unsigned n;
};

/* Which job a writer is of, from the groups that were parted before. */
struct writer_job {
	uint32_t writer;
	unsigned job;
};
struct parting {
	struct log *l;
	VEC(struct writer_job) writers;
	unsigned jobs; /* numbers that are in use */
};

static int32_t rank_of(const struct log_timeout *t)
{
	return t->comm || t->global < 0 ? t->rank : t->global;
}

/* With the batch that has their texts. */
static int compare(const void *a, const void *b, void *batch)
{
	const struct log_timeout *const *x = a, *const *y = b;
	const struct obs *o = batch;
	int comm = strcmp(obs_text(o, (*x)->comm), obs_text(o, (*y)->comm));

	if (comm)
		return comm;
	if (rank_of(*x) != rank_of(*y))
		return rank_of(*x) < rank_of(*y) ? -1 : 1;
	return (*x)->seq < (*y)->seq ? -1 : (*x)->seq > (*y)->seq;
}

static bool is_near(const struct log_timeout *a, const struct log_timeout *b)
{
	return !a->time_us || !b->time_us || llabs(a->time_us - b->time_us) < APART_US;
}

static bool is_writer(const struct obs *o, uint32_t a, uint32_t b)
{
	return a && b && str_eq(obs_text(o, a), obs_text(o, b));
}

/* Two lines of one rank that cannot be of one job. Several groups of a job may have one name, so
 * that their ranks are told apart by the rank in the job. */
static bool is_apart(const struct obs *o, const struct log_timeout *a, const struct log_timeout *b)
{
	if (a->global >= 0 && b->global >= 0 && a->global != b->global)
		return false;
	if (a->writer && b->writer)
		return !is_writer(o, a->writer, b->writer);
	return a->seq >= 0 && b->seq >= 0 && llabs(a->seq - b->seq) > QUEUE_MOST;
}

/* The lines of one rank, at[0] to at[n - 1], if they contradict each other. */
static void note_rank(
	const struct obs *o, struct log_timeout *const *at, size_t n, struct part_list *p)
{
	const struct log_timeout *own[PARTS_MOST];
	unsigned nown = 0;

	for (size_t i = 0; i < n && nown < PARTS_MOST; i++) {
		bool apart = is_near(at[0], at[i]);

		for (unsigned k = 0; k < nown && apart; k++)
			apart = is_apart(o, own[k], at[i]);
		if (apart && (at[i]->seq >= 0 || at[i]->writer))
			own[nown++] = at[i];
	}
	if (nown <= p->n)
		return;
	p->n = nown;
	for (unsigned k = 0; k < nown; k++)
		p->at[k] = (struct part){own[k]->seq, own[k]->writer};
}

static size_t alike(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

/*
 * The part with the nearest operation; of equal ones that whose writer has the most similar name:
 * pods of one job are named alike.
 */
static unsigned choose(const struct obs *o, const struct part_list *p, const struct log_timeout *t)
{
	unsigned best = 0;
	int64_t least = INT64_MAX;
	size_t most = 0;

	for (unsigned i = 0; i < p->n; i++) {
		int64_t far =
			t->seq < 0 || p->at[i].seq < 0 ? QUEUE_MOST : llabs(p->at[i].seq - t->seq);
		size_t same = alike(obs_text(o, p->at[i].writer), obs_text(o, t->writer));

		if (is_writer(o, p->at[i].writer, t->writer))
			return i;
		if (far > least || (far == least && same <= most && least != INT64_MAX))
			continue;
		least = far;
		most = same;
		best = i;
	}
	return best;
}

static unsigned job_of_writer(const struct parting *p, uint32_t writer)
{
	for (size_t i = 0; i < p->writers.n; i++)
		if (is_writer(p->l->o, p->writers.at[i].writer, writer))
			return p->writers.at[i].job;
	return 0;
}

static void put_into(struct parting *p, struct log_timeout *t, unsigned job)
{
	char name[96];

	if (t->writer && !job_of_writer(p, t->writer))
		vec_push(&p->writers, ((struct writer_job){t->writer, job}));
	(void)str_printf(
		name, sizeof(name), "%s#%u", t->comm ? obs_text(p->l->o, t->comm) : "world", job);
	t->comm = obs_string(p->l->o, name);
}

/* at[0] to at[n - 1]: the lines of one group. */
static void part_group(struct parting *p, struct log_timeout **at, size_t n)
{
	struct part_list parts = {.n = 0};
	unsigned job[PARTS_MOST] = {0};

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && rank_of(at[end]) == rank_of(at[i]); end++)
			;
		note_rank(p->l->o, &at[i], end - i, &parts);
	}
	for (unsigned k = 0; k < parts.n && parts.n > 1; k++) {
		job[k] = job_of_writer(p, parts.at[k].writer);
		if (!job[k])
			job[k] = ++p->jobs;
	}
	for (size_t i = 0; i < n; i++) {
		unsigned own = job_of_writer(p, at[i]->writer);

		if (own)
			put_into(p, at[i], own);
		else if (parts.n > 1)
			put_into(p, at[i], job[choose(p->l->o, &parts, at[i])]);
	}
}

void nccl_log_part_groups(struct log *l)
{
	struct parting p = {.l = l};
	size_t n = l->timeouts.n;
	struct log_timeout **at;

	if (n < 2)
		return;
	at = mem_calloc(n, sizeof(*at));
	for (size_t i = 0; i < n; i++)
		at[i] = &l->timeouts.at[i];
	qsort_r(at, n, sizeof(*at), compare, l->o);
	for (size_t i = 0, end; i < n; i = end) {
		const char *comm = obs_text(l->o, at[i]->comm);

		for (end = i; end < n && str_eq(obs_text(l->o, at[end]->comm), comm); end++)
			;
		part_group(&p, &at[i], end - i);
	}
	vec_free(&p.writers);
	free(at);
}
