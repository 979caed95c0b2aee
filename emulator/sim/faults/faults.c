/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/sim/faults/faults.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "emulator/sim/faults/fault_effects.h"

/*
 * When faults begin and end. Several faults may turn the same knob: a knob returns to rest only
 * when the last of them ends.
 */

static int64_t end_of(const struct fault *f)
{
	return f->k.duration == SIM_NEVER ? SIM_NEVER : f->at + f->k.duration;
}

static void remember_victims(const struct sim *s, struct fault *f)
{
	json_decref(f->victims);
	f->victims = truth_victims(s, f);
}

void fault_turn(struct sim *s, struct fault *f, bool on)
{
	if (f->on == on)
		return;
	if (!on)
		remember_victims(s, f);
	f->on = on;
	f->transitions++;
	f->class->apply(s, f, on);
	s->fault_generation++;
}

void fault_end(struct sim *s, struct fault *f)
{
	fault_turn(s, f, false);
	f->next = SIM_NEVER;
	f->ended = s->now;
	s->fault_generation++;
}

static void begin_fault(struct sim *s, struct fault *f)
{
	f->began = s->now;
	fault_turn(s, f, true);
}

/* On at at=, off after for=. */
static void step_hold(struct sim *s, struct fault *f)
{
	if (f->phase++ == 0) {
		begin_fault(s, f);
		f->next = end_of(f);
	} else {
		fault_end(s, f);
	}
}

static void step_once(struct sim *s, struct fault *f)
{
	begin_fault(s, f);
	fault_end(s, f);
}

/*
 * On for down=, off for the rest of period=, then again; off when the fault ends. Without period=
 * it stays on.
 */
static void step_toggle(struct sim *s, struct fault *f)
{
	bool on = f->phase % 2 == 0;
	int64_t begun = f->at + (int64_t)(f->phase / 2) * f->k.period;
	int64_t stop = end_of(f);

	if (!f->k.period) {
		step_hold(s, f);
		return;
	}
	if (f->next >= stop) {
		fault_end(s, f);
		return;
	}
	if (f->phase == 0)
		f->began = s->now;
	fault_turn(s, f, on);
	f->next = on ? begun + f->k.down : begun + f->k.period;
	if (f->next > stop)
		f->next = stop;
	f->phase++;
}

#define RAMP_STEPS 12

/* Starts at a twelfth of the full effect and reaches all of it after ramp=. */
static void step_ramp(struct sim *s, struct fault *f)
{
	int64_t stop = end_of(f);

	if (f->next >= stop) {
		fault_end(s, f);
		return;
	}
	f->phase++;
	if (f->phase == 1)
		begin_fault(s, f);
	else
		f->class->apply(s, f, true);
	s->fault_generation++;
	f->next = f->phase < RAMP_STEPS ? f->at + f->k.ramp * (int64_t)f->phase / RAMP_STEPS : stop;
	if (f->next > stop)
		f->next = stop;
}

double fault_ramp(const struct fault *f)
{
	return fmin((double)f->phase / RAMP_STEPS, 1);
}

static void step_reboot(struct sim *s, struct fault *f)
{
	if (f->phase++ == 0) {
		begin_fault(s, f);
		f->next = s->now + f->k.down;
	} else {
		fault_end(s, f);
	}
}

#define FAULT(name, tax, entity, keys, step, apply, help, see)                                     \
	{name, tax, entity, false, keys, step, apply, help, see},
#define STRESS(name, tax, entity, keys, step, apply, help, see)                                    \
	{name, tax, entity, true, keys, step, apply, help, see},
static const struct fault_class classes[] = {
#include "emulator/sim/faults/faults.def"
};
#undef FAULT
#undef STRESS

const struct fault_class *fault_class(size_t i)
{
	return i < sizeof(classes) / sizeof(classes[0]) ? &classes[i] : NULL;
}

/* ---- knobs that several faults share ---- */

bool fault_touches(const struct fault *f, const struct sim_port *p)
{
	for (size_t i = 0; i < f->ports.n; i++)
		if (f->ports.at[i] == p)
			return true;
	return false;
}

bool fault_touches_device(const struct fault *f, const struct sim_device *d)
{
	for (size_t i = 0; i < f->devices.n; i++)
		if (f->devices.at[i] == d)
			return true;
	return false;
}

static void settle_port(struct sim *s, const struct sim_port *p)
{
	struct knobs *k = &sim_state(s, p)->k;

	k->drain = k->send = 1;
	k->loss = k->ber = k->rx_loss_db = k->lane_loss_db = k->heat_c = 0;
	for (size_t i = 0; i < s->faults.n; i++) {
		const struct fault *f = &s->faults.at[i];

		if (!f->on || !fault_touches(f, p))
			continue;
		k->drain = fmin(k->drain, f->part.drain);
		k->send = fmin(k->send, f->part.send);
		k->loss = fmax(k->loss, f->part.loss);
		k->ber += f->part.ber;
		k->rx_loss_db += f->part.rx_loss_db;
		k->lane_loss_db += f->part.lane_loss_db;
		k->heat_c += f->part.heat_c;
	}
}

