/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_AUDIT_ACTS_H
#define VIEWS_AUDIT_ACTS_H

#include <stddef.h>

#include "tui/theme.h"
#include "views/act_sheet.h"
#include "views/view.h"

/* Groups the lines of a ledger into acts, each with its steps and its end. */

#define AUDIT_NONE SIZE_MAX

/*
 * The index of the line that began the act of line i; i itself if it began one; AUDIT_NONE: the
 * line belongs to no act, or the act began before the first line.
 */
size_t audit_begun(const struct audit_log *log, size_t i);

/* The state of an act. */
struct audit_end {
	const char *word; /* "done", "held", "unfinished": static */
	enum role role;
	size_t line;  /* the line with that state; AUDIT_NONE: none, only the begin is known */
	size_t steps; /* lines of the act beside the first */
};
/* The state of the act that line i began. */
struct audit_end audit_end_of(const struct audit_log *log, size_t i);

/*
 * The reason of the act: the text of line i behind "begun: "; "": none. Line i must have begun it.
 */
const char *audit_reason(const struct audit_log *log, size_t i);

/*
 * In the audit view: shows or hides the steps of the row's act. Returns the act's own row;
 * REF_NONE: the row belongs to no act.
 */
struct ref audit_fold(const struct view_ctx *ctx, struct ref row);

#endif
