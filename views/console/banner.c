/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"
#include "views/console/console_private.h"
#include "views/panels/cause.h"
#include "views/panels/finding_text.h"

/* The cause banner below the title, on every page. */

#define TALL        34 /* lines of the screen from which the banner is whole on every page */
#define SPARE_LEAST 1  /* a free row stays free: the text of a cut cell may come there */
#define BODY_KEEPS  5  /* lines from which the page gives one to the banner */

static void key_of(const struct console *c, const char *command, char *dst, size_t size)
{
	dst[0] = '\0';
	if (c->opts.keymap)
		(void)keymap_key_for(
			c->opts.keymap, console_page(c)->view->name, command, dst, size);
}

static void fill_keys(const struct console *c, struct cause_keys *k)
{
	key_of(c, "cause", k->evidence, sizeof(k->evidence));
	key_of(c, "trace", k->trace, sizeof(k->trace));
	key_of(c, "chart", k->chart, sizeof(k->chart));
	key_of(c, "runbook", k->runbook, sizeof(k->runbook));
	key_of(c, "snapshot", k->ticket, sizeof(k->ticket));
	key_of(c, "view findings", k->all, sizeof(k->all));
}

/* Other pages of a small screen have the first line, and the others where rows are free. */
static size_t lines_of(const struct console *c, int h)
{
	const struct page *p = console_page(c);

	if (h < BODY_KEEPS || c->overlay)
		return h < BODY_KEEPS ? 0 : 1;
	if (h >= TALL || p->view == view_table[0])
		return CAUSE_LINES;
	return c->banner_room.page == p && c->banner_room.h == h ? 1 + c->banner_room.more : 1;
}

bool banner_fits(struct console *c, int h, int panel, bool filled, int body)
{
	const struct page *p = console_page(c);
	size_t more = 0,
	       was = c->banner_room.page == p && c->banner_room.h == h ? c->banner_room.more : 0;
	/* Rows that were free if the banner had one line: its others are in the body's place. */
	int spare = body + (c->banner_lines > 1 ? c->banner_lines - 1 : 0) - panel - 1 -
		    (int)p->rows.n - SPARE_LEAST;

	/* A panel that takes all there is has a use for each line. */
	if (c->banner_lines && spare > 0 && (!filled || was))
		more = spare < CAUSE_LINES - 1 ? (size_t)spare : CAUSE_LINES - 1;
	c->banner_room.page = p;
	c->banner_room.h = h;
	c->banner_room.more = more;
	return more == was;
}

int banner_draw(const struct console *c, struct region r)
{
	struct cause_line lines[CAUSE_LINES];
	struct view_ctx ctx = console_ctx(c);
	struct cause_keys keys;
	size_t n;

	if (!c->model)
		return 0;
	fill_keys(c, &keys);
	n = cause_lines(&ctx, r.w, &keys, lines, lines_of(c, r.h));
	for (size_t i = 0; i < n; i++) {
		int x = 0;

		draw_fill(r, (int)i, 0, r.w, ROLE_NORMAL);
		if (lines[i].head[0])
			x = 2 + draw_text(r, (int)i, 0, lines[i].role, lines[i].head, -1);
		(void)draw_text(r, (int)i, x, i ? ROLE_NORMAL : ROLE_TITLE, lines[i].text, -1);
	}
	return (int)n;
}

bool console_cause(struct console *c, struct err *err)
{
	struct view_ctx ctx = console_ctx(c);
	const struct finding *f = cause_finding(&ctx);
	int64_t closed;
	unsigned others;

	if (!f)
		f = cause_ended(&ctx, &closed, &others);
	if (f && console_page(c)->view == &view_finding && console_page(c)->scope.seq == f->key)
		console_message(c, ROLE_DIM, "this is the evidence of the cause");
	if (f)
		return console_open(c, &view_finding, ref_of_finding(f->key), err);
	console_message(c, ROLE_DIM, "no cause is known: all findings");
	return console_open(c, &view_findings, (struct ref){.kind = REF_FABRIC}, err);
}
