/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_RUNBOOK_TOLD_H
#define VIEWS_RUNBOOK_TOLD_H

#include "views/runbook/runbook.h"

/* Private to views/runbook: devices that could report rows, and have not. */

/*
 * Views that list troubles: no row means no trouble, if the devices that would report one answer.
 */
bool runbook_lists_troubles(const struct view_ops *v);
/* The reason why no source reports the view's troubles; NULL: one does. */
const char *runbook_deaf(const struct view_ctx *ctx, const struct view_ops *v, struct ref subject);
/*
 * Counts the subject's devices that the view has rows of, and in *silent those that do not report:
 * they may have unknown rows. 0 for views that are not about devices.
 */
unsigned runbook_devices(
	const struct model *m, const struct view_ops *v, struct ref subject, unsigned *silent);
/*
 * How long all answering devices of the subject were watched with their events still in the ring;
 * 0: none answered. Microseconds.
 */
int64_t runbook_watched(const struct model *m, struct ref subject, int64_t now_us);

#endif
