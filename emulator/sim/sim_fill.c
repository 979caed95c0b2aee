/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "emulator/sim/solver.h"

/*
 * Congestion control in its steady state. Flows that react to marks share every marking egress
 * max-min fairly; DCQCN's additive increase and equal marking lead to that. Every NIC shares its
 * own line among its flows. Progressive filling (Bertsekas and Gallager 1992, 6.5.2): the level
 * rises; a flow stops at its demand, or when the first of its egresses is full.
 */

#define SOURCE_TARGET 0.985 /* share of its line that a NIC keeps sending */
#define LEAST_SHARE   0.2   /* share that DCQCN flows keep beside others that do not slow down */

struct level {
	double at;
	uint32_t tight; /* index into fill.tight */
};

struct tight { /* an egress with more offered load than capacity */
	uint32_t egress;
	double left;         /* bytes/s for the flows that still rise */
	unsigned rising;     /* flows */
	uint32_t first, end; /* of fill.member */
};

struct wanting {
	double want;
	uint32_t flow;
};

struct fill {
	struct solver *z;
	VEC(struct tight) tight;
	uint32_t *place; /* per egress: 1 + index into tight; 0: it is not tight */
	VEC(struct wanting) wanting;
	uint32_t *member; /* flows by tight egress */
	VEC(struct level) heap;
	bool *stopped; /* one per flow */
};

/* True if hop h of the flow's path makes the flow slow down. */
static bool hop_limits(const struct solver *z, size_t f, unsigned h)
{
	return h == 0 || z->flag[f] & FLOW_CC;
}

static void sum_offers(const struct sim *s, struct solver *z, double *free_of_control)
{
	memset(z->offer, 0, s->nports * sizeof(*z->offer));
	for (size_t f = 0; f < z->nflows; f++) {
		const uint32_t *way = solver_way(z, f);

		if (!(z->want[f] > 0))
			continue;
		/* The NIC shares its line among all priorities; the queues are separate. */
		for (unsigned h = 0; h < (z->flag[f] & FLOW_LOSSY ? 1U : z->hops[f]); h++) {
			z->offer[way[h]] += z->want[f];
			if (h && !(z->flag[f] & FLOW_CC))
				free_of_control[way[h]] += z->want[f];
		}
	}
}

static void find_tight(const struct sim *s, struct fill *x, const double *free_of_control)
{
	struct solver *z = x->z;

	for (uint32_t e = 0; e < s->nports; e++) {
		bool host = z->eflag[e] & EGRESS_HOST;
		double free = host ? 0 : free_of_control[e], left;

		if (!(z->offer[e] > free) || !(host || z->eflag[e] & EGRESS_MARKS) ||
			z->eflag[e] & EGRESS_DROPS)
			continue;
		left = (host ? SOURCE_TARGET : SOLVE_TARGET) * z->cap[e] - free;
		if (left < LEAST_SHARE * z->cap[e])
			left = LEAST_SHARE * z->cap[e];
		if (z->offer[e] - free <= left)
			continue;
		vec_push(&x->tight, (struct tight){.egress = e, .left = left});
		x->place[e] = (uint32_t)x->tight.n;
	}
}

static int by_want(const void *a, const void *b)
{
	const struct wanting *x = a, *y = b;

	if (x->want != y->want)
		return x->want < y->want ? -1 : 1;
	return x->flow < y->flow ? -1 : 1;
}

