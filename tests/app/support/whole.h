/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_APP_SUPPORT_WHOLE_H
#define TESTS_APP_SUPPORT_WHOLE_H

#include "tui/term.h"
#include "tui/keymap.h"
#include "views/console/console.h"

/*
 * A console with the commands and keys of railtop, on a fabric that has every kind of row. It has
 * hosts, leaves, spines, sessions, needs, events, jobs, communicators, ranks and pauses. It has
 * wrong wiring and settings, a finding at each kind of place, a ledger, differences, runbooks and
 * their trail. Time travel leads to smaller models. The calls of the console are checked: a place
 * that does not exist ends the program (whole_fail).
 */
enum whole_mode {
	WHOLE_LIVE,      /* may act */
	WHOLE_READ_ONLY, /* live as well */
	WHOLE_FILE,      /* railtop open FILE */
	WHOLE_MODES
};
struct whole;

struct whole *whole_new(enum whole_mode mode, struct term *term);
void whole_free(struct whole *w);

/* The console; a new one after the previous one was left. */
struct console *whole_console(struct whole *w);
const struct keymap *whole_keys(const struct whole *w);
const struct command *whole_commands(const struct whole *w, size_t *n);
/* The model on screen. */
const struct model *whole_model(const struct whole *w);
/* Five seconds pass: data arrives, devices fall silent, an unplanned device shows up. */
void whole_tick(struct whole *w);
/* Shows the n-th moment, 0: now (of a file: its end). */
void whole_moment(struct whole *w, unsigned n);

/* Prints the message to standard error and ends the program at once. */
void whole_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
