/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_CAPTURE_H
#define TUI_CAPTURE_H

#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "tui/term.h"

/*
 * The screen as its user sees it, for a ticket: text without trailing blanks, a line a row, or with
 * the colours of the theme as SGR sequences. What the terminal was sent last (term_commit()).
 */
bool capture_text(const struct term *t, struct buf *out);
bool capture_ansi(const struct term *t, struct buf *out);

/*
 * The session as an asciicast file (version 2: a header line, then [seconds, "o", text]), for the
 * post-mortem: a frame is recorded when it was sent and differs, as the rows that changed. Keys are
 * not recorded: what is typed may be a secret. A file that exists is not written over; a failure
 * ends the recording and is told once.
 */
struct asciicast;
struct asciicast *asciicast_open(const char *path, const struct term *t, const char *title,
	int64_t wall_us, struct err *err);
/* After each term_commit(); false with err once when it had to end. */
bool asciicast_frame(struct asciicast *a, const struct term *t, int64_t mono_us, struct err *err);
bool asciicast_close(struct asciicast *a, struct err *err); /* NULL is allowed */

#endif
