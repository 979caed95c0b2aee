/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/str.h"
#include "base/vec.h"
#include "emulator/serve/ras_internal.h"

/*
 * The report as text. Ranks that differ are listed one by one only if they are few. NCCL's
 * thresholds are ten, and a quarter of all (half of all in the verbose report).
 */

#define DETAIL_MOST 10

const char *ras_function(int k)
{
	static const char *const names[SIM_COLLS] = {
		"Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce"};

	return names[k];
}

/*
 * The distribution of the processes over the nodes; with `answered`, of those that answered
 * only.
 */
struct spread {
	unsigned nodes, least, most, ranks;
};

static struct spread spread_of(const struct ras_client *c, bool answered)
{
	/* Indexed by the host's number in its tier, up to the job's last host. */
	VEC(unsigned) on = {0};
	struct spread s = {0};
	struct sim_rank_view v;

	for (unsigned k = 0; k < c->job->nranks; k++) {
		if (answered && ras_missing(&c->job->peer[k]))
			continue;
		ras_rank(c->ras, c->job, k, &v);
		while (on.n <= v.host->index)
			vec_push(&on, 0);
		on.at[v.host->index]++;
		s.ranks++;
	}
	for (size_t i = 0; i < on.n; i++) {
		if (!on.at[i])
			continue;
		s.least = !s.nodes || on.at[i] < s.least ? on.at[i] : s.least;
		s.most = on.at[i] > s.most ? on.at[i] : s.most;
		s.nodes++;
	}
	vec_free(&on);
	return s;
}

/* "8" or "7-8" */
static const char *format_range(const struct spread *s, char *dst, size_t size)
{
	if (s->least == s->most)
		(void)str_printf(dst, size, "%u", s->most);
	else
		(void)str_printf(dst, size, "%u-%u", s->least, s->most);
	return dst;
}

void ras_report_head(struct ras_client *c)
{
	struct spread s = spread_of(c, false);
	char text[32];

	(void)buf_addf(&c->out,
		"NCCL version " RAS_NCCL_VERSION " compiled with CUDA " RAS_CUDA_TEXT "\n"
		"CUDA runtime version %d, driver version %d\n\n"
		"Job summary\n===========\n\n"
		"  Nodes  Processes         GPUs  Processes     GPUs\n"
		"(total)   per node  per process    (total)  (total)\n"
		"%7u%11s%13u%11u%9u\n\nCommunicators...",
		RAS_CUDA_VERSION, RAS_CUDA_VERSION, s.nodes, format_range(&s, text, sizeof(text)),
		1U, s.ranks, s.ranks);
}

/* ---- ranks that differ ---- */

struct group {
	uint64_t count;
	unsigned ranks, first;
};

static int by_size(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->ranks != y->ranks)
		return x->ranks < y->ranks ? 1 : -1;
	return (x->count < y->count) - (x->count > y->count);
}

#define GROUPS_MOST 16 /* limits the lines of a job with more distinct counts */

/* The distinct numbers of operations of function k, sorted by number of ranks, largest first. */
static size_t group_ranks(const struct ras_client *c, int k, struct group g[GROUPS_MOST])
{
	struct sim_rank_view v;
	size_t n = 0, i;

	for (unsigned rank = 0; rank < c->job->nranks; rank++) {
		if (ras_missing(&c->job->peer[rank]))
			continue;
		ras_rank(c->ras, c->job, rank, &v);
		for (i = 0; i < n && g[i].count != v.counts[k]; i++)
			continue;
		if (i == GROUPS_MOST)
			continue;
		if (i == n)
			g[n++] = (struct group){.count = v.counts[k], .first = rank};
		g[i].ranks++;
	}
	qsort(g, n, sizeof(*g), by_size);
	return n;
}

static bool is_outlier(const struct ras_client *c, unsigned ranks)
{
	return c->verbose ? ranks * 2 < c->job->nranks
			  : ranks <= DETAIL_MOST && ranks * 4 <= c->job->nranks;
}

static void put_rank(struct ras_client *c, const struct sim_rank_view *v, const char *what)
{
	char host[64];

	ras_address(c->ras, v->host, host);
	(void)buf_addf(&c->out, "  Rank %u%s -- GPU %u managed by process %u on node %s\n", v->rank,
		what, v->gpu, v->pid, host);
}

static void put_group(struct ras_client *c, int k, const struct group *g)
{
	struct sim_rank_view v;
	char what[64];

	if (g->ranks == 1 && is_outlier(c, 1)) {
		ras_rank(c->ras, c->job, g->first, &v);
		(void)str_printf(what, sizeof(what), " has launched up to operation %llu",
			(unsigned long long)g->count);
		put_rank(c, &v, what);
		return;
	}
	(void)buf_addf(&c->out, "  %u rank%s launched up to operation %llu\n", g->ranks,
		g->ranks == 1 ? " has" : "s have", (unsigned long long)g->count);
	for (unsigned rank = 0; is_outlier(c, g->ranks) && rank < c->job->nranks; rank++) {
		ras_rank(c->ras, c->job, rank, &v);
		if (!ras_missing(&c->job->peer[rank]) && v.counts[k] == g->count)
			put_rank(c, &v, "");
	}
}

