/* SPDX-License-Identifier: Apache-2.0 */
#include "views/runbook/runbook.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/common.h"

#define TRAIL_MAX   4096            /* newest entries that a run keeps */
#define JUDGE_AGAIN (1 * CLOCK_SEC) /* interval without new data: ages grow */
#define JUDGE_LONG  (2 * CLOCK_SEC) /* the same for a step with many rows */
#define MANY_ROWS   2000
/*
 * A result stays valid for this many times the time that judging took, as a page with many rows
 * does.
 */
#define RESTS 9

/* ---- books ---- */

void runbook_free(struct runbook *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->steps.n; i++) {
		struct runbook_step *s = &b->steps.at[i];

		query_free(s->query);
		free(s->text);
		free(s->filter);
		free(s->expect);
		free(s->question);
		free(s->pass_says);
		free(s->fail_says);
		free(s->collect);
	}
	vec_free(&b->steps);
	free(b->title);
	free(b->about);
	free(b->target);
	free(b);
}

void runbooks_free(struct runbooks *b)
{
	for (size_t i = 0; i < b->at.n; i++)
		runbook_free(b->at.at[i]);
	vec_free(&b->at);
}

const struct runbook *runbook_find(const struct runbooks *b, const char *name)
{
	for (size_t i = 0; b && i < b->at.n; i++)
		if (str_eq(b->at.at[i]->name, name))
			return b->at.at[i];
	return NULL;
}

const struct runbook *runbook_of_finding(const struct runbooks *b, const struct finding *f)
{
	const char *name = (unsigned)f->id < FIND_COUNT ? finding_info[f->id].runbook : "";

	return name && name[0] ? runbook_find(b, name) : NULL;
}

/* ---- a run ---- */

