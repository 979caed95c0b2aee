/* SPDX-License-Identifier: Apache-2.0 */
/* Session times for files of any clock: order never lies. */
#include <string.h>

#include "archive/recording/rts_internal.h"
#include "base/clock.h"
#include "base/str.h"

/*
 * For files of writers that counted in wall time. Batches of several collectors stand in the order
 * of their arrival at the main thread, so times go back by fractions of a second without a step of
 * the clock. A writer that counted in wall time began a chunk where they went back by more than a
 * chunk's length.
 */
#define BACK_LEAST_US RTS_CHUNK_US
#define TIME_MOST_US  (INT64_MAX / 4) /* a foreign file must not make a sum overflow */

int64_t rts_chunk_from_us(const struct rts_chunk *c)
{
	return c->from_us + c->shift_us;
}

int64_t rts_chunk_to_us(const struct rts_chunk *c)
{
	return c->to_us + c->shift_us;
}

struct straight {
	const struct clock_track *written; /* of meta.clock */
	bool counted; /* the writer counted in session time, which never steps */
	size_t taken; /* steps of it that are in the reader's track */
	int64_t shift_us, last_us;
};

/* Takes over the written steps up to a time of the file. */
static void take_steps(struct rts *r, struct straight *s, int64_t until_us)
{
	for (; s->taken < s->written->steps.n && s->written->steps.at[s->taken].at_us <= until_us;
		s->taken++) {
		struct clock_step step = s->written->steps.at[s->taken];

		step.at_us += s->shift_us;
		if (!r->clock.steps.n || r->clock.steps.at[r->clock.steps.n - 1].at_us < step.at_us)
			vec_push(&r->clock.steps, step);
	}
}

/* False: no clock has such times. */
static bool straighten_chunk(struct rts *r, struct straight *s, struct rts_chunk *c)
{
	int64_t wall, us;

	if (c->from_us > TIME_MOST_US || c->to_us > TIME_MOST_US)
		return false;
	/* A foreign file may have them the other way round. */
	if (c->to_us < c->from_us)
		c->to_us = c->from_us;
	take_steps(r, s, c->from_us);
	if (!s->counted && s->last_us && c->from_us + s->shift_us < s->last_us - BACK_LEAST_US) {
		wall = clock_track_wall(s->written, c->from_us);
		/* The time that went by is not known. The next second is another step of [ and ].
		 */
		us = (s->last_us / CLOCK_SEC + 1) * CLOCK_SEC + c->from_us % CLOCK_SEC;
		s->shift_us = us - c->from_us;
		(void)clock_track_note(&r->clock, us, wall);
	}
	c->shift_us = s->shift_us;
	if (rts_chunk_to_us(c) > s->last_us)
		s->last_us = rts_chunk_to_us(c);
	return s->last_us <= TIME_MOST_US;
}

/* A keyframe behind a place that was straightened has a model with other times. */
static void drop_keys(struct rts *r, const struct straight *s)
{
	for (size_t i = 0; i < r->keys.n; i++) {
		struct rts_key *k = &r->keys.at[i];
		size_t at = rts_chunk_from(r, k->chunk);
		int64_t shift = at < r->chunks.n ? r->chunks.at[at].shift_us : s->shift_us;

		if (shift || (!s->counted && at >= r->chunks.n &&
				     k->t_us < s->last_us - BACK_LEAST_US && r->chunks.n))
			k->stamp = 0;
	}
}

bool rts_straighten(struct rts *r, struct err *err)
{
	char *text = rts_meta_text(r->db, "clock"), *time = rts_meta_text(r->db, RTS_META_TIME);
	struct clock_track written = {0};
	struct straight s = {.written = &written};
	bool good = !text || !text[0] || clock_track_read(&written, text);

	s.counted = r->counted = time && str_eq(time, RTS_SESSION_TIME);
	free(text);
	free(time);
	clock_track_free(&r->clock);
	r->clock.base_us = written.base_us;
	for (size_t i = 0; good && i < r->chunks.n; i++)
		good = straighten_chunk(r, &s, &r->chunks.at[i]);
	if (good) {
		take_steps(r, &s, INT64_MAX);
		drop_keys(r, &s);
	}
	clock_track_free(&written);
	if (good)
		return true;
	err_set(err, ERR_PROTOCOL, r->path, "was altered: the times of its clock");
	return err_cure(err, "take another copy of it");
}
