/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TOPOLOGY_H
#define EMULATOR_TOPOLOGY_H

#include "base/vec.h"
#include "emulator/sim/sim.h"

/*
 * A topology while it is drawn: devices, ports and cables in any order; ports name their device,
 * cables their ports, by position. Whoever draws sees to it that names are unique.
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
 * Puts everything in the order that struct topology asks for (within a tier: the backend first,
 * else as drawn; ports by name, numbers as numbers) into *t, whose name and sizing stay. The
 * draft is empty after it.
 */
void topo_draft_finish(struct topo_draft *d, struct topology *t);
void topo_draft_free(struct topo_draft *d);

/* The platform of a dialect where nothing else is said; NULL: no such dialect. */
const struct sim_platform *topo_default_platform(enum tier tier, const char *dialect);
/* What links of a network run at: backend 400G, storage 200G, frontend 100G, oob 1G. */
unsigned topo_net_speed(enum net_kind net);
/* The n-th port's name as the device's own tools print it: netdevs on hosts. */
void topo_port_name(const struct topo_device *d, unsigned n, char dst[24]);
/* "-r3" in a switch's name, as the presets have it and the console reads it: leaf-r3-05. Or -1. */
int topo_rail_in_name(const char *name);

#endif
