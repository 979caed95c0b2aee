/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TOPOLOGY_INTERNAL_H
#define EMULATOR_TOPOLOGY_INTERNAL_H

#include "base/buf.h"
#include "base/vec.h"
#include "emulator/serve/topology_file.h"
#include "emulator/sim/topology.h"

#define uthash_malloc(size) mem_alloc(size)
#define uthash_free(p, n)   free(p)
#include <uthash.h>

/* Types and functions that only the topology_*.c files share. */

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
	struct sim_host_log nccl;
	unsigned bundle_min; /* 0: no bundles */
};

struct topo_file {
	const char *path;
	char *fabric;
	const struct sizing *sizing; /* of preset:, or NULL */
	VEC(struct topo_group) groups;
	char job_source[16]; /* of jobs:, "": not stated */
	char *wiring;        /* path of the table; NULL: none */
	unsigned wiring_line;
};

#define TOPO_NONE     UINT32_MAX
#define TOPO_PORT_LEN sizeof(((struct topo_port *)0)->name)

struct topo_name {
	UT_hash_handle hh;
	unsigned at;
	char name[];
};

struct topo_load {
	const struct topo_file *file;
	struct err *err;
	struct topo_draft draft;
	struct topo_name *devices, *ports; /* ports: "device:port" */
	struct topo_name *broken_out;      /* "device:port" of ports of which there are parts */
	VEC(unsigned) wired;               /* of each port: the line of its cable, 0: none */
	VEC(unsigned) group;               /* of each device */
	/* while a group is expanded */
	unsigned at;
	/* while the table is read */
	unsigned line;
	unsigned *index[TIER_COUNT]; /* per tier: device of each preset number, or TOPO_NONE */
};

/* topology_load.c. Position of a name, or TOPO_NONE. */
unsigned topo_find(const struct topo_name *table, const char *name);
/*
 * The number of rails that rails: gives for a device, 0 without rails:. Fails with *err if the
 * value is invalid.
 */
bool topo_rails_of(struct topo_load *l, unsigned device, unsigned *n);
/* Adds file and line of the group to an error without a line; returns ok. */
bool topo_placed(struct topo_load *l, const struct topo_group *g, bool ok);

/* topology_formula.c: the topology of file->sizing. NULL and *err when devices do not fit it. */
struct topology *topo_by_formula(struct topo_load *l);

/* topology_yaml.c. Call topo_file_free() whatever the result is. */
bool topo_file_read(const char *path, struct topo_file *f, struct err *err);
void topo_file_free(struct topo_file *f);
/* Reads a whole file, at most b->cap bytes. */
bool topo_slurp(const char *path, struct buf *b, struct err *err);
/* err_set() with the origin "path:line". */
bool topo_wrong(struct err *err, const char *path, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
