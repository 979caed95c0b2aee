/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "fabric/model/counts_internal.h"
#include "fabric/history/history_internal.h"

/*
 * A batch that names only what moved (rest_stands). What else the batch before it told is known by
 * its times: cells that were read by the same look, when that last told. A cell that somebody else
 * told since has a time of his, and is left alone.
 *
 * Each cell gets what it would get if it were named with the value that it has. Most of them stand
 * still: those of one time share it, so that the time is moved on, once, and not each cell. A time
 * all of whose cells do is calm: from then on they are not even looked at, for what that costs is
 * to get them out of memory. Whatever else becomes of a cell ends that (cell_stamp(),
 * port_stirs()).
 */

/* In struct cell_time: calm, above the flags of link events. */
#define CALM 0x10
/* Instead of flags: there is no such count. No count that stands still has all of them. */
#define CALM_NONE CELL_FLAGS

/* What cells that go on with their time have in common; see struct cell_time. */
struct calm {
	bool mixed;
	uint8_t links, others, counts[GROUP_COUNT];
};

_Static_assert(GROUP_COUNT * 4 <= 32, "calm_counts has four bits a group");

/* The times of one port that are those of the batch before. */
struct rest {
	struct batch *b;
	struct batch_port *bp;
	unsigned n;             /* of times, before the first cell was touched */
	bool told[UINT8_MAX];   /* is one of them */
	bool others[UINT8_MAX]; /* another source's */
	bool moves[UINT8_MAX];  /* goes on with its cells, to: */
	int64_t base_us[UINT8_MAX];
	struct calm calm[UINT8_MAX];
	unsigned read_again, carried;
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
		r->calm[i].mixed = false;
		r->calm[i].links = CALM_NONE;
		r->calm[i].others = 0;
		memset(r->calm[i].counts, CALM_NONE, sizeof(r->calm[i].counts));
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

/* What the time would have to say for all of its cells to go on together. */
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

/* Whether it is one of them. */
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

/* A count of that group with these flags would go on to base_us, and nothing else would become of
 * it. There may be none. */
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

/* All that has this time stands still, and goes on together: nobody looks at its cells. */
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

/* How many cells are left to look at. */
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

/* They are those that are charted, which are few: the others need not be looked for. */
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

	if (!find_told(r))
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
 * A batch before this one got lost. What stands still since then may have stopped in it: nobody
 * knows its rate until it is named.
 */
static void lost_of_port(struct batch *b, struct port *p)
{
	for (unsigned slot = 0; slot < p->layout->n; slot++) {
		struct cell *c = &p->cells[slot];

		if (c->when == TIME_NONE || !was_told(b, &p->times[c->when]) ||
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

	if (b->o->rest_stands && !b->rest && b->look && b->look->told_us &&
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
