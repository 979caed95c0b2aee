/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_REPLAY_REPLAY_PRIVATE_H
#define ARCHIVE_REPLAY_REPLAY_PRIVATE_H

#include "archive/replay/replay.h"
#include "base/clock.h"
#include "diagnosis/engine/changed_devices.h"

/* Private to archive/replay. */

/* ---- recorder.c: for tests ---- */

/* Makes a keyframe due after the next judgement. */
void recorder_force(struct recorder *r);
/* Sets the clock of the disk timeout. */
void recorder_clock(struct recorder *r, const struct clock *clock);

/* ---- entries up to a judgement: read.c ---- */

/*
 * Reads ahead to the next judgement: entries after the last judgement before a moment do not belong
 * to it. A file of batches only has no judgements. There the reader makes one up REPLAY_UNJUDGED_US
 * after a batch, right before the current batch. A file with keyframes came from a session that
 * judged; when a judgement took longer, the session showed nothing else.
 */
#define REPLAY_UNJUDGED_US (3 * INT64_C(1000000))

struct reader {
	const struct rts *r;
	struct rts_cursor *c;
	VEC(struct entry) group; /* entries up to the next judgement, without it */
	size_t done;             /* entries applied */
	size_t bytes, most;      /* bytes held, and their limit; tests change most */
	bool closed;             /* the judgement was read */
	int64_t judge_us;        /* its time */
	int64_t unjudged_us;     /* time of the first batch in the group, 0: none */
	bool has_ahead;
	struct entry ahead; /* read already; belongs to the next group */
	bool ended;         /* no further entry yet */
	bool gap;           /* entries are missing before the group's end */
	char why[240];
};
void reader_init(struct reader *rd, struct rts *r);
void reader_free(struct reader *rd);
void reader_first(struct reader *rd);
bool reader_after(struct reader *rd, const struct rts_keyframe *k, struct err *err);
/* Reads one entry. False: the group is closed, or no further entry (ended), or err is set. */
bool reader_read(struct reader *rd, struct err *err);
/* Drops the group and begins the next one. */
void reader_next(struct reader *rd);

/* ---- a model and a diagnosis with their position: world.c ---- */

struct world {
	struct model *m;
	struct diag *d;
	runbook_log trail;
	struct changed_devices news;
	int64_t judged_us;  /* time of the last judgement */
	bool judged;        /* there was a judgement */
	bool judging;       /* a judgement is under way */
	bool dirty;         /* a batch was applied since, or a judgement is under way */
	int64_t settled_us; /* time of the newest entry other than a batch */
	struct reader rd;
	bool gap;
	char why[240];
};
struct world *world_new(struct rts *r, const struct plan *plan);
void world_free(struct world *w);
/* Applies the next entry of the closed group, or judges for about budget_us. True: judged; the next
 * group begins. */
bool world_go_on(struct world *w, int64_t budget_us);
/* After a judgement, applies the following entries up to until_us that are no batches. */
void world_settle(struct world *w, int64_t until_us);

/* ---- loading a keyframe into a world: load.c ---- */

struct loading {
	struct rts_keyframe k;
	enum rts_section section;
	unsigned part;
	size_t step;
	VEC(size_t) history_steps; /* of each part */
};
void loading_begin(struct loading *l, struct rts *r, const struct rts_keyframe *k);
void loading_free(struct loading *l);
/* Loads one step. False: it failed. *done: complete, and the reader stands after the keyframe. */
bool loading_step(struct loading *l, struct rts *r, struct world *w, bool *done);

#endif
