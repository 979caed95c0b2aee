/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_ACTING_H
#define APP_SESSION_ACTING_H

#include <uv.h>

#include "actions/manager/manager.h"
#include "app/session/session.h"

/*
 * Actions on the caller's loop: joins actions/ with a session. Exists only where the inventory
 * grants actions and nobody asked for read-only: in every other case acting_open() is where it
 * ends, and no credential of the actions: section has been looked at.
 */
struct acting;

struct acting_opts {
	uv_loop_t *loop;
	struct session *session; /* closed after it */
	bool read_only;
	int64_t watch_us;           /* as in struct acts_opts */
	void (*changed)(void *ctx); /* stage, notes or refusals are others than before */
	void *ctx;
};

/* NULL with err: ERR_REFUSED where there are no actions, ERR_CONFIG where they cannot be used. */
struct acting *acting_open(const struct acting_opts *o, struct err *err);
/* Waits for a change that is under way (bounded); the loop must run once more. NULL is allowed. */
void acting_close(struct acting *a);

struct acts *acting_acts(struct acting *a);
/* The model changed, or time passed. */
void acting_turn(struct acting *a);

/* "leaf-r3-00:Ethernet12" on the model; the error names near places. */
bool acting_begin(struct acting *a, const char *action, struct ref target, struct err *err);
bool acting_go(struct acting *a, const struct consent *c, const char *typed, struct err *err);
bool acting_undo(struct acting *a, const struct consent *c, struct err *err);

/*
 * Writes what is known of the port's device, of its peer and of the fabric as a whole beside the
 * ledger, in snapshots/ACT.json: a new file, forced to the disk. The hook of acts_opts.
 */
bool acting_snapshot(struct session *s, const struct act_plan *p, const char *ledger,
	const char *act, char *path, size_t size, char sha256[65], struct err *err);

#endif
