/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/mem.h"
#include "emulator/sim/sim_internal.h"

/*
 * The traffic: on every rail a ring all-reduce over all hosts, and an all-to-all that crosses the
 * rails so that uplinks carry load. Shares are of the NIC's speed: 45 % + 20 %, so that a level of
 * +-15 % moves a NIC between 55 and 75 %.
 */
#define RING_SHARE  0.45
#define CROSS_SHARE 0.20
#define CROSS_FLOWS 8U

static struct sim_port *nic(const struct sim *s, unsigned host, unsigned rail)
{
	const struct sizing *z = s->o.sizing;

	return &sim_tier_device(s, TIER_HOST, host % z->hosts)->ports[rail % z->rails];
}

static void add_flow(
	struct sim *s, struct sim_port *src, struct sim_port *dst, double share, unsigned k)
{
	struct flow *f = &s->flow[s->nflows];

	f->src = src;
	f->dst = dst;
	f->demand = share * s->o.sizing->speed_mbps * 1e6 / 8;
	f->key = sim_hash(sim_hash(s->o.seed, s->nflows), k);
	s->nflows++;
}

void sim_flows_build(struct sim *s)
{
	const struct sizing *z = s->o.sizing;

	s->flow = mem_calloc((size_t)z->hosts * z->rails * (1 + CROSS_FLOWS), sizeof(*s->flow));
	for (unsigned h = 0; h < z->hosts; h++) {
		for (unsigned r = 0; r < z->rails; r++) {
			struct sim_port *src = nic(s, h, r);

			add_flow(s, src, nic(s, h + 1, r), RING_SHARE, 0);
			/* The same strides for all: every NIC receives as many as it sends. */
			for (unsigned k = 1; k <= CROSS_FLOWS; k++)
				add_flow(s, src, nic(s, h + 3 * k, r + k),
					CROSS_SHARE / CROSS_FLOWS, k);
		}
	}
}

static bool usable(const struct sim_port *p)
{
	return p->up && p->peer;
}

/* Whether a device of a higher tier has a way down to the leaf (links that are down included). */
static bool reaches(const struct sim *s, const struct sim_port *at, const struct sim_port *leaf)
{
	const struct sizing *z = s->o.sizing;

	if (at->tier == TIER_LEAF)
		return at->device == leaf->device;
	if (at->tier == TIER_SPINE && z->spines_per_rail)
		return sizing_rail(z, TIER_SPINE, at->device) ==
		       sizing_rail(z, TIER_LEAF, leaf->device);
	return true;
}

/*
 * The next egress from the device that `at` belongs to, towards the leaf of `to`: down where it is
 * reached that way, else up. Rendezvous hashing (Thaler and Ravishankar 1998): when a link goes
 * away only its own flows move, as with resilient hashing on a switch.
 */
static struct sim_port *next_hop(
	const struct sim *s, const struct sim_port *at, const struct sim_port *to, uint64_t key)
{
	const struct sim_device *d = sim_device_of(s, at);
	struct sim_port *best = NULL;
	bool down = at->tier != TIER_LEAF && reaches(s, at, to);
	uint64_t best_hash = 0;

	for (unsigned i = 0; i < d->nports; i++) {
		struct sim_port *p = &d->ports[i];
		uint64_t h;

		if (!usable(p) || (p->peer->tier < p->tier) != down)
			continue;
		if (down && !reaches(s, p->peer, to))
			continue;
		h = sim_hash(key, (uint64_t)(p - s->port));
		if (!best || h > best_hash) {
			best = p;
			best_hash = h;
		}
	}
	return best;
}

static void route(const struct sim *s, struct flow *f)
{
	struct sim_port *egress = f->src;
	unsigned n = 0;

	f->hops = 0;
	/* Whether the last cable is there decides first: without it nothing is sent at all. */
	if (!usable(f->src) || !usable(f->dst))
		return;
	while (egress && n < SIM_MAX_HOPS) {
		f->path[n++] = egress;
		if (egress->peer == f->dst) {
			f->hops = n;
			return;
		}
		if (egress->peer->tier == TIER_LEAF && egress->peer->device == f->dst->peer->device)
			egress = f->dst->peer;
		else
			egress = next_hop(s, egress->peer, f->dst->peer, f->key);
	}
}

/* Packets were lost on the way: the receiver sees a gap, the sender goes back (RoCE go-back-N). */
static void retransmit(struct sim *s, const struct flow *f, bool blocked)
{
	double n = 20 + (double)(sim_hash(f->key, (uint64_t)(s->now - s->o.start_us)) % 60);

	if (!blocked) {
		sim_bump(s, f->dst, S_OUT_OF_SEQUENCE, n);
		sim_bump(s, f->src, S_PACKET_SEQ_ERR, n);
	} else {
		sim_bump(s, f->src, S_ACK_TIMEOUT, 1);
	}
	sim_bump(s, f->src, S_ADP_RETRANS, n);
	sim_bump(s, f->src, S_SLOW_RESTART, 1);
}

void sim_flows_route(struct sim *s)
{
	for (size_t i = 0; i < s->nflows; i++) {
		struct flow *f = &s->flow[i];
		bool lost = false;

		for (unsigned h = 0; h < f->hops; h++)
			lost = lost || !usable(f->path[h]);
		route(s, f);
		if (lost)
			retransmit(s, f, f->hops == 0);
	}
}
