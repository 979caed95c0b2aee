/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/evidence/congestion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "diagnosis/engine/state_parts.h"
#include "fabric/vocabulary/counters.h"

/* Load over a poll above which an egress counts as full. A burst of 3 s in 5 stays below it (trap
 * 9). */
#define FULL_UTIL 0.68
/* Limit at a terminal of pauses: the paused senders are missing from its load. */
#define FULL_UTIL_TERMINAL 0.45
/* Where so much of all lost capacity ends, the queue need not be above its limit. */
#define BLAMED_SHARE 0.3
/* Without pauses: DCQCN holds a standing queue where this share is marked, and busy links of a
 * healthy job mark a per cent or two. */
#define HEAVILY_MARKED 0.05
#define TRUNK_MARKED   0.15
#define TRUNK_FULL     0.95
#define LINE_RATE      0.85
#define EQUAL_LOAD     0.85
/* A root pauses others and is not paused itself: section 2.2, "no pause received". */
#define NOT_HELD 0.02F
/* Paused by its NIC so long that a backlog follows: "critical" of section 3. */
#define DAMMED 0.10F
/* Marked share of sent packets: a busy healthy egress marks one in thousands, a full one many. */
#define MARKED_SHARE 0.01
#define CNPS_PPS     10.0F
#define MUTE_PPS     1000.0F /* marks that no NIC with DCQCN leaves without a CNP */
#define MOVES_BPS    1e9F
#define VICTIM_HOPS  8 /* section 2.2: at most 8 hops in three tiers */
/* A minute at 5 s: bursts of a collective or of storage come again within that. */
#define UNSLOWED_INTERVALS 12

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

/* Whether it may be hot, by its own sample: the rest depends on where pauses end. */
static bool may_be_hot(const struct diag_run *r, const struct port *p, const struct sample *s)
{
	if (s->held > NOT_HELD || !((double)s->tx_util > FULL_UTIL_TERMINAL))
		return false;
	if (!((double)s->tx_util > FULL_UTIL) && !(s->ecn_pps > 0) &&
		!((double)s->queue_peak > egress_queue_limit(r->m, p->id, first_priority(r->m))))
		return false;
	return !was_dammed(r->w, p->id);
}

/* The counter is never cleared by reading: it tells of the time since the device started. */
static bool has_marked(const struct model *m, const struct port *p)
{
	for (unsigned left = lossless_priorities(&m->lossless); left; left &= left - 1) {
		const struct cell *k =
			port_cell(p, CTR_ECN_MARKED_PACKETS, (unsigned)__builtin_ctz(left));

		if (k && k->valid == VALID_OK && k->u64)
			return true;
	}
	return false;
}

static unsigned load_bin(double util)
{
	return util >= 1 ? LOAD_BINS - 1 : util > 0 ? (unsigned)(util * LOAD_BINS) : 0;
}

bool congestion_is_even(const struct congestion *c, double util)
{
	unsigned equal = 0;

	for (unsigned bin = load_bin(EQUAL_LOAD * util); bin < LOAD_BINS; bin++)
		equal += c->loaded[bin];
	return equal > 1 && equal * 2 > c->receivers;
}

/* Whether a queue stands there: in any sample of the window, because bursts take turns. */
static bool is_pressed(const struct diag_run *r, const struct port *p)
{
	for (unsigned ago = 0; ago < WINDOW_SAMPLES; ago++) {
		const struct sample *s = window_ago(r->w, p->id, ago);

		if (!s)
			return false;
		/* Most samples have neither: then nothing is looked up. */
		if (!(s->ecn_pps > 0) && !(s->queue_peak > 0))
			continue;
		if ((double)s->queue_peak > egress_queue_limit(r->m, p->id, first_priority(r->m)) ||
			congestion_marked_share(r->m, p, s) > MARKED_SHARE)
			return true;
	}
	return false;
}

static void take_switch_port(
	struct diag_run *r, struct congestion_part *c, const struct port *p, const struct sample *s)
{
	const struct port *peer = port_peer(r->m, p, NULL);
	enum tier far;

