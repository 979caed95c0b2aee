/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_LINUX_SWITCH_H
#define BACKENDS_DIALECTS_LINUX_SWITCH_H

#include "backends/dialects/linux/linux.h"
#include "backends/dialects/linux/qos.h"
#include "backends/parse/json_value.h"

/*
 * A switch that runs Linux and FRR: netdevs are its ports, iproute2 and ethtool its counters,
 * lldpd and vtysh its neighbours. The dialect "linux" for every tier but hosts.
 *
 * Which netdevs are ports: where any has a switch id (switchdev), those that have one; else the
 * Ethernet devices that are hardware, veth (virtual labs) or DSA, but for the management port:
 * mgmt*, oob*, ma1, eth0, and what belongs to the VRF "mgmt". An LLDP neighbour does not make a
 * management port one of the fabric: out-of-band switches speak LLDP as well.
 *
 * Facts (see backends/contract/facts.h), learnt when it is connected to:
 *   vtysh, lldpcli, module   "sudo": needs `sudo -n` in front
 *   log                      "journal", "/var/log/syslog", "/var/log/messages", "none"
 *   pfc                      "dcb": PFC frames are counted by dcb only, not by ethtool
 */
bool sw_plan(
	const struct target *t, enum poll_tier tier, struct request_list *out, struct err *err);
/* False with err: as backend_ops.parse. */
bool sw_parse(const struct target *t, const char *request, const char *bytes, size_t len,
	struct obs *o, struct err *err);

/* ---- private to dialect_linux_switch*.c ---- */

/* Sent to `sh -s`; "{}" stands for "sudo -n " or nothing. See switch_script.c. */
extern const char sw_detect_script[];
extern const char sw_fast_script[]; /* "{}": sw_fast_dcb or nothing */
extern const char sw_fast_dcb[];
extern const char sw_bgp_script[];
extern const char sw_lldp_script[];
extern const char sw_optics_script[];
extern const char sw_slow_script[];

/* What a switch port has beside a host's: same index as in host.ports. */
struct sw_port {
	bool is_virtual; /* no chip behind it */
	bool marks;      /* a queue discipline of it marks */
	bool has_chip;   /* ethtool printed counters of a switch chip */
};

struct sw {
	struct host h; /* each port is one whose netdev has the port's name */
	VEC(struct sw_port) more;
	bool has_link;           /* ip could list the ports */
	bool has_qdisc, no_tool; /* tc could list; ethtool is missing */
	struct nic_qos *qos;     /* same index; NULL: not asked for */
	char refusal[128];       /* why ip could not */
	char os[96], kernel[64], frr[32];
};

/* Ports of `ip -j -d link`; with state and counters when it was asked for those (full). */
void sw_link_section(struct sw *s, const struct section *sec, bool full);
/* What the port with that netdev has beside host_by_netdev(); NULL: none. */
struct sw_port *sw_more(struct sw *s, const char *netdev);
/* The first array of a section; the caller owns it. NULL: none. */
struct dv *sw_list(const struct section *sec, const struct sw *s);

/* Queue disciplines (tc -j -s -d qdisc): what they count; or with settings, how they are set. */
void sw_qdisc_section(struct sw *s, const struct section *sec, bool settings);

void sw_fast_section(struct sw *s, const struct section *sec);
void sw_fast_finish(struct sw *s);
void sw_slow_section(struct sw *s, const struct section *sec);
void sw_slow_finish(struct sw *s);
void sw_optics_section(struct sw *s, const struct section *sec);
void sw_optics_finish(struct sw *s);

#endif
