/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_NOC_NOC_H
#define VIEWS_NOC_NOC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock_zone.h"
#include "diagnosis/engine/diagnosis.h"
#include "fabric/model/model.h"
#include "tui/keymap.h"
#include "tui/term.h"

/*
 * The wall of a network operations centre: pages that turn by themselves for weeks. Unlike the
 * console it has no command table, no prompt and no help. It knows four commands of the keymap
 * (page next, page previous, hold, quit twice) and ignores all other keys. It shows no names of
 * jobs and users, no paths, reasons and incidents.
 *
 * Green is never shown from old data: without data of at least half of the devices, or when none
 * has answered for a minute, the word is BLIND.
 *
 * It has no clock. The caller gives wall time (for the time on the screen) and monotonic time (for
 * timers), both in microseconds. The wall clock may jump.
 */
struct noc;

struct noc_opts {
	struct term *term;           /* NULL: draws nothing */
	const struct keymap *keymap; /* NULL: ignores all keys */
	int64_t rotate_us;           /* time of a page; 0: NOC_ROTATE_US */
	bool bare;                   /* a part of the sandbox is missing: the header says so */
	bool replay;                 /* the data comes from a file: it does not age */
	struct clock_zone zone;      /* of the times on the screen; {0}: UTC */
};
#define NOC_ROTATE_US     INT64_C(20000000)
#define NOC_ROTATE_MIN_US INT64_C(2000000)
#define NOC_PIN_US        INT64_C(120000000) /* or three pages, whichever is longer */

struct noc *noc_new(const struct noc_opts *opts, int64_t wall_us, int64_t mono_us);
void noc_free(struct noc *n); /* NULL is allowed */

/* Whether the wall knows this command of the keymap. */
bool noc_command_known(void *ctx, const char *name);

/*
 * Sets the data: the model and its diagnosis (NULL: none runs), as of data_us. Both must outlive
 * the next call or noc_free(). A new critical finding turns to the first page and keeps it for
 * NOC_PIN_US.
 */
void noc_data(struct noc *n, const struct model *m, const struct diag *d, int64_t data_us,
	int64_t mono_us);
void noc_key(struct noc *n, int key, int64_t mono_us);
/* Time has passed: turns the page, moves the clock. */
void noc_tick(struct noc *n, int64_t wall_us, int64_t mono_us);
/* Mono time at which noc_tick() is due next if nothing else happens. */
int64_t noc_due(const struct noc *n);

void noc_touch(struct noc *n); /* the terminal was resized */
bool noc_dirty(const struct noc *n);
/* False: the terminal has not answered the last frame, try again later. */
bool noc_draw(struct noc *n);
bool noc_quitting(const struct noc *n);

/* ---- for tests, and for callers that need only the word ---- */
/* UNKNOWN: no fault was seen, but a check could not be made. */
enum noc_word { NOC_BLIND, NOC_UNKNOWN, NOC_OK, NOC_DEGRADED, NOC_CRITICAL };
enum noc_word noc_word(const struct noc *n);
const char *noc_word_name(enum noc_word w); /* "BLIND", "UNKNOWN", "OK", "DEGRADED", "CRITICAL" */
unsigned noc_page(const struct noc *n);     /* 0.. */
unsigned noc_pages(void);
bool noc_pinned(const struct noc *n);

#endif
