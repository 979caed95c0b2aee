/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of the model and the diagnosis as a fabric grows: resident bytes of one process. It polls
 * all of its ports, 47 counters each, every 5 s of a simulated clock. It stops after POLLS polls,
 * or when the history has used up BUDGET (0: the default budget).
 *
 *   bench_sizes                     512 switches of 64 ports, without history (make bench)
 *
 *   bench_sizes 24k [BUDGET [POLLS]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "archive/codec/entry.h"
#include "base/clock.h"
#include "base/str.h"
#include "diagnosis/engine/diagnosis.h"
#include "fabric/model/model.h"
#include "fabric/plan/sizing.h"
#include "fabric/vocabulary/counters.h"
#include "tests/bench/load/fabric_4k.h"
#include "tests/support/figures.h"
#include "tests/support/plan_make.h"

#define INTERVAL (5 * CLOCK_SEC)
#define T0       (INT64_C(1763726000) * CLOCK_SEC)
#define SWITCHES 512
#define PORTS    64

struct run {
	struct model *m;
	struct diag *diag;
	uint64_t counters;
	double apply_ns;
	uint32_t random;
	bool all; /* polls, also when the budget is used up */
	/* The recorder's memory of these batches; NULL: they are applied. */
	struct coder *coder;
	struct buf coded;
};

static double cpu_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Bytes; 0: not known. */
static double resident(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long all = 0, in = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%lu %lu", &all, &in) != 2)
		in = 0;
	(void)fclose(f);
	return (double)in * (double)sysconf(_SC_PAGESIZE);
}

/* Every tenth port is paused and marked. */
static void port(struct run *r, struct obs *o, const char *name, uint32_t id, uint64_t n)
{
	uint32_t p = obs_port(o, name);
	uint64_t hot = id % 10 == 0 ? n * 1000 + id % 97 : 0, load;

	r->random = r->random * 1664525U + 1013904223U;
	load = n * UINT64_C(150000000000) + r->random % 4096 * UINT64_C(10000000);
	obs_word(o, p, ATTR_OPER, 0, "up");
	obs_number(o, p, ATTR_SPEED_MBPS, 0, 400000);
	obs_count(o, p, CTR_RX_BYTES, 0, load);
	obs_count(o, p, CTR_TX_BYTES, 0, load);
	obs_count(o, p, CTR_RX_PACKETS, 0, load / 4096);
	obs_count(o, p, CTR_TX_PACKETS, 0, load / 4096);
	obs_count(o, p, CTR_RX_DISCARDS, 0, 0);
	obs_count(o, p, CTR_TX_DISCARDS, 0, 0);
	obs_count(o, p, CTR_RX_FCS_ERRORS, 0, 0);
	for (unsigned prio = 0; prio < PRIORITIES; prio++) {
		obs_count(o, p, CTR_PFC_RX_FRAMES, prio, prio == 3 ? hot : 0);
		obs_count(o, p, CTR_PFC_TX_FRAMES, prio, prio == 3 ? hot / 2 : 0);
		obs_count(o, p, CTR_PFC_RX_DURATION_US, prio, prio == 3 ? hot * 10 : 0);
		obs_count(o, p, CTR_QUEUE_DROPS, prio, 0);
		obs_count(o, p, CTR_ECN_MARKED_PACKETS, prio, prio == 3 ? hot * 7 : 0);
	}
	r->counters += 47;
}

static void poll_device(struct run *r, const struct device *d, uint64_t n, int64_t now)
{
	struct obs *o = obs_new(d->name, "fast");
	char name[32];
	double t;

	o->received_us = o->device_us = now;
	for (size_t i = 0; i < d->ports.n; i++)
		port(r, o, r->m->ports.at[d->ports.at[i]]->name, d->ports.at[i], n);
	for (unsigned i = 0; i < PORTS && !d->ports.n; i++) {
		(void)str_printf(name, sizeof(name), "Ethernet%u", i * 8);
		port(r, o, name, i, n);
	}
	t = cpu_ns();
	if (r->coder) {
		struct entry e = {.kind = ENTRY_OBS, .t_us = now, .obs = o};
		struct state s;

		state_saves(&s, &r->coded);
		(void)coder_entry(r->coder, &s, &e);
	} else {
		model_apply(r->m, o, now);
	}
	r->apply_ns += cpu_ns() - t;
	obs_free(o);
}

static void poll_all(struct run *r, uint64_t n, int64_t now)
{
	for (size_t i = 0; i < r->m->devices.n; i++)
		poll_device(r, r->m->devices.at[i], n, now);
	(void)model_age(r->m, now);
	model_links(r->m);
}

static void judge(struct run *r, int64_t now)
{
	for (size_t i = 0; i < r->m->devices.n; i++)
		diag_note(r->diag, r->m, (uint32_t)i, now);
	diag_run(r->diag, r->m, now);
}

static bool make_plan(struct plan *plan, const char *size)
{
	char name[32];

	if (size) {
		if (!sizing_preset(size))
			return false;
		bench_fabric_plan(plan, size);
		return true;
	}
	plan_init(plan);
	plan->rails = 8;
	plan->lossless.priorities = 1U << 3;
	for (unsigned i = 0; i < SWITCHES; i++) {
		(void)str_printf(name, sizeof(name), "leaf-%03u", i);
		(void)plan_make_device(plan, name, TIER_LEAF, (int)(i % 8));
	}
	return true;
}

static void told(struct figures *f, const struct run *r, const char *what, double most)
{
	struct history_status h = history_status(r->m);

	figure(f, what, resident() / 1e6, "MB", most);
	(void)printf("%s: %.0f MB, %zu ports, history %.0f of %.0f MB, squeezed %u times: %.1f min "
		     "(polls: %.1f) of green ports, %.1f (%.1f) of others\n",
		what, resident() / 1e6, r->m->ports.n, (double)h.used / 1e6, (double)h.budget / 1e6,
		h.squeeze, (double)h.green_us / 6e7, (double)h.green_fine_us / 6e7,
		(double)h.other_us / 6e7, (double)h.other_fine_us / 6e7);
}

static void measure(struct figures *f, struct run *r, bool sized, unsigned polls)
{
	double most = sized ? 0 : 48;
	int64_t now = T0;

	for (unsigned n = 1; n <= polls; n++) {
		struct history_status h;

		poll_all(r, n, now += INTERVAL);
		h = history_status(r->m);
		if (n == 1)
			told(f, r, "resident, without history", most);
		judge(r, now);
		if (n == 1)
			told(f, r, "the same and what is judged", 0);
		if (!r->all && h.squeeze && h.used > h.budget / 100 * 95)
			break;
	}
	if (polls > 1)
		told(f, r, "resident, with history", 0);
	figure(f, "a counter applied", r->apply_ns / (double)r->counters, "ns CPU", 0);
	figure(f, "ports", (double)r->m->ports.n, "", 0);
}

/* Two polls as a recording has them: the memory kept between them, and the size of the second. */
static void code(struct figures *f, struct run *r, int64_t now)
{
	r->coder = coder_new();
	buf_init(&r->coded, 1U << 30);
	for (uint64_t n = 1; n <= 2; n++) {
		buf_reset(&r->coded);
		r->counters = 0;
		r->apply_ns = 0;
		for (size_t i = 0; i < r->m->devices.n; i++)
			poll_device(r, r->m->devices.at[i], n, now + (int64_t)n * INTERVAL);
	}
	figure(f, "what a recording remembers", (double)coder_bytes(r->coder) / 1e6, "MB", 0);
	figure(f, "a poll of all in it", (double)r->coded.len / 1e6, "MB", 0);
	figure(f, "a counter written", r->apply_ns / (double)r->counters, "ns CPU", 0);
	coder_free(r->coder);
	r->coder = NULL;
	buf_free(&r->coded);
}

int main(int argc, char **argv)
{
	const char *size = argc > 1 ? argv[1] : NULL;
	uint64_t budget = 0, polls = size ? 60 : 1;
	struct run r = {.random = 1};
	struct figures *f;
	struct plan plan;

	if ((argc > 2 && !str_to_bytes(argv[2], &budget)) ||
		(argc > 3 && !str_to_u64(argv[3], &polls)) || !make_plan(&plan, size)) {
		(void)fprintf(stderr, "usage: bench_sizes [%s [BUDGET [POLLS]]]\n",
			sizing_preset_names());
		return 2;
	}
	f = figures_new(size ? "sizes_large" : "sizes");
	figure(f, "resident, before there is a model", resident() / 1e6, "MB", 0);
	r.all = argc > 3;
	r.m = model_new(&plan);
	r.diag = diag_new();
	plan_free(&plan);
	history_set_budget(r.m, budget);
	measure(f, &r, size != NULL, (unsigned)polls);
	if (size)
		code(f, &r, T0);
	diag_free(r.diag);
	model_free(r.m);
	return figures_end(f) ? 0 : 1;
}
