/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "actions/manager/executor_private.h"
#include "base/json_out.h"
#include "base/str.h"

/* A run of a plan, from the lock to the last line. */

#define RESERVE_LINE  ((size_t)4096) /* one line of the ledger; a request needs several */
#define RESERVE_FLOOR ((size_t)128 * 1024)
#define HARD_TRIES    5
#define HARD_PAUSE_US (200 * CLOCK_MSEC)

/* ---- the ledger ---- */

json_t *run_detail(const struct run *r)
{
	const struct act_plan *p = r->plan;
	json_t *d = json_object();

	json_put(d, "action", json_string(p->action->name));
	json_put(d, "device", json_string(p->device));
	json_put(d, "port", json_string(p->port));
	if (p->priority >= 0)
		json_put(d, "priority", json_integer(p->priority));
	json_put(d, "place", json_string(p->place));
	json_put(d, "step", json_integer((json_int_t)r->step + 1));
	return d;
}

bool run_say(struct run *r, enum ledger_event e, json_t *detail, struct err *err)
{
	return ledger_append(r->ledger, e, r->plan->id, detail, err);
}

void run_say_hard(struct run *r, enum ledger_event e, json_t *detail)
{
	struct err err = {0};
	bool ok = false;

	for (int i = 0; i < HARD_TRIES && !ok; i++) {
		if (i > 0)
			executor_pause(r->a, HARD_PAUSE_US);
		ok = run_say(r, e, json_incref(detail), &err);
	}
	json_decref(detail);
	if (ok)
		return;
	if (!r->lines_lost)
		executor_note(r->a, TONE_WARN, "the ledger could not be written: %s", err.text);
	r->lines_lost = true;
}

/* ---- ends ---- */

void run_end_done(struct run *r)
{
	struct executor_event *e = executor_event_new(EXECUTOR_DONE);
	json_t *d = run_detail(r);

	json_put(d, "outcome",
		json_string(r->unseen ? "taken; not confirmed by the device" : "done"));
	json_put(d, "expect", json_string(r->plan->expect));
	json_put(d, "condition", condition_json(&r->now));
	run_say_hard(r, LEDGER_DONE, d);
	if (r->lines_lost)
		executor_note(r->a, TONE_WARN,
			"it was done, but the ledger lacks lines: railtop ledger settle %s",
			r->plan->id);
	e->condition = r->now;
	e->unseen = r->unseen;
	r->end = e;
}

void run_end_failed(struct run *r, const char *outcome, const struct err *why)
{
	struct executor_event *e = executor_event_new(EXECUTOR_FAILED);
	json_t *d = run_detail(r);

	json_put(d, "outcome", json_string(outcome));
	json_put(d, "error", json_string(why->text));
	run_say_hard(r, LEDGER_FAILED, d);
	e->condition = r->now;
	e->err = *why;
	executor_note(r->a, TONE_WARN, "%s: %s", outcome, r->plan->place);
	r->end = e;
}

/* Ends a run for which the ledger has no "begun" line. */
static void end_refused(struct run *r, const char *guard, const struct err *why)
{
	struct executor_event *e = executor_event_new(EXECUTOR_REFUSED);
	json_t *d;

	if (r->ledger) {
		d = run_detail(r);
		json_put(d, "guard", json_string(guard));
		json_put(d, "why", json_string(why->text));
		json_put(d, "cure", json_string(why->cure));
		json_put(d, "reason", json_string(r->job->consent.reason));
		json_put(d, "incident", json_string(r->job->consent.incident));
		(void)run_say(r, LEDGER_REFUSED, d, &(struct err){0});
	}
	e->guard = guard;
	e->err = *why;
	r->end = e;
}

/* ---- before anything is sent ---- */

/* Whether the kill switch is on. If it cannot be checked, it counts as on. */
static bool kill_switch_on(struct run *r, struct err *err)
{
	struct stat st;
	const char *path = r->a->o.kill_switch;

	if (lstat(path, &st) != 0 && (errno == ENOENT || errno == ENOTDIR))
		return false;
	(void)err_set(err, ERR_REFUSED, "actions", "all actions were stopped: %s exists", path);
	(void)err_cure(err, "to allow actions again: rm %s", path);
	return true;
}

static bool guard_named(
	struct run *r, const char *name, const struct ledger_facts *facts, struct err *err)
{
	struct port port = {.id = PORT_NONE,
		.name = ""}; /* the model belongs to another thread: here the name is enough */
	struct place_of_action at = {.plan = r->a->o.plan,
		.device = r->job->device,
		.port = r->plan->port[0] ? &port : NULL,
		.priority = r->plan->priority,
		.now_us = executor_now(r->a)};
	struct guard_context x = {.at = &at,
		.action = r->plan->action,
		.plan = r->plan,
		.condition = &r->plan->before,
		.who = r->a->o.who,
		.ledger = facts,
		.consent = &r->job->consent,
		.kill_switch = r->a->o.kill_switch,
		.approvals = r->a->o.approvals,
		.snapshot_taken = true,
		.now_us = at.now_us,
		.wall_us = executor_wall(r->a)};

