/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/sim/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/*
 * The quasi-steady state between two events. Buffers fill and drain within a millisecond at these
 * speeds. The lasting state is the equilibrium of congestion control (sim_fill.c) and PFC
 * (sim_pause.c).
 */
#define STORM_LEFT  0.005 /* share of a line left while the far end sends pause without end */
#define STORM_RETRY 0.05  /* share that senders still offer to a queue that drops all */
#define LOSS_COST   100   /* go-back-N: each lost packet costs about this many */
#define TAIL_LOSS   1e-4  /* share lost by occasional bursts in a lossy queue ... */
#define TAIL_FROM   0.5   /* ... from this utilisation of its port on */

static struct solver *solver_new(const struct sim *s)
{
	struct solver *z = mem_calloc(1, sizeof(*z));
	double **const per_egress[] = {&z->line, &z->cap, &z->loss, &z->offer, &z->arrives,
		&z->limit, &z->forced, &z->burst, &z->held, &z->lossy, &z->leaves, &z->leaves0,
		&z->cnp, &z->small, &z->scratch};

	for (size_t i = 0; i < sizeof(per_egress) / sizeof(per_egress[0]); i++)
		*per_egress[i] = mem_calloc(s->nports + 1, sizeof(double));
	z->eflag = mem_calloc(s->nports + 1, 1);
	z->peer = mem_calloc(s->nports + 1, sizeof(*z->peer));
	for (size_t i = 0; i < s->nports; i++)
		z->small[i] = SOLVE_SMALL * (1 + 0.2 * sim_unit(sim_hash(i, 7)));
	z->first = mem_calloc(s->nports + 2, sizeof(*z->first));
	z->way_count = s->way_count - 1;
	return z;
}

void sim_solver_free(struct sim *s)
{
	struct solver *z = s->solver;

	if (!z)
		return;
	free(z->line);
	free(z->cap);
	free(z->loss);
	free(z->offer);
	free(z->arrives);
	free(z->limit);
	free(z->forced);
	free(z->burst);
	free(z->held);
	free(z->lossy);
	free(z->leaves);
	free(z->leaves0);
	free(z->cnp);
	free(z->small);
	free(z->peer);
	free(z->nature);
	free(z->scratch);
	free(z->eflag);
	free(z->first);
	free(z->crossing);
	free(z->hop);
	free(z->hops);
	free(z->flag);
	free(z->want);
	free(z->rate);
	free(z->pass);
	free(z->lost_at);
	vec_free(&z->full);
	vec_free(&z->work);
	vec_free(&z->feeders);
	free(z);
	s->solver = NULL;
}

static void copy_ways(const struct sim *s, struct solver *z)
{
	size_t n = s->nflows + 1;

	z->nflows = s->nflows;
	z->hop = mem_realloc(z->hop, n * SIM_MAX_HOPS, sizeof(*z->hop));
	z->hops = mem_realloc(z->hops, n, 1);
	z->flag = mem_realloc(z->flag, n, 1);
	z->nature = mem_realloc(z->nature, n, 1);
	z->lost_at = mem_realloc(z->lost_at, n, 1);
	z->want = mem_realloc(z->want, n, sizeof(*z->want));
	z->rate = mem_realloc(z->rate, n, sizeof(*z->rate));
	z->pass = mem_realloc(z->pass, n, sizeof(*z->pass));
	for (size_t i = 0; i < s->nflows; i++) {
		const struct flow *f = &s->flow[i];

		z->hops[i] = (uint8_t)f->hops;
		for (unsigned h = 0; h < f->hops; h++)
			z->hop[i * SIM_MAX_HOPS + h] = (uint32_t)(f->path[h] - s->port);
	}
	z->way_count = s->way_count;
}

void solver_cross(const struct sim *s, struct solver *z)
{
	size_t n = 0;

	if (z->crossed)
		return;
	z->crossed = true;
	memset(z->first, 0, (s->nports + 2) * sizeof(*z->first));
	for (size_t f = 0; f < z->nflows; f++)
		for (unsigned h = 0; solver_lossless(z, f) && h < z->hops[f]; h++)
			z->first[solver_way(z, f)[h] + 2]++;
	for (size_t e = 0; e < s->nports + 2; e++) {
		n += z->first[e];
		z->first[e] = (uint32_t)n;
	}
	if (n > z->crossing_room) {
		z->crossing_room = n + n / 4;
		z->crossing = mem_realloc(z->crossing, z->crossing_room, sizeof(*z->crossing));
	}
	for (size_t f = 0; f < z->nflows; f++)
		for (unsigned h = 0; solver_lossless(z, f) && h < z->hops[f]; h++)
			z->crossing[z->first[solver_way(z, f)[h] + 1]++] =
				(struct crossing){(uint32_t)f, h};
}

