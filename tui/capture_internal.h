/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_CAPTURE_INTERNAL_H
#define TUI_CAPTURE_INTERNAL_H

#include "base/buf.h"
#include "tui/term.h"

/* Appends a row of the last frame, without blanks at its end and without a line end. */
void capture_row(const struct term *t, int y, bool colours, struct buf *out);

#endif
