/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/table.h"

#include <string.h>

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
		l->width[l->n] = src->columns[c].width > 0 ? src->columns[c].width : 1;
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

static void share_spare(struct layout *l, const struct table_source *src, int width)
{
	int spare = width - total_width(l), grow = 0;

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
	share_spare(l, src, width);
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

static void draw_row(struct region r, int y, const struct layout *l, const struct table_source *src,
	size_t row, bool cursor)
{
	struct table_cell cell;

	if (cursor)
		draw_fill(r, y, 0, r.w, ROLE_CURSOR);
	for (size_t i = 0, x = 0; i < l->n; x += (size_t)(l->width[i++] + GAP)) {
		memset(&cell, 0, sizeof(cell));
		src->cell(src->ctx, row, l->column[i], &cell);
		cell.text[sizeof(cell.text) - 1] = '\0';
		draw_cell(r, y, (int)x, l->width[i], src->columns[l->column[i]].right,
			cursor ? ROLE_CURSOR : cell.role, cell.text);
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

	lay_out(&l, s, src, r.w);
	if (r.h <= 0 || r.w <= 0)
		return;
	draw_clear(r);
	/* A single line shows the row under the cursor rather than a header without rows. */
	if (r.h > 1) {
		draw_header(r, &l, s, src);
		body = region_sub(r, 1, 0, r.h - 1, r.w);
	}
	s->page = body.h;
	if (table_row(s, src) == SIZE_MAX) {
		s->top = 0;
		draw_empty(body, src->empty);
		return;
	}
	scroll_to_cursor(s, src->nrows);
	for (int y = 0; y < body.h && s->top + (size_t)y < src->nrows; y++)
		draw_row(body, y, &l, src, s->top + (size_t)y, s->top + (size_t)y == s->cursor);
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
