/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_OUTPUT_DISCOVERY_STORE_H
#define APP_OUTPUT_DISCOVERY_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "app/discover/discover.h"
#include "app/discover/update.h"
#include "base/buf.h"
#include "base/err.h"

/*
 * Where the result of `railtop discover` and `railtop import` goes: a new inventory with its wiring
 * table beside it, an inventory that exists, to which only new lines are added, or a stream.
 */
struct discovery_store {
	const char *path; /* NULL and "-": standard output */
	bool force;       /* write a file anew that exists */
	/* private: the files as they were */
	bool exists, has_table;
	bool no_table; /* its key wiring: names none */
	bool add_key;  /* the file has no key wiring: yet */
	struct buf inventory, wiring;
	char table[4096]; /* path of the table */
};

/*
 * Checked before the work, whose result would otherwise be lost. Reads an inventory that exists.
 * The caller frees *s with discovery_store_free() in any case.
 */
bool discovery_store_open(struct discovery_store *s, const char *path, bool force, struct err *err);
/*
 * Writes, and reports on standard error. differ() is called for each difference between the file
 * and the result; the file stays as it is. Nothing is written while no device is known.
 */
bool discovery_store_write(struct discovery_store *s, const struct discover_opts *opts,
	struct discovery *d, void (*differ)(void *ctx, const char *message), void *ctx,
	struct err *err);
void discovery_store_free(struct discovery_store *s);

/* False for standard output, devices and pipes: there is no place for a table beside them. */
bool discovery_store_is_file(const char *path);

#endif
