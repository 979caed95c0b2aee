/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/common.h"
#include "views/console/console_private.h"
#include "views/diag_rows.h"
#include "views/summary.h"

/*
 * Switches to another model. Pages hold ids of objects in the old model. The new model may have
 * fewer objects, or other objects with the same ids.
 */

/* Whether the model has an object with that id. */
static bool in_range(const struct model *m, struct ref r)
{
	if (r.kind == REF_RAIL)
		return r.rail >= 0 && r.rail < view_rails(m);
	return ref_lives(m, r);
}

/* Whether objects of this kind have a name by which they are found again. */
static bool is_named(enum ref_kind kind)
{
	switch (kind) {
	case REF_DEVICE:
	case REF_PORT:
	case REF_PRIORITY:
	case REF_LINK:
	case REF_JOB:
	case REF_COMM:
	case REF_RANK:
		return true;
	default:
		return false;
	}
}

void swap_name(const struct model *m, struct ref r, char *dst, size_t size)
{
	dst[0] = '\0';
	if (m && is_named(r.kind))
		(void)ref_format(m, r, dst, size);
}

bool swap_ref(const struct model *m, const char *name, struct ref *r)
{
	char is[SWAP_NAME];
	struct ref found;

	if (in_range(m, *r)) {
		if (!name[0] || !is_named(r->kind))
			return true;
		swap_name(m, *r, is, sizeof(is));
		if (str_eq(is, name))
			return true;
	}
	if (!name[0] || !ref_parse(m, name, &found, NULL) || found.kind != r->kind)
		return false;
	*r = found;
	return true;
}

static bool page_lives(const struct console *c, struct page *p)
{
	/* The rows are of the old model. */
	p->rows.n = p->total = 0;
	page_texts_free(p);
	return swap_ref(c->model, p->name, &p->scope);
}

/* Closes the pages of missing objects. The first page is of the fabric and always stays. */
static void leave_pages(struct console *c)
{
	size_t kept = 0, at = 0;
	char gone[SWAP_NAME] = "";

	for (size_t i = 0; i < c->pages.n; i++) {
		struct page *p = c->pages.at[i];
		bool lives = page_lives(c, p);

		if (!lives && i == c->at)
			(void)str_copy(gone, sizeof(gone), p->name[0] ? p->name : p->view->title);
		if (!lives) {
			page_free(p);
			continue;
		}
		if (i <= c->at)
			at = kept;
		c->pages.at[kept++] = p;
	}
	c->pages.n = kept;
	c->at = at;
	if (!gone[0])
		return;
	if (c->overlay == OVERLAY_COLUMNS || c->overlay == OVERLAY_HELP)
		c->overlay = OVERLAY_NONE;
	if (c->prompt_use == PROMPT_FILTER)
		c->prompt_use = PROMPT_NONE;
	console_message(c, ROLE_WARN, "%s does not exist at that moment", gone);
}

/* Keeps the unfolded findings and acts, which are the operator's choice. */
static struct view_cache *fresh_cache(struct view_cache *old)
{
	struct view_cache *cache = view_cache_new();
	struct diag_rows *from = old ? summary_diag_rows(old) : NULL;
	struct diag_rows *to = from ? summary_diag_rows(cache) : NULL;

	if (to) {
		struct fold_set none = to->roots;

		to->roots = from->roots;
		from->roots = none;
		none = to->acts;
		to->acts = from->acts;
		from->acts = none;
	}
	view_cache_free(old);
	return cache;
}

/* Drops questions about the moment that was shown before. */
static void drop_questions(struct console *c)
{
	switch (c->prompt_use) {
	case PROMPT_ASK:
		ask_drop(c, "another moment is shown now");
		break;
	case PROMPT_TEXT:
		/* A reason or a note holds for any moment. */
		if (c->typing == &c->texting)
			break;
		c->prompt_use = PROMPT_NONE;
		console_message(c, ROLE_WARN, "another moment is shown now: repeat the command");
		break;
	default:
		break;
	}
}

void switch_model(struct console *c)
{
	c->cache = fresh_cache(c->cache);
	console_pace(c);
	c->act_at = (struct ref){0};
	drop_questions(c);
	leave_pages(c);
	runbook_swapped(c);
	split_drop(c);
	below_drop(c);
	chart_swapped(c);
	for (size_t i = 0; i < c->pages.n; i++) {
		page_work_drop(&c->pages.at[i]->work);
		c->pages.at[i]->work.done = false;
	}
	page_refresh(c, console_page(c));
}
