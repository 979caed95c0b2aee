/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "emulator/sim/sim_internal.h"

/*
 * Rates from flows. A flow gets its demand, cut by the tightest link on its way (a lossless class
 * pushes back to the source, so no link carries more than it can), and is the same on every hop:
 * what leaves a port arrives at its peer.
 */
#define ROCE_PACKET  4166.0 /* 4096 of payload and RoCEv2, UDP, IP, Ethernet around it, bytes */
#define SMALL_PACKET 300.0  /* LLDP, BGP, monitoring, bytes on average */
#define SMALL_BYTES  4e5    /* of those, bytes/s on every link and direction */
#define STORM_HOLD   0.995
#define SPREAD       0.2 /* each hop upstream is held this share of the one below */
#define LEAST_HOLD   0.001
/* Pause lasts 65535 quanta of 512 bit times (IEEE 802.3 31B): senders refresh a bit earlier. */
#define PAUSE_REFRESH 0.9
#define STORM_RETRY   0.05 /* what senders still offer to a queue that drops all */
#define MARK_FROM     0.3  /* utilisation where RED begins to mark now and then */
#define MARK_GAIN     4e-4

static void add(struct sim *s, const struct sim_port *p, enum slot slot, double v)
{
	sim_state(s, p)->rate[slot] += v;
}

static double capacity(const struct sim *s, const struct sim_port *p)
{
	return p->speed_mbps * 1e6 / 8 * (1 - sim_state(s, p->peer)->hold);
}

/* Link state from the faults that hold either end; counts what changed. */
static void settle_links(struct sim *s)
{
	for (size_t i = 0; i < s->nports; i++) {
		struct sim_port *p = &s->port[i];
		const struct port_state *mine = sim_state(s, p);
		const struct port_state *theirs = p->peer ? sim_state(s, p->peer) : mine;
		bool up = p->config.admin_up && p->peer && !mine->k.down && !theirs->k.down;
		bool half = mine->k.slow || theirs->k.slow;

		p->speed_mbps = p->plan_mbps / (half ? 2 : 1);
		if (up == p->up)
			continue;
		p->up = up;
		p->last_change_us = s->now;
		s->rewired = true;
		if (up) {
			p->carrier_up++;
			continue;
		}
		p->carrier_down++;
		/* The last codewords before the receiver loses lock cannot be corrected. */
		sim_bump(
			s, p, S_FEC_UNCORRECTABLE, 4 + (double)(sim_hash(i, p->carrier_down) % 12));
		sim_bump(s, p, S_RX_SYMBOL, 2);
		sim_bump(s, p, S_RX_FCS, 1);
		sim_bump(s, p, S_RX_ERRORS, 1);
	}
}

/*
 * A NIC that pauses without end fills the leaf's queue, then the leaf's ingress: every hop
 * upstream of the flows that go there is held, a fifth as long each.
 */
static void spread_pause(struct sim *s)
{
	for (size_t i = 0; i < s->nports; i++)
		s->state[i].hold = s->state[i].k.storms && s->port[i].up ? STORM_HOLD : 0;
	for (size_t i = 0; i < s->nflows; i++) {
		const struct flow *f = &s->flow[i];
		double hold = STORM_HOLD;

		if (!f->hops || !sim_state(s, f->dst)->k.storms)
			continue;
		for (unsigned h = f->hops - 1; h-- > 0;) {
			struct port_state *st = sim_state(s, f->path[h]->peer);

			hold *= SPREAD;
			if (hold < LEAST_HOLD)
				break;
			st->hold = fmax(st->hold, hold);
		}
	}
}

static double demand(const struct sim *s, const struct flow *f)
{
	const struct sim_port *last = f->path[f->hops - 1];
	double d = f->demand * s->level;

	return sim_state(s, last)->wd_acts ? d * STORM_RETRY : d;
}

static void load_links(struct sim *s)
{
	for (size_t i = 0; i < s->nports; i++)
		s->state[i].load = 0;
	for (size_t i = 0; i < s->nflows; i++) {
		const struct flow *f = &s->flow[i];

		for (unsigned h = 0; h < f->hops; h++)
			sim_state(s, f->path[h])->load += demand(s, f);
	}
	for (size_t i = 0; i < s->nports; i++) {
		const struct sim_port *p = &s->port[i];
		double u = p->up ? s->state[i].load / capacity(s, p) : 0;

		u = fmin(u, 1);
		/* Hosts do not mark: they are where packets begin. */
		s->state[i].mark = p->tier == TIER_HOST || u < MARK_FROM
					   ? 0
					   : MARK_GAIN * (u - MARK_FROM) * (u - MARK_FROM);
	}
}

