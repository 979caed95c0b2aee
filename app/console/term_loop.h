/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONSOLE_TERM_LOOP_H
#define APP_CONSOLE_TERM_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "tui/term.h"

/*
 * Runs a terminal on an event loop. Keys are read when they arrive. A due frame is drawn just
 * before the loop sleeps, and the frame gate's deadline wakes the loop. For programs with a single
 * screen; the caller handles signals.
 */
struct term_loop_hooks {
	void (*key)(void *ctx, int key);
	bool (*dirty)(void *ctx);
	bool (*draw)(void *ctx); /* false: the frame gate is closed */
	/*
	 * Called before each sleep: works for a few milliseconds. True: there is more work. NULL:
	 * none.
	 */
	bool (*work)(void *ctx);
	/*
	 * Called before each sleep: returns the monotonic time (us) at which to wake, INT64_MAX:
	 * none. NULL: never.
	 */
	int64_t (*turn)(void *ctx);
	bool (*busy)(void *ctx);      /* the screen is about to change without a key; NULL: never */
	size_t (*flushed)(void *ctx); /* total number of keys dropped unread; NULL: none */
	void (*gone)(void *ctx);      /* the terminal has hung up: the program must leave */
	void *ctx;
};

struct term_loop {
	struct term *term;
	struct term_loop_hooks hooks;
	uv_poll_t input;
	uv_timer_t timer;
	uv_idle_t more; /* active while there is work, so that the loop does not sleep */
	uv_prepare_t settle;
	/*
	 * Gets "idle KEYS" each time the screen has settled, and "drawn KEYS" when a frame shows
	 * new keys and more is about to come; -1: none.
	 */
	int idle_fd;
	unsigned long keys, keys_told, keys_drawn;
	bool frame_since_idle, stopped;
};

/* Starts it. The caller sets t->term, hooks and idle_fd; the rest must be 0. */
void term_loop_start(struct term_loop *t, uv_loop_t *loop);
/* Closes the handles; no hook is called afterwards. */
void term_loop_stop(struct term_loop *t);

#endif
