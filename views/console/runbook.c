/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/console/console_private.h"
#include "views/panels/cause.h"
#include "views/panels/finding_text.h"
#include "views/runbook/step_text.h"

/* Runbooks in the console: beginning, continuing and leaving a run. */

#define SESSION_TRAIL_MOST 4096 /* newest entries kept of a session */

static bool none_under_way(struct err *err)
{
	err_set(err, ERR_USAGE, "", "no runbook is open");
	return err_cure(err, "b on a finding opens its runbook; runbook NAME any other");
}

/* Whether the target does not exist at the shown moment. */
static bool is_lost(const struct console *c, struct err *err)
{
	if (!c->run_lost)
		return false;
	err_set(err, ERR_USAGE, "", "%s does not exist at the moment that is shown",
		c->run.target_text);
	return !err_cure(err, "show another moment, or close the runbook: runbook-end");
}

/* ---- the trail ---- */

static void keep_entry(struct console *c, const struct runbook_log_entry *e)
{
	if (c->trail.n >= SESSION_TRAIL_MOST)
		memmove(c->trail.at, c->trail.at + 1, --c->trail.n * sizeof(c->trail.at[0]));
	vec_push(&c->trail, *e);
	console_note(c, &(struct console_note){.kind = NOTE_TRAIL,
				.t_us = e->t_us,
				.text = e->note,
				.trail = &c->trail.at[c->trail.n - 1]});
}

/* Keeps the entries that the run's trail gained since it had `before` entries. */
static void keep_new(struct console *c, size_t before, const struct runbook_log_entry *added)
{
	const runbook_log *t = &c->run.trail;
	/* A full trail does not grow: then the added entry is known. */
	size_t from = t->n > before ? before : added ? (size_t)(added - t->at) : t->n;

	for (size_t i = from; i < t->n; i++)
		keep_entry(c, &t->at[i]);
}

const runbook_log *console_trail(const struct console *c)
{
	return &c->trail;
}

void console_recorded_trail(struct console *c, const runbook_log *t)
{
	c->recorded = t;
	console_touch(c);
}

const runbook_log *trail_shown(const struct console *c)
{
	return console_past(c) && c->recorded && !c->trail_here ? c->recorded : &c->trail;
}

/* ---- beginning and leaving ---- */

static void free_run(struct console *c)
{
	runbook_run_free(&c->run);
	c->running = c->run_lost = false;
	console_touch(c);
}

/* Records an unfinished run as left, and ends it. */
static void leave_run(struct console *c)
{
	const struct runbook_run *r = &c->run;
	struct runbook_log_entry e = {.t_us = c->now_us};

	if (!c->running)
		return;
	if (r->at < r->book->steps.n) {
		(void)str_copy(e.user, sizeof(e.user), c->opts.user ? c->opts.user : "");
		(void)str_copy(e.runbook, sizeof(e.runbook), r->book->name);
		(void)str_copy(e.target, sizeof(e.target), r->target_text);
		(void)str_printf(e.value, sizeof(e.value), "closed at step %zu of %zu", r->at + 1,
			r->book->steps.n);
		keep_entry(c, &e);
	}
	free_run(c);
}

static void say_begun(struct console *c)
{
	const struct runbook_run *r = &c->run;

	console_message(c, ROLE_NORMAL,
		"runbook %s%s%s: %zu step%s; n next step, o open view, N note", r->book->name,
		r->target_text[0] ? " of " : "", r->target_text, r->book->steps.n,
		str_plural(r->book->steps.n));
}

static bool begin_run(
	struct console *c, const struct runbook *book, struct ref target, struct err *err)
{
	struct view_ctx ctx = console_ctx(c);
	struct runbook_run run;

	/* The current run stays if the new one cannot begin. */
	if (!runbook_begin(&run, book, target, &ctx, c->opts.user, err)) {
		runbook_run_free(&run);
		return false;
	}
	leave_run(c);
	c->run = run;
	c->running = true;
	c->trail_here |= console_past(c);
	keep_new(c, 0, NULL);
	say_begun(c);
	console_touch(c);
	return true;
}

static bool no_book(const struct console *c, const char *name, struct err *err)
{
	char names[300] = "";
	size_t n = 0;

	for (size_t i = 0; c->opts.runbooks && i < c->opts.runbooks->at.n; i++) {
		(void)str_printf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "",
			c->opts.runbooks->at.at[i]->name);
		n = strlen(names);
	}
	err_set(err, ERR_USAGE, "", "no runbook %s", name);
	return err_cure(err, "available: %s", names[0] ? names : "none");
}

