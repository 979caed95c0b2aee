/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_DISCOVER_UPDATE_H
#define APP_DISCOVER_UPDATE_H

#include <stdbool.h>
#include <stdio.h>

#include "app/discover/discover.h"
#include "base/buf.h"
#include "base/err.h"

/*
 * Adds to an inventory what a new discovery found, and leaves each other byte of it: comments,
 * names, order, keys that railtop does not know. A device is in the file if an entry has its name,
 * or an address of it: so it may have been renamed. A guess never replaces what the file says.
 */
struct update {
	size_t devices; /* added */
	size_t cables;  /* added */
	size_t known;   /* devices of the file that were found */
	size_t racks;   /* devices whose place was added to racks: */
};

/* True: the text is an inventory that can be extended: its lists are written line by line. */
bool update_possible(const char *path, const char *text, size_t len, struct err *err);

/*
 * Writes the new inventory, which is the old one if nothing is new. Devices of *d get the names
 * that they have in the file, and those without a place in racks: of the file get one. differ() is
 * called for each device whose tier, rack, or imported address differs.
 */
bool update_inventory(const char *path, const char *text, size_t len, struct discovery *d,
	FILE *out, struct update *done, void (*differ)(void *ctx, const char *message), void *ctx,
	struct err *err);
/*
 * Likewise the wiring table. Ports with a cable in it keep it; differ() is called where the
 * discovery has another one. An empty text begins a table.
 */
bool update_wiring(const char *text, size_t len, const struct discovery *d, FILE *out,
	struct update *done, void (*differ)(void *ctx, const char *message), void *ctx);

#endif
