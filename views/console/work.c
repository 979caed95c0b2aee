/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Long computations of a large fabric, in pieces between which keys are handled: health and sums of
 * changed devices, and the rows of long tables, filtered and sorted. The old rows stay on the
 * screen until the new ones are complete.
 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/console/console_private.h"
#include "views/rows.h"
#include "views/summary.h"

/* A fabric up to this size, and as many rows, are computed at once: some milliseconds. */
#define AT_ONCE 8192
/* Pieces of a list that may be searched for these rows. */
#define LISTS_AT_ONCE 32
/* Limit for one call; a piece may take longer than the one before it. */
#define CALL_US 4000
/* A finished page rests for this many times its computing time, unless the operator asks for it. */
#define RESTS 9

static int64_t now_us(void)
{
	return clock_mono(&clock_system);
}

bool console_is_large(const struct console *c)
{
	return c->model && c->model->ports.n > AT_ONCE;
}

void console_pace(struct console *c)
{
	if (console_is_large(c) && c->cache)
		summary_pace(c->cache);
}

static void end_work(struct page_work *w)
{
	row_sort_free(w->sort);
	w->sort = NULL;
	w->stage = PAGE_WORK_NONE;
	w->rows.n = 0;
}

void page_work_drop(struct page_work *w)
{
	end_work(w);
	vec_free(&w->rows);
}

/* Whether the work in progress, or done last, fits the page's present settings. */
static bool is_wanted(const struct page_work *w, const struct page *p)
{
	return w->column == p->table.sort_column && w->descending == p->table.sort_descending &&
	       str_eq(w->filter, p->filter);
}

static void begin_work(struct console *c, struct page *p)
{
	struct page_work *w = &p->work;

	end_work(w);
	if (w->model != c->model)
		p->rows.n = 0;
	w->asked = !w->done || w->model != c->model || !is_wanted(w, p);
	w->column = p->table.sort_column;
	w->descending = p->table.sort_descending;
	(void)str_copy(w->filter, sizeof(w->filter), p->filter);
	w->model = c->model;
	w->wiring = c->model->wiring_generation;
	w->at = w->kept = w->listed = w->total = 0;
	w->spent_us = 0;
	w->stage = PAGE_WORK_LIST;
}

static void finish_work(struct page *p)
{
	struct page_work *w = &p->work;

	row_vec was = p->rows;

	p->rows = w->rows;
	p->total = w->total;
	/* Frames in between showed the rows of before. */
	if (w->asked)
		table_measure_anew(&p->table);
	/* Reuses the memory: megabytes of new memory pages cost as much time as the rows. */
	w->rows = was;
	w->rows.n = 0;
	end_work(w);
	w->done = true;
	w->rest_until_us = now_us() + w->spent_us * RESTS;
}

static void list_some(struct page *p, const struct view_ctx *ctx)
{
	struct page_work *w = &p->work;

	if (!view_list_some(ctx, p->view, &w->listed, &w->rows))
		return;
	w->total = w->rows.n;
	w->stage = p->query ? PAGE_WORK_FILTER : PAGE_WORK_SORT;
}

static void filter_some(struct page *p, const struct view_ctx *ctx)
{
	struct page_work *w = &p->work;

	page_filter_some(p, ctx, &w->rows, &w->at, &w->kept, 64);
	if (w->at < w->total)
		return;
	w->rows.n = w->kept;
	w->stage = PAGE_WORK_SORT;
}

/* Does a piece of about a millisecond; true: the page has its rows. */
static bool go_on(struct page *p, const struct view_ctx *ctx)
{
	struct page_work *w = &p->work;

	if (w->stage == PAGE_WORK_LIST) {
		list_some(p, ctx);
		return false;
	}
	if (w->stage == PAGE_WORK_FILTER) {
		filter_some(p, ctx);
		return false;
	}
	if (w->column < 0)
		return true;
	if (!w->sort)
		w->sort = row_sort_new((size_t)w->column, w->descending, &w->rows);
	return row_sort_some(w->sort, ctx, p->view);
}

