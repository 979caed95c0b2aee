/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/draw.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tui/term_internal.h"
#include "tui/text.h"

#define RUN 128 /* cells given to ncurses in one call */

/* A line of cells to be drawn, clipped to first <= column < end. */
struct run {
	struct region r;
	enum role role;
	int y, x;       /* position of the next cell in the region */
	int first, end; /* the visible columns */
	int at;         /* position of the first collected cell */
	int n;
	cchar_t cells[RUN + 1];
};

struct region region_screen(struct term *t)
{
	return (struct region){.term = t, .h = term_rows(t), .w = term_cols(t)};
}

static int clamp_int(int v, int low, int high)
{
	return v < low ? low : v > high ? high : v;
}

struct region region_sub(struct region r, int y, int x, int h, int w)
{
	struct region sub = r;
	int bottom, right;

	y = clamp_int(y, -r.h, r.h);
	x = clamp_int(x, -r.w, r.w);
	bottom = h < 0 ? r.h + clamp_int(h, -r.h, 0) : y + clamp_int(h, 0, 2 * r.h);
	right = w < 0 ? r.w + clamp_int(w, -r.w, 0) : x + clamp_int(w, 0, 2 * r.w);
	y = clamp_int(y, 0, r.h);
	x = clamp_int(x, 0, r.w);
	sub.y = r.y + y;
	sub.x = r.x + x;
	sub.h = clamp_int(bottom, y, r.h) - y;
	sub.w = clamp_int(right, x, r.w) - x;
	return sub;
}

static void run_flush(struct run *run)
{
	if (run->n) {
		memset(&run->cells[run->n], 0, sizeof(run->cells[0]));
		(void)mvadd_wchnstr(run->r.y + run->y, run->r.x + run->at, run->cells, run->n);
	}
	run->n = 0;
	run->at = run->x;
}

/* Puts one character of w columns; false at the right edge. */
static bool run_put(struct run *run, uint32_t c, int w)
{
	const struct look *look = &run->r.term->look[run->role];
	wchar_t text[2] = {(wchar_t)c, L'\0'};

	if (run->x >= run->end)
		return false;
	/* Half a wide character cannot be drawn: the half inside becomes a space. */
	if (w == 2 && (run->x + 1 >= run->end || run->x == run->first - 1)) {
		run->x += run->x < run->first;
		text[0] = L' ';
		w = 1;
	}
	if (run->x >= run->first) {
		if (!run->n)
			run->at = run->x;
		(void)setcchar(&run->cells[run->n++], text, look->attr, look->pair, NULL);
	}
	run->x += w;
	if (run->n == RUN)
		run_flush(run);
	return true;
}

static bool run_text(struct run *run, const char *s)
{
	const bool utf8 = term_utf8(run->r.term);

	while (*s) {
		uint32_t c = text_next(&s);
		int w = utf8 || c < 0x7f ? text_columns(c) : 0;

		if (w > 0) {
			if (!run_put(run, c, w))
				return false;
			continue;
		}
		for (const char *a = utf8 || c < 0xa0 ? "?" : text_ascii(c); *a; a++)
			if (!run_put(run, (unsigned char)*a, 1))
				return false;
	}
	return true;
}

static bool run_start(struct run *run, struct region r, int y, int x, enum role role, int max)
{
	/* Nothing this far outside is visible, and no sum below can overflow. */
	if (y < 0 || y >= r.h || x < -0x8000 || x >= r.w || (unsigned)role >= ROLE_COUNT)
		return false;
	run->r = r;
	run->role = role;
	run->y = y;
	run->x = run->at = x;
	run->n = 0;
	run->first = x < 0 ? 0 : x;
	run->end = max < 0 || max > r.w - x ? r.w : x + max;
	return x < run->end && run->end > 0;
}

int draw_text(struct region r, int y, int x, enum role role, const char *text, int max)
{
	struct run run;

	if (!run_start(&run, r, y, x, role, max))
		return 0;
	(void)run_text(&run, text);
	run_flush(&run);
	return run.x - x;
}

int draw_width(const struct term *t, const char *text)
{
	int w = 0;

	if (term_utf8(t))
		return text_width(text);
	while (*text) {
		uint32_t c = text_next(&text);

		w += c < 0xa0 ? 1 : (int)strlen(text_ascii(c));
	}
	return w;
}

void draw_right(struct region r, int y, int x, int width, enum role role, const char *text)
{
	int spare = width - draw_width(r.term, text);

	if (spare > 0)
		draw_text(r, y, x + spare, role, text, width - spare);
	else
		draw_text(r, y, x, role, text, width < 0 ? 0 : width);
}

