/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/sim/sim_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#define LEVEL_US     (20 * CLOCK_SEC) /* how long one level of offered load lasts */
#define LEVEL_SPREAD 0.15

static const size_t slot_offset[SLOT_COUNT] = {
#define SLOT_OFFSET(slot, member) [S_##slot] = offsetof(struct sim_port, member),
	SIM_SLOTS(SLOT_OFFSET)
#undef SLOT_OFFSET
};

uint64_t sim_hash(uint64_t a, uint64_t b)
{
	/* SplitMix64 (Steele, Lea, Flood 2014), public domain constants. */
	uint64_t z = a * UINT64_C(0x9e3779b97f4a7c15) + b + UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

double sim_unit(uint64_t hash)
{
	return (double)(hash >> 11) * 0x1p-53;
}

static int64_t to_clock(const struct sim *s, int64_t wall)
{
	if (s->o.speed == 1.0)
		return wall;
	return s->o.start_us + (int64_t)((double)(wall - s->o.start_us) * s->o.speed);
}

static int64_t to_wall(const struct sim *s, int64_t clock)
{
	if (clock == SIM_NEVER || s->o.speed == 1.0)
		return clock;
	return s->o.start_us + (int64_t)ceil((double)(clock - s->o.start_us) / s->o.speed);
}

static void new_level(struct sim *s)
{
	uint64_t k = (uint64_t)((s->next_level - s->o.start_us) / LEVEL_US);

	s->level = 1.0 + LEVEL_SPREAD * (2 * sim_unit(sim_hash(s->o.seed ^ 0x4c56, k)) - 1);
	s->next_level += LEVEL_US;
}

struct sim *sim_new(const struct sim_opts *o)
{
	struct sim *s = mem_calloc(1, sizeof(*s));

	s->o = *o;
	if (!(s->o.speed > 0))
		s->o.speed = 1;
	s->now = s->since = s->o.start_us;
	s->level = 1;
	s->next_level = o->steady ? SIM_NEVER : s->o.start_us;
	sim_build(s);
	sim_flows_build(s);
	s->rewired = true;
	if (!o->steady)
		new_level(s);
	sim_rates(s);
	sim_advance(s, s->o.start_us);
	return s;
}

void sim_free(struct sim *s)
{
	if (!s)
		return;
	sim_faults_free(s);
	free(s->flow);
	free(s->state);
	free(s->knobs);
	for (size_t i = 0; i < s->ndevices; i++)
		free(s->device[i].log);
	free(s->port);
	free(s->device);
	topology_free(s->own_topology);
	free(s);
}

void sim_bump(struct sim *s, const struct sim_port *p, enum slot slot, double n)
{
	sim_state(s, p)->base[slot] += n;
}

/* A clear on the device: totals start again, the rates go on. */
void sim_zero(struct sim *s, const struct sim_port *p)
{
	struct port_state *st = sim_state(s, p);
	double dt = (double)(s->now - s->since) / 1e6;

	for (int k = 0; k < SLOT_COUNT; k++)
		st->base[k] = -st->rate[k] * dt;
}

/* Turns the elapsed part of every line into its base. */
static void rebase(struct sim *s, int64_t t)
{
	double dt = (double)(t - s->since) / 1e6;

	for (size_t i = 0; i < s->nports; i++)
		for (int k = 0; k < SLOT_COUNT; k++)
			s->state[i].base[k] += s->state[i].rate[k] * dt;
	s->since = t;
}

void sim_changed(struct sim *s)
{
	rebase(s, s->now);
	s->rewired = true;
	sim_rates(s);
}

static void publish(const struct sim *s, struct sim_port *p)
{
	const struct port_state *st = sim_state(s, p);
	double dt = (double)(s->now - s->since) / 1e6;

	for (int k = 0; k < SLOT_COUNT; k++) {
		/* What rounding takes away from 1e6 times 1e-6 must not show as one less. */
		uint64_t v = (uint64_t)(st->base[k] + st->rate[k] * dt + 1e-6);

		memcpy((char *)p + slot_offset[k], &v, sizeof(v));
	}
	sim_gauges(s, p);
}

static int64_t next_change(const struct sim *s)
{
	int64_t next = sim_faults_next(s);

	return s->next_level < next ? s->next_level : next;
}

static void run_until(struct sim *s, int64_t target)
{
	int64_t t;

	while ((t = next_change(s)) <= target) {
		if (t > s->now)
			s->now = t;
		rebase(s, s->now);
		while (s->next_level <= s->now)
			new_level(s);
		sim_faults_step(s);
		sim_rates(s);
	}
	if (target > s->now)
		s->now = target;
}

void sim_advance(struct sim *s, int64_t now_us)
{
	run_until(s, to_clock(s, now_us));
	for (size_t i = 0; i < s->nports; i++)
		publish(s, &s->port[i]);
}

void sim_advance_device(struct sim *s, struct sim_device *d, int64_t now_us)
{
	run_until(s, to_clock(s, now_us));
	for (unsigned i = 0; i < d->nports; i++)
		publish(s, &d->ports[i]);
}

int64_t sim_now(const struct sim *s)
{
	return s->now;
}

int64_t sim_next_change(const struct sim *s)
{
	return to_wall(s, next_change(s));
}

uint64_t sim_generation(const struct sim *s)
{
	return s->generation;
}

const struct sizing *sim_sizing(const struct sim *s)
{
	return s->o.sizing;
}

const struct topology *sim_topology(const struct sim *s)
{
	return s->topology;
}

size_t sim_device_count(const struct sim *s)
{
	return s->ndevices;
}

struct sim_device *sim_device(struct sim *s, size_t i)
{
	return i < s->ndevices ? &s->device[i] : NULL;
}

struct sim_device *sim_device_by_name(struct sim *s, const char *name)
{
	for (size_t i = 0; i < s->ndevices; i++)
		if (strcmp(s->device[i].name, name) == 0)
			return &s->device[i];
	return NULL;
}

struct sim_device *sim_tier_device(const struct sim *s, enum tier t, unsigned index)
{
	return &s->device[s->first[t] + index];
}

struct sim_device *sim_device_of(const struct sim *s, const struct sim_port *p)
{
	return sim_tier_device(s, p->tier, p->device);
}

void sim_port_name(const struct sim *s, const struct sim_port *p, char *dst, size_t size)
{
	(void)s;
	(void)str_copy(dst, size, p->name);
}

struct sim_port *sim_port_by_name(const struct sim *s, const struct sim_device *d, const char *name)
{
	char text[NAME_MAX_LEN];

	for (unsigned i = 0; i < d->nports; i++) {
		sim_port_name(s, &d->ports[i], text, sizeof(text));
		if (strcmp(text, name) == 0)
			return &d->ports[i];
		(void)str_printf(text, sizeof(text), "mlx5_%u", i);
		if (d->tier == TIER_HOST && strcmp(text, name) == 0)
			return &d->ports[i];
	}
	return NULL;
}
