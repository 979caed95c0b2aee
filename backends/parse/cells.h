/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_CELLS_H
#define BACKENDS_PARSE_CELLS_H

#include <stdint.h>

#include "fabric/vocabulary/counters.h"
#include "fabric/vocabulary/observation.h"

/*
 * The counters of one port while an answer is decoded. Fields that are summed into one canonical
 * counter, or compete by the rank of their source, are combined here before they become items.
 */
struct cells {
	uint64_t value[CELL_COUNT];
	uint8_t rank[CELL_COUNT]; /* 0: not seen */
};

void cells_reset(struct cells *c);
/* Adds v to the cell. */
void cells_add(struct cells *c, counter_id id, unsigned sub, uint64_t v);
/* Replaces a value of lower rank (1..255); the first of equal ranks stays. */
void cells_offer(struct cells *c, counter_id id, unsigned sub, uint64_t v, uint8_t rank);
bool cells_has(const struct cells *c, counter_id id, unsigned sub);
/* Adds an item to o for each cell with a value. */
void cells_emit(const struct cells *c, struct obs *o, uint32_t port);
/*
 * Reports why a counter has no value, for each sub in the mask without one. Counters without
 * priorities take mask 1. cure: see obs_invalid().
 */
void cells_absent(const struct cells *c, struct obs *o, uint32_t port, counter_id id, uint8_t mask,
	enum validity v, const char *cure);

/*
 * Computes link-down events from a counter of all transitions. It is exact wherever the count
 * started, because ups and downs alternate.
 */
uint64_t downs_of_transitions(uint64_t transitions, bool is_up);

#endif
