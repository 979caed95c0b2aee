/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_BATCH_BACKLOG_H
#define APP_SESSION_BATCH_BACKLOG_H

#include "fabric/vocabulary/observation.h"

/*
 * Batches that are held back, oldest first. Bytes are bounded, not batches: one answer is a few
 * hundred bytes or a few hundred thousand.
 */
struct held {
	struct obs *first, *last;
	size_t n, bytes;
};

/* Takes it over; beyond max_bytes the oldest go: so many. */
size_t held_add(struct held *h, struct obs *o, size_t max_bytes);
struct obs *held_take(struct held *h); /* the oldest, the caller's; NULL: none is left */

#endif
