/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Full egresses that no peer pauses: diagnosis reference, sections 2.3 and 4 (classes 6, 15, 16,
 * 17, 21, 27). One finding an egress; the condition that aggravates the congestion gives its name.
 */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/evidence/congestion.h"
#include "diagnosis/evidence/job_trouble.h"
#include "fabric/vocabulary/counters.h"

/* Section 2.3: this many equally hot receivers are the workload. */
#define WORKLOAD_LEAST 6
/* They are equal when their loads are this near to their mean. */
#define WORKLOAD_SPREAD 0.35
/* Marked share of an egress's packets: with working DCQCN a queue leaves Kmax, without it it never
 * does. Railtop's own value: working DCQCN under a 15:1 incast marks a third. */
#define MARKED_ALWAYS 0.8
#define MARKED_MUCH   0.3
/*
 * Where this share is marked, working DCQCN slows the senders down until they offer what the egress
 * takes. Senders that would send twice that, were they not paused, have none.
 */
#define MARKED_ENOUGH 0.05
#define OFFERED_LEAST 2.0
#define MARKED_ALL    0.9 /* of the packets that a NIC receives */
#define CE_PPS        100.0F
/*
 * With DCQCN a NIC that gets CNPs for a whole poll sends little, and is hardly paused. A NIC
 * without it is paused again and again, and between its pauses it sends far more than its share.
 * Railtop's own values.
 */
#define UNSLOWED_HELD    0.05F
#define UNSLOWED_RATE    0.35F
#define UNSLOWED_SAMPLES 2
#define CNPS_SAMPLES     4
#define FULL_RATE        0.8F
#define IGNORING_LEAST   3
#define SENDERS_LEAST    2
#define MEMBERS_MOST     64
/* Receivers with a queue lately; railtop's own. */
#define TURNS_LEAST     3
#define SUSTAINED       3
#define SUSTAINED_UTIL  0.68F
#define SUSTAINED_MARKS 0.05
/* Senders paused for longer lose more than a share of a busy fabric. Railtop's own value. */
#define NICS_HELD 0.3F

static unsigned priority_of(const struct diag_run *r)
{
	return (unsigned)__builtin_ctz(lossless_priorities(&r->m->lossless));
}

/* ---- the workload ---- */

static double mean_util(const struct congestion *c)
{
	double sum = 0;

	for (size_t i = 0; i < c->hot.n; i++)
		sum += c->hot.at[i].util;
	return sum / (double)c->hot.n;
}

static bool is_workload(const struct congestion *c)
{
	double mean;
	size_t near = 0;

	if (c->hot.n < WORKLOAD_LEAST)
		return false;
	mean = mean_util(c);
	for (size_t i = 0; i < c->hot.n; i++)
		near += fabs(c->hot.at[i].util - mean) < WORKLOAD_SPREAD * mean;
	return near * 4 >= c->hot.n * 3;
}

static void claim_workload(struct diag_run *r, const struct congestion *c)
{
	struct finding *f = diag_claim(r, FIND_WORKLOAD, (struct ref){.kind = REF_FABRIC});

	f->role = ROLE_INFO;
	finding_title(f, "heavy even load: %zu receiver%s equally loaded", c->hot.n,
		str_plural(c->hot.n));
	finding_number(
		f, f->at, "receivers with high load", (double)c->hot.n, "", ">= 6", "counter");
	finding_number(f, f->at, "their load", mean_util(c) * 100, "%", "", "counter");
	finding_refute(f, FIND_INCAST, f->at,
		"as many receivers as senders have high load, all about equal");
}

/* ---- one hot egress ---- */

static bool marks_nothing(const struct hot *h)
{
	return h->s->ecn_pps <= 0; /* false when the rate is unknown */
}

static bool ecn_is_off(const struct diag_run *r, const struct hot *h)
{
	const struct port *p = r->m->ports.at[h->port];

	return p->ecn_enabled & 1U << 8 && !(p->ecn_enabled >> priority_of(r) & 1U);
}

/*
 * The share of packets that arrive marked at the NIC, by this egress or by one before it: an egress
 * does not count a packet again that comes in marked. NAN: the NIC reports none.
 */