	c->marks = c->marks || has_marked(r->m, p);
	if (!peer)
		return;
	far = model_dev_of(r->m, peer)->tier;
	if (far == TIER_HOST) {
		c->receivers++;
		c->loaded[load_bin((double)s->tx_util)]++;
	}
	c->egresses[far]++;
	c->pressed[far] += is_pressed(r, p);
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
	if (s->ce_received > MUTE_PPS && s->cnp_sent <= 0)
		vec_push(&c->mute, p->id);
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
	c->hot.n = c->ignoring.n = c->other_send.n = c->mute.n = 0;
	c->receivers = c->nics = c->nics_wrong = 0;
	memset(c->egresses, 0, sizeof(c->egresses));
	memset(c->pressed, 0, sizeof(c->pressed));
	memset(c->loaded, 0, sizeof(c->loaded));
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
		vec_free(&mem->parts.at[i].mute);
	}
	if (mem) {
		vec_free(&mem->parts);
		vec_free(&mem->unslowed);
	}
	free(mem);
}

/* ---- what earlier samples have shown ---- */

STATE_SIZE(struct congestion_unslowed, 24);
STATE_SIZE(struct congestion_memory, 48);

void congestion_state(struct state *s, void **memory, const struct model *m)
{
	struct congestion_memory *mem;

	if (!state_memory(s, memory, sizeof(*mem)))
		return;
	mem = *memory;
	STATE_LIST(s, &mem->unslowed, m->ports.n, u, {
		state_index(s, &u->port, m->ports.n);
		state_wall(s, &u->last_us);
		state_wall(s, &u->before_us);
	});
}

static int64_t remembered_us(const struct diag_run *r, uint32_t port)
{
	return UNSLOWED_INTERVALS * model_dev_of(r->m, r->m->ports.at[port])->interval_us;
}

static void forget_unslowed(struct diag_run *r, struct congestion_memory *mem)
{
	size_t kept = 0;

	for (size_t i = 0; i < mem->unslowed.n; i++) {
		const struct congestion_unslowed *u = &mem->unslowed.at[i];

		if (u->port < r->m->ports.n && r->now_us - u->last_us <= remembered_us(r, u->port))
			mem->unslowed.at[kept++] = *u;
	}
	mem->unslowed.n = kept;
}

void congestion_note_unslowed(struct diag_run *r, const struct hot *h)
{
	struct congestion_memory *mem = memory_of(r);

	forget_unslowed(r, mem);
	for (size_t i = 0; i < mem->unslowed.n; i++) {
		struct congestion_unslowed *u = &mem->unslowed.at[i];

		if (u->port != h->port)
			continue;
		if (u->last_us != h->s->at_us)
			u->before_us = u->last_us;
		u->last_us = h->s->at_us;
		return;
	}
	vec_push(&mem->unslowed,
		((struct congestion_unslowed){.port = h->port, .last_us = h->s->at_us}));
}

bool congestion_was_unslowed(const struct diag_run *r, const struct hot *h)
{
	const struct congestion_memory *mem = *r->memory;

	for (size_t i = 0; mem && i < mem->unslowed.n; i++) {
		const struct congestion_unslowed *u = &mem->unslowed.at[i];

		if (u->port == h->port)
			return u->before_us &&
			       r->now_us - u->before_us <= remembered_us(r, u->port);
	}
	return false;
}

/* ---- all parts together ---- */

static bool stands_in_queue(const struct hot *h)
{
	return h->queue > h->limit || h->marked > MARKED_SHARE;
}

/* Most pauses end there: it is their cause, whatever its queue is compared with. */
static bool is_blamed(const struct hot *h, double all_bps)
{
	return h->node && h->util > FULL_UTIL &&
	       (double)h->node->blame_bps > BLAMED_SHARE * all_bps;
}

static bool is_hot(const struct hot *h, double all_bps)
{
	if (is_blamed(h, all_bps))
		return true;
	if (!stands_in_queue(h))
		return false;
	if (h->node)
		return true;
	if (!h->to_nic)
		return h->util > (h->marked > TRUNK_MARKED ? FULL_UTIL : TRUNK_FULL);
	return h->util > (h->marked > HEAVILY_MARKED ? FULL_UTIL : LINE_RATE);
}

