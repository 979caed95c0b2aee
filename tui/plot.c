/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/plot.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tui/text.h"

#define DOTS_X  2
#define DOTS_Y  4
#define LEVELS  8
#define BRAILLE 0x2800U
#define NO_LINE 0xff

static const char *const signs[PLOT_LINES] = {"#", "o", "+", "x", "*", "@", "%", "&"};
static const char *const blocks[LEVELS + 1] = {" ", "\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83",
	"\xe2\x96\x84", "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88"};

enum plot_style plot_style(const struct term *t, enum plot_choice wanted, size_t lines)
{
	bool can = term_blocks(t);

	if (!can || wanted == PLOT_ONLY_SIGNS)
		return PLOT_SIGNS;
	/* Areas of several lines would hide one another. */
	if (wanted == PLOT_ONLY_BLOCKS && lines <= 1)
		return PLOT_BLOCKS;
	return lines <= 1 || term_has_colour(t) ? PLOT_BRAILLE : PLOT_SIGNS;
}

unsigned plot_columns(enum plot_style style, int width)
{
	int n = style == PLOT_BRAILLE ? width * DOTS_X : width;

	return n < 1 ? 1 : n < PLOT_COLUMNS ? (unsigned)n : PLOT_COLUMNS;
}

enum role plot_role(size_t line)
{
	static const enum role roles[] = {ROLE_LINE_1, ROLE_LINE_2, ROLE_LINE_3, ROLE_LINE_4};

	return roles[line % (sizeof(roles) / sizeof(roles[0]))];
}

const char *plot_sign(enum plot_style style, size_t line)
{
	return style == PLOT_SIGNS ? signs[line % PLOT_LINES] : "\xe2\x96\xac";
}

/* The dots of a plot: a mask and the line in front, by cell. */
struct canvas {
	int w, h, columns, rows; /* in cells; in dots */
	uint8_t *mask, *line;
};

static void put_dot(struct canvas *c, int x, int y, size_t line)
{
	static const uint8_t bits[DOTS_Y][DOTS_X] = {
		{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
	int dx = c->columns / c->w, dy = c->rows / c->h;
	size_t cell = (size_t)(y / dy) * (size_t)c->w + (size_t)(x / dx);

	c->mask[cell] |= bits[y % dy][x % dx];
	c->line[cell] = (uint8_t)line;
}

/* Row of a sample, from the top. A value above zero never lies on the line of zero. */
static int row_of(const struct canvas *c, float v)
{
	int up;

	v = v < 0 ? 0 : v > 1 ? 1 : v;
	up = (int)lround((double)v * (c->rows - 1));
	if (v > 0 && up == 0 && c->rows > 1)
		up = 1;
	return c->rows - 1 - up;
}

static void put_line(struct canvas *c, const struct plot_line *l, size_t line)
{
	int before = -1;

	for (int x = 0; x < c->columns && x < (int)l->n; x++) {
		int y, from, to;

		if (isnan(l->at[x])) {
			before = -1;
			continue;
		}
		y = row_of(c, l->at[x]);
		from = before < 0 || before == y ? y : before < y ? before + 1 : y;
		to = before < 0 || before <= y ? y : before - 1;
		for (int row = from; row <= to; row++)
			put_dot(c, x, row, line);
		before = y;
	}
}

static void draw_canvas(struct region r, const struct canvas *c, enum plot_style style)
{
	char text[5];

	for (int y = 0; y < c->h; y++)
		for (int x = 0; x < c->w; x++) {
			size_t cell = (size_t)y * (size_t)c->w + (size_t)x;
			size_t line = c->line[cell];

			if (line == NO_LINE)
				continue;
			if (style == PLOT_BRAILLE)
				(void)text_encode(BRAILLE + c->mask[cell], text);
			(void)draw_text(r, y, x, plot_role(line),
				style == PLOT_BRAILLE ? text : signs[line % PLOT_LINES], 1);
		}
}

/* A single line as an area of eighths. */
static void draw_area(struct region r, const struct plot_line *l)
{
	for (int x = 0; x < r.w && x < (int)l->n; x++) {
		float v = l->at[x] > 1 ? 1 : l->at[x];
		int fill;

		if (isnan(v))
			continue;
		fill = v > 0 ? (int)lround((double)v * r.h * LEVELS) : 0;
		fill = fill < 1 ? 1 : fill;
		for (int up = 0; up < r.h && fill > 0; up++, fill -= LEVELS)
			(void)draw_text(r, r.h - 1 - up, x, plot_role(0),
				blocks[fill < LEVELS ? fill : LEVELS], 1);
	}
}

void plot_draw(struct region r, enum plot_style style, const struct plot_line *lines, size_t n)
{
	struct canvas c = {.w = r.w, .h = r.h};
	size_t cells = (size_t)(r.w > 0 ? r.w : 0) * (size_t)(r.h > 0 ? r.h : 0);

	if (!cells)
		return;
	if (style == PLOT_BLOCKS) {
		if (n)
			draw_area(r, &lines[0]);
		return;
	}
	c.columns = style == PLOT_BRAILLE ? r.w * DOTS_X : r.w;
	c.rows = style == PLOT_BRAILLE ? r.h * DOTS_Y : r.h;
	c.mask = mem_calloc(cells, 1);
	c.line = mem_calloc(cells, 1);
	memset(c.line, NO_LINE, cells);
	for (size_t i = n; i-- > 0;)
		put_line(&c, &lines[i], i);
	draw_canvas(r, &c, style);
	free(c.mask);
	free(c.line);
}
