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
 * An action: what an operator can have done to one port of one device, and what must hold before.
 * Everything here is pure. The way of an action: manager.h.
 */

/* What an action is about. Pointers belong to the caller and live while it is planned. */
struct place_of_action {
	const struct plan *plan;
	const struct model *model;
	const struct plan_device *device;  /* of the inventory; never NULL */
	const struct dialect_changes *can; /* what its dialect can change; never NULL */
	const struct target *target;
	const struct device *dev; /* of the model */
	const struct port *port;  /* NULL: the device as a whole (counters) */
	int priority;             /* -1: the port */
	int64_t now_us;           /* wall */
};

/* What must hold beside what must hold for every action (guards.def). */
enum need_of_action {
	NEED_NO_STORM = 1 << 0,  /* no PFC storm is active on the port now */
	NEED_PFC_ON = 1 << 1,    /* PFC is on for the priority */
	NEED_PATHS = 1 << 2,     /* N-1 uplinks stay, and no running job loses its last path */
	NEED_AGREEMENT = 1 << 3, /* device and model say the same of the port */
	NEED_TIMERS = 1 << 4,    /* the inventory states the site's watchdog */
	NEED_SNAPSHOT = 1 << 5,  /* the state was written to a file before */
};

/* One order of a plan, and what takes it back. */
struct step {
	struct order order, undo;
	bool has_undo;
	int64_t dwell_us; /* to wait after its goal is met: a port that is down a while */
	struct request_list requests; /* exactly what will be sent */
	struct request_list undoing;  /* and to take it back, as far as is known beforehand */
	bool unproven;                /* the words were never tried on this platform's hardware */
	bool sites_own;               /* the words are those of the inventory */
};
typedef VEC(struct step) step_vec;

struct action_ops {
	const char *name;  /* "pfcwd-reset" */
	const char *title; /* "restart the PFC watchdog of one port" */
	const char *help;  /* two or three sentences: what it does, when to use it, what it costs */
	uint32_t kinds;    /* what it can be about: bits 1 << enum ref_kind */
	unsigned needs;    /* bits of enum need_of_action */
	/*
	 * The action whose way back this is: the limits between two actions are there against
	 * haste, and do not keep a drained link from coming back. NULL: none.
	 */
	const char *takes_back;
	bool harmless; /* blinks a light: no rate limit, no snapshot, no four eyes */
	/*
	 * The order that says which condition has to be read before anything else. False
	 * (ERR_UNSUPPORTED, ERR_REFUSED): the action makes no sense there; err has the cure.
	 */
	bool (*wants)(const struct place_of_action *at, struct order *look, struct err *err);
	/*
	 * The orders, from the condition as it is now: appends steps with order, undo and dwell
	 * (requests are filled by the caller). False (ERR_REFUSED): "the port is drained already".
	 */
	bool (*compose)(const struct place_of_action *at, const struct condition *now,
		step_vec *out, struct err *err);
	/* What is to be seen when it worked: "watchdog on Ethernet12 operational, drop 200/400 ms".
	 */
	void (*expect)(const struct place_of_action *at, const struct condition *now, char *dst,
		size_t size);
	/*
	 * During the watch, from the model: whether the outcome still holds. NULL: it is not
	 * watched. since_us: when the action was done.
	 */
	bool (*holds)(const struct place_of_action *at, const struct condition *after,
		int64_t since_us, char *why, size_t size);
};

#define ACTION(id) extern const struct action_ops action_##id;
#include "actions/kinds/actions.def"
#undef ACTION

/* actions/kinds/actions.def, in order. */
extern const struct action_ops *const action_table[];
extern const size_t action_count;
const struct action_ops *action_by_name(const char *name); /* NULL: none */
const char *action_names(void);                            /* "pfcwd-reset, ...", for messages */
/* "-", "_" and letters of a name may be typed as in the table only. */

void steps_free(step_vec *v);

#endif
