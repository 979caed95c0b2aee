/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/clock.h"
#include "emulator/sim/sim_internal.h"

/* Values that are not counts. They wander a little every ten seconds, the same for the same seed.
 */

#define WANDER_US   (10 * CLOCK_SEC)
#define DARK_DBM    (-40.0)
#define PORT_BUFFER (4.0 * 1024 * 1024) /* what one lossless queue may hold before PFC, bytes */

static double wander(const struct sim *s, const struct sim_port *p, unsigned what, double amount)
{
	uint64_t port = sim_hash(s->o.seed ^ 0x09a1, (uint64_t)(p - s->port) * 64 + what);
	uint64_t step = (uint64_t)((s->now - s->o.start_us) / WANDER_US);

	/* A fixed part for the specimen, a small one for the moment. */
	return amount * (2 * sim_unit(port) - 1 + 0.1 * (2 * sim_unit(sim_hash(port, step)) - 1));
}

static void optics(const struct sim *s, struct sim_port *p)
{
	bool light = p->peer && !sim_state(s, p)->k.down && !sim_state(s, p->peer)->k.down;

	p->temperature_c = 48 + wander(s, p, 0, 4);
	p->voltage_v = 3.3 + wander(s, p, 1, 0.03);
	for (unsigned i = 0; i < p->lanes; i++) {
		p->lane[i].tx_dbm = 1.2 + wander(s, p, 2 + i, 0.5);
		p->lane[i].bias_ma = 48 + wander(s, p, 10 + i, 4);
		p->lane[i].rx_dbm = light ? 0.3 + wander(s, p, 18 + i, 0.8) : DARK_DBM;
	}
	p->pre_fec_ber = p->up ? sim_state(s, p)->ber : 0;
}

static void queue(const struct sim *s, struct sim_port *p)
{
	const struct port_state *st = sim_state(s, p);
	double paused = p->peer ? sim_state(s, p->peer)->hold : 0;
	double room = (double)p->speed_mbps * 1e6 / 8;
	double use = p->up ? fmin(st->load / room, 1) : 0;
	/* A few packets wait on a busy port; a port that is held fills up. */
	double depth = 4166 * use / (1.02 - use) + PORT_BUFFER * paused * paused;
	double pg = PORT_BUFFER * sqrt(st->hold);
	struct sim_queue *q = &p->q[SIM_PRIO_ROCE];

	if (p->tier == TIER_HOST)
		return;
	q->wd_stormed = st->wd_acts;
	q->depth_bytes = (uint64_t)(st->wd_acts ? 0 : depth);
	q->watermark_bytes = (uint64_t)fmin(depth * 6, 2 * PORT_BUFFER);
	q->pg_watermark_bytes = (uint64_t)fmax(pg, 4166 * 4 * use);
	q->headroom_watermark_bytes = (uint64_t)(st->hold > 0 ? 0.1 * pg : 0);
}

void sim_gauges(const struct sim *s, struct sim_port *p)
{
	optics(s, p);
	queue(s, p);
}
