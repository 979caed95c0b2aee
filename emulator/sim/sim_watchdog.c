/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "emulator/sim/faults/faults.h"

/*
 * The PFC watchdog. It acts on an egress queue that is paused without a packet leaving for the
 * detection time. It drops the queue, sends in spite of the pause, or only reports. It ends when
 * pause has been absent for the restoration time. Queues upstream that are paused because of it
 * still trickle, so they are not taken for storms themselves.
 */

static bool is_guarded(const struct sim *s, const struct sim_port *p)
{
	return p->config.wd_mask >> SIM_PRIO_ROCE & 1 && !sim_state(s, p)->k.no_watchdog;
}

static bool is_paused(const struct sim *s, const struct sim_port *p)
{
	return p->up && p->peer && (sim_state(s, p->peer)->k.storms || sim_state(s, p)->k.held);
}

/* The watchdog cannot see that an empty queue stands still. */
static bool stands_still(const struct sim *s, const struct sim_port *p)
{
	return is_paused(s, p) && sim_state(s, p)->queue > 0;
}

static void set_acting(struct sim *s, struct sim_port *p, bool on)
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

/* A fault makes it act without a cause at the port. */
static bool acts_wrongly(const struct port_state *st)
{
	return st->k.misfire || st->k.stuck;
}

void sim_watchdog_forget(struct sim *s, struct sim_port *p)
{
	struct port_state *st = sim_state(s, p);

	fault_unstick(s, p);
	if (st->wd_acts && !acts_wrongly(st))
		set_acting(s, p, false);
	st->wd_since = st->wd_clear = SIM_NEVER;
}

static void step_port(struct sim *s, struct sim_port *p)
{
	struct port_state *st = sim_state(s, p);

	/* Switching the watchdog off resets its storm state. */
	if (!is_guarded(s, p)) {
		if (st->wd_acts)
			set_acting(s, p, false);
		st->wd_since = st->wd_clear = SIM_NEVER;
		return;
	}
	if (st->wd_acts) {
		if (is_paused(s, p) || acts_wrongly(st))
			st->wd_clear = SIM_NEVER;
		else if (st->wd_clear == SIM_NEVER)
			st->wd_clear = s->now;
		if (st->wd_clear != SIM_NEVER && restore_at(s, p) <= s->now)
			set_acting(s, p, false);
		return;
	}
	if (acts_wrongly(st)) {
		set_acting(s, p, true);
		return;
	}
	if (!stands_still(s, p))
		st->wd_since = SIM_NEVER;
	else if (st->wd_since == SIM_NEVER)
		st->wd_since = s->now;
	if (st->wd_since != SIM_NEVER && detect_at(s, p) <= s->now)
		set_acting(s, p, true);
}

static int64_t next_due(const struct sim *s, const struct sim_port *p)
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
		step_port(s, p);
		t = next_due(s, p);
		if (t < s->watchdog_next)
			s->watchdog_next = t;
	}
}

int64_t sim_watchdog_next(const struct sim *s)
{
	return s->watchdog_next;
}
