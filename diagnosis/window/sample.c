/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/clock.h"
#include "diagnosis/window/sample_window_internal.h"
#include "fabric/model/cell_at.h"
#include "fabric/model/metrics.h"
#include "fabric/vocabulary/counters.h"

/* A value is current while its last report is not older than this many intervals. */
#define STALE_INTERVALS 2.5
/*
 * Queues, watermarks and settings may be polled less often: the medium tier is 30 s. Where it is
 * longer it has none of these (backend_ops.medium_may_wait).
 */
#define SLOW_STALE_US (75 * CLOCK_SEC)
/* With this many falls among the last 8 reports, the marks are cleared regularly. */
#define FALLS_OFTEN 2

/* One port, and the age limits of its values. */
struct reader {
	const struct port *p;
	int64_t oldest_us, oldest_slow_us; /* values with older last reports are not current */
	uint8_t lossless;
};

static bool is_fresh(const struct reader *r, const struct cell *c, enum counter_id id)
{
	if (!c || c->valid != VALID_OK)
		return false;
	return cell_seen_us(r->p, c) >=
	       (counter_info[id].group == GROUP_PORT ? r->oldest_us : r->oldest_slow_us);
}

static double rate_of(const struct reader *r, enum counter_id id, unsigned sub)
{
	const struct cell *c = cell_at(r->p, id, sub);

	return is_fresh(r, c, id) ? (double)c->rate : (double)NAN;
}

/* Sum over the priorities of the mask; NAN: none is known. */
static double rates_of(const struct reader *r, enum counter_id id, uint8_t mask)
{
	double sum = (double)NAN;

	for (unsigned left = mask & r->p->layout->subs[id]; left; left &= left - 1) {
		double rate = rate_of(r, id, (unsigned)__builtin_ctz(left));

		if (!isnan(rate))
			sum = isnan(sum) ? rate : sum + rate;
	}
	return sum;
}

/* ---- pauses ---- */

static bool pause_reported(const struct reader *r, unsigned prio, enum direction dir)
{
	bool rx = dir == DIR_RX;
	enum counter_id duration = rx ? CTR_PFC_RX_DURATION_US : CTR_PFC_TX_DURATION_US;
	enum counter_id frames = rx ? CTR_PFC_RX_FRAMES : CTR_PFC_TX_FRAMES;

	return is_fresh(r, cell_at(r->p, duration, prio), duration) ||
	       is_fresh(r, cell_at(r->p, frames, prio), frames);
}

/* The worst lossless priority; a measured share takes precedence over an upper bound. */
static struct paused worst_pause(const struct reader *r, enum direction dir, uint8_t *prio)
{
	struct paused worst = {.percent = (double)NAN, .upper_bound = true};

	for (unsigned left = r->lossless; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);
		struct paused one;

		if (!pause_reported(r, i, dir))
			continue;
		one = port_paused(r->p, i, dir);
		if (isnan(one.percent) || (one.upper_bound && !worst.upper_bound))
			continue;
		if (one.upper_bound == worst.upper_bound && one.percent <= worst.percent)
			continue;
		worst = one;
		*prio = (uint8_t)i;
	}
	return worst;
}

static void read_pauses(const struct reader *r, struct sample *s)
{
	struct paused held, holds;

	s->held_prio = s->holds_prio = (uint8_t)__builtin_ctz(r->lossless);
	held = worst_pause(r, DIR_RX, &s->held_prio);
	holds = worst_pause(r, DIR_TX, &s->holds_prio);
	s->held = (float)(held.percent / 100);
	s->holds = (float)(holds.percent / 100);
	s->held_bound = held.upper_bound && !isnan(held.percent);
	s->holds_bound = holds.upper_bound && !isnan(holds.percent);
}

/* ---- high-water marks ---- */

/*
 * A mark that stands still may be from any time since the last clear: it says nothing about now.
 * Exceptions: it is 0 (then the queue was empty), or the marks are cleared regularly.
 */
static float judge_peak(const struct reader *r, struct peaks *k, enum peak_kind kind,
	enum counter_id id, bool first)
{
	float now = NAN;
	bool fell = false;

	for (unsigned prio = 0; prio < PRIORITIES; prio++) {
		const struct cell *c = r->lossless & 1U << prio ? cell_at(r->p, id, prio) : NULL;
		bool often = __builtin_popcount(k->falls[kind]) >= FALLS_OFTEN;

		if (!is_fresh(r, c, id))
			continue;
		if (c->u64 == 0 || (!first && (c->u64 != k->was[kind][prio] || often)))
			now = (float)fmax((double)now, (double)c->u64);
		fell |= !first && c->u64 < k->was[kind][prio];
		k->was[kind][prio] = c->u64;
	}
	k->falls[kind] = (uint8_t)(k->falls[kind] << 1U | fell);
	return now;
}

