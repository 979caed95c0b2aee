/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_DRAW_H
#define TUI_DRAW_H

#include <stddef.h>

#include "tui/term.h"
#include "tui/theme.h"

/* A clipped rectangle of the screen. All draws are inside it, whatever the arguments. */
struct region {
	struct term *term;
	int y, x, h, w;
};

struct region region_screen(struct term *t);
/* A part of r; clipped to it, w or h may become 0. Negative h or w count from the far edge. */
struct region region_sub(struct region r, int y, int x, int h, int w);

/*
 * Text in UTF-8, cut to the region and to at most max columns (< 0: no limit).
 * Wide characters are counted as two and never cut in half; control and combining characters and
 * invalid bytes print as '?'. In ASCII mode a few signs have stand-ins, others print as '?'.
 * Returns the columns used.
 */
int draw_text(struct region r, int y, int x, enum role role, const char *text, int max);
/* The same to the end of the region: text that is cut ends with an ellipsis. */
int draw_brief(struct region r, int y, int x, enum role role, const char *text);
/* The same right-aligned so that it ends at column x + width. */
void draw_right(struct region r, int y, int x, int width, enum role role, const char *text);
/* printf form of draw_text without a limit. */
int draw_textf(struct region r, int y, int x, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
void draw_clear(struct region r);
void draw_fill(struct region r, int y, int x, int w, enum role role); /* spaces in the role */
void draw_hline(struct region r, int y, enum role role);
void draw_vline(struct region r, int x, enum role role);
/* A box around the region with a title in its top border; returns the inside. */
struct region draw_box(struct region r, const char *title, enum role role);
/* Columns a UTF-8 text takes on a UTF-8 screen. */
int text_width(const char *text);
/* Columns draw_text() uses for it on this terminal, where ASCII stand-ins may be longer. */
int draw_width(const struct term *t, const char *text);
/* Shows the terminal's cursor there in this frame (it is hidden otherwise). */
void draw_cursor(struct region r, int y, int x);

enum glyph {
	GLYPH_ELLIPSIS,
	GLYPH_BULLET,
	GLYPH_ARROW,
	GLYPH_LEQ,
	GLYPH_UP,
	GLYPH_DOWN,
	GLYPH_SORT_UP,
	GLYPH_SORT_DOWN,
	GLYPH_CRUMB,
	GLYPH_MICRO,
	GLYPH_BRANCH, /* of a tree: more siblings follow */
	GLYPH_BRANCH_LAST,
	GLYPH_TRUNK /* of a tree, beside deeper lines */
};
/* UTF-8 or its ASCII stand-in ("<=" for the less-or-equal sign); ASCII when t is NULL. */
const char *glyph(const struct term *t, enum glyph g);

#endif
