/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TOPOLOGY_FILE_H
#define EMULATOR_TOPOLOGY_FILE_H

#include "base/buf.h"
#include "base/err.h"
#include "emulator/sim/sim.h"

/*
 * Reads the fabric.yaml of the console (man/railtop-fabric.5) for the emulator: the devices and
 * their wiring. Keys about access are ignored; only the console needs them.
 */

/*
 * Reads the inventory and its wiring table. With preset:, its devices are wired by formula; they
 * are found by the preset's names or by their order. Else wiring: {file: x.csv} lists the ports.
 * Dialects get their default platform. Links run at the table's speed, without one at their
 * network's (backend 400G, storage 200G, frontend 100G, oob 1G). On failure returns NULL; *err has
 * the first problem with file, line and the allowed values. The caller frees the result with
 * topology_free().
 */
struct topology *topology_load(const char *path, struct err *err);

/*
 * A fabric by its name: a preset of fabric/plan/sizing.c, or NAME.yaml of a folder of topologies.
 * Folders, the first that has it: $RAILTOP_TOPOLOGIES; beside the program's own folder
 * ../share/railtop/topologies (installed) and ../topologies (the source tree); topologies in the
 * working directory. platform is for presets of a formula only, as in topology_of_sizing(). NULL:
 * ERR_USAGE names all that there are, or the error of the file.
 */
struct topology *topology_named(
	const char *name, const struct sim_platform *const platform[TIER_COUNT], struct err *err);
/* All names, separated by ", ". */
void topology_names(struct buf *out);

#endif
