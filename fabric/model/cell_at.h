/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_MODEL_CELL_AT_H
#define FABRIC_MODEL_CELL_AT_H

#include <math.h>

#include "fabric/model/model.h"

/*
 * port_cell() and port_rate() for hot loops with millions of lookups a minute. Inline, and sub is
 * not checked: the caller keeps it below counter_dim_size(id).
 */
static inline const struct cell *cell_at(const struct port *p, counter_id id, unsigned sub)
{
	uint8_t slot = p->layout->slot[counter_info[id].first_cell + sub];

	return slot == SLOT_NONE ? NULL : &p->cells[slot];
}

static inline double rate_at(const struct port *p, counter_id id, unsigned sub)
{
	const struct cell *c = cell_at(p, id, sub);

	if (!c || c->valid != VALID_OK || counter_info[id].kind != KIND_COUNT)
		return (double)NAN;
	return (double)c->rate;
}

#endif
