/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of a recording, judgement by judgement. */
#include <stdio.h>
#include <string.h>

#include "archive/replay_private.h"
#include "base/str.h"

void reader_init(struct reader *rd, struct rts *r)
{
	memset(rd, 0, sizeof(*rd));
	rd->r = r;
	rd->c = rts_cursor_new(r);
}

static void drop(struct reader *rd)
{
	for (size_t i = rd->done; i < rd->group.n; i++)
		entry_free(&rd->group.at[i]);
	rd->group.n = rd->done = 0;
	rd->closed = false;
	rd->unjudged_us = 0;
}

static void restart(struct reader *rd)
{
	drop(rd);
	if (rd->has_ahead)
		entry_free(&rd->ahead);
	rd->has_ahead = rd->ended = rd->gap = false;
	rd->why[0] = '\0';
}

void reader_free(struct reader *rd)
{
	restart(rd);
	vec_free(&rd->group);
	rts_cursor_free(rd->c);
}

void reader_first(struct reader *rd)
{
	restart(rd);
	rts_cursor_first(rd->c);
}

bool reader_after(struct reader *rd, const struct rts_keyframe *k, struct err *err)
{
	restart(rd);
	return rts_cursor_after(rd->c, k, err);
}

static void note_gap(struct reader *rd, const struct entry *e)
{
	rd->gap = true;
	(void)str_copy(rd->why, sizeof(rd->why),
		e && e->kind == ENTRY_GAP && e->text[0]
			? e->text
			: "a part of the file is missing or cannot be read");
}

/* False: there is none. */
static bool fetch(struct reader *rd, struct entry *e, struct err *err)
{
	bool gap = false;

	if (rd->has_ahead) {
		*e = rd->ahead;
		rd->has_ahead = false;
		return true;
	}
	memset(e, 0, sizeof(*e));
	rd->ended = !rts_next(rd->c, e, &gap, err);
	if (gap)
		note_gap(rd, rd->ended ? NULL : e);
	return !rd->ended;
}

bool reader_read(struct reader *rd, struct err *err)
{
	struct entry e;

	if (rd->closed || !fetch(rd, &e, err))
		return false;
	if (e.kind == ENTRY_JUDGE) {
		rd->judge_us = e.t_us;
		rd->closed = true;
		entry_free(&e);
		return false;
	}
	if (e.kind == ENTRY_OBS) {
		if (rd->unjudged_us && e.t_us - rd->unjudged_us > REPLAY_UNJUDGED_US &&
			rts_info(rd->r)->keyframes == 0) {
			rd->judge_us = e.t_us;
			rd->closed = true;
			rd->ahead = e;
			rd->has_ahead = true;
			return false;
		}
		if (!rd->unjudged_us)
			rd->unjudged_us = e.t_us;
	}
	vec_push(&rd->group, e);
	return true;
}

void reader_next(struct reader *rd)
{
	drop(rd);
}
