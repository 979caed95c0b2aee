/* SPDX-License-Identifier: Apache-2.0 */
#include "app/session/time_travel.h"

#include <stdlib.h>
#include <string.h>

#include "archive/replay/replay.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#define PIECE_US 4000
#define PLAY_MS  200
/* Faster, a day would pass before anything is visible. */
#define SPEED_MAX 1000000

struct time_travel {
	struct time_travel_opts opts;
	char *path;
	struct replay *replay; /* NULL: not open yet */
	bool active, working, playing, opening, closing;
	int64_t seek_us; /* target once it is open, 0: none */
	int64_t goal_us; /* target under way, 0: none */
	int steps;       /* steps to go once it has arrived */
	int64_t speed, play_us,
		play_mono;  /* factor in 1/1000; moment and monotonic time at the start of play */
	int64_t play_at_us; /* the moment reached by play; 0: none yet */
	uv_idle_t work;
	uv_timer_t play;
	uv_async_t flushed;
	unsigned open_handles;
};

static void notify_changed(struct time_travel *s)
{
	s->opts.changed(s->opts.ctx);
}

static void report_error(struct time_travel *s, const struct err *e)
{
	s->opts.failed(s->opts.ctx, e);
}

static void stop_play(struct time_travel *s)
{
	s->playing = false;
	s->speed = 0;
	uv_timer_stop(&s->play);
}

/* ---- seeking ---- */

static void on_work(uv_idle_t *idle);

static void start_work(struct time_travel *s)
{
	if (!s->working)
		uv_idle_start(&s->work, on_work);
	s->working = true;
}

static void finish_seek(struct time_travel *s)
{
	struct err e = {0};

	s->working = false;
	s->goal_us = 0;
	uv_idle_stop(&s->work);
	if (replay_error(s->replay, &e)) {
		stop_play(s);
		report_error(s, &e);
	}
	notify_changed(s);
}

static void on_work(uv_idle_t *idle)
{
	struct time_travel *s = idle->data;
	const struct model *was = replay_model(s->replay);
	bool done = replay_work(s->replay, PIECE_US);

	if (done && !s->steps) {
		finish_seek(s);
		return;
	}
	if (done) {
		replay_step(s->replay, s->steps);
		s->steps = 0;
	}
	/* The drawn model is gone: the screen must not use it again. */
	if (replay_model(s->replay) != was)
		notify_changed(s);
}

static bool open_file(struct time_travel *s, struct err *err)
{
	struct rts *r = rts_open(s->path, err);

	s->replay = r ? replay_new(r, err) : NULL;
	return s->replay != NULL;
}

static void begin_seek(struct time_travel *s)
{
	replay_seek(s->replay, s->seek_us);
	s->seek_us = 0;
	start_work(s);
}

static void on_flushed(uv_async_t *a)
{
	struct time_travel *s = a->data;
	struct err e = {0};

	s->opening = false;
	if (s->closing || !s->active)
		return;
	if (!s->replay && !open_file(s, &e)) {
		s->active = false;
		report_error(s, &e);
		notify_changed(s);
		return;
	}
	if (!rts_refresh(replay_file(s->replay), &e))
		report_error(s, &e);
	if (replay_model(s->replay))
		model_set_clock(replay_model(s->replay), replay_clock(s->replay));
	begin_seek(s);
}

/* Called in the writer's thread. After a write error the file has a gap but can be read. */
static void flush_done(void *ctx, const struct err *e)
{
	struct time_travel *s = ctx;

	(void)e;
	(void)uv_async_send(&s->flushed);
}

static void seek_moment(struct time_travel *s, int64_t t_us)
{
	s->steps = 0;
	s->active = true;
	s->seek_us = s->goal_us = t_us > 1 ? t_us : 1;
	if (s->opts.recording && !s->opening) {
		/* The newest seconds may still be in the writer's queue. */
		s->opening = true;
		recording_flush(s->opts.recording, flush_done, s);
	} else if (!s->opening) {
		begin_seek(s);
	}
	notify_changed(s);
}

/* ---- play ---- */

static void go_live(struct time_travel *s)
{
	stop_play(s);
	s->active = s->working = false;
	s->steps = 0;
	s->goal_us = 0;
	uv_idle_stop(&s->work);
	/* Frees the second model while it is not shown. */
	replay_free(s->replay);
	s->replay = NULL;
	notify_changed(s);
}

static bool at_end(const struct time_travel *s)
{
	return replay_now(s->replay) >= replay_to(s->replay);
}

static void on_play(uv_timer_t *t)
{
	struct time_travel *s = t->data;
	int64_t ran = clock_mono(&clock_system) - s->play_mono;

	if (s->working || s->opening || !s->replay)
		return;
	(void)rts_refresh(replay_file(s->replay), NULL);
	/* Entries after the last judgement are never shown: only the play time passes them. */
	if (at_end(s) || s->play_at_us > replay_to(s->replay)) {
		if (s->opts.recording) {
			go_live(s);
			return;
		}
		stop_play(s);
		notify_changed(s);
		return;
	}
	s->play_at_us = s->play_us + (int64_t)((double)ran * (double)s->speed / 1000);
	replay_seek(s->replay, s->play_at_us);
	start_work(s);
}

static bool start_play(struct time_travel *s, int64_t speed, struct err *err)
{
	if (speed <= 0) {
		stop_play(s);
		notify_changed(s);
		return true;
	}
	if (speed > SPEED_MAX)
		return err_set(err, ERR_USAGE, "play", "at most %d times", SPEED_MAX / 1000);
	if (!s->active || !s->replay) {
		err_set(err, ERR_USAGE, "play", "this is now: no data is left to play");
		return err_cure(err, "go back first: [ or at -5m");
	}
	s->playing = true;
	s->speed = speed;
	s->play_us = replay_now(s->replay);
	s->play_at_us = 0;
	s->play_mono = clock_mono(&clock_system);
	uv_timer_start(&s->play, on_play, 0, PLAY_MS);
	notify_changed(s);
	return true;
}