static void find_members(struct fill *x)
{
	const struct solver *z = x->z;
	uint32_t n = 0;

	for (size_t f = 0; f < z->nflows; f++) {
		bool any = false;

		for (unsigned h = 0; z->want[f] > 0 && h < z->hops[f]; h++) {
			uint32_t t = x->place[solver_way(z, f)[h]];

			if (!t || !hop_limits(z, f, h))
				continue;
			x->tight.at[t - 1].rising++;
			any = true;
		}
		if (any)
			vec_push(&x->wanting, (struct wanting){z->want[f], (uint32_t)f});
	}
	for (size_t t = 0; t < x->tight.n; t++) {
		x->tight.at[t].first = x->tight.at[t].end = n;
		n += x->tight.at[t].rising;
	}
	x->member = mem_calloc(n + 1, sizeof(*x->member));
	for (size_t i = 0; i < x->wanting.n; i++) {
		uint32_t f = x->wanting.at[i].flow;

		for (unsigned h = 0; h < z->hops[f]; h++) {
			uint32_t t = x->place[solver_way(z, f)[h]];

			if (t && hop_limits(z, f, h))
				x->member[x->tight.at[t - 1].end++] = f;
		}
	}
	if (x->wanting.n)
		qsort(x->wanting.at, x->wanting.n, sizeof(*x->wanting.at), by_want);
}

static void sift_down(struct fill *x, size_t i)
{
	struct level *h = x->heap.at;

	for (size_t c; (c = 2 * i + 1) < x->heap.n; i = c) {
		struct level t;

		if (c + 1 < x->heap.n && h[c + 1].at < h[c].at)
			c++;
		if (h[i].at <= h[c].at)
			return;
		t = h[i];
		h[i] = h[c];
		h[c] = t;
	}
}

static void stop_flow(struct fill *x, uint32_t f, double rate)
{
	struct solver *z = x->z;

	x->stopped[f] = true;
	z->rate[f] = rate;
	for (unsigned h = 0; h < z->hops[f]; h++) {
		uint32_t t = x->place[solver_way(z, f)[h]];

		if (!t || !hop_limits(z, f, h))
			continue;
		x->tight.at[t - 1].left -= rate;
		x->tight.at[t - 1].rising--;
	}
}

static double level_of(const struct tight *t)
{
	return t->left > 0 ? t->left / t->rising : 0;
}

/* The lowest level in the heap may be out of date; levels only rise. */
static void raise_levels(struct fill *x)
{
	size_t next = 0;

	while (x->heap.n) {
		struct tight *t = &x->tight.at[x->heap.at[0].tight];
		double at = t->rising ? level_of(t) : 0;

		if (!t->rising) {
			x->heap.at[0] = x->heap.at[--x->heap.n];
			sift_down(x, 0);
			continue;
		}
		if (at > x->heap.at[0].at * (1 + 1e-9)) {
			x->heap.at[0].at = at;
			sift_down(x, 0);
			continue;
		}
		if (next < x->wanting.n && x->wanting.at[next].want <= at) {
			uint32_t f = x->wanting.at[next++].flow;

			if (!x->stopped[f])
				stop_flow(x, f, x->z->want[f]);
			continue;
		}
		vec_push(&x->z->full, t->egress);
		for (uint32_t i = t->first; i < t->end; i++)
			if (!x->stopped[x->member[i]])
				stop_flow(x, x->member[i], at);
	}
}

void solver_fill(const struct sim *s, struct solver *z)
{
	struct fill x = {.z = z};

	z->full.n = 0;
	memset(z->scratch, 0, s->nports * sizeof(*z->scratch));
	sum_offers(s, z, z->scratch);
	x.place = mem_calloc(s->nports + 1, sizeof(*x.place));
	find_tight(s, &x, z->scratch);
	memset(z->scratch, 0, s->nports * sizeof(*z->scratch));
	if (x.tight.n) {
		x.stopped = mem_calloc(z->nflows + 1, sizeof(*x.stopped));
		find_members(&x);
		for (size_t t = 0; t < x.tight.n; t++)
			vec_push(&x.heap, (struct level){level_of(&x.tight.at[t]), (uint32_t)t});
		for (size_t i = x.heap.n / 2 + 1; i-- > 0;)
			sift_down(&x, i);
		raise_levels(&x);
	}
	free(x.place);
	free(x.stopped);
	free(x.member);
	vec_free(&x.tight);
	vec_free(&x.wanting);
	vec_free(&x.heap);
}