/* Whether the rows are outdated: rows of links are indexes in a list that was made anew. */
static bool is_outdated(const struct console *c, const struct page *p)
{
	const struct page_work *w = &p->work;

	return w->model != c->model || !is_wanted(w, p) ||
	       (w->rows.n && w->rows.at[0].kind == REF_LINK &&
		       w->wiring != c->model->wiring_generation);
}

bool page_in_pieces(struct console *c, struct page *p, const struct view_ctx *ctx)
{
	struct page_work *w = &p->work;
	bool whole = false;

	if (!console_is_large(c) || !p->view->stamp || p->view == &view_findings) {
		page_work_drop(w);
		return false;
	}
	/* Work in progress does not restart with each new answer, or it would never end. */
	if (w->stage != PAGE_WORK_NONE && !is_outdated(c, p))
		return true;
	if (w->done && w->model == c->model && is_wanted(w, p) && now_us() < w->rest_until_us)
		return true;
	begin_work(c, p);
	c->rows_stale = false;
	for (unsigned n = 0; !whole && w->rows.n <= AT_ONCE && w->total <= AT_ONCE; n++) {
		/* The filter passes few of many rows. */
		if (w->stage == PAGE_WORK_LIST && n >= LISTS_AT_ONCE)
			break;
		whole = go_on(p, ctx);
	}
	if (whole) {
		finish_work(p);
		w->rest_until_us = 0;
	}
	return true;
}

static void work_on_page(struct console *c, struct page *p, int64_t until_us)
{
	struct page_work *w = &p->work;
	struct view_ctx ctx = console_ctx(c);
	int64_t start = now_us();
	bool whole = false;

	if (w->stage == PAGE_WORK_NONE || is_outdated(c, p)) {
		page_refresh(c, p);
		c->dirty = true;
	}
	ctx.scope = p->scope;
	while (w->stage != PAGE_WORK_NONE && !whole && now_us() < until_us)
		whole = go_on(p, &ctx);
	w->spent_us += now_us() - start;
	if (!whole)
		return;
	finish_work(p);
	c->dirty = true;
}

bool console_work(struct console *c)
{
	int64_t until = now_us() + CALL_US;
	struct page *p = console_page(c);
	struct view_ctx ctx;

	if (!console_is_large(c) || !c->cache)
		return false;
	ctx = console_ctx(c);
	while (c->health_stale && now_us() < until) {
		if (!summary_refresh_some(&ctx))
			continue;
		c->health_stale = false;
		c->dirty = true;
		c->rows_stale |= p->work.stage == PAGE_WORK_NONE;
	}
	if (c->health_stale || runbook_work(c, until))
		return true;
	if (p->view->work) {
		bool more = true;

		while (more && now_us() < until) {
			more = p->view->work(&ctx);
			c->view_works |= more;
		}
		if (!more && c->view_works) {
			console_touch(c);
			c->view_works = false;
		}
		return more;
	}
	if (p->work.stage != PAGE_WORK_NONE ||
		(c->rows_stale && p->work.done && now_us() >= p->work.rest_until_us))
		work_on_page(c, p, until);
	return p->work.stage != PAGE_WORK_NONE;
}

int64_t console_due(const struct console *c)
{
	const struct page *p = console_page(c);

	return console_is_large(c) && c->rows_stale && p->work.done &&
			       p->work.stage == PAGE_WORK_NONE
		       ? p->work.rest_until_us
		       : INT64_MAX;
}

void page_work_told(const struct page *p, char *dst, size_t size)
{
	const struct page_work *w = &p->work;

	dst[0] = '\0';
	if (!w->asked)
		return;
	if (w->stage == PAGE_WORK_LIST)
		(void)str_printf(dst, size, "listing rows: %zu", w->rows.n);
	else if (w->stage == PAGE_WORK_FILTER)
		(void)str_printf(dst, size, "filtering %zu row%s: %zu%%", w->total,
			str_plural(w->total), w->total ? w->at * 100 / w->total : 0);
	else if (w->stage != PAGE_WORK_NONE)
		(void)str_printf(dst, size, "sorting %zu row%s", w->rows.n, str_plural(w->rows.n));
}
