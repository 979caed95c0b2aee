/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the entries of a recording in groups, each up to a judgement. */
#include <stdio.h>
#include <string.h>

#include "archive/replay/replay_private.h"
#include "base/str.h"

/*
 * Memory limit of the entries between two judgements: a few bytes of a crafted file may stand for
 * gigabytes. A session judges once a second and holds back 256 MB at most (SESSION_HELD_BYTES).
 * Twice that is applied at once where a vector has just doubled.
 */
#define GROUP_BYTES ((size_t)1 << 30)

void reader_init(struct reader *rd, struct rts *r)
{
	memset(rd, 0, sizeof(*rd));
	rd->r = r;
	rd->most = GROUP_BYTES;
	rd->c = rts_cursor_new(r);
}

static void drop_group(struct reader *rd)
{
	for (size_t i = rd->done; i < rd->group.n; i++)
		entry_free(&rd->group.at[i]);
	rd->group.n = rd->done = 0;
	rd->bytes = 0;
	rd->closed = false;
	rd->unjudged_us = 0;
}

static void reset_reader(struct reader *rd)
{
	drop_group(rd);
	if (rd->has_ahead)
		entry_free(&rd->ahead);
	rd->has_ahead = rd->ended = rd->gap = false;
	rd->why[0] = '\0';
}

void reader_free(struct reader *rd)
{
	reset_reader(rd);
	vec_free(&rd->group);
	rts_cursor_free(rd->c);
}

void reader_first(struct reader *rd)
{
	reset_reader(rd);
	rts_cursor_first(rd->c);
}

bool reader_after(struct reader *rd, const struct rts_keyframe *k, struct err *err)
{
	reset_reader(rd);
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

/* False: no further entry. */
static bool next_entry(struct reader *rd, struct entry *e, struct err *err)
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

static bool keep_entry(struct reader *rd, struct entry *e, struct err *err)
{
	rd->bytes += entry_bytes(e);
	if (rd->bytes <= rd->most) {
		vec_push(&rd->group, *e);
		return true;
	}
	entry_free(e);
	err_set(err, ERR_PROTOCOL, "recording",
		"has more entries between two judgements than railtop writes");
	return err_cure(err, "take another copy of it");
}

bool reader_read(struct reader *rd, struct err *err)
{
	struct entry e;

	if (rd->closed || !next_entry(rd, &e, err))
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
	return keep_entry(rd, &e, err);
}

void reader_next(struct reader *rd)
{
	drop_group(rd);
}
