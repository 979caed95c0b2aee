/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIONS_GUARDS_GUARDS_H
#define ACTIONS_GUARDS_GUARDS_H

#include "actions/plan/plan.h"
#include "actions/ledger/ledger.h"

/* A refusal: the reason, and the cure that would lift it. */
struct refusal {
	const char *guard; /* "storm-active" */
	char why[240];  /* "Ethernet12 received 812 PFC frames/s on priority 3 in the last 10 s" */
	char cure[240]; /* "find who pauses it first: railtop trace --at leaf-r3-00:Ethernet12" */
};
typedef VEC(struct refusal) refusal_vec;

/* The operator's consent, beside the plan. */
struct consent {
	char reason[200], incident[64];
};

/* The input of all guards. Anything may be NULL while it is unknown; a guard then refuses. */
struct guard_context {
	const struct place_of_action *at;
	const struct action_ops *action;
	const struct act_plan *plan;       /* NULL before the device was read */
	const struct condition *condition; /* read last */
	const struct who *who;
	const struct ledger_facts *ledger; /* the facts from the ledger, see ledger.h */
	const struct consent *consent;     /* NULL: dry run, not asked yet */
	const char *kill_switch;           /* path */
	const char *approvals;             /* directory */
	bool snapshot_taken;
	bool dry_run; /* reason, incident, snapshot, approval and the lock are not asked for yet */
	int64_t now_us;  /* session time, as the times of the model and of the condition */
	int64_t wall_us; /* wall clock, as the times of the ledger and of files */
};

/*
 * Asks all guards that apply, in the table's order, and appends the refusals to out. True: none
 * refused. An unknown fact is a refusal: guards fail closed. Reads the kill switch and the
 * approval, writes nothing.
 */
bool guards_ask(const struct guard_context *x, refusal_vec *out);

struct guard_info {
	const char *name, *help;
	/* True: the guard does not object. */
	bool (*ask)(const struct guard_context *x, struct refusal *out);
};
extern const struct guard_info guard_table[];
extern const size_t guard_count;
/* Fills *r; returns false, so that a guard can return it. */
bool refuse(struct refusal *r, const char *cure, const char *why, ...)
	__attribute__((format(printf, 3, 4)));
/* "refused by storm-active: ...; ..." in one line. */
void refusal_line(const struct refusal *r, char *dst, size_t size);

#endif
