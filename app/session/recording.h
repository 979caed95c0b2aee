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
 * What a session records: the last hour, for looking back (a file of its own in a directory that
 * goes with the process), and a file that somebody asked for.
 */
struct recording;

struct recording_opts {
	bool live; /* the last hour is kept */
	/* Of it, at most; 0: RECORDING_LIVE_BYTES. Never more than a quarter of the free space. */
	uint64_t live_bytes;
	const char *path; /* NULL: none */
	uint64_t rotate_bytes;
	int64_t rotate_us; /* 0: never */
	unsigned keep;
	bool patient; /* the caller may wait for the disk: nothing is ever left out */
};
#define RECORDING_LIVE_US    (3600 * INT64_C(1000000))
#define RECORDING_LIVE_BYTES (UINT64_C(1) << 30)

/*
 * NULL with err when the file that was asked for cannot be written. Before recording_begun()
 * nothing but recording_close() may follow; until either of them the plan must stay as it is.
 */
struct recording *recording_open(
	const struct recording_opts *o, const struct plan *plan, struct err *err);
/*
 * Waits for the file of the last hour. What is wrong with that one is a warning: it is not worth an
 * end. NULL is allowed.
 */
void recording_begun(struct recording *r, void (*warn)(void *ctx, const char *message), void *ctx);
/* Everything is on the disk, as far as there is room. False: err says what is missing. NULL is
 * allowed. */
bool recording_close(struct recording *r, struct err *err);

/*
 * Begins to record into a file, or ends that with NULL, while the session goes on. A file that ends
 * is completed on a thread of its own; what goes wrong then is told by recording_problem().
 */
bool recording_file(
	struct recording *r, const char *path, const struct plan *plan, struct err *err);

void recording_obs(struct recording *r, struct obs *o, int64_t at_us); /* takes it over */
void recording_judged(struct recording *r, int64_t at_us);
void recording_entry(struct recording *r, struct entry *e);
/* As recorder_due() and recorder_work(). */
bool recording_due(struct recording *r);
bool recording_work(
	struct recording *r, struct model *m, struct diag *d, int64_t now_us, int64_t budget_us);

/* Gives up the keyframe under way: the model is about to change. Another one will be due. */
void recording_drop(struct recording *r);

/* Where the last hour is; NULL: it is not kept. */
const char *recording_live_path(const struct recording *r);
/* What was recorded so far can be read from the file once done was called, on a thread of its own.
 */
void recording_flush(struct recording *r, void (*done)(void *ctx, const struct err *e), void *ctx);
/* Waits until what was recorded into the file that was asked for is in it, or has failed. */
void recording_settle(struct recording *r);
bool recording_into_file(const struct recording *r);
/* Of the file that was asked for, else of the last hour. */
struct rts_status recording_status(struct recording *r);
/* Something went wrong since the last call: it is told once. */
bool recording_problem(struct recording *r, char *text, size_t size);

/* "~/.local/state/railtop/NAME", or under XDG_STATE_HOME. The caller's; NULL: there is no home. */
char *recording_state_path(const char *name);

#endif
