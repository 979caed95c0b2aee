/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_ENGINE_SERIES_H
#define BACKENDS_ENGINE_SERIES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Series by the hash of their labels: a table of 40 bytes a series. There may be twelve million of
 * them, where a table of pointers would take two gigabytes.
 */
#define SERIES_FOREIGN UINT16_MAX /* rule: it is nobody's */

struct series {
	uint64_t key;    /* 0: no series */
	int64_t last_us; /* its newest sample */
	int64_t seen_us; /* when it was in a reply, server time */
	uint32_t place;  /* index of a port, or of a device; as the rule says */
	uint32_t source; /* hash of the labels that say who measured it */
	uint16_t rule;
	uint8_t sub;
};

struct series_table {
	struct series *at;
	size_t size, n; /* size: a power of two */
	unsigned moved; /* counts how often series were moved */
};

void known_free(struct series_table *t);
/* NULL: not known. */
struct series *known_find(struct series_table *t, uint64_t key);
/* Adds one that is not known; forgets those not seen since old_us when it must grow. NULL: full. */
struct series *known_add(struct series_table *t, uint64_t key, int64_t old_us);

#endif
