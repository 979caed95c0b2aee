/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "diagnosis/detectors/pause_internal.h"
#include "diagnosis/engine/quickselect.h"
#include "diagnosis/straggler/straggler.h"

/* Newest operations to examine, and ranks of each. */
#define OPS_LOOKED 8
#define RANKS_MOST 4096
/* Of more ranks, so many tell the median. */
#define MEDIAN_OF 256

/* A step into the NIC or out of it that takes so much longer than the others shows the trouble. */
#define SLOWED 1.2

/* Without the trouble, paths of unequal length differ by less than this. Railtop's own. */
#define PATHS_DIFFER 1.35

struct sums {
	double in, out, awaited, to_all;
	unsigned nin, n, nto_all;
};
/* One operation's steps into the NIC and out of it; 0: unknown. */
struct op_edges {
	double in, out, awaited;
};

static double median_step(const struct comm *c, const struct op *o)
{
	int32_t stride = c->nranks > MEDIAN_OF ? c->nranks / MEDIAN_OF : 1;
	VEC(double) step = {0};
	double median = (double)NAN;

	for (int32_t i = 0; i < c->nranks; i += stride)
		if (o->rank[i].send_us > 0)
			vec_push(&step, (double)o->rank[i].send_us);
	/* Of four, two are those of the NIC: the lower of the middle ones is of the others. */
	if (step.n >= 4)
		median = quickselect(step.at, step.n, (step.n - 1) / 2);
	vec_free(&step);
	return median;
}

static bool at_nic(const struct comm *c, int32_t rank, uint32_t nic)
{
	return rank >= 0 && rank < c->nranks && c->rank[rank].nic == nic;
}

/* A sender that waited for its peer sends its backlog at once, which only looks slow. */
static struct op_edges edges_of(const struct comm *c, const struct op *o, uint32_t nic)
{
	double median = median_step(c, o);
	struct op_edges e = {0, 0, 0};

	for (int32_t i = 0; median > 0 && i < c->nranks; i++) {
		const struct op_rank *r = &o->rank[i];
		bool waited = r->credit_us > r->send_us;

		if (!(r->send_us > 0))
			continue;
		if (at_nic(c, i, nic)) {
			e.out = fmax(e.out, waited ? 0 : (double)r->send_us / median);
		} else if (at_nic(c, r->peer, nic)) {
			e.in = fmax(e.in, waited ? 0 : (double)r->send_us / median);
			e.awaited = fmax(e.awaited, (double)r->credit_us / median);
		}
	}
	return e;
}

/* Uses only operations in which the NIC receives or sends slowly: before the trouble both were
 * well. */
static void add_op(struct sums *s, const struct op_edges *e)
{
	if (!(fmax(e->in, e->out) > SLOWED) || !(e->out > 0))
		return;
	s->out += e->out;
	s->awaited += e->awaited;
	s->n++;
	if (!(e->in > 0))
		return;
	s->in += e->in;
	s->nin++;
}

/* All wait for the last to enter and begin together: who waited has no more of a backlog. */
static double step_to_all(const struct comm *c, const struct op *o, uint32_t nic)
{
	double median = median_step(c, o), most = 0;

	for (int32_t i = 0; median > 0 && i < c->nranks; i++)
		if (at_nic(c, i, nic) && o->rank[i].send_us > 0)
			most = fmax(most, (double)o->rank[i].send_us / median);
	return most;
}

/* Its own sending to all others, beside that of the others. */
static void add_to_all(struct sums *s, double out)
{
	if (!(out > SLOWED))
		return;
	s->to_all += out;
	s->nto_all++;
}

/* What an edge takes when it is well: the least of its steps, as far as paths differ. */
static void take_least(double *least, double step)
{
	if (step > 1)
		*least = fmin(*least, step);
	else if (step > 0)
		*least = 1;
}

static bool has_rank(const struct comm *c, uint32_t nic)
{
	for (int32_t i = 0; i < c->nranks; i++)
		if (c->rank[i].nic == nic)
			return true;
	return false;
}

/* All operations that are known tell what is usual; the newest ones tell of the trouble. */
static void examine_comm(const struct comm *c, uint32_t nic, struct sums *s)
{
	struct op_edges e[NCCL_OPS], least = {PATHS_DIFFER, PATHS_DIFFER, 0};
	uint64_t n = c->next_op < NCCL_OPS ? c->next_op : NCCL_OPS;

	for (uint64_t k = 0; k < n; k++) {
		const struct op *o = &c->ops[(c->next_op - k - 1) % NCCL_OPS];

		e[k] = (struct op_edges){0, 0, 0};
		if (o->rank && !straggler_goes_to_all(c, o))
			e[k] = edges_of(c, o, nic);
		else if (o->rank && k < OPS_LOOKED)
			add_to_all(s, step_to_all(c, o, nic));
		take_least(&least.in, e[k].in);
		take_least(&least.out, e[k].out);
	}
	for (uint64_t k = 0; k < n && k < OPS_LOOKED; k++) {
		e[k].in /= least.in;
		e[k].out /= least.out;
		add_op(s, &e[k]);
	}
}

struct nic_edges pause_nic_edges(const struct model *m, uint32_t nic)
{
	struct sums s = {0};

	for (size_t i = 0; i < m->nccl->comms.n; i++) {
		const struct comm *c = m->nccl->comms.at[i];

		if (c->next_op && !c->gone && c->nranks <= RANKS_MOST && has_rank(c, nic))
			examine_comm(c, nic, &s);
	}
	return (struct nic_edges){.in = s.nin ? s.in / s.nin : (double)NAN,
		.out = s.n ? s.out / s.n : (double)NAN,
		.awaited = s.n ? s.awaited / s.n : (double)NAN,
		.to_all = s.nto_all ? s.to_all / s.nto_all : (double)NAN,
		.ops = s.n};
}
