/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/output/rows.h"
#include "base/mem.h"
#include "base/str.h"

bool rows_is_number(const struct table_column *c, const struct view_cell *cell)
{
	if (!cell->has_number)
		return false;
	/* A time of day is shown short, but its number is a time since 1970. */
	if (cell->number > 1e9 && cell->text[0] >= '0' && cell->text[0] <= '9' &&
		strpbrk(cell->text, ":-"))
		return true;
	/* "3/4", "2 off", "3>7" and "Cdn" sort by a number that means nothing alone; ">1d" is a
	 * number. */
	return c->right && !strpbrk(cell->text, "/ ") &&
	       (!cell->text[0] ||
		       (strpbrk(cell->text, "0123456789") && !strchr(cell->text + 1, '>')));
}

char *rows_number(double v, char *dst, size_t size)
{
	if (v == floor(v) && fabs(v) < 9e15)
		(void)str_printf(dst, size, "%.0f", v);
	else
		(void)str_printf(dst, size, "%.15g", v);
	/* 17 digits print 0.1 as 0.10000000000000001: use them only if 15 lose precision. */
	if (strtod(dst, NULL) != v && isfinite(v))
		(void)str_printf(dst, size, "%.17g", v);
	return dst;
}

static void cell_of(const struct rows_page *p, size_t row, size_t i, struct view_cell *out)
{
	*out = (struct view_cell){.number = NAN};
	p->view->cell(p->ctx, p->rows->at[row], p->columns[i], out);
}

/* Device texts were sanitised on input; sanitise again before a terminal or page. */
static void clean_cell(char *dst, size_t size, const struct view_cell *c)
{
	(void)str_sanitise(dst, size, c->text, strnlen(c->text, sizeof(c->text)));
}

/* ---- aligned table ---- */

static int *measure_columns(const struct rows_page *p)
{
	int *width = mem_calloc(p->ncolumns, sizeof(*width));
	char text[TABLE_CELL_TEXT];

	for (size_t i = 0; i < p->ncolumns; i++) {
		width[i] = text_width(p->view->columns[p->columns[i]].id);
		for (size_t r = 0; r < p->rows->n; r++) {
			struct view_cell c;
			int w;

			cell_of(p, r, i, &c);
			clean_cell(text, sizeof(text), &c);
			w = text_width(text);
			if (w > width[i])
				width[i] = w;
		}
	}
	return width;
}

/* Leaves out the least important columns until the rest fits: sets their width to 0. */
static void fit_width(const struct rows_page *p, int *width, int room)
{
	for (;;) {
		int all = -2, least = 0;
		size_t drop = 0;

		for (size_t i = 0; i < p->ncolumns; i++) {
			int prio = p->view->columns[p->columns[i]].priority;

			if (!width[i])
				continue;
			all += width[i] + 2;
			if (prio >= least && prio > 0) {
				least = prio;
				drop = i;
			}
		}
		if (all <= room || !least)
			return;
		width[drop] = 0;
	}
}

static void put_blanks(FILE *out, int n)
{
	(void)fprintf(out, "%*s", n > 0 ? n : 0, "");
}

static void put_aligned(FILE *out, const char *text, int width, bool right, bool first, bool last)
{
	int spare = width - text_width(text);

	put_blanks(out, first ? 0 : 2);
	if (right)
		put_blanks(out, spare);
	(void)fputs(text, out);
	if (!right && !last)
		put_blanks(out, spare);
}

static void text_line(const struct rows_page *p, const int *width, size_t row, FILE *out)
{
	bool first = true;
	size_t last = p->ncolumns;

	while (last && !width[last - 1])
		last--;
	for (size_t i = 0; i < last; i++) {
		const struct table_column *col = &p->view->columns[p->columns[i]];
		char text[TABLE_CELL_TEXT];
		struct view_cell c;

		if (!width[i])
			continue;
		if (row == SIZE_MAX) {
			put_aligned(out, col->id, width[i], col->right, first, i + 1 == last);
		} else {
			cell_of(p, row, i, &c);
			clean_cell(text, sizeof(text), &c);
			put_aligned(out, text, width[i], col->right, first, i + 1 == last);
		}
		first = false;
	}
	(void)fputc('\n', out);
}

