/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_ACTING_H
#define APP_SESSION_ACTING_H

#include <uv.h>

#include "actions/manager/manager.h"
#include "app/session/session.h"

/*
 * Runs actions on the caller's loop: connects actions/ with a session. It exists only if the
 * inventory grants actions and the mode is not read-only. Otherwise acting_open() fails before it
 * reads any credential of the actions: section.
 */
struct acting;

struct acting_opts {
	uv_loop_t *loop;
	struct session *session; /* must be closed after it */
	bool read_only;
	int64_t watch_us;                       /* as in struct action_manager_opts */
	const struct perftest_partner *partner; /* likewise */
	void (*changed)(void *ctx);             /* stage, notes or refusals changed */
	void *ctx;
};

/* NULL with err: ERR_REFUSED without actions, ERR_CONFIG for unusable settings. */
struct acting *acting_open(const struct acting_opts *o, struct err *err);
/* Waits for a change under way (bounded). The loop must run once more. NULL is allowed. */
void acting_close(struct acting *a);

struct action_manager *acting_acts(struct acting *a);
/* To be called when the model changed or time passed. */
void acting_turn(struct acting *a);

/* target: "leaf-r3-00:Ethernet12" on the model. The error suggests near places. */
bool acting_begin(struct acting *a, const char *action, struct ref target, struct err *err);
bool acting_go(struct acting *a, const struct consent *c, const char *typed, struct err *err);
bool acting_undo(struct acting *a, const struct consent *c, struct err *err);

/*
 * Writes the state of the port's device, of the link partner and of the whole fabric to
 * snapshots/ACT.json beside the ledger: a new file, synced to disk. The snapshot hook of
 * manager_opts.
 */
bool acting_snapshot(struct session *s, const struct act_plan *p, const char *ledger,
	const char *act, char *path, size_t size, char sha256[65], struct err *err);

#endif
