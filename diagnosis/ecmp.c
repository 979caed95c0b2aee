/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/ecmp.h"

#include <math.h>
#include <stdlib.h>

#define MEMBERS_MOST 512

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *v, size_t n)
{
	if (!n)
		return (double)NAN;
	qsort(v, n, sizeof(*v), ascending);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* Up as far as is known: a port that says nothing is not down. */
static bool is_up(const struct port *p)
{
	return p->oper != OPER_DOWN;
}

static void add_member(struct diag_run *r, struct ecmp *e, struct ecmp_group *g,
	const struct port *p, const struct port *peer)
{
	struct window_load load = window_load_over(r->w, p->id, 0);
	unsigned mbps = p->speed_mbps ? p->speed_mbps : p->plan_speed_mbps;
	struct ecmp_member m = {p->id, peer ? peer->id : PORT_NONE, is_up(p), mbps * 1e6,
		load.tx_bps, load.rx_bps, load.seconds};

	vec_push(&e->members, m);
	g->n++;
	g->planned++;
	g->up += m.up;
}

/* What leads to a higher tier, by LLDP or else by plan: also while it is down. */
static const struct port *upper_peer(
	const struct diag_run *r, const struct device *d, const struct port *p)
{
	const struct port *peer = port_peer(r->m, p, NULL);

	if (!peer && p->plan_peer < r->m->ports.n)
		peer = r->m->ports.at[p->plan_peer];
	return peer && model_dev_of(r->m, peer)->tier > d->tier ? peer : NULL;
}

static void find_medians(struct ecmp_group *g)
{
	double tx[MEMBERS_MOST], rx[MEMBERS_MOST];
	size_t ntx = 0, nrx = 0;

	for (size_t i = 0; i < g->n && i < MEMBERS_MOST; i++) {
		if (!g->at[i].up)
			continue;
		if (!isnan(g->at[i].tx))
			tx[ntx++] = g->at[i].tx;
		if (!isnan(g->at[i].rx))
			rx[nrx++] = g->at[i].rx;
	}
	g->tx_median = median(tx, ntx);
	g->rx_median = median(rx, nrx);
}

static void find_group(struct diag_run *r, struct ecmp *e, const struct device *d)
{
	struct ecmp_group g = {.device = d->id, .first = e->members.n};

	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = r->m->ports.at[d->ports.at[i]];
		const struct port *peer = p->merged ? NULL : upper_peer(r, d, p);

		if (peer && p->seen)
			add_member(r, e, &g, p, peer);
	}
	if (g.n > 1)
		vec_push(&e->groups, g);
}

void ecmp_find(struct diag_run *r, struct ecmp *e)
{
	for (size_t i = 0; i < r->m->devices.n; i++)
		if (r->m->devices.at[i]->tier != TIER_HOST)
			find_group(r, e, r->m->devices.at[i]);
	/* Members moved while they were added. */
	for (size_t i = 0; i < e->groups.n; i++) {
		e->groups.at[i].at = e->members.at + e->groups.at[i].first;
		find_medians(&e->groups.at[i]);
	}
}

void ecmp_free(struct ecmp *e)
{
	vec_free(&e->groups);
	vec_free(&e->members);
}

double ecmp_recent(const struct windows *w, uint32_t port, bool sends)
{
	double bits = 0, seconds = 0;

	if (!window_last(w, port))
		return (double)NAN;
	for (unsigned k = 0; k < WINDOW_SAMPLES; k++) {
		const struct sample *s = window_ago(w, port, k);
		double rate = s ? (double)(sends ? s->tx_bps : s->rx_bps) : (double)NAN;

		if (!s || isnan(rate) || !(s->dt_s > 0))
			return (double)NAN;
		bits += rate * (double)s->dt_s;
		seconds += (double)s->dt_s;
	}
	return bits / seconds;
}

double ecmp_recent_median(const struct windows *w, const struct ecmp_group *g, bool sends)
{
	double v[MEMBERS_MOST];
	size_t n = 0;

	for (size_t i = 0; i < g->n && n < MEMBERS_MOST; i++) {
		double rate = ecmp_recent(w, g->at[i].port, sends);

		if (g->at[i].up && !isnan(rate))
			v[n++] = rate;
	}
	return median(v, n);
}
