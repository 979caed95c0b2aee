/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/replay/replay.h"

#include <string.h>
#include <time.h>

#include "archive/replay/replay_private.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

/* Loading a keyframe that is no further ahead than this takes longer than applying the entries up
 * to it. */
#define NEAR_US (10 * CLOCK_SEC)

enum phase {
	PHASE_THERE, /* arrived or failed */
	PHASE_BEGIN, /* choose between a keyframe and the entries */
	PHASE_LOAD,  /* loads a keyframe into next */
	PHASE_PLAY,  /* applies entries to next or shown */
	PHASE_SCAN   /* looks for the time of an earlier judgement */
};

struct replay {
	struct rts *r;
	struct plan plan;
	struct world *shown, *next; /* next: under construction, or NULL */
	enum phase phase;
	int64_t want_us;
	int steps;      /* steps forward (> 0) or back (< 0) instead of want_us; 0: none */
	int64_t step_s; /* the second reached by the last step forward */
	struct loading loading;
	int64_t load_before_us; /* keyframes from this time on failed to load */

	/* PHASE_SCAN: judgements before before_us. */
	struct reader scan;
	VEC(int64_t) times;
	int64_t before_us;
	bool has_key; /* the first of times is that of a keyframe */

	int64_t from_us;
	bool failed;
	struct err err;
};

static int64_t cpu_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* ---- the beginning of a file ---- */

/*
 * True when the file continues an earlier file or has forgotten its beginning. Its first keyframe
 * is then the first moment it can show: the state before the first entries is unknown.
 */
static bool begins_with_keyframe(struct replay *p, struct rts_keyframe *k)
{
	struct entry e = {0};
	bool gap = false, any;
	struct err err;
	int64_t first_us;

	if (!rts_keyframe_first(p->r, k))
		return false;
	reader_first(&p->scan);
	any = rts_next(p->scan.c, &e, &gap, &err);
	first_us = e.t_us;
	if (any)
		entry_free(&e);
	return !any || gap || k->t_us <= first_us;
}

struct replay *replay_new(struct rts *r, struct err *err)
{
	struct replay *p = mem_calloc(1, sizeof(*p));
	struct rts_keyframe k;

	p->r = r;
	plan_init(&p->plan);
	reader_init(&p->scan, r);
	if (!rts_plan(r, &p->plan, err)) {
		replay_free(p);
		return NULL;
	}
	p->from_us = rts_info(r)->from_us;
	if (begins_with_keyframe(p, &k))
		p->from_us = k.t_us;
	return p;
}

void replay_free(struct replay *p)
{
	if (!p)
		return;
	world_free(p->next);
	world_free(p->shown);
	reader_free(&p->scan);
	loading_free(&p->loading);
	vec_free(&p->times);
	plan_free(&p->plan);
	rts_close(p->r);
	free(p);
}

struct rts *replay_file(struct replay *p)
{
	return p->r;
}

const struct plan *replay_plan(const struct replay *p)
{
	return &p->plan;
}

/* ---- targets ---- */

/* All judgements of a second are one step: a live session judges after every few devices. */
static int64_t second_of(int64_t us)
{
	return us / CLOCK_SEC;
}

static void set_target(struct replay *p, int64_t t_us, int steps)
{
	world_free(p->next);
	p->next = NULL;
	p->want_us = t_us;
	p->steps = steps;
	p->load_before_us = INT64_MAX;
	p->failed = false;
	p->phase = PHASE_BEGIN;
}

void replay_seek(struct replay *p, int64_t t_us)
{
	set_target(p, t_us, 0);
}

void replay_step(struct replay *p, int steps)
{
	set_target(p, p->shown ? p->shown->judged_us : p->from_us, p->shown ? steps : 0);
	p->step_s = second_of(p->want_us);
}

static bool fail_seek(struct replay *p)
{
	p->failed = true;
	p->phase = PHASE_THERE;
	world_free(p->next);
	p->next = NULL;
	return true;
}

/* ---- the way to the target ---- */

static struct world *current_world(struct replay *p)
{
	return p->next ? p->next : p->shown;
}

