/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIONS_MANAGER_EXECUTOR_H
#define ACTIONS_MANAGER_EXECUTOR_H

#include "actions/plan/plan.h"
#include "actions/manager/manager.h"

/*
 * The thread that talks to the one device and writes the ledger. Private to actions/: acts*.c are
 * its only users. It knows no model; what it learns comes back as events.
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
	unsigned turn; /* SAW, FAILED: of the actor_look() that it answers; 0: of a run */
	struct condition condition;
	struct err err;
	const char *guard; /* REFUSED: static */
	bool unseen;       /* DONE: the device took it, and does not tell what became of it */
	enum plan_tone tone;
	char text[240];
	struct facts facts; /* with ACTOR_SAW: what the device's detection taught; the taker's */
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
 * Ends it. Looking is given up at once. A run that has sent nothing yet is given up as well; one
 * that has goes on to its end, which its deadlines bound. Lines of the ledger that are asked for
 * already are written before.
 */
void actor_stop(struct actor *a);

/*
 * Connects to the device if it is not, and reads what order needs. Answered by ACTOR_SAW or
 * ACTOR_FAILED with turn, which is not 0.
 */
void actor_look(struct actor *a, unsigned turn, const struct plan_device *d, const struct order *o);
/*
 * Does the plan: opens and locks the ledger, asks the guards of the ledger again, writes "begun",
 * reads the device again and compares with plan->before, then each step. d: as of actor_look().
 * The plan stays the caller's and unchanged until the run's last event was taken. undoes: the act
 * that this one takes back, or NULL: rates and cool-down do not hold it up then.
 */
void actor_run(struct actor *a, const struct plan_device *d, const struct order *look,
	const struct act_plan *plan, const struct consent *c, const char *snapshot,
	const char *snapshot_sha256, const char *undoes);
/* Writes one line about an act that is not run now (LEDGER_WATCHED, LEDGER_REFUSED). */
void actor_write(struct actor *a, enum ledger_event e, const char *act, json_t *detail);
/* Gives up looking and ends the connection to the device. Not during a run. */
void actor_leave(struct actor *a);
/* All events so far, oldest first; the caller frees each (actor_event_free()). */
struct actor_event *actor_take(struct actor *a);
void actor_event_free(struct actor_event *e);

/*
 * Whether all that can be set on the port is in now as it was before. What was not told before says
 * nothing; what is not told any more counts as changed.
 */
bool condition_same(const struct condition *before, const struct condition *now);

#endif