static double arrives_marked(const struct diag_run *r, const struct hot *h)
{
	const struct port *nic = h->peer == PORT_NONE ? NULL : r->m->ports.at[h->peer];

	return nic && h->nic ? (double)h->nic->ce_received / port_rate(nic, CTR_RX_PACKETS, 0)
			     : (double)NAN;
}

static double marked_in_all(const struct diag_run *r, const struct hot *h)
{
	return fmax(h->marked, arrives_marked(r, h));
}

/*
 * ECN 0 everywhere may be policy (trap 4), unless some egress marks or the profile enables marking.
 * Between switches only the settings tell: nobody counts the marks that arrive there.
 */
static bool is_ecn_off(const struct diag_run *r, const struct congestion *c, const struct hot *h)
{
	const struct port *p = r->m->ports.at[h->port];
	bool told = p->ecn_enabled & 1U << 8 && p->ecn_enabled >> priority_of(r) & 1U;

	/* Above Kmax every packet leaves marked: by another egress, if not by this one. */
	if (!marks_nothing(h) || !(h->queue > h->limit) || arrives_marked(r, h) > MARKED_ALL)
		return false;
	return h->to_nic ? c->marks || told : ecn_is_off(r, h) && c->marks;
}

static bool np_is_off(const struct diag_run *r, const struct hot *h)
{
	const struct qos *q = h->peer == PORT_NONE ? NULL : r->m->ports.at[h->peer]->qos;

	return q && q->dcqcn_np & 1U << 8 && !(q->dcqcn_np >> priority_of(r) & 1U);
}

static bool is_cnp_off(const struct diag_run *r, const struct congestion *c, const struct hot *h)
{
	return h->nic && h->nic->ce_received > CE_PPS && h->nic->cnp_sent <= 0 &&
	       (c->cnps || np_is_off(r, h));
}

/* Non-RDMA traffic towards the NIC in the lossless class, bits per second; NAN. */
static double other_received(const struct hot *h)
{
	return h->nic ? (double)h->nic->lossless_rx_bps - (double)h->nic->rdma_rx_bps : (double)NAN;
}

static bool is_mixed(const struct diag_run *r, const struct hot *h)
{
	return h->nic && other_received(h) > fmax(0.05 * r->m->ports.at[h->port]->speed_mbps * 1e6,
						     0.15 * (double)h->nic->lossless_rx_bps);
}

/*
 * Of a NIC that gets CNPs and that only pauses slow down: its share of the speed between the
 * pauses, over the last two samples. Else 0. After four samples with CNPs it had time to slow down.
 * Before that a burst begins at full speed, but DCQCN never lets it go on so for two samples.
 */
static double unslowed_rate(const struct diag_run *r, uint32_t port)
{
	float sent = 0, held = 0, rate;
	unsigned told = 0;

	for (unsigned ago = 0; ago < CNPS_SAMPLES; ago++) {
		const struct sample *s = window_ago(r->w, port, ago);

		if (!s || !(s->cnp_handled > CE_PPS) || isnan(s->held) || isnan(s->tx_util))
			break;
		told++;
		if (ago >= UNSLOWED_SAMPLES)
			continue;
		sent += s->tx_util;
		held += s->held;
	}
	if (told < UNSLOWED_SAMPLES || !(held > UNSLOWED_HELD * UNSLOWED_SAMPLES))
		return 0;
	rate = sent / (UNSLOWED_SAMPLES - held);
	return rate > (told < CNPS_SAMPLES ? FULL_RATE : UNSLOWED_RATE) ? (double)rate : 0;
}

/* NICs that are paused because of an egress. */
struct senders {
	unsigned told;     /* get CNPs, and report them */
	unsigned unslowed; /* of these: only pauses slow them down */
	unsigned unseen;   /* report no CNPs */
	double offered;    /* by the unslowed ones between pauses, Mb/s */
};

