/* SPDX-License-Identifier: Apache-2.0 */
/* Passes the batches, judgements and state of a live session to one or two files. */
#include <string.h>
#include <time.h>

#include "archive/replay/replay_private.h"
#include "base/clock.h"
#include "base/mem.h"
#include "diagnosis/engine/diag_state.h"
#include "fabric/state/state.h"

/* Limit of one step: a device with 2048 ports, or its histories. */
#define STEP_MOST ((size_t)256 << 20)

#define WRITERS 2

/* While a keyframe waits for the disk the session applies no batches. It is given up and
 * retried. */
#define STALL_US (2 * CLOCK_SEC)
#define LATER_US (30 * CLOCK_SEC)

struct recorder {
	struct rts_writer *w[WRITERS];
	bool late; /* the second writer came later: it gets nothing before its first keyframe */
	runbook_log trail;
	int64_t judged_us; /* time of the last judgement, 0: none */
	bool clean;        /* nothing came since: the model is as judged */
	/* lost: histories were saved into a dropped keyframe, so the next must be a whole one. */
	bool lost, forced;
	/* The keyframe under way. */
	bool busy, all;
	enum rts_section section;
	size_t step, part; /* part: position within a step made in several parts, 0: the step is
			    * complete */
	struct buf bytes;  /* of a step that not every writer has taken */
	bool waits, has[WRITERS]; /* such a step is there; has: this writer took it */
	const struct clock *clock;
	/* Monotonic: start of a stall, 0: none; the earliest time of the next keyframe. */
	int64_t stalled_us, not_before_us;
};

struct recorder *recorder_new(struct rts_writer *w, struct rts_writer *second)
{
	struct recorder *r = mem_calloc(1, sizeof(*r));

	r->w[0] = w;
	r->w[1] = second;
	r->clock = &clock_system;
	r->not_before_us = INT64_MIN;
	buf_init(&r->bytes, STEP_MOST);
	return r;
}

void recorder_clock(struct recorder *r, const struct clock *clock)
{
	r->clock = clock;
}

void recorder_second(struct recorder *r, struct rts_writer *second)
{
	r->w[1] = second;
	r->late = second != NULL;
}

void recorder_free(struct recorder *r)
{
	if (!r)
		return;
	recorder_drop(r);
	vec_free(&r->trail);
	buf_free(&r->bytes);
	free(r);
}

/* ---- entries ---- */

/* Adds the entry to both writers; each owns its share of the batch. */
static void add_entry(struct recorder *r, struct entry *e)
{
	struct rts_writer *second = r->late ? NULL : r->w[1], *last = second ? second : r->w[0];

	if (r->w[0] && second) {
		struct entry copy = *e;

		if (copy.obs)
			copy.obs = obs_share(copy.obs);
		rts_writer_add(r->w[0], &copy);
	}
	if (last)
		rts_writer_add(last, e);
	else
		entry_free(e);
}

void recorder_obs(struct recorder *r, struct obs *o, int64_t at_us)
{
	struct entry e = {.kind = ENTRY_OBS, .t_us = at_us, .obs = o};

	r->clean = false;
	add_entry(r, &e);
}

void recorder_judged(struct recorder *r, int64_t at_us)
{
	struct entry e = {.kind = ENTRY_JUDGE, .t_us = at_us};

	r->judged_us = at_us;
	r->clean = true;
	add_entry(r, &e);
}

void recorder_stepped(struct recorder *r, const struct clock_track *t)
{
	for (unsigned i = 0; i < WRITERS; i++)
		if (r->w[i])
			rts_writer_clock(r->w[i], t);
}

void recorder_entry(struct recorder *r, struct entry *e)
{
	r->clean = false;
	if (e->kind == ENTRY_TRAIL)
		runbook_log_append(&r->trail, &e->trail);
	add_entry(r, e);
}

/* ---- keyframes ---- */

static int64_t cpu_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* True when a writer wants a keyframe. *all: it must be a whole one. */
static bool keyframe_wanted(struct recorder *r, bool *all)
{
	bool any = r->forced;

	*all = r->lost;
	if (clock_mono(r->clock) < r->not_before_us)
		return false;
	for (unsigned i = 0; i < WRITERS; i++) {
		bool whole = false;

		if (!r->w[i])
			continue;
		any |= rts_writer_wants_keyframe(r->w[i], &whole);
		*all |= whole;
	}
	return any;
}

