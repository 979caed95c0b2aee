/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "emulator/sim/solver.h"

/*
 * From the solution to what counters count. What a flow sends is the same on every hop until it is
 * lost, and both ends of a link count the same: what leaves a port arrives at its peer.
 */
#define ROCE_PACKET  4166.0   /* 4096 of payload and RoCEv2, UDP, IP, Ethernet around it, bytes */
#define SMALL_PACKET 300.0    /* LLDP, BGP, monitoring, bytes on average */
#define SMALL_BYTES  4e5      /* of those, bytes/s on every link and direction */
#define CNP_PACKET   94.0     /* bytes */
#define CNP_MOST     20e3     /* a flow and second: one in 50 us */
#define WRITE_BYTES  524288.0 /* of one RDMA write of NCCL's */
/* Pause lasts 65535 quanta of 512 bit times (IEEE 802.3 31B): senders refresh a bit earlier. */
#define PAUSE_REFRESH 0.9
#define MARK_FROM     0.3 /* utilisation where RED begins to mark now and then */
#define MARK_GAIN     4e-4
#define MARK_LEAST    0.01 /* what DCQCN settles at on a full egress, by how much it is full */
#define MARK_SPREAD   0.19
#define XOFF_BYTES    3e6 /* in one queue when its ingress ports send pause */
#define XOFF_PG_BYTES 2e6 /* in one priority group then */
#define HEADROOM_USED 1e5
#define LOST_A_NAK    10.0  /* packets that one go-back-N throws away */
#define STORM_EVENTS  0.125 /* a second: pfc-prevention looks every 8 s */

static void add(struct sim *s, const struct sim_port *p, enum slot slot, double v)
{
	sim_state(s, p)->rate[slot] += v;
}

/* ---- queues and marks ---- */

static bool is_root(const struct solver *z, size_t e)
{
	return z->offer[e] > z->cap[e] && z->arrives[e] > 0.975 * z->cap[e];
}

static bool is_full(const struct solver *z, size_t e)
{
	return z->offer[e] > SOLVE_TARGET * z->cap[e] && z->arrives[e] > 0.93 * z->cap[e];
}

static double marking(const struct solver *z, const struct sim_port *p, size_t e)
{
	double u = fmin(z->arrives[e] / z->line[e], 1), over;

	if (!(z->eflag[e] & EGRESS_MARKS) || z->eflag[e] & EGRESS_DROPS)
		return 0;
	if (is_root(z, e) || (z->held[e] > 0.02 && z->limit[e] < z->cap[e]))
		return p->config.ecn_max_percent / 100.0;
	if (is_full(z, e)) {
		over = 1 - z->cap[e] / fmax(z->offer[e], z->cap[e]);
		return MARK_LEAST + MARK_SPREAD * over * over;
	}
	return u < MARK_FROM ? 0 : MARK_GAIN * (u - MARK_FROM) * (u - MARK_FROM);
}

static double waiting(const struct solver *z, const struct sim_port *p, size_t e, double mark)
{
	double u = fmin(z->arrives[e] / z->line[e], 1), most = p->config.ecn_max_percent / 100.0;

	if (z->eflag[e] & EGRESS_DROPS || !(z->offer[e] > 0))
		return 0;
	if (is_root(z, e) || z->eflag[e] & EGRESS_STUCK || z->held[e] > 0.5)
		return XOFF_BYTES;
	if (is_full(z, e))
		return p->config.ecn_min_bytes +
		       (p->config.ecn_max_bytes - (double)p->config.ecn_min_bytes) *
			       fmin(mark / fmax(most, 0.01), 1);
	return ROCE_PACKET * u / (1.02 - u);
}

static void port_solution(struct sim *s, struct solver *z, size_t e)
{
	struct sim_port *p = &s->port[e];
	struct port_state *st = &s->state[e], *far;

	st->load = st->mark = st->queue = 0;
	if (!p->peer || !(z->line[e] > 0))
		return;
	far = sim_state(s, p->peer);
	st->load = z->arrives[e];
	if (p->tier != TIER_HOST) {
		st->mark = marking(z, p, e);
		st->queue = waiting(z, p, e, st->mark);
	}
	far->hold = z->held[e];
	far->pg = z->held[e] > 0.01 ? XOFF_PG_BYTES + HEADROOM_USED * z->held[e]
				    : 4 * ROCE_PACKET * fmin(z->arrives[e] / z->line[e], 1);
}

/* ---- flows ---- */

static void naks(struct sim *s, const struct flow *f, double packets)
{
	double n = packets / LOST_A_NAK;

	add(s, f->dst, S_OUT_OF_SEQUENCE, n);
	add(s, f->src, S_PACKET_SEQ_ERR, n);
	add(s, f->src, S_ADP_RETRANS, n);
	add(s, f->src, S_SLOW_RESTART, n / 20);
}