/* port: gets at most most of the unslowed ones. */
static struct senders held_senders(
	const struct diag_run *r, const struct hot *h, uint32_t *port, size_t most)
{
	const struct pause_graph *g = r->pauses;
	const uint32_t *up = NULL;
	struct senders found = {0};
	size_t n = 0;

	if (h->node)
		up = pause_graph_upstream(g, (uint32_t)(h->node - g->nodes.at), &n);
	for (size_t i = 0; i < n; i++) {
		const struct port *p = r->m->ports.at[g->nodes.at[up[i]].port];
		const struct sample *s = window_last(r->w, p->id);
		double rate;

		if (model_dev_of(r->m, p)->tier != TIER_HOST)
			continue;
		found.unseen += !s || isnan(s->cnp_handled);
		if (!s || !(s->cnp_handled > CE_PPS))
			continue;
		found.told++;
		rate = unslowed_rate(r, p->id);
		if (!(rate > 0))
			continue;
		if (found.unslowed < most)
			port[found.unslowed] = p->id;
		found.unslowed++;
		found.offered += rate * p->speed_mbps;
	}
	return found;
}

/* They are the most: among many senders, chance lets a few send more. */
static bool are_unslowed(const struct senders *s)
{
	return s->unslowed >= SENDERS_LEAST && s->unslowed * 2 > s->told;
}

static bool marks_would_slow(const struct diag_run *r, const struct hot *h, const struct senders *s)
{
	double marked = marked_in_all(r, h);

	return marked > MARKED_MUCH ||
	       (marked > MARKED_ENOUGH &&
		       s->offered > OFFERED_LEAST * r->m->ports.at[h->port]->speed_mbps);
}

/*
 * What the senders do decides. A queue that stays above Kmax alone does not: so it looks, too,
 * while DCQCN works against many senders. It does where no sender is known to slow down.
 */
static bool is_cc_off(struct diag_run *r, const struct congestion *c, const struct hot *h)
{
	struct senders s = held_senders(r, h, NULL, 0);

	if (c->ignoring.n >= IGNORING_LEAST)
		return true;
	if (are_unslowed(&s) && marks_would_slow(r, h, &s)) {
		congestion_note_unslowed(r, h);
		return true;
	}
	if (congestion_was_unslowed(r, h))
		return true;
	return s.unslowed == s.told && s.unslowed + s.unseen > 0 && h->marked > MARKED_ALWAYS &&
	       h->queue > h->limit && h->nic && h->nic->cnp_sent > CE_PPS && h->node;
}

static void add_members(struct finding *f, const uint32_t *ports, size_t n)
{
	for (size_t i = 0; i < n && i < MEMBERS_MOST; i++)
		vec_push(&f->members, at_port(ports[i]));
}

static void claim_ecn_off(struct diag_run *r, const struct hot *h)
{
	struct finding *f = diag_claim(r, FIND_ECN_OFF, at_port(h->port));

	congestion_describe(r, f, h);
	finding_weigh(f, SIGNAL_QUEUE, 50);
	if (ecn_is_off(r, h)) {
		finding_text(f, f->at, "ECN", "off on the lossless priority", "config");
		finding_weigh(f, SIGNAL_CONFIG, 50);
	}
	finding_refute(f, FIND_INCAST, f->at,
		"with ECN marks an incast is normal: here nothing is marked at a queue of %.0f KB",
		h->queue / 1e3);
}

static void claim_cnp_off(struct diag_run *r, const struct hot *h)
{
	struct finding *f = diag_claim(r, FIND_CNP_OFF, at_port(h->peer));

	congestion_describe(r, f, h);
	f->peer = at_port(h->port);
	finding_number(f, f->at, "ecn_marked_roce_packets", (double)h->nic->ce_received, "/s",
		"> 100/s", "counter");
	finding_weigh(f, SIGNAL_QUEUE, 100);
	if (np_is_off(r, h)) {
		finding_text(f, f->at, "DCQCN notification point", "off", "config");
		finding_weigh(f, SIGNAL_CONFIG, 50);
	}
}

