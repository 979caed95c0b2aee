/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings of sessions whose clock was set. Every judgement is reached, the time that is said is
 * the time that the clock showed, and the order of the entries never lies.
 */
#include <stdlib.h>
#include <string.h>

#include "archive/recording/copy.h"
#include "archive/replay/replay_private.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/archive/support/live.h"
#include "tests/archive/support/obs_make.h"
#include "tests/archive/support/rts_rig.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"

#define MIN  (60 * CLOCK_SEC)
#define HOUR (60 * MIN)

/* How a clock is treated: what the session's time and the clock do before the next poll. */
struct odd {
	unsigned seed;
	bool old;      /* as a railtop before session time: entries have the wall clock's times */
	int64_t least; /* of a step back; an old file does not tell smaller ones */
	bool pauses;   /* hours without a poll: a suspended machine */
};

struct told {
	int64_t session_us, wall_us; /* wall_us: what the clock showed */
	uint64_t batches;            /* that the model had then */
};

struct past {
	struct rts_rig g;
	struct recorder *rec;
	struct model *m;
	struct diag *d;
	struct clock_track track;
	VEC(struct told) told;
	unsigned keyframes, polls;
};

static int64_t any_step(struct dice *d, int64_t least)
{
	static const int64_t most[] = {2 * CLOCK_SEC, MIN, HOUR, 25 * HOUR};
	int64_t by = least + (int64_t)(dice_roll(d) % (uint64_t)most[dice_below(d, 4)]);

	return dice_below(d, 2) ? by : -by;
}

static void one_poll(struct past *h, const struct odd *o, struct dice *d, int64_t now, int64_t wall)
{
	int64_t at = o->old ? wall : now, judged = at + 1000 + (int64_t)dice_below(d, 100000);
	struct obs *b = obs_make_poll("leaf-0", 2, h->polls++, at);
	struct told t = {now + judged - at, wall + judged - at, 0};

	model_apply(h->m, b, at);
	recorder_obs(h->rec, b, at);
	diag_run(h->d, h->m, judged);
	recorder_judged(h->rec, judged);
	t.batches = h->m->batches;
	vec_push(&h->told, t);
	if (dice_below(d, 9) == 0)
		recorder_force(h->rec);
	if (!recorder_due(h->rec))
		return;
	while (!recorder_work(h->rec, h->m, h->d, judged, 1000))
		continue;
	h->keyframes++;
}

static void play(struct past *h, const struct odd *o)
{
	struct dice d = {o->seed};
	int64_t now = RIG_T0, ahead = 0;

	memset(h, 0, sizeof(*h));
	rig_open(&h->g, NULL);
	h->m = model_new(&h->g.plan);
	h->d = diag_new();
	h->rec = recorder_new(h->g.w, NULL);
	for (unsigned i = 0; i < 120; i++) {
		now += CLOCK_SEC + (int64_t)dice_below(&d, 7 * CLOCK_SEC);
		if (o->pauses && dice_below(&d, 30) == 0)
			now += (int64_t)dice_below(&d, 5) * HOUR;
		if (dice_below(&d, 12) == 0)
			ahead += any_step(&d, o->least);
		if (clock_track_note(&h->track, now, now + ahead) && !o->old)
			recorder_stepped(h->rec, &h->track);
		one_poll(h, o, &d, now, now + ahead);
	}
	recorder_free(h->rec);
	h->rec = NULL;
	rig_close_writer(&h->g);
}

static void done(struct past *h)
{
	diag_free(h->d);
	model_free(h->m);
	clock_track_free(&h->track);
	vec_free(&h->told);
	rig_done(&h->g);
}

/* Reads all entries: their order, and the times that they had. */
static void entries_in_order(const char *path, const struct past *h, const struct odd *o)
{
	struct err err = {0};
	struct rts *r = rts_open(path, &err);
	struct rts_cursor *c;
	struct entry e;
	int64_t last = 0;
	size_t n = 0;
	bool gap;

	if (!r)
		fail_msg("seed %u: %s", o->seed, err.text);
	c = rts_cursor_new(r);
	rts_cursor_first(c);
	while (rts_next(c, &e, &gap, &err)) {
		assert_false(gap);
		if (e.t_us < last - (o->old ? RTS_CHUNK_US : 0))
			fail_msg("seed %u: an entry goes back by %lld us", o->seed,
				(long long)(last - e.t_us));
		last = e.t_us > last ? e.t_us : last;
		if (e.kind == ENTRY_JUDGE) {
			assert_true(n < h->told.n);
			if (clock_track_wall(rts_clock(r), e.t_us) != h->told.at[n].wall_us)
				fail_msg("seed %u: judgement %zu is said %lld us wrong", o->seed, n,
					(long long)(clock_track_wall(rts_clock(r), e.t_us) -
						    h->told.at[n].wall_us));
			n++;
		}
		entry_free(&e);
	}
	assert_int_equal(n, h->told.n);
	assert_true(rts_info(r)->to_us >= last);
	rts_cursor_free(c);
	rts_close(r);
}

/* The moment that a text of the clock's time leads to. False: none of them is judgement i. */
static bool reach(struct replay *p, const struct told *t)
{
	char when[40], text[64], hms[40];
	struct clock_moment m;
	struct err err = {0};

	clock_format_utc(t->wall_us, when, sizeof(when));
	for (unsigned n = 1; n <= CLOCK_TIMES_MAX; n++) {
		(void)str_printf(text, sizeof(text), "%s#%u", when, n);
		if (clock_track_find(replay_clock(p), text, 0, replay_from(p), replay_to(p), &m) !=
			CLOCK_FOUND)
			return false;
		/* The text has whole seconds: the judgement is within the second after it. */
		for (int64_t us = m.us; us <= m.us + CLOCK_SEC; us += CLOCK_SEC / 2) {
			assert_true(replay_go_to(p, us, &err));
			if (replay_model(p)->batches != t->batches)
				continue;
			(void)model_utc(replay_model(p), replay_now(p), hms, sizeof(hms));
			assert_string_equal(hms, when);
			return true;
		}
		assert_true(replay_go_to(p, m.us + CLOCK_SEC, &err));
		if (replay_model(p)->batches == t->batches)
			return true;
	}
	return false;
}

