/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"
#include "views/console/console_private.h"
#include "views/panels/cause.h"
#include "views/panels/finding_text.h"

/* The cause banner below the title, on every page. */

#define TALL       34 /* lines of the screen from which the banner is whole on every page */
#define BODY_KEEPS 5  /* lines from which the page gives one to the banner */

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

/* Other pages of a small screen have the first line only. */
static size_t lines_of(const struct console *c, int h)
{
	const struct page *p = console_page(c);

	if (h < BODY_KEEPS || c->overlay)
		return h < BODY_KEEPS ? 0 : 1;
	return h >= TALL || p->view == view_table[0] ? CAUSE_LINES : 1;
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

	if (f && console_page(c)->view == &view_finding && console_page(c)->scope.seq == f->key)
		console_message(c, ROLE_DIM, "this is the evidence of the cause");
	if (f)
		return console_open(c, &view_finding, ref_of_finding(f->key), err);
	console_message(c, ROLE_DIM, "no cause is known: all findings");
	return console_open(c, &view_findings, (struct ref){.kind = REF_FABRIC}, err);
}
