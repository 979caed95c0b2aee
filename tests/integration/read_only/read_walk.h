/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_READ_ONLY_READ_WALK_H
#define TESTS_INTEGRATION_READ_ONLY_READ_WALK_H

#include "tests/integration/support/lab.h"
#include "tests/support/terminal/vt.h"

/* Walks through all operations, on an emulated fabric that logs its requests. */

struct platform {
	const char *name, *platforms;
	const char *leaf, *spine, *host; /* a port of each, as railtop calls it */
};

/* By their place: every walk is done on 0. */
#define FABRICS 3
extern const struct platform fabrics[FABRICS];

struct fixture {
	const struct platform *p;
	struct lab lab;
	char log[256], marker[256];
	char acting[256];    /* the inventory with actions: */
	char recording[256]; /* written by `railtop record` */
	char snapshot[256];  /* and `railtop snapshot` */
};

/*
 * Starts the fabric and writes its inventories; down: its log must have reads only, of all devices.
 */
void walk_up(struct fixture *x, const struct platform *p);
void walk_down(struct fixture *x, unsigned least);

/*
 * Runs railtop with these arguments, "@F": the inventory, "@T": the target, "@R": the recording,
 * "@S": a snapshot file. want: the exit code, -1: any that is no mistake.
 */
void walk_run(const struct fixture *x, const char *name, const char *const *args,
	const char *inventory, const char *target, int want);
void walk_type_command(struct vt *vt, const char *words);
/* From any page with any overlay open: not from the first page with q. */
void walk_calm(struct vt *vt);
/* Every command of the palette, with and without a port; every key in every view. */
void walk_palette(const struct fixture *x, struct vt *vt);
void walk_keys(const struct fixture *x, struct vt *vt);
/* A live console: the palette, and with keys all of them. */
void walk_console(const struct fixture *x, const char *inventory, bool read_only, bool keys);

#endif
