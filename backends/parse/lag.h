/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_LAG_H
#define BACKENDS_PARSE_LAG_H

#include "fabric/vocabulary/observation.h"

/*
 * Bundles of a switch: port-channels, LAGs, bonds. A bundle is a port that names itself in
 * ATTR_BOND; its members name it. The bundle has no counters of its own here: they are those of its
 * members.
 */
enum lag_member_state {
	LAG_ACTIVE,     /* it carries packets of the bundle */
	LAG_STANDBY,    /* kept in reserve by LACP */
	LAG_SUSPENDED,  /* its link is up, and LACP keeps it out */
	LAG_INDIVIDUAL, /* its link is up, and it works as a port of its own */
	LAG_DOWN,       /* its link is down */
	LAG_UNKNOWN
};

/* Adds the bundle. oper: "up", "down", "" unknown; min: least active members, 0 unknown. */
uint32_t lag_bundle(
	struct obs *o, const char *name, const char *oper, const char *protocol, double min);
/* Adds a member. why: the device's reason, "" none. */
void lag_member(
	struct obs *o, uint32_t port, const char *bundle, enum lag_member_state s, const char *why);

#endif
