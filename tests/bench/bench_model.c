/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of an hour of the 4,000-GPU fabric in the model: memory of its history, time to apply a
 * counter, time to read a history back. Every eighth device is polled, each 5 s of a simulated
 * clock; figures of the whole fabric are eight times those of the polled ports.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/history/history_internal.h"
#include "fabric/model/model.h"
#include "tests/bench/load/fabric_4k.h"
#include "tests/support/figures.h"

#define SHARE    8
#define INTERVAL (5 * CLOCK_SEC)
#define POLLS    720
#define LESS     60 /* more polls with batches that name only changed cells */
#define T0       (INT64_C(1763726000) * CLOCK_SEC)
#define READS    20

struct hour {
	struct model *m;
	uint64_t random;
	double hot;        /* share of ports with congestion */
	uint64_t *grown;   /* the counters of each port */
	uint64_t cells;    /* applied */
	double apply_ns;   /* of all of them */
	size_t heap_new;   /* before anything was polled */
	size_t heap_empty; /* when every cell was there, and no history */
	size_t ports;
	uint32_t polls;
	double less_ns; /* to apply as many, of which only those are named that moved */
};

static double cpu_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static size_t heap(void)
{
	struct mallinfo2 i = mallinfo2();

	return i.uordblks + i.hblkhd;
}

static uint64_t random_below(struct hour *h, uint64_t n)
{
	h->random = h->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (h->random >> 33) % n;
}

/*
 * The counters of a port: load that wanders; hot ports have their lossless class paused and marked.
 */
enum { BYTES, PACKETS, PFC, PAUSED_US, MARKED, KINDS };

static void grow(struct hour *h, uint64_t *c, bool hot)
{
	uint64_t load = UINT64_C(150000000000) + random_below(h, UINT64_C(60000000000));

	c[BYTES] += load;
	c[PACKETS] += load / 4096;
	c[PFC] += hot ? random_below(h, 20000) : 0;
	c[PAUSED_US] += hot ? random_below(h, 200000) : 0;
	c[MARKED] += hot ? random_below(h, 1000000) : 0;
}

static void port(struct obs *o, const char *name, const uint64_t *c)
{
	uint32_t p = obs_port(o, name);

	obs_word(o, p, ATTR_OPER, 0, "up");
	obs_number(o, p, ATTR_SPEED_MBPS, 0, 400000);
	obs_count(o, p, CTR_RX_BYTES, 0, c[BYTES]);
	obs_count(o, p, CTR_TX_BYTES, 0, c[BYTES]);
	obs_count(o, p, CTR_RX_PACKETS, 0, c[PACKETS]);
	obs_count(o, p, CTR_TX_PACKETS, 0, c[PACKETS]);
	obs_count(o, p, CTR_RX_DISCARDS, 0, 0);
	obs_count(o, p, CTR_TX_DISCARDS, 0, 0);
	obs_count(o, p, CTR_RX_FCS_ERRORS, 0, 0);
	for (unsigned prio = 0; prio < PRIORITIES; prio++) {
		obs_count(o, p, CTR_PFC_RX_FRAMES, prio, prio == 3 ? c[PFC] : 0);
		obs_count(o, p, CTR_PFC_TX_FRAMES, prio, prio == 3 ? c[PFC] / 2 : 0);
		obs_count(o, p, CTR_PFC_RX_DURATION_US, prio, prio == 3 ? c[PAUSED_US] : 0);
		obs_count(o, p, CTR_QUEUE_DROPS, prio, 0);
		obs_count(o, p, CTR_ECN_MARKED_PACKETS, prio, prio == 3 ? c[MARKED] : 0);
	}
}

/* Keeps of the same batch only the changed cells: load, and the lossless class of hot ports. */
static void leave_moved(struct obs *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind != OBS_COUNT || o->items.at[i].u64)
			o->items.at[n++] = o->items.at[i];
	o->items.n = n;
	o->unchanged_rest = true;
}

static void poll_share(struct hour *h, int64_t now)
{
	bool less = ++h->polls > POLLS;

	for (size_t d = 0; d < h->m->devices.n; d += SHARE) {
		const struct device *dev = h->m->devices.at[d];
		struct obs *o = obs_new(dev->name, "fast");
		double t;

		o->received_us = o->device_us = now;
		for (size_t i = 0; i < dev->ports.n; i++) {
			uint32_t id = dev->ports.at[i];
			bool hot = (double)(id * 2654435761U) < h->hot * 4294967296.0;

			grow(h, &h->grown[(size_t)id * KINDS], hot);
			port(o, h->m->ports.at[id]->name, &h->grown[(size_t)id * KINDS]);
		}
		for (size_t i = 0; i < o->items.n && !less; i++)
			h->cells += o->items.at[i].kind == OBS_COUNT;
		o->number = h->polls;
		if (less)
			leave_moved(o);
		t = cpu_ns();
		model_apply(h->m, o, now);
		*(less ? &h->less_ns : &h->apply_ns) += cpu_ns() - t;
		obs_free(o);
	}
	(void)model_age(h->m, now);
}

