/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_PLOT_H
#define TUI_PLOT_H

#include "tui/draw.h"

/*
 * Lines over time in a region. With Braille a cell has two columns and four rows of dots; without
 * it, or without colours for more than one line, each line has a sign of its own.
 */
enum plot_style { PLOT_BRAILLE, PLOT_BLOCKS, PLOT_SIGNS };
enum plot_choice { PLOT_AUTO, PLOT_ONLY_BRAILLE, PLOT_ONLY_BLOCKS, PLOT_ONLY_SIGNS };

#define PLOT_LINES   8
#define PLOT_COLUMNS 1024 /* most samples of a line */

struct plot_line {
	const float *at; /* one sample a column, oldest first, 0 to 1; NAN: not known, a gap */
	unsigned n;
};

/* The style for that many lines on this terminal: the wanted one, as far as it can be drawn. */
enum plot_style plot_style(const struct term *t, enum plot_choice wanted, size_t lines);
/* Samples that a plot of that width needs. */
unsigned plot_columns(enum plot_style style, int width);
/* The role and the sign of the i-th line, for a legend. */
enum role plot_role(size_t line);
const char *plot_sign(enum plot_style style, size_t line);
/* Draws the lines, the first one in front. */
void plot_draw(struct region r, enum plot_style style, const struct plot_line *lines, size_t n);

#endif