/* Marks arrive and no CNP leaves, wherever the queue is and whether it is full or not. */
static void judge_mute(struct diag_run *r, const struct congestion *c)
{
	for (size_t i = 0; i < c->mute.n; i++) {
		const struct port *nic = r->m->ports.at[c->mute.at[i]];
		const struct port *leaf = port_peer(r->m, nic, NULL);
		struct hot h = {.peer = nic->id, .nic = window_last(r->w, nic->id)};
		struct finding *f;

		if (!h.nic || diag_claimed(r, FIND_CNP_OFF, at_port(nic->id)) ||
			!(c->cnps || np_is_off(r, &h)))
			continue;
		f = diag_claim(r, FIND_CNP_OFF, at_port(nic->id));
		if (leaf)
			f->peer = at_port(leaf->id);
		finding_number(f, f->at, "ecn_marked_roce_packets", (double)h.nic->ce_received,
			"/s", "> 1000/s", "counter");
		finding_number(f, f->at, "cnp_sent", 0, "/s", "> 0, as at others", "counter");
		finding_weigh(f, SIGNAL_QUEUE, 100);
		if (np_is_off(r, &h)) {
			finding_text(f, f->at, "DCQCN notification point", "off", "config");
			finding_weigh(f, SIGNAL_CONFIG, 50);
		}
	}
}

static void claim_mixed(struct diag_run *r, const struct congestion *c, const struct hot *h)
{
	struct finding *f = diag_claim(r, FIND_MIXED_TRAFFIC, at_port(h->port));

	congestion_describe(r, f, h);
	finding_number(f, at_port(h->peer), "lossless bytes that are not RDMA",
		other_received(h) / 1e9, "Gb/s", "> 5% of the link", "counter");
	finding_weigh(f, SIGNAL_QUEUE, 60);
	add_members(f, c->other_send.at, c->other_send.n);
	finding_refute(f, FIND_INCAST, f->at,
		"%.0f Gb/s of it is not RDMA and does not react to CNPs", other_received(h) / 1e9);
}

static void claim_cc_off(struct diag_run *r, const struct congestion *c, const struct hot *h)
{
	struct finding *f = diag_claim(r, FIND_CC_OFF, at_port(h->port));
	uint32_t nic[MEMBERS_MOST];
	struct senders s = held_senders(r, h, nic, MEMBERS_MOST);

	congestion_describe(r, f, h);
	if (are_unslowed(&s)) {
		finding_number(f, at_port(nic[0]), "NICs that keep sending despite CNPs",
			s.unslowed, "", "> 35% of the speed between pauses", "counter");
		finding_weigh(f, SIGNAL_CONFIG, 50);
		add_members(f, nic, s.unslowed);
	} else if (congestion_was_unslowed(r, h)) {
		finding_text(f, f->at, "NICs that keep sending despite CNPs",
			"seen in a burst of the last minute", "counter");
		finding_weigh(f, SIGNAL_CONFIG, 50);
	}
	if (c->ignoring.n) {
		finding_number(f, at_port(c->ignoring.at[0]), "NICs that ignore CNPs",
			(double)c->ignoring.n, "", ">= 3", "counter");
		finding_weigh(f, SIGNAL_CONFIG, 50);
	}
	finding_number(
		f, f->at, "packets marked", marked_in_all(r, h) * 100, "%", "> 5%", "counter");
	finding_weigh(f, SIGNAL_QUEUE, 30);
	add_members(f, c->ignoring.at, c->ignoring.n);
}

static bool ignored_before(const struct diag_run *r, uint32_t nic)
{
	for (unsigned ago = 1; ago < WINDOW_SAMPLES; ago++) {
		const struct sample *s = window_ago(r->w, nic, ago);

		if (s && s->cnp_ignored > 0)
			return true;
	}
	return false;
}

/*
 * Senders that ignore CNPs while no egress is full for long enough to be a finding. The setting
 * harms at the next congestion, or a phase of a collective shows it only sometimes.
 */