bool runbook_is_about(const struct runbook *b, const char *kind)
{
	const char *at = b->target;
	size_t len = strlen(kind);

	if (!b->target[0])
		return str_eq(kind, "fabric");
	while ((at = strstr(at, kind))) {
		if ((at == b->target || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
		at += len;
	}
	return false;
}

static const char *kind_word(enum ref_kind kind)
{
	switch (kind) {
	case REF_RAIL:
		return "rail";
	case REF_DEVICE:
		return "device";
	case REF_PORT:
		return "port";
	case REF_PRIORITY:
		return "priority";
	case REF_LINK:
		return "link";
	case REF_JOB:
		return "job";
	case REF_RANK:
		return "rank";
	default:
		return "fabric";
	}
}

/* The switch's end of the link: pauses that a NIC sends stand in the counters of its leaf. */
static void move_to_switch(const struct model *m, struct ref *target)
{
	const struct port *p = ref_port(m, *target), *peer;

	if ((target->kind != REF_PORT && target->kind != REF_PRIORITY) || !p ||
		model_dev_of(m, p)->tier != TIER_HOST)
		return;
	peer = port_peer(m, p, NULL);
	if (peer)
		*target = target->kind == REF_PORT ? ref_of_port(peer)
						   : ref_of_priority(peer, target->priority);
}

/*
 * Finds the object for the runbook from the target: a runbook for devices accepts a port of one
 * too.
 */
static bool fit_target(
	const struct runbook *b, const struct model *m, struct ref *target, struct err *err)
{
	struct ref at = *target;

	if (at.kind == REF_LINK && runbook_is_about(b, "link"))
		return true;
	for (;;) {
		if (at.kind == REF_NONE || at.kind == REF_FABRIC || at.kind == REF_TIER)
			break;
		if (runbook_is_about(b, kind_word(at.kind)) &&
			!str_eq(kind_word(at.kind), "fabric")) {
			*target = at;
			return true;
		}
		at = ref_wider(m, at);
	}
	*target = (struct ref){.kind = REF_FABRIC};
	if (runbook_is_about(b, "fabric"))
		return true;
	err_set(err, ERR_USAGE, b->name, "needs a place");
	return err_cure(err, "name one: %s", b->target);
}

static struct runbook_log_entry *add_entry(
	struct runbook_run *r, const struct view_ctx *ctx, const char *user, const char *step)
{
	struct runbook_log_entry *e;

	if (r->trail.n >= TRAIL_MAX)
		memmove(r->trail.at, r->trail.at + 1, --r->trail.n * sizeof(r->trail.at[0]));
	e = vec_add(&r->trail);
	e->t_us = ctx->now_us;
	(void)str_sanitise(e->user, sizeof(e->user), user ? user : "", strlen(user ? user : ""));
	(void)str_copy(e->runbook, sizeof(e->runbook), r->book->name);
	(void)str_copy(e->step, sizeof(e->step), step);
	(void)str_copy(e->target, sizeof(e->target), r->target_text);
	return e;
}

bool runbook_begin(struct runbook_run *r, const struct runbook *book, struct ref target,
	const struct view_ctx *ctx, const char *user, struct err *err)
{
	struct runbook_log_entry *e;

	memset(r, 0, sizeof(*r));
	if (!book->steps.n)
		return err_set(err, ERR_CONFIG, book->name, "has no steps");
	if (!fit_target(book, ctx->model, &target, err))
		return false;
	if (book->at_switch)
		move_to_switch(ctx->model, &target);
	r->book = book;
	r->target = target;
	if (target.kind == REF_FABRIC ||
		!ref_format(ctx->model, target, r->target_text, sizeof(r->target_text)))
		r->target_text[0] = '\0';
	for (size_t i = 0; i < book->steps.n; i++) {
		struct runbook_log_entry *s = vec_add(&r->steps);

		(void)str_copy(s->runbook, sizeof(s->runbook), book->name);
		(void)str_copy(s->step, sizeof(s->step), book->steps.at[i].id);
		(void)str_copy(s->target, sizeof(s->target), r->target_text);
	}
	e = add_entry(r, ctx, user, "");
	(void)str_copy(e->value, sizeof(e->value), "begun");
	runbook_run_judge(r, ctx);
	return true;
}

void runbook_run_free(struct runbook_run *r)
{
	vec_free(&r->steps);
	vec_free(&r->came);
	vec_free(&r->trail);
	runbook_judging_free(r->judging);
	memset(r, 0, sizeof(*r));
}

/* Whether nothing has changed that the step depends on. */
static bool still_holds(const struct runbook_run *r, const struct view_ctx *ctx)
{
	int64_t again = r->now.rows > MANY_ROWS ? JUDGE_LONG : JUDGE_AGAIN;
	uint64_t diag = ctx->diag ? diag_generation(ctx->diag) : 0;
	int64_t age = ctx->now_us - r->judged_us;

	if (!r->judged || r->judged_at != r->at || r->judged_model != ctx->model || age < 0)
		return false;
	if (age < r->rests_us || (r->now.rows > MANY_ROWS && age < again))
		return true;
	return r->judged_generation == ctx->model->generation && r->judged_diag == diag &&
	       age < again;
}

void runbook_run_drop(struct runbook_run *r)
{
	runbook_judging_free(r->judging);
	r->judging = NULL;
	r->judged = false;
}

static void finish_judging(struct runbook_run *r, const struct view_ctx *ctx)
{
	runbook_judging_free(r->judging);
	r->judging = NULL;
	r->judged = true;
	r->judged_at = r->judging_at;
	r->judged_model = ctx->model;
	r->judged_us = r->begun_us;
	r->judged_generation = r->begun_generation;
	r->judged_diag = r->begun_diag;
	r->rests_us = r->spent_us * RESTS;
}

static void begin_judging(struct runbook_run *r, const struct view_ctx *ctx)
{
	struct runbook_result now;

	r->judging_at = r->at;
	r->spent_us = 0;
	r->begun_us = ctx->now_us;
	r->begun_generation = ctx->model->generation;
	r->begun_diag = ctx->diag ? diag_generation(ctx->diag) : 0;
	r->judging = runbook_judging_new(&r->book->steps.at[r->at], ctx, r->target, &now);
	if (r->judging)
		return;
	r->now = now;
	finish_judging(r, ctx);
}

bool runbook_run_waits(const struct runbook_run *r)
{
	return r->judging && !(r->judged && r->judged_at == r->at);
}

/* Sets the result of a step that was not judged yet. */
static void say_waits(struct runbook_run *r)
{
	memset(&r->now, 0, sizeof(r->now));
	r->now.outcome = STEP_UNKNOWN;
	(void)str_printf(r->now.why, sizeof(r->now.why), "being judged: %u%%",
		runbook_judging_percent(r->judging));
}

void runbook_run_judge(struct runbook_run *r, const struct view_ctx *ctx)
{
	if (!r->book || r->at >= r->book->steps.n) {
		runbook_run_drop(r);
		memset(&r->now, 0, sizeof(r->now));
		return;
	}
	if (r->judging && (r->judging_at != r->at || !ctx->in_pieces))
		runbook_run_drop(r);
	if (r->judging || still_holds(r, ctx))
		return;
	begin_judging(r, ctx);
	while (r->judging && !ctx->in_pieces)
		(void)runbook_run_work(r, ctx);
	if (runbook_run_waits(r))
		say_waits(r);
}

bool runbook_run_work(struct runbook_run *r, const struct view_ctx *ctx)
{
	struct runbook_result now;

	if (!r->judging)
		return true;
	if (r->judging_at != r->at) {
		runbook_run_drop(r);
		return true;
	}
	if (runbook_judging_is_outdated(r->judging, ctx->model)) {
		runbook_judging_free(r->judging);
		begin_judging(r, ctx);
		return !r->judging;
	}
	if (runbook_judging_some(r->judging, ctx, RUNBOOK_ROWS_A_PIECE, &now)) {
		r->now = now;
		finish_judging(r, ctx);
	} else if (runbook_run_waits(r)) {
		say_waits(r);
	}
	return !r->judging;
}

/* ---- next steps ---- */

const char *runbook_step_word(const struct runbook_step *s, enum step_outcome o)
{
	if (s && s->seeks && (o == STEP_PASS || o == STEP_FAIL))
		return o == STEP_FAIL ? "found" : "not found";
	return step_outcome_name(o);
}

const char *runbook_step_next(const struct runbook_step *s, enum step_outcome outcome)
{
	switch (outcome) {
	case STEP_FAIL:
		return s->on_fail;
	case STEP_UNKNOWN:
		return s->on_unknown;
	case STEP_OPEN:
	case STEP_SKIPPED:
		return s->on_unknown[0] ? s->on_unknown : s->on_pass;
	default:
		return s->on_pass;
	}
}

size_t runbook_step_after(const struct runbook *b, size_t at, const char *next)
{
	if (!next[0])
		return at + 1 < b->steps.n ? at + 1 : b->steps.n;
	for (size_t i = 0; i < b->steps.n; i++)
		if (str_eq(b->steps.at[i].id, next))
			return i;
	return b->steps.n;
}

static void go_to(struct runbook_run *r, const struct view_ctx *ctx, const char *user,
	enum step_outcome outcome)
{
	const char *next = runbook_step_next(&r->book->steps.at[r->at], outcome);
	struct runbook_log_entry *e;

	vec_push(&r->came, r->at);
	r->at = runbook_step_after(r->book, r->at, next);
	r->leads_to[0] = '\0';
	if (str_starts(next, "runbook:"))
		(void)str_copy(r->leads_to, sizeof(r->leads_to), next + strlen("runbook:"));
	if (r->at < r->book->steps.n)
		return;
	e = add_entry(r, ctx, user, "");
	(void)str_printf(e->value, sizeof(e->value), "ended%s%s",
		r->leads_to[0] ? ", goes on with " : "", r->leads_to);
}

const struct runbook_log_entry *runbook_next(struct runbook_run *r, const struct view_ctx *ctx,
	const char *user, enum step_outcome by_hand)
{
	struct runbook_log_entry *e, *said;
	char note[sizeof(e->note)];
	size_t at = r->at, entry;

	if (!r->book || at >= r->book->steps.n)
		return NULL;
	runbook_run_judge(r, ctx);
	e = add_entry(r, ctx, user, r->book->steps.at[at].id);
	e->by_hand = by_hand != STEP_OPEN;
	e->outcome = (uint8_t)(e->by_hand ? by_hand : (enum step_outcome)r->now.outcome);
	if (e->outcome == STEP_OPEN)
		e->outcome = STEP_SKIPPED;
	(void)str_copy(e->value, sizeof(e->value),
		r->now.outcome == STEP_UNKNOWN && r->now.why[0] ? r->now.why : r->now.value);
	/* The note stays with the step. The trail has it only once, where the user wrote it. */
	said = &r->steps.at[at];
	(void)str_copy(note, sizeof(note), said->note);
	*said = *e;
	(void)str_copy(said->note, sizeof(said->note), note);
	entry = r->trail.n - 1;
	go_to(r, ctx, user, (enum step_outcome)e->outcome);
	/* If the trail was full, the entry of the run's end moved all entries up by one. */
	if (r->trail.n == TRAIL_MAX && entry == TRAIL_MAX - 1 && r->at >= r->book->steps.n)
		entry--;
	runbook_run_judge(r, ctx);
	return &r->trail.at[entry];
}

bool runbook_previous(struct runbook_run *r)
{
	if (!r->came.n)
		return false;
	r->at = r->came.at[--r->came.n];
	r->leads_to[0] = '\0';
	return true;
}

const struct runbook_log_entry *runbook_note(
	struct runbook_run *r, const struct view_ctx *ctx, const char *user, const char *note)
{
	bool ended = r->at >= r->book->steps.n;
	struct runbook_log_entry *e =
		add_entry(r, ctx, user, ended ? "" : r->book->steps.at[r->at].id);

	(void)str_sanitise(e->note, sizeof(e->note), note, strlen(note));
	if (ended)
		return e;
	runbook_run_judge(r, ctx);
	e->outcome = r->now.outcome;
	(void)str_copy(e->value, sizeof(e->value), r->now.value);
	(void)str_copy(r->steps.at[r->at].note, sizeof(r->steps.at[r->at].note), e->note);
	return e;
}