static void settle_device(struct sim *s, struct sim_device *d)
{
	d->hung = d->refuses_key = d->wrong_key = d->wrong_cert = false;
	d->garbage = d->commands_fail = d->must_change_password = false;
	d->flood_bytes = 0;
	d->nvlinks_down = 0;
	d->nvlink_errors_us = 0;
	d->answer_delay_us = sim_device_knobs(s, d)->late_us = 0;
	for (size_t i = 0; i < s->faults.n; i++) {
		const struct fault *f = &s->faults.at[i];
		const struct fault_part *part = &f->part;

		if (!f->on || !fault_touches_device(f, d))
			continue;
		d->hung |= part->hung;
		d->refuses_key |= part->refuses_key;
		d->wrong_key |= part->wrong_key;
		d->wrong_cert |= part->wrong_cert;
		d->garbage |= part->garbage;
		d->commands_fail |= part->commands_fail;
		d->must_change_password |= part->password_expired;
		if (part->nvlinks_down > d->nvlinks_down)
			d->nvlinks_down = part->nvlinks_down;
		if (part->nvlink_errors_us > d->nvlink_errors_us)
			d->nvlink_errors_us = part->nvlink_errors_us;
		if (part->flood_bytes > d->flood_bytes)
			d->flood_bytes = part->flood_bytes;
		if (part->answer_delay_us > d->answer_delay_us)
			d->answer_delay_us = part->answer_delay_us;
		if (part->late_us > sim_device_knobs(s, d)->late_us)
			sim_device_knobs(s, d)->late_us = part->late_us;
	}
}

void fault_settle(struct sim *s, const struct fault *f)
{
	for (size_t i = 0; i < f->ports.n; i++)
		settle_port(s, f->ports.at[i]);
	for (size_t i = 0; i < f->devices.n; i++)
		settle_device(s, f->devices.at[i]);
}

void fault_count(struct sim *s, const struct sim_port *p, size_t knob, bool on)
{
	unsigned *n = (void *)((char *)&sim_state(s, p)->k + knob);

	*n += on ? 1U : -1U;
}

void fault_count_all(struct sim *s, const struct fault *f, size_t knob, bool on)
{
	for (size_t i = 0; i < f->ports.n; i++)
		fault_count(s, f->ports.at[i], knob, on);
}

void fault_hold(struct sim *s, struct sim_port *p, enum config_hold what, bool on)
{
	static const size_t member[HOLDS] = {
		[HOLD_WATCHDOG] = offsetof(struct sim_port_config, wd_mask),
		[HOLD_ECN] = offsetof(struct sim_port_config, ecn),
		[HOLD_PFC] = offsetof(struct sim_port_config, pfc_mask),
		[HOLD_NP] = offsetof(struct sim_port_config, np),
		[HOLD_RP] = offsetof(struct sim_port_config, rp),
		[HOLD_WEIGHTED] = offsetof(struct sim_port_config, weighted),
	};
	struct held_config *h = &sim_state(s, p)->held_config[what];
	uint8_t *value = (uint8_t *)&p->config + member[what];

	if (on) {
		if (h->n++ == 0)
			h->was = *value;
		*value = 0;
	} else if (--h->n == 0 && *value == 0) {
		*value = h->was;
	}
}

/* ---- the clock ---- */

int64_t sim_faults_next(const struct sim *s)
{
	int64_t next = SIM_NEVER;

	for (size_t i = 0; i < s->faults.n; i++)
		if (s->faults.at[i].next < next)
			next = s->faults.at[i].next;
	for (size_t i = 0; i < s->heals.n; i++)
		if (!s->heals.at[i].done && s->heals.at[i].at < next)
			next = s->heals.at[i].at;
	return next;
}

void sim_faults_step(struct sim *s)
{
	fault_step_heals(s);
	for (size_t i = 0; i < s->faults.n; i++) {
		struct fault *f = &s->faults.at[i];

		while (f->next <= s->now)
			f->class->step(s, f);
	}
}

uint64_t sim_fault_generation(const struct sim *s)
{
	return s->fault_generation;
}

void sim_faults_free(struct sim *s)
{
	for (size_t i = 0; i < s->faults.n; i++) {
		struct fault *f = &s->faults.at[i];

		free(f->spec);
		vec_free(&f->ports);
		vec_free(&f->devices);
		vec_free(&f->flows);
		json_decref(f->victims);
	}
	vec_free(&s->faults);
	vec_free(&s->heals);
}
