/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/sim/sim_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

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

struct sim *sim_new(const struct sim_opts *o)
{
	struct sim *s = mem_calloc(1, sizeof(*s));
	struct err err;

	s->o = *o;
	if (!(s->o.speed > 0))
		s->o.speed = 1;
	s->now = s->since = s->o.start_us;
	s->watchdog_next = SIM_NEVER;
	sim_build(s);
	for (size_t i = 0; i < s->nports; i++)
		s->state[i].wd_clear = SIM_NEVER;
	sim_bgp_build(s);
	/* The default jobs have no spec text, so this cannot fail. */
	(void)sim_jobs_build(s, NULL, &err);
	s->touched = s->rewired = true;
	sim_rates(s);
	sim_advance(s, s->o.start_us);
	return s;
}

bool sim_hosts_silent(const struct sim *s)
{
	return s->o.hosts_silent;
}

void sim_free(struct sim *s)
{
	if (!s)
		return;
	sim_faults_free(s);
	sim_bgp_free(s);
	sim_jobs_free(s);
	sim_solver_free(s);
	sim_ways_free(s);
	free(s->flow);
	free(s->state);
	free(s->knobs);
	free(s->island);
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

/* Clears counters as a command on the device does: totals restart at 0, rates go on. */
void sim_zero(struct sim *s, const struct sim_port *p)
{
	struct port_state *st = sim_state(s, p);
	double dt = (double)(s->now - s->since) / 1e6;
	double line_dt = (double)(s->now - st->line_since) / 1e6;

	for (int k = 0; k < SLOT_COUNT; k++) {
		st->base[k] = -st->rate[k] * (k < SLOT_LINE ? dt : line_dt);
		st->shown[k] = 0;
	}
}

/* Rates follow from links, sessions and watchdogs; these depend on events and on rates in turn. */
static void settle_state(struct sim *s)
{
	sim_gauges_elapse(s);
	sim_bgp_step(s);
	sim_rates(s);
	sim_watchdog_step(s);
	if (s->touched)
		sim_rates(s);
}

void sim_changed(struct sim *s)
{
	sim_rebase(s, s->now);
	s->touched = s->rewired = true;
	settle_state(s);
}

static int64_t next_change(const struct sim *s)
{
	const int64_t of[] = {
		sim_faults_next(s), sim_jobs_next(s), sim_watchdog_next(s), sim_bgp_next(s)};
	int64_t next = SIM_NEVER;

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (of[i] < next)
			next = of[i];
	return next;
}

static void run_until(struct sim *s, int64_t target)
{
	int64_t t;

	while ((t = next_change(s)) <= target) {
		if (t > s->now)
			s->now = t;
		sim_rebase(s, s->now);
		if (sim_faults_next(s) <= s->now) {
			s->touched = true;
			sim_faults_step(s);
		}
		sim_jobs_step(s);
		settle_state(s);
	}
	if (target > s->now)
		s->now = target;
}

void sim_advance(struct sim *s, int64_t now_us)
{
	run_until(s, to_clock(s, now_us));
	for (size_t i = 0; i < s->ndevices; i++)
		sim_publish(s, &s->device[i], false);
}

void sim_advance_device(struct sim *s, struct sim_device *d, int64_t now_us)
{
	run_until(s, to_clock(s, now_us));
	sim_publish(s, d, false);
}

void sim_live(struct sim *s, struct sim_device *d)
{
	sim_publish(s, d, true);
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
		sim_rdma_name(d->platform->nics, i, text);
		if (d->tier == TIER_HOST && strcmp(text, name) == 0)
			return &d->ports[i];
	}
	return NULL;
}
