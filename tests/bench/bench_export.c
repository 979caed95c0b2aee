/* SPDX-License-Identifier: Apache-2.0 */
#include <time.h>

#include "archive/metrics.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/bench/fabric_4k.h"
#include "tests/tools/figures.h"

/*
 * What a scrape of the 4,000-GPU fabric costs: taking the picture, and writing it as a client reads
 * it, 128 KiB at a time. Once with the counters that a poll of every 5 s brings, once with every
 * counter that switches and NICs can have.
 */
#define TIMES 5
#define PIECE ((size_t)128 << 10)
#define START (INT64_C(1700000000) * CLOCK_SEC)

static double cpu_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void scrape(
	struct figures *f, const struct model *m, int64_t now, const char *what, double target)
{
	struct metrics_own own = {.version = "bench"};
	double take = 1e9, read = 1e9, sum = 1e9, samples = 0, bytes = 0;
	char *piece = mem_alloc(PIECE), name[80];

	for (unsigned i = 0; i < TIMES; i++) {
		double a = cpu_ms(), b, c;
		struct metrics *x = metrics_take(m, NULL, &own, now);
		struct metrics_reader r = {.of = x, .format = METRICS_OPENMETRICS};
		size_t n;

		b = cpu_ms();
		bytes = 0;
		while ((n = metrics_read(&r, piece, PIECE)))
			bytes += (double)n;
		c = cpu_ms();
		samples = (double)metrics_samples(x);
		metrics_free(x);
		take = b - a < take ? b - a : take;
		read = c - b < read ? c - b : read;
		sum = c - a < sum ? c - a : sum;
	}
	free(piece);
	(void)str_printf(name, sizeof(name), "scrape, 4k, %s", what);
	figure(f, name, sum, "ms CPU", target);
	(void)str_printf(name, sizeof(name), "of that: the picture, %s", what);
	figure(f, name, take, "ms CPU", 0);
	(void)str_printf(name, sizeof(name), "of that: the text, %s", what);
	figure(f, name, read, "ms CPU", 0);
	(void)str_printf(name, sizeof(name), "samples, %s", what);
	figure(f, name, samples, "", 0);
	(void)str_printf(name, sizeof(name), "a sample, %s", what);
	figure(f, name, sum * 1e6 / samples, "ns CPU", 0);
	(void)str_printf(name, sizeof(name), "text, %s", what);
	figure(f, name, bytes / 1e6, "MB", 0);
}

static bool has(const struct counter_info *c, enum tier tier)
{
	switch ((int)c->group) {
	case GROUP_NIC:
	case GROUP_CONFIG:
		return tier == TIER_HOST;
	case GROUP_QUEUE:
	case GROUP_WATERMARK:
	case GROUP_PGDROP:
	case GROUP_WATCHDOG:
		return tier != TIER_HOST;
	default:
		return true;
	}
}

/* Lossless and default priority carry traffic; optics have four decimals. */
static void answer_all(struct obs *o, uint32_t p, enum tier tier, unsigned seed)
{
	for (unsigned id = 0; id < COUNTER_COUNT; id++) {
		const struct counter_info *c = &counter_info[id];

		if (!has(c, tier))
			continue;
		for (unsigned sub = 0; sub < counter_dim_size((enum counter_id)id); sub++) {
			bool idle = c->dim == DIM_PRIO && sub != 0 && sub != 3;

			if (c->kind == KIND_GAUGE)
				obs_gauge(o, p, (enum counter_id)id, sub,
					-1.5 - (double)((seed + sub * 7) % 9973) / 1e4);
			else
				obs_count(o, p, (enum counter_id)id, sub,
					idle ? 0 : (uint64_t)seed * 1000003 * (sub + 1));
		}
	}
}

static void poll_all(struct model *m, int64_t now)
{
	unsigned seed = 1;

	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];
		struct obs *o = obs_new(d->name, "fast");

		o->received_us = o->device_us = now;
		for (size_t k = 0; k < d->ports.n; k++)
			answer_all(
				o, obs_port(o, m->ports.at[d->ports.at[k]]->name), d->tier, seed++);
		model_apply(m, o, now);
		obs_free(o);
	}
	(void)model_age(m, now);
}

int main(void)
{
	struct figures *f = figures_new("export");
	int64_t now = START;
	struct model *m;
	struct plan p;

	bench_4k_plan(&p);
	m = bench_4k_model(&p, 3, &now);
	scrape(f, m, now, "fast poll", 100);
	now += 5 * CLOCK_SEC;
	poll_all(m, now);
	scrape(f, m, now, "every counter", 0);
	model_free(m);
	plan_free(&p);
	return figures_end(f) ? 0 : 1;
}
