/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_INVENTORY_INVENTORY_TABLE_H
#define APP_INVENTORY_INVENTORY_TABLE_H

#include "app/inventory/inventory.h"

/*
 * A table beside an inventory: a row per line, columns with commas between them; '#' starts a
 * comment. A heading that begins with "device" is skipped. The caller sets all but line and
 * devices.
 */
#define TABLE_COLUMNS 6
struct inventory_table {
	const char *file;  /* for messages */
	const char *place; /* the key that names it: "wiring.file" */
	unsigned key_line;
	size_t least, most; /* columns of a row; at most TABLE_COLUMNS */
	const char *cure;   /* names the columns */
	/* Missing columns are "". */
	void (*row)(struct inventory_table *t, char *columns[TABLE_COLUMNS]);
	void *ctx; /* for row */
	struct plan *plan;
	struct problems *problems;
	unsigned line;              /* of the row */
	struct name_index *devices; /* of the plan, see inventory_device_index() */
};
/* Calls row for each row. All errors go to problems. */
void inventory_table_read(struct inventory_table *t);
/* The device of that name; false: there is none, which was reported. */
bool inventory_table_device(struct inventory_table *t, const char *name, unsigned *out);
/* Names of plan->devices; freed with name_index_free(). */
struct name_index *inventory_device_index(const struct plan *plan);

#endif
