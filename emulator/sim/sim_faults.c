/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/sim/sim_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

/* What each class of fault does to the fabric, and when. The table is faults.def. */

#define DETECT_US  (200 * CLOCK_MSEC) /* PFC watchdog: detection and restoration time */
#define RESTORE_US (200 * CLOCK_MSEC)

static int64_t end_of(const struct fault *f)
{
	return f->duration == SIM_NEVER ? SIM_NEVER : f->at + f->duration;
}

static void begin(struct sim *s, struct fault *f)
{
	f->began = s->now;
	f->transitions++;
	f->class->apply(s, f, true);
}

static void end(struct sim *s, struct fault *f)
{
	f->ended = s->now;
	f->transitions++;
	f->class->apply(s, f, false);
	f->next = SIM_NEVER;
}

/* On at at=, off after for=. */
static void step_hold(struct sim *s, struct fault *f)
{
	if (f->phase++ == 0) {
		begin(s, f);
		f->next = end_of(f);
	} else {
		end(s, f);
	}
}

static void step_once(struct sim *s, struct fault *f)
{
	begin(s, f);
	end(s, f);
}

/* On for down=, off for the rest of period=, and again; never left on at the end. */
static void step_toggle(struct sim *s, struct fault *f)
{
	bool on = f->phase % 2 == 0;
	int64_t begun = f->at + (int64_t)(f->phase / 2) * f->period;
	int64_t stop = end_of(f);

	if (f->next >= stop) {
		if (!on)
			f->class->apply(s, f, false);
		f->ended = s->now;
		f->next = SIM_NEVER;
		return;
	}
	if (f->phase == 0)
		f->began = s->now;
	f->class->apply(s, f, on);
	f->transitions++;
	f->next = on ? begun + f->down : begun + f->period;
	if (f->next > stop)
		f->next = stop;
	f->phase++;
}

static void watchdog(struct sim *s, struct fault *f, bool stormed)
{
	const struct sim_port *leaf = f->port->peer;

	if (sim_state(s, leaf)->wd_acts == stormed)
		return;
	sim_state(s, leaf)->wd_acts = stormed;
	sim_bump(s, leaf, stormed ? S_Q3_WD_DETECTED : S_Q3_WD_RESTORED, 1);
}

static void step_storm(struct sim *s, struct fault *f)
{
	int64_t stop = end_of(f);

	switch (f->phase++) {
	case 0:
		begin(s, f);
		f->next = f->duration > DETECT_US ? s->now + DETECT_US : stop;
		/* Too short for the watchdog to see: nothing to detect. */
		if (f->duration <= DETECT_US)
			f->phase = 2;
		break;
	case 1:
		watchdog(s, f, true);
		f->next = stop;
		break;
	case 2:
		end(s, f);
		if (sim_state(s, f->port->peer)->wd_acts)
			f->next = s->now + RESTORE_US;
		break;
	default:
		watchdog(s, f, false);
		f->next = SIM_NEVER;
		break;
	}
}

static void step_reboot(struct sim *s, struct fault *f)
{
	if (f->phase++ == 0) {
		begin(s, f);
		f->next = s->now + f->down;
	} else {
		end(s, f);
	}
}

static void apply_link(struct sim *s, struct fault *f, bool on)
{
	sim_state(s, f->port)->k.down += on ? 1U : -1U;
}

static void apply_half(struct sim *s, struct fault *f, bool on)
{
	sim_state(s, f->port)->k.slow += on ? 1U : -1U;
}

static void apply_storm(struct sim *s, struct fault *f, bool on)
{
	sim_state(s, f->port)->k.storms += on ? 1U : -1U;
}

static void apply_miswire(struct sim *s, struct fault *f, bool on)
{
	struct sim_port *a = f->port, *b = f->with, *far = a->peer;

	struct sim_port *const ends[] = {a, b, far, b->peer};

	(void)on; /* swapping twice puts them back */
	/* A cable that is pulled takes its link down; one that was wrong from the start did not. */
	for (size_t i = 0; i < 4 && s->now > s->o.start_us; i++) {
		ends[i]->up = false;
		ends[i]->carrier_down++;
	}
	a->peer = b->peer;
	b->peer = far;
	a->peer->peer = a;
	b->peer->peer = b;
	s->rewired = true;
}

static void zero_device(struct sim *s, struct sim_device *d)
{
	for (unsigned i = 0; i < d->nports; i++) {
		sim_zero(s, &d->ports[i]);
		d->ports[i].carrier_up = d->ports[i].carrier_down = 0;
	}
}

static void apply_clear(struct sim *s, struct fault *f, bool on)
{
	if (on)
		zero_device(s, f->device);
}

static void apply_reboot(struct sim *s, struct fault *f, bool on)
{
	struct sim_device *d = f->device;

	d->unreachable += on ? 1U : -1U;
	for (unsigned i = 0; i < d->nports; i++)
		sim_state(s, &d->ports[i])->k.down += on ? 1U : -1U;
	if (on)
		return;
	zero_device(s, d);
	sim_boot(s, d, s->now, (unsigned)(s->generation & 0xffff) + 1);
}

static void apply_hang(struct sim *s, struct fault *f, bool on)
{
	(void)s;
	f->device->hung = on;
}

static void apply_unreachable(struct sim *s, struct fault *f, bool on)
{
	(void)s;
	f->device->unreachable += on ? 1U : -1U;
}

static void apply_refuse(struct sim *s, struct fault *f, bool on)
{
	(void)s;
	f->device->refuses_key = on;
}

static void apply_wrong_key(struct sim *s, struct fault *f, bool on)
{
	(void)s;
	f->device->wrong_key = on;
}

static void apply_wrong_cert(struct sim *s, struct fault *f, bool on)
{
	(void)s;
	f->device->wrong_cert = on;
}

static void apply_flood(struct sim *s, struct fault *f, bool on)
{
	(void)s;
	f->device->flood_bytes = on ? f->size : 0;
}

static void apply_garbage(struct sim *s, struct fault *f, bool on)
{
	(void)s;
	f->device->garbage = on;
}

static void apply_slow(struct sim *s, struct fault *f, bool on)
{
	(void)s;
	f->device->answer_delay_us = on ? f->delay : 0;
}

#define FAULT(name, entity, keys, step, apply, help) {name, entity, keys, step, apply, help},
static const struct fault_class classes[] = {
#include "emulator/sim/faults.def"
};
#undef FAULT

const struct fault_class *sim_fault_class(size_t i)
{
	return i < sizeof(classes) / sizeof(classes[0]) ? &classes[i] : NULL;
}

int64_t sim_faults_next(const struct sim *s)
{
	int64_t next = SIM_NEVER;

	for (size_t i = 0; i < s->faults.n; i++)
		if (s->faults.at[i].next < next)
			next = s->faults.at[i].next;
	return next;
}

void sim_faults_step(struct sim *s)
{
	for (size_t i = 0; i < s->faults.n; i++) {
		struct fault *f = &s->faults.at[i];

		while (f->next <= s->now)
			f->class->step(s, f);
	}
}

void sim_faults_free(struct sim *s)
{
	for (size_t i = 0; i < s->faults.n; i++)
		free(s->faults.at[i].spec);
	vec_free(&s->faults);
}
