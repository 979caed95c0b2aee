/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIONS_MANAGER_MANAGER_PRIVATE_H
#define ACTIONS_MANAGER_MANAGER_PRIVATE_H

#include "actions/manager/executor.h"
#include "actions/manager/manager.h"
#include "base/clock.h"

/* Shared by the files of manager/; all of it belongs to the main thread. */

/*
 * A plan that waits for consent is refreshed: how often the device is read again, and for how long.
 */
#define ACTS_REFRESH_US (4 * CLOCK_SEC)
#define ACTS_WAITS_US   (900 * CLOCK_SEC)
/* The interval of judging the outcome. It must fail for ACTS_BAD_US, as tiers are polled apart. */
#define ACTS_JUDGE_US (5 * CLOCK_SEC)
#define ACTS_BAD_US   (20 * CLOCK_SEC)

struct action_manager {
	struct action_manager_opts o;
	char *ledger, *kill_switch, *approvals;
	struct who who;
	struct action_executor *actor;
	enum act_stage stage;

	/* The place of the action. */
	const struct action_ops *action;
	const struct plan_device *device;
	const struct backend_ops *ops;
	struct target target;
	struct facts facts; /* of target */
	uint32_t port;      /* PORT_NONE: the device */
	int priority;
	struct order look;
	char cause[200]; /* of an action in words */

	/* The last condition. */
	unsigned turn, asked; /* looks requested so far; the one whose answer is due, 0: none */
	int64_t looked_us, planned_us;
	struct condition seen;
	struct ledger_facts ledger_facts;

	struct act_plan plan;
	bool has_plan;
	bool waits; /* for consent: refreshed, even while a guard refuses for a moment */
	refusal_vec refusals;
	act_note_vec notes;
	measurement_vec measurements;
	words_vec words; /* as given to the operator */
	struct err err;  /* of the end */

	/*
	 * For manager_undo(): the act that it takes back, and the stage to return to after a
	 * refusal.
	 */
	char undoes[40];
	enum act_stage back;
	struct consent consent;
	struct act_plan undo;
	bool has_undo;

	/* The watch. */
	struct condition after;
	bool unseen;            /* manager_unseen() */
	int64_t clock_ahead_us; /* wall clock minus session time, as of the last look at the model
				 */
	int64_t done_us, watch_ends_us, judged_us, bad_since_us;
	char bad[200];
};

/* ---- manager.c ---- */
void manager_note(struct action_manager *a, int64_t now_us, enum plan_tone tone, const char *fmt,
	...) __attribute__((format(printf, 4, 5)));
void manager_place(struct action_manager *a, const struct model *m, int64_t now_us,
	struct place_of_action *at);
void manager_ask_device(struct action_manager *a, int64_t now_us);
/* The members about the action for a ledger line. */
json_t *manager_detail(const struct action_manager *a, const struct act_plan *p);

/* ---- go.c ---- */
/*
 * Asks the guards about p; consent NULL: a dry run. Takes the snapshot if p needs one and no other
 * guard refuses. False: manager_refusals() has the refusals, err the first of them.
 */
bool manager_allowed(struct action_manager *a, const struct act_plan *p,
	const struct consent *consent, const struct model *m, int64_t now_us, char *path,
	size_t size, char sha256[65], struct err *err);
/* Writes a refusal to the ledger, or starts the run. */
bool manager_run(struct action_manager *a, const struct act_plan *p, const struct consent *consent,
	const struct model *m, int64_t now_us, struct err *err);

/* ---- undo.c ---- */
void manager_undo_saw(struct action_manager *a, const struct model *m, int64_t now_us);
void manager_undo_failed(struct action_manager *a, int64_t now_us, const struct err *why);

/* ---- watch.c ---- */
void manager_watch_begin(struct action_manager *a, int64_t now_us);
bool manager_watch_turn(struct action_manager *a, const struct model *m, int64_t now_us);
/* Ends the watch with outcome in the ledger. */
void manager_watch_end(
	struct action_manager *a, int64_t now_us, const char *outcome, const char *why);

#endif
