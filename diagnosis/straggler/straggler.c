/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/straggler/straggler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "diagnosis/engine/quickselect.h"
#include "diagnosis/straggler/straggler_internal.h"

#define EDGE_RATIO     1.5  /* diagnosis reference 2.7 */
#define CREDIT_SHARE   0.25 /* of the operation: a longer wait for the peer's entry is a backlog */
#define BEHIND_LEAST   2   /* operations: counts of a running job may differ by one from sampling */
#define MINORITY       0.5 /* share of ranks that are behind at most */
#define STUCK_LEAST_US 10000000
#define WARM_UP        2        /* first operations, which create connections */
#define YOUNG_US       30000000 /* a communicator is starting up: no rank counts as late yet */

/* ---- numbers ---- */

struct spread spread_of(double *at, size_t n)
{
	struct spread s = {.median = NAN, .deviation = NAN, .n = n};

	if (!n)
		return s;
	s.median = quickselect(at, n, n / 2);
	for (size_t i = 0; i < n; i++)
		at[i] = fabs(at[i] - s.median);
	s.deviation = fmax(1.4826 * quickselect(at, n, n / 2), fmax(0.01 * fabs(s.median), 1));
	return s;
}

void showing_add(struct showing *s, unsigned op, double us, double ratio, double z, int64_t t)
{
	if (!s->bits) {
		s->us = us;
		s->ratio = ratio;
		s->z = s->least_z = z;
	}
	s->least_z = fmin(s->least_z, z);
	s->bits |= (uint16_t)(1u << op);
	s->since_us = t;
}

bool showing_counts(const struct showing *s, unsigned *ops)
{
	unsigned fresh = 0;

	*ops = 0;
	for (unsigned i = 0; i < STRAGGLER_OPS; i++) {
		*ops += s->bits >> i & 1;
		fresh += i < STRAGGLER_FRESH ? s->bits >> i & 1 : 0;
	}
	if (fresh < STRAGGLER_AGAIN)
		return false;
	return *ops >= STRAGGLER_SHOW || (*ops >= STRAGGLER_FEW && s->least_z >= STRAGGLER_CLEAR);
}

void showing_tell(uint32_t comm, const struct comm *c, const struct showing *show,
	const struct op *edges, straggler_vec *out)
{
	size_t first = out->n;
	unsigned ops;

	for (int32_t i = 0; i < c->nranks; i++) {
		if (!show[i].bits || !showing_counts(&show[i], &ops))
			continue;
		vec_push(out, (struct straggler){.kind = edges ? STRAGGLER_EDGE : STRAGGLER_LATE,
				      .comm = comm,
				      .rank = i,
				      .peer = edges && !straggler_goes_to_all(c, edges)
						      ? edges->rank[i].peer
						      : -1,
				      .ops = ops,
				      .ratio = show[i].ratio,
				      .us = show[i].us,
				      .z = show[i].z,
				      .since_us = show[i].since_us,
				      .source = c->source});
	}
	/* A deviation of many ranks is no straggler: the phase of the job changed. */
	if ((out->n - first) * STRAGGLER_OF_ALL > (size_t)c->nranks)
		out->n = first;
}

unsigned straggler_ops(const struct comm *c, uint8_t func, const struct op **out, unsigned max)
{
	unsigned n = 0;

	for (unsigned i = 0; i < NCCL_OPS; i++) {
		const struct op *op = comm_op(c, i);
		unsigned at = n;

		/* Half of the ranks must have reported: the files of hosts arrive one after
		 * another. */
		if (!op || op->func != func || op->told * 2 < (unsigned)c->nranks ||
			op->seq < WARM_UP)
			continue;
		while (at && out[at - 1]->seq < op->seq)
			at--;
		if (at == max)
			continue;
		n += n < max;
		for (unsigned k = n - 1; k > at; k--)
			out[k] = out[k - 1];
		out[at] = op;
	}
	return n;
}

/* ---- edges ---- */

bool straggler_goes_to_all(const struct comm *c, const struct op *op)
{
	const char *func = c->func[op->func];

	return strcasestr(func, "alltoall") || strcasestr(func, "all_to_all");
}

static void edges_of(const struct comm *c, const struct op *op, unsigned at, double *values,
	struct showing *show)
{
	struct spread s;
	size_t n = 0;