void rows_text(const struct rows_page *p, int width, FILE *out)
{
	int *widths = measure_columns(p);

	if (width)
		fit_width(p, widths, width);
	text_line(p, widths, SIZE_MAX, out);
	for (size_t r = 0; r < p->rows->n; r++)
		text_line(p, widths, r, out);
	free(widths);
}

/* ---- CSV ---- */

/* A spreadsheet takes a field that begins so for a formula, and runs it. */
static bool is_formula(const char *text)
{
	char *end;

	if (!text[0] || !strchr("=+-@\t\r", text[0]))
		return false;
	(void)strtod(text, &end);
	return end == text || *end != '\0';
}

static void csv_field(const char *text, FILE *out)
{
	const char *before = is_formula(text) ? "'" : "";

	if (!text[strcspn(text, "\",\r\n")] && text[0] != ' ') {
		(void)fprintf(out, "%s%s", before, text);
		return;
	}
	(void)fprintf(out, "\"%s", before);
	for (; *text; text++) {
		if (*text == '"')
			(void)fputc('"', out);
		(void)fputc(*text, out);
	}
	(void)fputc('"', out);
}

static void csv_cell(const struct table_column *col, const struct view_cell *c, FILE *out)
{
	char text[TABLE_CELL_TEXT];

	if (rows_is_number(col, c)) {
		if (!isnan(c->number))
			(void)fputs(rows_number(c->number, text, sizeof(text)), out);
		return;
	}
	clean_cell(text, sizeof(text), c);
	/* An unknown value is an empty field. */
	if (!str_eq(text, "-") && !(c->has_number && isnan(c->number)))
		csv_field(text, out);
}

void rows_csv(const struct rows_page *p, bool header, FILE *out)
{
	for (size_t i = 0; header && i < p->ncolumns; i++)
		(void)fprintf(out, "%s%s", i ? "," : "", p->view->columns[p->columns[i]].id);
	if (header)
		(void)fputc('\n', out);
	for (size_t r = 0; r < p->rows->n; r++) {
		for (size_t i = 0; i < p->ncolumns; i++) {
			struct view_cell c;

			if (i)
				(void)fputc(',', out);
			cell_of(p, r, i, &c);
			csv_cell(&p->view->columns[p->columns[i]], &c, out);
		}
		(void)fputc('\n', out);
	}
}

/* ---- Markdown ---- */

static void markdown_cell(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (strchr("\\|`*[]<>&~", *text))
			(void)fputc('\\', out);
		(void)fputc(*text, out);
		if (*text == '@') /* else a ticket system tells somebody of that name */
			(void)fputs("<!-- -->", out);
	}
}

void rows_markdown(const struct rows_page *p, FILE *out)
{
	for (size_t i = 0; i < p->ncolumns; i++)
		(void)fprintf(out, "| %s ", p->view->columns[p->columns[i]].id);
	(void)fputs("|\n", out);
	for (size_t i = 0; i < p->ncolumns; i++)
		(void)fputs(p->view->columns[p->columns[i]].right ? "| ---: " : "| --- ", out);
	(void)fputs("|\n", out);
	for (size_t r = 0; r < p->rows->n; r++) {
		for (size_t i = 0; i < p->ncolumns; i++) {
			char text[TABLE_CELL_TEXT];
			struct view_cell c;

			cell_of(p, r, i, &c);
			clean_cell(text, sizeof(text), &c);
			(void)fputs("| ", out);
			markdown_cell(text, out);
			(void)fputc(' ', out);
		}
		(void)fputs("|\n", out);
	}
}