static bool runs_pfc(const struct sim_port *p)
{
	return p->config.pfc_mask >> SIM_PRIO_ROCE & 1;
}

static bool drops_queue(const struct sim *s, const struct sim_port *p)
{
	const struct sim_device *d = sim_device_of(s, p);

	if (p->tier != TIER_HOST && d->config.wd_big_red)
		return true;
	return sim_state(s, p)->wd_acts && p->config.wd_action == SIM_WD_DROP;
}

/* Sets the capacity and flags of one egress from links, knobs and configuration. */
static void set_egress(const struct sim *s, struct solver *z, size_t i)
{
	const struct sim_port *p = &s->port[i];
	const struct port_state *st = &s->state[i];
	const struct knobs *far;
	unsigned flag = 0;
	double share = 1;

	/* Priority 3 has what the traffic that goes first leaves. */
	z->line[i] = p->up ? p->speed_mbps * 1e6 / 8 - sim_first_load(s, p) : 0;
	z->cap[i] = z->loss[i] = 0;
	z->eflag[i] = p->tier == TIER_HOST ? EGRESS_HOST : 0;
	z->peer[i] = (uint32_t)(p->peer ? p->peer - s->port : p - s->port);
	if (!p->up || !p->peer)
		return;
	far = &sim_state(s, p->peer)->k;
	z->loss[i] = fmin(far->loss + sim_state(s, p->peer)->line_loss, 1);
	if (p->tier == TIER_HOST) {
		flag |= EGRESS_HOST;
		share = fmax(st->k.send, 0);
	} else if (p->config.ecn && !st->k.no_ecn) {
		flag |= EGRESS_MARKS;
	}
	if (p->peer->tier == TIER_HOST)
		flag |= EGRESS_TO_NIC;
	/* A NIC without PFC cannot pause its peer when it is slow: see overflow_share(). */
	if (p->peer->tier == TIER_HOST && runs_pfc(p->peer))
		share = fmin(share, fmax(far->drain, 0));
	if ((far->storms || st->k.held) &&
		!(st->wd_acts && p->config.wd_action == SIM_WD_FORWARD)) {
		share = st->k.held ? 0 : STORM_LEFT;
		flag = (flag | EGRESS_STUCK) & ~(unsigned)EGRESS_MARKS;
	}
	if (drops_queue(s, p))
		flag |= EGRESS_DROPS;
	if (st->k.deaf || !runs_pfc(p))
		flag |= EGRESS_DEAF;
	z->cap[i] = z->line[i] * fmin(share, SOLVE_USABLE);
	z->eflag[i] = (uint8_t)flag;
}

static bool is_watched(const struct port_state *st)
{
	return st->wd_acts || st->k.misfire || st->k.stuck || st->wd_since != SIM_NEVER;
}

static void set_egresses(struct sim *s, struct solver *z)
{
	z->any_loss = z->any_drops = z->any_refuses = s->watching = false;
	for (size_t i = 0; i < s->nports; i++) {
		set_egress(s, z, i);
		z->any_loss = z->any_loss || z->loss[i] > 0;
		z->any_refuses = z->any_refuses ||
				 (s->port[i].tier == TIER_HOST && s->state[i].k.drain < 1 &&
					 !runs_pfc(&s->port[i]));
		z->any_drops = z->any_drops || z->eflag[i] & EGRESS_DROPS;
		s->watching = s->watching || z->eflag[i] & EGRESS_STUCK || is_watched(&s->state[i]);
	}
}

/* Reduces a flow's demand for damaged packets and dropped queues on its path. */
static void reduce_demand(struct solver *z, size_t f)
{
	double loss = 0;

	for (unsigned h = 0; h < z->hops[f]; h++) {
		uint32_t e = solver_way(z, f)[h];

		loss += z->loss[e];
		if (z->eflag[e] & EGRESS_DROPS && z->lost_at[f] == z->hops[f]) {
			z->lost_at[f] = (uint8_t)h;
			z->pass[f] = 0;
			z->want[f] *= STORM_RETRY;
		}
	}
	z->want[f] /= 1 + LOSS_COST * loss;
}

/* Properties of a flow from its two ends; they change only with knobs and configuration. */
static void set_natures(struct sim *s, struct solver *z)
{
	for (size_t i = 0; i < s->nflows; i++) {
		struct flow *f = &s->flow[i];
		bool cc = f->rdma && f->src->config.rp && !sim_state(s, f->src)->k.no_rp &&
			  f->dst->config.np && !sim_state(s, f->dst)->k.no_np;

		f->lossy = f->rdma && sim_state(s, f->src)->k.wrong_dscp;
		z->nature[i] = (uint8_t)((f->lossy ? FLOW_LOSSY : 0) | (cc ? FLOW_CC : 0));
	}
}