int draw_textf(struct region r, int y, int x, enum role role, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return draw_text(r, y, x, role, text, -1);
}

void draw_fill(struct region r, int y, int x, int w, enum role role)
{
	struct run run;

	if (!run_start(&run, r, y, x, role, w))
		return;
	while (run_put(&run, ' ', 1))
		;
	run_flush(&run);
}

void draw_clear(struct region r)
{
	for (int y = 0; y < r.h; y++)
		draw_fill(r, y, 0, r.w, ROLE_NORMAL);
}

/* The character of a box line: UTF-8 or plain. */
static uint32_t line_char(const struct region *r, uint32_t utf8, char ascii)
{
	return term_utf8(r->term) ? utf8 : (uint32_t)ascii;
}

static void draw_line(
	struct region r, int y, enum role role, uint32_t left, uint32_t middle, uint32_t right)
{
	struct run run;

	if (!run_start(&run, r, y, 0, role, -1))
		return;
	for (int x = 0; x < r.w; x++)
		(void)run_put(&run, x == 0 ? left : x == r.w - 1 ? right : middle, 1);
	run_flush(&run);
}

int draw_brief(struct region r, int y, int x, enum role role, const char *text)
{
	const char *dots = glyph(r.term, GLYPH_ELLIPSIS);
	int room = r.w - x, used;

	if (room <= 0 || draw_width(r.term, text) <= room)
		return draw_text(r, y, x, role, text, -1);
	used = draw_text(r, y, x, role, text, room - text_width(dots));
	return used + draw_text(r, y, x + used, role, dots, -1);
}

void draw_hline(struct region r, int y, enum role role)
{
	uint32_t c = line_char(&r, 0x2500, '-');

	draw_line(r, y, role, c, c, c);
}

void draw_vline(struct region r, int x, enum role role)
{
	for (int y = 0; y < r.h; y++)
		draw_text(r, y, x, role, term_utf8(r.term) ? "\xe2\x94\x82" : "|", 1);
}

struct region draw_box(struct region r, const char *title, enum role role)
{
	uint32_t h = line_char(&r, 0x2500, '-');

	draw_vline(r, 0, role);
	draw_vline(r, r.w - 1, role);
	draw_line(r, 0, role, line_char(&r, 0x250c, '+'), h, line_char(&r, 0x2510, '+'));
	draw_line(r, r.h - 1, role, line_char(&r, 0x2514, '+'), h, line_char(&r, 0x2518, '+'));
	if (title && *title && r.w > 6) {
		int used = draw_text(r, 0, 3, ROLE_TITLE, title, r.w - 6);

		draw_fill(r, 0, 2, 1, role);
		draw_fill(r, 0, 3 + used, 1, role);
	}
	return region_sub(r, 1, 1, -1, -1);
}

void draw_cursor(struct region r, int y, int x)
{
	if (y < 0 || y >= r.h || x < 0 || x >= r.w)
		return;
	r.term->cursor_y = r.y + y;
	r.term->cursor_x = r.x + x;
}

const char *glyph(const struct term *t, enum glyph g)
{
	static const struct {
		const char *utf8, *ascii;
	} glyphs[] = {
		[GLYPH_ELLIPSIS] = {"\xe2\x80\xa6", "~"},
		[GLYPH_BULLET] = {"\xe2\x80\xa2", "*"},
		[GLYPH_ARROW] = {"\xe2\x86\x92", "->"},
		[GLYPH_LEQ] = {"\xe2\x89\xa4", "<="},
		[GLYPH_UP] = {"\xe2\x86\x91", "^"},
		[GLYPH_DOWN] = {"\xe2\x86\x93", "v"},
		[GLYPH_SORT_UP] = {"\xe2\x96\xb2", "^"},
		[GLYPH_SORT_DOWN] = {"\xe2\x96\xbc", "v"},
		[GLYPH_CRUMB] = {"\xe2\x80\xba", ">"},
		[GLYPH_MICRO] = {"\xc2\xb5", "u"},
		[GLYPH_BRANCH] = {"\xe2\x94\x9c", "|"},
		[GLYPH_BRANCH_LAST] = {"\xe2\x94\x94", "`"},
		[GLYPH_TRUNK] = {"\xe2\x94\x82", "|"},
	};

	if ((unsigned)g >= sizeof(glyphs) / sizeof(glyphs[0]))
		return "?";
	return term_utf8(t) ? glyphs[g].utf8 : glyphs[g].ascii;
}
