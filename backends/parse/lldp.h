/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_LLDP_H
#define BACKENDS_PARSE_LLDP_H

#include "backends/parse/json_value.h"

/* How a neighbour names its port: the relevant IEEE 802.1AB port ID subtypes. */
enum lldp_kind {
	LLDP_ID_OTHER, /* local name, alias: the description is the better name, if present */
	LLDP_ID_IFNAME,
	LLDP_ID_MAC, /* lldpd's default on hosts: the description is the interface name */
};

struct lldp_peer {
	const char *device, *port_id, *port_desc; /* never NULL, "" when absent */
	enum lldp_kind id_kind;
	/* Management address and system description; "" or NULL when absent. */
	const char *mgmt, *descr;
	unsigned caps; /* enabled capabilities, LLDP_CAP_*; 0: none is announced */
};
#define LLDP_CAP_BRIDGE  1u
#define LLDP_CAP_ROUTER  2u
#define LLDP_CAP_STATION 4u

enum lldp_kind lldp_kind_of_subtype(const char *subtype); /* "5", "3", "7": SONiC */
enum lldp_kind lldp_kind_of_name(const char *name);       /* "ifname", "mac", "interfaceName" */

/* Returns the port's name as in the neighbour's own port list: one of the peer's two strings. */
const char *lldp_peer_port(const struct lldp_peer *peer);

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
