/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "diagnosis/detectors/pause_internal.h"
#include "diagnosis/engine/quickselect.h"

/* Newest operations to examine, and ranks of each. */
#define OPS_LOOKED 8
#define RANKS_MOST 4096

/* A step into the NIC or out of it that takes so much longer than the others shows the trouble. */
#define SLOWED 1.2

struct sums {
	double in, out, awaited;
	unsigned nin, n;
};

static double median_step(const struct comm *c, const struct op *o)
{
	VEC(double) step = {0};
	double median = (double)NAN;

	for (int32_t i = 0; i < c->nranks; i++)
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

/*
 * Uses only operations in which the NIC receives or sends slowly: before the trouble both were
 * well. A sender that waited for its peer sends its backlog at once, which only looks slow.
 */
static void examine_op(const struct comm *c, const struct op *o, uint32_t nic, struct sums *s)
{
	double median = median_step(c, o), in = 0, out = 0, awaited = 0;

	for (int32_t i = 0; median > 0 && i < c->nranks; i++) {
		const struct op_rank *r = &o->rank[i];
		bool waited = r->credit_us > r->send_us;

		if (!(r->send_us > 0))
			continue;
		if (at_nic(c, i, nic)) {
			out = fmax(out, waited ? 0 : (double)r->send_us / median);
		} else if (at_nic(c, r->peer, nic)) {
			in = fmax(in, waited ? 0 : (double)r->send_us / median);
			awaited = fmax(awaited, (double)r->credit_us / median);
		}
	}
	if (!(fmax(in, out) > SLOWED) || !(out > 0))
		return;
	s->out += out;
	s->awaited += awaited;
	s->n++;
	if (!(in > 0))
		return;
	s->in += in;
	s->nin++;
}

/* A rank sends to all others at once: its step is no edge from it to its peer. */
static bool goes_to_all(const struct comm *c, const struct op *o)
{
	const char *func = c->func[o->func];

	return strcasestr(func, "alltoall") || strcasestr(func, "all_to_all");
}

static bool has_rank(const struct comm *c, uint32_t nic)
{
	for (int32_t i = 0; i < c->nranks; i++)
		if (c->rank[i].nic == nic)
			return true;
	return false;
}

struct nic_edges pause_nic_edges(const struct model *m, uint32_t nic)
{
	struct sums s = {0};

	for (size_t i = 0; i < m->nccl->comms.n; i++) {
		const struct comm *c = m->nccl->comms.at[i];
		uint64_t n = c->next_op < OPS_LOOKED ? c->next_op : OPS_LOOKED;

		if (!n || c->gone || c->nranks > RANKS_MOST || !has_rank(c, nic))
			continue;
		for (uint64_t k = 1; k <= n; k++) {
			const struct op *o = &c->ops[(c->next_op - k) % NCCL_OPS];

			if (o->rank && !goes_to_all(c, o))
				examine_op(c, o, nic, &s);
		}
	}
	return (struct nic_edges){.in = s.nin ? s.in / s.nin : (double)NAN,
		.out = s.n ? s.out / s.n : (double)NAN,
		.awaited = s.n ? s.awaited / s.n : (double)NAN};
}
