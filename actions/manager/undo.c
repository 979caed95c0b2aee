/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "actions/manager/manager_private.h"
#include "base/str.h"

/* Undo: a plan of its own, made of the undo orders of the previous plan. */

static bool undo_step(
	struct action_manager *a, const struct step *s, struct act_plan *out, struct err *err)
{
	struct step *step;

	if (!s->has_undo || order_goal(&s->undo, &a->seen, NULL, 0) == GOAL_MET)
		return true;
	step = vec_add(&out->steps);
	step->order = s->undo;
	step->unproven = s->unproven;
	step->sites_own = s->sites_own;
	return a->ops->changes->command(&a->target, &s->undo, &a->seen, &step->requests, err);
}

static void undo_words(const struct act_plan *p, struct act_plan *out)
{
	for (size_t i = 0; i < p->words.n; i++) {
		const struct words *w = &p->words.at[i];
		struct words *back;

		if (!w->undo[0])
			continue;
		back = vec_add(&out->words);
		*back = *w;
		(void)str_copy(back->run, sizeof(back->run), w->undo);
		back->undo[0] = '\0';
	}
}

static bool undo_plan(
	struct action_manager *a, int64_t now_us, struct act_plan *out, struct err *err)
{
	const struct act_plan *p = &a->plan;

	memset(out, 0, sizeof(*out));
	out->made_us = now_us + a->clock_ahead_us;
	if (!act_plan_name(out->made_us, out->id, sizeof(out->id), err))
		return false;
	out->action = p->action;
	(void)str_copy(out->device, sizeof(out->device), p->device);
	(void)str_copy(out->port, sizeof(out->port), p->port);
	out->priority = p->priority;
	(void)str_copy(out->place, sizeof(out->place), p->place);
	(void)str_copy(out->typed, sizeof(out->typed), p->typed);
	(void)str_copy(out->dialect, sizeof(out->dialect), p->dialect);
	(void)str_copy(out->transport, sizeof(out->transport), p->transport);
	out->before = a->seen;
	out->blast = p->blast;
	(void)str_printf(out->expect, sizeof(out->expect), "%s as before %s", p->place, p->id);
	for (size_t i = p->steps.n; i-- > 0;)
		if (!undo_step(a, &p->steps.at[i], out, err))
			return false;
	undo_words(p, out);
	if (out->steps.n + out->words.n == 0)
		return err_set(err, ERR_REFUSED, p->place, "there is nothing to take back");
	act_plan_seal(out);
	return true;
}

/* Returns to the stage before the undo. */
static void undo_back(struct action_manager *a)
{
	a->stage = a->back;
	a->undoes[0] = '\0';
	executor_leave(a->actor);
}

void manager_undo_failed(struct action_manager *a, int64_t now_us, const struct err *why)
{
	struct refusal r = {.guard = "plan"};

	(void)str_copy(r.why, sizeof(r.why), why->text);
	(void)str_copy(r.cure, sizeof(r.cure), why->cure);
	a->refusals.n = 0;
	vec_push(&a->refusals, r);
	manager_note(a, now_us, TONE_WARN, "not taken back: %s", why->text);
	undo_back(a);
}

void manager_undo_saw(struct action_manager *a, const struct model *m, int64_t now_us)
{
	struct err err = {0};

	if (a->has_undo)
		act_plan_free(&a->undo);
	a->has_undo = true;
	if (!undo_plan(a, now_us, &a->undo, &err)) {
		manager_undo_failed(a, now_us, &err);
		return;
	}
	if (!manager_run(a, &a->undo, &a->consent, m, now_us, &err)) {
		manager_note(a, now_us, TONE_WARN, "not taken back: %s", err.text);
		undo_back(a);
		return;
	}
	if (a->back == ACT_WATCHING)
		manager_watch_end(a, now_us, "taken back", "");
}

bool manager_undo(struct action_manager *a, const struct consent *c, const struct model *m,
	int64_t now_us, struct err *err)
{
	(void)m;
	if (a->stage != ACT_WATCHING && a->stage != ACT_BROKE && a->stage != ACT_DONE)
		return err_set(err, ERR_USAGE, "actions", "there is nothing to take back: it is %s",
			act_stage_name(a->stage));
	if (a->undoes[0])
		return err_set(err, ERR_USAGE, a->plan.place, "it was taken back already");
	(void)str_copy(a->undoes, sizeof(a->undoes), a->plan.id);
	a->back = a->stage;
	a->consent = *c;
	a->stage = ACT_LOOKING;
	manager_note(
		a, now_us, TONE_HEAD, "taking back %s: reading %s", a->plan.id, a->device->name);
	manager_ask_device(a, now_us);
	return true;
}
