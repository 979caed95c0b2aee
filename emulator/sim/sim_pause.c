/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/sim/solver.h"

/*
 * PFC in its steady state. An egress that gets more than it can send fills the buffers of the
 * ingress ports that feed it. Each of these is paused while it brings more than its max-min share.
 * The egress at the other end of a paused cable is a FIFO queue of its own. Everything in it slows
 * down alike, which is how victims arise, and so on up to the NICs.
 */
#define ENOUGH     1e-6 /* share of a rate: a smaller difference counts as none */
#define WORTH      1e-3 /* share of a limit: a smaller reduction is not propagated */
#define BURST_LOSS 0.02 /* share of the arriving bytes lost if bursts are not paused */
#define WAVES      4    /* a cut in one place makes room in another */
#define WORK_BOUND 24   /* how often a wave may look at every egress */

static double left_of(const struct solver *z, uint32_t e)
{
	return z->limit[e] < z->arrives[e] ? z->limit[e] / z->arrives[e] : 1;
}

static bool too_much(const struct solver *z, uint32_t e, double slack)
{
	return !(z->eflag[e] & EGRESS_DROPS) && z->arrives[e] > z->limit[e] * (1 + slack) + 1;
}

static void enqueue_egress(struct solver *z, uint32_t e)
{
	if (z->eflag[e] & EGRESS_QUEUED)
		return;
	z->eflag[e] |= EGRESS_QUEUED;
	vec_push(&z->work, e);
}

static double arriving_rate(const struct solver *z, const struct crossing *c)
{
	if (c->hop > z->lost_at[c->flow])
		return z->rate[c->flow] * z->pass[c->flow];
	return z->rate[c->flow];
}

/* Sums the bytes that each upstream egress brings to e into z->scratch. Returns the total. */
static double gather_feeders(struct solver *z, uint32_t e)
{
	double sum = 0;

	z->feeders.n = 0;
	for (uint32_t i = z->first[e]; i < z->first[e + 1]; i++) {
		const struct crossing *c = &z->crossing[i];
		double r = arriving_rate(z, c);
		uint32_t u;

		if (!c->hop || !(r > 0))
			continue;
		u = solver_way(z, c->flow)[c->hop - 1];
		r *= left_of(z, u);
		if (!(z->scratch[u] > 0))
			vec_push(&z->feeders, u);
		z->scratch[u] += r > 0 ? r : 1e-9;
		sum += r;
	}
	return sum;
}

/* The most that one feeder may bring so that all together bring at most `limit`. */
static double fair_level(const struct solver *z, double limit)
{
	double left = limit, level = 0;
	size_t rest = z->feeders.n;

	/* At most 64 feeders: each pass removes those below the level, or ends. */
	for (size_t pass = 0; pass <= z->feeders.n && rest; pass++) {
		size_t above = 0;
		double sum = 0, next = left / (double)rest;

		if (pass && next <= level * (1 + ENOUGH))
			break;
		level = next;
		for (size_t i = 0; i < z->feeders.n; i++) {
			double a = z->scratch[z->feeders.at[i]];

			if (a > level)
				above++;
			else
				sum += a;
		}
		left = fmax(limit - sum, 0);
		rest = above;
	}
	return level;
}

static bool sends_pause(const struct sim *s, uint32_t u)
{
	const struct sim_port *in = s->port[u].peer;

	return (in->config.pfc_mask >> SIM_PRIO_ROCE & 1) && !sim_state(s, in)->k.no_pfc;
}

/* Drops at the ingress the excess of u over the limit of e. */
static void discard_excess(struct solver *z, uint32_t e, uint32_t u, double pass)
{
	for (uint32_t i = z->first[e]; i < z->first[e + 1]; i++) {
		const struct crossing *c = &z->crossing[i];

		if (!c->hop || solver_way(z, c->flow)[c->hop - 1] != u ||
			c->hop > z->lost_at[c->flow])
			continue;
		z->lost_at[c->flow] = (uint8_t)c->hop;
		z->pass[c->flow] = fmin(z->pass[c->flow], pass);
	}
}

