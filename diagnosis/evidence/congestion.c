/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/evidence/congestion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/vocabulary/counters.h"

/* Onyx's default Kmax of a lossless class: diagnosis reference, section 3. */
#define DEFAULT_KMAX_BYTES 1500e3
/* Load over a poll above which an egress counts as full. A burst of 3 s in 5 stays below it (trap
 * 9). */
#define FULL_UTIL 0.68
/* Limit at a terminal of pauses: the paused senders are missing from its load. */
#define FULL_UTIL_TERMINAL 0.45
/* A root pauses others and is not paused itself: section 2.2, "no pause received". */
#define NOT_HELD 0.02F
/* Paused by its NIC so long that a backlog follows: "critical" of section 3. */
#define DAMMED 0.10F
/* Marked share of sent packets: a busy healthy egress marks one in thousands, a full one many. */
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

/* The pause terminal at this egress; NULL: none. */
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

/* A backlog of data that the NIC recently paused arrives at once: the NIC is still the cause. */
static bool was_dammed(const struct sample_windows *w, uint32_t port)
{
	for (unsigned ago = 1; ago < WINDOW_SAMPLES; ago++) {
		const struct sample *s = window_ago(w, port, ago);

		if (s && s->held > DAMMED)
			return true;
	}
	return false;
}

/* Whether it is hot if pauses end there: then a lower load suffices, see FULL_UTIL_TERMINAL. */
static bool may_be_hot(const struct diag_run *r, const struct port *p, const struct sample *s)
{
	if (s->held > NOT_HELD || !((double)s->tx_util > FULL_UTIL_TERMINAL) ||
		was_dammed(r->w, p->id))
		return false;
	return (double)s->queue_peak > congestion_queue_limit(r->m, p, first_priority(r->m)) ||
	       congestion_marked_share(r->m, p, s) > MARKED_SHARE;
}

static void take_switch_port(
	struct diag_run *r, struct congestion_part *c, const struct port *p, const struct sample *s)
{
	const struct port *peer = port_peer(r->m, p, NULL);

	c->marks |= s->ecn_pps > 0;
	if (!peer)
		return;
	if (model_dev_of(r->m, peer)->tier == TIER_HOST)
		c->receivers++;
	else
		c->trunks[model_dev_of(r->m, peer)->tier]++;
	if (may_be_hot(r, p, s))
		vec_push(&c->hot, p->id);
}

/* Whether it sends non-RDMA bytes in the lossless class: headers, acknowledgements and CNPs are
 * few. */
static bool sends_other(const struct port *p, const struct sample *s)
{
	double other = (double)s->lossless_tx_bps - (double)s->rdma_tx_bps;

	return other > fmax(0.05 * p->speed_mbps * 1e6, 0.15 * (double)s->lossless_tx_bps);
}

bool congestion_sends_lossy(const struct port *p, const struct sample *s)
{
	double sent = (double)s->lossless_tx_bps + (double)s->other_tx_bps;

	/* Storage over TCP on the same NIC is no RDMA; drops there cause many retransmissions. */
	if (!isnan(s->rdma_tx_bps) && s->rdma_tx_bps < 0.2F * s->other_tx_bps)
		return false;
	return (double)s->other_tx_bps > fmax(0.5 * sent, 0.01 * p->speed_mbps * 1e6);
}

static void take_nic(struct congestion_part *c, const struct port *p, const struct sample *s)
{
	bool lossy = congestion_sends_lossy(p, s);

	c->lossy |= lossy;
	if (!s->up)
		return;
	c->cnps |= s->cnp_sent > CNPS_PPS;
	if (s->cnp_ignored > CNPS_PPS)
		vec_push(&c->ignoring, p->id);
	if (sends_other(p, s))
		vec_push(&c->other_send, p->id);
	if (s->tx_bps > MOVES_BPS && !isnan(s->other_tx_bps) && !isnan(s->lossless_tx_bps)) {
		c->nics++;
		c->nics_wrong += lossy;
	}
}

static void empty_part(struct congestion_part *c)
{
	c->hot.n = c->ignoring.n = c->other_send.n = 0;
	c->receivers = c->nics = c->nics_wrong = 0;
	memset(c->trunks, 0, sizeof(c->trunks));
	c->marks = c->cnps = c->lossy = false;
}

static struct congestion_memory *memory_of(struct diag_run *r)
{
	if (!*r->memory)
		*r->memory = mem_calloc(1, sizeof(struct congestion_memory));
	return *r->memory;
}

