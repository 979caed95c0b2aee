/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIONS_MANAGER_MANAGER_H
#define ACTIONS_MANAGER_MANAGER_H

#include "actions/guards/guards.h"
#include "backends/transport/transport.h"

/*
 * The way of an action, for console and command line alike:
 *
 *   acts_begin()  LOOKING   the device is connected to and its condition read
 *                 PLANNED   the plan stands, guards were asked   (or REFUSED)
 *   acts_go()     RUNNING   guards again, the device read again, ledger, then step by step:
 *                           announce, send, answer, read back; undo where a step fails
 *                 DONE | FAILED (the device is as it was) | UNKNOWN (nobody can tell)
 *                 WATCHING  the model is looked at for 15 minutes; HELD | BROKE
 *
 * One at a time. Devices are talked to and the ledger is written on a thread of its own; all
 * functions here are called by the main thread, and none of them blocks. Nothing outside actions/
 * can make a device change: acts_open() is the only way to a link that is permitted to.
 */
enum act_stage {
	ACT_NONE,
	ACT_LOOKING,
	ACT_REFUSED, /* refusals say why; the plan is there if it could be made */
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
bool act_stage_ended(enum act_stage s); /* nothing more comes by itself */

struct acts_opts {
	const struct plan *plan; /* must outlive it */
	bool read_only;
	int64_t watch_us; /* how long the outcome is watched; 0: as the inventory says, -1: not */
	const struct clock *clock; /* NULL: clock_system */
	/* From the actor's thread: acts_turn() is due. Must only wake the main loop. */
	void (*wake)(void *ctx);
	/*
	 * Writes the state of everything to a file before an action; path receives where, sha256
	 * its hash. Called on the main thread.
	 */
	bool (*snapshot)(void *ctx, const char *act, char *path, size_t size, char sha256[65],
		struct err *err);
	void *ctx;
	/* For tests; NULL: transport_of(), the dialect that the inventory names. */
	const struct transport *(*transport)(enum transport_kind kind);
	const struct backend_ops *ops;
	/* For tests: pauses are divided by it, deadlines by ten. 0: as they should be. */
	unsigned hurry;
	unsigned
		patience; /* for tests: deadlines are divided by it instead. 0: by ten with hurry */
};
struct acts;

/*
 * NULL with err (ERR_REFUSED) in read-only mode and without actions: in the inventory; no
 * credential has been looked at then. NULL with ERR_CONFIG: the section cannot be used.
 */
struct acts *acts_open(const struct acts_opts *o, struct err *err);
/* Waits for a step that is under way, bounded by its deadline; NULL is allowed. */
void acts_close(struct acts *a);

/* Plans action at target. False: it makes no sense there, or another one is under way. */
bool acts_begin(struct acts *a, const struct action_ops *action, struct ref target,
	const struct model *m, int64_t now_us, struct err *err);
/* Takes what the actor told, asks guards, judges the watch. True: something changed. */
bool acts_turn(struct acts *a, const struct model *m, int64_t now_us);
/* When acts_turn() is due without a wake, wall; INT64_MAX: not. */
int64_t acts_due(const struct acts *a);
/*
 * Executes the plan. typed must be the plan's word. False (ERR_REFUSED, ERR_USAGE): nothing was
 * done; what guards say now is in acts_refusals() as well, and in the ledger.
 */
bool acts_go(struct acts *a, const struct consent *c, const char *typed, const struct model *m,
	int64_t now_us, struct err *err);
/* Takes back what was done, while it is watched, or after a failure: an action of its own. */
bool acts_undo(struct acts *a, const struct consent *c, const struct model *m, int64_t now_us,
	struct err *err);
/* Forgets a plan, or ends a watch (which the ledger then says). Not while it runs. */
bool acts_drop(struct acts *a, struct err *err);

enum act_stage acts_stage(const struct acts *a);
const struct act_plan *acts_plan(const struct acts *a); /* NULL: none yet */
const refusal_vec *acts_refusals(const struct acts *a);
/* What has happened so far, oldest first; grows only. */
struct act_note {
	int64_t t_us;
	enum plan_tone tone;
	char text[240];
};
typedef VEC(struct act_note) act_note_vec;
const act_note_vec *acts_notes(const struct acts *a);
/* One line that says how it ended, or where it is: "done: watchdog operational, drop 200/400 ms".
 */
void acts_summary(const struct acts *a, char *dst, size_t size);
/* It is done as far as the device took it, and does not tell what became of it. */
bool acts_unseen(const struct acts *a);
int64_t acts_watch_ends(const struct acts *a); /* 0: no watch */
const char *acts_ledger_path(const struct acts *a);
const struct who *acts_who(const struct acts *a);

#endif
