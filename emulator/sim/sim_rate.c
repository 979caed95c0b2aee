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
#define CNP_PACKET   94.0     /* bytes */
#define CNP_MOST     20e3     /* a flow and second: one in 50 us */
#define WRITE_BYTES  524288.0 /* of one RDMA write of NCCL's */
/* Pause lasts 65535 quanta of 512 bit times (IEEE 802.3 31B): senders refresh a bit earlier. */
#define BUSY_BYTES    1e9 /* a second, both ways: PCIe has something to do */
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

static void port_solution(struct sim *s, const struct solver *z, size_t e)
{
	struct port_state *st = &s->state[e];
	size_t far = z->peer[e];

	st->load = st->mark = st->queue = st->hold = st->pg = 0;
	if (!(z->line[e] > 0))
		return;
	st->load = z->arrives[e];
	st->hold = z->held[far];
	st->pg = st->hold > 0.01 ? XOFF_PG_BYTES + HEADROOM_USED * st->hold
				 : 4 * ROCE_PACKET * fmin(z->arrives[far] / z->line[far], 1);
	if (z->eflag[e] & EGRESS_HOST || !(z->offer[e] > 0))
		return;
	st->mark = marking(z, &s->port[e], e);
	st->queue = waiting(z, &s->port[e], e, st->mark);
}

/* ---- flows ---- */

