/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_SONIC_CHANGE_H
#define BACKENDS_DIALECTS_SONIC_CHANGE_H

#include "backends/contract/change.h"

/*
 * Changes on SONiC: the tools of sonic-utilities as root, one command line each. One script in
 * Redis (sonic_condition_lua) reads the condition. The changes affect the running configuration
 * only. railtop does not run "config save", so a drain does not survive a reboot unless the
 * operator does.
 */
extern const struct dialect_changes sonic_changes;

/* Names of the requests that read the condition. */
#define SONIC_CONDITION "condition"
#define SONIC_SESSIONS  "sessions"

/* Decodes their answers: change_readback.c. */
bool sonic_see(const struct target *t, const struct order *o, const char *request,
	const struct reply *r, struct condition *c, struct err *err);

/*
 * Maps a group of the tool counterpoll to its row: "wredqueue" to "WRED_ECN_QUEUE"; NULL: unknown.
 */
const char *sonic_counter_row(const char *group);

#endif