static float read_peak(const struct reader *r, struct peaks *k, enum peak_kind kind)
{
	static const enum counter_id ids[PEAK_KINDS] = {
		CTR_QUEUE_WATERMARK_BYTES, CTR_PG_WATERMARK_BYTES, CTR_HEADROOM_WATERMARK_BYTES};
	unsigned left = r->lossless & r->p->layout->subs[ids[kind]];
	int64_t newest = 0;

	for (; left; left &= left - 1) {
		const struct cell *c = cell_at(r->p, ids[kind], (unsigned)__builtin_ctz(left));

		if (is_fresh(r, c, ids[kind]) && cell_seen_us(r->p, c) > newest)
			newest = cell_seen_us(r->p, c);
	}
	if (!newest)
		return NAN;
	if (newest != k->seen_us[kind]) {
		k->now[kind] = judge_peak(r, k, kind, ids[kind], k->seen_us[kind] == 0);
		k->seen_us[kind] = newest;
	}
	return k->now[kind];
}

static double depth_of(const struct reader *r)
{
	double most = (double)NAN;

	unsigned left = r->lossless & r->p->layout->subs[CTR_QUEUE_DEPTH_BYTES];

	for (; left; left &= left - 1) {
		const struct cell *c =
			cell_at(r->p, CTR_QUEUE_DEPTH_BYTES, (unsigned)__builtin_ctz(left));

		if (is_fresh(r, c, CTR_QUEUE_DEPTH_BYTES))
			most = fmax(most, c->real);
	}
	return most;
}

/*
 * Queues are refreshed less often than ports, and a rate stays until the next refresh. A priority
 * never carries more than its port: in a deadlock the port stands at once.
 */
static float part_of(double bps, float port_bps)
{
	return (float)(bps > (double)port_bps ? (double)port_bps : bps);
}

static void read_queues(const struct reader *r, struct peaks *k, struct sample *s)
{
	uint8_t other = (uint8_t)~r->lossless;

	s->lossless_tx_bps = part_of(rates_of(r, CTR_QUEUE_TX_BYTES, r->lossless) * 8, s->tx_bps);
	s->other_tx_bps = part_of(rates_of(r, CTR_QUEUE_TX_BYTES, other) * 8, s->tx_bps);
	s->lossless_rx_bps = part_of(rates_of(r, CTR_RX_PRIO_BYTES, r->lossless) * 8, s->rx_bps);
	s->ecn_pps = (float)rates_of(r, CTR_ECN_MARKED_PACKETS, r->lossless);
	s->queue_peak = (float)fmax((double)read_peak(r, k, PEAK_QUEUE), depth_of(r));
	s->pg_peak = read_peak(r, k, PEAK_PG);
	s->headroom_peak = read_peak(r, k, PEAK_HEADROOM);
}

/* ---- loss ---- */

/* Drops of the priorities, at the queue and at the priority group: two different places. */
static double prio_drops(const struct reader *r, uint8_t mask)
{
	double egress = fmax(rates_of(r, CTR_QUEUE_DROPS, mask), rates_of(r, CTR_WRED_DROPS, mask));
	double ingress =
		fmax(rates_of(r, CTR_PG_DROPS, mask), rates_of(r, CTR_RX_PRIO_DISCARDS, mask));

	return known_sum(egress, ingress);
}

static void read_drops(const struct reader *r, struct sample *s)
{
	double lossless = prio_drops(r, r->lossless);
	double other = prio_drops(r, (uint8_t)~r->lossless);
	double watchdog = rates_of(r, CTR_PFCWD_DROPS, 0xff);
	double port = known_sum(rate_of(r, CTR_RX_DISCARDS, 0), rate_of(r, CTR_TX_DISCARDS, 0));
	/* Most devices include the drops of queues and of the watchdog in the port's discards. */
	double rest = port - fmax(known_sum(known_sum(lossless, other), watchdog), 0);

	rest = rest < 0 ? 0 : rest;
	s->lossless_drops = (float)lossless;
	s->watchdog_drops = (float)watchdog;
	s->other_drops = (float)(s->up ? known_sum(other, rest) : other);
	s->down_drops = (float)(s->up ? (isnan(rest) ? (double)NAN : 0) : rest);
}

/* ---- state ---- */

