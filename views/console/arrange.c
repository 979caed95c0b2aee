/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "views/console/console_private.h"

/* The operator's arrangement of each view: its sort order and its hidden columns. */

static struct arrangement *find_arrangement(const struct console *c, const struct view_ops *view)
{
	for (size_t i = 0; i < c->arrangements.n; i++)
		if (c->arrangements.at[i].view == view)
			return &c->arrangements.at[i];
	return NULL;
}

static struct arrangement *keep_arrangement(
	struct console *c, const struct view_ops *view, const char *sort, uint64_t hidden)
{
	struct arrangement *a = find_arrangement(c, view);

	if (!a)
		a = vec_add(&c->arrangements);
	a->view = view;
	a->hidden = hidden;
	(void)str_copy(a->sort, sizeof(a->sort), sort);
	return a;
}

void arrange_page(const struct console *c, struct page *p)
{
	const struct arrangement *a = find_arrangement(c, p->view);

	if (!a)
		return;
	if (a->sort[0])
		(void)page_set_sort(p, a->sort, NULL);
	p->table.hidden = a->hidden;
}

void console_arrange(
	struct console *c, const struct view_ops *view, const char *sort, uint64_t hidden)
{
	(void)keep_arrangement(c, view, sort ? sort : "", hidden);
	for (size_t i = 0; i < c->pages.n; i++) {
		struct page *p = c->pages.at[i];

		if (p->view != view)
			continue;
		arrange_page(c, p);
		p->idle = 0;
	}
	console_touch(c);
}

void arrange_note(struct console *c, const struct page *p)
{
	const struct table_state *t = &p->table;
	const char *id = t->sort_column >= 0 && (size_t)t->sort_column < p->view->ncolumns
				 ? p->view->columns[t->sort_column].id
				 : "";
	char sort[48];
	/* Columns hidden because they have nothing to show were not hidden by the operator. */
	uint64_t hidden = t->hidden & ~p->idle;

	(void)str_printf(sort, sizeof(sort), "%s%s", *id && t->sort_descending ? "-" : "", id);
	(void)keep_arrangement(c, p->view, sort, hidden);
	if (c->opts.hooks.arranged)
		c->opts.hooks.arranged(c->opts.hooks.ctx, p->view, sort, hidden);
}