static double blame_of_all(const struct pause_graph *g)
{
	double sum = 0;

	for (size_t i = 0; i < g->terminals.n; i++)
		sum += (double)g->nodes.at[g->terminals.at[i]].blame_bps;
	return sum;
}

static void add_hot(struct diag_run *r, struct congestion *c, uint32_t port, double all_bps)
{
	const struct port *p = r->m->ports.at[port], *peer = port_peer(r->m, p, NULL);
	struct hot h = {.port = port,
		.s = window_last(r->w, port),
		.peer = peer ? peer->id : PORT_NONE,
		.to_nic = peer && model_dev_of(r->m, peer)->tier == TIER_HOST,
		.limit = egress_queue_limit(r->m, port, first_priority(r->m)),
		.node = terminal_at(r, port)};

	if (!h.s)
		return;
	h.nic = peer ? window_last(r->w, peer->id) : NULL;
	h.util = (double)h.s->tx_util;
	h.marked = congestion_marked_share(r->m, p, h.s);
	h.queue = (double)h.s->queue_peak;
	if (isnan(h.queue) && h.node)
		h.queue = egress_last_mark(r->m, port, first_priority(r->m));
	if (!is_hot(&h, all_bps))
		return;
	if (h.to_nic)
		vec_push(&c->hot, h);
	else
		vec_push(&c->full, h);
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
	if (c->mute.n > 1)
		qsort(c->mute.at, c->mute.n, sizeof(*c->mute.at), compare_port);
	if (c->other_send.n > 1)
		qsort(c->other_send.at, c->other_send.n, sizeof(*c->other_send.at), compare_port);
}

void congestion_find(struct diag_run *r, struct congestion *c)
{
	const struct congestion_memory *mem = memory_of(r);
	double all_bps = blame_of_all(r->pauses);

	for (size_t i = 0; i < mem->parts.n; i++) {
		const struct congestion_part *part = &mem->parts.at[i];

		for (unsigned tier = 0; tier < TIER_COUNT; tier++) {
			c->egresses[r->m->devices.at[i]->tier][tier] += part->egresses[tier];
			c->pressed[r->m->devices.at[i]->tier][tier] += part->pressed[tier];
		}
		for (unsigned bin = 0; bin < LOAD_BINS; bin++)
			c->loaded[bin] += part->loaded[bin];
		c->receivers += part->receivers;
		c->nics += part->nics;
		c->nics_wrong += part->nics_wrong;
		c->marks |= part->marks;
		c->cnps |= part->cnps;
		for (size_t k = 0; k < part->hot.n; k++)
			add_hot(r, c, part->hot.at[k], all_bps);
		for (size_t k = 0; k < part->ignoring.n; k++)
			vec_push(&c->ignoring, part->ignoring.at[k]);
		for (size_t k = 0; k < part->other_send.n; k++)
			vec_push(&c->other_send, part->other_send.at[k]);
		for (size_t k = 0; k < part->mute.n; k++)
			vec_push(&c->mute, part->mute.at[k]);
	}
	put_in_order(c);
}

void congestion_free(struct congestion *c)
{
	vec_free(&c->hot);
	vec_free(&c->full);
	vec_free(&c->ignoring);
	vec_free(&c->other_send);
	vec_free(&c->mute);
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
	finding_number(f, at, "load sent", h->util * 100, "%", "> 68%", "counter");
	if (!isnan(h->s->held))
		finding_number(
			f, at, "time paused", (double)h->s->held * 100, "%", "< 2%", "counter");
	if (!isnan(h->s->queue_peak))
		finding_number(f, at, "queue_watermark_bytes", (double)h->s->queue_peak, "bytes",
			"> Kmax", "counter");
	if (!isnan(h->s->ecn_pps))
		finding_number(f, at, "ecn_marked_packets", (double)h->s->ecn_pps, "/s",
			"> 1% of packets", "counter");
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
