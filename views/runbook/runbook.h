/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_RUNBOOK_RUNBOOK_H
#define VIEWS_RUNBOOK_RUNBOOK_H

#include "diagnosis/engine/runbook_log.h"
#include "fabric/query/query.h"
#include "views/view.h"

/*
 * Runbooks: what to look at, what is expected there, what comes next. They are text (runbooks/, see
 * railtop-runbook(5)), read by app/config/runbook_yaml.c; judging them needs the views, because
 * what a step expects is said in the columns that its view shows.
 */

/* What a step looks at, from what the runbook is about. */
enum runbook_scope {
	SCOPE_FABRIC,
	SCOPE_TARGET,      /* the object itself */
	SCOPE_DEVICE,      /* its device */
	SCOPE_PEER,        /* the other end of its link */
	SCOPE_PEER_DEVICE, /* and that one's device */
	SCOPE_LINK,        /* its link, both ends; of a device or rail all its links */
	SCOPE_RAIL,        /* its rail */
	SCOPE_JOB,         /* the job that runs there */
	SCOPE_COUNT
};

/* How many rows of the view must match `where` for the step to pass. */
enum runbook_rows { ROWS_NONE, ROWS_ANY, ROWS_ALL, ROWS_AT_LEAST, ROWS_AT_MOST };

struct runbook_step {
	char id[32];
	char *text;                  /* what to do and why, one paragraph */
	const struct view_ops *view; /* NULL: nothing to open */
	uint8_t scope;               /* enum runbook_scope */
	char *filter;                /* query for the rows that it opens with; "" all */
	/* The expectation; expect NULL: only a person can judge, question says what is asked. */
	char *expect;
	struct query *query; /* expect, compiled and checked against the view's columns */
	uint8_t rows;        /* enum runbook_rows */
	unsigned count;
	bool each; /* count is of each object by itself: "at most 2 each" */
	char *question;
	/* Ids of steps, "end", or a runbook's name with "runbook:" before it; "" the next one. */
	char on_pass[48], on_fail[48], on_unknown[48];
	char *pass_says, *fail_says; /* what that means, in a sentence; "" */
	char action[24];             /* offered when it fails; "" none */
	char *collect;               /* what belongs into the ticket: locators or words, "" none */
};

struct runbook {
	char name[32];       /* "link-flap" */
	char *title, *about; /* when to use it */
	char *target; /* kinds of objects that it can be about: "port link device"; "" the fabric */
	char source[160]; /* "built in", or the user's file, for messages */
	VEC(struct runbook_step) steps;
};

struct runbooks {
	VEC(struct runbook *) at; /* by name */
};
void runbook_free(struct runbook *b);
void runbooks_free(struct runbooks *b);
const struct runbook *runbook_find(const struct runbooks *b, const char *name); /* NULL */
/* It can be about an object of that kind: "port", "fabric", ... */
bool runbook_is_about(const struct runbook *b, const char *kind);
/* The runbook that a finding names (findings.def); NULL: it has none, or it is not loaded. */
const struct runbook *runbook_of_finding(const struct runbooks *b, const struct finding *f);

/* How a step stands against the data of now. */
struct runbook_result {
	uint8_t outcome; /* STEP_PASS, STEP_FAIL, STEP_UNKNOWN; STEP_OPEN: a person must say */
	size_t matched, unknown, rows; /* rows that match, of which one cannot tell, and all */
	char value[160]; /* "2 of 64 ports match paused>1%: leaf-r3-00:Ethernet12 31 %, ..." */
	char why[160];   /* of STEP_UNKNOWN: what is not reported, or whose data is old; "" */
};
/*
 * Judges one step: its view's rows in its scope against its query. A row of which a named field is
 * unknown, or whose device is stale, is neither a match nor none: the outcome is STEP_UNKNOWN
 * unless it is the same either way. No rows at all are unknown too, except where the view lists
 * troubles (events, findings): there nothing is nothing.
 */
void runbook_judge(const struct runbook_step *step, const struct view_ctx *ctx, struct ref target,
	struct runbook_result *out);
/*
 * The same in pieces, for steps with as many rows as there are ports: most rows in each, until it
 * returns true and *out is the outcome. All pieces are of one model, which may go on between them;
 * ctx is that of the piece. NULL: *out says already how it stands.
 */
