/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/model/cells_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/model/model_internal.h"
#include "fabric/vocabulary/counters.h"

#define uthash_malloc(size) mem_alloc(size)
#include <uthash.h>

_Static_assert(CELL_COUNT <= SLOT_NONE, "a cell is a byte in a layout");

struct layouts;
struct shared {
	struct cell_layout layout; /* first member: a pointer to it is a pointer to this struct */
	struct cell_set set;
	uint32_t owners;
	struct layouts *of;
	UT_hash_handle hh;
};

struct layouts {
	struct shared *by_set;
};

static struct shared *shared_of(const struct cell_layout *l)
{
	return (struct shared *)(uintptr_t)l;
}

/* Records that the layout has a cell of this group. */
static void add_group(struct cell_layout *l, unsigned cell)
{
	uint8_t *place = &l->group[cell_info[cell].group];

	if (!*place)
		*place = ++l->ngroups;
}

static struct shared *layout_new(struct layouts *all, const struct cell_set *set)
{
	struct shared *l = mem_calloc(1, sizeof(*l));

	l->of = all;
	l->set = *set;
	for (unsigned cell = 0; cell < CELL_COUNT; cell++) {
		l->layout.slot[cell] = SLOT_NONE;
		if (!cell_set_has(set, cell))
			continue;
		l->layout.cell[l->layout.n] = (uint8_t)cell;
		if (cell_info[cell].sub < 8)
			l->layout.subs[cell_info[cell].id] |= (uint8_t)(1U << cell_info[cell].sub);
		l->layout.slot[cell] = l->layout.n++;
		add_group(&l->layout, cell);
	}
	return l;
}

/* The shared layout of that set; adds one owner. */
static const struct cell_layout *layout_get(struct layouts *all, const struct cell_set *set)
{
	struct shared *l = NULL;

	HASH_FIND(hh, all->by_set, set, sizeof(*set), l);
	if (!l) {
		l = layout_new(all, set);
		HASH_ADD(hh, all->by_set, set, sizeof(l->set), l);
	}
	l->owners++;
	return &l->layout;
}

static void layout_put(const struct cell_layout *layout)
{
	struct shared *l = shared_of(layout);

	if (--l->owners)
		return;
	HASH_DEL(l->of->by_set, l);
	free(l);
}

void layouts_free(struct model *m)
{
	free(m->layouts);
	m->layouts = NULL;
}

void port_cells_init(struct model *m, struct port *p)
{
	if (!m->layouts)
		m->layouts = mem_calloc(1, sizeof(struct layouts));
	p->layout = layout_get(m->layouts, &(struct cell_set){{0}});
}

/* Start of the port's memory block: the times of its groups precede its cells. */
static void *memory_of(const struct port *p)
{
	return p->cells ? (int64_t *)(void *)p->cells - p->layout->ngroups : NULL;
}

static struct cell *cells_new(const struct cell_layout *l)
{
	int64_t *memory = mem_alloc(l->ngroups * sizeof(*memory) + l->n * sizeof(struct cell));

	return (struct cell *)(void *)(memory + l->ngroups);
}

void port_cells_free(struct port *p)
{
	free(memory_of(p));
	free(p->times);
	layout_put(p->layout);
	p->layout = NULL;
	p->cells = NULL;
	p->times = NULL;
	p->ntimes = p->last_time = 0;
}

struct cell_set port_cell_set(const struct port *p)
{
	return shared_of(p->layout)->set;
}

/* Moves the port's cells to their places in the new layout, which has all of them. */
static void move_cells(struct port *p, const struct cell_layout *is)
{
	const struct cell_layout *was = p->layout;
	struct cell *cells = cells_new(is);

	for (unsigned i = 0; i < is->n; i++) {
		uint8_t slot = was->slot[is->cell[i]];

		cells[i] = slot != SLOT_NONE ? p->cells[slot]
					     : (struct cell){.rate = NAN, .when = TIME_NONE};
	}
	for (unsigned g = 0; g < GROUP_COUNT; g++)
		if (is->group[g])
			((int64_t *)(void *)cells)[-(int)is->group[g]] =
				port_moved_us(p, (enum refresh_group)g);
	free(memory_of(p));
	p->cells = cells;
	p->layout = is;
}

bool port_cells_add(struct port *p, const struct cell_set *more)
{
	struct cell_set set = port_cell_set(p);
	const struct cell_layout *was = p->layout, *is;
	bool differs = false;

	for (size_t i = 0; i < sizeof(set.has) / sizeof(set.has[0]); i++) {
		differs |= (more->has[i] & ~set.has[i]) != 0;
		set.has[i] |= more->has[i];
	}
	if (!differs)
		return false;
	is = layout_get(shared_of(was)->of, &set);
	marks_moved(p, is);
	move_cells(p, is);
	layout_put(was);
	return true;
}

struct cell *port_cell_get(struct port *p, uint16_t cell)
{
	struct cell_set one = {{0}};

	cell_set_add(&one, cell);
	(void)port_cells_add(p, &one);
	return &p->cells[p->layout->slot[cell]];
}

/* Always finds room: there are fewer cells than TIME_NONE, and the calling cell has no time yet. */
uint8_t port_time(struct port *p, int64_t seen_us, int64_t base_us, uint8_t look)
{
	unsigned room = p->ntimes;

	for (unsigned i = 0; i < p->ntimes; i++) {
		if (!p->times[i].cells)
			room = i;
		else if (time_is(&p->times[i], seen_us, base_us, look))
			return (uint8_t)i;
	}
	if (room == p->ntimes) {
		unsigned n = p->ntimes + 1U;

		p->times = mem_realloc(p->times, n, sizeof(*p->times));
		memset(p->times + p->ntimes, 0, (n - p->ntimes) * sizeof(*p->times));
		p->ntimes = (uint8_t)n;
	}
	p->times[room] = (struct cell_time){.seen_us = seen_us, .base_us = base_us, .look = look};
	return (uint8_t)room;
}
