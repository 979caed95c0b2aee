/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIONS_MANAGER_EXECUTOR_H
#define ACTIONS_MANAGER_EXECUTOR_H

#include "actions/plan/plan.h"
#include "actions/manager/manager.h"

/*
 * The executor: a thread that talks to the device and writes the ledger. Private to actions/: only
 * the files of manager/ use it. It has no model; its results come back as events.
 */
struct action_executor;

enum executor_event_kind {
	EXECUTOR_SAW,      /* the condition was read: condition, facts, ledger */
	EXECUTOR_NOTE,     /* something happened: text, tone */
	EXECUTOR_MEASURED, /* a result: measurement, and text in words */
	EXECUTOR_REFUSED,  /* before anything was sent: guard, err */
	EXECUTOR_DONE,     /* condition is the one read back */
	EXECUTOR_FAILED,   /* nothing was changed, or all of it was taken back; err */
	EXECUTOR_UNKNOWN,  /* err */
};
struct executor_event {
	struct executor_event *next;
	enum executor_event_kind kind;
	unsigned turn; /* SAW, FAILED: the turn of its executor_look(); 0: of a run */
	struct condition condition;
	struct err err;
	const char *guard; /* REFUSED: static */
	bool unseen; /* DONE: the device accepted the command, but does not report its effect */
	enum plan_tone tone;
	char text[240];
	struct measurement measurement;
	struct facts facts; /* with EXECUTOR_SAW: facts from the device's detection; the receiver
			       owns them */
	struct ledger_facts ledger; /* with EXECUTOR_SAW */
};

struct action_executor_opts {
	const struct plan *plan;
	const struct clock *clock;
	void (*wake)(void *ctx);
	void *ctx;
	const struct transport *(*transport)(enum transport_kind kind);
	const struct backend_ops *ops; /* NULL: by the dialect's name */
	unsigned hurry, patience;      /* manager.h */
	/* Must outlive it. */
	const char *ledger, *kill_switch, *approvals;
	const struct who *who;
};
struct action_executor *executor_start(const struct action_executor_opts *o, struct err *err);
/*
 * Ends the thread. Gives up a look at once, and a run that has sent nothing yet. A run that has
 * sent something goes on to its end, bounded by its deadlines. Ledger lines that are queued already
 * are written before.
 */
void executor_stop(struct action_executor *a);

/*
 * Connects to the device if necessary, and reads the condition that order needs. The answer is
 * EXECUTOR_SAW or EXECUTOR_FAILED with turn, which is not 0.
 */
void executor_look(struct action_executor *a, unsigned turn, const struct plan_device *d,
	const struct order *o);
/* The same for an action in words: the facts of the ledger alone, the device is not asked. */
void executor_count(struct action_executor *a, unsigned turn, const struct plan_device *d);
/*
 * Executes the plan: opens and locks the ledger, asks the guards of the ledger again, writes
 * "begun", reads the device again, compares with plan->before, then does each step. d: as of
 * executor_look(). The plan stays the caller's, unchanged until the caller has taken the run's last
 * event. undoes: the act that this one takes back, exempt from rates and cool-down; NULL none.
 */
void executor_run(struct action_executor *a, const struct plan_device *d, const struct order *look,
	const struct act_plan *plan, const struct consent *c, const char *snapshot,
	const char *snapshot_sha256, const char *undoes);
/* Writes one line about an act that does not run now (LEDGER_WATCHED, LEDGER_REFUSED). */
void executor_write(
	struct action_executor *a, enum ledger_event e, const char *act, json_t *detail);
/* Gives up looking and closes the connection to the device. Not during a run. */
void executor_leave(struct action_executor *a);
/* Takes all events so far, oldest first; the caller frees each (executor_event_free()). */
struct executor_event *executor_take(struct action_executor *a);
void executor_event_free(struct executor_event *e);

/*
 * Whether all settings of the port in now equal those in before. A setting that was unknown before
 * is ignored; a setting that is unknown only now counts as changed.
 */
bool condition_same(const struct condition *before, const struct condition *now);

#endif
