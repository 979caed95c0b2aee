/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "fabric/vocabulary/observation.h"
#include "tests/bench/diagnosis/diagnosis.h"
#include "tests/support/plan_make.h"

/*
 * A fabric of equal pods without a sim behind it, for the cost of judging a poll, not for accuracy.
 * Every leaf has 32 hosts and 32 uplinks, every spine a port of each leaf of its pod.
 */
#define HOSTS  32
#define LEAVES 32 /* of a pod */
#define SPINES 32
#define POLLS  8
/* The 4,000-GPU size, 24,384 ports, and the interval of its devices. */
#define CONSOLE_PODS 6
#define SECONDS      5

struct synthetic {
	struct plan plan;
	struct bed bed;
	uint64_t poll;
	bool stormy;
};

static void plan_pod(struct plan *p, unsigned pod)
{
	unsigned first = (unsigned)p->devices.n;
	char name[32], a[32], b[32];

	for (unsigned i = 0; i < SPINES; i++) {
		(void)str_printf(name, sizeof(name), "spine-%u-%u", pod, i);
		(void)plan_make_device(p, name, TIER_SPINE, -1);
	}
	for (unsigned i = 0; i < LEAVES; i++) {
		unsigned leaf = (unsigned)p->devices.n;

		(void)str_printf(name, sizeof(name), "leaf-%u-%u", pod, i);
		(void)plan_make_device(p, name, TIER_LEAF, (int)(i % 8));
		for (unsigned k = 0; k < SPINES; k++) {
			(void)str_printf(a, sizeof(a), "up%u", k);
			(void)str_printf(b, sizeof(b), "down%u", i);
			plan_make_link(p, leaf, a, first + k, b, -1);
		}
		for (unsigned k = 0; k < HOSTS; k++) {
			unsigned host = (unsigned)p->devices.n;

			(void)str_printf(name, sizeof(name), "node-%u-%u-%u", pod, i, k);
			(void)plan_make_device(p, name, TIER_HOST, -1);
			(void)str_printf(b, sizeof(b), "host%u", k);
			plan_make_link(p, host, "mlx5_0", leaf, b, (int)(i % 8));
		}
	}
}

/* One host of the first leaf storms: its leaf is held, and all spines of its pod by the leaf. */
static double held_share(const struct synthetic *s, const struct model *m, const struct port *p)
{
	const struct device *d = model_dev_of(m, p);

	if (!s->stormy)
		return 0;
	if (str_eq(d->name, "leaf-0-0") && str_eq(p->name, "host0"))
		return 1;
	if (d->tier == TIER_SPINE && str_starts(d->name, "spine-0-") && str_eq(p->name, "down0"))
		return 0.8;
	return d->tier == TIER_LEAF && str_starts(d->name, "leaf-0-") ? 0.3 : 0;
}

static void say_port(const struct synthetic *s, struct obs *o, const struct port *p)
{
	uint32_t i = obs_port(o, p->name);
	double held = held_share(s, s->bed.m, p);
	uint64_t n = s->poll;
	uint64_t bytes = (uint64_t)(50e9 / 2 * (1 - held)); /* half of 400G over 1 s */

	obs_word(o, i, ATTR_OPER, 0, "up");
	obs_number(o, i, ATTR_SPEED_MBPS, 0, 400000);
	obs_count(o, i, CTR_RX_BYTES, 0, n * 5 * bytes + 1);
	obs_count(o, i, CTR_TX_BYTES, 0, n * 5 * bytes + 1);
	obs_count(o, i, CTR_PFC_RX_DURATION_US, 3, (uint64_t)((double)n * 5e6 * held));
	obs_count(o, i, CTR_PFC_TX_DURATION_US, 3, 0);
	obs_count(o, i, CTR_QUEUE_TX_BYTES, 3, n * 5 * bytes);
	obs_count(o, i, CTR_ECN_MARKED_PACKETS, 3, n * 100);
	obs_count(o, i, CTR_QUEUE_WATERMARK_BYTES, 3, held > 0 ? 3000000 + n : 1000);
	obs_count(o, i, CTR_PG_DROPS, 3, 0);
}

