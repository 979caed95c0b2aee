/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "fabric/counts_internal.h"

/*
 * A batch that names only what moved (rest_stands). What else the batch before it told is known by
 * its times: cells that were read by the same look, when that last told. A cell that somebody else
 * told since has a time of his, and is left alone.
 *
 * Each cell gets what it would get if it were named with the value that it has. Most of them stand
 * still: those of one time share it, so that the time is moved on, once, and not each cell.
 */

/* The times of one port that are those of the batch before. */
struct rest {
	struct batch *b;
	struct batch_port *bp;
	unsigned n;             /* of times, before the first cell was touched */
	bool told[UINT8_MAX];   /* is one of them */
	bool others[UINT8_MAX]; /* another source's */
	bool moves[UINT8_MAX];  /* goes on with its cells, to: */
	int64_t base_us[UINT8_MAX];
	/* What was found last: that of the neighbour is mostly the same. */
	struct standing stands;
	unsigned when, group;
	bool known;
};

static bool was_told(const struct batch *b, const struct cell_time *t)
{
	return t->cells && t->look == b->look_no && t->seen_us == b->look->told_us;
}

static bool find_told(struct rest *r)
{
	const struct port *p = r->bp->port;
	bool any = false;

	r->n = p->ntimes;
	for (unsigned i = 0; i < r->n; i++) {
		r->told[i] = was_told(r->b, &p->times[i]);
		r->others[i] = r->b->d->source_us && p->times[i].seen_us < r->b->d->source_us;
		r->moves[i] = false;
		any |= r->told[i];
	}
	r->known = false;
	return any;
}

/* The cell is of that base now; with its time, if all that stays there is. */
static void move_on(struct rest *r, struct cell *c, int64_t base_us)
{
	struct port *p = r->bp->port;
	unsigned when = c->when;

	/* A time that goes on to the time that it has could not be told from those that are done.
	 */
	if (r->b->received == r->b->look->told_us ||
		(r->moves[when] && r->base_us[when] != base_us)) {
		cell_stamp(p, c, r->b->received, base_us, r->b->look_no);
		return;
	}
	r->moves[when] = true;
	r->base_us[when] = base_us;
}

static const struct standing *standing_of(
	struct rest *r, const struct cell *c, enum counter_id id, unsigned group)
{
	bool link = kept_by_link(id);

	if (r->known && r->when == c->when && r->group == group && !link)
		return &r->stands;
	r->stands = count_stands(r->b, r->bp, id, cell_base_us(r->bp->port, c));
	r->when = c->when;
	r->group = group;
	r->known = !link;
	return &r->stands;
}

static void rest_count(struct rest *r, struct cell *c, uint16_t cell)
{
	enum counter_id id = (enum counter_id)cell_info[cell].id;
	unsigned group = cell_info[cell].group;
	const struct standing *s;

	if (cell == CELL_RX_BYTES)
		r->b->d->counters_us = r->b->received;
	if (r->others[c->when] ||
		!cell_is_quiet(r->bp->port, c, id, count_clock(r->b, r->bp, id))) {
		count_apply(r->b, r->bp, cell, c->u64);
		return;
	}
	s = standing_of(r, c, id, group);
	if (s->read_again)
		r->bp->read_again |= 1U << group;
	if (s->sets)
		cell_set_flags(c, s->flags);
	move_on(r, c, s->base_us);
}

static void rest_of_port(struct rest *r)
{
	struct port *p = r->bp->port;

	if (!find_told(r))
		return;
	for (unsigned slot = 0; slot < p->layout->n; slot++) {
		struct cell *c = &p->cells[slot];
		uint16_t cell = p->layout->cell[slot];

		if (c->when >= r->n || !r->told[c->when])
			continue;
		r->bp->carried |= 1U << cell_info[cell].group;
		if (cell_info[cell].kind == KIND_COUNT &&
			(c->valid == VALID_OK || c->valid == VALID_RESET))
			rest_count(r, c, cell);
		else
			move_on(r, c, cell_base_us(p, c));
	}
	for (unsigned i = 0; i < r->n; i++) {
		if (!r->moves[i])
			continue;
		p->times[i].seen_us = r->b->received;
		p->times[i].base_us = r->base_us[i];
	}
}

void batch_rest(struct batch *b)
{
	struct rest r = {.b = b};

	for (size_t i = 0; b->rest && i < b->o->ports.n; i++) {
		r.bp = &b->ports[i];
		if (r.bp->port)
			rest_of_port(&r);
	}
}

static bool port_carries(const struct batch *b, const struct port *p, unsigned group)
{
	for (unsigned slot = 0; slot < p->layout->n; slot++) {
		const struct cell_info *info = &cell_info[p->layout->cell[slot]];
		const struct cell *c = &p->cells[slot];

		if (info->group == group && info->kind == KIND_COUNT && c->when != TIME_NONE &&
			!kept_by_link((enum counter_id)info->id) && !(c->flags & CELL_REBASE) &&
			(c->valid == VALID_OK || c->valid == VALID_RESET) &&
			was_told(b, &p->times[c->when]))
			return true;
	}
	return false;
}

bool rest_carries(const struct batch *b, unsigned group)
{
	for (size_t i = 0; b->rest && i < b->o->ports.n; i++)
		if (b->ports[i].port && port_carries(b, b->ports[i].port, group))
			return true;
	return false;
}