static void naks(struct sim *s, const struct flow *f, double packets)
{
	double n = packets / LOST_A_NAK;

	add(s, f->dst, S_OUT_OF_SEQUENCE, n);
	add(s, f->dst, S_DUPLICATE, n / 10);
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

/* What arrives at a NIC and finds no room there. */
static double refused(struct sim *s, const struct flow *f, double bytes)
{
	double n = (bytes - f->rate) / ROCE_PACKET;

	add(s, f->dst, S_RX_DISCARDS, n);
	add(s, f->dst, S_OUT_OF_BUFFER, n);
	naks(s, f, n);
	return f->rate;
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
	if (f->lost_at == f->hops && f->rate < bytes * (1 - 1e-6))
		bytes = refused(s, f, bytes);
	marks(s, z, f, bytes / ROCE_PACKET * (1 - clean));
	if (!f->rdma)
		return;
	add(s, f->src, S_RDMA_TX_BYTES, f->sent);
	add(s, f->src, S_RDMA_TX_PACKETS, f->sent / ROCE_PACKET);
	add(s, f->dst, S_RDMA_RX_BYTES, bytes);
	add(s, f->dst, S_RDMA_RX_PACKETS, bytes / ROCE_PACKET);
	add(s, f->dst, S_WRITE_REQUESTS, bytes / WRITE_BYTES);
}

static void flow_rates(struct sim *s, struct solver *z, struct flow *f)
{
	if (!f->active || !(f->want > 0))
		return;
	if (!f->hops || !(f->rate > 0)) {
		f->gap = true;
	} else if (f->gap) {
		f->gap = false;
		sim_flow_gap(s, f);
	}
	/* Nobody answers: each sender's timer runs out about every two seconds. */
	if (!f->hops || f->rate < 1e-3 * f->want)
		add(s, f->src, S_ACK_TIMEOUT, 0.5);
	if (f->hops && f->sent > 0)
		carry(s, z, f);
}

/* ---- ports ---- */

/* The four slots of a priority: sent packets and bytes, received packets and bytes. */
static void priority(double *rate, double tx_packets, double tx, double rx_packets, double rx)
{
	rate[0] += tx_packets;
	rate[1] += tx;
	rate[2] += rx_packets;
	rate[3] += rx;
}

static void pause(const struct sim_port *p, double *rate, double holds, double is_held)
{
	double frames = p->speed_mbps * 1e6 / (65535.0 * 512) / PAUSE_REFRESH;

	rate[S_Q3_PFC_TX] += holds * frames;
	rate[S_Q3_PFC_TX_US] += holds * 1e6;
	rate[S_Q3_PFC_RX] += is_held * frames;
	rate[S_Q3_PFC_RX_US] += is_held * 1e6;
}

/* What the receive side of a NIC shows when it is too slow. */
static void nic(struct sim_port *p, struct port_state *st)
{
	bool busy = st->rate[S_Q3_TX_BYTES] + st->rate[S_Q3_RX_BYTES] > BUSY_BYTES;

	p->nic.pci_stalled_percent =
		st->k.pcie_narrow && busy ? (unsigned)(40 + 50 * fmin(st->hold, 1)) : 0;
	if (st->k.storms) {
		st->rate[S_STORM_WARNING] += STORM_EVENTS;
		st->rate[S_STORM_ERROR] += STORM_EVENTS;
	}
	if (st->k.drain < 1 && st->hold > 0.01) {
		st->rate[S_PASSED_THRES] += 400 * st->hold;
		st->rate[S_OUT_OF_BUFFER] += 20 * st->hold;
	}
}

static double small_packets(double small, double other)
{
	return small / SMALL_PACKET + other / ROCE_PACKET;
}

static void totals(struct sim_port *p, double *r)
{
	r[S_TX_BYTES] = r[S_Q0_TX_BYTES] + r[S_Q3_TX_BYTES] + r[S_Q6_TX_BYTES];
	r[S_TX_PACKETS] = r[S_Q0_TX_PACKETS] + r[S_Q3_TX_PACKETS] + r[S_Q6_TX_PACKETS];
	r[S_RX_BYTES] = r[S_Q0_RX_BYTES] + r[S_Q3_RX_BYTES] + r[S_Q6_RX_BYTES];
	r[S_RX_PACKETS] = r[S_Q0_RX_PACKETS] + r[S_Q3_RX_PACKETS] + r[S_Q6_RX_PACKETS];
	p->rx_bytes_ps = r[S_RX_BYTES];
	p->tx_bytes_ps = r[S_TX_BYTES];
}

/* What goes out here, and what the far end sends: the same numbers that it counts. */
static void port_rates(struct sim *s, const struct solver *z, size_t e)
{
	struct sim_port *p = &s->port[e];
	double *r = s->state[e].rate;
	size_t far = z->peer[e];
	double mine = z->small[e] + z->leaves0[e], theirs = z->small[far] + z->leaves0[far];

	p->rx_bytes_ps = p->tx_bytes_ps = 0;
	if (!(z->line[e] > 0))
		return;
	priority(&r[S_Q0_TX_PACKETS], small_packets(z->small[e], z->leaves0[e]), mine,
		small_packets(z->small[far], z->leaves0[far]), theirs);
	priority(&r[S_Q3_TX_PACKETS], z->leaves[e] / ROCE_PACKET, z->leaves[e],
		z->leaves[far] / ROCE_PACKET, z->leaves[far]);
	/* Notifications go back: those of what comes in go out here. */
	priority(&r[S_Q6_TX_PACKETS], z->cnp[far], z->cnp[far] * CNP_PACKET, z->cnp[e],
		z->cnp[e] * CNP_PACKET);
	r[S_Q3_ECN] += z->leaves[e] / ROCE_PACKET * s->state[e].mark;
	pause(p, r, z->held[far], z->held[e]);
	if (p->tier == TIER_HOST)
		nic(p, &s->state[e]);
	totals(p, r);
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
		port_solution(s, z, i);
}

/* What is set anew in every port: switches have nothing in the NICs' slots. */
static size_t rate_bytes(const struct solver *z, size_t e)
{
	return (z->eflag[e] & EGRESS_HOST ? SLOT_LINE : SLOT_NICS) * sizeof(double);
}

void sim_rates(struct sim *s)
{
	struct solver *z;

	if (s->touched)
		sim_lines_settle(s);
	sim_flows_route(s);
	solve(s);
	z = s->solver;
	memset(z->leaves, 0, s->nports * sizeof(*z->leaves));
	memset(z->leaves0, 0, s->nports * sizeof(*z->leaves0));
	memset(z->cnp, 0, s->nports * sizeof(*z->cnp));
	for (size_t i = 0; i < s->nports; i++)
		memset(s->state[i].rate, 0, rate_bytes(z, i));
	for (size_t i = 0; i < s->nflows; i++)
		flow_rates(s, z, &s->flow[i]);
	for (size_t i = 0; i < s->nports; i++)
		port_rates(s, z, i);
	s->generation++;
}
