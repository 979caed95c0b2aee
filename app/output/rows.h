/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_OUTPUT_ROWS_H
#define APP_OUTPUT_ROWS_H

#include <stdio.h>

#include "views/rows.h"

/*
 * The rows of a view without a screen: the same rows() and cell(), as a table for people, CSV,
 * Markdown or JSON.
 */
struct rows_page {
	const struct view_ops *view;
	const struct view_ctx *ctx;
	const row_vec *rows;
	size_t columns[TABLE_MAX_COLUMNS]; /* indices, in order */
	size_t ncolumns;
	const char *place; /* locator of the scope; "" the whole */
};

/* A column whose cell is a number to calculate with, not a word with an order (state, 3/4). */
bool rows_is_number(const struct table_column *c, const struct view_cell *cell);
/* Its digits, as many as it has; dst of 40 bytes. Returns dst. */
char *rows_number(double v, char *dst, size_t size);

/* Aligned, with a header. width: of the terminal, the least important columns are left out to fit;
 * 0: whatever it takes. */
void rows_text(const struct rows_page *p, int width, FILE *out);
/* RFC 4180 but for its line ends, which are those of the system; unknown is empty. */
void rows_csv(const struct rows_page *p, bool header, FILE *out);
void rows_markdown(const struct rows_page *p, FILE *out);
/*
 * {"schema":1,"view":...,"place":...,"time":...,"coverage":{...},"columns":[...],"rows":[...]},
 * each row with "ref", its locator. one_line: without line ends within. False: out of memory.
 */
bool rows_json(const struct rows_page *p, bool one_line, FILE *out);
/* Locator of a row: what pasted into the console leads there; false: it has none. */
bool rows_ref(const struct rows_page *p, struct ref row, char *dst, size_t size);

/*
 * What a place is to a view: "leaf-r3-00", "3" where it wants a rail, "pretrain" where it wants a
 * job, a finding's locator. "": the whole fabric, where the view shows that.
 */
bool rows_place(const struct model *m, const struct diag *d, const struct view_ops *v,
	const char *text, struct ref *out, struct err *err);
/* The same as far as it can be told without data: a place is needed, and there is none. */
bool rows_place_given(const struct view_ops *v, const char *text, struct err *err);

#endif
