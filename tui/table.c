/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tui/text.h"

#define GAP    1 /* columns between two cells */
#define MARGIN 2 /* rows kept visible around the cursor */

/* The visible columns with their positions and widths. */
struct layout {
	size_t n;
	size_t column[TABLE_MAX_COLUMNS];
	int width[TABLE_MAX_COLUMNS];
	int dropped;
};

void table_init(struct table_state *s)
{
	memset(s, 0, sizeof(*s));
	s->sort_column = -1;
}

static size_t column_count(const struct table_source *src)
{
	return src->ncolumns < TABLE_MAX_COLUMNS ? src->ncolumns : TABLE_MAX_COLUMNS;
}

static bool is_hidden(const struct table_state *s, size_t column)
{
	return s->hidden >> column & 1;
}

/*
 * The width that a column must have to stay. A number is never cut. Text that is shorter than its
 * column leaves room to others.
 */
static int least_width(const struct table_state *s, const struct table_column *c, size_t i)
{
	int width = c->width > 0 ? c->width : 1, need = s->need[i];

	if (c->right)
		return need > width ? need : width;
	if (need && need < text_width(c->title))
		need = text_width(c->title);
	return c->grow && need && need < width ? need : width;
}

/* An empty column leaves its width to texts that are cut, if there are any. */
static void shrink_empty(
	struct layout *l, const struct table_state *s, const struct table_source *src)
{
	bool cut = false;

	for (size_t i = 0; i < l->n; i++)
		cut |= s->need[l->column[i]] > l->width[i];
	for (size_t i = 0; i < l->n && cut; i++) {
		int title = text_width(src->columns[l->column[i]].title);

		if (!s->need[l->column[i]] && title && title < l->width[i])
			l->width[i] = title;
	}
}

/* Columns of priority 0 always stay; the first `skip` of the others are scrolled away. */
static void choose_columns(
	struct layout *l, const struct table_state *s, const struct table_source *src, int skip)
{
	l->n = 0;
	l->dropped = 0;
	for (size_t c = 0; c < column_count(src); c++) {
		if (is_hidden(s, c))
			continue;
		if (src->columns[c].priority > 0 && skip-- > 0)
			continue;
		l->width[l->n] = least_width(s, &src->columns[c], c);
		l->column[l->n++] = c;
	}
}

static int total_width(const struct layout *l)
{
	int w = 0;

	for (size_t i = 0; i < l->n; i++)
		w += l->width[i] + (i ? GAP : 0);
	return w;
}

/* The least important column, the rightmost of equals; l->n when none may be dropped. */
static size_t least_important(const struct layout *l, const struct table_source *src)
{
	size_t worst = l->n;
	int priority = 1;

	for (size_t i = 0; i < l->n; i++) {
		if (src->columns[l->column[i]].priority < priority)
			continue;
		priority = src->columns[l->column[i]].priority;
		worst = i;
	}
	return worst;
}

static void drop_until_fits(struct layout *l, const struct table_source *src, int width)
{
	while (total_width(l) > width) {
		size_t i = least_important(l, src);

		if (i == l->n)
			return;
		memmove(&l->column[i], &l->column[i + 1], sizeof(l->column[0]) * (l->n - i - 1));
		memmove(&l->width[i], &l->width[i + 1], sizeof(l->width[0]) * (l->n - i - 1));
		l->n--;
		l->dropped++;
	}
}

/* Widens the column whose text lacks the fewest columns; false: none lacks any, or no room. */
static bool widen_one(struct layout *l, const struct table_state *s, int *spare)
{
	size_t best = l->n;
	int least = 0;

	for (size_t i = 0; i < l->n; i++) {
		int lacks = s->need[l->column[i]] - l->width[i];

		if (lacks > 0 && (best == l->n || lacks < least)) {
			best = i;
			least = lacks;
		}
	}
	if (best == l->n || *spare <= 0)
		return false;
	if (least > *spare)
		least = *spare;
	l->width[best] += least;
	*spare -= least;
	return true;
}

