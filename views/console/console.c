/* SPDX-License-Identifier: Apache-2.0 */
#include "views/console/console.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/query/name_suggestions.h"
#include "views/console/console_private.h"

struct page *console_page(const struct console *c)
{
	return c->pages.at[c->at];
}

struct view_ctx console_ctx(const struct console *c)
{
	return (struct view_ctx){
		.model = c->model,
		.now_us = c->now_us,
		.scope = console_page(c)->scope,
		.term = c->opts.term,
		.mark = c->mark,
		.cache = c->cache,
		.diag = c->diag,
		.audit = c->audit,
		.run = c->running ? &c->run : NULL,
		.trail = trail_shown(c),
		.differences = c->differences.list ? &c->differences : NULL,
		.chart = &c->chart,
		.units = &c->units,
		.map = c->map,
		.in_pieces = console_is_large(c),
		.folded = true,
	};
}

void page_free(struct page *p)
{
	query_free(p->query);
	vec_free(&p->rows);
	page_work_drop(&p->work);
	page_texts_free(p);
	free(p);
}

#define KEY_ESCAPE 27

/* Puts the cursor of a new page where its view wants it. */
static void begin_at(const struct console *c, struct page *p)
{
	struct view_ctx ctx;
	struct ref row;

	if (!c->model || !p->view->first)
		return;
	ctx = console_ctx(c);
	ctx.scope = p->scope;
	row = p->view->first(&ctx);
	p->table.anchored = row.kind != REF_NONE;
	p->table.cursor_key = p->table.anchored ? ref_key(row) : 0;
}

struct page *page_new(const struct console *c, const struct view_ops *view, struct ref scope)
{
	struct page *p = mem_calloc(1, sizeof(*p));

	p->view = view;
	p->scope = scope;
	table_init(&p->table);
	if (view->sort)
		(void)page_set_sort(p, view->sort, NULL);
	swap_name(c->model, scope, p->name, sizeof(p->name));
	arrange_page(c, p);
	begin_at(c, p);
	return p;
}

static void drop_forward(struct console *c)
{
	while (c->pages.n > c->at + 1)
		page_free(c->pages.at[--c->pages.n]);
}

struct console *console_new(const struct console_opts *opts)
{
	struct console *c = mem_calloc(1, sizeof(*c));

	c->opts = *opts;
	c->prompt.ctx = c;
	c->palette.ctx = c;
	c->palette.complete = prompt_palette_complete;
	console_act_init(c);
	vec_push(&c->pages, page_new(c, view_table[0], (struct ref){.kind = REF_FABRIC}));
	c->dirty = c->rows_stale = true;
	return c;
}

void console_free(struct console *c)
{
	if (!c)
		return;
	c->at = 0;
	drop_forward(c);
	split_drop(c);
	below_drop(c);
	page_free(c->pages.at[0]);
	vec_free(&c->pages);
	vec_free(&c->overlay_lines);
	vec_free(&c->ticks);
	runbook_free_all(c);
	vec_free(&c->arrangements);
	vec_free(&c->saved);
	vec_free(&c->own);
	free(c->output);
	chart_past_drop(&c->chart);
	view_cache_free(c->cache);
	free(c);
}

void console_update_focus(struct console *c)
{
	struct ref r = console_page(c)->scope;
	const struct device *d;
	const char *name;

	if (!c->model)
		return;
	if (r.kind != REF_DEVICE && r.kind != REF_PORT && r.kind != REF_PRIORITY)
		r = console_about(c);
	d = ref_device(c->model, r);
	name = d ? d->name : "";
	if (str_eq(name, c->focus))
		return;
	(void)str_copy(c->focus, sizeof(c->focus), name);
	if (c->opts.hooks.focus)
		c->opts.hooks.focus(c->opts.hooks.ctx, *name ? name : NULL);
}

