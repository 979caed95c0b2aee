/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/replay/thin.h"

#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/counters.h"

/* A counter is looked for that long after its step began; slower ones have fewer points. */
#define LOOK_US (INT64_C(120) * 1000000)

struct thinning {
	const struct thin_question *q;
	int64_t begun_us; /* of the step that is being read */
	/* By device and counter: the time from which the next sample is due; met: there was one. */
	int64_t due_us[THIN_DEVICES][THIN_COUNTERS];
	bool met[THIN_DEVICES][THIN_COUNTERS];
	struct obs *first, **end;
};

static size_t device_index(const struct thin_question *q, const char *name)
{
	for (size_t i = 0; i < q->n_devices; i++)
		if (str_eq(q->devices[i], name))
			return i;
	return SIZE_MAX;
}

static size_t counter_index(const struct thin_question *q, uint16_t cell)
{
	unsigned sub;
	counter_id id = counter_of_cell(cell, &sub);

	for (size_t i = 0; i < q->n_counters; i++)
		if (q->counters[i] == id)
			return i;
	return SIZE_MAX;
}

static int64_t next_step(const struct thin_question *q, int64_t us)
{
	return q->from_us + ((us - q->from_us) / q->step_us + 1) * q->step_us;
}

static void copy_item(struct obs *to, const struct obs *from, const struct obs_item *it)
{
	unsigned sub;
	counter_id id = counter_of_cell(it->cell, &sub);
	uint32_t port = obs_port(to, from->ports.at[it->port].name);

	/* Of a crafted recording. */
	if (port == OBS_NO_PORT)
		return;
	to->ports.at[port].sample_us = from->ports.at[it->port].sample_us;
	if (it->kind == OBS_COUNT)
		obs_count(to, port, id, sub, it->u64);
	else
		obs_gauge(to, port, id, sub, it->real);
}

/* Keeps the counters of a batch whose sample is due. */
static void take(struct thinning *t, const struct obs *o, int64_t us)
{
	size_t dev = device_index(t->q, o->device);
	bool now[THIN_COUNTERS] = {false};
	struct obs *to = NULL;

	if (dev == SIZE_MAX)
		return;
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];
		size_t k;

		if ((it->kind != OBS_COUNT && it->kind != OBS_GAUGE) || it->port == OBS_NO_PORT ||
			(k = counter_index(t->q, it->cell)) == SIZE_MAX || us < t->due_us[dev][k])
			continue;
		if (!to) {
			to = obs_new(o->device, "history");
			to->received_us = us;
		}
		copy_item(to, o, it);
		now[k] = true;
	}
	for (size_t k = 0; k < t->q->n_counters; k++)
		if (now[k]) {
			t->due_us[dev][k] = next_step(t->q, us);
			t->met[dev][k] = true;
		}
	if (to) {
		*t->end = to;
		t->end = &to->next;
	}
}

/* Whether all that the recording has was met in this step. */
static bool is_done(const struct thinning *t, int64_t us)
{
	bool any = false;

	if (us - t->begun_us > LOOK_US)
		return true;
	for (size_t i = 0; i < t->q->n_devices; i++)
		for (size_t k = 0; k < t->q->n_counters; k++) {
			if (t->met[i][k] && t->due_us[i][k] <= us)
				return false;
			any |= t->met[i][k];
		}
	return any && t->begun_us > t->q->from_us;
}

struct obs *thin_read(struct rts *r, const struct thin_question *q, bool (*stop)(void *ctx),
	void *ctx, uint64_t *entries, struct err *err)
{
	struct thinning t = {.q = q, .begun_us = q->from_us};
	struct rts_cursor *c;
	struct entry e = {0};
	uint64_t n = 0;
	bool gap;

	t.end = &t.first;
	err->code = ERR_NONE;
	if (q->step_us <= 0 || (q->to_us - q->from_us) / q->step_us >= THIN_POINTS)
		return NULL;
	for (size_t i = 0; i < q->n_devices; i++)
		for (size_t k = 0; k < q->n_counters; k++)
			t.due_us[i][k] = q->from_us;
	c = rts_cursor_new(r);
	rts_cursor_skip(c, q->from_us);
	while (!(stop && stop(ctx)) && rts_next(c, &e, &gap, err)) {
		int64_t us = e.t_us;

		n++;
		if (e.kind == ENTRY_OBS && e.obs && us >= q->from_us && us <= q->to_us)
			take(&t, e.obs, us);
		entry_free(&e);
		if (us > q->to_us)
			break;
		if (us >= q->from_us && is_done(&t, us)) {
			t.begun_us = next_step(q, us);
			rts_cursor_skip(c, t.begun_us);
		}
	}
	rts_cursor_free(c);
	if (entries)
		*entries = n;
	return t.first;
}
