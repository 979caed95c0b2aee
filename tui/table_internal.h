/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_TABLE_INTERNAL_H
#define TUI_TABLE_INTERNAL_H

#include "tui/table.h"

/* Shared by table.c and table_layout.c. */

#define TABLE_GAP 1 /* columns between two cells */

/* The visible columns with their positions and widths. */
struct layout {
	size_t n;
	size_t column[TABLE_MAX_COLUMNS];
	int width[TABLE_MAX_COLUMNS];
	int dropped;
};

static inline size_t table_columns(const struct table_source *src)
{
	return src->ncolumns < TABLE_MAX_COLUMNS ? src->ncolumns : TABLE_MAX_COLUMNS;
}

static inline bool table_hides(const struct table_state *s, size_t column)
{
	return s->hidden >> column & 1;
}

/* The cells of the visible rows, each read once for measuring and drawing. */
struct grid {
	struct table_cell *cells;
	size_t top, rows, columns;
};

/* Columns for the text of the i-th drawn cell: its own, and those of empty cells at its right. */
int table_room(const struct layout *l, const struct table_cell *cells, size_t i);

/*
 * Chooses the columns that fit into width, and their widths. A column with what is red or amber in
 * a visible row stays longer than a calm one of greater importance.
 */
void table_lay_out(struct layout *l, struct table_state *s, const struct table_source *src,
	const struct grid *g, int width);

#endif
