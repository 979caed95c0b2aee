/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_EXPORT_RUNBOOK_LOG_JSON_H
#define ARCHIVE_EXPORT_RUNBOOK_LOG_JSON_H

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "diagnosis/engine/runbook_log.h"
#include "fabric/model/model.h"

/* Private to archive/. */

/* A new reference to the list of steps; t NULL: empty. */
json_t *runbook_log_list(const struct model *m, const runbook_log *t);
/*
 * The trail as JSON: an array of objects with t, user, runbook, step, target, outcome, value and
 * note, and a line end. ERR_LIMIT: out is full.
 */
bool runbook_log_json(
	const struct model *m, const runbook_log *t, struct buf *out, struct err *err);

#endif
