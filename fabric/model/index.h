/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_MODEL_INDEX_H
#define FABRIC_MODEL_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An index of names, private to the model. A name leads to the thing with the strongest claim: a
 * port's own name beats another port's alias, which beats a network device.
 */
enum name_rank { RANK_NAME, RANK_ALIAS, RANK_NETDEV, RANK_MAC };

/* *index is opaque, NULL when empty. The name is copied; "" is ignored; thing is not NULL. */
void index_put(void **index, const char *name, enum name_rank rank, void *thing);
/* Removes the name if it leads to thing with that rank. */
void index_drop(void **index, const char *name, enum name_rank rank, const void *thing);
void *index_get(const void *index, const char *name); /* NULL: unknown */
void index_free(void **index);

/* One entry, for iteration; its name is valid until the next put or drop. */
struct index_at {
	const char *name;
	enum name_rank rank;
	void *thing;
	uint32_t next; /* private */
};
size_t index_size(const void *index);
/* Iterates from the oldest to the newest; a starts as {0}. False: no more entries. */
bool index_next(const void *index, struct index_at *a);

#endif
