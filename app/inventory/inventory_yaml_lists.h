/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_INVENTORY_INVENTORY_YAML_LISTS_H
#define APP_INVENTORY_INVENTORY_YAML_LISTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/vec.h"
#include "fabric/vocabulary/types.h"

/*
 * The lists switches: and hosts: of an inventory as text, for a command that adds lines to them.
 * Keys that railtop does not know are no errors here.
 */
struct inventory_entry {
	char name[NAME_MAX_LEN], address[NAME_MAX_LEN]; /* the name when there is no address */
	enum tier tier;
};

/* The place of a device by racks:, in a list or a table. */
struct inventory_rack {
	char device[NAME_MAX_LEN], rack[NAME_MAX_LEN], unit[32];
};

/* Where a list ends in the text. */
struct inventory_place {
	bool exists;
	size_t line;     /* new entries follow this line, counted from 0 */
	unsigned indent; /* of its entries */
};

struct inventory_lists {
	const char *path, *text; /* set by the caller, with len */
	size_t len;
	VEC(struct inventory_entry) entries; /* a device each; freed by the caller */
	struct inventory_place lists[2];     /* switches, hosts */
	bool has_wiring, has_racks;          /* these keys exist */
	struct inventory_place racks;        /* not exists: absent, or nothing can be added to it */
	VEC(struct inventory_rack) placed;   /* a device each; freed by the caller */
	char table[1024];                    /* its file as written; "": none */
	unsigned depth;                      /* private: of include: */
};
extern const char *const inventory_list_names[2]; /* "switches", "hosts" */

/*
 * False with ERR_CONFIG: it is no YAML, or a list is not written with an entry a line, so that
 * nothing can be added. An empty text is valid.
 */
bool inventory_lists_read(struct inventory_lists *r, struct err *err);

/* The next line, of *n bytes without its end; *at starts at 0. NULL: there is none. */
const char *inventory_line_next(const struct inventory_lists *r, size_t *at, size_t *n);

#endif
