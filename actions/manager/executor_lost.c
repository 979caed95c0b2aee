/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "actions/manager/executor_private.h"
#include "base/json_out.h"
#include "base/str.h"

/* The outcome of a step: reading back, reconnecting to the device, taking back. */

#define LOOKS_MOST 100 /* bytes of a read command that is shown to a person */

/* Unknown before: no statement. Unknown only now: it may have changed. */
static bool same_int(int before, int now)
{
	return before < 0 || before == now;
}

bool condition_same(const struct condition *a, const struct condition *b)
{
	return (a->admin == OPER_UNKNOWN || a->admin == b->admin) && same_int(a->wd, b->wd) &&
	       (a->wd != 1 || wd_setting_eq(&a->wd_set, &b->wd_set)) && same_int(a->pfc, b->pfc) &&
	       same_int(a->beacon, b->beacon) && same_int(a->bgp_shut, b->bgp_shut) &&
	       (!a->bgp_peer[0] || str_eq(a->bgp_peer, b->bgp_peer)) &&
	       (a->bgp_asn == 0 || a->bgp_asn == b->bgp_asn) && same_int(a->counters, b->counters);
}

/* ---- looking ---- */

static bool reconnect_device(struct run *r, struct err *err)
{
	int64_t end = clock_mono(&clock_system) + EXECUTOR_LOST_US;
	int64_t wait = CLOCK_SEC;

	for (int i = 0; i < EXECUTOR_LOST_TRIES && clock_mono(&clock_system) < end; i++) {
		executor_note(r->a, TONE_WARN, "connecting to %s again (%d of %d)", r->plan->device,
			i + 1, EXECUTOR_LOST_TRIES);
		executor_pause(r->a, wait);
		if (executor_connect(r->a, r->job->device, err))
			return true;
		wait *= 4;
	}
	return false;
}

bool run_look(struct run *r, struct err *err)
{
	struct condition seen;

	for (int i = 0; i < 2; i++) {
		if (!executor_ready(r->a) && !reconnect_device(r, err))
			return false;
		if (executor_see(r->a, &r->look, &seen, err)) {
			r->now = seen;
			return true;
		}
		if (executor_ready(r->a))
			break; /* the device answers, but not this request: asking again at once is
				  useless */
	}
	return false;
}

static void say_read(struct run *r, const struct order *o)
{
	json_t *d = run_detail(r);
	char seen[400];

	condition_line(&r->now, seen, sizeof(seen));
	json_put(d, "verb", json_string(verb_name(o->verb)));
	json_put(d, "seen", ledger_text(seen, strlen(seen)));
	json_put(d, "condition", condition_json(&r->now));
	run_say_hard(r, LEDGER_READ, d);
}

/* No command reads the state of this light, so the accepted command is the only evidence. */
static bool taken_on_trust(const struct run *r, const struct order *o, enum goal goal)
{
	return goal == GOAL_UNKNOWN && r->plan->action->harmless &&
	       order_goal(o, &r->plan->before, NULL, 0) == GOAL_UNKNOWN;
}

enum step_end run_settle(struct run *r, const struct order *o, struct err *why)
{
	int64_t left = order_settle_us(o) / EXECUTOR_READ_US;
	int64_t end = clock_mono(&clock_system) + order_settle_us(o);
	enum goal goal = GOAL_NOT_MET;
	bool seen = false, now;
	char text[200] = "";

	for (;;) {
		now = run_look(r, why);
		seen |= now;
		if (now)
			goal = order_goal(o, &r->now, text, sizeof(text));
		if (now && (goal == GOAL_MET || taken_on_trust(r, o, goal)))
			break;
		if (!executor_ready(r->a) || left-- <= 0 || clock_mono(&clock_system) >= end)
			break;
		executor_pause(r->a, EXECUTOR_READ_US);
	}
	/* The condition of an earlier look is no answer after the last look failed. */
	if (!seen || !now)
		return STEP_BLIND;
	say_read(r, o);
	r->unseen = taken_on_trust(r, o, goal);
	if (goal == GOAL_MET || r->unseen)
		return STEP_DONE;
	(void)err_set(why, ERR_PROTOCOL, r->plan->device, "%s: %s", verb_name(o->verb), text);
	return STEP_FAILED;
}

/* ---- taking back ---- */

/* Takes back one step. True: run->now shows the step undone. */
static bool take_back_one(struct run *r, const struct step *s, struct err *why)
{
	struct request_list list = {0};
	enum step_end end;
	bool ok;

	if (!s->has_undo || order_goal(&s->undo, &r->now, NULL, 0) == GOAL_MET)
		return true;
	ok = executor_ready(r->a) || run_look(r, why);
	if (ok)
		ok = r->a->at.ops->changes->command(
			&r->a->at.target, &s->undo, &r->now, &list, why);
	if (ok) {
		executor_note(r->a, TONE_WARN, "taking back: %s %s", verb_name(s->undo.verb),
			s->undo.port);
		end = run_order(r, &s->undo, &list, why);
		ok = end == STEP_DONE;
	}
	requests_free(&list);
	return ok;
}

