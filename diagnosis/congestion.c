/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/congestion.h"

#include <math.h>

/* Onyx's default Kmax of a lossless class: diagnosis reference, section 3. */
#define DEFAULT_KMAX_BYTES 1500e3
/* Busy share of a poll in which an egress counts as full. A burst of 3 s in 5 does not (trap 9). */
#define FULL_UTIL 0.68
/* At a terminal of pauses less is needed: what is held elsewhere is missing here. */
#define FULL_UTIL_TERMINAL 0.45
/* A root holds the queue and is not held itself: section 2.2, "no pause received". */
#define NOT_HELD 0.02F
/* Held by its NIC for so long that a backlog follows: "critical" of section 3. */
#define DAMMED 0.10F
/* Marked share of what it sends: a busy healthy egress marks one in thousands, a full one many. */
#define MARKED_SHARE 0.01
#define CNPS_PPS     10.0F
#define MOVES_BPS    1e9F
#define VICTIM_HOPS  8 /* section 2.2: at most 8 hops in three tiers */

double congestion_queue_limit(const struct model *m, const struct port *p, unsigned priority)
{
	if (p->qos && p->qos->prio[priority].ecn_max_bytes != UINT32_MAX &&
		p->qos->prio[priority].ecn_max_bytes)
		return p->qos->prio[priority].ecn_max_bytes;
	return m->lossless.ecn_max_bytes ? (double)m->lossless.ecn_max_bytes : DEFAULT_KMAX_BYTES;
}

static unsigned first_priority(const struct model *m)
{
	return (unsigned)__builtin_ctz(lossless_priorities(&m->lossless));
}

/* The terminal of pauses that this egress is; NULL: none. */
static const struct pause_node *terminal_at(const struct diag_run *r, uint32_t port)
{
	const struct pause_node *n = pause_node_of(r->pauses, port);

	return n && n->end == PAUSE_CONTENTION ? n : NULL;
}

double congestion_marked_share(const struct model *m, const struct port *p, const struct sample *s)
{
	double sent = port_rate(p, CTR_QUEUE_TX_PACKETS, first_priority(m));

	if (isnan(sent))
		sent = port_rate(p, CTR_TX_PACKETS, 0);
	return sent > 0 ? (double)s->ecn_pps / sent : (double)NAN;
}

/* What its NIC held back a moment ago comes all at once: that is still the NIC's doing. */
static bool was_dammed(const struct windows *w, uint32_t port)
{
	for (unsigned ago = 1; ago < WINDOW_SAMPLES; ago++) {
		const struct sample *s = window_ago(w, port, ago);

		if (s && s->held > DAMMED)
			return true;
	}
	return false;
}

static bool is_hot(const struct diag_run *r, const struct hot *h)
{
	const struct sample *s = h->s;

	if (s->held > NOT_HELD || !(h->util > (h->node ? FULL_UTIL_TERMINAL : FULL_UTIL)))
		return false;
	if (was_dammed(r->w, h->port))
		return false;
	return s->queue_peak > h->limit ||
	       congestion_marked_share(r->m, r->m->ports.at[h->port], s) > MARKED_SHARE;
}

static void take_switch_port(struct diag_run *r, struct congestion *c, const struct port *p,
	const struct port *peer, const struct sample *s)
{
	struct hot h = {.port = p->id,
		.s = s,
		.peer = peer ? peer->id : PORT_NONE,
		.util = (double)s->tx_util};

	c->marks |= s->ecn_pps > 0;
	if (!peer || model_dev_of(r->m, peer)->tier != TIER_HOST)
		return;
	h.to_nic = true;
	h.nic = window_last(r->w, peer->id);
	h.limit = congestion_queue_limit(r->m, p, first_priority(r->m));
	h.node = terminal_at(r, p->id);
	c->receivers++;
	if (is_hot(r, &h))
		vec_push(&c->hot, h);
}

/* Other bytes on the lossless class than RDMA's: headers, acknowledgements and CNPs are few. */
static bool sends_other(const struct port *p, const struct sample *s)
{
	double other = (double)s->lossless_tx_bps - (double)s->rdma_tx_bps;

	return other > fmax(0.05 * p->speed_mbps * 1e6, 0.15 * (double)s->lossless_tx_bps);
}

