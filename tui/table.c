/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/table_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tui/text.h"

#define MARGIN 2 /* rows kept visible around the cursor */

void table_init(struct table_state *s)
{
	memset(s, 0, sizeof(*s));
	s->sort_column = -1;
}

static void draw_cell(
	struct region r, int y, int x, int width, bool right, enum role role, const char *text)
{
	const char *dots = glyph(r.term, GLYPH_ELLIPSIS);

	if (x >= r.w)
		return;
	if (draw_width(r.term, text) > width) {
		draw_text(r, y, x, role, text, width - 1);
		draw_text(r, y, x + width - 1, role, dots, 1);
	} else if (right) {
		draw_right(r, y, x, width, role, text);
	} else {
		draw_text(r, y, x, role, text, width);
	}
}

static void draw_header(struct region r, const struct layout *l, const struct table_state *s,
	const struct table_source *src)
{
	const char *mark = glyph(r.term, s->sort_descending ? GLYPH_SORT_DOWN : GLYPH_SORT_UP);

	draw_fill(r, 0, 0, r.w, ROLE_HEADER);
	for (size_t i = 0, x = 0; i < l->n; x += (size_t)(l->width[i++] + TABLE_GAP)) {
		const struct table_column *c = &src->columns[l->column[i]];
		bool sorted = s->sort_column == (int)l->column[i];
		int room = l->width[i] - (sorted ? 1 : 0);
		int used = draw_width(r.term, c->title);
		int pad = c->right && used < room ? room - used : 0;

		used = draw_text(r, 0, (int)x + pad, ROLE_HEADER, c->title, room - pad);
		if (sorted)
			draw_text(r, 0, (int)x + pad + used, ROLE_HEADER, mark, 1);
	}
}

static struct grid grid_read(
	const struct table_state *s, const struct table_source *src, int height)
{
	size_t left = src->nrows - s->top;
	struct grid g = {.top = s->top, .columns = table_columns(src)};

	g.rows = height > 0 && (size_t)height < left ? (size_t)height : height > 0 ? left : 0;
	g.cells = mem_calloc(g.rows * g.columns + 1, sizeof(*g.cells));
	for (size_t row = 0; row < g.rows; row++)
		for (size_t c = 0; c < g.columns; c++) {
			struct table_cell *cell = &g.cells[row * g.columns + c];

			if (table_hides(s, c))
				continue;
			src->cell(src->ctx, g.top + row, c, cell);
			cell->text[sizeof(cell->text) - 1] = '\0';
		}
	return g;
}

static void measure(struct region r, struct table_state *s, const struct grid *g)
{
	for (size_t c = 0; c < g->columns; c++)
		for (size_t row = 0; row < g->rows; row++) {
			int w = draw_width(r.term, g->cells[row * g->columns + c].text);

			if (w > s->need[c])
				s->need[c] = w < UINT8_MAX ? (uint8_t)w : UINT8_MAX;
		}
}

/* The row under the cursor keeps the colour of what is bad in it. */
static enum role role_under_cursor(enum role r)
{
	if (r == ROLE_CRIT || r == ROLE_ERROR)
		return ROLE_CURSOR_CRIT;
	return r == ROLE_WARN ? ROLE_CURSOR_WARN : ROLE_CURSOR;
}

static void draw_row(struct region r, int y, const struct layout *l, const struct table_source *src,
	struct table_cell *cells, bool cursor)
{
	if (cursor)
		draw_fill(r, y, 0, r.w, ROLE_CURSOR);
	for (size_t i = 0, x = 0; i < l->n; x += (size_t)(l->width[i++] + TABLE_GAP)) {
		struct table_cell *cell = &cells[l->column[i]];
		bool right = src->columns[l->column[i]].right;
		int width = l->width[i];

		/* Half of a number is another number. */
		if (!cell->text[0] || (right && i && (int)x + width > r.w))
			continue;
		if (!right && draw_width(r.term, cell->text) > width)
			width = table_room(l, cells, i);
		if (src->shorten && !right && draw_width(r.term, cell->text) > width)
			src->shorten(src->ctx, cell->text, sizeof(cell->text), width);
		draw_cell(r, y, (int)x, width, right,
			cursor ? role_under_cursor(cell->role) : cell->role, cell->text);
	}
}

/* Keeps the positions for the mouse. */
static void note_layout(struct table_state *s, const struct layout *l)
{
	int x = 0;

	s->ndrawn = l->n;
	for (size_t i = 0; i < l->n; x += l->width[i++] + TABLE_GAP) {
		s->drawn[i].x = (int16_t)x;
		s->drawn[i].width = (int16_t)l->width[i];
		s->drawn[i].column = (uint8_t)l->column[i];
	}
}

static size_t find_row(const struct table_state *s, const struct table_source *src)
{
	/* The row has usually not moved. */
	if (s->cursor < src->nrows && src->key(src->ctx, s->cursor) == s->cursor_key)
		return s->cursor;
	if (src->find) {
		size_t row = src->find(src->ctx, s->cursor_key);

		return row < src->nrows ? row : SIZE_MAX;
	}
	for (size_t row = 0; row < src->nrows; row++)
		if (src->key(src->ctx, row) == s->cursor_key)
			return row;
	return SIZE_MAX;
}