	port.name = r->plan->port;
	for (size_t i = 0; i < guard_count; i++) {
		struct refusal refusal = {.guard = guard_table[i].name};

		if (!str_eq(guard_table[i].name, name) || guard_table[i].ask(&x, &refusal))
			continue;
		(void)err_set(err, ERR_REFUSED, r->plan->place, "%s", refusal.why);
		(void)err_cure(err, "%s", refusal.cure);
		return false;
	}
	return true;
}

/* Other processes may have written to the ledger since the plan was shown. */
static bool ask_ledger(
	struct run *r, const char *const *names, size_t n, const char **guard, struct err *err)
{
	struct ledger_facts facts;

	ledger_facts(r->a->o.ledger, r->a->o.who, r->plan->device, r->plan->port, r->plan->hash,
		executor_wall(r->a), &facts);
	r->used_us = facts.approved_us;
	for (size_t i = 0; i < n; i++) {
		*guard = names[i];
		if (!guard_named(r, names[i], &facts, err))
			return false;
	}
	return true;
}

static size_t reserve_bytes(const struct run *r)
{
	size_t n = RESERVE_FLOOR;

	for (size_t i = 0; i < r->plan->steps.n; i++) {
		const struct step *s = &r->plan->steps.at[i];

		n += 8 * RESERVE_LINE * (s->requests.at.n + s->undoing.at.n + 1);
	}
	return n;
}

static bool begin_run(struct run *r, const char **guard, struct err *err)
{
	static const char *const first[] = {"ledger", "unfinished", "one-at-a-time"};
	static const char *const again[] = {"ledger", "unfinished", "four-eyes"};
	static const char *const then[] = {"rate-user", "rate-switch", "cool-down"};
	struct ledger_opts o = {.path = r->a->o.ledger, .clock = r->a->o.clock};

	*guard = "ledger";
	r->ledger = ledger_open(&o, r->a->o.who, err);
	if (!r->ledger || !ask_ledger(r, first, 3, guard, err))
		return false;
	*guard = "one-at-a-time";
	if (!ledger_lock(r->ledger, r->plan->id, err))
		return false;
	/*
	 * Only the lock's holder begins acts, so the answers below stay valid. An act that was
	 * still running at the first check may have been left unfinished since then.
	 */
	if (!ask_ledger(r, again, 3, guard, err))
		return false;
	if (!r->job->undoes[0] && !ask_ledger(r, then, 3, guard, err))
		return false;
	*guard = "kill-switch";
	if (kill_switch_on(r, err))
		return false;
	*guard = "ledger";
	return ledger_reserve(r->ledger, reserve_bytes(r), err);
}

static bool say_begun(struct run *r, struct err *err)
{
	const struct executor_job *job = r->job;
	struct approval approval;
	struct err ignored = {0};
	json_t *d = run_detail(r);
	char t[40];

	(void)json_object_del(d, "step");
	json_put(d, "hash", json_string(r->plan->hash));
	json_put(d, "reason", json_string(job->consent.reason));
	json_put(d, "incident", json_string(job->consent.incident));
	/* The lock is held: what the guard found is found again. */
	if (r->a->o.plan->actions.four_eyes && !r->plan->action->harmless &&
		approval_found(r->a->o.approvals, r->plan->hash, r->a->o.who, executor_wall(r->a),
			r->used_us, &approval, &ignored)) {
		ledger_time_format(approval.t_us, t, sizeof(t));
		json_put(d, "approver", json_string(approval.by));
		json_put(d, "approved", json_string(t));
	}
	if (job->snapshot[0]) {
		json_put(d, "snapshot", json_string(job->snapshot));
		json_put(d, "snapshot_sha256", json_string(job->sha256));
	}
	if (job->undoes[0])
		json_put(d, "undoes", json_string(job->undoes));
	json_put(d, "plan", act_plan_json(r->plan));
	return run_say(r, LEDGER_BEGUN, d, err);
}

static bool has_storm(const struct condition *c, int priority)
{
	for (int p = 0; p < PRIORITIES; p++)
		if ((priority < 0 || priority == p) && c->wd_state[p] == WD_STORMED)
			return true;
	return false;
}

/* Kept for the case that the device becomes unreachable. */
static void note_looks(struct run *r)
{
	struct request_list list = {0};
	struct err ignored = {0};

	if (r->a->at.ops->changes->look(&r->a->at.target, &r->look, &list, &ignored) && list.at.n)
		request_line(&list.at.at[0], r->looks, sizeof(r->looks));
	requests_free(&list);
}

/* Nothing has been sent yet, so a dead connection may be replaced. */
static bool read_again(struct run *r, struct err *err)
{
	struct action_executor *a = r->a;

	if (!executor_connect(a, r->job->device, err))
		return false;
	if (executor_see(a, &r->look, &r->now, err))
		return true;
	return !executor_ready(a) && !executor_given_up(a) &&
	       executor_connect(a, r->job->device, err) && executor_see(a, &r->look, &r->now, err);
}

