/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_REPLAY_REPLAY_H
#define ARCHIVE_REPLAY_REPLAY_H

#include "archive/recording/rts.h"
#include "diagnosis/engine/diagnosis.h"

/*
 * Gives the model and the diagnosis at any moment of a recording. Single-threaded. Works in pieces,
 * so that a console handles keys meanwhile: seek, then call replay_work() until it arrives. Until
 * then the previous state stays; the pointers below change only at arrival.
 */
struct replay;

/* Takes ownership of r, also when it fails. NULL with err: the file has no valid plan. */
struct replay *replay_new(struct rts *r, struct err *err);
void replay_free(struct replay *p);
struct rts *replay_file(struct replay *p);
const struct plan *replay_plan(const struct replay *p);

/* Targets the last judgement at or before t_us, or the first one of the file. */
void replay_seek(struct replay *p, int64_t t_us);
/*
 * Targets a judgement the given number of steps forward (> 0) or back (< 0). A step leads to
 * another second: forward to its first judgement, back to its last.
 */
void replay_step(struct replay *p, int steps);
/*
 * Works for about budget_us of CPU time, at least one entry. True: arrived, or failed (see
 * replay_error()).
 */
bool replay_work(struct replay *p, int64_t budget_us);
/*
 * Seeks and blocks until arrival. False with err: the seek failed, or the file holds no judgement.
 */
bool replay_go_to(struct replay *p, int64_t t_us, struct err *err);
bool replay_arrived(const struct replay *p);
/* True after a failed seek. err may be NULL. */
bool replay_error(const struct replay *p, struct err *err);

/* The steps of the wall clock in the file so far. */
const struct clock_track *replay_clock(const struct replay *p);

/* NULL until the first arrival. */
struct model *replay_model(struct replay *p);
struct diag *replay_diag(struct replay *p);
int64_t replay_now(const struct replay *p); /* time of the shown judgement */
/* Times of the first and last judgement so far. replay_gap(): entries are missing before now. */
int64_t replay_from(const struct replay *p);
int64_t replay_to(const struct replay *p);
bool replay_gap(const struct replay *p, char *why, size_t size);
/* The runbook steps up to now. */
const runbook_log *replay_trail(const struct replay *p);

/* ---- recording: passes a live session to a writer ---- */

struct recorder;
/*
 * The caller keeps ownership of the writers; either may be NULL. A keyframe may leave histories to
 * the one before it (model_history_step()). The model remembers that, so all files of a model get
 * their keyframes together.
 */
struct recorder *recorder_new(struct rts_writer *w, struct rts_writer *second);
/*
 * Replaces the second writer; NULL: none. Not allowed while a keyframe is under way. The new file
 * begins with the next keyframe, which is due at once and contains everything before it.
 */
void recorder_second(struct recorder *r, struct rts_writer *second);
void recorder_free(struct recorder *r);
/* Takes ownership of a batch that was applied. */
void recorder_obs(struct recorder *r, struct obs *o, int64_t at_us);
void recorder_judged(struct recorder *r, int64_t at_us);
/* The wall clock was stepped: t has all steps of the session. */
void recorder_stepped(struct recorder *r, const struct clock_track *t);
void recorder_entry(struct recorder *r, struct entry *e);
/*
 * True when a keyframe is due or under way. During a keyframe the caller must not apply, judge or
 * add anything. recorder_work() continues it for about budget_us and returns true when it is
 * complete or given up. It is given up when the disk accepts nothing more; the next one is due 30 s
 * later.
 */
bool recorder_due(struct recorder *r);
/* Gives up the keyframe under way. */
void recorder_drop(struct recorder *r);
bool recorder_work(
	struct recorder *r, struct model *m, struct diag *d, int64_t now_us, int64_t budget_us);

#endif
