/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIONS_KINDS_ACTION_H
#define ACTIONS_KINDS_ACTION_H

#include "actions/kinds/blast.h"
#include "backends/contract/change.h"
#include "base/err.h"
#include "base/vec.h"
#include "fabric/model/model.h"
#include "fabric/plan/plan.h"
#include "fabric/ref.h"

/*
 * Actions: the changes that an operator can request for one port of one device, and their
 * preconditions. Everything here is pure. manager.h describes the states of an action.
 */

/* The place of an action. The pointers belong to the caller and stay valid while it is planned. */
struct place_of_action {
	const struct plan *plan;
	const struct model *model;
	const struct plan_device *device;  /* of the inventory; never NULL */
	const struct dialect_changes *can; /* what its dialect can change; never NULL */
	const struct target *target;
	const struct device *dev; /* of the model */
	const struct port *port;  /* NULL: the device as a whole (counters) */
	int priority;             /* -1: the port */
	/* The other host of a perftest; NULL: one is chosen (actions/kinds/perftest.h). */
	const struct perftest_partner *partner;
	/*
	 * Why the operator acts, for the words that others will read: a finding and its place,
	 * "link.flapping leaf-r3-00:Ethernet12"; NULL, "": not known.
	 */
	const char *cause;
	int64_t now_us; /* session time */
};

/* Preconditions of single actions, beside those of every action (guards.def). */
enum need_of_action {
	NEED_NO_STORM = 1 << 0,  /* no PFC storm is active on the port now */
	NEED_PFC_ON = 1 << 1,    /* PFC is on for the priority */
	NEED_PATHS = 1 << 2,     /* N-1 uplinks stay, and no running job loses its last path */
	NEED_AGREEMENT = 1 << 3, /* device and model report the same state of the port */
	NEED_TIMERS = 1 << 4,    /* the inventory states the site's watchdog */
	NEED_SNAPSHOT = 1 << 5,  /* the state was written to a file before */
	NEED_IDLE_HOST = 1 << 6, /* no job runs on the host */
	NEED_HOSTS = 1 << 7,     /* enough other hosts answer */
};

/*
 * Words of an action that railtop never carries out itself: an operator runs them, with rights that
 * railtop does not have. "{incident}" stands for the incident key, which is known at the consent.
 */
struct words {
	const char *system; /* who is told: "slurm" */
	char look[320];     /* shows the state, before and after */
	char run[640];      /* the command line */
	char undo[320];     /* takes it back; "": nothing does */
};
typedef VEC(struct words) words_vec;
#define WORDS_INCIDENT "{incident}"

/* One order of a plan, and the order that takes it back. */
struct step {
	struct order order, undo;
	bool has_undo;
	int64_t dwell_us; /* waiting time after the goal is met: the port stays down this long */
	struct request_list requests; /* the exact requests to be sent */
	struct request_list
		undoing; /* the requests that take it back, as far as they are known beforehand */
	bool unproven;   /* the commands were never tried on this platform's hardware */
	bool sites_own;  /* the commands come from the inventory */
};
typedef VEC(struct step) step_vec;

struct action_ops {
	const char *name;  /* "pfcwd-reset" */
	const char *title; /* "restart the PFC watchdog of one port" */
	const char *help;  /* two or three sentences: its effect, when to use it, its cost */
	uint32_t kinds;    /* the objects that it applies to: bits 1 << enum ref_kind */
	unsigned needs;    /* bits of enum need_of_action */
	/*
	 * The action that this one takes back; NULL: none. The minimum times between two actions do
	 * not apply then, so that a drained link can come back at once.
	 */
	const char *takes_back;
	/* Blinks a light, or measures an idle host: no rate limit, no snapshot, no four eyes. */
	bool harmless;
	/* Loads the fabric of others: actions.allow has to name it, an inventory without grants all
	 * but these. */
	bool by_name;
	/*
	 * An action in words: appends them, and nothing is ever sent or read; the operator runs
	 * them. It has neither wants() nor compose(), and stands at a host: a port of a switch
	 * means the host at its other end. False (ERR_REFUSED). NULL: railtop acts itself.
	 */
	bool (*words)(const struct place_of_action *at, words_vec *out, struct err *err);
	/*
	 * Sets *look to the order whose condition has to be read first. False (ERR_UNSUPPORTED,
	 * ERR_REFUSED): the action makes no sense there; err has the cure.
	 */
	bool (*wants)(const struct place_of_action *at, struct order *look, struct err *err);
	/*
	 * Appends the steps for the condition as it is now, each with order, undo and dwell (the
	 * caller fills the requests). False (ERR_REFUSED): "the port is drained already".
	 */
	bool (*compose)(const struct place_of_action *at, const struct condition *now,
		step_vec *out, struct err *err);
	/* Writes the expected result: "watchdog on Ethernet12 operational, drop 200/400 ms". */
	void (*expect)(const struct place_of_action *at, const struct condition *now, char *dst,
		size_t size);
	/*
	 * During the watch: whether the outcome still holds, from the model. since_us: when the
	 * action was done. NULL: the action is not watched.
	 */
	bool (*holds)(const struct place_of_action *at, const struct condition *after,
		int64_t since_us, char *why, size_t size);
};

#define ACTION(id) extern const struct action_ops action_##id;
#include "actions/kinds/actions.def"
#undef ACTION

/* The actions in the order of actions/kinds/actions.def. */
extern const struct action_ops *const action_table[];
extern const size_t action_count;
const struct action_ops *action_by_name(const char *name); /* NULL: none */
const char *action_names(void);                            /* "pfcwd-reset, ...", for messages */
/* Finds an action by name; "-", "_" and the case of letters have to match the table. */

void steps_free(step_vec *v);

#endif
