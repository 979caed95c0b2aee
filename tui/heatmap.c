/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "tui/table.h"
#include "tui/text.h"
#include "tui/widgets.h"

#define LABEL_SIZE     40
#define ROW_LABEL_MAX  24
#define ROWS_MEASURED  512
#define CELL_WIDTH_MAX 8

/* The layout: cells begin behind the label's columns, cell columns are pitch apart. */
struct grid {
	int label, pitch;
	int columns, rows; /* visible ones */
};

static void label_of(void (*get)(void *, int, char *, size_t), void *ctx, int i, char *dst)
{
	dst[0] = '\0';
	if (get)
		get(ctx, i, dst, LABEL_SIZE);
	dst[LABEL_SIZE - 1] = '\0';
}

static struct grid measure_grid(struct region r, const struct heatmap_source *src)
{
	struct grid g = {0};
	char label[LABEL_SIZE];
	int cell = src->cell_width < 1 ? 1 : src->cell_width;

	for (int i = 0; i < src->rows && i < ROWS_MEASURED; i++) {
		int w;

		label_of(src->row_label, src->ctx, i, label);
		w = draw_width(r.term, label);
		g.label = w > g.label ? w : g.label;
	}
	g.label = g.label > ROW_LABEL_MAX ? ROW_LABEL_MAX : g.label;
	/* On a narrow screen the cells matter more than the label's end. */
	if (g.label > r.w / 2)
		g.label = r.w / 2;
	g.pitch = (cell > CELL_WIDTH_MAX ? CELL_WIDTH_MAX : cell) + 1;
	g.columns = (r.w - g.label) / g.pitch;
	g.rows = r.h - 1;
	return g;
}

static int clamp_int(int v, int low, int high)
{
	return v > high ? (high < low ? low : high) : v < low ? low : v;
}

/* Moves the window as little as needed so that the cursor is inside. */
static int move_window(int first, int cursor, int visible, int total)
{
	if (cursor >= 0 && cursor < first)
		first = cursor;
	if (cursor >= first + visible)
		first = cursor - visible + 1;
	return clamp_int(first, 0, total - visible);
}

static void draw_column_labels(struct region r, const struct heatmap_state *s,
	const struct heatmap_source *src, const struct grid *g, int columns)
{
	char label[LABEL_SIZE];

	for (int i = 0; i < columns; i++) {
		label_of(src->column_label, src->ctx, s->first_column + i, label);
		draw_text(r, 0, g->label + i * g->pitch + 1, ROLE_HEADER, label, g->pitch - 1);
	}
	if (s->first_column > 0)
		draw_text(r, 0, g->label, ROLE_HINT, "<", 1);
	if (s->first_column + columns < src->columns)
		draw_text(r, 0, r.w - 1, ROLE_HINT, ">", 1);
}

static void draw_row(struct region r, int y, int row, const struct heatmap_state *s,
	const struct heatmap_source *src, const struct grid *g, int columns, bool show_cursor)
{
	char label[LABEL_SIZE];
	struct table_cell cell;

	label_of(src->row_label, src->ctx, row, label);
	draw_text(r, y, 0, ROLE_HEADER, label, g->label);
	for (int i = 0; i < columns; i++) {
		int column = s->first_column + i, x = g->label + i * g->pitch + 1;
		bool here = show_cursor && row == s->row && column == s->column;

		memset(&cell, 0, sizeof(cell));
		src->cell(src->ctx, row, column, &cell);
		cell.text[sizeof(cell.text) - 1] = '\0';
		if (here)
			draw_fill(r, y, x, g->pitch - 1, ROLE_CURSOR);
		draw_text(r, y, x, here ? ROLE_CURSOR : cell.role, cell.text, g->pitch - 1);
	}
}

int heatmap_draw(struct region r, struct heatmap_state *s, const struct heatmap_source *src,
	bool show_cursor)
{
	struct grid g;
	int columns, rows;

	s->row = clamp_int(s->row, 0, src->rows - 1);
	s->column = clamp_int(s->column, 0, src->columns - 1);
	if (r.h < 2 || r.w < 2 || src->rows <= 0 || src->columns <= 0)
		return 0;
	g = measure_grid(r, src);
	if (g.columns < 1)
		return 0;
	columns = g.columns < src->columns ? g.columns : src->columns;
	rows = g.rows < src->rows ? g.rows : src->rows;
	s->first_column =
		move_window(s->first_column, show_cursor ? s->column : -1, columns, src->columns);
	s->first_row = move_window(s->first_row, show_cursor ? s->row : -1, rows, src->rows);
	draw_column_labels(r, s, src, &g, columns);
	for (int i = 0; i < rows; i++)
		draw_row(r, i + 1, s->first_row + i, s, src, &g, columns, show_cursor);
	return rows + 1;
}
