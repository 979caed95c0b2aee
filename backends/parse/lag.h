/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_LAG_H
#define BACKENDS_PARSE_LAG_H

#include "backends/contract/target.h"
#include "backends/parse/json_value.h"
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
/* The port is in no bundle. */
void lag_left(struct obs *o, uint32_t port);
/*
 * A segment of EVPN multihoming that the bundle belongs to: "segment 03:00:... up alone". others:
 * switches that serve it besides this one.
 */
void lag_segment(
	struct obs *o, const char *bundle, const char *esi, const char *state, unsigned others);

/*
 * The batch has all segments of the switch: a bundle that was in one before, and is in none now,
 * loses its text. Which ones were is a fact, "segments"; a list that is too long for it clears
 * nothing.
 */
void lag_segments_end(const struct target *t, struct obs *o);

/*
 * Bonds and teams in the kernel's list of links, `ip -j -d link show`. link is one entry of it.
 */
bool lag_link_is_bundle(const struct json_value *link);
/* The entry of that name; NULL: none. */
const struct json_value *lag_link_named(const struct json_value *list, const char *name);
/* Adds a port of the list: to the bundle that is its master, or as a port that has none. */
void lag_link_port(struct obs *o, uint32_t port, bool is_up, const struct json_value *link,
	const struct json_value *list);
/*
 * Adds the bundles that ports of the batch are in: call it after them. A bundle of management ports
 * is none of theirs.
 */
void lag_link_bundles(struct obs *o, const struct json_value *list);

#endif