static void claim_ignoring(struct diag_run *r, const struct congestion *c)
{
	struct finding *f = diag_claim(r, FIND_CC_OFF, (struct ref){.kind = REF_FABRIC});

	f->role = ROLE_RISK;
	f->severity = SEV_WARN;
	finding_title(f, "%zu NICs receive CNPs and do not slow down", c->ignoring.n);
	finding_number(f, at_port(c->ignoring.at[0]), "NICs that ignore CNPs",
		(double)c->ignoring.n, "", ">= 3", "counter");
	finding_weigh(f, SIGNAL_CONFIG, 50);
	add_members(f, c->ignoring.at, c->ignoring.n);
	for (size_t i = 0; i < c->ignoring.n && !f->recurs; i++)
		f->recurs = ignored_before(r, c->ignoring.at[i]);
}

static void claim_incast(struct diag_run *r, const struct hot *h)
{
	struct finding *f = diag_claim(r, FIND_INCAST, at_port(h->port));

	congestion_describe(r, f, h);
	finding_weigh(f, SIGNAL_QUEUE, 20);
	/*
	 * With DCQCN a queue leaves Kmax, unless its senders are many. Senders whose program offers
	 * little more than the line takes look the same without it: counters do not tell.
	 */
	if (marked_in_all(r, h) > MARKED_ALWAYS)
		finding_title(f, "incast, or its senders have no DCQCN: %.0f%% of packets marked",
			fmin(100, marked_in_all(r, h) * 100));
	if (marks_nothing(h))
		finding_refute(f, FIND_ECN_OFF, f->at, "the queue marks nothing, or is below Kmax");
	else
		finding_refute(f, FIND_ECN_OFF, f->at, "the switch marks %.0f packets a second",
			(double)h->s->ecn_pps);
	if (h->nic && h->nic->cnp_sent > 0)
		finding_refute(f, FIND_CNP_OFF, f->at, "its NIC sends %.0f CNPs a second",
			(double)h->nic->cnp_sent);
}

/* Many receivers had a queue lately: they take turns, and none is special. */
static bool take_turns(const struct congestion *c)
{
	unsigned pressed = c->pressed[TIER_LEAF][TIER_HOST];

	return pressed >= TURNS_LEAST && pressed * 3 > c->egresses[TIER_LEAF][TIER_HOST];
}

/* Full and marking in all of the last samples: it does not take turns. */
static bool is_sustained(const struct diag_run *r, const struct hot *h)
{
	for (unsigned ago = 0; ago < SUSTAINED; ago++) {
		const struct sample *s = window_ago(r->w, h->port, ago);

		if (!s || !(s->tx_util > SUSTAINED_UTIL) ||
			!(congestion_marked_share(r->m, r->m->ports.at[h->port], s) >
				SUSTAINED_MARKS))
			return false;
	}
	return true;
}

static void claim_hot(struct diag_run *r, const struct congestion *c, const struct hot *h)
{
	if (congestion_is_starved(r, h))
		congestion_claim_starved(r, h);
	else if (is_mixed(r, h))
		claim_mixed(r, c, h);
	else if (is_ecn_off(r, c, h))
		claim_ecn_off(r, h);
	else if (is_cnp_off(r, c, h))
		claim_cnp_off(r, h);
	else if (is_cc_off(r, c, h))
		claim_cc_off(r, c, h);
	/* The first and the last poll of an even burst have fewer hot receivers. */
	else if (!diag_open(r, FIND_WORKLOAD, (struct ref){.kind = REF_FABRIC}) &&
		 (h->node || (!congestion_is_even(c, h->util) &&
				     (!take_turns(c) || is_sustained(r, h)))))
		claim_incast(r, h);
}

/* ---- full links between switches ---- */

static enum tier tier_of(const struct diag_run *r, uint32_t port)
{
	return model_dev_of(r->m, r->m->ports.at[port])->tier;
}

/* Most links between the two tiers have a queue alike: the workload, or the design. */
static bool are_all_pressed(
	const struct diag_run *r, const struct congestion *c, const struct hot *h)
{
	enum tier own = tier_of(r, h->port), far = tier_of(r, h->peer);

	return c->pressed[own][far] > 1 && c->pressed[own][far] * 2 > c->egresses[own][far];
}