static void start_loading(struct replay *p, const struct rts_keyframe *k)
{
	world_free(p->next);
	p->next = world_new(p->r, &p->plan);
	loading_begin(&p->loading, p->r, k);
	p->phase = PHASE_LOAD;
}

static void play_from_first(struct replay *p)
{
	world_free(p->next);
	p->next = world_new(p->r, &p->plan);
	reader_first(&p->next->rd);
	p->phase = PHASE_PLAY;
}

/* True when the shown state can advance to the target: nothing later was applied to it. */
static bool can_go_on(const struct replay *p)
{
	const struct world *w = p->shown;

	if (!w || !w->judged)
		return false;
	if (p->steps > 0)
		return true;
	return p->want_us >= w->judged_us && p->want_us >= w->settled_us &&
	       (!w->dirty || w->rd.judge_us <= p->want_us);
}

static void begin_from_keyframe(struct replay *p)
{
	int64_t before = p->load_before_us == INT64_MAX ? INT64_MAX : p->load_before_us - 1;
	struct rts_keyframe k;

	if (rts_keyframe_at(p->r, p->want_us < before ? p->want_us : before, &k))
		start_loading(p, &k);
	else if (p->load_before_us == INT64_MAX && begins_with_keyframe(p, &k))
		start_loading(p, &k);
	else
		play_from_first(p);
}

static void begin_scan(struct replay *p, int64_t before_us);

static void begin_seek(struct replay *p)
{
	struct rts_keyframe k;
	bool on = can_go_on(p);

	/* The file may have grown. After a failed refresh it can still go back in the known
	 * part. */
	(void)rts_refresh(p->r, &p->err);
	if (p->shown)
		p->shown->rd.ended = false;
	if (p->shown && p->steps < 0) {
		begin_scan(p, second_of(p->shown->judged_us) * CLOCK_SEC);
		return;
	}
	if (on && p->shown && !p->steps && rts_keyframe_at(p->r, p->want_us, &k))
		on = k.t_us <= p->shown->judged_us ||
		     (!p->shown->gap && k.t_us - p->shown->judged_us <= NEAR_US);
	if (on)
		p->phase = PHASE_PLAY;
	else
		begin_from_keyframe(p);
}

static void load_some(struct replay *p)
{
	bool done;

	if (loading_step(&p->loading, p->r, p->next, &done)) {
		if (done)
			p->phase = PHASE_PLAY;
		return;
	}
	/* Altered, or of another version: use the keyframe before it, or the beginning. */
	p->load_before_us = p->loading.k.t_us;
	begin_from_keyframe(p);
}

static bool err_unjudged(struct err *err)
{
	err_set(err, ERR_USAGE, "recording", "it has no judgement yet");
	return err_cure(err, "it ended before the first answers were judged: record for longer");
}

static void finish_seek(struct replay *p)
{
	struct world *w = current_world(p);

	if (!w->judged) {
		(void)err_unjudged(&p->err);
		(void)fail_seek(p);
		return;
	}
	world_settle(w, p->want_us > w->judged_us ? p->want_us : w->judged_us);
	if (rts_clock(p->r)->steps.n || rts_clock(p->r)->base_us)
		model_set_clock(w->m, rts_clock(p->r));
	if (p->next) {
		world_free(p->shown);
		p->shown = p->next;
		p->next = NULL;
	}
	p->steps = 0;
	p->phase = PHASE_THERE;
}

static void play_some(struct replay *p, int64_t budget_us)
{
	struct world *w = current_world(p);
	struct reader *rd = &w->rd;
	struct err err = {0};

	if (!rd->closed && !rd->ended) {
		(void)reader_read(rd, &err);
		if (err.code != ERR_NONE) {
			p->err = err;
			(void)fail_seek(p);
		}
		return;
	}
	if (!rd->closed || (w->judged && !w->dirty && p->steps <= 0 && rd->judge_us > p->want_us)) {
		finish_seek(p);
		return;
	}
	if (!world_go_on(w, budget_us) || p->steps <= 0 || second_of(w->judged_us) == p->step_s)
		return;
	p->step_s = second_of(w->judged_us);
	if (--p->steps == 0) {
		p->want_us = w->judged_us;
		finish_seek(p);
	}
}

