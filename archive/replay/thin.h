/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_REPLAY_THIN_H
#define ARCHIVE_REPLAY_THIN_H

#include "archive/recording/rts.h"

/*
 * A long stretch of a recording for a chart: of each device and counter one sample a step, as
 * batches with the counters that were asked for and nothing else. What lies between the samples is
 * left out unread where the recording has places to begin at; see rts_cursor_skip().
 */
#define THIN_DEVICES  64
#define THIN_COUNTERS 16
#define THIN_POINTS   1024 /* steps at most */

struct thin_question {
	int64_t from_us, to_us, step_us; /* session times */
	char devices[THIN_DEVICES][NAME_MAX_LEN];
	size_t n_devices;
	counter_id counters[THIN_COUNTERS];
	size_t n_counters;
};

/*
 * Reads; oldest first, the caller frees the list. stop: polled, ends the work early; may be NULL.
 * entries: how many entries were decoded; may be NULL. NULL with err: the file cannot be read.
 * NULL without: there is nothing of it.
 */
struct obs *thin_read(struct rts *r, const struct thin_question *q, bool (*stop)(void *ctx),
	void *ctx, uint64_t *entries, struct err *err);

#endif
