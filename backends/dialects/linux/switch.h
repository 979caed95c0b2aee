/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_LINUX_SWITCH_H
#define BACKENDS_DIALECTS_LINUX_SWITCH_H

#include "backends/dialects/linux/linux.h"
#include "backends/dialects/linux/qos.h"
#include "backends/parse/json_value.h"
#include "backends/parse/stations.h"

/*
 * A switch that runs Linux and FRR: netdevs are its ports, iproute2 and ethtool supply the
 * counters, lldpd and vtysh the neighbours. It is the dialect "linux" for all tiers of the fabric
 * except hosts.
 *
 * Ports: if any netdev has a switch id (switchdev), all netdevs with one. Otherwise the Ethernet
 * devices that are hardware, veth (virtual labs) or DSA. Excluded is the management port: mgmt*,
 * oob*, ma1, eth0, and members of the VRF "mgmt". An LLDP neighbour does not make a management port
 * part of the fabric: out-of-band switches use LLDP as well.
 *
 * Facts (see backends/contract/facts.h), learnt right after connecting:
 *   vtysh, lldpcli, module   "sudo": needs `sudo -n` in front
 *   log                      "journal", "/var/log/syslog", "/var/log/messages", "none"
 *   pfc                      "dcb": PFC frames are counted by dcb only, not by ethtool
 */
bool sw_plan(
	const struct target *t, enum poll_tier tier, struct request_list *out, struct err *err);
/* Returns false with err: see backend_ops.parse. */
bool sw_parse(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *o, struct err *err);

/* ---- private to switch*.c ---- */

/* Scripts for `sh -s`; "{}" stands for "sudo -n " or nothing. See switch_script.c. */
extern const char sw_detect_script[];
extern const char sw_fast_script[]; /* "{}": sw_fast_dcb or nothing */
extern const char sw_fast_dcb[];
extern const char sw_bgp_script[];
extern const char sw_lldp_script[];
extern const char sw_optics_script[];
extern const char sw_slow_script[];

/* Additional data of a switch port: same index as in host.ports. */
struct sw_port {
	bool is_virtual; /* no chip behind it */
	bool marks;      /* one of its queue disciplines marks */
	bool has_chip;   /* ethtool printed counters of a switch chip */
	char vrfs[96];   /* of tenants: "Vrf-red; Vrf-blue" */
};

struct sw {
	struct host h; /* the netdev of each port has the port's name */
	VEC(struct sw_port) more;
	bool has_link;           /* ip could list the ports */
	bool has_qdisc, no_tool; /* tc could list; ethtool is missing */
	struct nic_qos *qos;     /* same index; NULL: not requested */
	struct stations stations;
	bool has_neigh;    /* ip could list its neighbours */
	char refusal[128]; /* why ip could not list them */
	char os[96], kernel[64], frr[32];
};

/* Reads the ports from `ip -j -d link`; full: with state and counters. */
void sw_link_section(struct sw *s, const struct section *sec, bool full);
/* Says the tenants of all ports, from the same list: see switch_vrf.c. */
void sw_tenants(struct sw *s, const struct json_value *list);
/* Returns the additional data of the port with that netdev; NULL: none. */
struct sw_port *sw_more(struct sw *s, const char *netdev);
/* Returns the first array of a section; the caller frees it. NULL: none. */
struct json_value *sw_list(const struct section *sec, const struct sw *s);

/* Queue disciplines (tc -j -s -d qdisc): their counters or, with settings set, their settings. */
void sw_qdisc_section(struct sw *s, const struct section *sec, bool settings);

void sw_fast_section(struct sw *s, const struct section *sec);
void sw_fast_finish(struct sw *s);
void sw_slow_section(struct sw *s, const struct section *sec);
void sw_slow_finish(struct sw *s);
void sw_optics_section(struct sw *s, const struct section *sec);
void sw_optics_finish(struct sw *s);

#endif