/* Spare width goes to texts that are cut, then to the columns' usual widths, then by share. */
static void share_spare(
	struct layout *l, const struct table_state *s, const struct table_source *src, int width)
{
	int spare = width - total_width(l), grow = 0;

	while (widen_one(l, s, &spare)) {
	}
	for (size_t i = 0; i < l->n && spare > 0; i++) {
		int more = src->columns[l->column[i]].width - l->width[i];

		if (more <= 0)
			continue;
		more = more < spare ? more : spare;
		l->width[i] += more;
		spare -= more;
	}
	for (size_t i = 0; i < l->n; i++)
		grow += src->columns[l->column[i]].grow;
	for (size_t i = 0; i < l->n && spare > 0 && grow > 0; i++) {
		int share = src->columns[l->column[i]].grow;
		/* Divides the width that is left, so that the last column takes the remainder. */
		int more = spare * share / grow;

		l->width[i] += more;
		spare -= more;
		grow -= share;
	}
}

static void lay_out(
	struct layout *l, struct table_state *s, const struct table_source *src, int width)
{
	int scrollable = 0;

	for (size_t c = 0; c < column_count(src); c++)
		scrollable += !is_hidden(s, c) && src->columns[c].priority > 0;
	if (s->first_column >= scrollable)
		s->first_column = scrollable - 1;
	if (s->first_column < 0)
		s->first_column = 0;
	/* When the screen has grown, scrolled columns come back as far as they fit. */
	for (; s->first_column > 0; s->first_column--) {
		choose_columns(l, s, src, s->first_column - 1);
		if (total_width(l) > width)
			break;
	}
	choose_columns(l, s, src, s->first_column);
	drop_until_fits(l, src, width);
	shrink_empty(l, s, src);
	share_spare(l, s, src, width);
	s->columns_dropped = l->dropped;
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
	for (size_t i = 0, x = 0; i < l->n; x += (size_t)(l->width[i++] + GAP)) {
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

/* The cells of the visible rows, each read once for measuring and drawing. */
struct grid {
	struct table_cell *cells;
	size_t top, rows, columns;
};

static struct grid grid_read(
	const struct table_state *s, const struct table_source *src, int height)
{
	size_t left = src->nrows - s->top;
	struct grid g = {.top = s->top, .columns = column_count(src)};

	g.rows = height > 0 && (size_t)height < left ? (size_t)height : height > 0 ? left : 0;
	g.cells = mem_calloc(g.rows * g.columns + 1, sizeof(*g.cells));
	for (size_t row = 0; row < g.rows; row++)
		for (size_t c = 0; c < g.columns; c++) {
			struct table_cell *cell = &g.cells[row * g.columns + c];

			if (is_hidden(s, c))
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

/* The width of a text that is cut: its own column, and the empty cells at its right. */
static int room_for_text(const struct layout *l, const struct table_cell *cells, size_t i)
{
	int width = l->width[i];

	while (++i < l->n && !cells[l->column[i]].text[0])
		width += GAP + l->width[i];
	return width;
}

static void draw_row(struct region r, int y, const struct layout *l, const struct table_source *src,
	struct table_cell *cells, bool cursor)
{
	if (cursor)
		draw_fill(r, y, 0, r.w, ROLE_CURSOR);
	for (size_t i = 0, x = 0; i < l->n; x += (size_t)(l->width[i++] + GAP)) {
		struct table_cell *cell = &cells[l->column[i]];
		bool right = src->columns[l->column[i]].right;
		int width = l->width[i];

		if (!cell->text[0])
			continue;
		if (!right && draw_width(r.term, cell->text) > width)
			width = room_for_text(l, cells, i);
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
	for (size_t i = 0; i < l->n; x += l->width[i++] + GAP) {
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
		memset(s->need, 0, sizeof(s->need));
	s->need_w = r.w;
	s->need_h = r.h;
	if (table_row(s, src) == SIZE_MAX) {
		s->top = 0;
	} else {
		scroll_to_cursor(s, src->nrows);
		g = grid_read(s, src, r.w > 0 ? body.h : 0);
		measure(r, s, &g);
	}
	lay_out(&l, s, src, r.w);
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
