/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/sim/sim_internal.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"

/*
 * The counters that devices show. Hardware counts all the time; the agent on a switch reads it once
 * per period and answers from that copy. Ticks are on device time, with a phase of each device's
 * own. The count at the last tick does not depend on the time of the reads.
 */

static const size_t slot_offset[SLOT_COUNT] = {
#define SLOT_OFFSET(slot, member) [S_##slot] = offsetof(struct sim_port, member),
	SIM_SLOTS(SLOT_OFFSET)
#undef SLOT_OFFSET
};

enum refresh { REFRESH_PORTS, REFRESH_QUEUES, REFRESH_WATERMARKS, REFRESHES };

static int64_t refresh_period(const struct sim_device *d, enum refresh what)
{
	const int64_t of[REFRESHES] = {
		d->platform->port_us, d->platform->queue_us, d->platform->watermark_us};
	unsigned ms = d->config.refresh_ms[what];

	return ms ? (int64_t)ms * CLOCK_MSEC : of[what];
}

int64_t sim_watermark_period(const struct sim_device *d)
{
	return refresh_period(d, REFRESH_WATERMARKS);
}

/* The last tick at or before t; t itself if the counters are live. */
static int64_t last_tick(
	const struct sim *s, const struct sim_device *d, enum refresh what, int64_t t)
{
	int64_t every = refresh_period(d, what), phase;

	if (every <= 0)
		return t;
	/* A new period begins with a refresh, so that counters never go back at the change. */
	if (d->refresh_from_us[what] && t >= d->refresh_from_us[what])
		return t - (t - d->refresh_from_us[what]) % every;
	phase = (int64_t)(sim_hash(s->o.seed ^ 0x71c4, (uint64_t)(d - s->device) * 4 + what) %
			  (uint64_t)every);
	return t - (t - s->o.start_us + every - phase) % every;
}

static int64_t slot_since(const struct sim *s, const struct port_state *st, int slot)
{
	return slot < SLOT_LINE ? s->since : st->line_since;
}

static double slot_value(const struct sim *s, const struct port_state *st, int slot, int64_t t)
{
	return st->base[slot] + st->rate[slot] * ((double)(t - slot_since(s, st, slot)) / 1e6);
}

/* Switches do not use the NICs' slots. */
static int device_slots(const struct sim_device *d)
{
	return d->tier == TIER_HOST ? SLOT_LINE : SLOT_NICS;
}

/* Copies the slots [from, to) of d at time `when` (the last tick of the segment) to shown[]. */
static void latch_slots(struct sim *s, const struct sim_device *d, int from, int to, int64_t when)
{
	if (when < s->since)
		return;
	for (unsigned i = 0; i < d->nports; i++) {
		struct port_state *st = sim_state(s, &d->ports[i]);

		for (int k = from; k < to; k++)
			st->shown[k] = slot_value(s, st, k, when);
	}
}

void sim_rebase(struct sim *s, int64_t t)
{
	double dt = (double)(t - s->since) / 1e6;

	if (t <= s->since)
		return;
	for (size_t i = 0; i < s->ndevices; i++) {
		const struct sim_device *d = &s->device[i];
		/* A tick at t itself sees the events at t. */
		int64_t ports = last_tick(s, d, REFRESH_PORTS, t - 1);

		if (refresh_period(d, REFRESH_PORTS) > 0) {
			latch_slots(s, d, 0, SLOT_QUEUES, ports);
			latch_slots(s, d, SLOT_NICS, device_slots(d), ports);
		}
		if (refresh_period(d, REFRESH_QUEUES) > 0)
			latch_slots(s, d, SLOT_QUEUES, SLOT_NICS,
				last_tick(s, d, REFRESH_QUEUES, t - 1));
	}
	for (size_t i = 0; i < s->nports; i++) {
		struct port_state *st = &s->state[i];
		int n = s->port[i].tier == TIER_HOST ? SLOT_LINE : SLOT_NICS;

		for (int k = 0; k < n; k++)
			st->base[k] += st->rate[k] * dt;
	}
	s->since = t;
	sim_jobs_elapse(s, dt);
}

void sim_rebase_line(struct sim *s, const struct sim_port *p)
{
	struct port_state *st = sim_state(s, p);
	int64_t when = last_tick(s, sim_device_of(s, p), REFRESH_PORTS, s->now - 1);
	double dt = (double)(s->now - st->line_since) / 1e6;

	for (int k = SLOT_LINE; k < SLOT_COUNT; k++) {
		if (when >= st->line_since)
			st->shown[k] = slot_value(s, st, k, when);
		st->base[k] += st->rate[k] * dt;
	}
	st->line_since = s->now;
}

static void publish_slots(const struct sim *s, struct sim_port *p, int from, int to, int64_t when)
{
	const struct port_state *st = sim_state(s, p);

	for (int k = from; k < to; k++) {
		double x = when < slot_since(s, st, k) ? st->shown[k] : slot_value(s, st, k, when);
		/* Rounding of 1e6 * 1e-6 must not show as one less. */
		uint64_t v = x > 0 ? (uint64_t)(x + 1e-6) : 0;

		memcpy((char *)p + slot_offset[k], &v, sizeof(v));
	}
}

static void wrap_counters(struct sim_port *p, unsigned bits)
{
	struct sim_queue *q = &p->q[SIM_PRIO_ROCE];
	uint64_t mask = (UINT64_C(1) << bits) - 1;

	q->pfc_rx_frames &= mask;
	q->pfc_tx_frames &= mask;
}

void sim_publish(const struct sim *s, struct sim_device *d, bool live)
{
	int64_t when[REFRESHES];

	for (unsigned k = 0; k < REFRESHES; k++)
		when[k] = live ? s->now : last_tick(s, d, (enum refresh)k, s->now);
	for (unsigned i = 0; i < d->nports; i++) {
		struct sim_port *p = &d->ports[i];

		publish_slots(s, p, 0, SLOT_QUEUES, when[REFRESH_PORTS]);
		publish_slots(s, p, SLOT_QUEUES, SLOT_NICS, when[REFRESH_QUEUES]);
		publish_slots(s, p, SLOT_NICS, SLOT_COUNT, when[REFRESH_PORTS]);
		if (d->platform->wrap_bits < 64 && !live)
			wrap_counters(p, d->platform->wrap_bits);
		p->counters_us = when[REFRESH_PORTS];
		p->queues_us = when[REFRESH_QUEUES];
		p->watermarks_us = when[REFRESH_WATERMARKS];
		sim_gauges(s, p);
	}
}
