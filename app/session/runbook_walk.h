/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_RUNBOOK_WALK_H
#define APP_SESSION_RUNBOOK_WALK_H

#include <stdio.h>

#include "app/options/options.h"
#include "fabric/model/model.h"
#include "views/runbook/runbook.h"

/* Runs a runbook without a person: follows the outcomes from step to step, each at most once. */
struct walked {
	const struct runbook_step *step;
	struct runbook_result
		result; /* STEP_OPEN: only a person can judge; continues as after a pass */
	char next[48];  /* the next step: its id, "end" or "runbook:NAME" */
};
struct walk {
	const struct runbook *book;
	char target[160]; /* "": the fabric */
	int64_t now_us, wall_us;
	struct coverage coverage;
	VEC(struct walked) steps;
	unsigned outcomes[STEP_OUTCOME_COUNT];
};

/* Runs the checks on the collected data. False (ERR_USAGE): the target does not fit the runbook. */
bool walk_runbook(struct walk *w, const struct runbook *book, struct ref target,
	const struct view_ctx *ctx, struct err *err);
void walk_free(struct walk *w);

/* STEP_FAIL when a step failed; else STEP_UNKNOWN when a step had no data; else STEP_PASS. */
enum step_outcome walk_verdict(const struct walk *w);
/* Likewise EXIT_FINDINGS, EXIT_UNREACHED, EXIT_FINE. */
int walk_exit_code(const struct walk *w);

/* Write a text page, or JSON. False when out cannot be written. */
bool walk_text(const struct walk *w, FILE *out);
bool walk_json(const struct walk *w, FILE *out); /* app/output/runbook_json.c */
/* The list of runbooks; in the same file. */
bool runbooks_json(const struct runbooks *all, FILE *out);

#endif
