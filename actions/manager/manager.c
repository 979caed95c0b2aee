/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/manager/manager.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actions/kinds/common.h"
#include "actions/manager/manager_private.h"
#include "backends/contract/target.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/str.h"

#define TAKEN_ONLY "taken, but not confirmed by the device"
#define WORDS_ONLY "written for you to run"

const char *act_stage_name(enum act_stage s)
{
	static const char *const names[] = {"none", "looking", "refused", "planned", "running",
		"done", "watching", "held", "broke", "failed", "unknown"};

	return (unsigned)s < sizeof(names) / sizeof(names[0]) ? names[s] : "unknown";
}

bool act_stage_ended(enum act_stage s)
{
	return s != ACT_LOOKING && s != ACT_RUNNING && s != ACT_WATCHING;
}

/* ---- open, close ---- */

static char *path_of(const char *stated, const char *ledger, const char *beside)
{
	return stated && stated[0] ? target_expand_home(stated) : ledger_beside(ledger, beside);
}

static void manager_free(struct action_manager *a)
{
	free(a->ledger);
	free(a->kill_switch);
	free(a->approvals);
	facts_free(&a->facts);
	if (a->has_plan)
		act_plan_free(&a->plan);
	if (a->has_undo)
		act_plan_free(&a->undo);
	vec_free(&a->refusals);
	vec_free(&a->notes);
	vec_free(&a->measurements);
	vec_free(&a->words);
	free(a);
}

static bool may_open(const struct action_manager_opts *o, struct err *err)
{
	if (o->read_only) {
		(void)err_set(err, ERR_REFUSED, "actions", "railtop was started read-only");
		return err_cure(err, "start it without --read-only and --noc");
	}
	if (!o->plan->actions.granted) {
		(void)err_set(err, ERR_REFUSED, "actions", "the inventory grants no actions");
		return err_cure(err, "add a section actions: to it, see railtop.yaml(5)");
	}
	return true;
}

struct action_manager *manager_open(const struct action_manager_opts *o, struct err *err)
{
	const struct plan_actions *own = &o->plan->actions;
	struct action_executor_opts opts = {.plan = o->plan, .wake = o->wake, .ctx = o->ctx};
	struct action_manager *a;

	if (!may_open(o, err))
		return NULL;
	a = mem_calloc(1, sizeof(*a));
	a->o = *o;
	if (!a->o.clock)
		a->o.clock = &clock_system;
	a->ledger = own->ledger && own->ledger[0] ? target_expand_home(own->ledger)
						  : ledger_default_path();
	if (!a->ledger) {
		(void)err_set(err, ERR_CONFIG, "actions", "the ledger has no path");
		(void)err_cure(err, "set actions.ledger, or HOME");
		manager_free(a);
		return NULL;
	}
	a->kill_switch = path_of(own->kill_switch, a->ledger, "actions.stop");
	a->approvals = ledger_beside(a->ledger, "approvals");
	if (o->who)
		a->who = *o->who;
	else
		who_am_i(&a->who);
	opts.clock = a->o.clock;
	opts.transport = o->transport;
	opts.ops = o->ops;
	opts.hurry = o->hurry;
	opts.patience = o->patience;
	opts.ledger = a->ledger;
	opts.kill_switch = a->kill_switch;
	opts.approvals = a->approvals;
	opts.who = &a->who;
	a->actor = executor_start(&opts, err);
	if (a->actor)
		return a;
	manager_free(a);
	return NULL;
}

void manager_close(struct action_manager *a)
{
	if (!a)
		return;
	if (a->stage == ACT_WATCHING)
		manager_watch_end(a, clock_wall(a->o.clock) - a->clock_ahead_us, "cancelled",
			"railtop was ended");
	executor_stop(a->actor);
	manager_free(a);
}

/* ---- helpers ---- */

