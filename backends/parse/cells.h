/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_CELLS_H
#define BACKENDS_PARSE_CELLS_H

#include <stdint.h>

#include "fabric/vocabulary/observation.h"

/*
 * The counters of one port while an answer is decoded: fields that add up to one canonical
 * counter, or of which the best source wins, meet here before they become items.
 */
struct cells {
	uint64_t value[CELL_COUNT];
	uint8_t rank[CELL_COUNT]; /* 0: not seen */
};

void cells_reset(struct cells *c);
/* Adds to what the cell has. */
void cells_add(struct cells *c, enum counter_id id, unsigned sub, uint64_t v);
/* Replaces what a lower rank (1..255) gave; the first of equal ranks stays. */
void cells_offer(struct cells *c, enum counter_id id, unsigned sub, uint64_t v, uint8_t rank);
bool cells_has(const struct cells *c, enum counter_id id, unsigned sub);
/* One item for each cell that was seen. */
void cells_emit(const struct cells *c, struct obs *o, uint32_t port);
/*
 * Says why a counter has no value, for each sub in the mask that was not seen. Counters without
 * priorities take mask 1. cure: see obs_invalid().
 */
void cells_absent(const struct cells *c, struct obs *o, uint32_t port, enum counter_id id,
	uint8_t mask, enum validity v, const char *cure);

/*
 * Link-down events out of a counter of all transitions: exact wherever the count started, because
 * ups and downs alternate.
 */
uint64_t downs_of_transitions(uint64_t transitions, bool is_up);

#endif
