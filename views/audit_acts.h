/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_AUDIT_ACTS_H
#define VIEWS_AUDIT_ACTS_H

#include <stddef.h>

#include "tui/theme.h"
#include "views/act_sheet.h"
#include "views/view.h"

/* The lines of a ledger as what they tell of: acts, each with its steps and how it ended. */

#define AUDIT_NONE SIZE_MAX

/*
 * The line that began the act of which line i is a step or the end; i: it began it; AUDIT_NONE: it
 * is no part of one, or its beginning is not among the lines.
 */
size_t audit_begun(const struct audit_log *log, size_t i);

/* How an act stands. */
struct audit_end {
	const char *word; /* "done", "held", "unfinished": static */
	enum role role;
	size_t line;  /* that says so; AUDIT_NONE: none, nobody knows more than that it was begun */
	size_t steps; /* lines of it beside the first */
};
/* Of the act that line i began. */
struct audit_end audit_end_of(const struct audit_log *log, size_t i);

/* Why it was done: what line i, which began it, says behind "begun: "; "": nothing. */
const char *audit_reason(const struct audit_log *log, size_t i);

/*
 * In the audit view: shows or hides the steps of the act that the row is of. The act's own row;
 * REF_NONE: it is of none.
 */
struct ref audit_fold(const struct view_ctx *ctx, struct ref row);

#endif
