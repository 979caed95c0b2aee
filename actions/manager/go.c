/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "actions/manager/manager_private.h"
#include "base/json_out.h"
#include "base/str.h"

/* Consent: asks the guards again with all facts, then starts the run. */

/* Whether the plan takes a link or a protection away, even for a moment. */
static bool takes_away(const struct act_plan *p)
{
	for (size_t i = 0; i < p->steps.n; i++) {
		enum verb v = p->steps.at[i].order.verb;

		if (v == VERB_WD_STOP || v == VERB_PORT_DOWN || v == VERB_BGP_DOWN)
			return true;
	}
	return false;
}

/*
 * Drops refusals that must not stop an undo: the limits in time, and for an undo that restores a
 * link or a host the guards of paths and hosts, which the missing one itself would trip.
 */
static void drop_for_undo(refusal_vec *v, const struct act_plan *p)
{
	static const char *const rates[] = {"rate-user", "rate-switch", "cool-down"};
	static const char *const paths[] = {"uplinks", "last-path", "hosts"};
	bool away = takes_away(p);
	size_t kept = 0;

	for (size_t i = 0; i < v->n; i++)
		if (!str_is_one_of(v->at[i].guard, rates, 3) &&
			(away || !str_is_one_of(v->at[i].guard, paths, 3)))
			v->at[kept++] = v->at[i];
	v->n = kept;
}

static bool first_refusal(const struct action_manager *a, const struct act_plan *p, struct err *err)
{
	const struct refusal *r;

	if (!a->refusals.n)
		return true;
	r = &a->refusals.at[0];
	(void)err_set(err, ERR_REFUSED, p->place, "refused by %s: %s", r->guard, r->why);
	return err_cure(err, "%s", r->cure);
}

static bool ask_guards(struct action_manager *a, const struct act_plan *p,
	const struct consent *consent, const struct model *m, int64_t now_us, bool snapshot)
{
	struct place_of_action at;
	struct guard_context x = {.at = &at,
		.action = a->action,
		.plan = p,
		.condition = &a->seen,
		.who = &a->who,
		.ledger = &a->ledger_facts,
		.consent = consent,
		.kill_switch = a->kill_switch,
		.approvals = a->approvals,
		.snapshot_taken = snapshot,
		.dry_run = !consent,
		.now_us = now_us,
		.wall_us = model_wall(m, now_us)};

	manager_place(a, m, now_us, &at);
	a->refusals.n = 0;
	(void)guards_ask(&x, &a->refusals);
	if (a->undoes[0])
		drop_for_undo(&a->refusals, p);
	return a->refusals.n == 0;
}

bool manager_allowed(struct action_manager *a, const struct act_plan *p,
	const struct consent *consent, const struct model *m, int64_t now_us, char *path,
	size_t size, char sha256[65], struct err *err)
{
	bool wanted = consent && (a->action->needs & NEED_SNAPSHOT) && !a->action->harmless;
	bool taken = !wanted;
	struct err why = {0};

	/* Write the snapshot only if no other guard refuses. */
	if (wanted && a->o.snapshot && !ask_guards(a, p, consent, m, now_us, true))
		return first_refusal(a, p, err);
	if (wanted && a->o.snapshot)
		taken = a->o.snapshot(a->o.ctx, p->id, path, size, sha256, &why);
	(void)ask_guards(a, p, consent, m, now_us, taken);
	if (why.code != ERR_NONE && a->refusals.n)
		manager_note(a, now_us, TONE_WARN, "%s", why.text);
	return first_refusal(a, p, err);
}

static void say_refused(
	struct action_manager *a, const struct act_plan *p, const struct consent *consent)
{
	const struct refusal *r = &a->refusals.at[0];
	json_t *d = manager_detail(a, p);

	json_put(d, "guard", json_string(r->guard));
	json_put(d, "why", json_string(r->why));
	json_put(d, "cure", json_string(r->cure));
	json_put(d, "hash", json_string(p->hash));
	json_put(d, "reason", json_string(consent->reason));
	json_put(d, "incident", json_string(consent->incident));
	executor_write(a->actor, LEDGER_REFUSED, p->id, d);
}

bool manager_run(struct action_manager *a, const struct act_plan *p, const struct consent *consent,
	const struct model *m, int64_t now_us, struct err *err)
{
	char path[1024] = "", sha256[65] = "";

	if (!manager_allowed(a, p, consent, m, now_us, path, sizeof(path), sha256, err)) {
		say_refused(a, p, consent);
		return false;
	}
	a->asked = 0;
	a->waits = false;
	a->consent = *consent;
	a->stage = ACT_RUNNING;
	manager_note(a, now_us, TONE_HEAD, "begun: %s", p->place);
	executor_run(a->actor, a->device, &a->look, p, consent, path, sha256,
		a->undoes[0] ? a->undoes : NULL);
	return true;
}

bool manager_go(struct action_manager *a, const struct consent *c, const char *typed,
	const struct model *m, int64_t now_us, struct err *err)
{
	if (a->stage != ACT_PLANNED)
		return err_set(err, ERR_USAGE, "actions",
			"there is no plan to execute: the state is %s", act_stage_name(a->stage));
	if (!typed || !str_eq(typed, a->plan.typed)) {
		(void)err_set(err, ERR_USAGE, a->plan.place, "the typed name does not match");
		return err_cure(err, "type %s", a->plan.typed);
	}
	return manager_run(a, &a->plan, c, m, now_us, err);
}