void console_data(struct console *c, struct model *m, int64_t now_us, size_t waiting)
{
	/* Kept data belongs to one model, and another model may have the same address. */
	bool other = c->model != m || c->swapped;

	c->model = m;
	c->now_us = now_us;
	c->waiting = waiting;
	c->swapped = other && !m;
	c->was_replay = console_past(c);
	c->health_stale = true;
	console_touch(c);
	if (!m)
		return;
	console_pace(c);
	if (other)
		switch_model(c);
	if (console_past(c))
		timeline_learn(c);
	runbook_data(c);
	audit_want(c);
}

void console_touch(struct console *c)
{
	c->dirty = c->rows_stale = true;
}

bool console_dirty(const struct console *c)
{
	return c->dirty;
}

bool console_quitting(const struct console *c)
{
	return c->quitting;
}

void console_quit(struct console *c)
{
	if (c->sheet && c->sheet->busy) {
		console_message(c, ROLE_WARN, "%s is running: railtop stays until it ends",
			c->sheet->title);
		return;
	}
	c->quitting = true;
}

void console_message(struct console *c, enum role role, const char *fmt, ...)
{
	char raw[sizeof(c->message)];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(raw, sizeof(raw), fmt, ap);
	va_end(ap);
	str_sanitise(c->message, sizeof(c->message), raw, strlen(raw));
	c->message_role = role;
	c->dirty = true;
}

void console_error(struct console *c, const struct err *err)
{
	console_message(c, ROLE_ERROR, "%s%s%s", err->text, err->cure[0] ? "; " : "", err->cure);
}

static void page_shown(struct console *c)
{
	console_touch(c);
	c->audit_us = 0;
	audit_want(c);
	page_refresh(c, console_page(c));
	console_update_focus(c);
}

static bool is_whole(struct ref scope)
{
	return scope.kind == REF_NONE || scope.kind == REF_FABRIC;
}

bool console_open(struct console *c, const struct view_ops *view, struct ref scope, struct err *err)
{
	struct page *now = console_page(c);

	if (!view_is_whole(view) && !view_takes(view, scope.kind)) {
		err_set(err, ERR_USAGE, "", "view %s needs a place", view->name);
		return err_cure(err, "open it with Enter, or jump:  :leaf-r3-00:Ethernet12");
	}
	if (c->model)
		view = view_fitting(c->model, view, scope);
	c->overlay = OVERLAY_NONE;
	/* Opened from a page of a device or a port, the view is about that object. */
	if (view == &view_audit && is_whole(scope) && view_takes(view, now->scope.kind))
		scope = now->scope;
	if (now->view == view &&
		(ref_eq(now->scope, scope) || (is_whole(now->scope) && is_whole(scope))))
		return true;
	drop_forward(c);
	/* Without a limit the history of a wall screen would grow for weeks. */
	if (c->pages.n >= 64) {
		page_free(c->pages.at[1]);
		memmove(&c->pages.at[1], &c->pages.at[2],
			(c->pages.n - 2) * sizeof(c->pages.at[0]));
		c->pages.n--;
	}
	vec_push(&c->pages, page_new(c, view, scope));
	c->at = c->pages.n - 1;
	page_shown(c);
	return true;
}

bool console_enter(struct console *c, struct err *err)
{
	struct page *p = console_page(c);
	struct view_ctx ctx = console_ctx(c);
	struct ref row, scope = {0};
	const char *name = NULL;
	const struct view_ops *view;

	if (c->overlay == OVERLAY_COLUMNS) {
		overlay_choose(c);
		return true;
	}
	if (c->overlay == OVERLAY_HELP || c->overlay == OVERLAY_OUTPUT) {
		c->overlay = OVERLAY_NONE;
		return true;
	}
	if (!c->model)
		return true;
	if (p->view == &view_runbook)
		return runbook_enter(c, err);
	row = page_row(c, p);
	if (row.kind == REF_NONE)
		return err_set(err, ERR_USAGE, "", "there is no row here");
	if (!p->view->enter || !p->view->enter(&ctx, row, &name, &scope))
		return err_set(err, ERR_USAGE, "", "this row has no page below it");
	view = view_by_name(name);
	if (!view)
		return err_set(err, ERR_INTERNAL, p->view->name,
			"the row leads to the unknown view %s", name);
	return console_open(c, view, scope, err);
}

