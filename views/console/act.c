/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/common.h"
#include "views/console/console_private.h"
#include "views/panels/finding_text.h"

#define AUDIT_AGAIN_US (5 * CLOCK_SEC)
#define PLACES         8

static void complete_action(void *ctx, const char *text, struct prompt *p);

void console_act_init(struct console *c)
{
	c->acting.ctx = c->asking.ctx = c;
	c->acting.complete = complete_action;
	c->acting.forgets = c->asking.forgets = true;
}

bool console_has_actions(const struct console *c)
{
	return c->opts.hooks.actions && c->opts.hooks.act_begin && c->opts.hooks.act_go;
}

static bool refuse_read_only(struct err *err)
{
	err_set(err, ERR_REFUSED, "", "read-only: no actions");
	return err_cure(err, "grant them in the actions: section of the inventory, and start "
			     "railtop without --read-only");
}

/* ---- place of an action ---- */

/* Replaces *r by the port or device for an action on it; false: there is none. */
static bool resolve_target(const struct console *c, struct ref *r)
{
	struct view_ctx ctx = console_ctx(c);
	const struct finding *f = finding_of(&ctx, *r, NULL);

	if (f)
		*r = f->at;
	if (r->kind == REF_COUNTER || r->kind == REF_LINK || r->kind == REF_BGP ||
		r->kind == REF_NEED)
		*r = ref_wider(c->model, *r);
	return (r->kind == REF_DEVICE || r->kind == REF_PORT || r->kind == REF_PRIORITY) &&
	       ref_lives(c->model, *r);
}

/* The object under the cursor, else of the page that Enter opens, else of this page. */
static bool place_here(struct console *c, struct ref *out, struct err *err)
{
	struct page *p = console_page(c);
	struct view_ctx ctx = console_ctx(c);
	struct ref row;
	const char *view;

	if (!c->model)
		return err_set(err, ERR_USAGE, "", "there is no data yet");
	/* The page of a port stands for the port, whatever row the cursor is on. */
	*out = p->scope;
	if ((out->kind == REF_PORT || out->kind == REF_PRIORITY) &&
		p->view == view_for_ref(c->model, *out))
		return true;
	*out = console_about(c);
	if (resolve_target(c, out))
		return true;
	row = page_row(c, p);
	if (row.kind != REF_NONE && p->view->enter && p->view->enter(&ctx, row, &view, out) &&
		resolve_target(c, out))
		return true;
	*out = p->scope;
	if (resolve_target(c, out))
		return true;
	err_set(err, ERR_USAGE, "", "no port or device is selected here");
	return err_cure(err, "put the cursor on one, or name it: act NAME leaf-r3-00:Ethernet12");
}

/* ---- names of actions ---- */

struct names {
	struct prompt *p;   /* receives the names as candidates; NULL: none wanted */
	const char *typed;  /* the wanted beginning of the names, or the whole name */
	const char *before; /* text before a name in the prompt */
	bool found;
	char list[160];
};

static void name_offer(void *to, const char *name, const char *help)
{
	struct names *n = to;
	char text[96];
	size_t len = strlen(n->list);

	(void)str_printf(n->list + len, sizeof(n->list) - len, "%s%s", len ? ", " : "", name);
	n->found |= str_eq(n->typed, name);
	if (!n->p || !str_starts(name, n->typed))
		return;
	if (str_printf(text, sizeof(text), "%s%s", n->before, name))
		prompt_candidate_note(n->p, text, help);
}

static void offer_names(const struct console *c, struct ref at, struct names *n)
{
	c->opts.hooks.actions(c->opts.hooks.ctx, at, name_offer, n);
}

struct places {
	struct prompt *p;
	char before[96];
};

static void place_offer(void *ctx, const char *text)
{
	const struct places *o = ctx;
	char line[96];

	if (str_printf(line, sizeof(line), "%s%s", o->before, text))
		prompt_candidate(o->p, line);
}

/*
 * text: "NAME" or "NAME PLACE", possibly incomplete; before: the text in front of it in the prompt.
 */
static void offer_line(const struct console *c, struct ref at, const char *before, const char *text,
	struct prompt *p)
{
	size_t n = strcspn(text, " ");
	struct names names = {.p = p, .typed = text, .before = before};
	struct places places = {.p = p};
	char name[48];

	if (!text[n]) {
		offer_names(c, at, &names);
		return;
	}
	if (!c->model || !str_copyn(name, sizeof(name), text, n) ||
		!str_printf(places.before, sizeof(places.before), "%s%s ", before, name))
		return;
	ref_complete(c->model, text + n + strspn(text + n, " "), PLACES, place_offer, &places);
}

static void complete_action(void *ctx, const char *text, struct prompt *p)
{
	struct console *c = ctx;

	offer_line(c, c->act_at, "", text, p);
}

