/* SPDX-License-Identifier: Apache-2.0 */
/* State of a rank: behind the others, waiting in an operation, or the duration of its last one. */
#include <math.h>

#include "base/clock.h"
#include "base/str.h"
#include "diagnosis/straggler/straggler.h"
#include "diagnosis/trace/trace_internal.h"

/* Counts of a running job may differ by one from sampling. */
#define BEHIND_LEAST 2
/* An operation counts as recent for this time: several polls of the source. */
#define TOLD_US (60 * CLOCK_SEC)

bool trace_names_rank(const struct model *m, const struct finding *f, struct ref at)
{
	const struct rank *k;

	if (finding_info[f->id].family != FAMILY_NCCL || at.kind != REF_RANK)
		return false;
	if (ref_eq(f->at, at))
		return true;
	for (size_t i = 0; i < f->evidence.n; i++)
		if (ref_eq(f->evidence.at[i].at, at))
			return true;
	k = ref_rank(m, at);
	if (!k || f->at.kind != REF_DEVICE || f->at.device != k->host)
		return false;
	for (size_t i = 0; i < f->members.n; i++)
		if (ref_eq(f->members.at[i], at) ||
			(k->nic != JOB_NONE && ref_eq(f->members.at[i], at_port(k->nic))))
			return true;
	return false;
}

bool trace_rank_of(const struct finding *f, struct ref *out)
{
	if (finding_info[f->id].family != FAMILY_NCCL)
		return false;
	*out = f->at;
	for (size_t i = 0; i < f->members.n && out->kind != REF_RANK; i++)
		*out = f->members.at[i];
	for (size_t i = 0; i < f->evidence.n && out->kind != REF_RANK; i++)
		*out = f->evidence.at[i].at;
	return out->kind == REF_RANK;
}

/* ---- numbers that fit twelve columns ---- */

static void since_text(int64_t us, char *dst, size_t size)
{
	int64_t s = us / CLOCK_SEC;

	if (s < 600)
		(void)str_printf(dst, size, "%lld s", (long long)s);
	else if (s < 36000)
		(void)str_printf(dst, size, "%lld min", (long long)(s / 60));
	else
		(void)str_printf(dst, size, "%lld h", (long long)(s / 3600));
}

static void took_text(double us, char *dst, size_t size)
{
	if (us < 1000)
		(void)str_printf(dst, size, "%.3g us/op", us);
	else if (us < 1e6)
		(void)str_printf(dst, size, "%.3g ms/op", us / 1e3);
	else
		(void)str_printf(dst, size, "%.3g s/op", us / 1e6);
}

/* ---- state of a rank ---- */

static int64_t count_behind(const struct comm *c, int32_t rank, unsigned *func)
{
	int64_t most = 0;

	for (unsigned f = 0; f < c->nfuncs; f++) {
		struct straggler_counts s = straggler_counts(c, f);
		int64_t own = c->rank[rank].count[f].launched;

		if (s.usual >= 0 && own >= 0 && s.usual - own > most) {
			most = s.usual - own;
			*func = f;
		}
	}
	return most >= BEHIND_LEAST ? most : 0;
}

/* The operation that it launched last, by its counts or else by the newest reported one. */
static void last_op(const struct comm *c, int32_t rank, char *dst, size_t size)
{
	const struct op *op = comm_op(c, 0);
	const struct rank_count *last = NULL;

	for (unsigned f = 0; f < c->nfuncs; f++) {
		const struct rank_count *k = &c->rank[rank].count[f];

		if (k->launched > 0 && (!last || k->grew_us > last->grew_us))
			last = k;
	}
	if (last)
		(void)str_printf(dst, size, "%s %lld", c->func[last - c->rank[rank].count],
			(long long)last->launched);
	else if (op)
		(void)str_printf(dst, size, "%s %lld", c->func[op->func], (long long)op->seq);
	else
		(void)str_copy(dst, size, "an operation");
}

