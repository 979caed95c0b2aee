/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a keyframe into a model and a diagnosis. */
#include <string.h>

#include "archive/replay/replay_private.h"
#include "diagnosis/engine/diag_state.h"
#include "fabric/state/state.h"

/* Limit of one step, as in recorder.c. */
#define STEP_MOST ((size_t)256 << 20)

/* Devices may be added between the parts of the histories, so each has its own number of steps. */
static void find_history_steps(struct loading *l, struct rts *r)
{
	struct rts_keyframe k = l->k;

	l->history_steps.n = 0;
	for (unsigned i = 0; i < l->k.parts; i++)
		vec_push(&l->history_steps, l->k.steps[SECTION_HISTORY]);
	for (unsigned i = l->k.parts; i-- > 1;) {
		uint64_t before = k.id;

		if (!rts_keyframe_at(r, k.t_us - 1, &k) || k.id + 1 != before)
			return;
		l->history_steps.at[i - 1] = k.steps[SECTION_HISTORY];
	}
}

void loading_begin(struct loading *l, struct rts *r, const struct rts_keyframe *k)
{
	l->k = *k;
	l->section = SECTION_MODEL;
	l->part = 0;
	l->step = 0;
	find_history_steps(l, r);
}

void loading_free(struct loading *l)
{
	vec_free(&l->history_steps);
}

static bool load_into(struct loading *l, struct state *s, struct world *w, bool all)
{
	size_t diag_steps = l->k.steps[SECTION_DIAG] - 1;

	switch (l->section) {
	case SECTION_MODEL:
		return model_state_step(s, w->m, l->step) && state_ended(s) &&
		       model_state_steps(w->m) == l->k.steps[SECTION_MODEL];
	case SECTION_HISTORY:
		return model_history_step(s, w->m, l->step, all) && state_ended(s);
	default:
		if (l->step < diag_steps)
			return diag_state_step(s, w->d, w->m, l->step) && state_ended(s) &&
			       diag_state_steps(w->d) == diag_steps;
		runbook_log_state(s, &w->trail);
		return state_ended(s);
	}
}

static bool load_step(struct loading *l, struct rts *r, struct world *w)
{
	struct buf bytes;
	struct state s;
	struct err err;
	bool all = false, good;

	buf_init(&bytes, STEP_MOST);
	good = rts_keyframe_load(r, &l->k, l->section, l->part, l->step, &bytes, &all, &err);
	/* A free device slot has no histories; a later device may have taken it. */
	if (good && (l->section != SECTION_HISTORY || bytes.len)) {
		state_loads(&s, bytes.data, bytes.len);
		good = load_into(l, &s, w, all);
	}
	buf_free(&bytes);
	return good;
}

/* Moves to the next step. False: that was the last step of the last section. */
static bool next_step(struct loading *l)
{
	size_t steps = l->section == SECTION_HISTORY ? l->history_steps.at[l->part]
						     : l->k.steps[l->section];

	if (++l->step < steps)
		return true;
	l->step = 0;
	if (l->section == SECTION_HISTORY && ++l->part < l->k.parts)
		return true;
	l->part = 0;
	l->section++;
	/* Partial histories are useless without the whole ones before them. */
	if (l->section == SECTION_HISTORY && !l->k.parts)
		l->section++;
	return l->section < SECTION_COUNT;
}

bool loading_step(struct loading *l, struct rts *r, struct world *w, bool *done)
{
	enum rts_section was = l->section;
	struct err err;
	bool more;

	*done = false;
	if (!l->k.steps[SECTION_MODEL] || !l->k.steps[SECTION_DIAG] || !load_step(l, r, w))
		return false;
	more = next_step(l);
	if (was == SECTION_MODEL && l->section != SECTION_MODEL && !model_state_loaded(w->m))
		return false;
	if (more)
		return true;
	w->judged = *done = true;
	w->judged_us = l->k.t_us;
	return reader_after(&w->rd, &l->k, &err);
}
