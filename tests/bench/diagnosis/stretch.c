/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/diagnosis/stretch.h"

#include <string.h>

#include "backends/jsonl.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/bench/diagnosis/sim_run.h"

#define INTERVAL_US (5 * CLOCK_SEC)

struct stretch {
	struct sim_run run;
	struct bed bed;
	unsigned polls, poll;      /* poll: the one under way */
	VEC(struct obs *) batches; /* poll by poll, device by device; NULL: it said nothing */
	size_t devices;
	/* By cell of the device's ports: the growth in one turn of all polls. */
	struct growth *growth;
};

#define PORTS_MAX 256

struct growth {
	char port[PORTS_MAX][NAME_MAX_LEN];
	uint64_t first[PORTS_MAX][CELL_COUNT], last[PORTS_MAX][CELL_COUNT];
	bool seen[PORTS_MAX][CELL_COUNT];
};

static unsigned slot_of(struct growth *g, const char *port)
{
	unsigned i = 0;

	while (i < PORTS_MAX - 1 && g->port[i][0] && strcmp(g->port[i], port) != 0)
		i++;
	(void)str_copy(g->port[i], NAME_MAX_LEN, port);
	return i;
}

/* The line's items join the batch of its device: a line is a port, a batch is a device's answer. */
static void join(struct obs *to, const struct obs *o)
{
	for (size_t i = 0; i < o->items.n; i++) {
		struct obs_item it = o->items.at[i];

		if (it.port != OBS_NO_PORT)
			it.port = obs_port(to, o->ports.at[it.port].name);
		it.text = obs_string(to, obs_text(o, it.text));
		if (obs_has_text2(&it))
			it.text2 = obs_string(to, obs_text(o, it.text2));
		vec_push(&to->items, it);
	}
	for (size_t i = 0; i < o->bgp.n; i++) {
		struct obs_bgp b = o->bgp.at[i];

		b.peer = obs_string(to, obs_text(o, b.peer));
		b.host = obs_string(to, obs_text(o, b.host));
		b.vrf = obs_string(to, obs_text(o, b.vrf));
		vec_push(&to->bgp, b);
	}
}

static void tap(void *ctx, const char *text, size_t len)
{
	struct stretch *s = ctx;
	struct err err = {0};
	int64_t t = 0;
	struct obs *o = jsonl_parse(text, len, &t, NULL, NULL, &err), **to;
	int device = o ? plan_find(&s->run.plan, o->device) : -1;

	if (device >= 0) {
		to = &s->batches.at[s->poll * s->devices + (size_t)device];
		if (!*to)
			*to = obs_new(o->device, "fast");
		join(*to, o);
	}
	obs_free(o);
}

static void note_growth(struct stretch *s, size_t device)
{
	struct growth *g = &s->growth[device];

	for (unsigned p = 0; p < s->polls; p++) {
		const struct obs *o = s->batches.at[p * s->devices + device];

		for (size_t i = 0; o && i < o->items.n; i++) {
			const struct obs_item *it = &o->items.at[i];
			unsigned k;

			if (it->kind != OBS_COUNT || it->port == OBS_NO_PORT)
				continue;
			k = slot_of(g, o->ports.at[it->port].name);
			if (!g->seen[k][it->cell])
				g->first[k][it->cell] = it->u64;
			g->seen[k][it->cell] = true;
			g->last[k][it->cell] = it->u64;
		}
	}
}

struct stretch *stretch_make(const char *preset, unsigned polls, struct err *err)
{
	struct stretch *s = mem_calloc(1, sizeof(*s));

	s->polls = polls;
	if (!sim_run_open(&s->run, preset, 7, NULL, &sweep_none, err)) {
		free(s);
		return NULL;
	}
	s->devices = s->run.plan.devices.n;
	bed_open(&s->bed, &s->run.plan, &sweep_none);
	s->bed.tap = tap;
	s->bed.tap_ctx = s;
	for (size_t i = 0; i < polls * s->devices; i++)
		vec_push(&s->batches, NULL);
	for (s->poll = 0; s->poll < polls; s->poll++)
		sim_run_poll(&s->run, &s->bed);
	bed_close(&s->bed);
	s->growth = mem_calloc(s->devices, sizeof(*s->growth));
	for (size_t i = 0; i < s->devices; i++)
		note_growth(s, i);
	return s;
}

void stretch_free(struct stretch *s)
{
	for (size_t i = 0; i < s->batches.n; i++)
		obs_free(s->batches.at[i]);
	vec_free(&s->batches);
	free(s->growth);
	sim_run_close(&s->run);
	free(s);
}

const struct plan *stretch_plan(const struct stretch *s)
{
	return &s->run.plan;
}

size_t stretch_devices(const struct stretch *s)
{
	return s->devices;
}

int64_t stretch_time(const struct stretch *s, unsigned poll, size_t device)
{
	return SIM_START + (int64_t)poll * INTERVAL_US +
	       INTERVAL_US * (int64_t)device / (int64_t)s->devices;
}

static void grow(struct growth *g, struct obs *o, unsigned turn, unsigned polls)
{
	for (size_t i = 0; i < o->items.n; i++) {
		struct obs_item *it = &o->items.at[i];
		unsigned k;

		if (it->kind != OBS_COUNT || it->port == OBS_NO_PORT)
			continue;
		k = slot_of(g, o->ports.at[it->port].name);
		/* One step more than between first and last: a turn ends where the next begins. */
		it->u64 +=
			(g->last[k][it->cell] - g->first[k][it->cell]) / (polls - 1) * polls * turn;
	}
}

struct obs *stretch_batch(const struct stretch *s, unsigned poll, size_t device)
{
	const struct obs *from = s->batches.at[poll % s->polls * s->devices + device];
	struct obs *o;

	if (!from)
		return NULL;
	o = obs_new(from->device, from->request);
	join(o, from);
	o->received_us = stretch_time(s, poll, device);
	o->device_us = o->received_us - 1000 - (int64_t)(device * 37 + poll * 101) % 500;
	o->took_us = 20000 + (int64_t)(device * 7919 + poll * 104729) % 9000;
	o->bytes = 30000 + (device * 31 + poll * 17) % 50;
	/* As the sim has it: the line's own time. */
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_EVENT && o->items.at[i].time_us)
			o->items.at[i].time_us = o->received_us;
	grow(&s->growth[device], o, poll / s->polls, s->polls);
	return o;
}
