/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_CAPTURE_H
#define TUI_CAPTURE_H

#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "tui/term.h"

/*
 * Captures the screen for a ticket: text without trailing blanks, one line a row, or with the
 * theme's colours as SGR sequences. The content is that of the last term_commit().
 */
bool capture_text(const struct term *t, struct buf *out);
bool capture_ansi(const struct term *t, struct buf *out);

/*
 * Records the session as an asciicast file (version 2: a header line, then [seconds, "o", text]),
 * for the post-mortem. A frame is recorded after it was sent if it differs, as its changed rows.
 * Keys are not recorded, because they may be a secret. An existing file is not overwritten. A
 * failure ends the recording and is reported once.
 */
struct asciicast;
struct asciicast *asciicast_open(const char *path, const struct term *t, const char *title,
	int64_t wall_us, struct err *err);
/* Call it after each term_commit(). False with err once, when the recording had to end. */
bool asciicast_frame(struct asciicast *a, const struct term *t, int64_t mono_us, struct err *err);
bool asciicast_close(struct asciicast *a, struct err *err); /* NULL is allowed */

#endif
