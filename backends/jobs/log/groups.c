/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/log/log.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Several jobs in one log. torch numbers the process groups of each job from 0, so that "pg0" of
 * two jobs looks like one group. A rank of one group cannot give up on two operations at about one
 * time: where it does, there are as many jobs, and each line belongs to the one whose operation is
 * nearest to its own. The parts are named "pg0", "pg0#2", ...
 */

#define PARTS_MOST 8
/* One process may give up on so many operations, which wait behind one another. */
#define QUEUE_MOST 64
/* One job after another may end by its watchdog as well; then so much lies between them. */
#define APART_US INT64_C(600000000)

struct part_list {
	int64_t seq[PARTS_MOST]; /* of the rank that told most, ascending */
	unsigned n;
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

/* The operations of one rank, at[0] to at[n - 1], if they contradict each other. */
static void note_rank(struct log_timeout *const *at, size_t n, struct part_list *p)
{
	struct part_list own = {.n = 0};

	for (size_t i = 0; i < n && own.n < PARTS_MOST; i++)
		if (at[i]->seq >= 0 && is_near(at[0], at[i]) &&
			(!own.n || at[i]->seq - own.seq[own.n - 1] > QUEUE_MOST))
			own.seq[own.n++] = at[i]->seq;
	if (own.n > p->n)
		*p = own;
}

/* The nearest part that none of the rank's earlier lines has. */
static unsigned choose(const struct part_list *p, int64_t seq, unsigned used)
{
	unsigned best = 0;
	int64_t least = INT64_MAX;

	for (unsigned i = 0; i < p->n; i++) {
		int64_t far = seq < 0 ? i : llabs(p->seq[i] - seq);

		if (used >> i & 1 || far >= least)
			continue;
		least = far;
		best = i;
	}
	return best;
}

static void part_group(struct log *l, struct log_timeout **at, size_t n)
{
	struct part_list parts = {.n = 0};
	unsigned used = 0;
	char name[96];

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && rank_of(at[end]) == rank_of(at[i]); end++)
			;
		note_rank(&at[i], end - i, &parts);
	}
	if (parts.n < 2)
		return;
	for (size_t i = 0; i < n; i++) {
		unsigned part;

		if (!i || rank_of(at[i]) != rank_of(at[i - 1]))
			used = 0;
		part = choose(&parts, at[i]->seq, used);
		/* Operations that wait behind one another are of one job. */
		if (i + 1 < n && at[i + 1]->seq - at[i]->seq > QUEUE_MOST)
			used |= 1U << part;
		if (!part)
			continue;
		(void)str_printf(name, sizeof(name), "%s#%u",
			at[i]->comm ? obs_text(l->o, at[i]->comm) : "world", part + 1);
		at[i]->comm = obs_string(l->o, name);
	}
}

void nccl_log_part_groups(struct log *l)
{
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
		part_group(l, &at[i], end - i);
	}
	free(at);
}