bool console_back(struct console *c, struct err *err)
{
	if (c->overlay) {
		c->overlay = OVERLAY_NONE;
		c->dirty = true;
		return true;
	}
	/*
	 * Only Esc leaves the past: the other keys for going back also serve between pages of the
	 * past.
	 */
	if (c->key == KEY_ESCAPE && console_past(c) && !c->moment.file)
		return console_at(c, "live", err);
	/* As in every pager, the first Esc on a filtered table clears the filter. */
	if (console_page(c)->query && c->at == 0)
		return console_filter(c, "", err);
	if (c->at == 0)
		return err_set(err, ERR_USAGE, "", "this is the first page");
	c->at--;
	page_shown(c);
	return true;
}

bool console_forward(struct console *c, struct err *err)
{
	if (c->at + 1 >= c->pages.n)
		return err_set(err, ERR_USAGE, "", "nothing to go forward to");
	c->at++;
	page_shown(c);
	return true;
}

/* History from which leaving by a key that also goes back asks first. */
#define WORTH_ASKING (600 * CLOCK_SEC)

static bool leave_typed(struct console *c, const char *text, struct err *err)
{
	(void)err;
	if (str_eq(text, "y") || str_eq(text, "yes"))
		console_quit(c);
	else
		console_message(c, ROLE_DIM, "railtop stays");
	return true;
}

void console_close(struct console *c)
{
	/* Of a file nothing is lost, and an own recording has a question of its own. */
	bool history = c->has_moment && !c->moment.file && c->moment.kept_us > 0 &&
		       c->opts.hooks.scrub && c->moment.to_us - c->moment.kept_us > WORTH_ASKING;

	if (c->overlay || c->at > 0)
		(void)console_back(c, NULL);
	else if (c->running || c->recording == RECORDING_ON || history)
		console_ask_text(c, &c->texting,
			c->running                     ? "leave the open runbook? y: "
			: c->recording == RECORDING_ON ? "leave, and end the recording? y: "
						       : "leave, and drop the history? y: ",
			leave_typed);
	else
		console_quit(c);
}

void console_move(struct console *c, enum table_move how)
{
	struct page *p = console_page(c);
	struct table_source src;

	c->dirty = true;
	if (c->overlay) {
		overlay_move(c, how);
		return;
	}
	if (!c->model)
		return;
	src = page_source(c, p);
	table_move(&p->table, &src, how);
	console_update_focus(c);
}

bool console_filter(struct console *c, const char *text, struct err *err)
{
	struct page *p = console_page(c);

	if (!page_set_filter(p, text, err))
		return false;
	page_shown(c);
	return true;
}

bool console_sort(struct console *c, const char *column, struct err *err)
{
	struct page *p = console_page(c);

	if (!page_set_sort(p, column, err))
		return false;
	page_shown(c);
	if (p->table.sort_column >= 0)
		console_message(c, ROLE_DIM, "sorted by %s%s",
			p->view->columns[p->table.sort_column].id,
			p->table.sort_descending ? ", largest first" : "");
	arrange_note(c, p);
	return true;
}

void console_sort_reverse(struct console *c)
{
	struct page *p = console_page(c);

	p->table.sort_descending = !p->table.sort_descending;
	table_measure_anew(&p->table);
	page_shown(c);
	arrange_note(c, p);
}

