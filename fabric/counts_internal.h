/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_COUNTS_INTERNAL_H
#define FABRIC_COUNTS_INTERNAL_H

#include <math.h>

#include "fabric/cells_internal.h"
#include "fabric/model_internal.h"
#include "fabric/rate.h"

/* What model_counters.c shares with its first look, model_survey.c. */

/* Which clock base_us is by: ours, the port's own sample time, else that of the device's answer. */
#define CELL_CLOCK (CELL_WALL_CLOCK | CELL_PORT_CLOCK)

/* Link events are counted when they happen, not when the port's counters are read. */
static inline bool kept_by_link(enum counter_id id)
{
	return id == CTR_LINK_DOWN_EVENTS || id == CTR_CARRIER_CHANGES;
}

/* The port's own sample time says when this group was read. */
static inline bool sampled(const struct batch_port *bp, unsigned group)
{
	return bp->sample_us && !(bp->port->unsampled & (1U << group));
}

static inline enum step cell_step(const struct batch *b, const struct cell *c, enum counter_id id,
	uint64_t now, uint64_t *delta)
{
	return counter_step(c->u64, now, b->o->narrow[id] ? 32 : counter_info[id].bits, delta);
}

/* Whether the item is a number of a port, or why there is none, that the model keeps. */
static inline bool item_is_kept(const struct batch *b, const struct obs_item *it)
{
	bool gauge;

	if (it->kind > OBS_VALID || it->port >= b->o->ports.n || it->cell >= CELL_COUNT ||
		!b->ports[it->port].port)
		return false;
	if (it->kind == OBS_VALID)
		return it->code == VALID_UNSUPPORTED || it->code == VALID_DISABLED;
	gauge = cell_info[it->cell].kind == KIND_GAUGE;
	return it->kind == OBS_GAUGE ? gauge && isfinite(it->real) : !gauge;
}

/* The counter went back: is it to be believed? */
bool believed_back(struct cell *c);
void note_reset(struct batch *b, struct port *p, enum counter_id id);

/*
 * Before anything is stored: cells for all that the batch tells of, which groups moved, and which
 * counters went back.
 */
void batch_survey(struct batch *b);
/* After it: what was cleared starts anew. */
void batch_resets(struct batch *b);

#endif
