/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loss that only the host sees: its NIC repeats packets, and the switch at its other end reports
 * nothing. The cause is in the fabric or at the far end of the connections. Where the switch
 * reports, its drops, errors and pauses show more.
 */
#include <math.h>

#include "base/str.h"
#include "diagnosis/engine/detector.h"
#include "fabric/model/metrics.h"
#include "fabric/vocabulary/counters.h"

/*
 * A healthy NIC has none of them for hours. A link that comes up and a process that ends cost a
 * few. Railtop's own.
 */
#define TIMEOUTS_LEAST 1.0
#define NAKS_LEAST     10.0

/*
 * EFA: share of its packets that it sends again, and packets a second that it drops. Some of both
 * is its everyday life over many paths. Railtop's own.
 */
#define EFA_AGAIN_SHARE 0.01
#define EFA_DROPS_LEAST 10.0

struct loss {
	double timeouts, naks, missing, exceeded, repeated, out_of_order;
	double drops, share; /* of EFA; 0 on others */
};

static double rate_or_0(const struct port *p, enum counter_id id)
{
	double rate = port_rate(p, id, 0);

	return rate > 0 ? rate : 0;
}

static struct loss loss_of(const struct port *p)
{
	struct loss l = {rate_or_0(p, CTR_LOCAL_ACK_TIMEOUT_ERR), rate_or_0(p, CTR_PACKET_SEQ_ERR),
		rate_or_0(p, CTR_IMPLIED_NAK_SEQ_ERR), rate_or_0(p, CTR_TRANSPORT_RETRIES_EXCEEDED),
		rate_or_0(p, CTR_ROCE_ADP_RETRANS), rate_or_0(p, CTR_OUT_OF_SEQUENCE), 0, 0};
	double sent = rate_or_0(p, CTR_TX_PACKETS);

	if (p->more->link_layer != LAYER_EFA)
		return l;
	l.drops = rate_or_0(p, CTR_RX_DISCARDS);
	l.share = sent > 0 ? l.repeated / sent : 0;
	return l;
}

/* Whether the switch at the other end reports its counters. */
static bool is_far_seen(const struct diag_run *r, const struct port *p)
{
	const struct port *peer = port_peer(r->m, p, NULL), *slave;

	if (!port_is_bond(p))
		return peer && window_last(r->w, peer->id);
	for (size_t i = 0; (slave = port_slave(r->m, p, i)); i++)
		if (!is_far_seen(r, slave))
			return false;
	return true;
}

/* The counter has the name that its transport gives it. */
static const char *name_on(const struct port *p, enum counter_id id)
{
	const char *own = transport_counter((enum link_layer)p->more->link_layer, id);

	return own ? own : counter_info[id].name;
}

static void add_rate(struct finding *f, const char *what, double rate, double least)
{
	char limit[24];

	(void)str_printf(limit, sizeof(limit), "%s%g/s", least > 0 ? "< " : "", least);
	if (rate > 0)
		(void)finding_number(f, f->at, what, rate, "/s", limit, "counter");
}

/*
 * A NIC that counts nothing but what it sent again (Intel E810). Beside other counters this one
 * says little: EFA spreads packets over paths, and sends again early.
 */
static bool is_repeating(const struct port *p, const struct loss *l)
{
	return l->repeated >= NAKS_LEAST && isnan(port_rate(p, CTR_LOCAL_ACK_TIMEOUT_ERR, 0)) &&
	       isnan(port_rate(p, CTR_PACKET_SEQ_ERR, 0));
}

/* The switch at the other end spreads packets over paths. */
static bool is_spread(const struct diag_run *r, const struct port *p)
{
	const struct port *peer = port_peer(r->m, p, NULL);

	return peer && device_spreads(model_dev_of(r->m, peer));
}

static bool is_losing(const struct port *p, const struct loss *l)
{
	return l->exceeded > 0 || l->timeouts >= TIMEOUTS_LEAST ||
	       l->naks + l->missing >= NAKS_LEAST || l->drops >= EFA_DROPS_LEAST ||
	       l->share >= EFA_AGAIN_SHARE || is_repeating(p, l);
}

