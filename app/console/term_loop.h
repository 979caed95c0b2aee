/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONSOLE_TERM_LOOP_H
#define APP_CONSOLE_TERM_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "tui/term.h"

/*
 * A terminal on an event loop: keys are read when they come, what is due is drawn just before the
 * loop sleeps, and the frame gate's deadline wakes it. For programs that show one thing; signals
 * are the owner's.
 */
struct term_loop_hooks {
	void (*key)(void *ctx, int key);
	bool (*dirty)(void *ctx);
	bool (*draw)(void *ctx); /* false: the gate is closed */
	/* Before each sleep, in pieces of a few milliseconds: true: there is more. NULL: none. */
	bool (*work)(void *ctx);
	/* Before each sleep: mono time at which to wake, INT64_MAX. NULL: never. */
	int64_t (*turn)(void *ctx);
	bool (*busy)(void *ctx);      /* what is shown is about to change by itself; NULL: never */
	size_t (*flushed)(void *ctx); /* keys that were forgotten unread so far; NULL: none */
	void (*gone)(void *ctx);      /* the terminal hung up: nobody is left to draw for */
	void *ctx;
};

struct term_loop {
	struct term *term;
	struct term_loop_hooks hooks;
	uv_poll_t input;
	uv_timer_t timer;
	uv_idle_t more; /* active while there is work: the loop does not sleep */
	uv_prepare_t settle;
	int idle_fd; /* a line there whenever the screen is settled; -1: none */
	unsigned long keys, keys_told;
	bool frame_since_idle, stopped;
};

/* t->term, hooks and idle_fd are set by the caller; the rest is 0. */
void term_loop_start(struct term_loop *t, uv_loop_t *loop);
/* Closes its handles; no hook is called after this. */
void term_loop_stop(struct term_loop *t);

#endif
