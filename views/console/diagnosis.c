/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/console/console_private.h"
#include "views/audit_acts.h"
#include "views/diag_rows.h"
#include "views/panels/cause.h"
#include "views/panels/finding_text.h"

#define ACK_MINUTES     60
#define ACK_MINUTES_MAX ((uint64_t)(DIAG_ACK_MOST_US / (60 * CLOCK_SEC)))

void console_diagnosis(struct console *c, struct diag *d)
{
	c->diag = d;
	console_touch(c);
}

struct ref console_about(struct console *c)
{
	struct page *p = console_page(c);
	struct view_ctx ctx = console_ctx(c);
	struct ref row = page_row(c, p), at = row;

	if (row.kind != REF_NONE && p->view->about)
		at = p->view->about(&ctx, row);
	return at.kind == REF_NONE || at.kind == REF_ROW ? p->scope : at;
}

/* ---- trace ---- */

/* Replaces *r by the object to trace; false: there is none. */
static bool resolve_traced(const struct console *c, struct ref *r)
{
	struct view_ctx ctx = console_ctx(c);
	const struct finding *f = finding_of(&ctx, *r, NULL);

	if (f)
		*r = f->at;
	/* An object without a trace of its own is replaced by the object that contains it. */
	if (!view_takes(&view_trace, r->kind))
		*r = ref_wider(c->model, *r);
	return view_takes(&view_trace, r->kind) && ref_lives(c->model, *r);
}

static bool trace_ref(struct console *c, struct ref r, struct err *err)
{
	const struct page *p = console_page(c);

	if (p->view == &view_trace && ref_eq(p->scope, r))
		console_message(
			c, ROLE_DIM, "this is already the trace; it is renewed with the data");
	return console_open(c, &view_trace, r, err);
}

static bool trace_here(struct console *c, struct err *err)
{
	struct page *p = console_page(c);
	struct view_ctx ctx = console_ctx(c);
	struct ref row, at, scope = {0};
	const struct finding *f;
	const char *view;

	if (!c->model)
		return err_set(err, ERR_USAGE, "", "there is no data yet");
	row = page_row(c, p);
	at = console_about(c);
	if (resolve_traced(c, &at))
		return trace_ref(c, at, err);
	/* An event is traced from the port that Enter opens. */
	if (row.kind != REF_NONE && p->view->enter && p->view->enter(&ctx, row, &view, &scope) &&
		resolve_traced(c, &scope))
		return trace_ref(c, scope, err);
	at = p->scope;
	if (resolve_traced(c, &at))
		return trace_ref(c, at, err);
	f = cause_finding(&ctx);
	at = f ? f->at : at;
	if (f && resolve_traced(c, &at))
		return trace_ref(c, at, err);
	err_set(err, ERR_USAGE, "", "the trace has no start here");
	return err_cure(
		err, "a rank, host, NIC, port, job or finding can be traced: trace rank 19");
}

bool console_trace(struct console *c, const char *place, struct err *err)
{
	struct ref r;

	if (!place[0])
		return trace_here(c, err);
	if (!c->model)
		return err_set(err, ERR_USAGE, "", "there is no data yet");
	if (!console_parse(c, place, &r, err))
		return false;
	if (resolve_traced(c, &r))
		return trace_ref(c, r, err);
	err_set(err, ERR_USAGE, "", "%s cannot be traced", place);
	return err_cure(err, "a rank, host, NIC, port, job or finding can be traced");
}

/* ---- places of the diagnosis ---- */

/* Finds the finding with this name, as written by finding_locator(). */
static bool parse_finding(const struct console *c, const char *text, struct ref *out)
{
	const struct finding *const *all;
	char name[64], locator[240];
	enum finding_id id;
	size_t n = 0;

	if (!c->diag || !str_copyn(name, sizeof(name), text, strcspn(text, " ")))
		return false;
	id = finding_by_name(name);
	if (id == FIND_COUNT)
		return false;
	all = diag_findings(c->diag, &n);
	for (size_t i = 0; i < n; i++) {
		if (all[i]->id != id)
			continue;
		finding_locator(c->model, all[i], locator, sizeof(locator));
		/* The name alone means the first finding of its kind. */
		if (text[strlen(name)] && !str_eq(locator, text))
			continue;
		*out = ref_of_finding(all[i]->key);
		return true;
	}
	return false;
}

bool console_parse(const struct console *c, const char *text, struct ref *out, struct err *err)
{
	return parse_finding(c, text, out) || ref_parse(c->model, text, out, err);
}

void findings_complete(const struct console *c, const char *text, struct prompt *p)
{
	const struct finding *const *all;
	size_t n = 0, offered = 0;
	char locator[240];

	if (!c->diag || !c->model || !text[0])
		return;
	all = diag_findings(c->diag, &n);
	for (size_t i = 0; i < n && offered < 8; i++) {
		const char *name = finding_info[all[i]->id].name;

		if (strncmp(name, text,
			    strlen(name) < strlen(text) ? strlen(name) : strlen(text)) != 0)
			continue;
		finding_locator(c->model, all[i], locator, sizeof(locator));
		if (!str_starts(locator, text))
			continue;
		prompt_candidate(p, locator);
		offered++;
	}
}