static void hop_rates(struct sim *s, const struct sim_port *p, double bytes)
{
	double packets = bytes / ROCE_PACKET;

	add(s, p, S_Q3_TX_BYTES, bytes);
	add(s, p, S_Q3_TX_PACKETS, packets);
	add(s, p->peer, S_Q3_RX_BYTES, bytes);
	add(s, p->peer, S_Q3_RX_PACKETS, packets);
	add(s, p, S_Q3_ECN, packets * sim_state(s, p)->mark);
}

static void flow_rates(struct sim *s, const struct flow *f)
{
	double share = 1, marks = 0, bytes;

	if (!f->hops) {
		/* Nobody answers: each sender's timer runs out about every two seconds. */
		add(s, f->src, S_ACK_TIMEOUT, 0.5);
		return;
	}
	for (unsigned h = 0; h < f->hops; h++) {
		const struct port_state *st = sim_state(s, f->path[h]);

		if (!st->wd_acts && st->load > 0)
			share = fmin(share, capacity(s, f->path[h]) / st->load);
	}
	bytes = demand(s, f) * share;
	for (unsigned h = 0; h < f->hops; h++) {
		const struct sim_port *p = f->path[h];

		if (sim_state(s, p)->wd_acts) {
			add(s, p, S_Q3_WD_DROPS, bytes / ROCE_PACKET);
			add(s, p, S_Q3_DROPS, bytes / ROCE_PACKET);
			add(s, p, S_TX_DISCARDS, bytes / ROCE_PACKET);
			add(s, f->src, S_ACK_TIMEOUT, 2);
			return;
		}
		hop_rates(s, p, bytes);
		marks += bytes / ROCE_PACKET * sim_state(s, p)->mark;
	}
	/* A receiver sends at most one CNP per flow and interval: about half of the marks. */
	add(s, f->dst, S_ECN_ROCE, marks);
	add(s, f->dst, S_CNP_SENT, marks / 2);
	add(s, f->src, S_CNP_HANDLED, marks / 2);
}

static void port_rates(struct sim *s, struct sim_port *p)
{
	struct port_state *st = sim_state(s, p);
	double quantum = 65535.0 * 512 / (p->speed_mbps * 1e6);
	double small = SMALL_BYTES * (1 + 0.2 * sim_unit(sim_hash((uint64_t)(p - s->port), 7)));
	double frames = st->hold / (quantum * PAUSE_REFRESH), bits = st->ber * p->speed_mbps * 1e6;

	if (!p->up)
		return;
	add(s, p, S_Q0_TX_BYTES, small);
	add(s, p, S_Q0_TX_PACKETS, small / SMALL_PACKET);
	add(s, p->peer, S_Q0_RX_BYTES, small);
	add(s, p->peer, S_Q0_RX_PACKETS, small / SMALL_PACKET);
	add(s, p, S_Q3_PFC_TX, frames);
	add(s, p, S_Q3_PFC_TX_US, st->hold * 1e6);
	add(s, p->peer, S_Q3_PFC_RX, frames);
	add(s, p->peer, S_Q3_PFC_RX_US, st->hold * 1e6);
	/* So few errors that no codeword holds two: one bit, one symbol, one codeword each. */
	add(s, p, S_FEC_BITS, bits);
	add(s, p, S_FEC_SYMBOLS, bits);
	add(s, p, S_FEC_CORRECTED, bits);
}

static void total(struct sim *s, struct sim_port *p)
{
	double *r = sim_state(s, p)->rate;

	r[S_TX_BYTES] = r[S_Q0_TX_BYTES] + r[S_Q3_TX_BYTES];
	r[S_TX_PACKETS] = r[S_Q0_TX_PACKETS] + r[S_Q3_TX_PACKETS];
	r[S_RX_BYTES] = r[S_Q0_RX_BYTES] + r[S_Q3_RX_BYTES];
	r[S_RX_PACKETS] = r[S_Q0_RX_PACKETS] + r[S_Q3_RX_PACKETS];
	p->rx_bytes_ps = r[S_RX_BYTES];
	p->tx_bytes_ps = r[S_TX_BYTES];
}

void sim_rates(struct sim *s)
{
	settle_links(s);
	if (s->rewired)
		sim_flows_route(s);
	s->rewired = false;
	spread_pause(s);
	load_links(s);
	for (size_t i = 0; i < s->nports; i++)
		for (int k = 0; k < SLOT_COUNT; k++)
			s->state[i].rate[k] = 0;
	for (size_t i = 0; i < s->nflows; i++)
		flow_rates(s, &s->flow[i]);
	for (size_t i = 0; i < s->nports; i++)
		port_rates(s, &s->port[i]);
	for (size_t i = 0; i < s->nports; i++)
		total(s, &s->port[i]);
	s->generation++;
}