static void pause_feeder(
	const struct sim *s, struct solver *z, uint32_t e, uint32_t u, double share)
{
	double out = fmin(z->arrives[u], z->limit[u]), limit = out * share;

	if (!sends_pause(s, u)) {
		discard_excess(z, e, u, share);
		return;
	}
	if (z->eflag[u] & EGRESS_DEAF) {
		z->forced[u] = fmax(z->forced[u], 1 - limit / z->line[u]);
		discard_excess(z, e, u, share);
		return;
	}
	if (limit >= z->limit[u] * (1 - WORTH))
		return;
	z->limit[u] = limit;
	z->eflag[e] |= EGRESS_BACKS;
	if (!(z->eflag[u] & EGRESS_HOST))
		enqueue_egress(z, u);
}

static void relieve_egress(const struct sim *s, struct solver *z, uint32_t e)
{
	double sum = gather_feeders(z, e), level;

	if (sum > z->limit[e] * (1 + ENOUGH) + 1) {
		level = fair_level(z, z->limit[e]);
		for (size_t i = 0; i < z->feeders.n; i++) {
			uint32_t u = z->feeders.at[i];

			if (z->scratch[u] > level)
				pause_feeder(s, z, e, u, level / z->scratch[u]);
		}
	}
	for (size_t i = 0; i < z->feeders.n; i++)
		z->scratch[z->feeders.at[i]] = 0;
}

/* Propagates pause from full egresses up to the sources. */
static void run_wave(const struct sim *s, struct solver *z)
{
	size_t bound = WORK_BOUND * (s->nports + 1);

	for (size_t i = 0; i < z->work.n && i < bound; i++) {
		z->eflag[z->work.at[i]] &= (uint8_t)~EGRESS_QUEUED;
		relieve_egress(s, z, z->work.at[i]);
	}
	for (size_t i = 0; i < z->work.n; i++)
		z->eflag[z->work.at[i]] &= (uint8_t)~EGRESS_QUEUED;
}

/* Paused NICs send less of everything. */
static void slow_sources(const struct sim *s, struct solver *z)
{
	for (uint32_t e = 0; e < s->nports; e++) {
		double left = left_of(z, e);

		if (!(z->eflag[e] & EGRESS_HOST) || left >= 1)
			continue;
		for (uint32_t i = z->first[e]; i < z->first[e + 1]; i++)
			z->rate[z->crossing[i].flow] *= left;
	}
}

static bool find_work(const struct sim *s, struct solver *z, double slack)
{
	z->work.n = 0;
	for (uint32_t e = 0; e < s->nports; e++)
		if (z->arrives[e] > 0 && too_much(z, e, slack) && !(z->eflag[e] & EGRESS_HOST))
			enqueue_egress(z, e);
	return z->work.n > 0;
}

/* The waves may leave a tiny excess over capacity; it must not be sent. */
static void clamp_rates(const struct sim *s, struct solver *z)
{
	for (size_t f = 0; f < z->nflows; f++) {
		double left = 1;

		for (unsigned h = 0; z->rate[f] > 0 && h < z->hops[f] && h <= z->lost_at[f]; h++) {
			uint32_t e = solver_way(z, f)[h];

			if (!(z->eflag[e] & EGRESS_DROPS) && !(z->flag[f] & FLOW_LOSSY) &&
				z->arrives[e] > z->cap[e] && h != z->lost_at[f])
				left = fmin(left, z->cap[e] / z->arrives[e]);
		}
		z->rate[f] *= left;
	}
	solver_arrive(s, z);
}

void solver_pause(const struct sim *s, struct solver *z)
{
	memcpy(z->limit, z->cap, s->nports * sizeof(*z->limit));
	memset(z->forced, 0, s->nports * sizeof(*z->forced));
	for (size_t e = 0; e < s->nports; e++)
		z->eflag[e] &= (uint8_t)~EGRESS_BACKS;
	if (!find_work(s, z, 1e-4))
		return;
	solver_cross(s, z);
	for (unsigned k = 0; k < WAVES; k++) {
		run_wave(s, z);
		slow_sources(s, z);
		solver_arrive(s, z);
		if (!find_work(s, z, 5 * WORTH))
			break;
	}
	for (size_t i = 0; i < z->work.n; i++)
		z->eflag[z->work.at[i]] &= (uint8_t)~EGRESS_QUEUED;
	clamp_rates(s, z);
}