	for (int32_t i = 0; i < c->nranks; i++) {
		if (!isnan(op->rank[i].send_us))
			values[n++] = (double)op->rank[i].send_us;
	}
	if (n < STRAGGLER_LEAST)
		return;
	s = spread_of(values, n);
	for (int32_t i = 0; i < c->nranks; i++) {
		const struct op_rank *r = &op->rank[i];
		double us = (double)r->send_us, z = (us - s.median) / s.deviation;

		if (isnan(r->send_us) || !(us > EDGE_RATIO * s.median) || z <= STRAGGLER_Z)
			continue;
		/* A rank that waited for a late peer then sends its backlog at once: the link is
		 * clean. */
		if (r->credit_us > (float)CREDIT_SHARE * r->took_us)
			continue;
		showing_add(&show[i], at, us, us / fmax(s.median, 1e-3), z, op->first_us);
	}
}

static void find_edges(
	const struct model *m, uint32_t comm, const struct op **op, unsigned n, straggler_vec *out)
{
	const struct comm *c = m->nccl->comms.at[comm];
	struct showing *show = mem_calloc((size_t)c->nranks, sizeof(*show));
	double *values = mem_calloc((size_t)c->nranks, sizeof(*values));

	for (unsigned i = 0; i < n; i++)
		edges_of(c, op[i], i, values, show);
	showing_tell(comm, c, show, op[0], out);
	free(show);
	free(values);
}

/* ---- counts ---- */

static bool is_recent(const struct comm *c, const struct rank *r, unsigned func)
{
	return r->count[func].launched >= 0 && r->seen_us >= c->seen_us - STUCK_LEAST_US;
}

/* The median if the counts differ by more than sampling explains. */
static int64_t usual_count(const struct comm *c, unsigned func, unsigned told)
{
	double *values = mem_calloc(told, sizeof(*values));
	unsigned n = 0;
	int64_t usual;

	for (int32_t i = 0; i < c->nranks; i++) {
		if (is_recent(c, &c->rank[i], func))
			values[n++] = (double)c->rank[i].count[func].launched;
	}
	usual = (int64_t)spread_of(values, n).median;
	free(values);
	return usual;
}

struct straggler_counts straggler_counts(const struct comm *c, unsigned func)
{
	struct straggler_counts s = {.usual = -1, .least = -1, .most = -1};

	for (int32_t i = 0; i < c->nranks; i++) {
		int64_t launched = c->rank[i].count[func].launched;

		if (!is_recent(c, &c->rank[i], func))
			continue;
		s.least = !s.told || launched < s.least ? launched : s.least;
		s.most = launched > s.most ? launched : s.most;
		s.told++;
	}
	s.usual = s.most;
	if (!s.told || s.most - s.least < BEHIND_LEAST)
		return s;
	s.usual = usual_count(c, func, s.told);
	for (int32_t i = 0; i < c->nranks; i++) {
		int64_t launched = c->rank[i].count[func].launched;

		if (!is_recent(c, &c->rank[i], func))
			continue;
		s.behind += launched <= s.usual - BEHIND_LEAST;
		s.ahead += launched >= s.usual + BEHIND_LEAST;
	}
	return s;
}

static void find_behind(const struct model *m, uint32_t comm, straggler_vec *out)
{
	const struct comm *c = m->nccl->comms.at[comm];

	for (unsigned f = 0; f < c->nfuncs; f++) {
		struct straggler_counts s = straggler_counts(c, f);

		if (s.told < 2 || !s.behind || s.behind > MINORITY * s.told)
			continue;
		for (int32_t i = 0; i < c->nranks; i++) {
			const struct rank *r = &c->rank[i];
			int64_t launched = r->count[f].launched;

			if (launched > s.usual - BEHIND_LEAST || !is_recent(c, r, f))
				continue;
			vec_push(out, (struct straggler){.kind = STRAGGLER_BEHIND,
					      .comm = comm,
					      .rank = i,
					      .peer = -1,
					      .ops = (unsigned)(s.usual - launched),
					      .ratio = NAN,
					      .us = NAN,
					      .z = NAN,
					      .since_us = r->count[f].grew_us,
					      .func = (uint8_t)f,
					      .launched = launched,
					      .usual = s.usual,
					      .source = c->source});
		}
	}
}

