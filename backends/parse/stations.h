/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_STATIONS_H
#define BACKENDS_PARSE_STATIONS_H

#include "backends/parse/json_value.h"
#include "fabric/vocabulary/mac.h"
#include "fabric/vocabulary/observation.h"

/*
 * Stations that a switch has heard at its ports: ARP and ND entries of routed ports, the forwarding
 * table of bridged ones. Starts as {0}.
 */
struct station_heard {
	uint32_t port;
	char mac[MAC_TEXT];
};
struct stations {
	VEC(struct station_heard) at;
};

/* Adds one, in any vendor's form. No station: "", 0, a group address, OBS_NO_PORT. */
void stations_add(struct stations *s, uint32_t port, const char *mac);
/* Adds ATTR_MACS of each port to the batch, then frees the list. all: the list is complete. */
void stations_tell(struct stations *s, struct obs *o, bool all);

/*
 * Reads `ip -j neigh show` and `bridge -j fdb show` of a Linux. Entries that failed and
 * the system's own are no stations. What came from elsewhere (a tunnel, an EVPN route) is at no
 * port. port_of() gives the port of a network device, or OBS_NO_PORT.
 */
void stations_neigh(struct stations *s, const struct json_value *list,
	uint32_t (*port_of)(void *ctx, const char *netdev), void *ctx);
void stations_fdb(struct stations *s, const struct json_value *list,
	uint32_t (*port_of)(void *ctx, const char *netdev), void *ctx);

#endif
