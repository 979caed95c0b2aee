/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_REPLAY_REPLAY_H
#define ARCHIVE_REPLAY_REPLAY_H

#include "archive/recording/rts.h"
#include "diagnosis/engine/diagnosis.h"

/*
 * A recording as a model and a diagnosis of any of its moments. One thread; works in pieces, so
 * that a console can attend to keys meanwhile: seek, then work until it is there. What was there
 * before stays until then, and the pointers below change at arrival only.
 */
struct replay;

/* Takes the file over, also when it fails. */
struct replay *replay_new(struct rts *r, struct err *err);
void replay_free(struct replay *p);
struct rts *replay_file(struct replay *p);
const struct plan *replay_plan(const struct replay *p);

/* Wants the state of the last judgement at or before t_us; the first one when there is none. */
void replay_seek(struct replay *p, int64_t t_us);
/*
 * So many steps on or back from where it is, each to a judgement of another second: on to the first
 * one of it, back to the last one.
 */
void replay_step(struct replay *p, int steps);
/*
 * Works for about budget_us of CPU time, or one entry at least. True: it is there, or cannot get
 * there (replay_error()).
 */
bool replay_work(struct replay *p, int64_t budget_us);
/*
 * Both at once, for those who have nothing else to do: seek, and work until it is there. False: it
 * cannot get there, or the file holds no judgement.
 */
bool replay_go_to(struct replay *p, int64_t t_us, struct err *err);
bool replay_arrived(const struct replay *p);
/* err may be NULL. */
bool replay_error(const struct replay *p, struct err *err);

/* NULL until the first arrival. */
struct model *replay_model(struct replay *p);
struct diag *replay_diag(struct replay *p);
int64_t replay_now(const struct replay *p); /* the time of the judgement that is shown */
/* First and last judgement of the file, as far as known; gap: entries are missing before now. */
int64_t replay_from(const struct replay *p);
int64_t replay_to(const struct replay *p);
bool replay_gap(const struct replay *p, char *why, size_t size);
/* The trail as of now. */
const trail_vec *replay_trail(const struct replay *p);

/* ---- the other way: what a live session does goes to a writer ---- */

struct recorder;
/*
 * The writers stay the caller's; either may be NULL. What a keyframe leaves to the one before it
 * (model_history_step()) is a matter of the model, so all files of a model get theirs together.
 */
struct recorder *recorder_new(struct rts_writer *w, struct rts_writer *second);
/*
 * Another second writer from now on, NULL: none. Not while a keyframe is under way. Its file begins
 * with the next keyframe, which is due: what came before it is in there.
 */
void recorder_second(struct recorder *r, struct rts_writer *second);
void recorder_free(struct recorder *r);
/* Takes the batch over, after it was applied. */
void recorder_obs(struct recorder *r, struct obs *o, int64_t at_us);
void recorder_judged(struct recorder *r, int64_t at_us);
void recorder_entry(struct recorder *r, struct entry *e);
/*
 * A keyframe is due or under way. While it is, nothing may be applied, judged or added:
 * recorder_work() goes on for about budget_us, true when it is done: also when it was given up
 * because the disk takes nothing any more (another one is due half a minute later).
 */
bool recorder_due(struct recorder *r);
/* Gives up the keyframe under way. */
void recorder_drop(struct recorder *r);
bool recorder_work(
	struct recorder *r, struct model *m, struct diag *d, int64_t now_us, int64_t budget_us);

#endif
