/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_SONIC_CHANGE_H
#define BACKENDS_DIALECTS_SONIC_CHANGE_H

#include "backends/contract/change.h"

/*
 * Changes on SONiC: the tools of sonic-utilities as root, one command line each, and one script in
 * Redis (sonic_condition_lua) that tells the condition. What they change is running only until
 * somebody types "config save": neither is it done here, nor does a drain survive a reboot.
 */
extern const struct dialect_changes sonic_changes;

/* The names of look()'s requests. */
#define SONIC_CONDITION "condition"
#define SONIC_SESSIONS  "sessions"

/* see() for its answers: change_readback.c. */
bool sonic_see(const struct target *t, const struct order *o, const char *request,
	const struct reply *r, struct condition *c, struct err *err);

/* "wredqueue" of the tool counterpoll to its row, "WRED_ECN_QUEUE"; NULL: none of ours. */
const char *sonic_counter_row(const char *group);

#endif