#define RUNBOOK_ROWS_A_PIECE 512
struct runbook_judging;
struct runbook_judging *runbook_judging_new(const struct runbook_step *step,
	const struct view_ctx *ctx, struct ref target, struct runbook_result *out);
bool runbook_judging_some(struct runbook_judging *j, const struct view_ctx *ctx, size_t most,
	struct runbook_result *out);
/* Links are told by where they are in the list, which was made anew: begin again. */
bool runbook_judging_is_outdated(const struct runbook_judging *j, const struct model *m);
unsigned runbook_judging_percent(const struct runbook_judging *j);
void runbook_judging_free(struct runbook_judging *j); /* NULL is allowed */
/* Where the step's view opens; false: the target has no such place (no peer known, ...). */
bool runbook_place(
	const struct runbook_step *step, const struct model *m, struct ref target, struct ref *out);

/* A runbook under way. */
struct runbook_run {
	const struct runbook *book;
	struct ref target;
	char target_text[160];
	size_t at;                 /* step; book->steps.n: at its end */
	struct runbook_result now; /* of that step, as of the last runbook_run_judge() */
	VEC(struct trail_entry)
	steps;             /* of each step what was said last; outcome STEP_OPEN: not yet */
	VEC(size_t) came;  /* steps gone through, for going back */
	trail_vec trail;   /* all of it, in order */
	char leads_to[32]; /* at its end: the runbook to go on with, "" none */

	/* ---- private to views/runbook/runbook.c: what now was judged from ---- */
	bool judged;
	size_t judged_at;
	const struct model *judged_model;
	int64_t judged_us;
	uint64_t judged_generation, judged_diag;
	struct runbook_judging *judging; /* under way; NULL: not */
	size_t judging_at;               /* of that step, and as of then: */
	int64_t begun_us;
	uint64_t begun_generation, begun_diag;
	int64_t spent_us; /* by who goes on with it: so much on this judgement */
	int64_t rests_us; /* what was judged holds so long, whatever comes */
};
/*
 * The object that the runbook takes is looked for from the target outwards: of a priority its port,
 * of a port its device, of a rank its job, else the fabric where it is about that too. False
 * (ERR_USAGE): it needs to be told what it is about.
 */
bool runbook_begin(struct runbook_run *r, const struct runbook *book, struct ref target,
	const struct view_ctx *ctx, const char *user, struct err *err);
void runbook_run_free(struct runbook_run *r);
/*
 * Cheap while nothing has changed; what runbook_next() and runbook_note() note down is as of then.
 * With ctx->in_pieces it only begins, and what was known of the step stays until runbook_run_work()
 * has returned true. Of a step of which nothing is known yet runbook_run_waits(): its outcome is
 * STEP_UNKNOWN.
 */
void runbook_run_judge(struct runbook_run *r, const struct view_ctx *ctx);
/* About a millisecond of it; true: nothing is under way any more. */
bool runbook_run_work(struct runbook_run *r, const struct view_ctx *ctx);
bool runbook_run_waits(const struct runbook_run *r);
/* Another model: nothing of what was judged holds. */
void runbook_run_drop(struct runbook_run *r);
/*
 * Notes how the step stands (by_hand: as the person says) and goes to the one that follows from it.
 * Returns the entry that was added to the trail, good until the next call. A step that only a
 * person can judge and nobody did is skipped.
 */
const struct trail_entry *runbook_next(struct runbook_run *r, const struct view_ctx *ctx,
	const char *user, enum step_outcome by_hand);
/* False: there is none before it. */
bool runbook_previous(struct runbook_run *r);
/* What the step says of where to go: "", an id, "end", "runbook:NAME". */
const char *runbook_step_next(const struct runbook_step *s, enum step_outcome outcome);
/* The index that this leads to from a step; steps.n: the end. */
size_t runbook_step_after(const struct runbook *b, size_t at, const char *next);
/* A note for the step at hand; it is part of the trail at once. */
const struct trail_entry *runbook_note(
	struct runbook_run *r, const struct view_ctx *ctx, const char *user, const char *note);

#endif