void console_pause(struct console *c)
{
	if (console_past(c)) {
		time_pause(c);
		return;
	}
	c->paused = !c->paused;
	c->paused_us = c->now_us;
	c->dirty = true;
	if (c->opts.hooks.pause)
		c->opts.hooks.pause(c->opts.hooks.ctx, c->paused);
}

void console_locator(const struct console *c, char *dst, size_t size)
{
	struct ref r = {0};

	dst[0] = '\0';
	if (!c->model)
		return;
	/* The cast drops only the const of the container: page_row re-anchors the cursor. */
	r = console_about((struct console *)c);
	if (console_finding(c, dst, size))
		return;
	/* An object without a locator is replaced by the page's object. */
	if (r.kind == REF_EVENT || r.kind == REF_COUNTER || r.kind == REF_NEED)
		r = console_page(c)->scope;
	(void)ref_format(c->model, r, dst, size);
}

bool console_copy(struct console *c, struct err *err)
{
	char text[256];

	console_locator(c, text, sizeof(text));
	if (!text[0])
		return err_set(err, ERR_USAGE, "", "this row has no text to copy");
	if (!term_copy(c->opts.term, text, strlen(text)))
		return err_set(err, ERR_LIMIT, "", "too long for the terminal's clipboard");
	console_message(c, ROLE_NORMAL, "copied %s (OSC 52)", text);
	return true;
}

bool console_poll(struct console *c, struct err *err)
{
	if (!c->opts.hooks.poll)
		return err_set(
			err, ERR_UNSUPPORTED, "", "the data is a recording: it cannot be polled");
	if (!console_refuse_past(c, "no device was polled", err))
		return false;
	c->opts.hooks.poll(c->opts.hooks.ctx, c->focus[0] ? c->focus : NULL);
	console_message(c, ROLE_NORMAL, "polling %s now", c->focus[0] ? c->focus : "every device");
	return true;
}

void console_repaint(struct console *c)
{
	term_repaint(c->opts.term);
	console_touch(c);
}

void console_help(struct console *c)
{
	overlay_open(c, c->overlay == OVERLAY_HELP ? OVERLAY_NONE : OVERLAY_HELP);
}

void console_columns(struct console *c)
{
	overlay_open(c, c->overlay == OVERLAY_COLUMNS ? OVERLAY_NONE : OVERLAY_COLUMNS);
}

/* Parses "bgp leaf-r3-00" or "device spine-001": a view and an object that it accepts. */
static const struct view_ops *view_of_object(
	const struct console *c, const char *text, struct ref *scope)
{
	const struct view_ops *view;
	char name[32];
	size_t n = strcspn(text, " ");

	if (!c->model || !text[n] || !str_copyn(name, sizeof(name), text, n))
		return NULL;
	view = view_by_name(name);
	if (!view || !console_parse(c, text + n + strspn(text + n, " "), scope, NULL))
		return NULL;
	return view_takes(view, scope->kind) ? view : NULL;
}

/*
 * No object has the name. Offers the nearest views, commands and devices; a text with a colon is
 * about a port, and keeps its own error.
 */
static bool no_such_name(const struct console *c, const char *text, struct err *err)
{
	char word[64], names[200];
	struct name_suggestions near;

	if (!err || strchr(text, ':') || !str_copyn(word, sizeof(word), text, strcspn(text, " ")))
		return false;
	/* "rail 9", "job x": the error is about the object. */
	if (text[strlen(word)])
		return false;
	if (view_by_name(word)) {
		err_set(err, ERR_USAGE, "", "the view %s shows one object", word);
		return err_cure(err, "%s NAME, or Enter on a row that leads to it", word);
	}
	name_suggestions_init(&near, word);
	for (size_t i = 0; i < view_count; i++)
		name_suggestions_offer(&near, view_table[i]->name);
	for (size_t i = 0; i < c->opts.ncommands; i++)
		name_suggestions_offer(&near, c->opts.commands[i].name);
	/* The error of the place has devices that are nearer. */
	if (strstr(err->cure, "did you mean") && (!near.n || near.distance[0] > 2))
		return false;
	for (size_t i = 0; i < c->model->devices.n; i++)
		name_suggestions_offer(&near, c->model->devices.at[i]->name);
	err_set(err, ERR_USAGE, "", "there is no view, command or place \"%s\"", word);
	if (name_suggestions_format(&near, names, sizeof(names)))
		return err_cure(err, "did you mean %s?", names);
	return err_cure(err, "? lists the commands, Tab completes names");
}

