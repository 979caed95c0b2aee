/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/model/metrics.h"

#include <math.h>

#include "fabric/model/cell_at.h"
#include "fabric/vocabulary/counters.h"

#define ALL_PRIORITIES 0xff

/* IEEE 802.1Qbb: the pause time field is 16 bits of quanta, a quantum is 512 bit times. */
#define PFC_MOST_QUANTA  65535.0
#define PFC_QUANTUM_BITS 512.0

_Static_assert(PRIORITIES == 8 && LANES == 8, "masks have eight bits");

/* Modules report unused lanes as -30 dBm or less instead of omitting them. */
#define RX_POWER_FLOOR_DBM (-30.0)

double known_sum(double a, double b)
{
	if (isnan(a))
		return b;
	return isnan(b) ? a : a + b;
}

static double speed_bps(const struct port *p)
{
	unsigned mbps = p->speed_mbps ? p->speed_mbps : p->plan_speed_mbps;

	return mbps ? mbps * 1e6 : NAN;
}

/* The cell if it holds a number that the device reported, of any age. */
static const struct cell *cell_with_value(const struct port *p, enum counter_id id, unsigned sub)
{
	const struct cell *c = cell_at(p, id, sub);

	if (!c || c->valid == VALID_UNKNOWN || c->valid == VALID_UNSUPPORTED ||
		c->valid == VALID_DISABLED)
		return NULL;
	return c;
}

double port_bps(const struct port *p, enum direction dir)
{
	return rate_at(p, dir == DIR_RX ? CTR_RX_BYTES : CTR_TX_BYTES, 0) * 8;
}

double port_utilisation(const struct port *p, enum direction dir)
{
	double share = port_bps(p, dir) / speed_bps(p);

	/* Sample times jitter: a full link would sometimes show 101 %. */
	return share > 1 ? 1 : share;
}

double port_pfc_frames_full(const struct port *p)
{
	return speed_bps(p) / (PFC_MOST_QUANTA * PFC_QUANTUM_BITS);
}

/* Quantum and later count a tick for each 8 bytes that could have been sent, at any width (manual
 * of ibdiagnet, Congestion Assessment on InfiniBand Links). Older ASICs have larger ticks. */
#define WAIT_TICK_BITS 64

typedef double port_rate_of(const struct port *p, counter_id id, unsigned sub);
typedef struct paused port_paused_of(const struct port *p, unsigned priority, enum direction dir);

/* The share of time without credits: of the port, for it has no priorities. */
static struct paused waited(const struct port *p, enum direction dir, port_rate_of *rate)
{
	struct paused out = {.percent = NAN, .upper_bound = false};

	if (dir == DIR_RX)
		out.percent = rate(p, CTR_TX_WAIT, 0) * WAIT_TICK_BITS / speed_bps(p) * 100;
	if (out.percent > 100)
		out.percent = 100;
	return out;
}

static struct paused paused_by(
	const struct port *p, unsigned priority, enum direction dir, port_rate_of *rate)
{
	bool rx = dir == DIR_RX;
	enum counter_id duration = rx ? CTR_PFC_RX_DURATION_US : CTR_PFC_TX_DURATION_US;
	enum counter_id frames = rx ? CTR_PFC_RX_FRAMES : CTR_PFC_TX_FRAMES;
	struct paused out = {.percent = NAN, .upper_bound = false};

	if (priority >= PRIORITIES)
		return out;
	if (port_is_infiniband(p))
		return waited(p, dir, rate);
	/* No fallback while a duration counter has no rate yet: the meaning of the column would
	 * change from one refresh to the next. */
	if (cell_with_value(p, duration, priority)) {
		out.percent = rate(p, duration, priority) / 1e6 * 100;
	} else {
		out.percent = rate(p, frames, priority) / port_pfc_frames_full(p) * 100;
		out.upper_bound = !isnan(out.percent);
	}
	if (out.percent > 100)
		out.percent = 100;
	return out;
}

struct paused port_paused(const struct port *p, unsigned priority, enum direction dir)
{
	return paused_by(p, priority, dir, rate_at);
}

struct paused port_paused_recent(const struct port *p, unsigned priority, enum direction dir)
{
	return paused_by(p, priority, dir, history_recent);
}

static struct paused worst_priority(
	const struct port *p, uint8_t mask, enum direction dir, port_paused_of *paused)
{
	struct paused worst = {.percent = NAN, .upper_bound = false};

	for (unsigned left = mask; left; left &= left - 1) {
		struct paused one = paused(p, (unsigned)__builtin_ctz(left), dir);

		if (!isnan(one.percent) && !(one.percent <= worst.percent))
			worst = one;
	}
	return worst;
}

struct paused port_paused_max(const struct port *p, uint8_t mask, enum direction dir)
{
	return worst_priority(p, mask, dir, port_paused);
}

struct paused port_paused_recent_max(const struct port *p, uint8_t mask, enum direction dir)
{
	return worst_priority(p, mask, dir, port_paused_recent);
}

double port_drop_rate(const struct port *p)
{
	double in = rate_at(p, CTR_RX_DISCARDS, 0);
	double out = rate_at(p, CTR_TX_DISCARDS, 0);
	double queues_in = known_sum(port_rate_prios(p, CTR_PG_DROPS, ALL_PRIORITIES),
		port_rate_prios(p, CTR_RX_PRIO_DISCARDS, ALL_PRIORITIES));
	double queues_out = known_sum(port_rate_prios(p, CTR_QUEUE_DROPS, ALL_PRIORITIES),
		port_rate_prios(p, CTR_PFCWD_DROPS, ALL_PRIORITIES));

	/* Most devices count a queue's drop in the port's discards as well. fmax() counts each
	 * packet once, and ignores an unknown side. */
	return known_sum(fmax(in, queues_in), fmax(out, queues_out));
}

double port_pre_fec_ber(const struct port *p)
{
	const struct cell *gauge = cell_with_value(p, CTR_PRE_FEC_BER, 0);

	if (gauge)
		return gauge->real;
	return rate_at(p, CTR_FEC_CORRECTED_BITS, 0) / speed_bps(p);
}

double port_rx_power_min(const struct port *p)
{
	double least = NAN;

	for (unsigned left = p->layout->subs[CTR_RX_POWER_DBM]; left; left &= left - 1) {
		const struct cell *c =
			cell_with_value(p, CTR_RX_POWER_DBM, (unsigned)__builtin_ctz(left));

		if (c && c->real >= RX_POWER_FLOOR_DBM)
			least = fmin(least, c->real);
	}
	return least;
}

bool port_light_is_low(const struct port *p)
{
	const struct optics_limits *own = p->more->limits;
	double least = port_rx_power_min(p);
	bool knows = own && !(isnan(own->rx_power_dbm[LIMIT_LOW_ALARM]) &&
				    isnan(own->rx_power_dbm[LIMIT_LOW_WARN]));

	if (!knows)
		return least < RX_POWER_LEAST_DBM;
	return least < (double)own->rx_power_dbm[LIMIT_LOW_ALARM] ||
	       least < (double)own->rx_power_dbm[LIMIT_LOW_WARN];
}

double port_flaps(const struct port *p)
{
	const struct cell *c = cell_with_value(p, CTR_LINK_DOWN_EVENTS, 0);

	if (c)
		return (double)c->u64;
	return p->seen ? (double)p->flaps : NAN;
}