static void add_evidence(
	const struct diag_run *r, struct finding *f, const struct port *p, const struct loss *l)
{
	add_rate(f, name_on(p, CTR_TRANSPORT_RETRIES_EXCEEDED), l->exceeded, 0);
	add_rate(f, name_on(p, CTR_LOCAL_ACK_TIMEOUT_ERR), l->timeouts, TIMEOUTS_LEAST);
	add_rate(f, "packet_seq_err", l->naks, NAKS_LEAST);
	add_rate(f, "implied_nak_seq_err", l->missing, NAKS_LEAST);
	add_rate(f, name_on(p, CTR_ROCE_ADP_RETRANS), l->repeated,
		is_repeating(p, l) ? NAKS_LEAST : 0);
	if (l->share >= EFA_AGAIN_SHARE)
		(void)finding_number(f, f->at, "share of packets sent again", 100 * l->share, "%",
			"< 1 %", "counter");
	if (l->drops > 0)
		add_rate(f, name_on(p, CTR_RX_DISCARDS), l->drops, EFA_DROPS_LEAST);
	/* With adaptive routing packets overtake each other: this alone proves no loss. */
	add_rate(f,
		is_spread(r, p) ? "out_of_sequence (packets are spread, no loss)"
				: "out_of_sequence",
		l->out_of_order, 0);
}

static void say_roce(struct finding *f, const struct port *p, const struct loss *l)
{
	char rates[96] = "";

	if (l->timeouts >= TIMEOUTS_LEAST)
		(void)str_printf(rates, sizeof(rates), " (%s ACK timeouts/s, %s NAKs/s)",
			STR_NUMBER(l->timeouts), STR_NUMBER(l->naks + l->missing));
	else if (l->naks + l->missing > 0)
		(void)str_printf(
			rates, sizeof(rates), " (%s NAKs/s)", STR_NUMBER(l->naks + l->missing));
	else if (is_repeating(p, l))
		(void)str_printf(
			rates, sizeof(rates), " (%s sent again/s)", STR_NUMBER(l->repeated));
	finding_title(f, "loses packets%s%s: fabric or far end, not seen from here",
		l->exceeded > 0 ? ", and connections break" : "", rates);
}

/* EFA has no NAKs: what it does about a loss is told in the driver's words. */
static void say_efa(struct finding *f, const struct loss *l)
{
	if (l->exceeded > 0)
		finding_title(f,
			"EFA: far ends do not respond (%s unresponsive_remote_events/s): look at "
			"them first, then at the path",
			STR_NUMBER(l->exceeded));
	else if (l->timeouts >= TIMEOUTS_LEAST)
		finding_title(f,
			"EFA: SRD times out and changes paths (%s retrans_timeout_events/s): "
			"fabric "
			"or far end, not seen from here",
			STR_NUMBER(l->timeouts));
	else if (l->drops >= EFA_DROPS_LEAST)
		finding_title(f, "EFA: drops what arrives (%s rx_drops/s): this host is slow",
			STR_NUMBER(l->drops));
	else
		finding_title(f, "EFA: sends %.3g %% of its packets again: fabric or far end",
			100 * l->share);
}

static void judge_port(struct diag_run *r, const struct port *p)
{
	const struct loss l = loss_of(p);
	struct finding *f;

	if (!is_losing(p, &l) || is_far_seen(r, p))
		return;
	f = diag_claim(r, FIND_RDMA_LOSS, at_port(p->id));
	f->role = ROLE_VICTIM;
	f->severity = l.exceeded > 0 ? SEV_CRIT : SEV_WARN;
	add_evidence(r, f, p, &l);
	finding_weigh(f, SIGNAL_LOSS, l.exceeded > 0 ? 20 : 5);
	if (p->more->link_layer == LAYER_EFA)
		say_efa(f, &l);
	else
		say_roce(f, p, &l);
}

static void judge_device(struct diag_run *r, const struct device *d)
{
	for (size_t i = 0; d->tier == TIER_HOST && i < d->ports.n; i++) {
		const struct port *p = r->m->ports.at[d->ports.at[i]];

		if (p->seen && !p->merged)
			judge_port(r, p);
	}
}

static void run_rdma_loss(struct diag_run *r)
{
	(void)diag_each_device(r, judge_device);
}

const struct detector detect_rdma_loss = {"rdma_loss", run_rdma_loss, NULL, NULL, NULL};
