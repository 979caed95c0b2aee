/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_BATCH_BACKLOG_H
#define APP_SESSION_BATCH_BACKLOG_H

#include "fabric/vocabulary/observation.h"

/*
 * A queue of batches held back, oldest first. Its limit is in bytes, not batches: one answer has a
 * few hundred bytes or a few hundred thousand.
 */
struct batch_backlog {
	struct obs *first, *last;
	size_t n, bytes;
};

/* Appends o and takes ownership. Drops the oldest batches while the total exceeds max_bytes;
 * returns the number dropped. */
size_t batch_backlog_add(struct batch_backlog *h, struct obs *o, size_t max_bytes);
struct obs *batch_backlog_take(
	struct batch_backlog *h); /* removes the oldest batch; the caller frees it. NULL: empty */

#endif
