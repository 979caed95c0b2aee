/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "views/console/console_private.h"

static void add_line(struct console *c, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void add_line(struct console *c, enum role role, const char *fmt, ...)
{
	struct overlay_line *l = vec_add(&c->overlay_lines);
	va_list ap;

	l->role = role;
	va_start(ap, fmt);
	(void)vsnprintf(l->text, sizeof(l->text), fmt, ap);
	va_end(ap);
}

/*
 * Adds text after a head, wrapped at spaces to the width of the screen; further lines are indented.
 */
static void add_wrapped_line(struct console *c, enum role role, const char *head, const char *text)
{
	int indent = (int)strlen(head), width = term_cols(c->opts.term) - indent - 2;

	if (width < 16)
		width = 16;
	if (width > 120)
		width = 120;
	if (!*text)
		add_line(c, role, "%s", head);
	while (*text) {
		size_t n = strlen(text), cut = n;

		if (n > (size_t)width) {
			cut = (size_t)width;
			while (cut > 1 && text[cut] != ' ')
				cut--;
			if (cut <= 1)
				cut = (size_t)width;
		}
		add_line(c, role, "%-*s%.*s", indent, head, (int)cut, text);
		head = "";
		text += cut;
		while (*text == ' ')
			text++;
	}
}

/* Moving about is known from every pager: these come last. */
static bool moves(const struct binding *b)
{
	static const char *const commands[] = {"down", "up", "page-down", "page-up", "half-down",
		"half-up", "top", "bottom", "column-left", "column-right"};

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (str_eq(b->command, commands[i]))
			return true;
	return false;
}

static void append_key(const struct binding *b, char *dst, size_t size)
{
	char first[24], second[24] = "";
	size_t n = strlen(dst);

	key_name(b->key[0], first, sizeof(first));
	if (b->key[1])
		key_name(b->key[1], second, sizeof(second));
	(void)str_printf(dst + n, size - n, "%s%s%s", n ? " " : "", first, second);
}

/* A line with all keys of the command at index i. */
static void help_key(struct console *c, const struct binding *const *bindings, size_t n, size_t i)
{
	const struct binding *b = bindings[i];
	char name[96], keys[96] = "", head[224];
	const char *note = b->note;
	const struct command *cmd;

	for (size_t k = 0; k < i; k++)
		if (str_eq(bindings[k]->command, b->command))
			return;
	for (size_t k = i; k < n; k++)
		if (str_eq(bindings[k]->command, b->command))
			append_key(bindings[k], keys, sizeof(keys));
	(void)str_copyn(name, sizeof(name), b->command, strcspn(b->command, " "));
	cmd = command_find(c->opts.commands, c->opts.ncommands, name);
	if (!note[0] && cmd)
		note = cmd->help;
	(void)str_printf(head, sizeof(head), "  %-15s %-16s ", keys, b->command);
	add_wrapped_line(c, ROLE_NORMAL, head, note);
}

/* Those of the page first. */
static void help_keys(struct console *c, const struct page *p)
{
	const struct binding *bindings[256];
	size_t n = keymap_list(c->opts.keymap, p->view->name, bindings, 256);

	add_line(c, ROLE_HEADER, "Keys");
	for (size_t i = 0; i < n; i++)
		if (!str_eq(bindings[i]->context, "global"))
			help_key(c, bindings, n, i);
	for (unsigned moving = 0; moving < 2; moving++)
		for (size_t i = 0; i < n; i++)
			if (str_eq(bindings[i]->context, "global") && moves(bindings[i]) == moving)
				help_key(c, bindings, n, i);
}

static void help_commands(struct console *c)
{
	add_line(c, ROLE_NORMAL, " ");
	add_line(c, ROLE_HEADER, "Commands, for ':' (with completion by Tab) and for key files");
	for (size_t i = 0; i < c->opts.ncommands; i++) {
		const struct command *cmd = &c->opts.commands[i];
		char call[64], head[80];

		(void)str_printf(call, sizeof(call), "%s %s", cmd->name, cmd->args);
		(void)str_printf(head, sizeof(head), "  %-21s ", call);
		add_wrapped_line(c, ROLE_NORMAL, head, cmd->help);
	}
	add_line(c, ROLE_NORMAL, " ");
	add_line(c, ROLE_HEADER, "Places, for ':'");
	for (size_t i = 0; i < view_count; i++) {
		if (view_is_whole(view_table[i]))
			add_line(c, ROLE_NORMAL, "  %-21s %s", view_table[i]->name,
				view_table[i]->title);
	}
	add_line(c, ROLE_NORMAL, "  %-21s a rail", "rail 3");
	add_line(c, ROLE_NORMAL, "  %-21s a device", "leaf-r3-00");
	add_line(c, ROLE_NORMAL, "  %-21s its BGP sessions alone", "bgp leaf-r3-00");
	add_line(c, ROLE_NORMAL, "  %-21s a port, by name, alias or netdev",
		"leaf-r3-00:Ethernet12");
	add_line(c, ROLE_NORMAL, "  %-21s priority 3 of it", "leaf-r3-00:Ethernet12:3");
	add_line(c, ROLE_NORMAL, "  %-21s a job's ranks, a rank's path", "job NAME, rank 19");
	add_line(c, ROLE_NORMAL, "  %-21s a finding", "link.down leaf-r3-00:...");
}

static void build_help(struct console *c)
{
	const struct page *p = console_page(c);

	add_line(c, ROLE_HEADER, "%s", p->view->title);
	add_wrapped_line(c, ROLE_NORMAL, "  ", p->view->help);
	/* Keys first: they are what the help is opened for at three in the morning. */
	add_line(c, ROLE_NORMAL, " ");
	help_keys(c, p);
	add_line(c, ROLE_NORMAL, " ");
	add_line(
		c, ROLE_HEADER, "Columns (also the fields of a filter: rx>100G state!=ok name~r3)");
	for (size_t i = 0; i < p->view->ncolumns; i++) {
		const struct table_column *col = &p->view->columns[i];
		char head[64];

		(void)str_printf(head, sizeof(head), "  %-12s %-10s ", col->id, col->title);
		add_wrapped_line(c, ROLE_NORMAL, head, col->help ? col->help : "");
	}
	help_commands(c);
}

static void build_columns(struct console *c)
{
	const struct page *p = console_page(c);

	for (size_t i = 0; i < p->view->ncolumns; i++) {
		const struct table_column *col = &p->view->columns[i];

		add_line(c, ROLE_NORMAL, "[%c] %-12s %s", p->table.hidden >> i & 1 ? ' ' : 'x',
			col->id, col->help ? col->help : "");
	}
}

static void rebuild_lines(struct console *c)
{
	c->overlay_lines.n = 0;
	if (c->overlay == OVERLAY_HELP)
		build_help(c);
	else if (c->overlay == OVERLAY_COLUMNS)
		build_columns(c);
	else if (c->overlay == OVERLAY_SHEET)
		sheet_lines(c);
	else if (c->overlay == OVERLAY_OUTPUT)
		output_lines(c);
}

void overlay_open(struct console *c, enum overlay which)
{
	c->overlay = which;
	c->overlay_top = c->overlay_cursor = 0;
	c->dirty = true;
	rebuild_lines(c);
	if (which == OVERLAY_COLUMNS)
		console_message(c, ROLE_DIM, "Enter or Space shows or hides a column, Esc closes");
	else
		c->message[0] = '\0';
}

void overlay_choose(struct console *c)
{
	struct page *p = console_page(c);

	if (c->overlay != OVERLAY_COLUMNS || c->overlay_cursor >= p->view->ncolumns)
		return;
	p->table.hidden ^= UINT64_C(1) << c->overlay_cursor;
	c->dirty = true;
	arrange_note(c, p);
	rebuild_lines(c);
}

static size_t clamp_index(long at, size_t n)
{
	if (at < 0 || n == 0)
		return 0;
	return (size_t)at < n ? (size_t)at : n - 1;
}

static void overlay_step(struct console *c, enum table_move how)
{
	size_t n = c->overlay_lines.n;
	int page = c->overlay_page > 1 ? c->overlay_page - 1 : 1;
	size_t last = n > (size_t)c->overlay_page ? n - (size_t)c->overlay_page : 0;
	bool text = c->overlay != OVERLAY_COLUMNS;
	size_t *at = text ? &c->overlay_top : &c->overlay_cursor;
	size_t end = text ? last + 1 : n;
	long step = 0;

	switch (how) {
	case TABLE_UP:
		step = -1;
		break;
	case TABLE_DOWN:
		step = 1;
		break;
	case TABLE_PAGE_UP:
		step = -page;
		break;
	case TABLE_PAGE_DOWN:
		step = page;
		break;
	case TABLE_HALF_UP:
		step = -(page + 1) / 2;
		break;
	case TABLE_HALF_DOWN:
		step = (page + 1) / 2;
		break;
	case TABLE_TOP:
		*at = 0;
		return;
	case TABLE_BOTTOM:
		*at = clamp_index((long)end - 1, end);
		return;
	case TABLE_LEFT:
	case TABLE_RIGHT:
		return;
	}
	*at = clamp_index((long)*at + step, end);
}

void overlay_move(struct console *c, enum table_move how)
{
	overlay_step(c, how);
	/* The sheet follows the newest line again when the operator scrolls to its end. */
	c->sheet_follows = c->overlay_top + (size_t)c->overlay_page >= c->overlay_lines.n;
}

void overlay_draw(struct console *c, struct region r)
{
	bool more;
	int page;

	rebuild_lines(c);
	if (c->overlay == OVERLAY_SHEET) {
		sheet_draw(c, r);
		return;
	}
	/* Where there are more lines than room, the last one says so and hides no text. */
	page = r.h > 1 && c->overlay_lines.n > (size_t)r.h ? r.h - 1 : r.h;
	c->overlay_page = page;
	if (c->overlay == OVERLAY_COLUMNS) {
		if (c->overlay_cursor < c->overlay_top)
			c->overlay_top = c->overlay_cursor;
		if (c->overlay_cursor >= c->overlay_top + (size_t)page)
			c->overlay_top = c->overlay_cursor - (size_t)page + 1;
	}
	more = c->overlay_top + (size_t)page < c->overlay_lines.n;
	draw_clear(r);
	for (int y = 0; y < page && c->overlay_top + (size_t)y < c->overlay_lines.n; y++) {
		size_t i = c->overlay_top + (size_t)y;
		const struct overlay_line *l = &c->overlay_lines.at[i];
		bool cursor = c->overlay == OVERLAY_COLUMNS && i == c->overlay_cursor;

		if (cursor)
			draw_fill(r, y, 0, r.w, ROLE_CURSOR);
		draw_text(r, y, 1,
			cursor                    ? ROLE_CURSOR
			: search_hits(c, l->text) ? ROLE_MATCH
						  : l->role,
			l->text, r.w - 1);
	}
	if (more)
		draw_right(r, r.h - 1, 0, r.w, ROLE_DIM, " more below ");
}