/* What is thrown away at hop h, and who notices. */
static void losses(struct sim *s, const struct solver *z, const struct flow *f, double bytes)
{
	const struct sim_port *e = f->path[f->lost_at];
	double n = bytes / ROCE_PACKET;

	if (f->lossy) {
		add(s, e, S_Q0_DROPS, n);
		add(s, e, S_TX_DISCARDS, n);
	} else if (z->eflag[e - s->port] & EGRESS_DROPS) {
		add(s, e, S_Q3_WD_DROPS, n);
		add(s, e, S_Q3_DROPS, n);
		add(s, e, S_TX_DISCARDS, n);
	} else {
		add(s, f->path[f->lost_at - 1]->peer, S_Q3_PG_DROPS, n);
		add(s, f->path[f->lost_at - 1]->peer, S_RX_DISCARDS, n);
	}
	if (f->rate > 0)
		naks(s, f, n);
	else
		add(s, f->src, S_ACK_TIMEOUT, 2);
}

/* Packets that arrive damaged are counted where they arrive, and there only. */
static double damage(
	struct sim *s, const struct flow *f, const struct sim_port *in, double bytes, double share)
{
	double n = bytes / ROCE_PACKET * share;

	add(s, in, S_RX_FCS, n);
	add(s, in, S_RX_ERRORS, n);
	add(s, in, S_RX_SYMBOL, n * 1.5);
	naks(s, f, n * LOST_A_NAK);
	return bytes * (1 - share);
}

static void marks(struct sim *s, struct solver *z, const struct flow *f, double ce)
{
	double cnp = ce / (1 + ce / CNP_MOST);

	if (!f->rdma || !(ce > 0))
		return;
	add(s, f->dst, S_ECN_ROCE, ce);
	if (!f->dst->config.np || sim_state(s, f->dst)->k.no_np)
		return;
	add(s, f->dst, S_CNP_SENT, cnp);
	if (f->src->config.rp && !sim_state(s, f->src)->k.no_rp)
		add(s, f->src, S_CNP_HANDLED, cnp);
	else
		add(s, f->src, S_CNP_IGNORED, cnp);
	for (unsigned h = 0; h < f->hops; h++)
		z->cnp[f->path[h] - s->port] += cnp;
}

static void carry(struct sim *s, struct solver *z, const struct flow *f)
{
	double *leaves = f->lossy ? z->leaves0 : z->leaves;
	double bytes = f->sent, clean = 1;

	for (unsigned h = 0; h < f->hops && bytes > 0; h++) {
		size_t e = (size_t)(f->path[h] - s->port);

		if (h == f->lost_at) {
			losses(s, z, f, f->sent - f->rate);
			bytes *= f->rate / f->sent;
		}
		leaves[e] += bytes;
		clean *= 1 - (f->lossy ? 0 : s->state[e].mark);
		if (z->loss[e] > 0)
			bytes = damage(s, f, f->path[h]->peer, bytes, z->loss[e]);
	}
	marks(s, z, f, bytes / ROCE_PACKET * (1 - clean));
	if (!f->rdma)
		return;
	add(s, f->src, S_RDMA_TX_BYTES, f->sent);
	add(s, f->src, S_RDMA_TX_PACKETS, f->sent / ROCE_PACKET);
	add(s, f->dst, S_RDMA_RX_BYTES, bytes);
	add(s, f->dst, S_RDMA_RX_PACKETS, bytes / ROCE_PACKET);
	add(s, f->dst, S_WRITE_REQUESTS, bytes / WRITE_BYTES);
}

static void flow_rates(struct sim *s, struct solver *z, const struct flow *f)
{
	if (!f->active || !(f->want > 0))
		return;
	/* Nobody answers: each sender's timer runs out about every two seconds. */
	if (!f->hops || f->rate < 1e-3 * f->want)
		add(s, f->src, S_ACK_TIMEOUT, 0.5);
	if (f->hops && f->sent > 0)
		carry(s, z, f);
}

/* ---- ports ---- */

static void sent(
	struct sim *s, const struct sim_port *p, enum slot first, double bytes, double packets)
{
	/* The four slots of a priority: sent packets and bytes, received packets and bytes. */
	add(s, p, first, packets);
	add(s, p, first + 1, bytes);
	add(s, p->peer, first + 2, packets);
	add(s, p->peer, first + 3, bytes);
}