void manager_note(
	struct action_manager *a, int64_t now_us, enum plan_tone tone, const char *fmt, ...)
{
	struct act_note n = {.t_us = now_us + a->clock_ahead_us, .tone = tone};
	char text[2048];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)str_sanitise(n.text, sizeof(n.text), text, strlen(text));
	vec_push(&a->notes, n);
}

void manager_place(
	struct action_manager *a, const struct model *m, int64_t now_us, struct place_of_action *at)
{
	a->target.facts = &a->facts;
	a->clock_ahead_us = model_wall(m, now_us) - now_us;
	*at = (struct place_of_action){.plan = a->o.plan,
		.model = m,
		.device = a->device,
		.can = a->ops ? a->ops->changes : NULL,
		.target = &a->target,
		.dev = model_device(m, a->device->name),
		.port = model_port_at(m, a->port),
		.priority = a->priority,
		.partner = a->o.partner,
		.cause = a->cause,
		.now_us = now_us};
}

json_t *manager_detail(const struct action_manager *a, const struct act_plan *p)
{
	json_t *d = json_object();

	(void)a;
	json_put(d, "action", json_string(p->action->name));
	json_put(d, "device", json_string(p->device));
	json_put(d, "port", json_string(p->port));
	if (p->priority >= 0)
		json_put(d, "priority", json_integer(p->priority));
	json_put(d, "place", json_string(p->place));
	return d;
}

void manager_ask_device(struct action_manager *a, int64_t now_us)
{
	a->asked = ++a->turn;
	a->looked_us = now_us;
	if (a->action->words)
		executor_count(a->actor, a->asked, a->device);
	else
		executor_look(a->actor, a->asked, a->device, &a->look);
}

static void forget_act(struct action_manager *a)
{
	if (a->has_plan)
		act_plan_free(&a->plan);
	if (a->has_undo)
		act_plan_free(&a->undo);
	a->has_plan = a->has_undo = a->waits = false;
	a->undoes[0] = '\0';
	a->asked = 0;
	a->watch_ends_us = 0;
	a->refusals.n = 0;
	memset(&a->err, 0, sizeof(a->err));
}

/* ---- begin ---- */

static bool may_begin(const struct action_manager *a, struct err *err)
{
	if (a->stage == ACT_LOOKING || a->stage == ACT_RUNNING) {
		(void)err_set(err, ERR_REFUSED, "actions", "another action is running");
		return err_cure(err, "wait for its end");
	}
	if (a->stage == ACT_WATCHING) {
		(void)err_set(err, ERR_REFUSED, "actions",
			"the outcome of the last action is still watched");
		return err_cure(err, "wait for its end, or drop the watch");
	}
	return true;
}

/* Resolves the target: device, port and priority of the reference. */
static bool take_target(struct action_manager *a, const struct action_ops *action,
	struct ref target, const struct model *m, struct err *err)
{
	const struct port *port = target.kind == REF_LINK ? NULL : ref_port(m, target),
			  *named = port;
	const struct device *d = ref_device(m, target);
	bool fits = (action->kinds & (1u << target.kind)) ||
		    (port && (action->kinds & (1u << REF_PORT)));
	int i;

	if (!fits || !d) {
		err_set(err, ERR_REFUSED, "actions", "%s does not apply to this place",
			action->name);
		return err_cure(err, action->kinds & (1u << REF_PORT)
					     ? "name a port: leaf-r3-00:Ethernet12"
					     : "name a device: leaf-r3-00");
	}
	if (action->words && port) {
		d = action_host_at(m, port);
		port = NULL;
	}
	i = plan_find(a->o.plan, d->name);
	if (i < 0)
		return err_set(err, ERR_REFUSED, d->name, "the device is not in the inventory");
	a->cause[0] = '\0';
	if (action->words && a->o.cause)
		a->o.cause(a->o.ctx, d, named, a->cause, sizeof(a->cause));
	a->device = &a->o.plan->devices.at[i];
	a->port = port ? port->id : PORT_NONE;
	a->priority = target.kind == REF_PRIORITY && (action->kinds & (1u << REF_PRIORITY))
			      ? target.priority
			      : -1;
	return true;
}

