/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TOPOLOGY_FILE_H
#define EMULATOR_TOPOLOGY_FILE_H

#include "base/buf.h"
#include "base/vec.h"
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

/* ---- private to topology_*.c ---- */

#define TOPO_FILE_MAX    ((size_t)32 << 20) /* bytes */
#define TOPO_DEVICES_MAX 65536U
#define TOPO_PORTS_MAX   2048U /* of one device */

/* One entry of switches: or hosts:. */
struct topo_group {
	unsigned line;
	char *names, *rails; /* bracket lists; rails NULL: not stated */
	enum tier tier;
	enum net_kind net;
	int rail; /* -1: not stated */
	const struct sim_platform *platform;
};

struct topo_file {
	const char *path;
	char *fabric;
	const struct sizing *sizing; /* of preset:, or NULL */
	VEC(struct topo_group) groups;
	char *wiring; /* path of the table; NULL: none */
	unsigned wiring_line;
};

/* topology_yaml.c. topo_file_free() whatever the result is. */
bool topo_file_read(const char *path, struct topo_file *f, struct err *err);
void topo_file_free(struct topo_file *f);
/* Reads a whole file, at most b->cap bytes. */
bool topo_slurp(const char *path, struct buf *b, struct err *err);
/* err_set() with the origin "path:line". */
bool topo_wrong(struct err *err, const char *path, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
