/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "views/console_private.h"

int page_column(const struct page *p, const char *id)
{
	for (size_t i = 0; i < p->view->ncolumns; i++) {
		if (str_eq(p->view->columns[i].id, id))
			return (int)i;
	}
	return -1;
}

static void column_names(const struct view_ops *view, char *dst, size_t size)
{
	size_t n = 0;

	dst[0] = '\0';
	for (size_t i = 0; i < view->ncolumns && n + 1 < size; i++) {
		(void)str_printf(dst + n, size - n, "%s%s", i ? ", " : "", view->columns[i].id);
		n += strlen(dst + n);
	}
}

bool page_set_sort(struct page *p, const char *column, struct err *err)
{
	char names[256];
	bool descending = column[0] == '-';
	int i;

	if (!column[0]) {
		int next = p->table.sort_column + 1;

		for (size_t tries = 0; tries < p->view->ncolumns; tries++, next++) {
			next %= (int)p->view->ncolumns;
			if (!(p->table.hidden >> next & 1))
				break;
		}
		p->table.sort_column = next;
		/* Numbers are looked at for their largest, names from the first. */
		p->table.sort_descending = p->view->columns[next].right;
		return true;
	}
	i = page_column(p, column + descending);
	if (i < 0) {
		column_names(p->view, names, sizeof(names));
		err_set(err, ERR_USAGE, p->view->name, "no column %s", column + descending);
		return err_cure(err, "columns: %s", names);
	}
	p->table.sort_column = i;
	p->table.sort_descending = descending;
	return true;
}

static bool known_field(void *ctx, const char *name)
{
	return page_column(ctx, name) >= 0;
}

bool page_set_filter(struct page *p, const char *text, struct err *err)
{
	struct query *q = NULL;
	char names[256];

	if (text[0]) {
		q = query_parse(text, err);
		if (!q)
			return false;
		column_names(p->view, names, sizeof(names));
		if (!query_check(q, known_field, p, names, err)) {
			query_free(q);
			return false;
		}
	}
	query_free(p->query);
	p->query = q;
	(void)str_copy(p->filter, sizeof(p->filter), text);
	return true;
}

struct row_source {
	const struct view_ctx *ctx;
	struct page *page;
	size_t at; /* before the filter */
	struct ref row;
	const char *text; /* of this row, NULL: not asked for yet */
};

static bool row_field(void *opaque, const char *name, struct query_value *out)
{
	struct row_source *s = opaque;
	struct view_cell cell = {.number = NAN};
	int col = page_column(s->page, name);

	if (col < 0)
		return false;
	s->page->view->cell(s->ctx, s->row, (size_t)col, &cell);
	(void)str_copy(out->text, sizeof(out->text), cell.text);
	out->number = cell.number;
	if (cell.has_number)
		out->type = isnan(cell.number) ? QV_UNKNOWN : QV_NUMBER;
	else
		out->type = cell.text[0] && !str_eq(cell.text, "-") ? QV_TEXT : QV_UNKNOWN;
	return true;
}

static const char *row_text(void *opaque)
{
	struct row_source *s = opaque;

	if (!s->text)
		s->text = page_text(s->page, s->ctx, s->at, s->row);
	return s->text;
}

static void filter_rows(const struct view_ctx *ctx, struct page *p)
{
	struct row_source s = {.ctx = ctx, .page = p};
	struct query_source src = {row_field, row_text, &s};
	size_t kept = 0;

	if (!p->query)
		return;
	for (size_t i = 0; i < p->rows.n; i++) {
		s.at = i;
		s.row = p->rows.at[i];
		s.text = NULL;
		if (query_match(p->query, &src))
			p->rows.at[kept++] = p->rows.at[i];
	}
	p->rows.n = kept;
}

/* A row with what it is sorted by, so that a cell is computed once and not log n times. */
struct sort_row {
	struct ref row;
	size_t order;
	double number;
	char text[TABLE_CELL_TEXT];
};

static int compare_rows(const void *pa, const void *pb, void *descending)
{
	const struct sort_row *a = pa, *b = pb;
	int way = *(const bool *)descending ? -1 : 1;
	bool ua = isnan(a->number), ub = isnan(b->number);
	int c;

	/* Rows without a number sort by their text; the unknown go last, whichever way. */
	if (ua && ub) {
		bool da = str_eq(a->text, "-"), db = str_eq(b->text, "-");

		if (da != db)
			return da ? 1 : -1;
		c = str_natcmp(a->text, b->text) * way;
	} else if (ua != ub) {
		return ua ? 1 : -1;
	} else {
		c = (a->number > b->number ? 1 : a->number < b->number ? -1 : 0) * way;
	}
	if (c)
		return c;
	return a->order < b->order ? -1 : 1;
}

static void sort_rows(const struct view_ctx *ctx, struct page *p)
{
	struct sort_row *keys;
	bool descending = p->table.sort_descending;

	if (p->table.sort_column < 0 || p->rows.n < 2)
		return;
	keys = mem_calloc(p->rows.n, sizeof(*keys));
	for (size_t i = 0; i < p->rows.n; i++) {
		struct view_cell cell = {.number = NAN};

		p->view->cell(ctx, p->rows.at[i], (size_t)p->table.sort_column, &cell);
		keys[i].row = p->rows.at[i];
		keys[i].order = i;
		keys[i].number = cell.has_number ? cell.number : NAN;
		(void)str_copy(keys[i].text, sizeof(keys[i].text), cell.text);
	}
	qsort_r(keys, p->rows.n, sizeof(*keys), compare_rows, &descending);
	for (size_t i = 0; i < p->rows.n; i++)
		p->rows.at[i] = keys[i].row;
	free(keys);
}

void page_refresh(struct console *c, struct page *p)
{
	struct view_ctx ctx;

	if (!c->model)
		return;
	ctx = console_ctx(c);
	ctx.scope = p->scope;
	page_show_since(c, p);
	p->rows.n = 0;
	p->view->rows(&ctx, &p->rows);
	p->total = p->rows.n;
	filter_rows(&ctx, p);
	sort_rows(&ctx, p);
	c->rows_stale = false;
}

static void source_cell(void *opaque, size_t row, size_t col, struct table_cell *out)
{
	struct console *c = opaque;
	struct page *p = console_page(c);
	struct view_ctx ctx = console_ctx(c);
	struct view_cell cell = {.number = NAN};

	p->view->cell(&ctx, p->rows.at[row], col, &cell);
	(void)str_copy(out->text, sizeof(out->text), cell.text);
	out->role = cell.role;
}

static uint64_t source_key(void *opaque, size_t row)
{
	struct console *c = opaque;

	return ref_key(console_page(c)->rows.at[row]);
}

struct table_source page_source(struct console *c, struct page *p)
{
	const char *empty = NULL;

	if (!p->rows.n && p->total)
		empty = "no row matches the filter (Esc or /Enter clears it)";
	else if (!p->rows.n && p->view->empty && c->model) {
		struct view_ctx ctx = console_ctx(c);

		empty = p->view->empty(&ctx);
	}
	return (struct table_source){
		.columns = p->view->columns,
		.ncolumns = p->view->ncolumns,
		.nrows = p->rows.n,
		.ctx = c,
		.cell = source_cell,
		.key = source_key,
		.empty = empty ? empty : "no rows",
	};
}

struct ref page_row(struct console *c, struct page *p)
{
	struct table_source src = page_source(c, p);
	size_t i = table_row(&p->table, &src);

	return i < p->rows.n ? p->rows.at[i] : (struct ref){.kind = REF_NONE};
}