static bool take_dialect(struct action_manager *a, struct err *err)
{
	a->ops = a->o.ops ? a->o.ops : backend_by_name(a->device->dialect);
	/* Without a transport the missing transport is the reason, whatever the dialect. */
	if (a->device->by_engine && !a->device->transport)
		return target_from_plan(&a->target, a->o.plan, a->device, a->ops, err);
	if (!a->ops || !a->ops->changes)
		return err_set(err, ERR_UNSUPPORTED, a->device->name,
			"railtop changes nothing on devices of dialect %s",
			a->device->dialect ? a->device->dialect : "");
	return target_from_plan(&a->target, a->o.plan, a->device, a->ops, err);
}

static bool can_be_said(
	const struct place_of_action *at, const struct action_ops *action, struct err *err)
{
	words_vec words = {0};
	bool ok = action->words(at, &words, err);

	vec_free(&words);
	return ok;
}

bool manager_begin(struct action_manager *a, const struct action_ops *action, struct ref target,
	const struct model *m, int64_t now_us, struct err *err)
{
	struct place_of_action at;

	if (!may_begin(a, err))
		return false;
	forget_act(a);
	a->stage = ACT_NONE;
	a->notes.n = a->measurements.n = a->words.n = 0;
	a->ops = NULL;
	facts_free(&a->facts);
	memset(&a->look, 0, sizeof(a->look));
	a->look.priority = -1;
	if (!take_target(a, action, target, m, err) || (!action->words && !take_dialect(a, err)))
		return false;
	a->action = action;
	manager_place(a, m, now_us, &at);
	if (action->words ? !can_be_said(&at, action, err) : !action->wants(&at, &a->look, err))
		return false;
	a->stage = ACT_LOOKING;
	a->planned_us = 0;
	manager_note(a, now_us, TONE_DIM, "%s: reading %s", action->name,
		action->words ? "the ledger" : a->device->name);
	manager_ask_device(a, now_us);
	return true;
}

/* ---- events of the executor ---- */

static void end_act(struct action_manager *a, enum act_stage s, const struct err *err)
{
	a->stage = s;
	if (err)
		a->err = *err;
}

static void refuse_plan(struct action_manager *a, int64_t now_us, const struct err *err)
{
	struct refusal r = {.guard = "plan"};

	(void)str_copy(r.why, sizeof(r.why), err->text);
	(void)str_copy(r.cure, sizeof(r.cure), err->cure);
	a->refusals.n = 0;
	vec_push(&a->refusals, r);
	manager_note(a, now_us, TONE_WARN, "%s", err->text);
	a->waits = false;
	end_act(a, ACT_REFUSED, err);
	executor_leave(a->actor);
}

static void make_plan(struct action_manager *a, const struct model *m, int64_t now_us)
{
	struct place_of_action at;
	struct err err = {0};

	if (a->has_plan)
		act_plan_free(&a->plan);
	manager_place(a, m, now_us, &at);
	memset(&a->plan, 0, sizeof(a->plan));
	a->has_plan = act_plan_make(&at, a->action, &a->seen, &a->plan, &err);
	if (!a->has_plan) {
		refuse_plan(a, now_us, &err);
		return;
	}
	act_plan_seal(&a->plan);
	a->planned_us = now_us;
}

static void on_saw(
	struct action_manager *a, struct executor_event *e, const struct model *m, int64_t now_us)
{
	bool anew = a->stage == ACT_LOOKING;
	struct err err = {0};