/* The greatest speed of the device's links to the same tier, Mb/s. */
static unsigned siblings_speed(const struct diag_run *r, const struct hot *h)
{
	const struct device *d = model_dev_of(r->m, r->m->ports.at[h->port]);
	unsigned most = 0;

	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = r->m->ports.at[d->ports.at[i]];
		const struct port *peer = port_peer(r->m, p, NULL);

		if (peer && p->oper == OPER_UP &&
			model_dev_of(r->m, peer)->tier == tier_of(r, h->peer) &&
			p->speed_mbps > most)
			most = p->speed_mbps;
	}
	return most;
}

/* The longest share of time for which a NIC is paused because of it. */
static float nics_held(const struct diag_run *r, const struct hot *h)
{
	const struct pause_graph *g = r->pauses;
	const uint32_t *up = NULL;
	float most = 0;
	size_t n = 0;

	if (h->node)
		up = pause_graph_upstream(g, (uint32_t)(h->node - g->nodes.at), &n);
	for (size_t i = 0; i < n; i++) {
		const struct pause_node *k = &g->nodes.at[up[i]];

		if (tier_of(r, k->port) == TIER_HOST && k->held > most)
			most = k->held;
	}
	return most;
}

/* In this run, or a moment ago: the first and last poll of such a load have fewer receivers. */
static bool is_under_workload(struct diag_run *r)
{
	const struct ref all = {.kind = REF_FABRIC};

	return diag_claimed(r, FIND_WORKLOAD, all) || diag_open(r, FIND_WORKLOAD, all);
}

static void claim_full(struct diag_run *r, const struct hot *h)
{
	const struct port *p = r->m->ports.at[h->port];
	unsigned siblings = siblings_speed(r, h);
	bool slow = p->speed_mbps && p->speed_mbps < siblings;
	struct finding *f =
		diag_claim(r, slow ? FIND_DEGRADED_CONGESTION : FIND_FULL_LINK, at_port(h->port));

	congestion_describe(r, f, h);
	/*
	 * Some link is full in every job that the network limits: it is to blame if that costs.
	 * Under an even load of most receivers it is the load that costs, whichever link is full.
	 */
	if (is_under_workload(r) || (nics_held(r, h) < NICS_HELD && !job_trouble(r))) {
		f->role = ROLE_RISK;
		f->severity = SEV_WARN;
	}
	finding_weigh(f, SIGNAL_QUEUE, 20);
	if (slow) {
		finding_number(f, f->at, "speed", p->speed_mbps / 1e3, "Gb/s", "= its siblings",
			"counter");
		finding_number(
			f, f->at, "speed of its siblings", siblings / 1e3, "Gb/s", "", "counter");
		finding_weigh(f, SIGNAL_FACT, 20);
	}
	finding_refute(f, FIND_INCAST, f->at, "its peer is a switch, and does not pause it");
}

static void judge_full(struct diag_run *r, const struct congestion *c)
{
	for (size_t i = 0; i < c->full.n; i++) {
		const struct hot *h = &c->full.at[i];

		if (congestion_is_starved(r, h))
			congestion_claim_starved(r, h);
		else if (is_ecn_off(r, c, h))
			claim_ecn_off(r, h);
		else if (!are_all_pressed(r, c, h))
			claim_full(r, h);
	}
}

static bool has_claimed_cc_off(struct diag_run *r, const struct congestion *c)
{
	for (size_t i = 0; i < c->hot.n; i++)
		if (diag_claimed(r, FIND_CC_OFF, at_port(c->hot.at[i].port)))
			return true;
	return false;
}

static void run_congestion(struct diag_run *r)
{
	struct congestion c = {0};

	congestion_find(r, &c);
	if (is_workload(&c)) {
		claim_workload(r, &c);
	} else {
		for (size_t i = 0; i < c.hot.n; i++)
			claim_hot(r, &c, &c.hot.at[i]);
	}
	judge_full(r, &c);
	judge_mute(r, &c);
	if (c.ignoring.n >= IGNORING_LEAST && !has_claimed_cc_off(r, &c))
		claim_ignoring(r, &c);
	congestion_losses(r);
	congestion_wrong_priority(r, &c);
	congestion_free(&c);
}

const struct detector detect_congestion = {
	"congestion", run_congestion, congestion_free_memory, congestion_state, congestion_digest};