void act_complete(const struct console *c, const char *text, struct prompt *p)
{
	struct ref at = {0};

	if (!console_has_actions(c) || !str_starts(text, "act ") || !c->model)
		return;
	/* The cast drops only the const of the container: page_row re-anchors the cursor. */
	(void)place_here((struct console *)c, &at, NULL);
	offer_line(c, at, "act ", text + 4 + strspn(text + 4, " "), p);
}

/* ---- planning ---- */

/* A plan without consent is dropped for a new one. */
static bool make_way(struct console *c, struct err *err)
{
	const struct act_sheet *s = c->sheet;

	if (!s || s->busy || s->follows || s->ask == SHEET_UNDO || !c->opts.hooks.act_drop)
		return true;
	return c->opts.hooks.act_drop(c->opts.hooks.ctx, err);
}

static bool begin_action(struct console *c, const char *name, struct ref at, struct err *err)
{
	struct names names = {.typed = name, .before = ""};
	char place[160] = "";

	if (!console_refuse_past(c, "nothing is changed", err))
		return false;
	offer_names(c, at, &names);
	if (!names.found) {
		(void)ref_format(c->model, at, place, sizeof(place));
		err_set(err, ERR_USAGE, "", "no action %s for %s", name, place);
		return err_cure(err, "available: %s", names.list[0] ? names.list : "none");
	}
	if (!make_way(c, err))
		return false;
	c->sheet_went = false;
	if (!c->opts.hooks.act_begin(c->opts.hooks.ctx, name, at, err))
		return false;
	if (c->sheet)
		sheet_open(c);
	return true;
}

static bool console_act_now(struct console *c, const char *text, struct err *err)
{
	size_t n = strcspn(text, " ");
	const char *place = text + n + strspn(text + n, " ");
	struct ref at = c->act_at;
	char name[48];

	if (!str_copyn(name, sizeof(name), text, n))
		return err_set(err, ERR_USAGE, "", "no such action");
	if (*place && !console_parse(c, place, &at, err))
		return false;
	if (!resolve_target(c, &at))
		return err_set(err, ERR_USAGE, "", "no action exists for %s", place);
	return begin_action(c, name, at, err);
}

/* Whether the operator may want to open the closed sheet again. */
static bool sheet_matters(const struct act_sheet *s)
{
	return s && (s->busy || s->follows || s->ask != SHEET_SHOWS);
}

static bool act_typed(struct console *c, const char *text, struct err *err)
{
	return !text[0] || console_act_now(c, text, err);
}

bool console_act(struct console *c, const char *text, struct err *err)
{
	char label[96], place[80] = "";
	bool here;

	if (!console_has_actions(c))
		return refuse_read_only(err);
	if (!c->model)
		return err_set(err, ERR_USAGE, "", "there is no data yet");
	if (!console_refuse_past(c, "nothing is changed", err))
		return false;
	if (!*text && sheet_matters(c->sheet))
		return console_act_show(c, err);
	c->trigger = c->key;
	/* Takes the place now, because rows may move while the user types. */
	here = place_here(c, &c->act_at, err);
	if (*text) {
		if (here || strchr(text, ' '))
			return console_act_now(c, text, err);
		return false;
	}
	if (!here)
		return false;
	(void)ref_format(c->model, c->act_at, place, sizeof(place));
	(void)str_printf(label, sizeof(label), "act at %s: ", place);
	console_ask_text(c, &c->acting, label, act_typed);
	return true;
}

bool console_act_show(struct console *c, struct err *err)
{
	char key[24];

	if (!console_has_actions(c))
		return refuse_read_only(err);
	if (!c->sheet) {
		(void)keymap_key_for(
			c->opts.keymap, console_page(c)->view->name, "act", key, sizeof(key));
		err_set(err, ERR_USAGE, "", "no action has been planned");
		return err_cure(err, "%s plans one", key[0] ? key : ":act");
	}
	sheet_open(c);
	return true;
}

void console_act_sheet(struct console *c, const struct act_sheet *s)
{
	bool is_new = s && !c->sheet;

	c->sheet = s;
	if (s && s->follows && !c->sheet_went)
		c->sheet_follows = true;
	c->sheet_went = s && (s->follows || c->sheet_went);
	if (!s && c->overlay == OVERLAY_SHEET)
		c->overlay = OVERLAY_NONE;
	if (is_new)
		sheet_open(c);
	ask_check(c);
	console_touch(c);
}

/* ---- the ledger ---- */

void console_audit(struct console *c, const struct audit_log *log)
{
	c->audit = log;
	console_touch(c);
}

void audit_want(struct console *c)
{
	if (console_page(c)->view != &view_audit || !c->opts.hooks.audit)
		return;
	if (c->audit_us && c->now_us >= c->audit_us && c->now_us - c->audit_us < AUDIT_AGAIN_US)
		return;
	c->audit_us = c->now_us;
	c->opts.hooks.audit(c->opts.hooks.ctx);
}
