/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_MODEL_COUNTS_INTERNAL_H
#define FABRIC_MODEL_COUNTS_INTERNAL_H

#include <math.h>

#include "fabric/model/cells_internal.h"
#include "fabric/model/model_internal.h"
#include "fabric/model/rate.h"
#include "fabric/vocabulary/counters.h"

/* Shared by counters.c, survey.c and partial_batch.c. */

/* The clock of base_us: ours, the port's own sample time, else that of the device's answer. */
#define CELL_CLOCK (CELL_WALL_CLOCK | CELL_PORT_CLOCK)

/* Link events are counted when they happen, not when the port's counters are read. */
static inline bool kept_by_link(enum counter_id id)
{
	return id == CTR_LINK_DOWN_EVENTS || id == CTR_CARRIER_CHANGES;
}

/* Whether the port's own sample time is the read time of this group. */
static inline bool group_is_sampled(const struct batch_port *bp, unsigned group)
{
	return bp->sample_us && !(bp->port->unsampled & (1U << group));
}

static inline enum step cell_step(const struct batch *b, const struct cell *c, enum counter_id id,
	uint64_t now, uint64_t *delta)
{
	return counter_step(c->u64, now, b->o->narrow[id] ? 32 : counter_info[id].bits, delta);
}

/* Whether the item is a number of a port, or a reason for a missing one, that the model keeps. */
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

/* The counter went back: whether that is credible. */
bool believed_back(struct cell *c);
void note_reset(struct batch *b, struct port *p, enum counter_id id);

/*
 * Whether a count stood still and only its read time must be updated: most of an answer. Load is
 * charted from its first zero on, so it is excluded. clock: of the batch for this counter.
 */
static inline bool cell_is_quiet(
	const struct port *p, const struct cell *c, enum counter_id id, uint8_t clock)
{
	return c->rate <= 0 && c->valid == VALID_OK && !c->chart &&
	       (c->flags & (CELL_CLOCK | CELL_REBASE)) == clock && id != CTR_RX_BYTES &&
	       id != CTR_TX_BYTES &&
	       (p->pfc_quiet_us || (id != CTR_PFC_RX_FRAMES && id != CTR_PFC_RX_DURATION_US));
}

/* Effect of a batch on such a count. */
struct standing {
	int64_t base_us; /* its read time */
	bool sets;       /* flags change, to: */
	uint8_t flags;   /* only those of CELL_FLAGS */
	bool read_again; /* according to the sample time of its port */
};
struct standing count_stands(const struct batch *b, const struct batch_port *bp, unsigned group,
	bool link, int64_t base_us);
/* The clock of the batch for a count of the group; link: see kept_by_link(). */
uint8_t count_clock(const struct batch *b, const struct batch_port *bp, unsigned group, bool link);
/* Applies the batch's value of a counter's cell that the port has. */
void count_apply(struct batch *b, struct batch_port *bp, uint16_t cell, uint64_t value);

/* partial_batch.c: applies the cells that a batch holds without naming them. Call it after the
 * named ones. */
void batch_rest(struct batch *b);
/* Whether the batch holds a count of the group without naming it. */
bool rest_carries(const struct batch *b, unsigned group);

/*
 * Before anything is stored: creates cells for all items, finds groups that moved and counters
 * that went back.
 */
void batch_survey(struct batch *b);
/* After the survey: re-baselines cleared counters. */
void batch_resets(struct batch *b);

#endif