/* Each parts-th device, from the part-th on. */
static void say_some(struct synthetic *s, int64_t now, uint32_t part, uint32_t parts)
{
	struct model *m = s->bed.m;

	for (uint32_t d = part; d < m->devices.n; d += parts) {
		struct obs *o = obs_new(m->devices.at[d]->name, "fast");

		o->received_us = o->device_us = now;
		for (size_t i = 0; i < m->devices.at[d]->ports.n; i++)
			say_port(s, o, m->ports.at[m->devices.at[d]->ports.at[i]]);
		model_apply(m, o, now);
		obs_free(o);
		s->bed.touched[d] = true;
	}
}

static int ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void tell(const struct bench *b, const struct synthetic *s, const char *what, int64_t *cost,
	size_t n, double target_ms)
{
	char name[96];

	qsort(cost, n, sizeof(*cost), ascending);
	(void)str_printf(name, sizeof(name), "%zu ports, %s: %s, median", s->bed.m->ports.n,
		s->stormy ? "storm" : "quiet", what);
	figure(b->figures, name, (double)cost[n / 2] / 1e3, "ms", target_ms);
	(void)str_printf(name, sizeof(name), "%zu ports, %s: %s, worst", s->bed.m->ports.n,
		s->stormy ? "storm" : "quiet", what);
	figure(b->figures, name, (double)cost[n - 1] / 1e3, "ms", target_ms);
}

/* All devices at once, as a recording brings them. */
static void measure_polls(
	const struct bench *b, struct synthetic *s, int64_t *now, double target_ms)
{
	int64_t cost[POLLS];

	for (int i = 0; i < POLLS; i++) {
		*now += 5 * CLOCK_SEC;
		s->poll++;
		say_some(s, *now, 0, 1);
		bed_poll(&s->bed, *now);
		cost[i] = s->bed.last_us;
	}
	tell(b, s, "poll", cost, POLLS, target_ms);
}

/* A fifth of the devices each second, as collectors bring them; each is one step of the console. */
static void measure_seconds(const struct bench *b, struct synthetic *s, int64_t *now)
{
	int64_t cost[POLLS * SECONDS], step[POLLS * SECONDS];

	for (uint32_t i = 0; i < POLLS * SECONDS; i++) {
		*now += CLOCK_SEC;
		s->poll += i % SECONDS == 0;
		say_some(s, *now, i % SECONDS, SECONDS);
		bed_poll(&s->bed, *now);
		cost[i] = s->bed.last_us;
		step[i] = diag_cost(s->bed.d).step_us;
	}
	tell(b, s, "second of polls", cost, POLLS * SECONDS, 50);
	tell(b, s, "longest step", step, POLLS * SECONDS, 10);
}

static void measure(const struct bench *b, unsigned pods, bool stormy, double target_ms)
{
	struct synthetic s = {.stormy = stormy};
	int64_t now = INT64_C(1763726000) * CLOCK_SEC;

	plan_init(&s.plan);
	s.plan.lossless.priorities = 1U << 3;
	for (unsigned i = 0; i < pods; i++)
		plan_pod(&s.plan, i);
	bed_open(&s.bed, &s.plan, &sweep_none);
	s.bed.ntouched = s.bed.m->devices.n;
	s.bed.touched = mem_calloc(s.bed.ntouched, sizeof(bool));
	measure_polls(b, &s, &now, target_ms);
	if (pods == CONSOLE_PODS)
		measure_seconds(b, &s, &now);
	bed_close(&s.bed);
	plan_free(&s.plan);
}

void bench_cost(const struct bench *b)
{
	/* A pod has 4,096 ports. */
	measure(b, CONSOLE_PODS, false, 50);
	measure(b, CONSOLE_PODS, true, 50);
	if (!b->full)
		return;
	measure(b, 146, false, 1000);
	measure(b, 146, true, 1000);
}
