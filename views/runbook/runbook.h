/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_RUNBOOK_RUNBOOK_H
#define VIEWS_RUNBOOK_RUNBOOK_H

#include "diagnosis/engine/runbook_log.h"
#include "fabric/query/query.h"
#include "views/view.h"

/*
 * Runbooks: the places to look at, the expectation there, and the next step. They are text
 * (runbooks/, see railtop-runbook(5)), read by app/config/runbook_yaml.c. Judging them needs the
 * views, because an expectation names the columns of its step's view.
 */

/* The place that a step looks at, relative to the runbook's target. */
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

/* The number of the view's rows that must match `where` for the step to pass. */
enum runbook_rows { ROWS_NONE, ROWS_ANY, ROWS_ALL, ROWS_AT_LEAST, ROWS_AT_MOST };

struct runbook_step {
	char id[32];
	char *text;                  /* the instruction and its reason, one paragraph */
	const struct view_ops *view; /* NULL: nothing to open */
	uint8_t scope;               /* enum runbook_scope */
	char *filter;                /* query for the view's rows when it opens; "" all */
	/* The expectation; expect NULL: only a person can judge, and question is the question. */
	char *expect;
	struct query *query; /* expect, compiled and checked against the view's columns */
	uint8_t rows;        /* enum runbook_rows */
	unsigned count;
	bool each;  /* count is for each object by itself: "at most 2 each" */
	bool seeks; /* it looks for a cause: a failure is one that was found */
	char *question;
	/* Ids of steps, "end", or a runbook's name with "runbook:" before it; "" the next one. */
	char on_pass[48], on_fail[48], on_unknown[48];
	char *pass_says, *fail_says; /* the meaning of the result, in a sentence; "" */
	char action[24];             /* offered after a failure; "" none */
	char *collect;               /* evidence for the ticket: locators or words, "" none */
};

struct runbook {
	char name[32];       /* "link-flap" */
	char *title, *about; /* when to use it */
	char *target;     /* kinds of objects that it accepts: "port link device"; "" the fabric */
	bool at_switch;   /* its steps look at the switch's end: a NIC's target moves there */
	char source[160]; /* "built in", or the user's file, for messages */
	VEC(struct runbook_step) steps;
};

struct runbooks {
	VEC(struct runbook *) at; /* by name */
};
void runbook_free(struct runbook *b);
void runbooks_free(struct runbooks *b);
const struct runbook *runbook_find(const struct runbooks *b, const char *name); /* NULL */
/* Whether the runbook accepts an object of that kind: "port", "fabric", ... */
bool runbook_is_about(const struct runbook *b, const char *kind);
/* The runbook that a finding names (findings.def); NULL: it has none, or it is not loaded. */
const struct runbook *runbook_of_finding(const struct runbooks *b, const struct finding *f);

/* The outcome in words: of a step that seeks a cause "found", "not found"; else
 * step_outcome_name(). */
const char *runbook_step_word(const struct runbook_step *s, enum step_outcome o);

/* The result of a step against the current data. */
struct runbook_result {
	uint8_t outcome; /* STEP_PASS, STEP_FAIL, STEP_UNKNOWN; STEP_OPEN: a person must judge */
	size_t matched, unknown, rows; /* matching rows, rows that may match, and all rows */
	char value[480]; /* "2 of 64 ports have paused rx above 1%: leaf-r3-00:Ethernet12 31 %" */
	char why[160];   /* of STEP_UNKNOWN: missing counters or stale devices; "" */
};
/*
 * Judges one step: the rows of its view in its scope against its query. A row counts as unknown if
 * one of the named fields is unknown, or its device is stale. The outcome is STEP_UNKNOWN unless
 * the unknown rows cannot change it. No rows at all are unknown too, unless the view lists troubles
 * (events, findings), where an empty list is a result.
 */
void runbook_judge(const struct runbook_step *step, const struct view_ctx *ctx, struct ref target,
	struct runbook_result *out);
/*
 * The same in pieces, for steps with one row for each port. Each call judges at most most rows,
 * until it returns true and *out is the outcome. All pieces use one model, which may change between
 * calls; ctx is the context of the call. runbook_judging_new() returns NULL if *out is final at
 * once.
 */