int64_t congestion_digest(struct diag_run *r, const struct device *d)
{
	struct congestion_memory *mem = memory_of(r);
	struct congestion_part *c;

	while (mem->parts.n <= d->id)
		(void)vec_add(&mem->parts);
	c = &mem->parts.at[d->id];
	empty_part(c);
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = r->m->ports.at[d->ports.at[i]];
		const struct sample *s = window_last(r->w, p->id);

		if (!s || p->merged)
			continue;
		if (d->tier == TIER_HOST)
			take_nic(c, p, s);
		else if (s->up)
			take_switch_port(r, c, p, s);
	}
	return INT64_MAX;
}

void congestion_free_memory(void *memory)
{
	struct congestion_memory *mem = memory;

	for (size_t i = 0; mem && i < mem->parts.n; i++) {
		vec_free(&mem->parts.at[i].hot);
		vec_free(&mem->parts.at[i].ignoring);
		vec_free(&mem->parts.at[i].other_send);
	}
	if (mem)
		vec_free(&mem->parts);
	free(mem);
}

/* ---- all parts together ---- */

static void add_hot(struct diag_run *r, struct congestion *c, uint32_t port)
{
	const struct port *p = r->m->ports.at[port], *peer = port_peer(r->m, p, NULL);
	struct hot h = {.port = port,
		.s = window_last(r->w, port),
		.peer = peer ? peer->id : PORT_NONE,
		.to_nic = peer && model_dev_of(r->m, peer)->tier == TIER_HOST,
		.limit = congestion_queue_limit(r->m, p, first_priority(r->m)),
		.node = terminal_at(r, port)};

	if (!h.s)
		return;
	h.nic = peer ? window_last(r->w, peer->id) : NULL;
	h.util = (double)h.s->tx_util;
	if (!h.to_nic && h.node)
		vec_push(&c->full, h);
	if (h.to_nic && (h.node || h.util > FULL_UTIL))
		vec_push(&c->hot, h);
}

static int compare_port(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a < b ? -1 : a > b;
}

static int hot_by_port(const void *x, const void *y)
{
	return compare_port(&((const struct hot *)x)->port, &((const struct hot *)y)->port);
}

/* Sorts by port, independent of the devices' port order. */
static void put_in_order(struct congestion *c)
{
	if (c->hot.n > 1)
		qsort(c->hot.at, c->hot.n, sizeof(*c->hot.at), hot_by_port);
	if (c->full.n > 1)
		qsort(c->full.at, c->full.n, sizeof(*c->full.at), hot_by_port);
	if (c->ignoring.n > 1)
		qsort(c->ignoring.at, c->ignoring.n, sizeof(*c->ignoring.at), compare_port);
	if (c->other_send.n > 1)
		qsort(c->other_send.at, c->other_send.n, sizeof(*c->other_send.at), compare_port);
}

void congestion_find(struct diag_run *r, struct congestion *c)
{
	const struct congestion_memory *mem = memory_of(r);

	for (size_t i = 0; i < mem->parts.n; i++) {
		const struct congestion_part *part = &mem->parts.at[i];

		for (unsigned tier = 0; tier < TIER_COUNT; tier++)
			c->trunks[r->m->devices.at[i]->tier][tier] += part->trunks[tier];
		c->receivers += part->receivers;
		c->nics += part->nics;
		c->nics_wrong += part->nics_wrong;
		c->marks |= part->marks;
		c->cnps |= part->cnps;
		for (size_t k = 0; k < part->hot.n; k++)
			add_hot(r, c, part->hot.at[k]);
		for (size_t k = 0; k < part->ignoring.n; k++)
			vec_push(&c->ignoring, part->ignoring.at[k]);
		for (size_t k = 0; k < part->other_send.n; k++)
			vec_push(&c->other_send, part->other_send.at[k]);
	}
	put_in_order(c);
}

void congestion_free(struct congestion *c)
{
	vec_free(&c->hot);
	vec_free(&c->full);
	vec_free(&c->ignoring);
	vec_free(&c->other_send);
}

/* Whether the pauses of this node end at the terminal, along the heaviest edges. */
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
			f, at, "time paused", (double)h->s->held * 100, "%", "< 2 %", "counter");
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
	/* Section 2.8: 1 + 40 times the share of the blame; the pauses end only here. */
	if (!h->node)
		return;
	f->onset_us = h->node->since_us;
	f->blame_gbps = h->node->blame_bps / 1e9F;
	finding_number(f, at, "capacity lost by pauses", (double)f->blame_gbps, "Gb/s", "> 0",
		"pause graph");
	finding_weigh(f, SIGNAL_PAUSE, h->node->blame_bps > 0 ? 20 : 1);
	name_victims(r, f, h->node);
}
