/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "views/common.h"
#include "views/console/console_private.h"

/*
 * The lines that a short table leaves free on a wide screen: what one looks at next. Below a page
 * of the whole fabric stand the findings, the ports in the order of their trouble, and the jobs;
 * below a page of a part, the object's own page.
 */

#define LEAST_LINES 3 /* title, header and a row */
#define TITLE_LINES 2 /* and the header of the table */
#define LEAST_PAGE  3 /* lines of one table, title and header included */

struct candidate {
	const struct view_ops *view;
	struct ref scope;
};

static size_t of_fabric(const struct console *c, const struct page *p, struct candidate *out)
{
	static const char *const home[] = {"heat", "jobs", "findings"};
	static const char *const others[] = {"findings", "jobs", "heat"};
	const char *const *names = p->view == view_table[0] ? home : others;
	size_t n = 0;

	for (size_t i = 0; i < BELOW_MOST; i++) {
		const struct view_ops *v = view_by_name(names[i]);

		/* Heat reads the history of each port. */
		if (v != p->view && !(console_is_large(c) && strcmp(names[i], "heat") == 0))
			out[n++] = (struct candidate){v, {.kind = REF_FABRIC}};
	}
	return n;
}

/* The device or port that a page of a part is about; REF_NONE: neither. */
static struct ref place_of(const struct console *c, const struct page *p)
{
	struct view_ctx ctx = console_ctx(c);
	struct ref at = p->scope;
	const struct finding *f;
	const struct device *d;
	const struct port *port;

	if (at.kind == REF_FINDING) {
		f = ctx.diag ? diag_finding(ctx.diag, at.seq) : NULL;
		at = f ? f->at : (struct ref){.kind = REF_NONE};
	}
	port = at.kind == REF_PORT || at.kind == REF_PRIORITY ? ref_port(c->model, at) : NULL;
	if (port)
		return ref_of_port(port);
	d = at.kind == REF_DEVICE || at.kind == REF_BGP ? ref_device(c->model, at) : NULL;
	return d ? ref_of_device(d) : (struct ref){.kind = REF_NONE};
}

static size_t candidates(struct console *c, const struct page *p, struct candidate *out)
{
	if (p->view->scope == REF_NONE)
		return of_fabric(c, p, out);
	out[0].scope = place_of(c, p);
	if (out[0].scope.kind == REF_NONE)
		return of_fabric(c, p, out);
	out[0].view = view_for_ref(c->model, out[0].scope);
	return out[0].view && out[0].view != p->view && !out[0].view->list;
}

static void drop_one(struct page **p)
{
	if (*p)
		page_free(*p);
	*p = NULL;
}

void below_drop(struct console *c)
{
	for (size_t i = 0; i < BELOW_MOST; i++)
		drop_one(&c->below[i]);
}

/* Columns that change with each poll: their own page has them, and bytes are dear on a bastion. */
static void hide_busy(struct page *p)
{
	static const char *const busy[] = {"last_op", "rate"};

	for (size_t i = 0; i < sizeof(busy) / sizeof(busy[0]) && p->scope.kind == REF_FABRIC; i++) {
		int column = page_column(p, busy[i]);

		if (column >= 0)
			p->table.hidden |= UINT64_C(1) << column;
	}
}

/* The page of a candidate in its slot; one of the frame before is kept, with its layout. */
static void place(struct console *c, size_t slot, const struct candidate *of)
{
	struct page **p = &c->below[slot];

	if (*p && ((*p)->view != of->view || !ref_eq((*p)->scope, of->scope)))
		drop_one(p);
	if (!*p) {
		*p = page_new(c, of->view, of->scope);
		hide_busy(*p);
	}
	pane_page_rows(c, *p);
}

int below_height(struct console *c, struct page *p, int width, int free)
{
	struct candidate all[BELOW_MOST];
	size_t n, used = 0;

	free -= 1 + (p->rows.n > 2 ? (int)p->rows.n : 2) + 1;
	if (c->no_split || width < SPLIT_FROM || free < LEAST_LINES || p->view == &view_chart ||
		p->view == &view_runbook || p->view == &view_diff) {
		below_drop(c);
		return 0;
	}
	n = candidates(c, p, all);
	for (size_t i = 0; i < n; i++) {
		place(c, used, &all[i]);
		/* An empty table says nothing here. */
		used += c->below[used]->rows.n > 0;
	}
	for (size_t i = used; i < BELOW_MOST; i++)
		drop_one(&c->below[i]);
	return used ? free : 0;
}

static int wanted_lines(const struct page *p)
{
	return p->view->panel && p->scope.kind != REF_FABRIC ? INT32_MAX / 2
							     : TITLE_LINES + (int)p->rows.n;
}

void below_draw(struct console *c, struct region r)
{
	int y = 0;

	if (r.h <= 0)
		return;
	draw_clear(r);
	for (size_t i = 0; i < BELOW_MOST && c->below[i] && r.h - y >= LEAST_PAGE; i++) {
		struct page *p = c->below[i];
		bool last = i + 1 == BELOW_MOST || !c->below[i + 1];
		int h = wanted_lines(p), left = r.h - y;
		struct region in;

		/* One that others follow leaves them half of the room. */
		if (!last && h > left / 2 && left / 2 >= LEAST_PAGE)
			h = left / 2;
		if (h > left)
			h = left;
		in = region_sub(r, y, 0, h, r.w);
		draw_hline(in, 0, ROLE_DIM);
		(void)draw_textf(in, 0, 0, ROLE_TITLE, "%s %s%s", p->view->title,
			p->scope.kind == REF_FABRIC ? "" : p->name,
			p->scope.kind == REF_FABRIC ? "" : " ");
		in = region_sub(in, 1, 0, h - 1, r.w);
		if (p->scope.kind == REF_FABRIC)
			pane_table_draw(c, p, in);
		else
			pane_page_draw(c, p, in);
		y += h + 1;
	}
}
