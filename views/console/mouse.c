/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"
#include "views/console/console_private.h"

/*
 * The mouse: the wheel moves the cursor, a click puts it on a row, a second click opens that row. A
 * click on a column's title sorts, and one on the title of the page goes back. The banner leads to
 * the evidence, and words of the last line run their commands.
 */

#define WHEEL_ROWS 3

bool console_mouse(struct console *c, const char *text, struct err *err)
{
	bool on = str_eq(text, "on") || (!text[0] && !term_mouse_is_on(c->opts.term));

	if (text[0] && !str_eq(text, "on") && !str_eq(text, "off"))
		return err_set(err, ERR_USAGE, "", "mouse on, or mouse off");
	term_mouse_on(c->opts.term, on);
	console_message(c, ROLE_DIM, "%s",
		on ? "the mouse is railtop's; Shift selects text"
		   : "the mouse is the terminal's: it selects text");
	return true;
}

static void report(struct console *c, bool ok, const struct err *err)
{
	if (!ok)
		console_error(c, err);
}

static void turn_wheel(struct console *c, bool up)
{
	for (int i = 0; i < WHEEL_ROWS; i++)
		console_move(c, up ? TABLE_UP : TABLE_DOWN);
}

static void click_title(struct console *c, struct page *p, int x, struct err *err)
{
	for (size_t i = 0; i < p->table.ndrawn; i++) {
		int from = p->table.drawn[i].x, column = p->table.drawn[i].column;
		const char *id;
		char order[64];

		if (x < from || x >= from + p->table.drawn[i].width)
			continue;
		if (column == p->table.sort_column) {
			console_sort_reverse(c);
			return;
		}
		id = p->view->columns[column].id;
		(void)str_printf(order, sizeof(order), "%s%s",
			p->view->columns[column].right ? "-" : "", id);
		report(c, console_sort(c, order, err), err);
		return;
	}
}

static void click_row(struct console *c, struct page *p, size_t row, struct err *err)
{
	struct table_source src = page_source(c, p);

	if (row >= src.nrows)
		return;
	if (table_row(&p->table, &src) == row) {
		report(c, console_enter(c, err), err);
		return;
	}
	(void)table_goto(&p->table, &src, src.key(src.ctx, row));
	console_update_focus(c);
}

static void click_hint(struct console *c, int x, struct err *err)
{
	for (size_t i = 0; i < c->nhints; i++)
		if (x >= c->hints_at[i].x && x < c->hints_at[i].x + c->hints_at[i].width) {
			report(c, console_run(c, c->hints_at[i].command, err), err);
			return;
		}
}

static void click(struct console *c, struct term_mouse at)
{
	struct page *p = console_page(c);
	struct err err = {0};
	int y = at.y - c->table_at.y;

	c->message[0] = '\0';
	if (at.y == term_rows(c->opts.term) - 1)
		click_hint(c, at.x, &err);
	else if (c->overlay)
		return;
	else if (at.y == 0)
		report(c, console_back(c, &err), &err);
	else if (at.y <= c->banner_lines)
		report(c, console_cause(c, &err), &err);
	else if (y == 0)
		click_title(c, p, at.x - c->table_at.x, &err);
	else if (y > 0 && y < c->table_at.h && at.x >= c->table_at.x &&
		 at.x < c->table_at.x + c->table_at.w)
		click_row(c, p, p->table.top + (size_t)(y - 1), &err);
}

void mouse_key(struct console *c)
{
	mouse_act(c, term_mouse(c->opts.term));
}

void mouse_act(struct console *c, struct term_mouse at)
{
	/* Questions are answered by keys alone: a click must not consent to anything. */
	if (c->prompt_use || !c->model || c->overlay == OVERLAY_SHEET)
		return;
	if (at.what == MOUSE_CLICK)
		click(c, at);
	else
		turn_wheel(c, at.what == MOUSE_WHEEL_UP);
}
