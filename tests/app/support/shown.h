/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_APP_SUPPORT_SHOWN_H
#define TESTS_APP_SUPPORT_SHOWN_H

#include "diagnosis/engine/diagnosis.h"
#include "diagnosis/engine/runbook_log.h"
#include "fabric/model/model.h"

/*
 * All that a console could show of a moment, as text: the rows and cells of every view (of the
 * whole, and of places that are worth a look), the snapshot, findings, traces and the pause graph.
 * The caller frees it.
 */
char *shown_at(struct model *m, struct diag *d, const runbook_log *trail, int64_t now_us);
/* Fails the test at the first line that differs. */
void shown_expect(const char *was, const char *is, const char *when);

#endif