static void find_missing(const struct model *m, uint32_t comm, straggler_vec *out)
{
	const struct comm *c = m->nccl->comms.at[comm];

	for (int32_t i = 0; i < c->nranks; i++) {
		const struct rank *r = &c->rank[i];

		if (r->state != NCCL_UNRESPONSIVE && r->state != NCCL_DEAD)
			continue;
		vec_push(out, (struct straggler){.kind = STRAGGLER_MISSING,
				      .comm = comm,
				      .rank = i,
				      .peer = -1,
				      .ratio = NAN,
				      .us = NAN,
				      .z = NAN,
				      .since_us = r->state_us,
				      .source = c->source});
	}
}

/* ---- standing still ---- */

/* Whether no operation is under way: all launched ones are known to have completed. */
static bool is_idle(const struct comm *c)
{
	bool told = false;

	for (int32_t i = 0; i < c->nranks; i++) {
		for (unsigned f = 0; f < c->nfuncs; f++) {
			const struct rank_count *k = &c->rank[i].count[f];

			if (k->launched > 0 && k->completed < 0)
				return false;
			if (k->completed < k->launched)
				return false;
			told |= k->launched > 0;
		}
	}
	return told;
}

/* Whether ranks have begun an operation and not ended it. */
static bool op_hangs(const struct comm *c)
{
	const struct op *op = comm_op(c, 0);

	for (int32_t i = 0; op && i < c->nranks; i++) {
		if (op->rank[i].begin_us && !op->rank[i].end_us)
			return true;
	}
	return false;
}

static void find_stuck(const struct model *m, uint32_t comm, int64_t now_us, straggler_vec *out)
{
	const struct comm *c = m->nccl->comms.at[comm];
	unsigned counted = 0;

	if (!c->grew_us || now_us - c->grew_us < comm_patience(c) || is_idle(c))
		return;
	for (unsigned f = 0; f < c->nfuncs; f++) {
		struct straggler_counts s = straggler_counts(c, f);

		if (s.told && s.most - s.least >= BEHIND_LEAST)
			return; /* some rank is behind: the others wait for it */
		counted += s.told;
	}
	/* The source must be current: a job with files that just end may have ended. */
	if (!op_hangs(c) && (!counted || now_us - c->seen_us > 3 * (int64_t)STUCK_LEAST_US))
		return;
	vec_push(out, (struct straggler){.kind = STRAGGLER_STUCK,
			      .comm = comm,
			      .rank = -1,
			      .peer = -1,
			      .ratio = NAN,
			      .us = (double)(now_us - c->grew_us),
			      .z = NAN,
			      .since_us = c->grew_us,
			      .source = c->source});
}

/* ---- all of it ---- */

static int worst_first(const void *a, const void *b)
{
	static const int order[] = {[STRAGGLER_MISSING] = 0,
		[STRAGGLER_BEHIND] = 1,
		[STRAGGLER_LATE] = 2,
		[STRAGGLER_EDGE] = 3,
		[STRAGGLER_STUCK] = 4,
		[STRAGGLER_SLOW_ALL] = 5};
	const struct straggler *x = a, *y = b;
	double p = isnan(x->ratio) ? x->ops : x->ratio, q = isnan(y->ratio) ? y->ops : y->ratio;

	if (x->kind != y->kind)
		return order[x->kind] - order[y->kind];
	if (p < q || p > q)
		return p > q ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

void straggler_find(const struct model *m, uint32_t comm, int64_t now_us, straggler_vec *out)
{
	const struct comm *c = m->nccl->comms.at[comm];
	const struct op *op[STRAGGLER_OPS];
	size_t first = out->n;

	if (c->gone || c->nranks < 2 || comm_is_silent(m->nccl, c, now_us))
		return;
	find_missing(m, comm, out);
	if (now_us - c->made_us >= YOUNG_US || c->rhythm_us > 0)
		find_behind(m, comm, out);
	for (unsigned f = 0; f < c->nfuncs; f++) {
		unsigned n = straggler_ops(c, (uint8_t)f, op, STRAGGLER_OPS);

		if (n < STRAGGLER_FEW)
			continue;
		find_edges(m, comm, op, n, out);
		straggler_gaps(m, comm, op, n, out);
		straggler_times(m, comm, op, n, out);
	}
	find_stuck(m, comm, now_us, out);
	if (out->n > first)
		qsort(&out->at[first], out->n - first, sizeof(out->at[0]), worst_first);
}