bool console_finding(const struct console *c, char *dst, size_t size)
{
	struct view_ctx ctx = console_ctx(c);
	const struct finding *f =
		finding_of(&ctx, page_row((struct console *)c, console_page(c)), NULL);

	if (!f)
		f = finding_of(&ctx, console_page(c)->scope, NULL);
	if (f)
		finding_locator(c->model, f, dst, size);
	return f != NULL;
}

/* ---- folding ---- */

/* The row whose consequences are shown or hidden; REF_NONE: there is none. */
static struct ref fold_row(struct console *c, const struct view_ctx *ctx, struct diag_rows *d)
{
	struct page *p = console_page(c);
	const struct finding *f;

	if (p->view == &view_audit)
		return audit_fold(ctx, page_row(c, p));
	f = finding_of(ctx, page_row(c, p), NULL);
	if (!f)
		return (struct ref){.kind = REF_NONE};
	f = finding_root(c->diag, f);
	fold_set_turn(&d->roots, f->key);
	return ref_of_finding(f->key);
}

bool console_fold(struct console *c, const char *which, struct err *err)
{
	struct page *p = console_page(c);
	struct view_ctx ctx = console_ctx(c);
	struct diag_rows *d = diag_rows_of(&ctx);
	bool audit = p->view == &view_audit;
	struct table_source src;
	struct ref at;

	if (d && str_eq(p->view->name, "storm")) {
		d->storm_whole = !d->storm_whole;
		console_touch(c);
		return true;
	}
	if ((!audit && (p->view != &view_findings || !c->diag)) || !d)
		return err_set(err, ERR_USAGE, "", "this row cannot be folded");
	if (str_eq(which, "all")) {
		fold_set_turn_all(audit ? &d->acts : &d->roots);
		console_touch(c);
		return true;
	}
	at = fold_row(c, &ctx, d);
	if (at.kind == REF_NONE)
		return err_set(err, ERR_USAGE, "",
			audit ? "this row has no steps" : "there is no row here");
	page_refresh(c, p);
	/* If the cursor was on a consequence, it moves to the finding that explains it. */
	src = page_source(c, p);
	(void)table_goto(&p->table, &src, ref_key(at));
	console_touch(c);
	return true;
}

/* ---- acknowledging ---- */

static const struct finding *ack_target(struct console *c)
{
	struct view_ctx ctx = console_ctx(c);
	const struct finding *f = NULL;

	if (!c->model || !c->diag)
		return NULL;
	f = finding_of(&ctx, page_row(c, console_page(c)), NULL);
	if (!f)
		f = finding_of(&ctx, console_page(c)->scope, NULL);
	return f;
}

/* "90 cable ordered": the number is minutes, the rest the note; either may be missing. */
static const char *split_minutes(const char *text, uint64_t *minutes)
{
	char word[24];
	size_t n = strcspn(text, " ");

	*minutes = ACK_MINUTES;
	if (!str_copyn(word, sizeof(word), text, n) || !str_to_u64(word, minutes)) {
		*minutes = ACK_MINUTES;
		return text;
	}
	text += n;
	return text + strspn(text, " ");
}

static bool console_ack_now(struct console *c, const char *text, struct err *err)
{
	const struct finding *f = ack_target(c);
	char locator[240], until[32];
	uint64_t minutes;
	const char *note;
	uint64_t key;
	int64_t end;

	if (!f) {
		err_set(err, ERR_USAGE, "", "no finding is selected here");
		return err_cure(err, "the findings view lists them");
	}
	if (!console_refuse_past(c, "no finding can be acknowledged", err))
		return false;
	key = f->key;
	finding_locator(c->model, f, locator, sizeof(locator));
	console_touch(c);
	if (str_eq(text, "-")) {
		if (!diag_unack(c->diag, key, err))
			return false;
		console_note(c, &(struct console_note){NOTE_UNACK, c->now_us, key, 0, "", NULL});
		console_message(c, ROLE_NORMAL, "the acknowledgement of %s is withdrawn", locator);
		return true;
	}
	note = split_minutes(text, &minutes);
	if (!minutes || minutes > ACK_MINUTES_MAX) {
		err_set(err, ERR_USAGE, "", "%" PRIu64 " minutes", minutes);
		return err_cure(err, "give 1 to %d minutes; - withdraws it", (int)ACK_MINUTES_MAX);
	}
	end = c->now_us + (int64_t)minutes * 60 * CLOCK_SEC;
	if (!diag_ack(c->diag, key, c->now_us, end, c->opts.user ? c->opts.user : "", note, err))
		return false;
	console_note(c, &(struct console_note){NOTE_ACK, c->now_us, key, end, note, NULL});
	(void)time_hms(c, end, until, sizeof(until));
	until[5] = '\0';
	console_message(c, ROLE_NORMAL, "%s acknowledged until %s", locator, until);
	return true;
}

bool console_ack(struct console *c, const char *text, struct err *err)
{
	if (*text)
		return console_ack_now(c, text, err);
	if (!ack_target(c))
		return console_ack_now(c, "-", err);
	if (!console_refuse_past(c, "no finding can be acknowledged", err))
		return false;
	console_message(
		c, ROLE_DIM, "give minutes and a note; Enter alone: 60 minutes; -: withdraw");
	console_ask_text(c, &c->acking, "ack [minutes] [note]: ", console_ack_now);
	return true;
}