static void pause(struct sim *s, const struct sim_port *p)
{
	double hold = sim_state(s, p)->hold, quantum = 65535.0 * 512 / (p->speed_mbps * 1e6);

	if (!(hold > 0))
		return;
	add(s, p, S_Q3_PFC_TX, hold / (quantum * PAUSE_REFRESH));
	add(s, p, S_Q3_PFC_TX_US, hold * 1e6);
	add(s, p->peer, S_Q3_PFC_RX, hold / (quantum * PAUSE_REFRESH));
	add(s, p->peer, S_Q3_PFC_RX_US, hold * 1e6);
}

/* What the receive side of a NIC shows when it is too slow. */
static void nic(struct sim *s, struct sim_port *p)
{
	const struct port_state *st = sim_state(s, p);

	p->nic.pci_stalled_percent =
		st->k.pcie_narrow ? (unsigned)(40 + 50 * fmin(st->hold, 1)) : 0;
	if (st->k.storms) {
		add(s, p, S_STORM_WARNING, STORM_EVENTS);
		add(s, p, S_STORM_ERROR, STORM_EVENTS);
	}
	if (st->k.drain < 1 && st->hold > 0.01) {
		add(s, p, S_PASSED_THRES, 400 * st->hold);
		add(s, p, S_OUT_OF_BUFFER, 20 * st->hold);
	}
}

static void port_rates(struct sim *s, const struct solver *z, struct sim_port *p)
{
	size_t e = (size_t)(p - s->port);
	double small = SMALL_BYTES * (1 + 0.2 * sim_unit(sim_hash(e, 7)));
	double roce = z->leaves[e], other = z->leaves0[e];

	if (!p->up || !p->peer)
		return;
	sent(s, p, S_Q0_TX_PACKETS, small + other, small / SMALL_PACKET + other / ROCE_PACKET);
	sent(s, p, S_Q3_TX_PACKETS, roce, roce / ROCE_PACKET);
	add(s, p, S_Q3_ECN, roce / ROCE_PACKET * s->state[e].mark);
	/* Notifications go back: from the far end of what the flow crosses. */
	if (z->cnp[e] > 0)
		sent(s, p->peer, S_Q6_TX_PACKETS, z->cnp[e] * CNP_PACKET, z->cnp[e]);
	pause(s, p);
	if (p->tier == TIER_HOST)
		nic(s, p);
}

static void total(struct sim *s, struct sim_port *p)
{
	double *r = sim_state(s, p)->rate;

	r[S_TX_BYTES] = r[S_Q0_TX_BYTES] + r[S_Q3_TX_BYTES] + r[S_Q6_TX_BYTES];
	r[S_TX_PACKETS] = r[S_Q0_TX_PACKETS] + r[S_Q3_TX_PACKETS] + r[S_Q6_TX_PACKETS];
	r[S_RX_BYTES] = r[S_Q0_RX_BYTES] + r[S_Q3_RX_BYTES] + r[S_Q6_RX_BYTES];
	r[S_RX_PACKETS] = r[S_Q0_RX_PACKETS] + r[S_Q3_RX_PACKETS] + r[S_Q6_RX_PACKETS];
	p->rx_bytes_ps = r[S_RX_BYTES];
	p->tx_bytes_ps = r[S_TX_BYTES];
}

static void solve(struct sim *s)
{
	struct solver *z;

	sim_jobs_want(s);
	sim_solve(s);
	/* What waits for the slowest of its group wants less: others may go faster then. */
	if (sim_jobs_wait(s, false)) {
		sim_solve(s);
		(void)sim_jobs_wait(s, true);
	}
	z = s->solver;
	for (size_t i = 0; i < s->nflows; i++)
		z->rate[i] = s->flow[i].sent;
	solver_arrive(s, z);
	solver_hold(s, z);
	for (size_t i = 0; i < s->nports; i++)
		s->state[i].hold = s->state[i].pg = 0;
	for (size_t i = 0; i < s->nports; i++)
		port_solution(s, z, i);
}

void sim_rates(struct sim *s)
{
	struct solver *z;

	if (s->touched)
		sim_lines_settle(s);
	sim_flows_route(s);
	solve(s);
	z = s->solver;
	for (size_t i = 0; i < s->nports; i++) {
		memset(s->state[i].rate, 0, SLOT_LINE * sizeof(s->state[i].rate[0]));
		z->leaves[i] = z->leaves0[i] = z->cnp[i] = 0;
	}
	for (size_t i = 0; i < s->nflows; i++)
		flow_rates(s, z, &s->flow[i]);
	for (size_t i = 0; i < s->nports; i++)
		port_rates(s, z, &s->port[i]);
	for (size_t i = 0; i < s->nports; i++)
		total(s, &s->port[i]);
	s->generation++;
}
