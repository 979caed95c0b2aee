/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/clock.h"
#include "emulator/sim/sim_internal.h"

/*
 * Gauges: values that are not counts. They vary a little every ten seconds, in the same way for the
 * same seed.
 */

#define WANDER_US   (10 * CLOCK_SEC)
#define DARK_DBM    (-40.0)
#define ROCE_PACKET 4166.0 /* bytes on the wire */
#define PEAK        6      /* peak of a short queue, relative to its mean */
#define QUEUE_MOST  8388608.0
#define HEADROOM_PG 1048576.0 /* bytes; an ingress above this has sent XOFF */

static double vary_gauge(
	const struct sim *s, const struct sim_port *p, unsigned what, double amount)
{
	uint64_t port = sim_hash(s->o.seed ^ 0x09a1, (uint64_t)(p - s->port) * 64 + what);
	uint64_t step = (uint64_t)((s->now - s->o.start_us) / WANDER_US);

	/* A fixed deviation of the specimen, plus a small one that changes with time. */
	return amount * (2 * sim_unit(port) - 1 + 0.1 * (2 * sim_unit(sim_hash(port, step)) - 1));
}

static bool laser_on(const struct sim *s, const struct sim_port *p)
{
	return p->config.admin_up && !sim_state(s, p)->k.down;
}

static void set_lanes(const struct sim *s, struct sim_port *p)
{
	const struct knobs *k = &sim_state(s, p)->k;
	bool on = laser_on(s, p), light = p->peer && laser_on(s, p->peer) && !k->down;

	p->rx_los = false;
	for (unsigned i = 0; i < p->lanes; i++) {
		struct sim_lane *l = &p->lane[i];
		bool weak = i == SIM_WEAK_LANE % p->lanes;
		double lost = k->rx_loss_db + (weak ? k->lane_loss_db : 0);

		l->tx_dbm = on ? 1.2 + vary_gauge(s, p, 2 + i, 0.5) : DARK_DBM;
		l->bias_ma = on ? 48 + vary_gauge(s, p, 10 + i, 4) : 0;
		l->rx_dbm = light ? fmax(0.3 + vary_gauge(s, p, 18 + i, 0.8) - lost, DARK_DBM)
				  : DARK_DBM;
		p->rx_los = p->rx_los || l->rx_dbm < SIM_RX_LOS_DBM;
	}
}

static void set_optics(const struct sim *s, struct sim_port *p)
{
	const struct port_state *st = sim_state(s, p);

	p->temperature_c = 48 + vary_gauge(s, p, 0, 4) + st->k.heat_c;
	p->voltage_v = 3.3 + vary_gauge(s, p, 1, 0.03);
	p->tx_fault = false;
	set_lanes(s, p);
	p->pre_fec_ber = p->up ? st->ber + st->k.ber : 0;
}

static int64_t watermark_window(const struct sim *s, const struct sim_port *p, int64_t t)
{
	int64_t us = sim_watermark_period(sim_device_of(s, p));

	return us ? (t - s->o.start_us) / us : t;
}

/* Mean depth of the queue between two changes of the rates: a few packets wait on a busy port. */
static double mean_depth(const struct sim *s, const struct sim_port *p)
{
	const struct port_state *st = sim_state(s, p);
	double use = p->up ? fmin(st->load * 8 / (p->speed_mbps * 1e6), 1) : 0;

	return st->wd_acts ? 0 : fmin(st->queue + ROCE_PACKET * use / (1.02 - use), QUEUE_MOST);
}

void sim_gauges_elapse(struct sim *s)
{
	for (size_t i = 0; i < s->nports; i++) {
		const struct sim_port *p = &s->port[i];
		struct port_state *st = &s->state[i];
		int64_t w;

		if (p->tier == TIER_HOST || (st->queue <= 0 && st->pg <= 0 && st->peak_queue <= 0))
			continue;
		w = watermark_window(s, p, s->now);
		/* A queue that was filled when the window changed counts in the new window, too. */
		st->peak_queue = w > st->window ? st->queue : fmax(st->peak_queue, st->queue);
		st->peak_pg = w > st->window ? st->pg : fmax(st->peak_pg, st->pg);
		st->window = w;
	}
}

static void set_queue(const struct sim *s, struct sim_port *p)
{
	const struct port_state *st = sim_state(s, p);
	bool same = st->window == watermark_window(s, p, s->now);
	double now = mean_depth(s, p), pg = same ? fmax(st->peak_pg, st->pg) : st->pg;
	struct sim_queue *q = &p->q[SIM_PRIO_ROCE];

	if (p->tier == TIER_HOST)
		return;
	q->wd_stormed = st->wd_acts;
	q->depth_bytes = (uint64_t)now;
	/* A congested queue stays at its maximum depth; a short one has brief peaks. */
	now = st->queue > 0 ? now : now * PEAK;
	q->watermark_bytes = (uint64_t)fmax(now, same ? st->peak_queue : 0);
	q->pg_watermark_bytes = (uint64_t)fmax(pg, ROCE_PACKET * 2);
	q->headroom_watermark_bytes = (uint64_t)fmax(pg - HEADROOM_PG, 0);
}

void sim_gauges(const struct sim *s, struct sim_port *p)
{
	set_optics(s, p);
	set_queue(s, p);
}
