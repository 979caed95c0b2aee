/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_MODEL_NETS_H
#define FABRIC_MODEL_NETS_H

#include "fabric/model/model.h"

/*
 * The networks of a site: a switch is of one, a host has ports of several.
 *
 * The network of a port: as the inventory lists it (nets:); else that of its switch, or storage
 * server; else that of the device at its other end, by LLDP or plan; else the backend if it has a
 * rail. A slave of a bond, or a bond, is of the network of the others. NET_COUNT: not known.
 */
enum net_kind port_net(const struct model *m, const struct port *p);
/* Its network where the inventory lists it by name (nets:); else NET_COUNT. */
enum net_kind port_net_listed(const struct model *m, const struct port *p);

/* Numbers of one network. A host counts where it has a port. */
struct net_count {
	unsigned switches, switches_seen, hosts, hosts_seen;
	unsigned ports, up, down; /* NICs of hosts that were seen or planned, not bonds */
	unsigned links, found;    /* planned, and those of them that LLDP shows; without a plan:
				     those that LLDP shows */
};
/* out[NET_COUNT]: ports whose network is not known. Visits all ports. */
void model_count_nets(const struct model *m, struct net_count out[NET_COUNT + 1]);

#endif