bool console_jump(struct console *c, const char *text, struct err *err)
{
	const struct view_ops *view = view_by_name(text);
	struct ref r;

	if (view && view_is_whole(view))
		return console_open(c, view, (struct ref){.kind = REF_FABRIC}, err);
	if (!c->model)
		return err_set(err, ERR_USAGE, "", "there is no data yet");
	view = view_of_object(c, text, &r);
	if (view)
		return console_open(c, view, r, err);
	if (!console_parse(c, text, &r, err))
		return settings_name(text) ? console_set(c, text, err) : no_such_name(c, text, err);
	view = view_for_ref(c->model, r);
	if (!view)
		return err_set(err, ERR_USAGE, "", "%s has no view", text);
	return console_open(c, view, r, err);
}

bool console_peer(struct console *c, struct err *err)
{
	struct ref r = {0};
	const struct port *p, *peer;

	if (!c->model)
		return err_set(err, ERR_USAGE, "", "there is no data yet");
	r = console_page(c)->scope;
	if (r.kind != REF_PORT && r.kind != REF_PRIORITY)
		r = console_about(c);
	p = r.kind == REF_COUNTER ? NULL : ref_port(c->model, r);
	if (!p)
		return err_set(err, ERR_USAGE, "", "no port is selected here");
	peer = port_peer(c->model, p, NULL);
	if (!peer)
		return err_set(
			err, ERR_USAGE, "", "the other end is not known: no LLDP and no plan");
	r.port = peer->id;
	if (r.kind == REF_LINK)
		r.kind = REF_PORT;
	return console_open(c, view_for_ref(c->model, r), r, err);
}

bool console_view(struct console *c, const char *name, struct err *err)
{
	const struct view_ops *view = view_by_name(name);

	if (!view) {
		struct name_suggestions near;
		char names[200];

		name_suggestions_init(&near, name);
		for (size_t i = 0; i < view_count; i++)
			name_suggestions_offer(&near, view_table[i]->name);
		err_set(err, ERR_USAGE, "", "there is no view \"%s\"", name);
		return name_suggestions_format(&near, names, sizeof(names))
			       ? err_cure(err, "did you mean %s?", names)
			       : err_cure(err, "Tab completes the names of views");
	}
	return console_open(c, view, (struct ref){.kind = REF_FABRIC}, err);
}

bool console_run(struct console *c, const char *line, struct err *err)
{
	char name[64];
	size_t n = strcspn(line, " ");
	const struct command *cmd;

	if (!str_copyn(name, sizeof(name), line, n))
		return err_set(err, ERR_USAGE, "", "no such command");
	cmd = command_find(c->opts.commands, c->opts.ncommands, name);
	if (!cmd)
		return err_set(err, ERR_USAGE, "", "no such command: %s", name);
	if (c->opts.read_only && !cmd->read_only_safe)
		return err_set(err, ERR_USAGE, "", "%s is not allowed in read-only mode", name);
	line += n;
	line += strspn(line, " ");
	c->dirty = true;
	switch (cmd->shape) {
	case COMMAND_TEXT:
		return cmd->run.text(c, line, err);
	case COMMAND_PLAIN:
		return cmd->run.plain(c, err);
	case COMMAND_QUIET:
		cmd->run.quiet(c);
		return true;
	case COMMAND_MOVE:
		console_move(c, cmd->run.move);
		return true;
	}
	return false;
}