static void set_flows(struct sim *s, struct solver *z)
{
	z->any_lossy = z->any_free = z->crossed = false;
	for (size_t i = 0; i < s->nflows; i++) {
		const struct flow *f = &s->flow[i];

		z->want[i] = f->active && f->hops ? f->want : 0;
		z->pass[i] = 1;
		z->lost_at[i] = z->hops[i];
		z->flag[i] = z->want[i] > 0 ? z->nature[i] : 0;
		if (!(z->want[i] > 0))
			continue;
		z->any_lossy = z->any_lossy || z->flag[i] & FLOW_LOSSY;
		z->any_free = z->any_free || !(z->flag[i] & FLOW_CC);
		if ((z->any_loss || z->any_drops) && !(z->flag[i] & FLOW_LOSSY))
			reduce_demand(z, i);
	}
}

void solver_arrive(const struct sim *s, struct solver *z)
{
	memset(z->arrives, 0, s->nports * sizeof(*z->arrives));
	for (size_t f = 0; f < z->nflows; f++) {
		const uint32_t *way = solver_way(z, f);

		if (!solver_lossless(z, f))
			continue;
		for (unsigned h = 0; h < z->hops[f]; h++) {
			/* Drops of an egress arrived there; drops of an ingress did not. */
			bool here = h < z->lost_at[f] ||
				    (h == z->lost_at[f] && z->eflag[way[h]] & EGRESS_DROPS);

			z->arrives[way[h]] += here ? z->rate[f] : z->rate[f] * z->pass[f];
		}
	}
}

/* Priority 0 gets the rest that priority 3 leaves, a tenth at least; tail drop takes the excess. */
static void lossy_flows(const struct sim *s, struct solver *z)
{
	memset(z->lossy, 0, s->nports * sizeof(*z->lossy));
	for (size_t f = 0; f < z->nflows; f++)
		for (unsigned h = 0; z->flag[f] & FLOW_LOSSY && h < z->hops[f]; h++)
			z->lossy[solver_way(z, f)[h]] += z->rate[f];
	for (size_t f = 0; f < z->nflows; f++) {
		for (unsigned h = 1; z->flag[f] & FLOW_LOSSY && h < z->hops[f]; h++) {
			uint32_t e = solver_way(z, f)[h];
			double left =
				fmax(SOLVE_TARGET * z->line[e] - z->arrives[e], 0.1 * z->line[e]);
			double pass = fmin(1, left / z->lossy[e]);

			if (z->arrives[e] + z->lossy[e] > TAIL_FROM * z->line[e])
				pass = fmin(pass, 1 - TAIL_LOSS);
			if (pass < z->pass[f]) {
				z->pass[f] = pass;
				z->lost_at[f] = (uint8_t)h;
			}
		}
	}
}

/* Share that passes a slow NIC without PFC; it drops the rest after the last hop. */
static double overflow_share(const struct sim *s, const struct solver *z, const struct flow *f)
{
	double drain = z->any_refuses ? sim_state(s, f->dst)->k.drain : 1;
	uint32_t last = z->peer[f->dst - s->port];

	if (drain >= 1 || runs_pfc(f->dst) || !(z->arrives[last] > 0))
		return 1;
	return fmin(1, fmax(drain, 0) * z->line[last] / z->arrives[last]);
}

void sim_solve(struct sim *s)
{
	struct solver *z = s->solver ? s->solver : (s->solver = solver_new(s));

	bool other = z->way_count != s->way_count || z->nflows != s->nflows;

	if (other)
		copy_ways(s, z);
	if (s->touched)
		set_egresses(s, z);
	if (s->touched || other)
		set_natures(s, z);
	s->touched = false;
	set_flows(s, z);
	memcpy(z->rate, z->want, z->nflows * sizeof(*z->rate));
	solver_fill(s, z);
	solver_arrive(s, z);
	solver_pause(s, z);
	solver_bursts(s, z);
	if (z->any_lossy)
		lossy_flows(s, z);
	for (size_t i = 0; i < s->nflows; i++) {
		struct flow *f = &s->flow[i];

		f->sent = z->rate[i];
		f->rate = z->rate[i] > 0 ? z->rate[i] * z->pass[i] * overflow_share(s, z, f) : 0;
		f->lost_at = z->lost_at[i];
	}
}