/* The object of the finding under the cursor or of the page; else the object under the cursor. */
static struct ref place_here(struct console *c, const struct finding **f)
{
	struct view_ctx ctx = console_ctx(c);
	struct page *p = console_page(c);
	struct ref row = page_row(c, p), at = {0};
	const char *view;

	*f = finding_of(&ctx, row, NULL);
	if (!*f)
		*f = finding_of(&ctx, p->scope, NULL);
	if (*f)
		return (*f)->at;
	/* An event stands for the port or device that Enter opens. */
	if (row.kind == REF_EVENT && p->view->enter && p->view->enter(&ctx, row, &view, &at))
		return at;
	return console_about(c);
}

static bool runbook_typed(struct console *c, const char *text, struct err *err)
{
	return !*text || console_runbook(c, text, err);
}

static void offer_books(
	const struct console *c, const char *before, const char *text, struct prompt *p)
{
	char line[96];

	for (size_t i = 0; c->opts.runbooks && i < c->opts.runbooks->at.n; i++) {
		const struct runbook *b = c->opts.runbooks->at.at[i];

		if (str_starts(b->name, text) &&
			str_printf(line, sizeof(line), "%s%s", before, b->name))
			prompt_candidate_note(p, line, b->title ? b->title : "");
	}
}

static void complete_book(void *ctx, const char *text, struct prompt *p)
{
	offer_books(ctx, "", text, p);
}

void runbooks_complete(const struct console *c, const char *text, struct prompt *p)
{
	if (str_starts(text, "runbook "))
		offer_books(c, "runbook ", text + strlen("runbook "), p);
}

/* Whether the running runbook's target is that place, or contains it. */
static bool is_about(const struct console *c, struct ref at)
{
	char name[SWAP_NAME] = "";
	size_t n = strlen(c->run.target_text);

	(void)ref_format(c->model, at, name, sizeof(name));
	/* Ethernet12 does not lie in Ethernet1. */
	return !c->run_lost && (!n || (str_starts(name, c->run.target_text) &&
					      (!name[n] || name[n] == ':' || name[n] == ' ')));
}

/* Begins the runbook of the finding here, else shows the running one, else prompts. */
static bool runbook_here(struct console *c, struct err *err)
{
	const struct finding *f;
	struct ref at = place_here(c, &f);
	struct view_ctx ctx = console_ctx(c);
	const struct runbook *book;

	/* A rail or the whole fabric has no finding of its own: the banner's cause is meant. */
	if (!f && !c->running &&
		(at.kind == REF_NONE || at.kind == REF_FABRIC || at.kind == REF_RAIL)) {
		f = cause_finding(&ctx);
		at = f ? f->at : at;
	}
	book = f ? runbook_of_finding(c->opts.runbooks, f) : NULL;
	/* A runbook that runs already is shown, and does not begin again. */
	if (book && !(c->running && c->run.book == book && is_about(c, at)))
		return begin_run(c, book, at, err);
	if (c->running)
		return console_open(c, &view_runbook, (struct ref){.kind = REF_FABRIC}, err);
	console_ask_text(c, &c->texting, "runbook: ", runbook_typed);
	c->texting.complete = complete_book;
	complete_book(c, "", &c->texting);
	return true;
}

bool console_runbook(struct console *c, const char *text, struct err *err)
{
	const struct finding *f;
	const struct runbook *book;
	struct view_ctx ctx;
	struct ref at;
	char name[64];
	size_t n = strcspn(text, " ");

	if (!c->opts.runbooks || !c->opts.runbooks->at.n)
		return err_set(err, ERR_UNSUPPORTED, "", "no runbooks are loaded here");
	if (!c->model)
		return err_set(err, ERR_USAGE, "", "there is no data yet");
	if (!*text)
		return runbook_here(c, err);
	if (!str_copyn(name, sizeof(name), text, n))
		return no_book(c, "with so long a name", err);
	book = runbook_find(c->opts.runbooks, name);
	if (!book)
		return no_book(c, name, err);
	text += n + strspn(text + n, " ");
	at = place_here(c, &f);
	if (*text && !console_parse(c, text, &at, err))
		return false;
	ctx = console_ctx(c);
	f = *text ? finding_of(&ctx, at, NULL) : NULL;
	if (f)
		at = f->at;
	return begin_run(c, book, at, err);
}