	a->seen = e->condition;
	a->ledger_facts = e->ledger;
	facts_free(&a->facts);
	a->facts = e->facts;
	memset(&e->facts, 0, sizeof(e->facts));
	if (a->undoes[0]) {
		manager_undo_saw(a, m, now_us);
		return;
	}
	if (!anew && !condition_same(&a->plan.before, &a->seen)) {
		manager_note(a, now_us, TONE_WARN, "the port changed: planned again");
		anew = true;
	}
	if (anew)
		make_plan(a, m, now_us);
	if (!a->has_plan)
		return;
	if (manager_allowed(a, &a->plan, NULL, m, now_us, NULL, 0, NULL, &err)) {
		if (a->stage != ACT_PLANNED)
			manager_note(a, now_us, TONE_NORMAL, "planned: %s", a->plan.place);
		a->stage = ACT_PLANNED;
		a->waits = true;
		return;
	}
	if (a->stage != ACT_REFUSED)
		manager_note(a, now_us, TONE_WARN, "%s", err.text);
	end_act(a, ACT_REFUSED, &err);
	if (!a->waits)
		executor_leave(a->actor);
}

static void look_failed(struct action_manager *a, const struct err *why, int64_t now_us)
{
	char text[1024];

	err_format(why, text, sizeof(text));
	manager_note(a, now_us, TONE_WARN, "%s", text);
	if (a->undoes[0])
		manager_undo_failed(a, now_us, why);
	else if (a->stage == ACT_LOOKING)
		end_act(a, ACT_FAILED, why);
	/* An existing plan is refreshed by the next look; until then it is too old to execute. */
}

/* What the operator runs now. */
static void give_words(struct action_manager *a, const struct act_plan *p, int64_t now_us)
{
	for (size_t i = 0; i < p->words.n; i++) {
		struct words *w = vec_add(&a->words);

		*w = p->words.at[i];
		(void)words_line(p->words.at[i].run, a->consent.incident, w->run, sizeof(w->run));
		manager_note(a, now_us, TONE_DIM, "the scheduler shows it afterwards: %s", w->look);
	}
}

static void run_ended(struct action_manager *a, const struct executor_event *e, int64_t now_us)
{
	struct refusal r = {.guard = e->guard};
	char text[1024];

	const struct act_plan *p = manager_plan(a);

	a->after = e->condition;
	a->unseen = e->kind == EXECUTOR_DONE && e->unseen;
	a->done_us = now_us;
	if (e->kind == EXECUTOR_DONE) {
		end_act(a, ACT_DONE, NULL);
		manager_note(a, now_us, TONE_HEAD, "%s: %s",
			a->action->words ? WORDS_ONLY
			: e->unseen      ? TAKEN_ONLY
			: a->undoes[0]   ? "taken back"
					 : "done",
			p->expect[0] ? p->expect : p->place);
		a->words.n = 0;
		give_words(a, p, now_us);
		manager_watch_begin(a, now_us);
		return;
	}
	err_format(&e->err, text, sizeof(text));
	manager_note(a, now_us, TONE_WARN, "%s", text);
	if (e->kind == EXECUTOR_REFUSED) {
		(void)str_copy(r.why, sizeof(r.why), e->err.text);
		(void)str_copy(r.cure, sizeof(r.cure), e->err.cure);
		vec_push(&a->refusals, r);
	}
	end_act(a,
		e->kind == EXECUTOR_REFUSED  ? ACT_REFUSED
		: e->kind == EXECUTOR_FAILED ? ACT_FAILED
					     : ACT_UNKNOWN,
		&e->err);
}

static bool on_event(
	struct action_manager *a, struct executor_event *e, const struct model *m, int64_t now_us)
{
	if (e->kind == EXECUTOR_MEASURED) {
		vec_push(&a->measurements, e->measurement);
		manager_note(a, now_us, TONE_NORMAL, "%s", e->text);
		return true;
	}
	if (e->kind == EXECUTOR_NOTE) {
		manager_note(a, now_us, e->tone, "%s", e->text);
		return true;
	}
	if (!e->turn) {
		run_ended(a, e, now_us);
		return true;
	}
	if (e->turn != a->asked)
		return false; /* an outdated answer */
	a->asked = 0;
	if (e->kind == EXECUTOR_SAW)
		on_saw(a, e, m, now_us);
	else
		look_failed(a, &e->err, now_us);
	return true;
}

