/* SPDX-License-Identifier: Apache-2.0 */
#include "app/console/term_loop.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"

static void read_keys(struct term_loop *t)
{
	int key;

	while (!t->stopped && (key = term_key(t->term)) != -1) {
		t->keys++;
		t->hooks.key(t->hooks.ctx, key);
	}
}

static void on_input(uv_poll_t *poll, int status, int events)
{
	struct term_loop *t = poll->data;

	read_keys(t);
	if (!t->stopped && (status < 0 || (events & UV_DISCONNECT) || term_lost(t->term)))
		t->hooks.gone(t->hooks.ctx);
}

static void on_timer(uv_timer_t *timer)
{
	/* Only wakes the loop: on_settle() does the work that is due. */
	(void)timer;
}

static unsigned long keys_taken(const struct term_loop *t)
{
	return t->keys + (t->hooks.flushed ? t->hooks.flushed(t->hooks.ctx) : 0);
}

/* False: the reader has no room. */
static bool report(const struct term_loop *t, const char *what, unsigned long keys)
{
	char line[48];

	(void)str_printf(line, sizeof(line), "%s %lu\n", what, keys);
	return write(t->idle_fd, line, strlen(line)) >= 0;
}

static bool report_idle(struct term_loop *t)
{
	unsigned long keys = keys_taken(t);

	if ((!t->frame_since_idle && keys == t->keys_told) ||
		(t->hooks.busy && t->hooks.busy(t->hooks.ctx)) || !report(t, "idle", keys))
		return false;
	t->keys_told = t->keys_drawn = keys;
	t->frame_since_idle = false;
	return true;
}

/*
 * Answers of devices may come more often than a slow terminal takes frames: then the screen never
 * settles, and yet shows the effect of each key.
 */
static void report_drawn(struct term_loop *t)
{
	unsigned long keys = keys_taken(t);

	if (keys != t->keys_drawn && report(t, "drawn", keys))
		t->keys_drawn = keys;
}

static void wake_at(struct term_loop *t, int64_t mono_us)
{
	int64_t wait;

	if (mono_us == INT64_MAX) {
		uv_timer_stop(&t->timer);
		return;
	}
	wait = (mono_us - clock_mono(&clock_system)) / 1000 + 1;
	/* libuv caches its time at each wake-up: without an update it may be too old. */
	uv_update_time(t->timer.loop);
	uv_timer_start(&t->timer, on_timer, wait > 0 ? (uint64_t)wait : 1, 0);
}

static void on_more(uv_idle_t *more)
{
	/* Only keeps the loop from sleeping: an active idle handle makes its poll timeout zero. */
	(void)more;
}

/* True: there is more work, so the loop must not sleep. */
static bool do_work(struct term_loop *t)
{
	bool more = t->hooks.work && t->hooks.work(t->hooks.ctx);

	if (more)
		uv_idle_start(&t->more, on_more);
	else
		uv_idle_stop(&t->more);
	return more;
}

static void on_settle(uv_prepare_t *prepare)
{
	struct term_loop *t = prepare->data;
	int64_t due, gate;
	bool more, drawn;

	if (t->stopped)
		return;
	/*
	 * The terminal library may have read keys into its buffer while it looked for a gate
	 * answer.
	 */
	read_keys(t);
	if (t->stopped)
		return;
	more = do_work(t);
	due = t->hooks.turn ? t->hooks.turn(t->hooks.ctx) : INT64_MAX;
	drawn = t->hooks.dirty(t->hooks.ctx) && t->hooks.draw(t->hooks.ctx);
	t->frame_since_idle |= drawn;
	if (t->stopped)
		return;
	/* Drawing may have begun new work: one more turn of the loop checks. */
	if (drawn && t->hooks.work && !more) {
		more = true;
		uv_idle_start(&t->more, on_more);
	}
	if (term_lost(t->term)) {
		t->hooks.gone(t->hooks.ctx);
		return;
	}
	gate = term_gate_deadline(t->term);
	wake_at(t, gate < due ? gate : due);
	if (t->idle_fd < 0)
		return;
	if (!more && !t->hooks.dirty(t->hooks.ctx) && gate == INT64_MAX && report_idle(t))
		return;
	if (drawn)
		report_drawn(t);
}

void term_loop_start(struct term_loop *t, uv_loop_t *loop)
{
	uv_poll_init(loop, &t->input, STDIN_FILENO);
	uv_timer_init(loop, &t->timer);
	uv_prepare_init(loop, &t->settle);
	uv_idle_init(loop, &t->more);
	t->input.data = t->timer.data = t->settle.data = t;
	uv_poll_start(&t->input, UV_READABLE | UV_DISCONNECT, on_input);
	uv_prepare_start(&t->settle, on_settle);
}

void term_loop_stop(struct term_loop *t)
{
	if (t->stopped)
		return;
	t->stopped = true;
	uv_close((uv_handle_t *)&t->input, NULL);
	uv_close((uv_handle_t *)&t->timer, NULL);
	uv_close((uv_handle_t *)&t->settle, NULL);
	uv_close((uv_handle_t *)&t->more, NULL);
}