static uint64_t downs_counted(const struct reader *r, bool *have)
{
	const struct cell *c = cell_at(r->p, CTR_LINK_DOWN_EVENTS, 0);

	*have = is_fresh(r, c, CTR_LINK_DOWN_EVENTS);
	if (*have)
		return c->u64;
	c = cell_at(r->p, CTR_CARRIER_CHANGES, 0);
	*have = is_fresh(r, c, CTR_CARRIER_CHANGES);
	return *have ? c->u64 / 2 : 0;
}

/*
 * State words and counters report the same downs at different times. A new down has occurred when
 * the greater of the two totals has grown.
 */
static unsigned read_downs(const struct reader *r, struct downs *k)
{
	bool have;
	uint64_t counted = downs_counted(r, &have);
	uint32_t total, grown;

	if (k->known) {
		k->model += r->p->flaps - k->model_was;
		if (have && counted > k->counter_was)
			k->counter += (uint32_t)(counted - k->counter_was);
	}
	k->model_was = r->p->flaps;
	if (have)
		k->counter_was = counted;
	k->known = true;
	total = k->model > k->counter ? k->model : k->counter;
	grown = total - k->told;
	k->told = total;
	return grown;
}

/* A port without a reported state is up when anything passes, also pauses: in a storm nothing else
 * does. */
static bool is_up(const struct reader *r, const struct sample *s)
{
	if (r->p->oper != OPER_UNKNOWN)
		return r->p->oper == OPER_UP;
	return s->rx_bps > 0 || s->tx_bps > 0 || s->held > 0 || s->holds > 0;
}

static float share_of(const struct reader *r, float bps)
{
	unsigned mbps = r->p->speed_mbps ? r->p->speed_mbps : r->p->plan_speed_mbps;
	float share = mbps ? bps / ((float)mbps * 1e6F) : NAN;

	/* Sample times jitter: a full link would sometimes show 101 %. */
	return share > 1 ? 1 : share;
}

static void read_port(const struct reader *r, struct downs *k, struct sample *s)
{
	unsigned downs = read_downs(r, k);

	s->tx_bps = (float)(rate_of(r, CTR_TX_BYTES, 0) * 8);
	s->rx_bps = (float)(rate_of(r, CTR_RX_BYTES, 0) * 8);
	s->tx_util = share_of(r, s->tx_bps);
	s->rx_util = share_of(r, s->rx_bps);
	s->flaps = (uint8_t)(downs < UINT8_MAX ? downs : UINT8_MAX);
	s->fcs_pps = (float)rate_of(
		r, cell_at(r->p, CTR_RX_FCS_ERRORS, 0) ? CTR_RX_FCS_ERRORS : CTR_RX_ERRORS, 0);
}

static void read_nic(const struct reader *r, struct sample *s)
{
	s->cnp_sent = (float)rate_of(r, CTR_CNP_SENT, 0);
	s->cnp_handled = (float)rate_of(r, CTR_CNP_HANDLED, 0);
	s->cnp_ignored = (float)rate_of(r, CTR_CNP_IGNORED, 0);
	s->ce_received = (float)rate_of(r, CTR_ECN_MARKED_ROCE_PACKETS, 0);
	s->out_of_sequence = (float)rate_of(r, CTR_OUT_OF_SEQUENCE, 0);
	s->seq_err = (float)rate_of(r, CTR_PACKET_SEQ_ERR, 0);
	s->ack_timeout = (float)rate_of(r, CTR_LOCAL_ACK_TIMEOUT_ERR, 0);
	s->rdma_tx_bps = (float)(rate_of(r, CTR_RDMA_TX_BYTES, 0) * 8);
	s->rdma_rx_bps = (float)(rate_of(r, CTR_RDMA_RX_BYTES, 0) * 8);
}

/* The sums of a bond are told of each slave as well: there they have a link. */
static void leave_to_slaves(struct sample *s)
{
	s->flaps = 0;
	s->fcs_pps = s->held = s->holds = NAN;
	s->lossless_drops = s->watchdog_drops = s->other_drops = s->down_drops = NAN;
	s->ecn_pps = s->queue_peak = s->pg_peak = s->headroom_peak = NAN;
}

void sample_read(struct sample *s, struct peaks *peaks, struct downs *downs, const struct model *m,
	const struct port *p, int64_t interval_us, int64_t now_us)
{
	int64_t limit = (int64_t)((double)interval_us * STALE_INTERVALS);
	struct reader r = {p, now_us - limit,
		now_us - (limit < SLOW_STALE_US ? SLOW_STALE_US : limit),
		lossless_priorities(&m->lossless)};

	read_port(&r, downs, s);
	read_pauses(&r, s);
	s->up = is_up(&r, s);
	read_queues(&r, peaks, s);
	read_drops(&r, s);
	read_nic(&r, s);
	if (port_is_bond(p))
		leave_to_slaves(s);
}
