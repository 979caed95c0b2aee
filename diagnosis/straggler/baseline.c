/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/straggler/baseline.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "diagnosis/engine/state_parts.h"
#include "diagnosis/straggler/straggler_internal.h"

#define uthash_malloc(size) mem_alloc(size)
#include <uthash.h>

#define BUSBW_WARN  0.10 /* diagnosis reference 3: busbw -10 % */
#define BASE_LEAST  8    /* operations required for a comparison */
#define RECENT      4    /* newest operations that are compared */
#define BASE_WEIGHT 64   /* of the running mean: some minutes of a job */

struct base {
	struct {
		uint64_t made_us, bytes;
		uint32_t comm, func;
	} key;
	double mean, deviation;
	double recent[RECENT];
	unsigned n; /* operations in the mean */
	unsigned nrecent;
	int64_t newest; /* seq */
	UT_hash_handle hh;
};

struct nccl_bases {
	struct base *base;
};

struct nccl_bases *nccl_bases_new(void)
{
	return mem_calloc(1, sizeof(struct nccl_bases));
}

static void clear_bases(struct nccl_bases *b)
{
	struct base *e = b->base, *next;

	HASH_CLEAR(hh, b->base);
	for (; e; e = next) {
		next = e->hh.next;
		free(e);
	}
}

void nccl_bases_free(struct nccl_bases *b)
{
	if (b)
		clear_bases(b);
	free(b);
}

static struct base *base_of(
	struct nccl_bases *b, const struct comm *c, uint32_t comm, const struct op *op)
{
	struct base *e = NULL, want = {.newest = -1};

	want.key.made_us = (uint64_t)c->made_us;
	want.key.bytes = op->bytes;
	want.key.comm = comm;
	want.key.func = op->func;
	HASH_FIND(hh, b->base, &want.key, sizeof(want.key), e);
	if (e)
		return e;
	if (HASH_COUNT(b->base) >= NCCL_BASES)
		clear_bases(b);
	e = mem_alloc(sizeof(*e));
	*e = want;
	HASH_ADD(hh, b->base, key, sizeof(e->key), e);
	return e;
}

/* The median over ranks; NAN while too few have reported. */
static double median_took(const struct comm *c, const struct op *op, double *values)
{
	size_t n = 0;

	for (int32_t i = 0; i < c->nranks; i++) {
		if (op->rank[i].took_us > 0)
			values[n++] = (double)op->rank[i].took_us;
	}
	return n * 2 < (size_t)c->nranks ? NAN : spread_of(values, n).median;
}

static double recent_median(const struct base *e)
{
	double at[RECENT];

	for (unsigned i = 0; i < RECENT; i++)
		at[i] = e->recent[i];
	return spread_of(at, RECENT).median;
}

/* A value that leaves the recent ones enters the baseline, clipped if it is an outlier. */
static void add_value(struct base *e, double us)
{
	double old = e->recent[e->nrecent % RECENT], off;

	e->recent[e->nrecent % RECENT] = us;
	if (e->nrecent++ < RECENT)
		return;
	off = fabs(old - e->mean);
	if (e->n >= BASE_LEAST && off > 2 * STRAGGLER_Z * e->deviation)
		old = e->mean + copysign(2 * STRAGGLER_Z * e->deviation, old - e->mean);
	if (!e->n)
		e->mean = old;
	e->n++;
	off = fabs(old - e->mean);
	e->mean += (old - e->mean) / fmin(e->n, BASE_WEIGHT);
	if (e->n > 1)
		e->deviation += (off - e->deviation) / fmin(e->n - 1, BASE_WEIGHT);
}

static bool is_slower(const struct base *e, struct nccl_slow *out)
{
	double us, spread;

	if (e->n < BASE_LEAST || e->nrecent < RECENT)
		return false;
	us = recent_median(e);
	spread = fmax(1.4826 * e->deviation, fmax(0.01 * e->mean, 1));
	if (us * (1 - BUSBW_WARN) <= e->mean || us - e->mean <= STRAGGLER_Z * spread)
		return false;
	if (out->before_us > 0 && us / e->mean <= out->us / out->before_us)
		return false;
	*out = (struct nccl_slow){.func = (uint8_t)e->key.func,
		.bytes = e->key.bytes,
		.us = us,
		.before_us = e->mean,
		.z = (us - e->mean) / spread,
		.ops = e->n};
	return true;
}

bool nccl_bases_take(
	struct nccl_bases *b, const struct model *m, uint32_t comm, struct nccl_slow *out)
{
	const struct comm *c = m->nccl->comms.at[comm];
	double *values = mem_calloc((size_t)(c->nranks > 0 ? c->nranks : 1), sizeof(*values));
	const struct op *op[NCCL_OPS];
	bool found = false;

	*out = (struct nccl_slow){0};
	for (unsigned f = 0; f < c->nfuncs; f++) {
		unsigned n = straggler_ops(c, (uint8_t)f, op, NCCL_OPS);

		for (unsigned i = n; i-- > 0;) {
			struct base *e = base_of(b, c, comm, op[i]);
			double us = op[i]->seq > e->newest ? median_took(c, op[i], values) : NAN;

			if (!isnan(us)) {
				e->newest = op[i]->seq;
				add_value(e, us);
			}
			if (i == 0)
				found |= is_slower(e, out);
		}
	}
	free(values);
	return found;
}

/* ---- serialisation ---- */

STATE_SIZE(struct base, 144);

static void state_base(struct state *s, struct base *e)
{
	state_u64(s, &e->key.made_us);
	state_u64(s, &e->key.bytes);
	state_u32(s, &e->key.comm);
	state_u32(s, &e->key.func);
	state_f64(s, &e->mean);
	state_f64(s, &e->deviation);
	for (unsigned i = 0; i < RECENT; i++)
		state_f64(s, &e->recent[i]);
	state_u32(s, &e->n);
	state_u32(s, &e->nrecent);
	state_i64(s, &e->newest);
}

static void load_base(struct state *s, struct nccl_bases *b)
{
	struct base *e = mem_calloc(1, sizeof(*e)), *other = NULL;

	state_base(s, e);
	HASH_FIND(hh, b->base, &e->key, sizeof(e->key), other);
	if (other || s->bad) {
		s->bad = true;
		free(e);
		return;
	}
	HASH_ADD(hh, b->base, key, sizeof(e->key), e);
}

void nccl_bases_state(struct state *s, struct nccl_bases *b)
{
	size_t n = HASH_COUNT(b->base);

	state_count(s, &n, NCCL_BASES);
	for (struct base *e = b->base; e && !s->loading; e = e->hh.next)
		state_base(s, e);
	for (size_t i = 0; i < n && s->loading && !s->bad; i++)
		load_base(s, b);
}
