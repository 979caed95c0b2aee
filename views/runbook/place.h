/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_RUNBOOK_PLACE_H
#define VIEWS_RUNBOOK_PLACE_H

#include "views/runbook/runbook.h"

/* Private to views/runbook: the subject of a step, and the rows that lie inside it. */

/*
 * Finds the subject of the step; REF_FABRIC means everything. False: the target has no such place.
 */
bool runbook_subject(
	enum runbook_scope scope, const struct model *m, struct ref target, struct ref *out);
/*
 * Whether an object of the fabric lies inside a subject: the port of a device, the link of a job,
 * ...
 */
bool runbook_within(const struct model *m, struct ref what, struct ref subject);
/* The same for a device by its id. */
bool runbook_device_within(const struct model *m, uint32_t id, struct ref subject);
/* The same for a row of a view, by the row's object. */
bool runbook_row_within(const struct view_ctx *ctx, const struct view_ops *view, struct ref row,
	struct ref subject);
/* Whether a row may be about the subject although it does not name it. */
bool runbook_row_perhaps(const struct view_ctx *ctx, const struct view_ops *view, struct ref row,
	struct ref subject);
/*
 * Whether the row's numbers are from a device that does not answer, or does not report them any
 * more.
 */
bool runbook_row_is_old(const struct view_ctx *ctx, struct ref row);

#endif
