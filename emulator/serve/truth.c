/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/serve/truth.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

#define PAUSE_US   CLOCK_SEC
#define COST_SHARE 50 /* the pause after a write is at least 50 times its duration */

struct truth {
	struct truth_opts o;
	uv_timer_t timer;
	uint64_t faults; /* sim_fault_generation() as last written */
	int64_t due;     /* mono; earliest time of the next write, unless a fault changed */
	bool behind, told;
};

static void on_timer(uv_timer_t *timer);

static void write_now(struct truth *t)
{
	int64_t began = clock_mono(t->o.clock), took;
	struct err err;
	char line[1024];

	t->faults = sim_fault_generation(t->o.sim);
	if (!site_write_truth(t->o.site, &err) && !t->told) {
		t->told = true;
		(void)fprintf(
			stderr, "railtop-emulator: %s\n", err_format(&err, line, sizeof(line)));
	}
	took = clock_mono(t->o.clock) - began;
	t->due = began + (took * COST_SHARE > PAUSE_US ? took * COST_SHARE : PAUSE_US);
	t->behind = false;
	(void)uv_timer_stop(&t->timer);
}

static void on_timer(uv_timer_t *timer)
{
	struct truth *t = timer->data;

	if (t->behind)
		write_now(t);
}

void truth_changed(struct truth *t)
{
	int64_t left = t->due - clock_mono(t->o.clock);

	if (sim_fault_generation(t->o.sim) != t->faults || left <= 0) {
		write_now(t);
		return;
	}
	if (!t->behind)
		(void)uv_timer_start(
			&t->timer, on_timer, (uint64_t)((left + CLOCK_MSEC - 1) / CLOCK_MSEC), 0);
	t->behind = true;
}

struct truth *truth_new(const struct truth_opts *o)
{
	struct truth *t = mem_calloc(1, sizeof(*t));

	t->o = *o;
	(void)uv_timer_init(o->loop, &t->timer);
	t->timer.data = t;
	t->faults = UINT64_MAX;
	return t;
}

static void on_closed(uv_handle_t *h)
{
	free(h->data);
}

void truth_close(struct truth *t)
{
	if (t)
		uv_close((uv_handle_t *)&t->timer, on_closed);
}