static void name_of(char *dst, size_t size, const char *what, const struct hour *h)
{
	(void)str_printf(dst, size, "%s, %.0f %% hot", what, h->hot * 100);
}

static void one_read(const struct port *p)
{
	struct history h;

	(void)port_history(p, CTR_RX_BYTES, 0, &h);
}

static void read_back(struct figures *f, const struct hour *h)
{
	double t = cpu_ns();
	char name[64];
	size_t n = 0;

	for (unsigned k = 0; k < READS; k++)
		for (size_t d = 0; d < h->m->devices.n; d += SHARE)
			for (size_t i = 0; i < h->m->devices.at[d]->ports.n; i += 16, n++)
				one_read(h->m->ports.at[h->m->devices.at[d]->ports.at[i]]);
	name_of(name, sizeof(name), "history read back for a sparkline", h);
	figure(f, name, (cpu_ns() - t) / (double)n, "ns", 0);
}

/* The number of stored values, of polls and of sums, and the memory of one. */
static void a_value(struct figures *f, const struct hour *h)
{
	struct hlog_reader reader;
	struct hlog_record r;
	uint64_t values = 0;
	char name[64];

	for (size_t i = 0; i < h->m->ports.n; i++) {
		const struct port_log *l = h->m->ports.at[i]->log;

		for (unsigned k = 0; l && k < 2; k++) {
			hlog_read(&reader, k ? &l->coarse : &l->fine, UINT32_MAX);
			while (hlog_next(&reader, &r))
				for (unsigned w = 0; w < HLOG_WORDS; w++)
					values += (unsigned)__builtin_popcountll(r.has[w]);
		}
	}
	name_of(name, sizeof(name), "a value of history", h);
	figure(f, name, (double)history_status(h->m).used / (double)values, "bytes", 0);
}

static void memory(struct figures *f, const struct hour *h, size_t before, size_t minute)
{
	size_t now = heap();
	char name[64];

	name_of(name, sizeof(name), "model without history", h);
	figure(f, name,
		(double)(h->heap_new - before) / (double)h->m->ports.n +
			(double)(h->heap_empty - h->heap_new) / (double)h->ports,
		"bytes a port", 0);
	name_of(name, sizeof(name), "history after 10 minutes", h);
	figure(f, name, (double)(minute - h->heap_empty) / (double)h->ports, "bytes a port", 0);
	name_of(name, sizeof(name), "history after an hour", h);
	figure(f, name, (double)(now - h->heap_empty) / (double)h->ports, "bytes a port", 0);
	name_of(name, sizeof(name), "the same, all of 4k", h);
	figure(f, name, (double)(now - h->heap_empty) * SHARE / 1e6, "MB", 512);
}

static void hour(struct figures *f, const struct plan *plan, double hot)
{
	size_t before = heap(), minutes = 0;
	struct hour h = {.m = model_new(plan), .random = 1, .hot = hot};
	int64_t now = T0;
	char name[64];

	for (size_t d = 0; d < h.m->devices.n; d += SHARE)
		h.ports += h.m->devices.at[d]->ports.n;
	h.heap_new = heap();
	h.grown = mem_calloc(h.m->ports.n * KINDS, sizeof(*h.grown));
	before += heap() - h.heap_new;
	h.heap_new = heap();
	for (unsigned n = 0; n < POLLS; n++) {
		now += INTERVAL;
		poll_share(&h, now);
		if (!n)
			h.heap_empty = heap();
		if (n == 120)
			minutes = heap();
	}
	memory(f, &h, before, minutes);
	a_value(f, &h);
	name_of(name, sizeof(name), "a counter applied", &h);
	figure(f, name, h.apply_ns / (double)h.cells, "ns CPU", 0);
	for (unsigned n = 0; n < LESS; n++)
		poll_share(&h, now += INTERVAL);
	name_of(name, sizeof(name), "the same, where only what moved is named", &h);
	figure(f, name, h.less_ns / ((double)h.cells / POLLS * LESS), "ns CPU", 0);
	read_back(f, &h);
	free(h.grown);
	model_free(h.m);
}

int main(void)
{
	struct figures *f = figures_new("model");
	struct plan plan;

	bench_4k_plan(&plan);
	hour(f, &plan, 0.25);
	hour(f, &plan, 0.10);
	plan_free(&plan);
	return figures_end(f) ? 0 : 1;
}
