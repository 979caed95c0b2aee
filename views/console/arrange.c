/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "views/console/console_private.h"
#include "views/rows.h"

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

uint64_t arranged_hidden(const struct console *c, const struct view_ops *view)
{
	const struct arrangement *a = find_arrangement(c, view);

	return a ? a->hidden : 0;
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
	/* Columns that have nothing to show are hidden now: the operator's word on them stands. */
	uint64_t hidden = (t->hidden & ~p->idle) | (arranged_hidden(c, p->view) & p->idle);

	(void)str_printf(sort, sizeof(sort), "%s%s", *id && t->sort_descending ? "-" : "", id);
	(void)keep_arrangement(c, p->view, sort, hidden);
	if (c->opts.hooks.arranged)
		c->opts.hooks.arranged(c->opts.hooks.ctx, p->view, sort, hidden);
}

/* ---- the setting columns ---- */

static uint64_t all_columns(const struct view_ops *v)
{
	return v->ncolumns >= 64 ? UINT64_MAX : (UINT64_C(1) << v->ncolumns) - 1;
}

static bool no_column(const struct view_ops *v, const char *id, struct err *err)
{
	char names[640];

	view_column_names(v, names, sizeof(names));
	err_set(err, ERR_USAGE, "set columns", "%s has no column %s", v->name, id);
	return err_cure(err, "columns: %.200s", names);
}

/* Reads names into the columns to show; the first word without a sign replaces all. */
static bool read_columns(const struct view_ops *v, char *words, uint64_t *shown, struct err *err)
{
	char *save = NULL;
	bool replaced = false;

	for (char *w = strtok_r(words, " ,", &save); w; w = strtok_r(NULL, " ,", &save)) {
		char sign = *w == '+' || *w == '-' ? *w : '=';
		int col = view_column(v, w + (sign != '='));

		if (str_eq(w, "all")) {
			*shown = all_columns(v);
			replaced = true;
			continue;
		}
		if (col < 0 || col >= 64)
			return no_column(v, w + (sign != '='), err);
		if (sign == '=' && !replaced)
			*shown = 0;
		replaced |= sign == '=';
		if (sign == '-')
			*shown &= ~(UINT64_C(1) << col);
		else
			*shown |= UINT64_C(1) << col;
	}
	if (!*shown)
		return err_set(err, ERR_USAGE, "set columns", "no column would be left");
	return true;
}

/* The view that the text begins with, else the shown page's; *text is moved behind it. */
static const struct view_ops *columns_of(const struct console *c, const char **text)
{
	char word[32];
	size_t n = strcspn(*text, " ");
	const struct view_ops *v =
		str_copyn(word, sizeof(word), *text, n) ? view_by_name(word) : NULL;

	if (!v)
		return console_page(c)->view;
	*text += n + strspn(*text + n, " ");
	return v;
}

bool arrange_columns(struct console *c, const char *text, struct err *err)
{
	const struct view_ops *v = columns_of(c, &text);
	const struct arrangement *a = find_arrangement(c, v);
	char words[512], sort[48] = "";
	uint64_t shown = ~(a ? a->hidden : 0) & all_columns(v);

	if (!*text || !str_copy(words, sizeof(words), text)) {
		err_set(err, ERR_USAGE, "set columns", "which columns of %s?", v->name);
		return err_cure(err, "set columns %s all, +NAME, -NAME, or NAME,NAME", v->name);
	}
	if (!read_columns(v, words, &shown, err))
		return false;
	if (a)
		(void)str_copy(sort, sizeof(sort), a->sort);
	console_arrange(c, v, sort, ~shown & all_columns(v));
	if (c->opts.hooks.arranged)
		c->opts.hooks.arranged(c->opts.hooks.ctx, v, sort, ~shown & all_columns(v));
	return true;
}

void arrange_complete(const struct console *c, const char *text, struct prompt *p)
{
	const char *rest = text + strlen("set columns ");
	const struct view_ops *v = columns_of(c, &rest);
	size_t last = strlen(rest), head;

	while (last && !strchr(" ,+-", rest[last - 1]))
		last--;
	head = (size_t)(rest - text) + last;
	for (size_t i = 0; i < v->ncolumns; i++) {
		char call[96];

		if (str_starts(v->columns[i].id, rest + last) &&
			str_printf(call, sizeof(call), "%.*s%s", (int)head, text, v->columns[i].id))
			prompt_candidate_note(
				p, call, v->columns[i].help ? v->columns[i].help : "");
	}
	for (size_t i = 0; i < view_count && rest == text + strlen("set columns "); i++) {
		char call[96];

		if (str_starts(view_table[i]->name, rest) &&
			str_printf(call, sizeof(call), "set columns %s ", view_table[i]->name))
			prompt_candidate_note(p, call, view_table[i]->title);
	}
}
