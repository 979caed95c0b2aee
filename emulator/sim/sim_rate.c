/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "emulator/sim/solver.h"

/*
 * Converts the solution to counter rates. A flow sends the same on every hop until it is lost. Both
 * ends of a link count the same: all that leaves a port arrives at its peer.
 */
#define ROCE_PACKET  4166.0   /* bytes: 4096 of payload, and RoCEv2, UDP, IP, Ethernet around it */
#define SMALL_PACKET 300.0    /* LLDP, BGP, monitoring, bytes on average */
#define CNP_PACKET   94.0     /* bytes */
#define CNP_MOST     20e3     /* per flow and second: one in 50 us */
#define WRITE_BYTES  524288.0 /* of one RDMA write by NCCL */
/* Pause lasts 65535 quanta of 512 bit times (IEEE 802.3 31B): senders refresh a bit earlier. */
#define BUSY_BYTES    1e9 /* per second, both ways: PCIe is busy */
#define PAUSE_REFRESH 0.9
#define MARK_FROM     0.3 /* utilisation from which RED marks occasionally */
#define MARK_GAIN     4e-4
#define MARK_LEAST    0.01 /* DCQCN's steady marking on a full egress; depends on the overload */
#define MARK_SPREAD   0.19
#define ROOT_LEAST    0.8 /* utilisation of a queue that others wait for, see EGRESS_BACKS */
#define XOFF_BYTES    3e6 /* in one queue when its ingress ports send pause */
#define XOFF_PG_BYTES 2e6 /* in one priority group then */
#define HEADROOM_USED 1e5
#define LOST_A_NAK    10.0  /* packets that one go-back-N discards */
#define STORM_EVENTS  0.125 /* per second: pfc-prevention checks every 8 s */

static void add_rate(struct sim *s, const struct sim_port *p, enum slot slot, double v)
{
	sim_state(s, p)->rate[slot] += v;
}

/* ---- queues and marks ---- */

static bool is_root(const struct solver *z, size_t e)
{
	if (z->offer[e] > z->cap[e] && z->eflag[e] & EGRESS_BACKS && z->limit[e] >= z->cap[e])
		return z->arrives[e] > ROOT_LEAST * z->cap[e];
	return z->offer[e] > z->cap[e] && z->arrives[e] > 0.975 * z->cap[e];
}

static bool is_full(const struct solver *z, size_t e)
{
	return z->offer[e] > SOLVE_TARGET * z->cap[e] && z->arrives[e] > 0.93 * z->cap[e];
}

static double mark_share(const struct solver *z, const struct sim_port *p, size_t e)
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

static double queue_bytes(const struct solver *z, const struct sim_port *p, size_t e, double mark)
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
	st->mark = mark_share(z, &s->port[e], e);
	st->queue = queue_bytes(z, &s->port[e], e, st->mark);
}

/* ---- flows ---- */

static void add_naks(struct sim *s, const struct flow *f, double packets)
{
	double n = packets / LOST_A_NAK;

	add_rate(s, f->dst, S_OUT_OF_SEQUENCE, n);
	add_rate(s, f->dst, S_DUPLICATE, n / 10);
	add_rate(s, f->src, S_PACKET_SEQ_ERR, n);
	add_rate(s, f->src, S_ADP_RETRANS, n);
	add_rate(s, f->src, S_SLOW_RESTART, n / 20);
}

/* Counts the drops at hop lost_at, and the NAKs that follow. */
static void count_losses(struct sim *s, const struct solver *z, const struct flow *f, double bytes)
{
	const struct sim_port *e = f->path[f->lost_at];
	double n = bytes / ROCE_PACKET;

	if (f->lossy) {
		add_rate(s, e, S_Q0_DROPS, n);
		add_rate(s, e, S_TX_DISCARDS, n);
	} else if (z->eflag[e - s->port] & EGRESS_DROPS) {
		add_rate(s, e, S_Q3_WD_DROPS, n);
		add_rate(s, e, S_Q3_DROPS, n);
		add_rate(s, e, S_TX_DISCARDS, n);
	} else {
		add_rate(s, f->path[f->lost_at - 1]->peer, S_Q3_PG_DROPS, n);
		add_rate(s, f->path[f->lost_at - 1]->peer, S_RX_DISCARDS, n);
	}
	if (f->rate > 0)
		add_naks(s, f, n);
	else
		add_rate(s, f->src, S_ACK_TIMEOUT, 2);
}

