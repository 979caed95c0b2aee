/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TOPOLOGY_H
#define EMULATOR_TOPOLOGY_H

#include "base/vec.h"
#include "emulator/sim/sim.h"

/*
 * A topology while it is built: devices, ports and cables in any order. Ports name their device,
 * and cables their ports, by position. The caller makes names unique.
 */
struct topo_draft {
	VEC(struct topo_device) device;
	VEC(struct topo_port) port;
	VEC(struct topo_cable) cable;
};

/* Each returns the position. net and rail as in struct topo_device; names are cut if too long. */
unsigned topo_draft_device(struct topo_draft *d, const char *name, enum tier tier,
	enum net_kind net, int rail, const struct sim_platform *platform);
unsigned topo_draft_port(
	struct topo_draft *d, unsigned device, const char *name, unsigned speed_mbps, int rail);
void topo_draft_cable(struct topo_draft *d, unsigned a, unsigned b);
/*
 * Moves everything into *t in the order of struct topology; the name and sizing of *t stay. Order
 * within a tier: the backend first, else as added; ports by name, numbers as numbers. Leaves the
 * draft empty.
 */
void topo_draft_finish(struct topo_draft *d, struct topology *t);
void topo_draft_free(struct topo_draft *d);

/* The default platform of a dialect; NULL: no such dialect. */
const struct sim_platform *topo_default_platform(enum tier tier, const char *dialect);
/* Link speed of a network: backend 400G, storage 200G, frontend 100G, oob 1G. */
unsigned topo_net_speed(enum net_kind net);
/* The n-th port's name as the device's own tools print it: netdevs on hosts. */
void topo_port_name(const struct topo_device *d, unsigned n, char dst[24]);
/*
 * The rail in a switch's name, "-r3" in leaf-r3-05, as the presets write it and the console reads
 * it; -1: none.
 */
int topo_rail_in_name(const char *name);

#endif
