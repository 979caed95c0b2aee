/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_EXPORT_RUNBOOK_LOG_JSON_H
#define ARCHIVE_EXPORT_RUNBOOK_LOG_JSON_H

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "diagnosis/engine/runbook_log.h"

/* Shared by archive/ only. */

/* A new reference; NULL: none. */
json_t *trail_list(const trail_vec *t);
/* Appends a value as jansson's flags say and drops it. False: out is full, or there is none. */
bool json_add(json_t *value, size_t flags, struct buf *out);
/* Appends a whole document with a line end and drops it. ERR_LIMIT: out is full. */
bool json_into(json_t *root, const char *what, struct buf *out, struct err *err);

#endif
