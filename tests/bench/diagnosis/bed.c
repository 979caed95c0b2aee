/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/diagnosis/bed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backends/jsonl.h"
#include "base/mem.h"
#include "base/str.h"
#include "diagnosis/engine/verdict.h"
#include "fabric/ref.h"
#include "fabric/vocabulary/counters.h"

const struct sweep sweep_none = {.name = "", .coarse = 1};
const struct sweep sweeps[] = {
	{.name = "10 % of polls lost", .coarse = 1, .lost = 0.1},
	{.name = "20 % jitter", .coarse = 1, .jitter = 0.2},
	{.name = "hosts only", .coarse = 1, .no_switches = true},
	{.name = "switches only", .coarse = 1, .no_hosts = true},
	{.name = "10 % of devices silent", .coarse = 1, .silent = 0.1},
	{.name = "30 % of devices silent", .coarse = 1, .silent = 0.3},
	{.name = "counters reset mid-fault", .coarse = 1, .reset = true},
	{.name = "frames only", .coarse = 1, .frames_only = true},
	{.name = "polls twice as coarse", .coarse = 2},
};
const size_t sweep_count = sizeof(sweeps) / sizeof(sweeps[0]);

double chance(const char *name, unsigned n, unsigned salt)
{
	uint32_t h = 2166136261U ^ n * 2654435761U ^ salt * 40503U; /* FNV-1a, then mixed */

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619U;
	h ^= h >> 16;
	h *= 0x7feb352dU;
	h ^= h >> 15;
	h *= 0x846ca68bU;
	h ^= h >> 16;
	return h / 4294967296.0;
}

void bed_open(struct bed *b, const struct plan *plan, const struct sweep *sweep)
{
	*b = (struct bed){.m = model_new(plan), .d = diag_new(), .sweep = sweep};
}

void bed_close(struct bed *b)
{
	diag_free(b->d);
	model_free(b->m);
	free(b->touched);
	*b = (struct bed){0};
}

bool bed_is_silent(const struct bed *b, const char *device)
{
	const struct device *d = model_device(b->m, device);
	bool host = d && d->tier == TIER_HOST;

	if (d && (host ? b->sweep->no_hosts : b->sweep->no_switches))
		return true;
	return chance(device, b->salt, 1) < b->sweep->silent;
}

static bool is_taken(const struct bed *b, const char *device)
{
	return *device && (bed_is_silent(b, device) || chance(device, b->poll, 2) < b->sweep->lost);
}

static void drop_durations(struct obs *o)
{
	size_t kept = 0;

	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];
		enum counter_id id =
			it->kind <= OBS_VALID ? counter_of_cell(it->cell, NULL) : COUNTER_COUNT;

		if (id != CTR_PFC_RX_DURATION_US && id != CTR_PFC_TX_DURATION_US)
			o->items.at[kept++] = *it;
	}
	o->items.n = kept;
}

static void touch(struct bed *b, const char *device)
{
	const struct device *d = model_device(b->m, device);

	if (!d)
		return;
	while (b->ntouched < b->m->devices.n) {
		size_t n = b->m->devices.n;

		b->touched = mem_realloc(b->touched, n, sizeof(*b->touched));
		memset(b->touched + b->ntouched, 0, (n - b->ntouched) * sizeof(*b->touched));
		b->ntouched = n;
	}
	b->touched[d->id] = true;
}

void bed_line(void *bed, const char *text, size_t len)
{
	struct bed *b = bed;
	struct err err = {0};
	int64_t t = 0;
	struct obs *o = jsonl_parse(text, len, &t, NULL, NULL, &err);

	if (b->tap)
		b->tap(b->tap_ctx, text, len);
	b->lines++;
	if (!o) {
		if (!b->refused++)
			(void)str_copy(b->complaint, sizeof(b->complaint), err.text);
		return;
	}
	o->received_us = t;
	if (!is_taken(b, o->device)) {
		if (b->sweep->frames_only)
			drop_durations(o);
		model_apply(b->m, o, t);
		touch(b, o->device);
	}
	obs_free(o);
}

static int64_t cpu_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

void bed_poll(struct bed *b, int64_t now_us)
{
	int64_t start;

	(void)model_age(b->m, now_us);
	model_links(b->m);
	start = cpu_us();
	for (uint32_t i = 0; i < b->ntouched; i++) {
		if (!b->touched[i])
			continue;
		b->touched[i] = false;
		diag_note(b->d, b->m, i, now_us);
	}
	diag_run(b->d, b->m, now_us);
	b->last_us = cpu_us() - start;
	b->total_us += b->last_us;
	if (b->last_us > b->worst_us)
		b->worst_us = b->last_us;
	b->poll++;
}

void bed_print(const struct bed *b, int64_t t_us)
{
	const struct verdict_report *v = diag_verdict(b->d);
	const struct finding *const *list;
	size_t n;

	if (!getenv("VERBOSE"))
		return;
	list = diag_findings(b->d, &n);
	(void)printf("  %lld us: %s%s%s\n", (long long)t_us, fabric_state_name(v->state),
		v->hint[0] ? ", hint: " : "", v->hint);
	for (size_t i = 0; i < n; i++) {
		char at[160] = "";

		(void)ref_format(b->m, list[i]->at, at, sizeof(at));
		(void)printf("      %-8s %.2f %s%s %s: %s\n", finding_role_name(list[i]->role),
			(double)list[i]->rank, finding_info[list[i]->id].name,
			list[i]->root ? " (explained)" : "", at, list[i]->title);
	}
}
