/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_OUTPUT_ROWS_H
#define APP_OUTPUT_ROWS_H

#include <stdio.h>

#include "views/rows.h"

/*
 * Writes the rows of a view without a screen: as an aligned table, CSV, Markdown or JSON.
 */
struct rows_page {
	const struct view_ops *view;
	const struct view_ctx *ctx;
	const row_vec *rows;
	size_t columns[TABLE_MAX_COLUMNS]; /* indices, in output order */
	size_t ncolumns;
	const char *place; /* locator of the scope; "": the whole fabric */
};

/* True when the cell is a number. False for words that sort by a number (state, 3/4). */
bool rows_is_number(const struct table_column *c, const struct view_cell *cell);
/* Formats v with as many digits as needed. dst has 40 bytes. Returns dst. */
char *rows_number(double v, char *dst, size_t size);

/* An aligned table with a header. width: of the terminal; the least important columns are left out
 * to fit. 0: unlimited. */
void rows_text(const struct rows_page *p, int width, FILE *out);
/* RFC 4180, except that lines end with \n. Unknown values are empty. */
void rows_csv(const struct rows_page *p, bool header, FILE *out);
void rows_markdown(const struct rows_page *p, FILE *out);
/*
 * Writes
 * {"schema":1,"view":...,"place":...,"time":...,"coverage":{...},"columns":[...],"rows":[...]}.
 * Each row has its locator in "ref". one_line: no line ends within. False: out of memory.
 */
bool rows_json(const struct rows_page *p, bool one_line, FILE *out);
/* The locator of a row, which the console's commands accept. False: it has none. */
bool rows_ref(const struct rows_page *p, struct ref row, char *dst, size_t size);

/*
 * Parses the place for a view: "leaf-r3-00"; "3" for a view of rails, "pretrain" for one of jobs;
 * or a finding's locator. "": the whole fabric, if the view can show it.
 */
bool rows_place(const struct model *m, const struct diag *d, const struct view_ops *v,
	const char *text, struct ref *out, struct err *err);
/* Parses a place of railtop(1), PLACES: a locator of fabric/ref.h, or that of a finding. d may be
 * NULL.
 */
bool place_parse(const struct model *m, const struct diag *d, const char *text, struct ref *out,
	struct err *err);
/* The checks of rows_place() that need no data: whether a place is required but missing. */
bool rows_place_given(const struct view_ops *v, const char *text, struct err *err);

#endif
