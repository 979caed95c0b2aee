/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_ENGINE_SERIES_H
#define BACKENDS_ENGINE_SERIES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Series by the hash of their labels: about 50 bytes a series, of which there may be twelve
 * million, where a table of pointers would take two gigabytes. They lie in the order in which they
 * came first, which is that of later replies: the next one is nearly always behind the last one.
 */
#define SERIES_FOREIGN UINT16_MAX /* rule: it is nobody's */

struct series {
	uint64_t key;
	int64_t last_us; /* its newest sample */
	int64_t seen_us; /* when it was in a reply, server time */
	uint32_t place;  /* index of a port, or of a device; as the rule says */
	uint32_t source; /* hash of the labels that say who measured it */
	uint16_t rule;
	uint8_t sub;
};

struct series_table {
	struct series *at;
	size_t n, size;
	uint32_t *slots; /* by key: index into at, plus one; 0: free */
	size_t mask;
	int64_t cleared_us; /* what was older was forgotten */
};

void known_free(struct series_table *t);
/* NULL: not known. hint: index of the one that may be it; becomes that of the one behind. */
struct series *known_find(struct series_table *t, uint64_t key, size_t *hint);
/* Adds one that is not known; forgets those not seen since old_us when it must grow. NULL: full. */
struct series *known_add(struct series_table *t, uint64_t key, int64_t old_us);

#endif
