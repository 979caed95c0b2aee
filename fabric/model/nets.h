/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_MODEL_NETS_H
#define FABRIC_MODEL_NETS_H

#include "fabric/model/model.h"

/*
 * The networks of a site: a switch is of one, a host has ports of several.
 *
 * The network of a port: as the inventory lists it (nets:); else that of its switch, or storage
 * server; else that of the device at its other end, by LLDP or plan; else the backend if it has a
 * rail; else out-of-band if it is the BMC's (HOST_BMC_PORT). A slave of a bond, or a bond, is of
 * the network of the others. NET_COUNT: not known.
 */
enum net_kind port_net(const struct model *m, const struct port *p);
/* Its network where the inventory lists it by name (nets:); else NET_COUNT. */
enum net_kind port_net_listed(const struct model *m, const struct port *p);

/*
 * The port's state; of a port that cannot tell its own, such as a BMC's, that of the port which
 * LLDP shows at its other end.
 */
enum oper port_oper_seen(const struct model *m, const struct port *p);

/*
 * The way of the poll into the device, by the network device that has the address it reached
 * (struct device.poll_path). In-band: over ports that carry the traffic railtop watches, so that
 * what holds the traffic up holds the poll up too; those of a host's frontend are not.
 */
struct poll_path {
	enum poll_path_kind { PATH_UNKNOWN, PATH_OUT_OF_BAND, PATH_FRONTEND, PATH_IN_BAND } kind;
	const char *device; /* "eth0"; "": not known. Owned by the model. */
};
struct poll_path device_poll_path(const struct model *m, const struct device *d);
/* "unknown", "out-of-band", "frontend", "in-band": JSON has them too. */
const char *poll_path_name(struct poll_path w);

/*
 * How far a link goes. Light needs 4.9 us a kilometre of fibre each way, and switches, queues and
 * transponders come on top: the time is the least one. Between sites the length may not be known.
 */
enum reach {
	REACH_UNKNOWN,
	REACH_SITE,  /* below 2 km, or within a site and of no stated length */
	REACH_METRO, /* below 100 km */
	REACH_LONG,
	REACH_BETWEEN /* two sites, and the length is not stated */
};
struct link_reach {
	enum reach reach;
	unsigned metres; /* 0: not stated */
	double rtt_us;   /* NAN: not known */
};
struct link_reach port_reach(const struct model *m, const struct port *p);
const char *reach_name(enum reach r); /* "", "site", "metro", "long", "between sites" */
/*
 * Bytes that a priority group must hold beside XOFF so that nothing is lost: what is in flight both
 * ways over the cable, and a packet at either end that was begun. NAN: length or speed not known.
 */
double port_headroom_least(const struct port *p);

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
