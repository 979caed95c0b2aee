/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TOPOLOGY_FILE_H
#define EMULATOR_TOPOLOGY_FILE_H

#include "base/err.h"
#include "emulator/sim/sim.h"

/*
 * The same fabric.yaml that the console reads (man/railtop-fabric.5), for the other side: what
 * there is and how it is wired. How to reach it, which is the console's business, is passed over.
 */

/*
 * Reads the inventory and its wiring table. With preset: its devices are wired by formula, found
 * by the preset's names or by their order; else wiring: {file: x.csv} says which ports there are.
 * Dialects get their usual platform. Links run at their network's speed (backend 400G, storage
 * 200G, frontend 100G, oob 1G). NULL: the first problem is in *err, with file, line and what is
 * allowed. The caller frees with topology_free().
 */
struct topology *topology_load(const char *path, struct err *err);

#endif
