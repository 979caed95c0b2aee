/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_RUNBOOK_STEP_TEXT_H
#define VIEWS_RUNBOOK_STEP_TEXT_H

#include "views/runbook/runbook.h"

/* The text of a running runbook: shared by its view and by the pane beside other views. */

struct step_line {
	enum role role; /* of head, and of text if head is "" */
	char head[24];  /* "FAIL", "pass", "" */
	char text[256];
};
typedef VEC(struct step_line) step_line_vec;

/* s, here and below: the step; NULL: one of another runbook. */
enum role role_of_outcome(const struct runbook_step *s, enum step_outcome o);
/* "pass", "found", "cannot tell", "pass, by hand" */
char *outcome_text(
	const struct runbook_step *s, const struct runbook_log_entry *e, char *dst, size_t size);
/* The first sentence of a step's text, as far as it fits. */
char *step_brief(const struct runbook_step *s, char *dst, size_t size);
/* The runbook and its progress: "link-flap 2/7", "link-flap end". */
char *run_progress(const struct runbook_run *r, char *dst, size_t size);

/* Each function adds lines of at most width columns. */
void step_lines_text(
	const struct runbook_run *r, int width, step_line_vec *out); /* the instruction */
/* The result: the outcome, the numbers, the reason for "cannot tell". */
void step_lines_now(const struct runbook_run *r, int width, step_line_vec *out);
/* The next step and its meaning, possible actions, evidence for the ticket, the note. */
void step_lines_more(const struct runbook_run *r, int width, step_line_vec *out);
/* Draws as many lines as fit; returns their number. */
int step_lines_draw(struct region r, const struct step_line *lines, size_t n);

#endif