#define RUNBOOK_ROWS_A_PIECE 512
struct runbook_judging;
struct runbook_judging *runbook_judging_new(const struct runbook_step *step,
	const struct view_ctx *ctx, struct ref target, struct runbook_result *out);
bool runbook_judging_some(struct runbook_judging *j, const struct view_ctx *ctx, size_t most,
	struct runbook_result *out);
/* Links are referred to by their index, and the list of links was made anew: begin again. */
bool runbook_judging_is_outdated(const struct runbook_judging *j, const struct model *m);
unsigned runbook_judging_percent(const struct runbook_judging *j);
void runbook_judging_free(struct runbook_judging *j); /* NULL is allowed */
/*
 * The place where the step's view opens; false: the target has no such place (no peer known, ...).
 */
bool runbook_place(
	const struct runbook_step *step, const struct model *m, struct ref target, struct ref *out);

/* A run of a runbook. */
struct runbook_run {
	const struct runbook *book;
	struct ref target;
	char target_text[160];
	size_t at;                 /* index of the step; book->steps.n: at the end */
	struct runbook_result now; /* of that step, as of the last runbook_run_judge() */
	VEC(struct runbook_log_entry)
	steps;             /* the last result of each step; outcome STEP_OPEN: none yet */
	VEC(size_t) came;  /* steps of the way here, for going back */
	runbook_log trail; /* all results, in order */
	char leads_to[32]; /* at its end: the next runbook, "" none */

	/* ---- private to views/runbook/runbook.c: the data that now was judged from ---- */
	bool judged;
	size_t judged_at;
	const struct model *judged_model;
	int64_t judged_us;
	uint64_t judged_generation, judged_diag;
	struct runbook_judging *judging; /* in progress; NULL: none */
	size_t judging_at;               /* the step in progress, with the state at its begin: */
	int64_t begun_us;
	uint64_t begun_generation, begun_diag;
	int64_t spent_us; /* by the work on this judgement so far */
	int64_t rests_us; /* the result stays valid for this time, whatever changes */
};
/*
 * Begins a run. Searches the runbook's object from the target outwards: of a priority its port, of
 * a port its device, of a rank its job, else the fabric if the runbook accepts it. A NIC becomes
 * the switch's port at its other end where the runbook is about switches. False
 * (ERR_USAGE): the user has to name an object.
 */
bool runbook_begin(struct runbook_run *r, const struct runbook *book, struct ref target,
	const struct view_ctx *ctx, const char *user, struct err *err);
void runbook_run_free(struct runbook_run *r);
/*
 * Judges the current step; cheap while nothing has changed. runbook_next() and runbook_note()
 * record the result of this call. With ctx->in_pieces it only begins, and the step keeps its old
 * result until runbook_run_work() has returned true. If a step has no result yet,
 * runbook_run_waits() is true and its outcome is STEP_UNKNOWN.
 */
void runbook_run_judge(struct runbook_run *r, const struct view_ctx *ctx);
/* Works on the judgement for about a millisecond; true: none is in progress any more. */
bool runbook_run_work(struct runbook_run *r, const struct view_ctx *ctx);
bool runbook_run_waits(const struct runbook_run *r);
/* For another model: drops all results. */
void runbook_run_drop(struct runbook_run *r);
/*
 * Records the step's result (by_hand: the person's result) and goes to the step that follows from
 * it. Returns the new entry of the trail, valid until the next call. Skips a step that only a
 * person can judge if by_hand has no result.
 */
const struct runbook_log_entry *runbook_next(struct runbook_run *r, const struct view_ctx *ctx,
	const char *user, enum step_outcome by_hand);
/* Goes back one step. False: there is none. */
bool runbook_previous(struct runbook_run *r);
/* The step's next place for an outcome: "", an id, "end", "runbook:NAME". */
const char *runbook_step_next(const struct runbook_step *s, enum step_outcome outcome);
/* The index of the step that next refers to; steps.n: the end. */
size_t runbook_step_after(const struct runbook *b, size_t at, const char *next);
/* Adds a note to the current step and to the trail. */
const struct runbook_log_entry *runbook_note(
	struct runbook_run *r, const struct view_ctx *ctx, const char *user, const char *note);

#endif
