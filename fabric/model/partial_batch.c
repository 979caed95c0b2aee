/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "fabric/model/counts_internal.h"
#include "fabric/history/history_internal.h"
#include "fabric/vocabulary/counters.h"

/*
 * Applies a batch that names only the cells that moved (unchanged_rest). The other cells of the
 * batch before it are found by their times: the same look read them at its last answer. A cell that
 * another request reported since has another time, and is left alone.
 *
 * The effect on each cell is as if the batch named it with its current value. Most cells stand
 * still, and those with a common time share it. So the time is advanced once, and not each cell. A
 * time is calm when all of its cells stand still. Cells of a calm time are not even read, because
 * fetching them from memory is the cost. Any other change of a cell ends that (cell_stamp(),
 * port_stirs()).
 */

/* In calm of struct cell_time: above the flags of link events. */
#define CALM 0x10
/* In place of flags: there is no such count. No standing count has all of these flags. */
#define CALM_NONE CELL_FLAGS

/* Common properties of cells that advance with their time; see struct cell_time. */
struct calm {
	bool mixed;
	uint8_t links, others, counts[GROUP_COUNT];
};

_Static_assert(GROUP_COUNT * 4 <= 32, "calm_counts has four bits a group");

/* The times of one port that belong to the batch before. */
struct rest {
	struct batch *b;
	struct batch_port *bp;
	unsigned n;             /* number of times, before the first cell was touched */
	bool told[UINT8_MAX];   /* belongs to the batch before */
	bool others[UINT8_MAX]; /* holds another source's values */
	bool moves[UINT8_MAX];  /* advances with its cells, to base_us */
	int64_t base_us[UINT8_MAX];
	struct calm calm[UINT8_MAX];
	unsigned read_again, carried;
	/* Result for the last cell: the next cell mostly has the same. */
	struct standing stands;
	unsigned when, group;
	bool known;
};

static bool is_of_last_batch(const struct batch *b, const struct cell_time *t)
{
	return t->cells && t->look == b->look_no && t->seen_us == b->look->told_us;
}

static bool find_last_times(struct rest *r)
{
	const struct port *p = r->bp->port;
	bool any = false;

	r->n = p->ntimes;
	for (unsigned i = 0; i < r->n; i++) {
		r->told[i] = is_of_last_batch(r->b, &p->times[i]);
		r->others[i] = r->b->d->source_us && p->times[i].seen_us < r->b->d->source_us;
		r->moves[i] = false;
		r->calm[i].mixed = false;
		r->calm[i].links = CALM_NONE;
		r->calm[i].others = 0;
		memset(r->calm[i].counts, CALM_NONE, sizeof(r->calm[i].counts));
		any |= r->told[i];
	}
	r->known = false;
	return any;
}

/* Advances the cell to that base: with its time, if all remaining cells of the time advance so. */
static void move_on(struct rest *r, struct cell *c, int64_t base_us)
{
	struct port *p = r->bp->port;
	unsigned when = c->when;

	/* A time that advances to its own value would look like one that is done. */
	if (r->b->received == r->b->look->told_us ||
		(r->moves[when] && r->base_us[when] != base_us)) {
		cell_stamp(p, c, r->b->received, base_us, r->b->look_no);
		return;
	}
	r->moves[when] = true;
	r->base_us[when] = base_us;
}

static const struct standing *standing_of(
	struct rest *r, const struct cell *c, unsigned group, bool link)
{

	if (r->known && r->when == c->when && r->group == group && !link)
		return &r->stands;
	r->stands = count_stands(r->b, r->bp, group, link, cell_base_us(r->bp->port, c));
	r->when = c->when;
	r->group = group;
	r->known = !link;
	return &r->stands;
}

static void rest_count(struct rest *r, struct cell *c, uint16_t cell)
{
	enum counter_id id = (enum counter_id)cell_info[cell].id;
	unsigned group = cell_info[cell].group;
	bool link = kept_by_link(id);
	const struct standing *s;

	if (cell == CELL_RX_BYTES)
		r->b->d->counters_us = r->b->received;
	if (r->others[c->when] ||
		!cell_is_quiet(r->bp->port, c, id, count_clock(r->b, r->bp, group, link))) {
		count_apply(r->b, r->bp, cell, c->u64);
		return;
	}
	s = standing_of(r, c, group, link);
	if (s->read_again)
		r->bp->read_again |= 1U << group;
	if (s->sets)
		cell_set_flags(c, s->flags);
	move_on(r, c, s->base_us);
}

/* Records the common properties that all cells of a time must have to advance together. */
static void note_calm(
	struct rest *r, const struct cell *c, const struct cell_info *info, bool count)
{
	struct calm *k = &r->calm[c->when];
	uint8_t flags = c->flags & CELL_FLAGS, *of;

	if (!count) {
		k->others |= (uint8_t)(1U << info->group);
		return;
	}
	of = kept_by_link((enum counter_id)info->id) ? &k->links : &k->counts[info->group];
	k->mixed |= *of != CALM_NONE && *of != flags;
	*of = flags;
}