static void put_cursor(struct table_state *s, const struct table_source *src, size_t row)
{
	s->cursor = row < src->nrows ? row : src->nrows - 1;
	s->cursor_key = src->key(src->ctx, s->cursor);
	s->anchored = true;
}

size_t table_row(struct table_state *s, const struct table_source *src)
{
	size_t row;

	/*
	 * The anchor outlives an empty table, for instance while the user types a filter that
	 * matches nothing.
	 */
	if (!src->nrows)
		return SIZE_MAX;
	row = s->anchored ? find_row(s, src) : SIZE_MAX;
	put_cursor(s, src, row != SIZE_MAX ? row : s->cursor);
	return s->cursor;
}

bool table_goto(struct table_state *s, const struct table_source *src, uint64_t key)
{
	struct table_state at = *s;
	size_t row;

	at.cursor_key = key;
	row = find_row(&at, src);
	if (row == SIZE_MAX)
		return false;
	put_cursor(s, src, row);
	return true;
}

/* Scrolls as little as needed to keep the cursor and its margin on the page. */
static void scroll_to_cursor(struct table_state *s, size_t nrows)
{
	size_t page = s->page > 0 ? (size_t)s->page : 1;
	size_t margin = (page - 1) / 2 < MARGIN ? (page - 1) / 2 : MARGIN;
	size_t last_top = nrows > page ? nrows - page : 0;

	if (s->cursor < s->top + margin)
		s->top = s->cursor > margin ? s->cursor - margin : 0;
	if (s->cursor + margin >= s->top + page)
		s->top = s->cursor + margin + 1 - page;
	if (s->top > last_top)
		s->top = last_top;
}

static void draw_empty(struct region r, const char *why)
{
	int w;

	why = why ? why : "no rows";
	w = draw_width(r.term, why);
	draw_text(r, r.h > 1 ? r.h / 3 + (r.h > 2) : 0, w < r.w ? (r.w - w) / 2 : 0, ROLE_DIM, why,
		-1);
}

void table_measure_anew(struct table_state *s)
{
	memset(s->need, 0, sizeof(s->need));
}

void table_draw(struct region r, struct table_state *s, const struct table_source *src)
{
	struct layout l;
	struct region body = r;
	struct grid g = {.cells = NULL};

	/* A single line shows the row under the cursor rather than a header without rows. */
	if (r.h > 1)
		body = region_sub(r, 1, 0, r.h - 1, r.w);
	s->page = body.h;
	if (s->need_w != r.w || s->need_h != r.h)
		table_measure_anew(s);
	s->need_w = r.w;
	s->need_h = r.h;
	if (table_row(s, src) == SIZE_MAX) {
		s->top = 0;
	} else {
		scroll_to_cursor(s, src->nrows);
		g = grid_read(s, src, r.w > 0 ? body.h : 0);
		measure(r, s, &g);
	}
	table_lay_out(&l, s, src, &g, r.w);
	note_layout(s, &l);
	if (r.h <= 0 || r.w <= 0) {
		free(g.cells);
		return;
	}
	draw_clear(r);
	if (r.h > 1)
		draw_header(r, &l, s, src);
	if (!src->nrows)
		draw_empty(body, src->empty);
	for (size_t y = 0; y < g.rows; y++)
		draw_row(body, (int)y, &l, src, &g.cells[y * g.columns], s->top + y == s->cursor);
	s->has_free_lines = src->nrows && (int)g.rows < body.h;
	free(g.cells);
}

static size_t move_distance(const struct table_state *s, enum table_move how)
{
	size_t page = s->page > 0 ? (size_t)s->page : 10;

	switch (how) {
	case TABLE_PAGE_UP:
	case TABLE_PAGE_DOWN:
		return page > 1 ? page - 1 : 1; /* one line of the old page stays in sight */
	case TABLE_HALF_UP:
	case TABLE_HALF_DOWN:
		return page > 1 ? page / 2 : 1;
	case TABLE_TOP:
	case TABLE_BOTTOM:
		return SIZE_MAX;
	default:
		return 1;
	}
}

static void scroll_columns(struct table_state *s, enum table_move how)
{
	if (how == TABLE_LEFT && s->first_column > 0)
		s->first_column--;
	else if (how == TABLE_RIGHT && s->columns_dropped > 0)
		s->first_column++;
}

void table_move(struct table_state *s, const struct table_source *src, enum table_move how)
{
	size_t row, by = move_distance(s, how);

	if (how == TABLE_LEFT || how == TABLE_RIGHT) {
		scroll_columns(s, how);
		return;
	}
	row = table_row(s, src);
	if (row == SIZE_MAX)
		return;
	if (how == TABLE_UP || how == TABLE_PAGE_UP || how == TABLE_HALF_UP || how == TABLE_TOP)
		row = row > by ? row - by : 0;
	else
		row = src->nrows - 1 - row > by ? row + by : src->nrows - 1;
	put_cursor(s, src, row);
}