bool congestion_sends_lossy(const struct port *p, const struct sample *s)
{
	double sent = (double)s->lossless_tx_bps + (double)s->other_tx_bps;

	/* Storage over TCP on the same NIC is no RDMA; where that drops, much of it is sent again.
	 */
	if (!isnan(s->rdma_tx_bps) && s->rdma_tx_bps < 0.2F * s->other_tx_bps)
		return false;
	return (double)s->other_tx_bps > fmax(0.5 * sent, 0.01 * p->speed_mbps * 1e6);
}

static void take_nic(struct congestion *c, const struct port *p, const struct sample *s)
{
	c->cnps |= s->cnp_sent > CNPS_PPS;
	if (s->cnp_ignored > CNPS_PPS)
		vec_push(&c->ignoring, p->id);
	if (sends_other(p, s))
		vec_push(&c->other_send, p->id);
	if (s->tx_bps > MOVES_BPS && !isnan(s->other_tx_bps) && !isnan(s->lossless_tx_bps)) {
		c->nics++;
		c->nics_wrong += congestion_sends_lossy(p, s);
	}
}

void congestion_find(struct diag_run *r, struct congestion *c)
{
	for (uint32_t i = 0; i < r->m->ports.n; i++) {
		const struct port *p = r->m->ports.at[i];
		const struct sample *s = window_last(r->w, i);

		if (!s || !s->up || p->merged)
			continue;
		if (model_dev_of(r->m, p)->tier == TIER_HOST)
			take_nic(c, p, s);
		else
			take_switch_port(r, c, p, port_peer(r->m, p, NULL), s);
	}
}

void congestion_free(struct congestion *c)
{
	vec_free(&c->hot);
	vec_free(&c->ignoring);
	vec_free(&c->other_send);
}

/* Whether the pauses of this node end at the terminal, by its heaviest way. */
static bool leads_to(const struct pause_graph *g, uint32_t node, const struct pause_node *end)
{
	for (unsigned hop = 0; hop < VICTIM_HOPS; hop++) {
		if (&g->nodes.at[node] == end)
			return true;
		if (g->nodes.at[node].toward == node || g->nodes.at[node].toward >= g->nodes.n)
			return false;
		node = g->nodes.at[node].toward;
	}
	return false;
}

static void name_victims(struct diag_run *r, struct finding *f, const struct pause_node *end)
{
	const struct pause_graph *g = r->pauses;

	for (uint32_t i = 0; i < g->nodes.n; i++) {
		const struct pause_node *n = &g->nodes.at[i];

		if (n != end && n->held > 0 && leads_to(g, i, end))
			finding_victim(f, at_priority(n->port, n->priority), (double)n->held * 100);
	}
}

void congestion_describe(struct diag_run *r, struct finding *f, const struct hot *h)
{
	struct ref at = at_port(h->port);

	if (h->peer != PORT_NONE)
		f->peer = at_port(h->peer);
	finding_number(f, at, "load sent", h->util * 100, "%", "> 68 %", "counter");
	if (!isnan(h->s->held))
		finding_number(
			f, at, "time held", (double)h->s->held * 100, "%", "< 2 %", "counter");
	if (!isnan(h->s->queue_peak))
		finding_number(f, at, "queue_watermark_bytes", (double)h->s->queue_peak, "bytes",
			"> Kmax", "counter");
	if (!isnan(h->s->ecn_pps))
		finding_number(f, at, "ecn_marked_packets", (double)h->s->ecn_pps, "/s",
			"> 1 % of packets", "counter");
	if (h->nic && !isnan(h->nic->cnp_sent))
		finding_number(f, at_port(h->peer), "cnp_sent", (double)h->nic->cnp_sent, "/s", "",
			"counter");
	finding_weigh(f, SIGNAL_LOAD, 3);
	/* Section 2.8: 1 + 40 times the share of the blame; the pauses end here and nowhere else.
	 */
	if (!h->node)
		return;
	f->onset_us = h->node->since_us;
	f->blame_gbps = h->node->blame_bps / 1e9F;
	finding_number(
		f, at, "blame of pauses", (double)f->blame_gbps, "Gb/s", "> 0", "pause graph");
	finding_weigh(f, SIGNAL_PAUSE, h->node->blame_bps > 0 ? 20 : 1);
	name_victims(r, f, h->node);
}
