/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/str.h"
#include "views/console/console_private.h"
#include "views/rows.h"

/*
 * Search beside the filter: all rows stay, and the cursor goes to those that contain the text. In
 * the help and other texts the lines that contain it are marked.
 */

#define SEARCH_ROWS 4096 /* rows that one key reads; the next key reads on */

bool search_hits(const struct console *c, const char *text)
{
	return c->search[0] && strcasestr(text, c->search) != NULL;
}

/* Moves to the next or the last line of the overlay that contains the text. */
static bool find_line(struct console *c, bool back, struct err *err)
{
	size_t n = c->overlay_lines.n;

	for (size_t k = 1; k <= n; k++) {
		size_t i = (c->overlay_top + (back ? n - k : k)) % n;

		if (!search_hits(c, c->overlay_lines.at[i].text))
			continue;
		c->overlay_top = i;
		c->dirty = true;
		return true;
	}
	return err_set(err, ERR_USAGE, "", "%s is not in this text", c->search);
}

static bool find_row(struct console *c, bool back, struct err *err)
{
	struct page *p = console_page(c);
	struct view_ctx ctx = console_ctx(c);
	struct table_source src = page_source(c, p);
	size_t n = p->rows.n, from = table_row(&p->table, &src);
	size_t most = n < SEARCH_ROWS ? n : SEARCH_ROWS;
	char *text = mem_calloc(1, VIEW_ROW_TEXT);
	bool found = false;

	for (size_t k = 1; k <= most && from != SIZE_MAX && !found; k++) {
		size_t i = (from + (back ? n - k : k)) % n;

		(void)view_row_text(&ctx, p->view, p->rows.at[i], text);
		found = search_hits(c, text);
		if (found)
			(void)table_goto(&p->table, &src, src.key(src.ctx, i));
	}
	free(text);
	c->dirty = true;
	console_update_focus(c);
	if (found) {
		console_message(c, ROLE_DIM, "%s: n next, N before", c->search);
		return true;
	}
	return err_set(err, ERR_USAGE, "", "%s is not in %s", c->search,
		most < n ? "the next 4096 rows" : "any row");
}

bool search_next(struct console *c, bool back, struct err *err)
{
	if (!c->search[0]) {
		err_set(err, ERR_USAGE, "", "nothing was searched for");
		return err_cure(err, "f searches, / filters");
	}
	if (c->overlay == OVERLAY_HELP || c->overlay == OVERLAY_OUTPUT)
		return find_line(c, back, err);
	return c->model ? find_row(c, back, err) : true;
}

static bool search_typed(struct console *c, const char *text, struct err *err)
{
	(void)str_copy(c->search, sizeof(c->search), text);
	return !text[0] || search_next(c, false, err);
}

bool console_search(struct console *c, const char *text, struct err *err)
{
	if (text[0])
		return search_typed(c, text, err);
	console_ask_text(c, &c->texting, "search: ", search_typed);
	return true;
}
