/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIONS_MANAGER_MANAGER_H
#define ACTIONS_MANAGER_MANAGER_H

#include "actions/guards/guards.h"
#include "backends/transport/transport.h"

/*
 * The manager: the states of an action, for console and command line alike.
 *
 *   manager_begin()  LOOKING   connects to the device and reads its condition.
 *                 PLANNED   the plan is made, guards were asked   (or REFUSED).
 *   manager_go()     RUNNING   guards again, device again, ledger; then for each step:
 *                           announce, send, answer, read back; undo if a step fails.
 *                 DONE | FAILED (the device is as before) | UNKNOWN.
 *                 WATCHING  checks the outcome in the model for 15 minutes; HELD | BROKE.
 *
 * One action at a time. A thread of its own talks to devices and writes the ledger. The main thread
 * calls all functions here, and none of them blocks. manager_open() is the only way to a connection
 * that may change a device: no code outside actions/ can make a device change.
 */
enum act_stage {
	ACT_NONE,
	ACT_LOOKING,
	ACT_REFUSED, /* refusals has the reasons; there is a plan if it could be made */
	ACT_PLANNED,
	ACT_RUNNING,
	ACT_DONE, /* done and read back; with a watch: WATCHING follows */
	ACT_WATCHING,
	ACT_HELD,
	ACT_BROKE, /* the outcome did not hold: undoing is offered */
	ACT_FAILED,
	ACT_UNKNOWN,
};
const char *act_stage_name(enum act_stage s);
bool act_stage_ended(enum act_stage s); /* the stage does not change by itself any more */

struct action_manager_opts {
	const struct plan *plan; /* must outlive the manager */
	bool read_only;
	int64_t watch_us;          /* duration of the watch; 0: from the inventory, -1: no watch */
	const struct clock *clock; /* NULL: clock_system */
	/* Called on the executor's thread when manager_turn() is due. Must only wake the main loop.
	 */
	void (*wake)(void *ctx);
	/*
	 * Writes the state of the fabric to a file before an action; path receives its name, sha256
	 * its hash. Called on the main thread.
	 */
	bool (*snapshot)(void *ctx, const char *act, char *path, size_t size, char sha256[65],
		struct err *err);
	void *ctx;
	const struct who *who;                  /* the operator; NULL: who_am_i() */
	const struct perftest_partner *partner; /* see struct place_of_action; it must outlive it */
	/*
	 * Writes what is known to be wrong at the place of an action in words, for its reason:
	 * place_of_action.cause. named: the port that the operator named, NULL: the device. NULL:
	 * nothing is known. Called on the main thread.
	 */
	void (*cause)(void *ctx, const struct device *d, const struct port *named, char *dst,
		size_t size);
	/* For tests; NULL: transport_of(), and the dialect that the inventory names. */
	const struct transport *(*transport)(enum transport_kind kind);
	const struct backend_ops *ops;
	/* For tests: divides pauses by hurry and deadlines by ten. 0: real times. */
	unsigned hurry;
	unsigned patience; /* for tests: divides deadlines instead of the ten of hurry; 0: unused */
};
struct action_manager;

/*
 * Opens the manager. NULL with ERR_REFUSED in read-only mode, or without actions: in the inventory;
 * then no credential was read. NULL with ERR_CONFIG: the section is invalid. manager_close() frees
 * it.
 */
struct action_manager *manager_open(const struct action_manager_opts *o, struct err *err);
/* Waits for a step in progress, bounded by its deadline; NULL is allowed. */
void manager_close(struct action_manager *a);

/* Plans action at target. False: it makes no sense there, or another action is in progress. */
bool manager_begin(struct action_manager *a, const struct action_ops *action, struct ref target,
	const struct model *m, int64_t now_us, struct err *err);
/* Handles the executor's events, asks guards, judges the watch. True: something changed. */
bool manager_turn(struct action_manager *a, const struct model *m, int64_t now_us);
/* Wall time when manager_turn() is due without a wake; INT64_MAX: never. */
int64_t manager_due(const struct action_manager *a);
/*
 * Executes the plan. typed must be the plan's word. False (ERR_REFUSED, ERR_USAGE): nothing was
 * done; manager_refusals() and the ledger have the refusals of this moment.
 */
bool manager_go(struct action_manager *a, const struct consent *c, const char *typed,
	const struct model *m, int64_t now_us, struct err *err);
/* Takes back the last action, during its watch or after a failure, as an action of its own. */
bool manager_undo(struct action_manager *a, const struct consent *c, const struct model *m,
	int64_t now_us, struct err *err);
/* Drops a plan, or ends a watch (with a line in the ledger). Not during a run. */
bool manager_drop(struct action_manager *a, struct err *err);

enum act_stage manager_stage(const struct action_manager *a);
const struct act_plan *manager_plan(const struct action_manager *a); /* NULL: none yet */
const refusal_vec *manager_refusals(const struct action_manager *a);
/* The notes on the progress, oldest first; the list only grows. */
struct act_note {
	int64_t t_us;
	enum plan_tone tone;
	char text[240];
};
typedef VEC(struct act_note) act_note_vec;
const act_note_vec *manager_notes(const struct action_manager *a);
/* The words that the operator is to run now, with the incident: after ACT_DONE; else none. */
const words_vec *manager_words(const struct action_manager *a);
/* What the action measured so far, in the order of its steps. */
typedef VEC(struct measurement) measurement_vec;
const measurement_vec *manager_measurements(const struct action_manager *a);
/* One line on the result or the stage: "done: watchdog operational, drop 200/400 ms". */
void manager_summary(const struct action_manager *a, char *dst, size_t size);
/* Whether the device accepted the last command without reporting its effect. */
bool manager_unseen(const struct action_manager *a);
int64_t manager_watch_ends(const struct action_manager *a); /* 0: no watch */
const char *manager_ledger_path(const struct action_manager *a);
const struct who *manager_user(const struct action_manager *a);

#endif