/* Whether the batch before held the cell and this one does not name it. */
static bool rest_cell(struct rest *r, unsigned slot)
{
	struct port *p = r->bp->port;
	struct cell *c = &p->cells[slot];
	uint16_t cell = p->layout->cell[slot];
	const struct cell_info *info = &cell_info[cell];
	bool count = info->kind == KIND_COUNT && (c->valid == VALID_OK || c->valid == VALID_RESET);
	unsigned when = c->when;

	if (when >= r->n || !r->told[when])
		return false;
	r->bp->carried |= 1U << info->group;
	if (count)
		rest_count(r, c, cell);
	else
		move_on(r, c, cell_base_us(p, c));
	if (c->when == when && r->moves[when])
		note_calm(r, c, info, count);
	return true;
}

/* Whether a count of that group with these flags advances to base_us without any other change.
 * There may be no such count. */
static bool goes_on(struct rest *r, const struct cell_time *t, unsigned group, bool link,
	unsigned flags, int64_t *base_us)
{
	struct standing s;

	if (flags == CALM_NONE)
		return true;
	s = count_stands(r->b, r->bp, group, link, t->base_us);
	if (count_clock(r->b, r->bp, group, link) != (flags & (CELL_CLOCK | CELL_REBASE)) ||
		(s.sets && s.flags != flags))
		return false;
	if (*base_us != INT64_MIN && *base_us != s.base_us)
		return false;
	*base_us = s.base_us;
	if (s.read_again)
		r->read_again |= 1U << group;
	if (!link)
		r->carried |= 1U << group;
	return true;
}

/* Whether all cells of this time stand still and advance together: then none is read. */
static bool all_go_on(struct rest *r, struct cell_time *t)
{
	int64_t base_us = t->calm_others ? t->base_us : INT64_MIN;

	r->read_again = 0;
	r->carried = t->calm_others;
	if (!t->calm || r->b->received == r->b->look->told_us)
		return false;
	for (unsigned g = 0; g < GROUP_COUNT; g++)
		if (!goes_on(r, t, g, false, t->calm_counts >> 4 * g & CELL_FLAGS, &base_us))
			return false;
	if (!goes_on(r, t, GROUP_PORT, true, t->calm & CELL_FLAGS, &base_us))
		return false;
	if (base_us == INT64_MIN)
		return false;
	if ((t->calm & CELL_FLAGS) != CALM_NONE)
		r->carried |= 1U << GROUP_PORT;
	r->bp->carried |= r->carried;
	r->bp->read_again |= r->read_again;
	t->seen_us = r->b->received;
	t->base_us = base_us;
	return true;
}

/* Returns the number of cells that still must be examined. */
static unsigned calm_go_on(struct rest *r)
{
	struct port *p = r->bp->port;
	unsigned left = 0;

	for (unsigned i = 0; i < r->n; i++) {
		if (!r->told[i])
			continue;
		r->told[i] = r->others[i] || !all_go_on(r, &p->times[i]);
		left += r->told[i] ? p->times[i].cells : 0;
	}
	return left;
}

/* Whether the remaining cells are the few charted ones: then the others need no search. */
static bool only_charted(const struct rest *r, unsigned left)
{
	const struct port *p = r->bp->port;
	unsigned n = 0;

	for (size_t i = 0; p->log && i < p->log->series.n; i++) {
		const struct cell *c = &p->cells[p->layout->slot[p->log->series.at[i].cell]];

		n += c->when < r->n && r->told[c->when];
	}
	return n == left;
}

static void end_times(struct rest *r)
{
	struct port *p = r->bp->port;

	for (unsigned i = 0; i < r->n; i++) {
		struct cell_time *t = &p->times[i];
		const struct calm *k = &r->calm[i];

		if (!r->moves[i])
			continue;
		t->seen_us = r->b->received;
		t->base_us = r->base_us[i];
		t->calm = k->mixed ? 0 : CALM | k->links;
		t->calm_others = k->others;
		t->calm_counts = 0;
		for (unsigned g = 0; g < GROUP_COUNT; g++)
			t->calm_counts |= (uint32_t)k->counts[g] << 4 * g;
	}
}

static void rest_of_port(struct rest *r)
{
	struct port *p = r->bp->port;
	unsigned left;

	if (!find_last_times(r))
		return;
	left = calm_go_on(r);
	if (!left)
		return;
	if (only_charted(r, left)) {
		for (size_t i = 0; i < p->log->series.n; i++)
			(void)rest_cell(r, p->layout->slot[p->log->series.at[i].cell]);
	} else {
		for (unsigned slot = 0; slot < p->layout->n && left; slot++)
			left -= rest_cell(r, slot);
	}
	end_times(r);
}

/*
 * A batch before this one got lost. A cell that stands still since may have stopped in it: its
 * rate is unknown until it is named.
 */
static void lost_of_port(struct batch *b, struct port *p)
{
	for (unsigned slot = 0; slot < p->layout->n; slot++) {
		struct cell *c = &p->cells[slot];

		if (c->when == TIME_NONE || !is_of_last_batch(b, &p->times[c->when]) ||
			cell_info[p->layout->cell[slot]].kind != KIND_COUNT || !(c->rate > 0))
			continue;
		c->rate = NAN;
		b->changed = true;
	}
}

static void batch_lost(struct batch *b)
{
	for (size_t i = 0; i < b->o->ports.n; i++)
		if (b->ports[i].port)
			lost_of_port(b, b->ports[i].port);
}

void batch_rest(struct batch *b)
{
	struct rest r = {.b = b};

	if (b->o->unchanged_rest && !b->rest && b->look && b->look->told_us &&
		b->look->told_us != b->received)
		batch_lost(b);
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
			is_of_last_batch(b, &p->times[c->when]))
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