static bool has_step(const struct run *r, enum verb v)
{
	for (size_t i = 0; i < r->plan->steps.n; i++)
		if (r->plan->steps.at[i].order.verb == v)
			return true;
	return false;
}

/* Names the protection that the port lacks now, or may lack if it cannot be read; "" none. */
static void left_without(const struct run *r, bool blind, char *dst, size_t size)
{
	const struct condition *was = &r->plan->before, *is = &r->now;
	const char *be = blind ? "MAY BE" : "is", *place = r->plan->place;

	dst[0] = '\0';
	if (was->wd == 1 && (blind ? has_step(r, VERB_WD_STOP) : is->wd == 0))
		(void)str_printf(dst, size, "%s %s WITHOUT ITS PFC WATCHDOG NOW", place, be);
	else if (was->admin == OPER_UP &&
		 (blind ? has_step(r, VERB_PORT_DOWN) : is->admin == OPER_DOWN))
		(void)str_printf(dst, size, "%s %s SHUT NOW", place, be);
	else if (was->bgp_shut == 0 && (blind ? has_step(r, VERB_BGP_DOWN) : is->bgp_shut == 1))
		(void)str_printf(dst, size, "the BGP session of %s %s SHUT NOW", place, be);
}

static void tell_what_to_do(struct run *r, size_t upto)
{
	char line[200];
	/* A script for the device's standard input is no command that a person would type. */
	bool typed = r->looks[0] && strlen(r->looks) <= LOOKS_MOST;

	executor_note(r->a, TONE_WARN, "check %s%s%s", r->plan->place, typed ? ": " : "",
		typed ? r->looks : "");
	for (size_t i = upto + 1; i-- > 0;) {
		const struct request_list *l = &r->plan->steps.at[i].undoing;

		for (size_t k = 0; k < l->at.n; k++) {
			request_line(&l->at.at[k], line, sizeof(line));
			executor_note(r->a, TONE_COMMAND, "to correct it: %s", line);
		}
	}
	executor_note(r->a, TONE_WARN, "then: railtop ledger settle %s", r->plan->id);
}

static void end_unknown(struct run *r, size_t upto, bool blind, const struct err *why)
{
	struct executor_event *e = executor_event_new(EXECUTOR_UNKNOWN);
	json_t *d = run_detail(r);
	char left[3 * NAME_MAX_LEN + 64];

	left_without(r, blind, left, sizeof(left));
	if (left[0])
		executor_note(r->a, TONE_WARN, "%s", left);
	tell_what_to_do(r, upto);
	e->condition = r->now;
	(void)err_set(&e->err, why->code ? why->code : ERR_INTERNAL, r->plan->place, "%s%s%s: %s",
		left, left[0] ? "; " : "",
		blind ? "its effect is unknown" : "it could not be done and not be taken back",
		why->text);
	(void)err_cure(&e->err, "check the device, correct it, then: railtop ledger settle %s",
		r->plan->id);
	json_put(d, "outcome", json_string("unknown"));
	json_put(d, "error", json_string(e->err.text));
	if (!blind)
		json_put(d, "condition", condition_json(&r->now));
	run_say_hard(r, LEDGER_UNKNOWN, d);
	r->end = e;
}

void run_take_back(struct run *r, enum step_end how, const struct err *why)
{
	struct err own = *why, undo = {0};
	size_t upto = r->step;
	bool blind = how == STEP_BLIND;

	executor_note(r->a, TONE_WARN, "%s", why->text);
	if (!r->sent) {
		run_end_failed(r, "nothing was sent", &own);
		return;
	}
	/* One more attempt to read the condition before the outcome counts as unknown. */
	if (blind)
		blind = !run_look(r, &undo);
	for (size_t i = upto + 1; i-- > 0 && !blind;) {
		r->step = i;
		if (condition_same(&r->plan->before, &r->now))
			break;
		if (take_back_one(r, &r->plan->steps.at[i], &undo))
			continue;
		executor_note(r->a, TONE_WARN, "it could not be taken back: %s", undo.text);
		break;
	}
	if (!blind && !run_look(r, &undo))
		blind = true;
	if (blind && undo.code != ERR_NONE)
		executor_note(r->a, TONE_WARN, "it cannot be read: %s", undo.text);
	r->step = upto;
	if (!blind && condition_same(&r->plan->before, &r->now))
		run_end_failed(r, "the port is set as it was", &own);
	else
		end_unknown(r, upto, blind, &own);
}
