/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_RUNBOOK_TOLD_H
#define VIEWS_RUNBOOK_TOLD_H

#include "views/runbook/runbook.h"

/* Private to views/runbook: who would tell of what a view has no row for. */

/* Views that list troubles: there nothing is nothing, if those who would tell of it are heard. */
bool runbook_lists_troubles(const struct view_ops *v);
/* Why nothing tells of the troubles that the view would list; NULL: something does. */
const char *runbook_deaf(const struct view_ctx *ctx, const struct view_ops *v, struct ref subject);
/*
 * Devices of the subject that the view has rows of, and those of them that do not tell: they may
 * have rows that nobody knows of. 0 for views that are not about devices.
 */
unsigned runbook_devices(
	const struct model *m, const struct view_ops *v, struct ref subject, unsigned *silent);
/* For how long all devices of the subject that answered were watched, and their events are there
 * still; 0: none did. Microseconds. */
int64_t runbook_watched(const struct model *m, struct ref subject, int64_t now_us);

#endif
