/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_MODEL_CELLS_INTERNAL_H
#define FABRIC_MODEL_CELLS_INTERNAL_H

#include "fabric/model/model.h"
#include "fabric/vocabulary/counters.h"

/*
 * Storage of the cells of ports, for the files of fabric/model. Common data is stored once. All
 * ports with the same set of cells share one layout: which cells, and where. All cells of a port
 * that came in one answer share one read time.
 */

/* struct cell flags */
#define CELL_REBASE     0x01 /* the next sample is a baseline, whatever its value */
#define CELL_WALL_CLOCK 0x02 /* base_us is by our clock, the device gave none */
#define CELL_PORT_CLOCK 0x04 /* base_us is by our clock: the device sent no time */
#define CELL_LOOSE      0x08 /* base_us is when we looked, not a refresh: the value may be older */
#define CELL_FLAGS                                                                                 \
	0x0f /* base_us is the time of our poll, not of a refresh: the value may be older */
/* Above the flags: number of recent steps back. */
#define CELL_BACKS_SHIFT 4
#define CELL_BACKS_MOST  15

static inline void cell_set_flags(struct cell *c, unsigned flags)
{
	c->flags = (uint8_t)((c->flags & ~(unsigned)CELL_FLAGS) | flags);
}

static inline unsigned cell_backs(const struct cell *c)
{
	return c->flags >> CELL_BACKS_SHIFT;
}

static inline void cell_set_backs(struct cell *c, unsigned backs)
{
	c->flags = (uint8_t)((c->flags & CELL_FLAGS) | backs << CELL_BACKS_SHIFT);
}

/* Sample time of the refresh that the value is from; 0: never read. */
static inline int64_t cell_base_us(const struct port *p, const struct cell *c)
{
	return c->when == TIME_NONE ? 0 : p->times[c->when].base_us;
}

/* Groups without a cell of the port have no time. */
static inline void port_set_moved_us(struct port *p, enum refresh_group g, int64_t us)
{
	unsigned place = p->layout->group[g];

	if (place)
		((int64_t *)(void *)p->cells)[-(int)place] = us;
}

/* A set of cells, a bit each. */
struct cell_set {
	uint64_t has[(CELL_COUNT + 63) / 64];
};

static inline void cell_set_add(struct cell_set *set, unsigned cell)
{
	set->has[cell / 64] |= UINT64_C(1) << (cell % 64);
}

static inline bool cell_set_has(const struct cell_set *set, unsigned cell)
{
	return set->has[cell / 64] >> (cell % 64) & 1U;
}

/* For a new port: without cells. */
void port_cells_init(struct model *m, struct port *p);
void port_cells_free(struct port *p);
void layouts_free(struct model *m); /* call after the cells of all ports are freed */
struct cell_set port_cell_set(const struct port *p);
/*
 * Adds these cells to the port: never read, without a rate; its other cells move. False: it had
 * all of them.
 */
bool port_cells_add(struct port *p, const struct cell_set *more);
/* The cell of a port, added if missing; then other cells move. */
struct cell *port_cell_get(struct port *p, uint16_t cell);
/* A time slot of the port for one more cell; see cell_stamp(). */
uint8_t port_time(struct port *p, int64_t seen_us, int64_t base_us, uint8_t look);

static inline bool time_is(
	const struct cell_time *t, int64_t seen_us, int64_t base_us, uint8_t look)
{
	return t->seen_us == seen_us && t->base_us == base_us && t->look == look;
}

/* Records that the cell was read at that time by that look of the device (struct cell_time). */
static inline void cell_stamp(
	struct port *p, struct cell *c, int64_t seen_us, int64_t base_us, uint8_t look)
{
	struct cell_time *t;

	if (c->when != TIME_NONE) {
		t = &p->times[c->when];
		if (time_is(t, seen_us, base_us, look)) {
			t->calm = 0;
			return;
		}
		t->cells--;
		t->calm = 0;
	}
	/* Usually the time of the previous cell. */
	t = p->ntimes ? &p->times[p->last_time] : NULL;
	if (!t || !t->cells || !time_is(t, seen_us, base_us, look)) {
		p->last_time = port_time(p, seen_us, base_us, look);
		t = &p->times[p->last_time];
	}
	t->cells++;
	t->calm = 0;
	c->when = p->last_time;
}

/* Announces that a cell of the port changes without being read. */
static inline void port_stirs(struct port *p)
{
	for (unsigned i = 0; i < p->ntimes; i++)
		p->times[i].calm = 0;
}

#endif
