/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_LLDP_H
#define BACKENDS_PARSE_LLDP_H

#include "backends/parse/json_value.h"
#include "fabric/vocabulary/observation.h"

/* How a neighbour names its port: the relevant IEEE 802.1AB port ID subtypes. */
enum lldp_kind {
	LLDP_ID_OTHER, /* local name, alias: "etp1" of SONiC, an index of others */
	LLDP_ID_IFNAME,
	LLDP_ID_MAC, /* lldpd's default on hosts: the description is the interface name */
};

/* A neighbour as a device prints it. Any text may be NULL, or say that the TLV was absent. */
struct lldp_peer {
	const char *device; /* system name */
	const char *chassis_id, *port_id, *port_desc;
	enum lldp_kind id_kind;
	const char *mgmt, *descr; /* management address and system description */
	unsigned caps;            /* enabled capabilities, LLDP_CAP_*; 0: none is announced */
};
#define LLDP_CAP_BRIDGE  1u
#define LLDP_CAP_ROUTER  2u
#define LLDP_CAP_STATION 4u

enum lldp_kind lldp_kind_of_subtype(const char *subtype); /* "5", "3", "7": SONiC */
enum lldp_kind lldp_kind_of_name(const char *name);       /* "ifname", "mac", "interfaceName" */

/*
 * Adds the neighbour of a port: its names, then the words about it. A port may have several: each
 * is added, and the model decides. A neighbour without a system name (firmware of a NIC) has its
 * MAC as name, "b8:ce:f6:aa:00:01". A port id of subtype local is an alias and counts before the
 * description, which an operator may have written. False: the peer has no name of any kind.
 */
bool lldp_add(struct obs *o, uint32_t port, const struct lldp_peer *peer);

/* Enabled capabilities of a chassis in lldpcli's JSON, as in lldp_peer. */
unsigned lldp_chassis_caps(const struct json_value *chassis);
/* The same of the device itself: `lldpcli -f json0 show chassis`. */
unsigned lldp_own_caps(const struct json_value *doc);

/*
 * Reads lldpcli's JSON and calls each() for every neighbour on a local interface. Both formats are
 * accepted: json0 (arrays everywhere) and json (objects, which collapse for a single neighbour).
 */
void lldp_walk(const struct json_value *doc,
	void (*each)(void *ctx, const char *local, const struct lldp_peer *peer), void *ctx);

#endif
