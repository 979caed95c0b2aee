/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_ROWS_H
#define VIEWS_ROWS_H

#include "fabric/query/query.h"
#include "views/view.h"

/*
 * Queries and sort orders on the columns of a view: shared by the screen, a runbook's steps and a
 * batch.
 */

/*
 * Index of the column, by its id or by the name that the and runbooks' queries use for it
 * ("pfc_rx.paused" for paused_rx). -1: the view has none.
 */
int view_column(const struct view_ops *v, const char *name);
/* "port, state, ...", for messages; cut at the end. */
void view_column_names(const struct view_ops *v, char *dst, size_t size);
/* Checks that every field of the query is a column of the view; else err lists the columns. */
bool view_query_check(const struct view_ops *v, const struct query *q, struct err *err);

/*
 * Appends a piece of the view's rows, see list() of struct view_ops: all of them if it has no
 * list().
 */
bool view_list_some(const struct view_ctx *ctx, const struct view_ops *v, size_t *at, row_vec *out);

/* The value of a cell for a query. False: there is no such column. */
bool view_field(const struct view_ctx *ctx, const struct view_ops *v, struct ref row,
	const char *name, struct query_value *out);
/*
 * All cells of the row as shown, one a line (so that a search never matches across two cells); dst
 * of VIEW_ROW_TEXT bytes. Returns the length.
 */
#define VIEW_ROW_TEXT ((size_t)TABLE_MAX_COLUMNS * (TABLE_CELL_TEXT + 1) + 1)
size_t view_row_text(
	const struct view_ctx *ctx, const struct view_ops *v, struct ref row, char *dst);

/* Keeps the rows that match q. */
void view_keep_rows(
	const struct view_ctx *ctx, const struct view_ops *v, const struct query *q, row_vec *rows);
/* Sorts stably; unknown values go last in both directions. */
void view_sort_rows(const struct view_ctx *ctx, const struct view_ops *v, size_t col,
	bool descending, row_vec *rows);

/*
 * The same in pieces of about a millisecond, for hundreds of thousands of rows. Call
 * row_sort_some() until it returns true: then the rows are sorted, and until then they are
 * unchanged. rows stays the caller's and must not change meanwhile; the cells may.
 */
#define ROW_SORT_PIECE ((size_t)1024) /* cells a piece */
struct row_sort;
struct row_sort *row_sort_new(size_t col, bool descending, row_vec *rows);
bool row_sort_some(struct row_sort *s, const struct view_ctx *ctx, const struct view_ops *v);
void row_sort_free(struct row_sort *s); /* NULL is allowed */

#endif
