/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/straggler/lag.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"

/* A larger communicator is not counted: 4 bytes a rank. */
#define LAG_RANKS 65536
#define LAG_COMMS 65536
/* The share of answers in which a rank is behind by chance: as the other ranks, at least this. */
#define CHANCE_LEAST 0.005
/* Less likely than this by chance, and so often at least: the rank is late. */
#define CHANCE_PROOF 1e-5
#define LAGS_LEAST   3
/* Late ranks are few: when many are behind, the job is between two operations. */
#define FEW 0.25

static const unsigned spans[] = {3, 4, 6, 8, 12, 16, 24, 32}; /* newest answers */

struct lag {
	int64_t made_us, told_us, most; /* most: operations launched in the last answer */
	unsigned answers;               /* at most 32 */
	VEC(uint32_t) bits;             /* of each rank: behind in this answer, newest in bit 0 */
	VEC(int64_t) since; /* of each rank: when it was first behind in the remembered ones */
};
struct nccl_lags {
	VEC(struct lag) comms; /* by number of the communicator */
};

struct nccl_lags *nccl_lags_new(void)
{
	return mem_calloc(1, sizeof(struct nccl_lags));
}

static void empty_lag(struct lag *g)
{
	vec_free(&g->bits);
	vec_free(&g->since);
	*g = (struct lag){0};
}

void nccl_lags_free(struct nccl_lags *l)
{
	for (size_t i = 0; l && i < l->comms.n; i++)
		empty_lag(&l->comms.at[i]);
	if (l)
		vec_free(&l->comms);
	free(l);
}

static struct lag *lag_of(struct nccl_lags *l, const struct comm *c, uint32_t comm)
{
	struct lag *g;

	while (l->comms.n <= comm)
		(void)vec_add(&l->comms);
	g = &l->comms.at[comm];
	/* The number was given to another communicator. */
	if (g->made_us != c->made_us || g->bits.n != (size_t)c->nranks)
		empty_lag(g);
	g->made_us = c->made_us;
	while (g->bits.n < (size_t)c->nranks) {
		vec_push(&g->bits, 0);
		vec_push(&g->since, 0);
	}
	return g;
}

/* Operations launched of all functions; -1: the newest answer does not tell. */
static int64_t launched_of(const struct comm *c, const struct rank *r)
{
	int64_t sum = -1;

	for (unsigned f = 0; f < c->nfuncs && r->seen_us == c->seen_us; f++)
		if (r->count[f].launched >= 0)
			sum = (sum < 0 ? 0 : sum) + r->count[f].launched;
	return sum;
}

static void take_answer(struct lag *g, const struct comm *c)
{
	int64_t most = -1;
	unsigned told = 0, there = 0;

	for (int32_t i = 0; i < c->nranks; i++) {
		int64_t n = launched_of(c, &c->rank[i]);

		told += n >= 0;
		there = n > most ? 1 : there + (n >= 0 && n == most);
		most = n > most ? n : most;
	}
	/* A job that stands is another case: a rank is stuck, or all wait. */
	if (most <= g->most)
		return;
	g->most = most;
	/* Without a majority that is ahead nobody is behind. */
	if (told < 2 || there < (1 - FEW) * told)
		return;
	g->answers += g->answers < 32;
	for (int32_t i = 0; i < c->nranks; i++) {
		int64_t n = launched_of(c, &c->rank[i]);
		bool behind = n >= 0 && n < most;

		if (behind && !g->bits.at[i])
			g->since.at[i] = c->seen_us;
		g->bits.at[i] = g->bits.at[i] << 1U | behind;
	}
}

static unsigned count_newest(uint32_t bits, unsigned n)
{
	return (unsigned)__builtin_popcount(n < 32 ? bits & ((1U << n) - 1) : bits);
}

/* The probability of k or more of n, each with probability p. */
static double tail_of(unsigned k, unsigned n, double p)
{
	double term = pow(1 - p, n), sum = 0;

	for (unsigned i = 0; i <= n; i++) {
		sum += i >= k ? term : 0;
		term *= (double)(n - i) / (i + 1) * p / (1 - p);
	}
	return sum;
}

/* The number of newest answers that prove it, 0: none do. */
static unsigned proven_by(const struct lag *g, uint32_t bits, double chance)
{
	/* A rank that has caught up is no longer late. */
	if (!(bits & 15U))
		return 0;
	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]) && spans[i] <= g->answers; i++) {
		unsigned k = count_newest(bits, spans[i]);

		if (k >= LAGS_LEAST && tail_of(k, spans[i], chance) < CHANCE_PROOF)
			return spans[i];
	}
	return 0;
}

/* How often the other ranks are behind: those that are seldom so. */
static double chance_of(const struct lag *g)
{
	double lags = 0, answers = 0;

	for (size_t i = 0; i < g->bits.n; i++) {
		unsigned k = count_newest(g->bits.at[i], g->answers);

		if (k >= LAGS_LEAST && k * 8 >= g->answers)
			continue;
		lags += k;
		answers += g->answers;
	}
	return answers > 0 && lags / answers > CHANCE_LEAST ? lags / answers : CHANCE_LEAST;
}

static void append_late(struct lag *g, const struct comm *c, uint32_t comm, straggler_vec *out)
{
	size_t first = out->n;
	double chance = chance_of(g);

	for (int32_t i = 0; i < c->nranks; i++) {
		unsigned of = proven_by(g, g->bits.at[i], chance);

		if (!of)
			continue;
		vec_push(out, (struct straggler){.kind = STRAGGLER_LAGS,
				      .comm = comm,
				      .rank = i,
				      .peer = -1,
				      .ops = count_newest(g->bits.at[i], of),
				      .ratio = NAN,
				      .us = NAN,
				      .z = of,
				      .since_us = g->since.at[i],
				      .source = c->source});
	}
	/* Late ranks are few; when many are, none is late by itself. */
	if ((double)(out->n - first) > FEW * c->nranks)
		out->n = first;
}

void nccl_lags_take(struct nccl_lags *l, const struct model *m, uint32_t comm, straggler_vec *out)
{
	const struct comm *c = m->nccl->comms.at[comm];
	struct lag *g;

	if (c->nranks > LAG_RANKS || comm >= LAG_COMMS)
		return;
	g = lag_of(l, c, comm);
	if (c->seen_us != g->told_us) {
		g->told_us = c->seen_us;
		take_answer(g, c);
	}
	append_late(g, c, comm, out);
}

/* ---- serialisation ---- */

STATE_SIZE(struct lag, 80);

static void state_lag(struct state *s, struct lag *g)
{
	state_wall(s, &g->made_us);
	state_wall(s, &g->told_us);
	state_i64(s, &g->most);
	state_u32(s, &g->answers);
	STATE_LIST(s, &g->bits, LAG_RANKS, b, state_u32(s, b));
	STATE_LIST(s, &g->since, LAG_RANKS, t, state_wall(s, t));
	if (s->loading && g->bits.n != g->since.n)
		s->bad = true;
}

void nccl_lags_state(struct state *s, struct nccl_lags *l)
{
	STATE_LIST(s, &l->comms, LAG_COMMS, g, state_lag(s, g));
}