static void each_is_reached(const char *path, const struct past *h, const struct odd *o)
{
	struct replay *p = replay_of(path);
	struct dice d = {o->seed + 1};

	for (unsigned i = 0; i < effort(80); i++) {
		size_t at = dice_below(&d, (unsigned)h->told.n);

		if (!reach(p, &h->told.at[at]))
			fail_msg("seed %u: judgement %zu of %zu is not reached", o->seed, at,
				h->told.n);
	}
	/* One after the other, then back. */
	replay_go(p, replay_from(p));
	for (size_t i = 1; i < h->told.n; i++) {
		int64_t was = replay_now(p);

		replay_step(p, 1);
		replay_arrive(p);
		assert_true(replay_now(p) >= was);
	}
	assert_true(replay_model(p)->batches == h->told.at[h->told.n - 1].batches);
	replay_free(p);
}

static void copy_is_the_same(const struct past *h, const struct odd *o, bool redacted)
{
	char path[600];
	struct err err = {0};
	struct rts *r = rts_open(h->g.path, &err);
	struct redact *redact = redacted ? redact_new(&h->g.plan) : NULL;
	struct rts_copy_opts opts = {.path = path, .redact = redact, .to_us = INT64_MAX};
	struct rts_copy *c;

	assert_non_null(r);
	(void)str_printf(path, sizeof(path), "%s/copy%d.rts", h->g.dir, redacted);
	opts.from_us = rts_info(r)->from_us;
	c = rts_copy_new(r, &opts, &err);
	if (!c)
		fail_msg("seed %u: %s", o->seed, err.text);
	assert_true(rts_copy_finish(c, &err));
	rts_copy_free(c);
	redact_free(redact);
	entries_in_order(path, h, o);
	each_is_reached(path, h, o);
}

static void try_history(const struct odd *o)
{
	struct past h;

	play(&h, o);
	entries_in_order(h.g.path, &h, o);
	each_is_reached(h.g.path, &h, o);
	copy_is_the_same(&h, o, false);
	copy_is_the_same(&h, o, true);
	done(&h);
}

CASE(any_history_of_a_clock)
{
	for (unsigned i = 0; i < effort(12); i++)
		try_history(&(struct odd){.seed = 500 + i, .least = 600000, .pauses = i % 2});
}

/* Files of older versions had the wall clock's times, which went back. */
CASE(any_history_in_an_old_file)
{
	for (unsigned i = 0; i < effort(12); i++)
		try_history(&(struct odd){
			.seed = 900 + i, .old = true, .least = 20 * CLOCK_SEC, .pauses = i % 2});
}

/* -1 h, +1 h and back, as it was reported. */
CASE(an_hour_back_and_forth)
{
	struct past h = {0};
	struct dice d = {7};
	struct clock_moment m;
	struct err err = {0};
	struct replay *p;
	const struct odd o = {.seed = 7};

	rig_open(&h.g, NULL);
	h.m = model_new(&h.g.plan);
	h.d = diag_new();
	h.rec = recorder_new(h.g.w, NULL);
	for (int i = 0; i < 90; i++) {
		int64_t now = RIG_T0 + i * MIN, wall = now;

		wall -= i >= 20 && i < 50 ? HOUR : 0;
		wall += i >= 70 ? HOUR : 0;
		if (clock_track_note(&h.track, now, wall))
			recorder_stepped(h.rec, &h.track);
		one_poll(&h, &o, &d, now, wall);
	}
	recorder_free(h.rec);
	rig_close_writer(&h.g);
	p = replay_of(h.g.path);
	assert_int_equal(replay_clock(p)->steps.n, 3);
	/* Ten minutes after the start, by its clock: it was there once, and is there. */
	assert_true(clock_track_find(replay_clock(p), "+0", RIG_T0 + 10 * MIN, replay_from(p),
			    replay_to(p), &m) == CLOCK_FOUND);
	assert_true(replay_go_to(p, RIG_T0 + 10 * MIN + CLOCK_SEC, &err));
	assert_true(replay_model(p)->batches == h.told.at[10].batches);
	for (size_t i = 0; i < h.told.n; i++)
		if (!reach(p, &h.told.at[i]))
			fail_msg("minute %zu is not reached", i);
	replay_free(p);
	done(&h);
}

/* A session continues a recording only where its own time goes on from it. */
CASE(a_recording_is_continued_or_refused)
{
	struct past h;
	struct err err = {0};
	struct rts *r;

	play(&h, &(struct odd){.seed = 3, .least = CLOCK_SEC});
	assert_true(h.track.steps.n > 0);
	h.g.w = rts_writer_open(&h.g.opts, &err);
	assert_null(h.g.w);
	assert_true(err.code == ERR_REFUSED);
	assert_non_null(strstr(err.text, "step of the clock"));
	assert_true(err.cure[0] != '\0');
	h.g.opts.clock = &h.track;
	h.g.w = rts_writer_open(&h.g.opts, &err);
	assert_non_null(h.g.w);
	rig_close_writer(&h.g);
	r = rts_open(h.g.path, &err);
	assert_true(clock_track_equal(rts_clock(r), &h.track));
	rts_close(r);
	done(&h);
}

CASES_MAIN(NULL, NULL)
