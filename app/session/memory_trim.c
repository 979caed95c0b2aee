/* SPDX-License-Identifier: Apache-2.0 */
#include "app/session/memory_trim.h"

#include <stdlib.h>

#include "base/mem.h"

/* With 60 MB a call costs 2 to 7 ms of CPU time, see tests/bench/history/README.md. */
#define EVERY_MS 60000u
/* The call holds the allocator's lock throughout: 30 ms with 280 MB, and proportionally more. */
#define SMALL ((size_t)256 << 20)

struct memory_trim {
	uv_timer_t timer;
	uv_work_t work;
	bool busy, closed;
	size_t left; /* resident bytes after the last call */
};

bool memory_trim_worth(size_t resident, size_t left)
{
	return resident < SMALL || resident > left + left / 4;
}

static void on_work(uv_work_t *w)
{
	struct memory_trim *g = w->data;
	size_t resident = 0;

	if (uv_resident_set_memory(&resident) == 0 && !memory_trim_worth(resident, g->left))
		return;
	mem_give_back();
	if (uv_resident_set_memory(&resident) == 0)
		g->left = resident;
}

static void on_done(uv_work_t *w, int status)
{
	struct memory_trim *g = w->data;

	(void)status;
	g->busy = false;
	if (g->closed)
		free(g);
}

static void on_timer(uv_timer_t *t)
{
	struct memory_trim *g = t->data;

	if (!g->busy)
		g->busy = uv_queue_work(t->loop, &g->work, on_work, on_done) == 0;
}

static void on_closed(uv_handle_t *h)
{
	struct memory_trim *g = h->data;

	g->closed = true;
	if (!g->busy)
		free(g);
}

struct memory_trim *memory_trim_new(uv_loop_t *loop)
{
	struct memory_trim *g = mem_calloc(1, sizeof(*g));

	g->timer.data = g->work.data = g;
	(void)uv_timer_init(loop, &g->timer);
	(void)uv_timer_start(&g->timer, on_timer, EVERY_MS, EVERY_MS);
	uv_unref((uv_handle_t *)&g->timer);
	return g;
}

void memory_trim_close(struct memory_trim *g)
{
	if (g)
		uv_close((uv_handle_t *)&g->timer, on_closed);
}
