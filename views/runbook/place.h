/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_RUNBOOK_PLACE_H
#define VIEWS_RUNBOOK_PLACE_H

#include "views/runbook/runbook.h"

/* Private to views/runbook: where a step looks, and which rows lie there. */

/* What the step is about: of REF_FABRIC everything. False: the target has no such place. */
bool runbook_subject(
	enum runbook_scope scope, const struct model *m, struct ref target, struct ref *out);
/* Something of the fabric lies within a subject: the port of a device, the link of a job, ... */
bool runbook_within(const struct model *m, struct ref what, struct ref subject);
/* The same for a device by its id. */
bool runbook_device_within(const struct model *m, uint32_t id, struct ref subject);
/* The same for a row of a view, by what it is about. */
bool runbook_row_within(const struct view_ctx *ctx, const struct view_ops *view, struct ref row,
	struct ref subject);
/* What else a row of the view could be about, which it does not name. */
bool runbook_row_perhaps(const struct view_ctx *ctx, const struct view_ops *view, struct ref row,
	struct ref subject);
/* The row's numbers are of a device that does not answer, or does not tell them any more. */
bool runbook_row_is_old(const struct view_ctx *ctx, struct ref row);

#endif
