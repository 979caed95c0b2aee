/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/str.h"
#include "views/console/console_private.h"
#include "views/rows.h"
#include "views/short_names.h"

/* The second pane of a wide screen: the page that Enter would open for the row under the cursor. */

#define LEFT_SHARE 55 /* per cent */
#define ZOOM_TABLE_ROWS                                                                            \
	4            /* of the table above a detail that has the screen: its cursor chooses        \
		      */
#define LEAST_ROWS 5 /* of the table below the panel */

/* The page of the pane is no page of the console's history: its cells have their own source. */
struct pane_source {
	struct view_ctx ctx;
	const struct page *page;
};

static void pane_cell(void *opaque, size_t row, size_t col, struct table_cell *out)
{
	const struct pane_source *s = opaque;
	struct view_cell cell = {.number = NAN};

	s->page->view->cell(&s->ctx, s->page->rows.at[row], col, &cell);
	(void)str_copy(out->text, sizeof(out->text), cell.text);
	out->role = cell.role;
}

static uint64_t pane_key(void *opaque, size_t row)
{
	const struct pane_source *s = opaque;

	return ref_key(s->page->rows.at[row]);
}

static void pane_shorten(void *opaque, char *text, size_t size, int width)
{
	const struct pane_source *s = opaque;

	short_to_width(s->ctx.term, text, size, width);
}

/* Views of many rows, or with work of their own, are no detail. */
static const struct view_ops *detail_view(
	struct console *c, const struct page *p, struct ref row, struct ref *scope)
{
	struct view_ctx ctx = console_ctx(c);
	const char *name = NULL;
	const struct view_ops *v;

	if (row.kind == REF_NONE || !p->view->enter(&ctx, row, &name, scope))
		return NULL;
	v = view_by_name(name);
	if (!v || v->list || v->work || v->scope == REF_NONE)
		return NULL;
	return v == p->view && ref_eq(*scope, p->scope) ? NULL : v;
}

void split_drop(struct console *c)
{
	if (c->detail)
		page_free(c->detail);
	c->detail = NULL;
}

void pane_page_rows(struct console *c, struct page *d)
{
	struct view_ctx ctx = console_ctx(c);

	ctx.scope = d->scope;
	d->rows.n = 0;
	d->view->rows(&ctx, &d->rows);
	if (d->table.sort_column >= 0)
		view_sort_rows(&ctx, d->view, (size_t)d->table.sort_column,
			d->table.sort_descending, &d->rows);
}

void pane_table_draw(struct console *c, struct page *d, struct region r)
{
	struct pane_source s = {.ctx = console_ctx(c), .page = d};
	struct table_source src = {.columns = d->view->columns,
		.ncolumns = d->view->ncolumns,
		.nrows = d->rows.n,
		.ctx = &s,
		.cell = pane_cell,
		.key = pane_key,
		.shorten = pane_shorten,
		.empty = "no rows"};

	s.ctx.scope = d->scope;
	table_draw(r, &d->table, &src);
}

void pane_page_draw(struct console *c, struct page *d, struct region r)
{
	struct view_ctx ctx = console_ctx(c);
	int used = 0;

	ctx.scope = d->scope;
	if (d->view->panel && r.h > LEAST_ROWS)
		used = d->view->panel(&ctx, region_sub(r, 0, 0, r.h - LEAST_ROWS, r.w));
	pane_table_draw(c, d, region_sub(r, used, 0, r.h - used, r.w));
}

static void draw_titled(struct console *c, struct page *d, struct region r)
{
	char title[SWAP_NAME + 32];

	(void)str_printf(title, sizeof(title), "%s %s", d->view->title, d->name);
	draw_fill(r, 0, 0, r.w, ROLE_TITLE);
	(void)draw_text(r, 0, 0, ROLE_TITLE, title, -1);
	pane_page_draw(c, d, region_sub(r, 1, 0, r.h - 1, r.w));
}

struct region split_draw(struct console *c, struct page *p, struct region r)
{
	const struct view_ops *v;
	struct ref scope = {0};
	int left = r.w * LEFT_SHARE / 100;

	c->split_shown = false;
	if (c->no_split || r.w < SPLIT_FROM || !p->view->enter || p->view == view_table[0] ||
		p->view == &view_chart)
		return r;
	v = detail_view(c, p, page_row(c, p), &scope);
	if (!v)
		return r;
	c->split_shown = true;
	if (c->zoom == ZOOM_TABLE)
		return r;
	if (c->detail && (c->detail->view != v || !ref_eq(c->detail->scope, scope)))
		split_drop(c);
	if (!c->detail)
		c->detail = page_new(c, v, scope);
	draw_clear(r);
	pane_page_rows(c, c->detail);
	if (c->zoom == ZOOM_DETAIL) {
		draw_titled(c, c->detail,
			region_sub(r, ZOOM_TABLE_ROWS, 0, r.h - ZOOM_TABLE_ROWS, r.w));
		return region_sub(r, 0, 0, ZOOM_TABLE_ROWS, r.w);
	}
	draw_vline(r, left, ROLE_DIM);
	draw_titled(c, c->detail, region_sub(r, 0, left + 2, r.h, r.w - left - 2));
	return region_sub(r, 0, 0, r.h, left);
}

void console_zoom(struct console *c)
{
	static const char *const said[] = {
		"both panes", "the table alone; z again: the detail", "the detail; z again: both"};

	if (!c->split_shown) {
		console_message(c, ROLE_DIM, "%s",
			c->no_split ? "there is no second pane: set split on"
				    : "there is no second pane here: it needs 160 columns, and a "
				      "row that opens a page");
		return;
	}
	c->zoom = c->zoom == ZOOM_DETAIL ? ZOOM_NONE : c->zoom + 1;
	console_message(c, ROLE_DIM, "%s", said[c->zoom]);
	console_touch(c);
}