/* ---- commands ---- */

static bool step_by(struct time_travel *s, int64_t n, int64_t now_us)
{
	stop_play(s);
	if (!s->active && n > 0)
		return true;
	if (!s->active) {
		seek_moment(s, now_us);
		s->steps = (int)n;
		return true;
	}
	if (n > 0 && s->opts.recording && !s->working && !s->opening && at_end(s)) {
		go_live(s);
		return true;
	}
	s->steps += (int)n;
	if (!s->opening)
		start_work(s);
	notify_changed(s);
	return true;
}

/* Keys in quick succession each count from the target of the key before. */
static int64_t seek_origin(const struct time_travel *s, int64_t now_us)
{
	int64_t at;

	if (!s->active)
		return now_us;
	at = s->goal_us ? s->goal_us : s->replay ? replay_now(s->replay) : now_us;
	if (s->replay && at < replay_from(s->replay))
		return replay_from(s->replay);
	return s->replay && at > replay_to(s->replay) ? replay_to(s->replay) : at;
}

bool time_travel_do(
	struct time_travel *s, enum scrub how, int64_t arg, int64_t now_us, struct err *err)
{
	if (s->opts.recording && !recording_live_path(s->opts.recording)) {
		err_set(err, ERR_REFUSED, "time", "the last hour is not kept");
		return err_cure(
			err, "start railtop without --history 0, with room in TMPDIR or /var/tmp");
	}
	switch (how) {
	case SCRUB_LIVE:
		if (s->opts.recording)
			go_live(s);
		else
			seek_moment(s, INT64_MAX);
		return true;
	case SCRUB_STEP:
		return step_by(s, arg < -10000 ? -10000 : arg > 10000 ? 10000 : arg, now_us);
	case SCRUB_AT:
	case SCRUB_BY:
		stop_play(s);
		if (how == SCRUB_BY)
			arg += seek_origin(s, now_us);
		if (s->opts.recording && arg >= now_us)
			go_live(s);
		else
			seek_moment(s, arg);
		return true;
	case SCRUB_PLAY:
		return start_play(s, arg, err);
	}
	return false;
}

/* ---- the shown moment ---- */

bool time_travel_active(const struct time_travel *s)
{
	return s && s->active;
}

struct model *time_travel_model(struct time_travel *s)
{
	return s->active && s->replay ? replay_model(s->replay) : NULL;
}

struct diag *time_travel_diag(struct time_travel *s)
{
	return s->active && s->replay ? replay_diag(s->replay) : NULL;
}

const runbook_log *time_travel_trail(const struct time_travel *s)
{
	return s->active && s->replay ? replay_trail(s->replay) : NULL;
}

const struct plan *time_travel_plan(const struct time_travel *s)
{
	return s->replay ? replay_plan(s->replay) : NULL;
}

int64_t time_travel_now(const struct time_travel *s)
{
	return s->replay ? replay_now(s->replay) : 0;
}

struct rts *time_travel_file(struct time_travel *s)
{
	return s->replay ? replay_file(s->replay) : NULL;
}

const char *time_travel_path(const struct time_travel *s)
{
	return s->path;
}

void time_travel_moment(struct time_travel *s, int64_t live_us, struct console_moment *out)
{
	*out = (struct console_moment){.replay = s->active, .file = !s->opts.recording};
	out->seeking = s->working || s->opening;
	out->speed = s->speed;
	out->to_us = live_us;
	if (s->opts.recording && s->path)
		out->kept_us = recording_status(s->opts.recording).from_us;
	if (!s->replay)
		return;
	/* Before the first arrival there is no moment to show. */
	out->at_us = replay_model(s->replay) ? replay_now(s->replay) : 0;
	out->from_us = replay_from(s->replay);
	if (replay_to(s->replay) > out->to_us)
		out->to_us = replay_to(s->replay);
	(void)replay_gap(s->replay, out->gap, sizeof(out->gap));
}

/* ---- open and close ---- */

struct time_travel *time_travel_open(const struct time_travel_opts *o, struct err *err)
{
	struct time_travel *s = mem_calloc(1, sizeof(*s));
	const char *path = o->path ? o->path : recording_live_path(o->recording);

	s->opts = *o;
	s->path = path ? mem_strdup(path) : NULL;
	uv_idle_init(o->loop, &s->work);
	uv_timer_init(o->loop, &s->play);
	uv_async_init(o->loop, &s->flushed, on_flushed);
	s->work.data = s->play.data = s->flushed.data = s;
	s->open_handles = 3;
	if (!o->path)
		return s;
	if (!open_file(s, err)) {
		time_travel_close(s);
		return NULL;
	}
	s->active = true;
	s->seek_us = o->at_us;
	begin_seek(s);
	return s;
}

static void on_closed(uv_handle_t *h)
{
	struct time_travel *s = h->data;

	if (--s->open_handles)
		return;
	replay_free(s->replay);
	free(s->path);
	free(s);
}

void time_travel_close(struct time_travel *s)
{
	if (!s)
		return;
	s->closing = true;
	uv_close((uv_handle_t *)&s->work, on_closed);
	uv_close((uv_handle_t *)&s->play, on_closed);
	uv_close((uv_handle_t *)&s->flushed, on_closed);
}
