/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_EXPORT_RUNBOOK_LOG_JSON_H
#define ARCHIVE_EXPORT_RUNBOOK_LOG_JSON_H

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "diagnosis/engine/runbook_log.h"

/* Private to archive/. */

/* A new reference to the list of steps; t NULL: empty. */
json_t *trail_list(const trail_vec *t);
/*
 * The trail as JSON: an array of objects with t, user, runbook, step, target, outcome, value and
 * note, and a line end. ERR_LIMIT: out is full.
 */
bool trail_json(const trail_vec *t, struct buf *out, struct err *err);

#endif