/* Damaged packets are counted only at the port where they arrive. */
static double count_damage(
	struct sim *s, const struct flow *f, const struct sim_port *in, double bytes, double share)
{
	double n = bytes / ROCE_PACKET * share;

	add_rate(s, in, S_RX_FCS, n);
	add_rate(s, in, S_RX_ERRORS, n);
	add_rate(s, in, S_RX_SYMBOL, n * 1.5);
	add_naks(s, f, n * LOST_A_NAK);
	return bytes * (1 - share);
}

static void count_marks(struct sim *s, struct solver *z, const struct flow *f, double ce)
{
	double cnp = ce / (1 + ce / CNP_MOST);

	if (!f->rdma || !(ce > 0))
		return;
	add_rate(s, f->dst, S_ECN_ROCE, ce);
	if (!f->dst->config.np || sim_state(s, f->dst)->k.no_np)
		return;
	add_rate(s, f->dst, S_CNP_SENT, cnp);
	if (f->src->config.rp && !sim_state(s, f->src)->k.no_rp)
		add_rate(s, f->src, S_CNP_HANDLED, cnp);
	else
		add_rate(s, f->src, S_CNP_IGNORED, cnp);
	for (unsigned h = 0; h < f->hops; h++)
		z->cnp[f->path[h] - s->port] += cnp;
}

/* Counts the packets that a NIC without room for them drops. */
static double count_refused(struct sim *s, const struct flow *f, double bytes)
{
	double n = (bytes - f->rate) / ROCE_PACKET;

	add_rate(s, f->dst, S_RX_DISCARDS, n);
	add_rate(s, f->dst, S_OUT_OF_BUFFER, n);
	add_naks(s, f, n);
	return f->rate;
}

static void carry_flow(struct sim *s, struct solver *z, const struct flow *f)
{
	double *leaves = f->lossy ? z->leaves0 : z->leaves;
	double bytes = f->sent, clean = 1;

	for (unsigned h = 0; h < f->hops && bytes > 0; h++) {
		size_t e = (size_t)(f->path[h] - s->port);

		if (h == f->lost_at) {
			count_losses(s, z, f, f->sent - f->rate);
			bytes *= f->rate / f->sent;
		}
		leaves[e] += bytes;
		clean *= 1 - (f->lossy ? 0 : s->state[e].mark);
		if (z->loss[e] > 0)
			bytes = count_damage(s, f, f->path[h]->peer, bytes, z->loss[e]);
	}
	if (f->lost_at == f->hops && f->rate < bytes * (1 - 1e-6))
		bytes = count_refused(s, f, bytes);
	count_marks(s, z, f, bytes / ROCE_PACKET * (1 - clean));
	if (!f->rdma)
		return;
	add_rate(s, f->src, S_RDMA_TX_BYTES, f->sent);
	add_rate(s, f->src, S_RDMA_TX_PACKETS, f->sent / ROCE_PACKET);
	add_rate(s, f->dst, S_RDMA_RX_BYTES, bytes);
	add_rate(s, f->dst, S_RDMA_RX_PACKETS, bytes / ROCE_PACKET);
	add_rate(s, f->dst, S_WRITE_REQUESTS, bytes / WRITE_BYTES);
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
	/* No acknowledgements: each sender's timer expires about every two seconds. */
	if (!f->hops || f->rate < 1e-3 * f->want)
		add_rate(s, f->src, S_ACK_TIMEOUT, 0.5);
	if (f->hops && f->sent > 0)
		carry_flow(s, z, f);
}

/* ---- ports ---- */

