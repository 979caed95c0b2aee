/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/sim/faults/fault_effects.h"

/* Faults that pause queues, and faults of the mechanisms that keep queues short. */

void apply_slow_receiver(struct sim *s, struct fault *f, bool on)
{
	f->part.drain = on ? f->k.rate : 1;
	fault_settle(s, f);
}

void apply_pcie(struct sim *s, struct fault *f, bool on)
{
	f->part.drain = f->part.send = on ? f->k.rate : 1;
	fault_count_all(s, f, offsetof(struct knobs, pcie_narrow), on);
	fault_settle(s, f);
}

static void disable_watchdog(struct sim *s, const struct fault *f, struct sim_port *p, bool on)
{
	if (f->k.silent)
		fault_count(s, p, offsetof(struct knobs, no_watchdog), on);
	else
		fault_hold(s, p, HOLD_WATCHDOG, on);
}

void apply_storm(struct sim *s, struct fault *f, bool on)
{
	fault_count_all(s, f, offsetof(struct knobs, storms), on);
	if (on && !f->k.watchdog)
		f->guard = f->port->peer;
	if (f->guard)
		disable_watchdog(s, f, f->guard, on);
	if (!on)
		f->guard = NULL;
}

void apply_no_watchdog(struct sim *s, struct fault *f, bool on)
{
	for (size_t i = 0; i < f->ports.n; i++)
		disable_watchdog(s, f, f->ports.at[i], on);
}

void apply_misfire(struct sim *s, struct fault *f, bool on)
{
	fault_count_all(s, f, offsetof(struct knobs, misfire), on);
}

void apply_stuck(struct sim *s, struct fault *f, bool on)
{
	fault_count_all(s, f, offsetof(struct knobs, stuck), on);
}

void fault_unstick(struct sim *s, const struct sim_port *p)
{
	for (size_t i = 0; i < s->faults.n; i++) {
		struct fault *f = &s->faults.at[i];

		if (f->on && f->class->apply == apply_stuck && fault_touches(f, p))
			fault_end(s, f);
	}
}

void apply_deadlock(struct sim *s, struct fault *f, bool on)
{
	fault_count_all(s, f, offsetof(struct knobs, held), on);
	for (size_t i = 0; i < f->ports.n && !f->k.watchdog; i++)
		fault_hold(s, f->ports.at[i], HOLD_WATCHDOG, on);
}

/* Switches the configuration off or, with silent=yes, only the hardware behind it. */
static void switch_off(
	struct sim *s, const struct fault *f, enum config_hold what, size_t knob, bool on)
{
	if (f->k.silent) {
		fault_count_all(s, f, knob, on);
		return;
	}
	for (size_t i = 0; i < f->ports.n; i++)
		fault_hold(s, f->ports.at[i], what, on);
}

/* A host port of the switch, as destination of an incast; NULL: the switch has none. */
static struct sim_port *nic_behind(const struct fault *f)
{
	for (size_t i = 0; i < f->ports.n; i++) {
		struct sim_port *far = f->ports.at[i]->peer;

		if (far && far->tier == TIER_HOST && far->net == NET_BACKEND)
			return far;
	}
	return NULL;
}

void apply_ecn_off(struct sim *s, struct fault *f, bool on)
{
	switch_off(s, f, HOLD_ECN, offsetof(struct knobs, no_ecn), on);
	fault_press(s, f, nic_behind(f), on);
}

void apply_cc_off(struct sim *s, struct fault *f, bool on)
{
	switch_off(s, f, HOLD_RP, offsetof(struct knobs, no_rp), on);
	fault_press(s, f, NULL, on);
}

void apply_cnp_off(struct sim *s, struct fault *f, bool on)
{
	switch_off(s, f, HOLD_NP, offsetof(struct knobs, no_np), on);
	fault_press(s, f, f->ports.n ? f->ports.at[0] : NULL, on);
}

/* Other traffic goes first here, and there is much of it. */
void apply_starved(struct sim *s, struct fault *f, bool on)
{
	switch_off(s, f, HOLD_WEIGHTED, 0, on);
}

void apply_pfc_off(struct sim *s, struct fault *f, bool on)
{
	switch_off(s, f, HOLD_PFC, offsetof(struct knobs, no_pfc), on);
	fault_press(s, f, NULL, on);
}
