/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_REPLAY_REPLAY_PRIVATE_H
#define ARCHIVE_REPLAY_REPLAY_PRIVATE_H

#include "archive/replay/replay.h"
#include "base/clock.h"
#include "diagnosis/engine/changed_devices.h"

/* Shared by archive/re{corder,play}*.c only. */

/* ---- recorder.c: for tests ---- */

/* A keyframe is due after the next judgement, whoever wants one or not. */
void recorder_force(struct recorder *r);
/* By which it gives up waiting for a disk. */
void recorder_clock(struct recorder *r, const struct clock *clock);

/* ---- entries up to a judgement: read.c ---- */

/*
 * Reads ahead to the next judgement, because what follows the last one before a moment is not of
 * that moment. In a file of batches only, one is made up REPLAY_UNJUDGED_US after a batch, right
 * before the batch at hand. Not in one with keyframes: who wrote them judged, and where that took
 * longer, nothing else was shown.
 */
#define REPLAY_UNJUDGED_US (3 * INT64_C(1000000))

struct reader {
	const struct rts *r;
	struct rts_cursor *c;
	VEC(struct entry) group; /* up to the next judgement, without it */
	size_t done;             /* of them were applied */
	size_t bytes, most;      /* that they hold, and may; most: for tests */
	bool closed;             /* the judgement is known */
	int64_t judge_us;        /* its time */
	int64_t unjudged_us;     /* of the first batch in the group, 0: none */
	bool has_ahead;
	struct entry ahead; /* read already, of the group after this one */
	bool ended;         /* no more entries so far */
	bool gap;           /* something is missing before the group's end */
	char why[240];
};
void reader_init(struct reader *rd, struct rts *r);
void reader_free(struct reader *rd);
void reader_first(struct reader *rd);
bool reader_after(struct reader *rd, const struct rts_keyframe *k, struct err *err);
/* One entry more. False: the group is closed, or there is no more (ended), or err is set. */
bool reader_read(struct reader *rd, struct err *err);
/* Forgets the group, the next one begins. */
void reader_next(struct reader *rd);

/* ---- a model and a diagnosis on their way: world.c ---- */

struct world {
	struct model *m;
	struct diag *d;
	trail_vec trail;
	struct news news;
	int64_t judged_us;  /* the last judgement */
	bool judged;        /* there was one */
	bool judging;       /* its run is under way */
	bool dirty;         /* a batch was applied since, or the run is under way */
	int64_t settled_us; /* of the newest thing that was applied since without a batch */
	struct reader rd;
	bool gap;
	char why[240];
};
struct world *world_new(struct rts *r, const struct plan *plan);
void world_free(struct world *w);
/* The next thing of the closed group: an entry, then the judgement in pieces of about budget_us.
 * True: judged, the next group begins. */
bool world_go_on(struct world *w, int64_t budget_us);
/* After a judgement: what is about no batch and not later than until_us applies at once. */
void world_settle(struct world *w, int64_t until_us);

/* ---- a keyframe as a world: load.c ---- */

struct loading {
	struct rts_keyframe k;
	enum rts_section section;
	unsigned part;
	size_t step;
	VEC(size_t) history_steps; /* of each part */
};
void loading_begin(struct loading *l, struct rts *r, const struct rts_keyframe *k);
void loading_free(struct loading *l);
/* One step. False: it cannot be loaded. *done: the world is there, its reader after it. */
bool loading_step(struct loading *l, struct rts *r, struct world *w, bool *done);

#endif
