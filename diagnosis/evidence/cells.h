/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_EVIDENCE_CELLS_H
#define DIAGNOSIS_EVIDENCE_CELLS_H

#include <math.h>

#include "fabric/model/model.h"

/*
 * Fast access to cells by number, CELL_RX_BYTES + priority or lane: inline, for loops over every
 * port in every run.
 */
static inline const struct cell *cell_at(const struct port *p, unsigned cell)
{
	uint8_t slot = p->layout->slot[cell];

	return slot == SLOT_NONE ? NULL : &p->cells[slot];
}

/* Rate of a count per second; NAN: unknown. */
static inline double cell_rate(const struct port *p, unsigned cell)
{
	const struct cell *c = cell_at(p, cell);

	return c && c->valid == VALID_OK ? (double)c->rate : (double)NAN;
}

/* Reading of a gauge; NAN: unknown. */
static inline double cell_gauge(const struct port *p, unsigned cell)
{
	const struct cell *c = cell_at(p, cell);

	return c && c->valid == VALID_OK ? c->real : (double)NAN;
}

#endif