/*
 * Bursts. Congestion control needs a round trip to see an incast; until then the simultaneous
 * arrivals fill the buffers. Returns the share of time that the egresses upstream of a full one are
 * paused; this slows down no flow. Fitted to packet-level runs: a 64-to-1 incast pauses the ports
 * above the hot leaf for 20-45 %, a 16-way all-to-all for less than 2 %.
 */
static double burst_share(const struct solver *z, uint32_t e, unsigned flows)
{
	double ratio = z->cap[e] > 0 ? z->offer[e] / z->cap[e] : 0;
	/* Flows that share an uplink only by hash do not start at the same instant. */
	double from = z->eflag[e] & EGRESS_TO_NIC ? 2 : 4;

	return flows > 4 && ratio > from ? 0.5 * (1 - 4.0 / flows) * (1 - from / ratio) : 0;
}

/* If the pause is not sent, or is ignored, part of a burst is lost. */
static void burst_lost(struct solver *z, const struct crossing *c, unsigned h, double t)
{
	if (z->lost_at[c->flow] < z->hops[c->flow])
		return;
	z->lost_at[c->flow] = (uint8_t)(h + 1);
	z->pass[c->flow] = 1 - BURST_LOSS * t;
}

static void burst_upstream(const struct sim *s, struct solver *z, uint32_t e)
{
	double tau = burst_share(z, e, z->first[e + 1] - z->first[e]);

	for (uint32_t i = z->first[e]; tau > 0 && i < z->first[e + 1]; i++) {
		const struct crossing *c = &z->crossing[i];
		double t = tau;

		for (unsigned h = c->hop; h-- > 0 && c->hop - h <= 2; t *= tau) {
			uint32_t u = solver_way(z, c->flow)[h];
			double share = t * (1 - fmin(z->arrives[u] / z->line[u], 1));
			bool told = sends_pause(s, u);

			if (told)
				z->burst[u] = fmax(z->burst[u], share);
			if (!told || z->eflag[u] & EGRESS_DEAF)
				burst_lost(z, c, h, t);
		}
	}
}

void solver_bursts(const struct sim *s, struct solver *z)
{
	memset(z->burst, 0, s->nports * sizeof(*z->burst));
	if (!z->full.n)
		return;
	solver_cross(s, z);
	for (size_t i = 0; i < z->full.n; i++)
		if (!(z->eflag[z->full.at[i]] & EGRESS_HOST))
			burst_upstream(s, z, z->full.at[i]);
}

/*
 * A queue that never runs empty sends at line rate whenever it may: the missing share is the time
 * that it is paused. A queue that is rarely filled is not paused for long.
 */
static double paused_share(const struct sim *s, const struct solver *z, uint32_t e)
{
	double idle = 1 - fmin(z->arrives[e] / z->line[e], 1), full;
	bool slow;

	if (z->eflag[e] & EGRESS_STUCK)
		return s->state[e].k.held ? 1 : 1 - 0.005;
	if (z->forced[e] > 0)
		return z->forced[e];
	slow = z->eflag[e] & EGRESS_TO_NIC && z->cap[e] < 0.99 * z->line[e] &&
	       z->offer[e] > z->cap[e];
	/* The waves cut some sources by more than was needed, and raise none again. */
	if (z->eflag[e] & EGRESS_BACKS && (slow || z->limit[e] < z->cap[e]))
		return idle;
	if (z->limit[e] < z->cap[e]) {
		full = z->limit[e] < 0.01 * z->line[e] ? 1 : z->arrives[e] / z->limit[e];
		return idle * fmin(fmax((full - 0.8) / 0.15, 0), 1);
	}
	/* A NIC that cannot take the arriving rate pauses its leaf's egress. */
	if (slow)
		return idle * fmin(fmax((z->arrives[e] / z->cap[e] - 0.8) / 0.15, 0), 1);
	return 0;
}

void solver_hold(const struct sim *s, struct solver *z)
{
	for (uint32_t e = 0; e < s->nports; e++)
		z->held[e] = z->line[e] > 0 ? fmax(paused_share(s, z, e), z->burst[e]) : 0;
}
