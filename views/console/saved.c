/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "views/console/console_private.h"

/*
 * Saved filters: a view with its place, filter and order under a name. The name is a word of the
 * palette; the hook keeps it for the next session.
 */

static struct saved_filter *find_saved(struct console *c, const char *name)
{
	for (size_t i = 0; i < c->saved.n; i++)
		if (str_eq(c->saved.at[i].name, name))
			return &c->saved.at[i];
	return NULL;
}

bool saved_is_name(const char *name)
{
	if (!isalpha((unsigned char)*name) || strlen(name) >= SAVED_NAME)
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("-_.", *name))
			return false;
	return true;
}

/* A word that means something else already would hide it, or be hidden by it. */
static bool is_free(const struct console *c, const char *name, struct err *err)
{
	struct ref at;

	if (!saved_is_name(name)) {
		err_set(err, ERR_USAGE, "save", "%s is no name for a filter", name);
		return err_cure(
			err, "a letter, then letters, digits, - _ . (%d at most)", SAVED_NAME - 1);
	}
	if (view_by_name(name) || command_find(c->opts.commands, c->opts.nall, name) ||
		command_find(c->opts.commands, c->opts.ncommands, name) ||
		(c->model && ref_parse(c->model, name, &at, NULL))) {
		err_set(err, ERR_USAGE, "save", "%s is a view, a command or a place", name);
		return err_cure(err, "choose another name");
	}
	return true;
}

static void note_saved(struct console *c, const struct saved_filter *s, bool dropped)
{
	if (c->opts.hooks.saved)
		c->opts.hooks.saved(c->opts.hooks.ctx, s, dropped);
}

bool console_add_saved(struct console *c, const struct saved_filter *s)
{
	struct saved_filter *old = find_saved(c, s->name);

	if (!saved_is_name(s->name) || !view_by_name(s->view))
		return false;
	if (!old && c->saved.n == SAVED_MOST)
		return false;
	if (!old)
		old = vec_add(&c->saved);
	*old = *s;
	return true;
}

bool console_save(struct console *c, const char *name, struct err *err)
{
	const struct page *p = console_page(c);
	struct saved_filter s = {0};
	int by = p->table.sort_column;

	if (!name[0]) {
		console_ask_text(
			c, &c->texting, "name of this view with its filter: ", console_save);
		return true;
	}
	if (!is_free(c, name, err))
		return false;
	(void)str_copy(s.name, sizeof(s.name), name);
	(void)str_copy(s.view, sizeof(s.view), p->view->name);
	if (p->scope.kind != REF_FABRIC && p->scope.kind != REF_NONE)
		(void)str_copy(s.place, sizeof(s.place), p->name);
	(void)str_copy(s.filter, sizeof(s.filter), p->filter);
	if (by >= 0 && (size_t)by < p->view->ncolumns)
		(void)str_printf(s.sort, sizeof(s.sort), "%s%s",
			p->table.sort_descending ? "-" : "", p->view->columns[by].id);
	if (!console_add_saved(c, &s))
		return err_set(err, ERR_LIMIT, "save", "%d filters are saved already", SAVED_MOST);
	note_saved(c, &s, false);
	console_message(c, ROLE_DIM, "saved; :%s opens it, :unsave %s drops it", name, name);
	return true;
}

bool console_unsave(struct console *c, const char *name, struct err *err)
{
	struct saved_filter *s = find_saved(c, name);
	struct saved_filter was;

	if (!s)
		return err_set(err, ERR_USAGE, "unsave", "no filter is saved as %s", name);
	was = *s;
	*s = c->saved.at[--c->saved.n];
	note_saved(c, &was, true);
	console_message(c, ROLE_DIM, "%s is no longer saved", name);
	return true;
}

bool saved_open(struct console *c, const char *name, bool *known, struct err *err)
{
	const struct saved_filter *s = find_saved(c, name);
	struct ref scope = {.kind = REF_FABRIC};
	struct page *p;

	*known = s != NULL;
	if (!s)
		return false;
	if (s->place[0] && !console_parse(c, s->place, &scope, err))
		return false;
	if (!console_open(c, view_by_name(s->view), scope, err))
		return false;
	p = console_page(c);
	if (s->sort[0])
		(void)page_set_sort(p, s->sort, NULL);
	return console_filter(c, s->filter, err);
}

void saved_complete(const struct console *c, const char *text, struct prompt *p)
{
	for (size_t i = 0; i < c->saved.n; i++) {
		const struct saved_filter *s = &c->saved.at[i];
		char note[96], call[SAVED_NAME + 8];

		(void)str_printf(note, sizeof(note), "saved: %s%s%s %.60s", s->view,
			s->place[0] ? " " : "", s->place[0] ? s->place : "", s->filter);
		if (str_starts(s->name, text))
			prompt_candidate_note(p, s->name, note);
		(void)str_printf(call, sizeof(call), "unsave %s", s->name);
		if (str_starts(text, "unsave ") && str_starts(call, text))
			prompt_candidate_note(p, call, note);
	}
}