bool recorder_due(struct recorder *r)
{
	bool all;

	/* A keyframe is the state after a judgement. Between judgements there is no such state. */
	return r->busy || (r->clean && keyframe_wanted(r, &all));
}

void recorder_force(struct recorder *r)
{
	r->forced = true;
}

static void begin_keyframe(struct recorder *r, bool all)
{
	r->busy = true;
	r->forced = false;
	r->all = all;
	r->section = SECTION_MODEL;
	r->step = r->part = 0;
	r->waits = false;
	r->stalled_us = 0;
	for (unsigned i = 0; i < WRITERS; i++)
		if (r->w[i])
			rts_keyframe_begin(r->w[i], r->judged_us, all);
}

void recorder_drop(struct recorder *r)
{
	for (unsigned i = 0; r->busy && i < WRITERS; i++)
		if (r->w[i])
			rts_keyframe_drop(r->w[i]);
	r->lost |= r->busy;
	r->busy = r->waits = false;
}

static void end_keyframe(struct recorder *r)
{
	for (unsigned i = 0; i < WRITERS; i++)
		if (r->w[i])
			rts_keyframe_end(r->w[i]);
	r->lost = r->late = false;
	r->busy = false;
}

static size_t steps_of(const struct recorder *r, const struct model *m, const struct diag *d)
{
	/* One more step: the trail. */
	return r->section == SECTION_DIAG ? diag_state_steps(d) + 1 : model_state_steps(m);
}

static bool make_step(struct recorder *r, struct model *m, struct diag *d)
{
	struct state s;

	if (!r->part)
		buf_reset(&r->bytes);
	state_saves(&s, &r->bytes);
	if (r->section == SECTION_MODEL)
		return model_state_save_some(&s, m, r->step, &r->part);
	if (r->section == SECTION_HISTORY)
		return model_history_step(&s, m, r->step, r->all);
	if (r->step < diag_state_steps(d))
		return diag_state_step(&s, d, m, r->step);
	runbook_log_state(&s, &r->trail);
	return !s.bad;
}

/* False: a writer's queue is full. */
static bool queue_step(struct recorder *r)
{
	bool all = true;

	for (unsigned i = 0; i < WRITERS; i++) {
		if (!r->waits)
			r->has[i] = !r->w[i];
		if (!r->has[i])
			r->has[i] =
				rts_keyframe_step(r->w[i], r->section, r->bytes.data, r->bytes.len);
		all &= r->has[i];
	}
	r->waits = !all;
	r->stalled_us = all ? 0 : r->stalled_us;
	return all;
}

/* True: the stall lasted too long and the keyframe was given up. */
static bool give_up_stalled(struct recorder *r)
{
	int64_t now_us = clock_mono(r->clock);

	if (!r->stalled_us)
		r->stalled_us = now_us;
	if (now_us - r->stalled_us < STALL_US)
		return false;
	r->not_before_us = now_us + LATER_US;
	recorder_drop(r);
	return true;
}

static void next_step(struct recorder *r, const struct model *m, const struct diag *d)
{
	if (++r->step < steps_of(r, m, d))
		return;
	r->step = 0;
	if (++r->section == SECTION_COUNT)
		end_keyframe(r);
}

bool recorder_work(
	struct recorder *r, struct model *m, struct diag *d, int64_t now_us, int64_t budget_us)
{
	int64_t start_us = cpu_us();
	bool all;

	(void)now_us;
	if (!r->busy) {
		if (!r->clean || !keyframe_wanted(r, &all))
			return true;
		begin_keyframe(r, all);
	}
	while (r->busy) {
		if (!r->waits && !make_step(r, m, d)) {
			recorder_drop(r);
			return true;
		}
		if (!r->part) {
			if (!queue_step(r))
				return give_up_stalled(r);
			next_step(r, m, d);
		}
		if (r->busy && cpu_us() - start_us >= budget_us)
			return false;
	}
	return true;
}