static bool refresh_due(const struct action_manager *a, int64_t now_us)
{
	return a->waits && !a->asked && now_us - a->looked_us >= ACTS_REFRESH_US &&
	       now_us - a->planned_us < ACTS_WAITS_US;
}

bool manager_turn(struct action_manager *a, const struct model *m, int64_t now_us)
{
	struct executor_event *e = executor_take(a->actor), *next;
	bool changed = false;

	for (; e; e = next) {
		next = e->next;
		changed |= on_event(a, e, m, now_us);
		executor_event_free(e);
	}
	if (refresh_due(a, now_us))
		manager_ask_device(a, now_us);
	if (a->stage == ACT_WATCHING)
		changed |= manager_watch_turn(a, m, now_us);
	return changed;
}

int64_t manager_due(const struct action_manager *a)
{
	if (a->waits && !a->asked && a->looked_us - a->planned_us < ACTS_WAITS_US)
		return a->looked_us + ACTS_REFRESH_US;
	if (a->stage == ACT_WATCHING)
		return a->judged_us + ACTS_JUDGE_US < a->watch_ends_us
			       ? a->judged_us + ACTS_JUDGE_US
			       : a->watch_ends_us;
	return INT64_MAX;
}

bool manager_drop(struct action_manager *a, struct err *err)
{
	if (a->stage == ACT_RUNNING) {
		(void)err_set(err, ERR_REFUSED, "actions", "a device is being changed");
		return err_cure(err, "wait for its end");
	}
	if (a->stage == ACT_WATCHING)
		manager_watch_end(a, clock_wall(a->o.clock) - a->clock_ahead_us, "cancelled",
			"the watch was dropped");
	executor_leave(a->actor);
	forget_act(a);
	a->stage = ACT_NONE;
	return true;
}

/* ---- state for display ---- */

enum act_stage manager_stage(const struct action_manager *a)
{
	return a->stage;
}

const struct act_plan *manager_plan(const struct action_manager *a)
{
	if (a->undoes[0] && a->has_undo)
		return &a->undo;
	return a->has_plan ? &a->plan : NULL;
}

const refusal_vec *manager_refusals(const struct action_manager *a)
{
	return &a->refusals;
}

const words_vec *manager_words(const struct action_manager *a)
{
	return &a->words;
}

const measurement_vec *manager_measurements(const struct action_manager *a)
{
	return &a->measurements;
}

const act_note_vec *manager_notes(const struct action_manager *a)
{
	return &a->notes;
}

void manager_summary(const struct action_manager *a, char *dst, size_t size)
{
	char line[600];
	const char *what = manager_plan(a) ? manager_plan(a)->expect : "";

	if (a->stage == ACT_REFUSED && a->refusals.n) {
		refusal_line(&a->refusals.at[0], dst, size);
		return;
	}
	if (a->stage == ACT_FAILED || a->stage == ACT_UNKNOWN)
		(void)err_format(&a->err, line, sizeof(line));
	else if (a->stage == ACT_BROKE)
		(void)str_copy(line, sizeof(line), a->bad);
	else
		(void)str_copy(line, sizeof(line), what);
	(void)str_printf(dst, size, "%s%s%s",
		a->words.n          ? WORDS_ONLY
		: manager_unseen(a) ? TAKEN_ONLY
				    : act_stage_name(a->stage),
		line[0] ? ": " : "", line);
}

bool manager_unseen(const struct action_manager *a)
{
	return a->stage == ACT_DONE && a->unseen;
}

int64_t manager_watch_ends(const struct action_manager *a)
{
	return a->stage == ACT_WATCHING ? a->watch_ends_us : 0;
}

const char *manager_ledger_path(const struct action_manager *a)
{
	return a->ledger;
}

const struct who *manager_user(const struct action_manager *a)
{
	return &a->who;
}
