/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "views/console/console_private.h"
#include "views/rows.h"
#include "views/short_names.h"

int page_column(const struct page *p, const char *id)
{
	return view_column(p->view, id);
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
		/* Numbers are sorted with the largest first, names from the first. */
		p->table.sort_descending = p->view->columns[next].right;
		table_measure_anew(&p->table);
		return true;
	}
	i = page_column(p, column + descending);
	if (i < 0) {
		view_column_names(p->view, names, sizeof(names));
		err_set(err, ERR_USAGE, p->view->name, "no column %s", column + descending);
		return err_cure(err, "columns: %s", names);
	}
	p->table.sort_column = i;
	p->table.sort_descending = descending;
	table_measure_anew(&p->table);
	return true;
}

bool page_set_filter(struct page *p, const char *text, struct err *err)
{
	struct query *q = NULL;

	if (text[0]) {
		q = query_parse(text, err);
		if (!q)
			return false;
		if (!view_query_check(p->view, q, err)) {
			query_free(q);
			return false;
		}
	}
	query_free(p->query);
	p->query = q;
	(void)str_copy(p->filter, sizeof(p->filter), text);
	table_measure_anew(&p->table);
	return true;
}

struct row_source {
	const struct view_ctx *ctx;
	struct page *page;
	size_t at; /* before the filter */
	struct ref row;
	const char *text; /* of this row, NULL: not computed yet */
};

static bool row_field(void *opaque, const char *name, struct query_value *out)
{
	const struct row_source *s = opaque;

	return view_field(s->ctx, s->page->view, s->row, name, out);
}

static const char *row_text(void *opaque)
{
	struct row_source *s = opaque;

	if (!s->text)
		s->text = page_text(s->page, s->ctx, s->at, s->row);
	return s->text;
}

void page_filter_some(struct page *p, const struct view_ctx *ctx, row_vec *rows, size_t *at,
	size_t *kept, size_t n)
{
	struct row_source s = {.ctx = ctx, .page = p};
	struct query_source src = {row_field, row_text, &s};

	for (; *at < rows->n && n > 0; n--, (*at)++) {
		s.at = *at;
		s.row = rows->at[*at];
		s.text = NULL;
		if (!p->query || query_match(p->query, &src))
			rows->at[(*kept)++] = rows->at[*at];
	}
}

static void filter_rows(const struct view_ctx *ctx, struct page *p)
{
	size_t at = 0, kept = 0;

	if (!p->query)
		return;
	page_filter_some(p, ctx, &p->rows, &at, &kept, p->rows.n);
	p->rows.n = kept;
}

void page_refresh(struct console *c, struct page *p)
{
	struct view_ctx ctx;

	if (!c->model)
		return;
	ctx = console_ctx(c);
	ctx.scope = p->scope;
	page_hide_idle(c, p);
	if (page_in_pieces(c, p, &ctx))
		return;
	p->rows.n = 0;
	p->view->rows(&ctx, &p->rows);
	p->total = p->rows.n;
	filter_rows(&ctx, p);
	if (p->table.sort_column >= 0)
		view_sort_rows(&ctx, p->view, (size_t)p->table.sort_column,
			p->table.sort_descending, &p->rows);
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

static void source_shorten(void *opaque, char *text, size_t size, int width)
{
	const struct console *c = opaque;

	short_to_width(c->opts.term, text, size, width);
}

struct table_source page_source(struct console *c, struct page *p)
{
	const char *empty = NULL;

	if (!p->rows.n && p->total)
		empty = "no row matches the filter (/ and Enter clear it)";
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
		.shorten = source_shorten,
		.empty = empty ? empty : "no rows",
	};
}

struct ref page_row(struct console *c, struct page *p)
{
	struct table_source src = page_source(c, p);
	size_t i = table_row(&p->table, &src);

	return i < p->rows.n ? p->rows.at[i] : (struct ref){.kind = REF_NONE};
}
