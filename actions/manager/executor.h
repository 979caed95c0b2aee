/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIONS_MANAGER_EXECUTOR_H
#define ACTIONS_MANAGER_EXECUTOR_H

#include "actions/plan/plan.h"
#include "actions/manager/manager.h"

/*
 * The executor: a thread that talks to the device and writes the ledger. Private to actions/: only
 * the files of manager/ use it. It has no model; its results come back as events.
 */
struct actor;

enum actor_event_kind {
	ACTOR_SAW,     /* the condition was read: condition, facts, ledger */
	ACTOR_NOTE,    /* something happened: text, tone */
	ACTOR_REFUSED, /* before anything was sent: guard, err */
	ACTOR_DONE,    /* condition is the one read back */
	ACTOR_FAILED,  /* nothing was changed, or all of it was taken back; err */
	ACTOR_UNKNOWN, /* err */
};
struct actor_event {
	struct actor_event *next;
	enum actor_event_kind kind;
	unsigned turn; /* SAW, FAILED: the turn of its actor_look(); 0: of a run */
	struct condition condition;
	struct err err;
	const char *guard; /* REFUSED: static */
	bool unseen; /* DONE: the device accepted the command, but does not report its effect */
	enum plan_tone tone;
	char text[240];
	struct facts facts; /* with ACTOR_SAW: facts from the device's detection; the receiver owns
			       them */
	struct ledger_facts ledger; /* with ACTOR_SAW */
};

struct actor_opts {
	const struct plan *plan;
	const struct clock *clock;
	void (*wake)(void *ctx);
	void *ctx;
	const struct transport *(*transport)(enum transport_kind kind);
	const struct backend_ops *ops; /* NULL: by the dialect's name */
	unsigned hurry, patience;      /* manager.h */
	/* Must outlive it. */
	const char *ledger, *kill_switch;
	const struct who *who;
};
struct actor *actor_start(const struct actor_opts *o, struct err *err);
/*
 * Ends the thread. Gives up a look at once, and a run that has sent nothing yet. A run that has
 * sent something goes on to its end, bounded by its deadlines. Ledger lines that are queued already
 * are written before.
 */
void actor_stop(struct actor *a);

/*
 * Connects to the device if necessary, and reads the condition that order needs. The answer is
 * ACTOR_SAW or ACTOR_FAILED with turn, which is not 0.
 */
void actor_look(struct actor *a, unsigned turn, const struct plan_device *d, const struct order *o);
/*
 * Executes the plan: opens and locks the ledger, asks the guards of the ledger again, writes
 * "begun", reads the device again, compares with plan->before, then does each step. d: as of
 * actor_look(). The plan stays the caller's, unchanged until the caller has taken the run's last
 * event. undoes: the act that this one takes back, exempt from rates and cool-down; NULL none.
 */
void actor_run(struct actor *a, const struct plan_device *d, const struct order *look,
	const struct act_plan *plan, const struct consent *c, const char *snapshot,
	const char *snapshot_sha256, const char *undoes);
/* Writes one line about an act that does not run now (LEDGER_WATCHED, LEDGER_REFUSED). */
void actor_write(struct actor *a, enum ledger_event e, const char *act, json_t *detail);
/* Gives up looking and closes the connection to the device. Not during a run. */
void actor_leave(struct actor *a);
/* Takes all events so far, oldest first; the caller frees each (actor_event_free()). */
struct actor_event *actor_take(struct actor *a);
void actor_event_free(struct actor_event *e);

/*
 * Whether all settings of the port in now equal those in before. A setting that was unknown before
 * is ignored; a setting that is unknown only now counts as changed.
 */
bool condition_same(const struct condition *before, const struct condition *now);

#endif