/* Known duration of the rank's newest operation; NAN. */
static double last_took_us(const struct comm *c, int32_t rank)
{
	const struct op *op;

	for (unsigned i = 0; (op = comm_op(c, i)); i++)
		if (!isnan(op->rank[rank].took_us) && op->rank[rank].took_us > 0)
			return (double)op->rank[rank].took_us;
	return (double)NAN;
}

bool trace_job_suffers(const struct tracer *r)
{
	for (size_t i = 0; i < r->d->order.n; i++)
		if (finding_info[r->d->order.at[i]->id].family == FAMILY_NCCL &&
			place_of(r->m, r->d->order.at[i]).job == r->t->job)
			return true;
	return false;
}

bool trace_job_told(const struct tracer *r)
{
	const struct nccl *n = r->m->nccl;
	const struct job *j = model_job_at(r->m, r->t->job);

	for (size_t i = 0; j && i < j->comms.n; i++) {
		const struct comm *c = n->comms.at[j->comms.at[i]];
		const struct op *op = comm_op(c, 0);

		if (!c->gone && op && r->now_us - op->first_us < TOLD_US)
			return true;
	}
	return false;
}

static void describe_wait(const struct tracer *r, struct hop *h, const struct comm *c)
{
	int64_t us = r->now_us - c->grew_us;
	bool stands = c->grew_us && us >= comm_patience(c);
	char op[48], since[24];

	last_op(c, h->at.rank, op, sizeof(op));
	since_text(us, since, sizeof(since));
	if (stands) {
		(void)str_printf(h->number, sizeof(h->number), "waits %s", since);
		if (!h->finding)
			(void)str_printf(h->why, sizeof(h->why), "waits in %s for %s", op, since);
	} else if (!h->finding) {
		(void)str_printf(
			h->why, sizeof(h->why), "waits for others in each operation, now %s", op);
	}
	if (!h->finding)
		h->state = HOP_VICTIM;
}

static void set_number(struct hop *h, const struct comm *c)
{
	double us = last_took_us(c, h->at.rank);

	if (!isnan(us))
		took_text(us, h->number, sizeof(h->number));
	else
		last_op(c, h->at.rank, h->number, 13);
}

/* A log that ends with an old error does not say that its process is well now. */
static void describe_past(const struct tracer *r, struct hop *h, const struct rank *k)
{
	char when[32];

	if (!k->error[0] || h->finding || h->state != HOP_OK || r->now_us - k->error_us < TOLD_US)
		return;
	h->state = HOP_UNKNOWN;
	(void)model_utc(r->m, k->error_us, when, sizeof(when));
	(void)str_printf(h->why, sizeof(h->why), "its log said at %s: %s", when, k->error);
}

void trace_judge_rank(const struct tracer *r, struct hop *h)
{
	const struct comm *c = ref_comm(r->m, h->at);
	const struct rank *k = ref_rank(r->m, h->at);
	unsigned func = 0;
	int64_t late = count_behind(c, h->at.rank, &func);

	set_number(h, c);
	if (!h->finding)
		h->state = k->state == NCCL_UNKNOWN && !k->seen_us ? HOP_UNKNOWN : HOP_OK;
	if (late) {
		(void)str_printf(h->number, sizeof(h->number),
			late < 100000 ? "%lld behind" : ">99999", (long long)late);
		if (!h->finding && r->now_us - k->count[func].grew_us >= comm_patience(c)) {
			h->state = HOP_SUSPECT;
			(void)str_printf(h->why, sizeof(h->why), "%lld %s behind the others",
				(long long)late, c->func[func]);
		}
	} else if (k->state > NCCL_RUNNING) {
		(void)str_copy(
			h->number, sizeof(h->number), nccl_state_name((enum nccl_state)k->state));
		if (k->state >= NCCL_ABORTED && !h->finding) {
			h->state = HOP_SUSPECT;
			(void)str_printf(h->why, sizeof(h->why), "NCCL reports: %s", h->number);
		}
	} else if (trace_job_suffers(r)) {
		describe_wait(r, h, c);
	}
	describe_past(r, h, k);
}