/* Adds to the four slots of a priority: sent packets and bytes, received packets and bytes. */
static void add_priority(double *rate, double tx_packets, double tx, double rx_packets, double rx)
{
	rate[0] += tx_packets;
	rate[1] += tx;
	rate[2] += rx_packets;
	rate[3] += rx;
}

static void add_pause(const struct sim_port *p, double *rate, double holds, double is_held)
{
	double frames = p->speed_mbps * 1e6 / (65535.0 * 512) / PAUSE_REFRESH;

	rate[S_Q3_PFC_TX] += holds * frames;
	rate[S_Q3_PFC_TX_US] += holds * 1e6;
	rate[S_Q3_PFC_RX] += is_held * frames;
	rate[S_Q3_PFC_RX_US] += is_held * 1e6;
}

/* Sets the counters that show a slow receive side of a NIC. */
static void set_nic(struct sim_port *p, struct port_state *st)
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

double sim_first_load(const struct sim *s, const struct sim_port *p)
{
	(void)s;
	return p->tier != TIER_HOST && !p->config.weighted && p->up && p->peer
		       ? p->speed_mbps * 1e6 / 8 * SIM_FIRST_LOAD
		       : 0;
}

static double small_packets(double small, double other)
{
	return small / SMALL_PACKET + other / ROCE_PACKET;
}

static void sum_priorities(struct sim_port *p, double *r)
{
	r[S_TX_BYTES] = r[S_Q0_TX_BYTES] + r[S_Q3_TX_BYTES] + r[S_Q6_TX_BYTES];
	r[S_TX_PACKETS] = r[S_Q0_TX_PACKETS] + r[S_Q3_TX_PACKETS] + r[S_Q6_TX_PACKETS];
	r[S_RX_BYTES] = r[S_Q0_RX_BYTES] + r[S_Q3_RX_BYTES] + r[S_Q6_RX_BYTES];
	r[S_RX_PACKETS] = r[S_Q0_RX_PACKETS] + r[S_Q3_RX_PACKETS] + r[S_Q6_RX_PACKETS];
	p->rx_bytes_ps = r[S_RX_BYTES];
	p->tx_bytes_ps = r[S_TX_BYTES];
}

/*
 * Rates of one port: its own egress, and the egress of the far end, which counts the same
 * numbers.
 */
static void port_rates(struct sim *s, const struct solver *z, size_t e)
{
	struct sim_port *p = &s->port[e];
	double *r = s->state[e].rate;
	size_t far = z->peer[e];
	double first = sim_first_load(s, p),
	       theirs_first = p->peer ? sim_first_load(s, p->peer) : 0;
	double mine = z->small[e] + z->leaves0[e] + first;
	double theirs = z->small[far] + z->leaves0[far] + theirs_first;

	p->rx_bytes_ps = p->tx_bytes_ps = 0;
	if (!(z->line[e] > 0))
		return;
	add_priority(&r[S_Q0_TX_PACKETS], small_packets(z->small[e], z->leaves0[e] + first), mine,
		small_packets(z->small[far], z->leaves0[far] + theirs_first), theirs);
	add_priority(&r[S_Q3_TX_PACKETS], z->leaves[e] / ROCE_PACKET, z->leaves[e],
		z->leaves[far] / ROCE_PACKET, z->leaves[far]);
	/* Notifications go backwards: those for incoming flows leave here. */
	add_priority(&r[S_Q6_TX_PACKETS], z->cnp[far], z->cnp[far] * CNP_PACKET, z->cnp[e],
		z->cnp[e] * CNP_PACKET);
	r[S_Q3_ECN] += z->leaves[e] / ROCE_PACKET * s->state[e].mark;
	add_pause(p, r, z->held[far], z->held[e]);
	if (p->tier == TIER_HOST)
		set_nic(p, &s->state[e]);
	sum_priorities(p, r);
}

static void solve_flows(struct sim *s)
{
	struct solver *z;

	sim_jobs_want(s);
	sim_solve(s);
	/* Flows that wait for the slowest of their group want less, so others may go faster. */
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

/* Number of rate bytes to clear in every port: switches do not use the NICs' slots. */
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
	solve_flows(s);
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
