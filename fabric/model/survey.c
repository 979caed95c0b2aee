/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/mem.h"
#include "fabric/model/counts_internal.h"
#include "fabric/vocabulary/counters.h"

/*
 * A counter that keeps going back (a gauge in disguise, a broken firmware) is no evidence of a
 * clear: it would mute its neighbours for ever. Going back costs BACK_COST, each movement forward
 * pays one. Above BACK_LIMIT a step back is not believed.
 */
#define BACK_COST  4
#define BACK_LIMIT 8

/* Notes a new cell; the port gets all of its new cells at once. */
static void note_new(const struct batch *b, const struct obs_item *it, struct cell_set **more)
{
	if (!*more)
		*more = mem_calloc(b->o->ports.n, sizeof(**more));
	cell_set_add(&(*more)[it->port], it->cell);
}

static void add_cells(struct batch *b, struct cell_set *more)
{
	for (size_t i = 0; more && i < b->o->ports.n; i++)
		if (b->ports[i].port)
			b->changed |= port_cells_add(b->ports[i].port, &more[i]);
	free(more);
}

/* Whether the count can be compared with the cell. */
static bool is_comparable(const struct obs_item *it, const struct cell *c)
{
	return it->kind == OBS_COUNT && cell_info[it->cell].kind == KIND_COUNT &&
	       !(c->flags & CELL_REBASE) && (c->valid == VALID_OK || c->valid == VALID_RESET);
}

void note_reset(struct batch *b, struct port *p, enum counter_id id)
{
	if (!b->resets++) {
		b->reset_port = p;
		b->reset_counter = id;
	}
}

bool believed_back(struct cell *c)
{
	if (cell_backs(c) >= BACK_LIMIT)
		return false;
	cell_set_backs(c, cell_backs(c) + BACK_COST);
	return true;
}

/* Notes that a counter moved. If the port's sample time stood still, then that time does not apply
 * to this group. */
static void note_move(struct batch *b, struct batch_port *bp, const struct cell *c, unsigned bit)
{
	bp->changed |= bit;
	b->group_changed |= bit;
	if (bp->sample_us && c->flags & CELL_PORT_CLOCK &&
		bp->sample_us == cell_base_us(bp->port, c))
		bp->port->unsampled |= (uint8_t)bit;
}

static void compare_count(struct batch *b, const struct obs_item *it, struct cell *c)
{
	const struct cell_info *info = &cell_info[it->cell];
	enum counter_id id = (enum counter_id)info->id;
	struct batch_port *bp = &b->ports[it->port];
	unsigned bit = 1U << info->group;
	uint64_t delta;
	enum step step;

	if (!kept_by_link(id))
		b->group_carried |= bit;
	if (c->u64 == it->u64)
		return;
	step = cell_step(b, c, id, it->u64, &delta);
	if (batch_behind(b, bp->port, c, step))
		return;
	if (step != STEP_RESET && isfinite(c->rate)) {
		b->grown[info->group] += (double)delta;
		b->expected[info->group] += (double)c->rate;
	}
	if (!kept_by_link(id))
		note_move(b, bp, c, bit);
	if (step == STEP_RESET && believed_back(c)) {
		bp->reset |= bit;
		note_reset(b, bp->port, id);
	}
}

void batch_survey(struct batch *b)
{
	struct cell_set *more = NULL;

	for (size_t i = 0; i < b->o->items.n; i++) {
		const struct obs_item *it = &b->o->items.at[i];
		struct port *p;
		uint8_t slot;

		if (!item_is_kept(b, it))
			continue;
		p = b->ports[it->port].port;
		slot = p->layout->slot[it->cell];
		if (slot == SLOT_NONE)
			note_new(b, it, &more);
		else if (is_comparable(it, &p->cells[slot]))
			compare_count(b, it, &p->cells[slot]);
	}
	add_cells(b, more);
}

static void rebase_port(struct port *p, int64_t since)
{
	port_stirs(p);
	for (unsigned cell = 0; cell < CELL_COUNT; cell++) {
		struct cell *c;

		if (p->layout->slot[cell] == SLOT_NONE || cell_info[cell].kind != KIND_COUNT)
			continue;
		c = &p->cells[p->layout->slot[cell]];
		if ((c->valid != VALID_OK && c->valid != VALID_RESET) ||
			cell_seen_us(p, c) >= since)
			continue;
		c->flags |= CELL_REBASE;
		c->valid = VALID_RESET;
		c->rate = NAN;
	}
	p->down_credit = p->carrier_credit = p->flap_pending = 0;
}

void device_rebase(struct model *m, struct device *d, int64_t since)
{
	for (size_t i = 0; i < d->ports.n; i++)
		rebase_port(m->ports.at[d->ports.at[i]], since);
}

/*
 * A clear rarely hits one counter. A neighbour that went forward may have been cleared too and
 * have passed its old value since. So a port with a reset is re-baselined as a whole. When most of
 * the moved ports were reset, the whole device is.
 */
void batch_resets(struct batch *b)
{
	unsigned moved = 0, reset = 0;

	for (size_t i = 0; i < b->o->ports.n; i++) {
		moved += b->ports[i].changed != 0;
		reset += b->ports[i].reset != 0;
	}
	if (!reset)
		return;
	if (reset >= 2 && reset * 2 >= moved) {
		device_rebase(b->m, b->d, INT64_MAX);
		return;
	}
	for (size_t i = 0; i < b->o->ports.n; i++)
		if (b->ports[i].reset)
			rebase_port(b->ports[i].port, INT64_MAX);
}