static void put_mismatches(struct ras_client *c, uint64_t comm)
{
	struct group g[GROUPS_MOST];

	for (int k = 0; k < SIM_COLLS; k++) {
		size_t n = group_ranks(c, k, g);

		if (n < 2)
			continue;
		(void)buf_addf(&c->out,
			"#0-0 (%llx) MISMATCH\n"
			"  Communicator ranks have different %s operation counts\n",
			(unsigned long long)comm, ras_function(k));
		for (size_t i = 0; i < n; i++)
			put_group(c, k, &g[i]);
		(void)buf_adds(&c->out, "\n");
	}
}

static bool has_mismatch(const struct ras_client *c)
{
	struct group g[GROUPS_MOST];

	for (int k = 0; k < SIM_COLLS; k++)
		if (group_ranks(c, k, g) > 1)
			return true;
	return false;
}

/* ---- missing ranks ---- */

static bool is_missing(const struct ras_client *c, unsigned rank, bool dead)
{
	const struct ras_peer *p = &c->job->peer[rank];

	return ras_missing(p) && ras_considered_dead(c->ras, p) == dead;
}

static unsigned count_missing(const struct ras_client *c, bool dead)
{
	unsigned n = 0;

	for (unsigned k = 0; k < c->job->nranks; k++)
		n += is_missing(c, k, dead);
	return n;
}

static void put_processes(struct ras_client *c, bool dead)
{
	struct sim_rank_view v;
	char host[64];

	for (unsigned k = 0; k < c->job->nranks; k++) {
		if (!is_missing(c, k, dead))
			continue;
		ras_rank(c->ras, c->job, k, &v);
		ras_address(c->ras, v.host, host);
		(void)buf_addf(
			&c->out, "  Process %u on node %s managing GPU %u\n", v.pid, host, v.gpu);
	}
}

static void put_missing_processes(struct ras_client *c)
{
	unsigned silent = count_missing(c, false), dead = count_missing(c, true);

	if (silent)
		(void)buf_addf(&c->out,
			"INCOMPLETE\n  Missing communicator data from %u job process%s\n", silent,
			silent > 1 ? "es" : "");
	if (silent && silent <= DETAIL_MOST)
		put_processes(c, false);
	(void)buf_adds(&c->out, silent ? "\n" : "");
	if (dead)
		(void)buf_addf(&c->out,
			"DEAD\n  %u job process%s considered dead "
			"(unreachable via the RAS network)\n",
			dead, dead > 1 ? "es are" : " is");
	if (dead && dead <= DETAIL_MOST)
		put_processes(c, true);
	(void)buf_adds(&c->out, dead ? "\n" : "");
}

static void put_missing_ranks(struct ras_client *c, uint64_t comm)
{
	unsigned missing = count_missing(c, false) + count_missing(c, true);
	struct sim_rank_view v;

	if (!missing)
		return;
	(void)buf_addf(&c->out,
		"#0-0 (%llx) INCOMPLETE\n  Missing communicator data from %u rank%s\n",
		(unsigned long long)comm, missing, missing > 1 ? "s" : "");
	for (unsigned k = 0; missing <= DETAIL_MOST && k < c->job->nranks; k++) {
		if (!ras_missing(&c->job->peer[k]))
			continue;
		ras_rank(c->ras, c->job, k, &v);
		put_rank(c, &v, "");
	}
	(void)buf_adds(&c->out, "\n");
}

static void put_table(struct ras_client *c, const struct sim_job_view *v, bool differ)
{
	struct spread s = spread_of(c, true);
	bool missing = s.ranks < v->nranks;
	char text[32];

	(void)buf_addf(&c->out,
		"Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors\n"
		"    #  in group  per comm  per node  per comm  in group\n"
		"%5u%10u%10u%10s%10u%10u%10s  %6s\n\n",
		0U, 1U, s.nodes, format_range(&s, text, sizeof(text)), v->nranks, s.ranks,
		"RUNNING",
		missing && differ ? "INCOMPLETE,MISMATCH"
		: missing         ? "INCOMPLETE"
		: differ          ? "MISMATCH"
				  : "OK");
}

void ras_report_text(struct ras_client *c, double seconds)
{
	bool differ = has_mismatch(c);
	struct sim_job_view v;

	ras_job_view(c, &v);
	(void)buf_addf(&c->out, " (%.3fs)\n=============\n\n", seconds);
	put_table(c, &v, differ);
	(void)buf_adds(&c->out, "Errors\n======\n\n");
	put_missing_processes(c);
	put_missing_ranks(c, v.comm);
	(void)buf_adds(&c->out, "Warnings\n========\n\n");
	if (c->timeouts)
		(void)buf_addf(&c->out,
			"TIMEOUT\n  Encountered %u communication timeouts while gathering "
			"communicator data\n\n",
			c->timeouts);
	if (differ)
		put_mismatches(c, v.comm);
}
