/* SPDX-License-Identifier: Apache-2.0 */
#include "views/summary_add.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "fabric/model/cell_at.h"
#include "fabric/vocabulary/counters.h"
#include "views/common.h"

void summary_init(struct summary *s)
{
	memset(s, 0, sizeof(*s));
	s->rx_bps = s->tx_bps = s->up_tx_bps = NAN;
	s->ecn = s->ecn_of_pps = s->cnp = s->drops = s->flaps = NAN;
	s->slow = s->fec = s->ber = s->rx_power_dbm = NAN;
	s->paused_rx.percent = s->paused_tx.percent = NAN;
}

/* An unknown value is not zero, but it does not make the sum unknown. */
static void add_known(double *sum, double v)
{
	*sum = known_sum(*sum, v);
}

static void keep_paused(struct paused *worst, struct paused p)
{
	if (!isnan(p.percent) && !(worst->percent >= p.percent))
		*worst = p;
}

bool health_same(const struct health *a, const struct health *b)
{
	return a->severity == b->severity && a->rank == b->rank && str_eq(a->why, b->why);
}

bool worst_fold(struct worst *list, size_t n, const struct worst *w)
{
	for (size_t i = 0; i < n && w->ref.kind == REF_PORT; i++) {
		if (list[i].ref.kind != REF_PORT || !health_same(&list[i].health, &w->health))
			continue;
		list[i].more++;
		return true;
	}
	return false;
}

/*
 * Among equally bad entries the one with the larger effect comes first: a leaf before each of its
 * hosts.
 */
static bool worst_before(const struct worst *a, const struct worst *b)
{
	/* What is seen to be wrong comes before what cannot be seen. */
	if (a->silent != b->silent)
		return b->silent;
	if (health_worse(&b->health, &a->health))
		return false;
	return health_worse(&a->health, &b->health) || a->more > b->more;
}

void worst_add(struct worst *list, size_t *n, size_t max, const struct worst *w)
{
	size_t at = *n;

	if (w->health.severity < SEV_WARN)
		return;
	while (at > 0 && worst_before(w, &list[at - 1]))
		at--;
	if (at >= max)
		return;
	if (*n < max)
		(*n)++;
	memmove(&list[at + 1], &list[at], (*n - at - 1) * sizeof(*list));
	list[at] = *w;
}

static double port_capacity(const struct port *p)
{
	unsigned mbps = p->speed_mbps ? p->speed_mbps : p->plan_speed_mbps;

	return p->oper == OPER_UP ? mbps * 1e6 : 0;
}

static void add_traffic(const struct model *m, const struct device *d, const struct port *p,
	const struct port *peer, struct summary *s)
{
	if (d->tier != TIER_HOST && peer && model_dev_of(m, peer)->tier > d->tier) {
		add_known(&s->up_tx_bps, port_bps(p, DIR_TX));
		s->up_capacity_bps += port_capacity(p);
		return;
	}
	add_known(&s->rx_bps, port_bps(p, DIR_RX));
	add_known(&s->tx_bps, port_bps(p, DIR_TX));
	s->capacity_bps += port_capacity(p);
}

/* CNPs of a switch's hosts: only NICs send them, and switches cannot count them. */
static double cnp_sent(const struct model *m, const struct device *d, const struct port *p,
	const struct port *peer)
{
	const struct device *far = peer ? model_dev_of(m, peer) : NULL;

	if (d->tier == TIER_HOST)
		return rate_at(p, CTR_CNP_SENT, 0);
	if (!far || far->tier != TIER_HOST || device_is_old(far))
		return NAN;
	return rate_at(peer, CTR_CNP_SENT, 0);
}

static void add_signal(const struct port *p, struct summary *s)
{
	add_known(&s->fec, rate_at(p, CTR_FEC_UNCORRECTABLE_CODEWORDS, 0));
	/* A module without a link reports noise, which would hide the values of active ports. */
	if (p->oper == OPER_DOWN)
		return;
	s->ber = fmax(s->ber, port_pre_fec_ber(p));
	s->rx_power_dbm = fmin(s->rx_power_dbm, port_rx_power_min(p));
	s->light_low |= port_light_is_low(p);
	if (p->speed_mbps && p->plan_speed_mbps)
		add_known(&s->slow, p->speed_mbps < p->plan_speed_mbps);
}

void summary_add_port(const struct model *m, const struct device *d, const struct port *p,
	const struct health *h, struct summary *s)
{
	const struct port *peer = port_peer(m, p, NULL);
	uint8_t mask = lossless_priorities(&m->lossless);
	double marks = port_rate_prios(p, CTR_ECN_MARKED_PACKETS, 0xff);

	s->by_severity[h->severity < SEV_COUNT ? h->severity : SEV_UNKNOWN]++;
	s->ports_planned += p->plan_peer != PORT_NONE;
	s->ports_up += p->oper == OPER_UP;
	/* The traffic of a bond is that of its slaves. */
	if (!port_is_bond(p))
		add_traffic(m, d, p, peer, s);
	keep_paused(&s->paused_rx, port_paused_max(p, mask, DIR_RX));
	keep_paused(&s->paused_tx, port_paused_max(p, mask, DIR_TX));
	add_known(&s->ecn, marks);
	if (!isnan(marks))
		add_known(&s->ecn_of_pps, port_rate(p, CTR_TX_PACKETS, 0));
	add_known(&s->cnp, cnp_sent(m, d, p, peer));
	add_known(&s->drops, port_drop_rate(p));
	add_known(&s->flaps, port_flaps(p));
	add_signal(p, s);
}

void summary_settle_plan(const struct model *m, const struct device *d, struct summary *s)
{
	if (s->ports_planned)
		return;
	for (size_t i = 0; i < d->ports.n; i++)
		s->ports_planned += m->ports.at[d->ports.at[i]]->seen;
}

void summary_merge(struct summary *into, const struct summary *s)
{
	if (health_worse(&s->health, &into->health))
		into->health = s->health;
	for (size_t i = 0; i < SEV_COUNT; i++)
		into->by_severity[i] += s->by_severity[i];
	into->ports_planned += s->ports_planned;
	into->ports_up += s->ports_up;
	add_known(&into->rx_bps, s->rx_bps);
	add_known(&into->tx_bps, s->tx_bps);
	add_known(&into->up_tx_bps, s->up_tx_bps);
	into->capacity_bps += s->capacity_bps;
	into->up_capacity_bps += s->up_capacity_bps;
	keep_paused(&into->paused_rx, s->paused_rx);
	keep_paused(&into->paused_tx, s->paused_tx);
	add_known(&into->ecn, s->ecn);
	add_known(&into->ecn_of_pps, s->ecn_of_pps);
	add_known(&into->cnp, s->cnp);
	add_known(&into->drops, s->drops);
	add_known(&into->flaps, s->flaps);
	add_known(&into->slow, s->slow);
	add_known(&into->fec, s->fec);
	into->ber = fmax(into->ber, s->ber);
	into->rx_power_dbm = fmin(into->rx_power_dbm, s->rx_power_dbm);
	into->light_low |= s->light_low;
	into->old = into->devices ? into->old && s->old : s->old;
	if (!into->devices || s->data > into->data)
		into->data = s->data;
	into->devices += s->devices;
	into->devices_seen += s->devices_seen;
}