bool console_runbook_end(struct console *c, struct err *err)
{
	char name[64];

	if (!c->running)
		return none_under_way(err);
	(void)str_copy(name, sizeof(name), c->run.book->name);
	leave_run(c);
	console_message(
		c, ROLE_NORMAL, "runbook %s is closed; the view runbook shows its trail", name);
	return true;
}

/* ---- going on ---- */

/* Reports the meaning of the step's outcome and the next step. */
static void say_outcome(
	struct console *c, const struct runbook_step *s, const struct runbook_log_entry *e)
{
	const char *means = e->outcome == STEP_PASS   ? s->pass_says
			    : e->outcome == STEP_FAIL ? s->fail_says
						      : NULL;
	char text[48];

	console_message(c, ROLE_NORMAL, "%s: %s%s%s%s", s->id,
		outcome_text(s, e, text, sizeof(text)), means && *means ? "; " : "",
		means ? means : "",
		c->run.at >= c->run.book->steps.n ? "; the runbook is at its end" : "");
}

static void go_on(struct console *c, enum step_outcome by_hand)
{
	struct view_ctx ctx = console_ctx(c);
	const struct runbook_step *s = &c->run.book->steps.at[c->run.at];
	size_t before = c->run.trail.n;
	const struct runbook_log_entry *e = runbook_next(&c->run, &ctx, c->opts.user, by_hand);

	if (!e)
		return;
	keep_new(c, before, e);
	say_outcome(c, s, e);
	console_touch(c);
}

/* At the end: begins the next runbook, or leaves this one. */
static bool after_end(struct console *c, struct err *err)
{
	const struct runbook *book =
		c->run.leads_to[0] ? runbook_find(c->opts.runbooks, c->run.leads_to) : NULL;

	if (c->run.leads_to[0] && !book)
		return no_book(c, c->run.leads_to, err);
	if (book)
		return begin_run(c, book, c->run.target, err);
	return console_runbook_end(c, err);
}

bool console_runbook_next(struct console *c, const char *text, struct err *err)
{
	static const char *const words[] = {
		[STEP_PASS] = "pass", [STEP_FAIL] = "fail", [STEP_SKIPPED] = "skip"};
	enum step_outcome by_hand = STEP_OPEN;

	/* Without a runbook the key is that of every pager. */
	if ((!c->running || c->overlay == OVERLAY_HELP) && c->search[0])
		return search_next(c, false, err);
	if (!c->running)
		return none_under_way(err);
	if (is_lost(c, err))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i] && str_eq(words[i], text))
			by_hand = (enum step_outcome)i;
	if (*text && by_hand == STEP_OPEN) {
		err_set(err, ERR_USAGE, "", "%s is not a result", text);
		return err_cure(err, "give pass, fail, skip, or nothing to use the numbers");
	}
	if (c->run.at >= c->run.book->steps.n)
		return after_end(c, err);
	if (by_hand == STEP_OPEN && runbook_run_waits(&c->run)) {
		err_set(err, ERR_USAGE, "", "the step is still being judged");
		return err_cure(
			err, "try again in a moment, or give the result: next pass, fail or skip");
	}
	if (by_hand == STEP_OPEN && c->run.now.outcome == STEP_OPEN)
		c->prompt_use = PROMPT_JUDGE;
	else
		go_on(c, by_hand);
	c->dirty = true;
	return true;
}

void judge_key(struct console *c, int key)
{
	static const struct {
		int key;
		enum step_outcome outcome;
	} keys[] = {{'p', STEP_PASS}, {'f', STEP_FAIL}, {'s', STEP_SKIPPED}};

	c->prompt_use = PROMPT_NONE;
	/* The runbook may have been left while the question was open. */
	if (!c->running || c->run_lost || c->run.at >= c->run.book->steps.n)
		return;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (keys[i].key != key)
			continue;
		go_on(c, keys[i].outcome);
		return;
	}
	console_message(c, ROLE_DIM, "not judged");
}

void judge_draw(const struct console *c, struct region screen)
{
	const char *question = "";
	int y = screen.h - 1, x, room;

	if (c->running && c->run.at < c->run.book->steps.n)
		question = c->run.book->steps.at[c->run.at].question;
	if (!question || !*question)
		question = "is the result as expected?";
	draw_fill(screen, y, 0, screen.w, ROLE_NORMAL);
	room = screen.w - 32;
	x = draw_text(screen, y, 0, ROLE_ACCENT, question, room > 0 ? room : 0);
	(void)draw_text(screen, y, x + (x > 0), ROLE_NORMAL, "p pass  f fail  s skip  Esc", -1);
}