/* Reads the device again: its settings must equal those in the plan. */
static bool still_so(struct run *r, struct err *err)
{
	const struct act_plan *p = r->plan;

	if (!read_again(r, err))
		return false;
	note_looks(r);
	if (!condition_same(&p->before, &r->now))
		return err_set(err, ERR_REFUSED, p->place, "the port changed after the plan");
	if (r->now.pending == 1 && p->before.pending != 1)
		return err_set(
			err, ERR_REFUSED, p->place, "a change on the device began after the plan");
	if (r->now.hazard[0] && !p->before.hazard[0])
		return err_set(err, ERR_REFUSED, p->place, "%s", r->now.hazard);
	if ((p->action->needs & NEED_NO_STORM) && has_storm(&r->now, p->priority) &&
		!has_storm(&p->before, p->priority))
		return err_set(err, ERR_REFUSED, p->place, "a storm began after the plan");
	if (executor_given_up(r->a))
		return err_set(err, ERR_REFUSED, p->place, "railtop ended before the action began");
	return true;
}

/* ---- steps ---- */

/* Sends the requests of one order. SENT_TAKEN: the device accepted all of them. */
static enum sent send_all(
	struct run *r, const struct order *o, const struct request_list *requests, struct err *why)
{
	enum sent sent = SENT_TAKEN;

	memset(&r->notes, 0, sizeof(r->notes));
	for (size_t i = 0; i < requests->at.n && sent == SENT_TAKEN; i++)
		sent = run_send(r, o, &requests->at.at[i], why);
	return sent;
}

/* A command that hangs may still be executed: closing the session stops it if possible. */
static void let_go(struct run *r)
{
	const struct plan_device *d = r->job->device;

	executor_disconnect(r->a);
	executor_note(
		r->a, TONE_WARN, "the effect of %s is not known: reading the device", d->name);
}

enum step_end run_order(
	struct run *r, const struct order *o, const struct request_list *requests, struct err *why)
{
	struct condition before = r->now;
	enum step_end end = STEP_FAILED;
	struct err settle = {0};
	enum sent sent;

	/* The connection may have ended during the dwell time. */
	if (!executor_ready(r->a) && !run_look(r, why))
		return STEP_BLIND;
	for (int attempt = 0; attempt < 2; attempt++) {
		sent = send_all(r, o, requests, why);
		if (sent == SENT_LOST)
			let_go(r);
		if (sent == SENT_REFUSED || sent == SENT_NOT)
			return run_look(r, &settle) ? STEP_FAILED : STEP_BLIND;
		end = run_settle(r, o, &settle);
		if (end != STEP_DONE && (sent == SENT_TAKEN || why->code == ERR_NONE))
			*why = settle;
		/* Sends twice at most, and only if the device shows no effect of the first time. */
		if (end != STEP_FAILED || sent != SENT_LOST || !condition_same(&before, &r->now))
			return end;
		if (attempt == 0)
			executor_note(r->a, TONE_WARN, "it was not done: trying again");
	}
	return end;
}

static void wait_dwell(struct run *r, const struct step *s)
{
	if (s->dwell_us <= 0)
		return;
	executor_note(r->a, TONE_DIM, "waiting %lld s", (long long)(s->dwell_us / CLOCK_SEC));
	executor_pause(r->a, s->dwell_us);
}

static void run_steps(struct run *r)
{
	const struct act_plan *p = r->plan;
	enum step_end end;
	struct err why;

	for (r->step = 0; r->step < p->steps.n; r->step++) {
		const struct step *s = &p->steps.at[r->step];

		memset(&why, 0, sizeof(why));
		end = STEP_FAILED;
		if (!kill_switch_on(r, &why))
			end = run_order(r, &s->order, &s->requests, &why);
		if (end != STEP_DONE) {
			run_take_back(r, end, &why);
			return;
		}
		executor_note(r->a, TONE_NORMAL, "done and read back: %s %s",
			verb_name(s->order.verb), s->order.port);
		wait_dwell(r, s);
	}
	r->step = p->steps.n - 1;
	run_end_done(r);
}

void run_plan(struct action_executor *a, const struct executor_job *job)
{
	struct run r = {.a = a, .job = job, .plan = job->plan, .look = job->order};
	struct err err = {0};
	const char *guard = "ledger";

	r.now = job->plan->before;
	if (!begin_run(&r, &guard, &err) || !say_begun(&r, &err))
		end_refused(&r, guard, &err);
	else if (job->plan->action->words)
		run_words(&r);
	else if (!still_so(&r, &err))
		run_end_failed(&r, "nothing was sent", &err);
	else
		run_steps(&r);
	if (r.ledger)
		ledger_unlock(r.ledger);
	ledger_close(r.ledger);
	executor_disconnect(a);
	atomic_store(&a->acting, false);
	executor_tell(a, r.end);
}