/* ---- steps back ---- */

static void begin_scan(struct replay *p, int64_t before_us)
{
	struct rts_keyframe k;
	struct err err;

	p->before_us = before_us;
	p->times.n = 0;
	p->phase = PHASE_SCAN;
	p->has_key = before_us > INT64_MIN && rts_keyframe_at(p->r, before_us - 1, &k);
	if (p->has_key && reader_after(&p->scan, &k, &err)) {
		vec_push(&p->times, k.t_us);
		return;
	}
	p->has_key = false;
	/* Entries before the first keyframe of such a file cannot be shown. */
	if (begins_with_keyframe(p, &k)) {
		p->scan.ended = true;
		return;
	}
	reader_first(&p->scan);
}

static void end_scan(struct replay *p)
{
	size_t back = (size_t) - (int64_t)p->steps;
	int64_t first = p->times.n ? p->times.at[0] : p->before_us;

	if (back > p->times.n && p->has_key) {
		p->steps += (int)p->times.n;
		begin_scan(p, second_of(first) * CLOCK_SEC);
		return;
	}
	p->want_us = back <= p->times.n ? p->times.at[p->times.n - back] : first;
	p->steps = 0;
	p->phase = PHASE_BEGIN;
}

static void scan_some(struct replay *p)
{
	struct reader *rd = &p->scan;
	struct err err = {0};

	if (!rd->closed && !rd->ended) {
		(void)reader_read(rd, &err);
		if (err.code == ERR_NONE)
			return;
		rd->ended = true;
	}
	if (!rd->closed || rd->judge_us >= p->before_us) {
		end_scan(p);
		return;
	}
	if (p->times.n && second_of(p->times.at[p->times.n - 1]) == second_of(rd->judge_us))
		p->times.at[p->times.n - 1] = rd->judge_us;
	else
		vec_push(&p->times, rd->judge_us);
	reader_next(rd);
}

bool replay_work(struct replay *p, int64_t budget_us)
{
	int64_t start_us = cpu_us(), left_us = budget_us;

	do {
		switch (p->phase) {
		case PHASE_BEGIN:
			begin_seek(p);
			break;
		case PHASE_LOAD:
			load_some(p);
			break;
		case PHASE_PLAY:
			play_some(p, left_us);
			break;
		case PHASE_SCAN:
			scan_some(p);
			break;
		default:
			return true;
		}
		left_us = budget_us - (cpu_us() - start_us);
	} while (left_us > 0);
	return p->phase == PHASE_THERE;
}

/* ---- the shown state ---- */

bool replay_arrived(const struct replay *p)
{
	return p->phase == PHASE_THERE && !p->failed && p->shown;
}

bool replay_error(const struct replay *p, struct err *err)
{
	if (p->failed && err)
		*err = p->err;
	return p->failed;
}

bool replay_go_to(struct replay *p, int64_t t_us, struct err *err)
{
	replay_seek(p, t_us);
	while (!replay_work(p, INT64_MAX / 2))
		continue;
	if (replay_error(p, err))
		return false;
	return replay_model(p) || err_unjudged(err);
}

struct model *replay_model(struct replay *p)
{
	return p->shown ? p->shown->m : NULL;
}

struct diag *replay_diag(struct replay *p)
{
	return p->shown ? p->shown->d : NULL;
}

int64_t replay_now(const struct replay *p)
{
	return p->shown ? p->shown->judged_us : p->from_us;
}

const struct clock_track *replay_clock(const struct replay *p)
{
	return rts_clock(p->r);
}

int64_t replay_from(const struct replay *p)
{
	return p->from_us;
}

int64_t replay_to(const struct replay *p)
{
	return rts_info(p->r)->to_us;
}

bool replay_gap(const struct replay *p, char *why, size_t size)
{
	if (!p->shown || !p->shown->gap)
		return false;
	(void)str_copy(why, size, p->shown->why);
	return true;
}

const runbook_log *replay_trail(const struct replay *p)
{
	static const runbook_log none;

	return p->shown ? &p->shown->trail : &none;
}
