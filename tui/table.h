/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_TABLE_H
#define TUI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tui/draw.h"

/*
 * The only table widget. It draws and moves the cursor; the caller owns rows, order and filter. The
 * cursor is anchored to a row's key, so it stays on its object when rows move.
 */
struct table_column {
	const char *id; /* stable name: sort, filter, JSON key, column chooser */
	const char *title;
	int width;    /* wanted columns */
	int grow;     /* share of spare width, 0: none */
	int priority; /* lower stays longer when the screen is narrow; 0 never goes */
	bool right;   /* numbers */
	const char *help;
};

#define TABLE_MAX_COLUMNS 40
#define TABLE_CELL_TEXT   96
#define TABLE_CUT_TEXT    320

struct table_cell {
	char text[TABLE_CELL_TEXT];
	enum role role;
};

struct table_source {
	const struct table_column *columns;
	size_t ncolumns;
	size_t nrows;
	void *ctx;
	void (*cell)(void *ctx, size_t row, size_t col, struct table_cell *out);
	uint64_t (*key)(void *ctx, size_t row);
	/* Index of the row with that key, or SIZE_MAX. NULL: the table searches with key(). */
	size_t (*find)(void *ctx, uint64_t key);
	const char *empty; /* shown when there are no rows: the reason */
	/*
	 * Optional: shortens text of size bytes in place to width columns; for names, whose ends
	 * differ. Text that is still too long is cut at its end. Width 1 asks for the shortest form
	 * from which nothing is cut.
	 */
	void (*shorten)(void *ctx, char *text, size_t size, int width);
};

struct table_state {
	size_t cursor, top;
	uint64_t cursor_key;
	bool anchored;   /* cursor_key is valid */
	int sort_column; /* index or -1; drawn in the header, applied by the caller */
	bool sort_descending;
	uint64_t hidden;  /* bit c: column c was switched off by the user */
	int page;         /* rows of the last draw, for page keys */
	int first_column; /* horizontal scroll: first scrollable column shown */
	/* Columns that the last draw had no room for, for a note to the user. */
	int columns_dropped;
	/* What is red or amber in the row under the cursor and had no room: "fec/s 3!"; "". */
	char unseen[96];
	/* Texts of that row of which a part had no room: "why the NIC pauses its leaf port"; "". */
	char cut[TABLE_CUT_TEXT];
	bool has_free_lines; /* below the last row */
	/*
	 * Columns that the widest text drawn so far needs, by column. It only grows while the size
	 * is the same, so that the layout is calm while numbers change; table_measure_anew()
	 * forgets it.
	 */
	uint8_t need[TABLE_MAX_COLUMNS];
	int need_w, need_h; /* size that need is about */
	/* Of the last draw, for the mouse: position of each drawn column. */
	struct {
		int16_t x, width;
		uint8_t column;
	} drawn[TABLE_MAX_COLUMNS];
	size_t ndrawn;
};

enum table_move {
	TABLE_UP,
	TABLE_DOWN,
	TABLE_PAGE_UP,
	TABLE_PAGE_DOWN,
	TABLE_TOP,
	TABLE_BOTTOM,
	TABLE_HALF_UP,
	TABLE_HALF_DOWN,
	TABLE_LEFT,
	TABLE_RIGHT
};

void table_init(struct table_state *s);
/* The next draw measures only what it shows: the operator asked for other rows or another order. */
void table_measure_anew(struct table_state *s);
void table_draw(struct region r, struct table_state *s, const struct table_source *src);
void table_move(struct table_state *s, const struct table_source *src, enum table_move how);
/* Puts the cursor on the row with that key; false when there is none. */
bool table_goto(struct table_state *s, const struct table_source *src, uint64_t key);
/* Row under the cursor, re-anchored; SIZE_MAX when the table is empty. */
size_t table_row(struct table_state *s, const struct table_source *src);

#endif
