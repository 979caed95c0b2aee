/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "diagnosis/straggler/straggler_internal.h"

/*
 * Late entry by the process's own gap: from the end of its last operation in any communicator of
 * the job to the beginning of this one. Each gap uses the clock of one host only, so clocks of
 * hosts may differ.
 */

#define LATE_SHARE    0.25 /* of the operation's own time: diagnosis reference 2.7 */
#define LATE_SAMPLE   256  /* processes with compared gaps, besides the suspects */
#define SHORT_SHARE   0.5  /* times only: the late rank's time against the median */
#define INTERVALS_MAX 2000000

struct interval {
	uint64_t process, op; /* op: function and number, the same on all rails */
	int64_t begin, end;
};
typedef VEC(struct interval) interval_vec;

static uint64_t text_hash(const char *s)
{
	uint64_t h = 14695981039346656037u; /* FNV-1a */

	for (; *s; s++)
		h = (h ^ (uint8_t)*s) * 1099511628211u;
	return h;
}

/* 0: its place is unknown. */
static uint64_t process_of(const struct rank *r)
{
	if (r->host != JOB_NONE)
		return (uint64_t)r->host << 32 | (uint32_t)r->pid;
	return r->host_text[0] ? text_hash(r->host_text) ^ (uint64_t)(uint32_t)r->pid << 32 : 0;
}

static uint64_t op_of(const struct comm *c, const struct op *op)
{
	return text_hash(c->func[op->func]) ^ (uint64_t)op->seq * 0x9e3779b97f4a7c15u;
}

static int compare_process(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static int compare_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The processes to examine: ranks that are late within the communicator, and a sample. */
static size_t wanted_processes(
	const struct comm *c, const struct op **op, unsigned n, uint64_t *out)
{
	int32_t step = c->nranks > LATE_SAMPLE ? c->nranks / LATE_SAMPLE : 1;
	double *gap = mem_calloc((size_t)c->nranks, sizeof(*gap));
	size_t count = 0;

	for (int32_t i = 0; i < c->nranks; i += step)
		out[count++] = process_of(&c->rank[i]);
	for (unsigned k = 0; step > 1 && k + 1 < n; k++) {
		struct spread s;
		size_t gaps = 0;

		for (int32_t i = 0; i < c->nranks; i++) {
			const struct op_rank *r = &op[k]->rank[i], *p = &op[k + 1]->rank[i];

			if (r->begin_us && p->end_us)
				gap[gaps++] = (double)(r->begin_us - p->end_us);
		}
		s = spread_of(gap, gaps);
		for (int32_t i = 0; gaps && i < c->nranks && count < (size_t)c->nranks; i++) {
			const struct op_rank *r = &op[k]->rank[i], *p = &op[k + 1]->rank[i];

			if (r->begin_us && p->end_us && i % step &&
				(double)(r->begin_us - p->end_us) >
					s.median + STRAGGLER_Z * s.deviation)
				out[count++] = process_of(&c->rank[i]);
		}
	}
	free(gap);
	qsort(out, count, sizeof(*out), compare_number);
	return count;
}

static void gather_intervals(
	const struct comm *c, const uint64_t *want, size_t nwant, interval_vec *out)
{
	for (int32_t i = 0; i < c->nranks; i++) {
		uint64_t process = process_of(&c->rank[i]);

		if (!process || !bsearch(&process, want, nwant, sizeof(*want), compare_number))
			continue;
		for (unsigned k = 0; k < NCCL_OPS && out->n < INTERVALS_MAX; k++) {
			const struct op *op = comm_op(c, k);

			if (!op || !op->rank[i].begin_us || !op->rank[i].end_us)
				continue;
			vec_push(out, (struct interval){.process = process,
					      .op = op_of(c, op),
					      .begin = op->rank[i].begin_us,
					      .end = op->rank[i].end_us});
		}
	}
}

/* The process's gap before its entry; NAN: nothing before it is known. 0: it was still busy. */
static double own_gap(const interval_vec *v, uint64_t process, uint64_t op, int64_t begin)
{
	int64_t exit = INT64_MIN;
	size_t lo = 0, hi = v->n, first;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v->at[mid].process < process)
			lo = mid + 1;
		else
			hi = mid;
	}
	first = lo;
	for (; lo < v->n && v->at[lo].process == process; lo++) {
		if (v->at[lo].op == op && v->at[lo].begin < begin)
			begin = v->at[lo].begin; /* another rail of the same operation was first */
	}
	for (lo = first; lo < v->n && v->at[lo].process == process; lo++) {
		const struct interval *i = &v->at[lo];

		if (i->op == op)
			continue;
		if (i->begin < begin && i->end > begin)
			return 0;
		if (i->end <= begin && i->end > exit)
			exit = i->end;
	}
	return exit == INT64_MIN ? NAN : (double)(begin - exit);
}

