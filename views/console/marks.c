/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "views/console/console_private.h"

static int shown_mark(const struct console *c)
{
	struct view_ctx ctx = console_ctx(c);

	return c->model ? view_mark(&ctx) : -1;
}

/* Columns that have nothing to show: without a mark, or without racks in the inventory. */
static uint64_t idle_columns(const struct console *c, const struct page *p)
{
	bool mark = shown_mark(c) >= 0, racks = c->model && c->model->has_racks;
	uint64_t mask = 0;

	for (size_t i = 0; i < p->view->ncolumns; i++) {
		const char *id = p->view->columns[i].id;

		if ((!mark && str_starts(id, "since_")) || (!racks && strstr(id, "rack")))
			mask |= UINT64_C(1) << i;
	}
	return mask;
}

void page_hide_idle(const struct console *c, struct page *p)
{
	uint64_t idle = idle_columns(c, p);

	uint64_t back = p->idle & ~idle;

	/* Only when it changes: otherwise the operator's own choice stands. */
	p->table.hidden = (p->table.hidden & ~back) | (idle & ~p->idle) |
			  (arranged_hidden(c, p->view) & back);
	p->idle = idle;
}

/* Lists the names to choose from: "m1, shift". */
static const char *mark_names(const struct console *c, char *dst, size_t size)
{
	size_t n = 0;

	(void)str_copy(dst, size, c->model && c->model->nmarks ? "" : "none; m sets one");
	for (unsigned i = 0; c->model && i < c->model->nmarks; i++) {
		(void)str_printf(dst + n, size - n, "%s%s", i ? ", " : "", c->model->marks[i].name);
		n += strlen(dst + n);
	}
	return dst;
}

static bool no_mark(const struct console *c, const char *name, struct err *err)
{
	char names[MARKS_MAX * sizeof(c->mark) + 16];

	if (*name)
		err_set(err, ERR_USAGE, "", "there is no mark %s", name);
	else
		err_set(err, ERR_USAGE, "", "which mark?");
	return err_cure(err, "marks: %s", mark_names(c, names, sizeof(names)));
}

static void note_mark(const struct console *c, enum note_kind kind, const char *name)
{
	console_note(c, &(struct console_note){.kind = kind, .t_us = c->now_us, .text = name});
}

bool console_set_mark(struct console *c, const char *name, struct err *err)
{
	const struct mark *mark;

	if (!c->model)
		return err_set(err, ERR_USAGE, "", "there is no data yet");
	if (!console_refuse_past(c, "no mark was set", err))
		return false;
	if (str_eq(name, "-")) {
		err_set(err, ERR_USAGE, "", "a mark cannot be named -");
		return err_cure(err, "choose another name");
	}
	if (!model_mark(c->model, name, c->now_us, err))
		return false;
	mark = &c->model->marks[c->model->nmarks - 1];
	c->mark[0] = '\0';
	console_touch(c);
	note_mark(c, NOTE_MARK, mark->name);
	console_message(c, ROLE_NORMAL,
		"mark %s: since columns count from now; devices keep "
		"their counters",
		mark->name);
	return true;
}

bool console_mark(struct console *c, const char *name, struct err *err)
{
	if (*name)
		return console_set_mark(c, name, err);
	if (!c->model)
		return err_set(err, ERR_USAGE, "", "there is no data yet");
	if (!console_refuse_past(c, "no mark was set", err))
		return false;
	console_ask_text(c, &c->naming, "mark (name, or Enter): ", console_set_mark);
	return true;
}

bool console_unmark(struct console *c, const char *name, struct err *err)
{
	char gone[sizeof(c->mark)];

	if (!c->model || !*name || model_mark_find(c->model, name) < 0)
		return no_mark(c, name, err);
	if (!console_refuse_past(c, "no mark was dropped", err))
		return false;
	(void)str_copy(gone, sizeof(gone), name);
	if (!model_unmark(c->model, gone, err))
		return false;
	if (str_eq(c->mark, gone))
		c->mark[0] = '\0';
	console_touch(c);
	note_mark(c, NOTE_UNMARK, gone);
	console_message(c, ROLE_NORMAL, "mark %s was dropped", gone);
	return true;
}

bool console_since(struct console *c, const char *name, struct err *err)
{
	if (!c->model || !*name || (!str_eq(name, "-") && model_mark_find(c->model, name) < 0))
		return no_mark(c, name, err);
	(void)str_copy(c->mark, sizeof(c->mark), name);
	console_touch(c);
	if (str_eq(name, "-"))
		console_message(c, ROLE_NORMAL, "since columns are off");
	else
		console_message(c, ROLE_NORMAL, "since columns count from %s", name);
	return true;
}

void marks_complete(const struct console *c, const char *text, struct prompt *p)
{
	static const char *const commands[] = {"since ", "unmark ", "mark "};
	char line[96];

	for (size_t i = 0; c->model && i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (!str_starts(text, commands[i]))
			continue;
		for (unsigned j = 0; j < c->model->nmarks; j++) {
			(void)str_printf(
				line, sizeof(line), "%s%s", commands[i], c->model->marks[j].name);
			if (str_starts(line, text))
				prompt_candidate(p, line);
		}
	}
}

void marks_badge(const struct console *c, bool is_short, char *dst, size_t size)
{
	int i = shown_mark(c);
	char age[16];

	dst[0] = '\0';
	if (i < 0)
		return;
	(void)str_age(c->now_us - c->model->marks[i].wall_us, age, sizeof(age));
	(void)str_printf(
		dst, size, is_short ? "%s %s" : "since %s, %s", c->model->marks[i].name, age);
}
