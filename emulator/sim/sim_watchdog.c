/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "emulator/sim/faults/faults.h"

/*
 * The PFC watchdog: an egress queue that is held without a packet leaving for the detection time is
 * thrown away (or sent in spite of the pause, or only reported) until pause has been absent for the
 * restoration time. Queues upstream that are held because of it still trickle, and so are not taken
 * for storms themselves.
 */

static bool watches(const struct sim *s, const struct sim_port *p)
{
	return p->config.wd_mask >> SIM_PRIO_ROCE & 1 && !sim_state(s, p)->k.no_watchdog;
}

static bool held(const struct sim *s, const struct sim_port *p)
{
	return p->up && p->peer && (sim_state(s, p->peer)->k.storms || sim_state(s, p)->k.held);
}

/* A queue with nothing in it cannot be seen to stand still. */
static bool stands(const struct sim *s, const struct sim_port *p)
{
	return held(s, p) && sim_state(s, p)->queue > 0;
}

static void act(struct sim *s, struct sim_port *p, bool on)
{
	struct port_state *st = sim_state(s, p);

	st->wd_acts = on;
	st->wd_since = st->wd_clear = SIM_NEVER;
	s->touched = true;
	sim_bump(s, p, on ? S_Q3_WD_DETECTED : S_Q3_WD_RESTORED, 1);
	sim_log_add(s, sim_device_of(s, p), p, on ? SIM_LOG_STORM_DETECTED : SIM_LOG_STORM_RESTORED,
		SIM_PRIO_ROCE, "");
}

static int64_t detect_at(const struct sim *s, const struct sim_port *p)
{
	return sim_state(s, p)->wd_since + (int64_t)p->config.wd_detect_ms * CLOCK_MSEC;
}

static int64_t restore_at(const struct sim *s, const struct sim_port *p)
{
	return sim_state(s, p)->wd_clear + (int64_t)p->config.wd_restore_ms * CLOCK_MSEC;
}

/* It acts for no reason that can be seen at the port. */
static bool errs(const struct port_state *st)
{
	return st->k.misfire || st->k.stuck;
}

void sim_watchdog_forget(struct sim *s, struct sim_port *p)
{
	struct port_state *st = sim_state(s, p);

	fault_unstick(s, p);
	if (st->wd_acts && !errs(st))
		act(s, p, false);
	st->wd_since = st->wd_clear = SIM_NEVER;
}

static void step(struct sim *s, struct sim_port *p)
{
	struct port_state *st = sim_state(s, p);

	/* Whoever switches it off forgets the storm with it. */
	if (!watches(s, p)) {
		if (st->wd_acts)
			act(s, p, false);
		st->wd_since = st->wd_clear = SIM_NEVER;
		return;
	}
	if (st->wd_acts) {
		if (held(s, p) || errs(st))
			st->wd_clear = SIM_NEVER;
		else if (st->wd_clear == SIM_NEVER)
			st->wd_clear = s->now;
		if (st->wd_clear != SIM_NEVER && restore_at(s, p) <= s->now)
			act(s, p, false);
		return;
	}
	if (errs(st)) {
		act(s, p, true);
		return;
	}
	if (!stands(s, p))
		st->wd_since = SIM_NEVER;
	else if (st->wd_since == SIM_NEVER)
		st->wd_since = s->now;
	if (st->wd_since != SIM_NEVER && detect_at(s, p) <= s->now)
		act(s, p, true);
}

static int64_t due(const struct sim *s, const struct sim_port *p)
{
	const struct port_state *st = sim_state(s, p);

	if (st->wd_acts)
		return st->wd_clear == SIM_NEVER ? SIM_NEVER : restore_at(s, p);
	return st->wd_since == SIM_NEVER ? SIM_NEVER : detect_at(s, p);
}

void sim_watchdog_step(struct sim *s)
{
	s->watchdog_next = SIM_NEVER;
	if (!s->watching)
		return;
	for (size_t i = 0; i < s->nports; i++) {
		struct sim_port *p = &s->port[i];
		int64_t t;

		if (p->tier == TIER_HOST)
			continue;
		step(s, p);
		t = due(s, p);
		if (t < s->watchdog_next)
			s->watchdog_next = t;
	}
}

int64_t sim_watchdog_next(const struct sim *s)
{
	return s->watchdog_next;
}