/* The operation's own duration: the time of the last ranks to enter. */
static double op_time(const struct comm *c, const struct op *op, double *values)
{
	size_t n = 0;

	for (int32_t i = 0; i < c->nranks; i++) {
		if (op->rank[i].took_us > 0)
			values[n++] = (double)op->rank[i].took_us;
	}
	if (!n)
		return NAN;
	for (size_t i = 1; i < n; i++)
		values[0] = fmin(values[0], values[i]);
	return values[0];
}

static void late_in(const struct comm *c, const struct op *op, unsigned at, const interval_vec *v,
	double *gap, double *values, struct showing *show)
{
	double time = op_time(c, op, values);
	struct spread s;
	size_t n = 0;

	for (int32_t i = 0; i < c->nranks; i++) {
		gap[i] = NAN;
		if (op->rank[i].begin_us && process_of(&c->rank[i]))
			gap[i] = own_gap(
				v, process_of(&c->rank[i]), op_of(c, op), op->rank[i].begin_us);
		if (!isnan(gap[i]))
			values[n++] = gap[i];
	}
	if (n < STRAGGLER_LEAST)
		return;
	s = spread_of(values, n);
	for (int32_t i = 0; i < c->nranks; i++) {
		double late = gap[i] - s.median;

		if (!isnan(gap[i]) && late > STRAGGLER_Z * s.deviation && late > LATE_SHARE * time)
			showing_add(&show[i], at, late, gap[i] / fmax(s.median, 1),
				late / s.deviation, op->first_us);
	}
}

void straggler_gaps(
	const struct model *m, uint32_t comm, const struct op **op, unsigned n, straggler_vec *out)
{
	const struct comm *c = m->nccl->comms.at[comm];
	size_t ranks = (size_t)c->nranks;
	const struct job *j = c->job == JOB_NONE ? NULL : m->nccl->jobs.at[c->job];
	uint64_t *want;
	double *gap, *values;
	struct showing *show;
	interval_vec v = {0};
	size_t nwant;

	if (!op[0]->told || (!op[0]->rank[0].begin_us && !op[0]->rank[ranks - 1].begin_us &&
				    !op[0]->rank[ranks / 2].begin_us))
		return;
	want = mem_calloc(ranks, sizeof(*want));
	gap = mem_calloc(ranks, sizeof(*gap));
	values = mem_calloc(ranks, sizeof(*values));
	show = mem_calloc(ranks, sizeof(*show));
	nwant = wanted_processes(c, op, n, want);
	for (size_t i = 0; j && i < j->comms.n; i++)
		gather_intervals(m->nccl->comms.at[j->comms.at[i]], want, nwant, &v);
	if (!j)
		gather_intervals(c, want, nwant, &v);
	if (v.n)
		qsort(v.at, v.n, sizeof(v.at[0]), compare_process);
	for (unsigned i = 0; i < n; i++)
		late_in(c, op[i], i, &v, gap, values, show);
	showing_tell(comm, c, show, NULL, out);
	free(want);
	free(gap);
	free(values);
	free(show);
	vec_free(&v);
}

void straggler_times(
	const struct model *m, uint32_t comm, const struct op **op, unsigned n, straggler_vec *out)
{
	const struct comm *c = m->nccl->comms.at[comm];
	struct showing *show = mem_calloc((size_t)c->nranks, sizeof(*show));
	double *values = mem_calloc((size_t)c->nranks, sizeof(*values));

	for (unsigned k = 0; k < n; k++) {
		struct spread s;
		bool timed = false;
		size_t count = 0;

		for (int32_t i = 0; i < c->nranks; i++) {
			const struct op_rank *r = &op[k]->rank[i];

			timed |= r->begin_us != 0;
			if (r->took_us > 0 && isnan(r->send_us))
				values[count++] = (double)r->took_us;
		}
		if (timed || count < STRAGGLER_LEAST)
			continue;
		s = spread_of(values, count);
		for (int32_t i = 0; i < c->nranks; i++) {
			double took = (double)op[k]->rank[i].took_us, late = s.median - took;

			if (took > 0 && took < SHORT_SHARE * s.median &&
				late > STRAGGLER_Z * s.deviation)
				showing_add(&show[i], k, late, s.median / took, late / s.deviation,
					op[k]->first_us);
		}
	}
	showing_tell(comm, c, show, NULL, out);
	free(show);
	free(values);
}
