/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_RECORDING_H
#define APP_SESSION_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "archive/replay/replay.h"
#include "base/err.h"
#include "diagnosis/engine/diagnosis.h"
#include "fabric/model/model.h"

/*
 * Records a session to up to two files. The first has the last hour, for time travel, in a
 * temporary directory of this process. The second is a file that the operator requested.
 */
struct recording;

struct recording_opts {
	bool live; /* keep the last hour */
	/* Limit of the last hour in bytes; 0: RECORDING_LIVE_BYTES. Never more than a quarter of
	 * the free space. */
	uint64_t live_bytes;
	const char *path; /* the requested file; NULL: none */
	uint64_t rotate_bytes;
	int64_t rotate_us; /* 0: never */
	unsigned keep;
	bool patient; /* a full queue blocks the caller: nothing is lost */
	/*
	 * The session's steps of the wall clock. recording_open() fills it from a file that is
	 * continued, and makes the session time follow that file. NULL: the times are not this
	 * session's.
	 */
	struct clock_track *clock;
};
#define RECORDING_LIVE_US    (3600 * INT64_C(1000000))
#define RECORDING_LIVE_BYTES (UINT64_C(1) << 30)

/*
 * Opens the files. NULL with err: the requested file cannot be written. Next the caller must call
 * recording_begun() or recording_close(), and must not change the plan until then.
 */
struct recording *recording_open(
	const struct recording_opts *o, const struct plan *plan, struct err *err);
/*
 * Waits until the last hour's file is open. An error of that file is only a warning. NULL is
 * allowed.
 */
void recording_begun(struct recording *r, void (*warn)(void *ctx, const char *message), void *ctx);
/* Writes everything and closes the files. False with err: some data is missing. NULL is allowed. */
bool recording_close(struct recording *r, struct err *err);

/*
 * Begins recording to a file, or ends it (path NULL), while the session continues. A thread closes
 * an ended file; recording_problem() reports its errors.
 */
bool recording_file(
	struct recording *r, const char *path, const struct plan *plan, struct err *err);

void recording_obs(struct recording *r, struct obs *o, int64_t at_us); /* takes ownership of o */
void recording_judged(struct recording *r, int64_t at_us);
/*
 * Looks whether somebody set the wall clock. Ages and rates do not notice, because they are in
 * session time; the model and the recording get the step, to say what the clock showed. True: it
 * was set; text has the step for the operator. r may be NULL.
 */
bool recording_watch_clock(
	struct recording *r, struct clock_track *t, struct model *m, char *text, size_t size);
/* The same for a clock that is told: session_us, and the time that it showed then. */
bool recording_step_clock(struct recording *r, struct clock_track *t, struct model *m,
	int64_t session_us, int64_t wall_us);
void recording_entry(struct recording *r, struct entry *e);
/* See recorder_due() and recorder_work(). */
bool recording_due(struct recording *r);
bool recording_work(
	struct recording *r, struct model *m, struct diag *d, int64_t now_us, int64_t budget_us);

/* Gives up the keyframe under way, because the model is about to change. A new one becomes due. */
void recording_drop(struct recording *r);

/* Path of the last hour's file; NULL: not kept. */
const char *recording_live_path(const struct recording *r);
/* Calls done in the writer's thread once everything recorded so far can be read from the file. */
void recording_flush(struct recording *r, void (*done)(void *ctx, const struct err *e), void *ctx);
/* Waits until everything recorded so far is in the requested file, or the write failed. */
void recording_settle(struct recording *r);
bool recording_into_file(const struct recording *r);
/* Status of the requested file, else of the last hour's. */
struct rts_status recording_status(struct recording *r);
/* True: a new error since the last call, in text. Each error is reported once. */
bool recording_problem(struct recording *r, char *text, size_t size);

#endif
