/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_PLAN_SIZING_H
#define FABRIC_PLAN_SIZING_H

#include <stdbool.h>
#include <stddef.h>

#include "fabric/vocabulary/types.h"

/*
 * A rail-optimised Clos by formula. Hosts have one NIC a rail; every rail has its own leaves. Host
 * n on rail r is on leaf r * leaves_per_rail + n / hosts_per_leaf at port n % hosts_per_leaf. Leaf
 * ports [0, hosts_per_leaf) go down, the rest up. Shared with the emulator, which may use nothing
 * else of fabric/.
 */
struct sizing {
	const char *preset;
	unsigned hosts, rails;
	unsigned leaves_per_rail, hosts_per_leaf, leaf_uplinks;
	unsigned spines;        /* all of them; with 3 tiers they are grouped by rail */
	unsigned spine_uplinks; /* 0 in a 2-tier fabric */
	unsigned superspines;
	unsigned speed_mbps;
	bool spines_per_rail; /* 3-tier: a spine serves the leaves of one rail only */
	/*
	 * Leaves of a rail are grouped into pods when a spine has fewer down ports than the rail
	 * has leaves; every pod has its own spines. Spines and superspines are grouped into
	 * planes: spine k of a pod is in plane k % planes and reaches only the superspines of that
	 * plane, all of them.
	 */
	unsigned leaves_per_pod, spines_per_pod, planes;
	bool superspines_per_rail; /* too many pods for one radix: rails meet only in the hosts */
};

/* One end of a planned link: the index of the device within its tier, and of the port in it. */
struct wire_end {
	enum tier tier;
	unsigned device;
	unsigned port;
};

struct wire {
	struct wire_end a, b; /* a is the lower tier */
	int rail;             /* -1 above the rails */
};

/* NULL when there is no such preset; names: ref256, 4k, 24k, 100k. */
const struct sizing *sizing_preset(const char *name);
/* "ref256, 4k, 24k, 100k", for error messages. */
const char *sizing_preset_names(void);

unsigned sizing_devices(const struct sizing *s, enum tier t);
unsigned sizing_ports(const struct sizing *s, enum tier t); /* ports in use on one device */
size_t sizing_wires(const struct sizing *s);
/* The i-th planned link, i < sizing_wires(): host links first, then leaf-spine, spine-superspine.
 */
struct wire sizing_wire(const struct sizing *s, size_t i);

/* Rail of a device, -1 where it has none (hosts, superspines, shared spines). */
int sizing_rail(const struct sizing *s, enum tier t, unsigned device);

/*
 * Default names, as in the presets' inventories: node000, leaf-r3-00, spine-000, superspine-00.
 * False when dst is too small.
 */
bool sizing_device_name(
	const struct sizing *s, enum tier t, unsigned device, char *dst, size_t size);
/*
 * Port names by dialect: host mlx5_3; sonic Ethernet12 (4 lanes of 100G a port); eos Ethernet4/1;
 * nxos Ethernet1/4; cumulus swp4. port counts from 0. False: an unknown dialect, or one without
 * fixed names, as linux: there the administrator chooses the names of switch ports.
 */
bool sizing_port_name(enum tier t, const char *dialect, unsigned port, char *dst, size_t size);
/*
 * The i-th dialect that names the ports of switches; NULL past the last.
 */
const char *sizing_naming(size_t i);

#endif