bool console_runbook_back(struct console *c, struct err *err)
{
	struct view_ctx ctx = console_ctx(c);

	if (!c->running)
		return none_under_way(err);
	if (is_lost(c, err))
		return false;
	if (!runbook_previous(&c->run))
		return err_set(err, ERR_USAGE, "", "this is the first step");
	runbook_run_judge(&c->run, &ctx);
	console_touch(c);
	return true;
}

static bool note_typed(struct console *c, const char *text, struct err *err)
{
	return !*text || console_runbook_note(c, text, err);
}

bool console_runbook_note(struct console *c, const char *text, struct err *err)
{
	struct view_ctx ctx = console_ctx(c);
	const struct runbook_log_entry *e;
	size_t before = c->run.trail.n;

	if ((!c->running || c->overlay == OVERLAY_HELP) && c->search[0] && !*text)
		return search_next(c, true, err);
	if (!c->running)
		return none_under_way(err);
	if (is_lost(c, err))
		return false;
	if (!*text) {
		console_ask_text(c, &c->texting, "note for this step: ", note_typed);
		return true;
	}
	e = runbook_note(&c->run, &ctx, c->opts.user, text);
	keep_new(c, before, e);
	console_message(c, ROLE_NORMAL, "noted");
	console_touch(c);
	return true;
}

/* ---- looking ---- */

bool runbook_look_at(struct console *c, size_t i, struct err *err)
{
	const struct runbook_step *s;
	struct ref at = {0};

	if (!c->running)
		return none_under_way(err);
	if (is_lost(c, err))
		return false;
	if (i >= c->run.book->steps.n)
		return err_set(err, ERR_USAGE, "", "the runbook is at its end");
	s = &c->run.book->steps.at[i];
	if (!s->view)
		return err_set(err, ERR_USAGE, "", "this step has no view to open");
	if (!runbook_place(s, c->model, c->run.target, &at)) {
		err_set(err, ERR_USAGE, "", "%s has no such place",
			c->run.target_text[0] ? c->run.target_text : "the fabric");
		return err_cure(err, "its peer, rail or job is not known");
	}
	return console_open(c, s->view, at, err) &&
	       console_filter(c, s->filter ? s->filter : "", err);
}

bool console_runbook_look(struct console *c, struct err *err)
{
	return runbook_look_at(c, c->running ? c->run.at : 0, err);
}

bool runbook_enter(struct console *c, struct err *err)
{
	struct ref row = page_row(c, console_page(c));

	if (!c->running)
		return err_set(err, ERR_USAGE, "", "this is the trail of closed runbooks");
	if (row.kind != REF_ROW)
		return err_set(err, ERR_USAGE, "", "there is no row here");
	return runbook_look_at(c, (size_t)row.seq, err);
}

/* ---- with the data ---- */

void runbook_swapped(struct console *c)
{
	struct runbook_run *r = &c->run;

	if (!c->running)
		return;
	/* The new model may have the address of the model that the results belong to. */
	runbook_run_drop(r);
	c->run_lost = r->target_text[0] && !swap_ref(c->model, r->target_text, &r->target);
	if (c->prompt_use == PROMPT_JUDGE)
		c->prompt_use = PROMPT_NONE;
}

void runbook_data(struct console *c)
{
	struct view_ctx ctx;

	if (!c->running)
		return;
	if (!c->run_lost) {
		ctx = console_ctx(c);
		runbook_run_judge(&c->run, &ctx);
		return;
	}
	memset(&c->run.now, 0, sizeof(c->run.now));
	c->run.now.outcome = STEP_UNKNOWN;
	(void)str_printf(c->run.now.why, sizeof(c->run.now.why),
		"%.100s does not exist at this moment", c->run.target_text);
}

bool runbook_work(struct console *c, int64_t until_us)
{
	int64_t start = clock_mono(&clock_system);
	struct view_ctx ctx;
	bool done;

	if (!c->running || c->run_lost || !c->run.judging)
		return false;
	ctx = console_ctx(c);
	do
		done = runbook_run_work(&c->run, &ctx);
	while (!done && clock_mono(&clock_system) < until_us);
	c->run.spent_us += clock_mono(&clock_system) - start;
	if (done)
		console_touch(c);
	return !done;
}

void runbook_free_all(struct console *c)
{
	if (c->running)
		runbook_run_free(&c->run);
	vec_free(&c->trail);
}
