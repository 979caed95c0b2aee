/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_RUNBOOK_WALK_H
#define APP_SESSION_RUNBOOK_WALK_H

#include <stdio.h>

#include "app/session/headless.h"
#include "views/runbook/runbook.h"

/* A runbook without a person: from step to step as the outcomes lead, each step at most once. */
struct walked {
	const struct runbook_step *step;
	struct runbook_result result; /* STEP_OPEN: only a person can judge; as if it had passed */
	char next[48];                /* id of the step that followed, "end", "runbook:NAME" */
};
struct walk {
	const struct runbook *book;
	char target[160]; /* "" the fabric */
	int64_t now_us;
	struct coverage coverage;
	VEC(struct walked) steps;
	unsigned outcomes[STEP_OUTCOME_COUNT];
};

/* Runs the checks on what was collected. False (ERR_USAGE): it cannot be about that. */
bool walk_runbook(struct walk *w, const struct runbook *book, struct ref target,
	const struct view_ctx *ctx, struct err *err);
void walk_free(struct walk *w);

/* STEP_FAIL when a step failed, else STEP_UNKNOWN when one could not be told, else STEP_PASS. */
enum step_outcome walk_verdict(const struct walk *w);
/* EXIT_FINDINGS, EXIT_UNREACHED, EXIT_FINE likewise. */
int walk_exit_code(const struct walk *w);

/* A page for people, and JSON; false when out cannot be written. */
bool walk_text(const struct walk *w, FILE *out);
bool walk_json(const struct walk *w, FILE *out); /* app/output/runbook_json.c */

#endif
