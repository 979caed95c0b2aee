/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "archive/openmetrics/metrics_private.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

/*
 * Transposes the numbers of ports. The model stores all numbers of a port together; an exposition
 * lists all ports of a number. One pass over the model that writes to columns costs a fraction of
 * one lookup per number and port.
 */

#define LABELS_OF_DEVICE 1024

/* Rows are filled in blocks of 64: the bits of a block are one word per column, kept in the
 * cache. */
struct filling {
	struct metrics *x;
	size_t row;
	uint64_t has[METRIC_CELLS];
};

static void add_column(struct metrics *x, unsigned cell)
{
	struct metric_column *c = &x->columns[cell];

	c->at = mem_alloc(x->rows * sizeof(*c->at));
	c->has = mem_calloc((x->rows + 63) / 64, sizeof(*c->has));
}

static inline void put_number(struct filling *f, unsigned cell, uint64_t value)
{
	struct metric_column *c = &f->x->columns[cell];

	if (!c->at)
		add_column(f->x, cell);
	c->at[f->row] = value;
	f->has[cell] |= UINT64_C(1) << (f->row % 64);
}

static void end_block(struct filling *f)
{
	for (unsigned cell = 0; cell < METRIC_CELLS; cell++) {
		struct metric_column *c = &f->x->columns[cell];

		if (!f->has[cell])
			continue;
		c->has[f->row / 64] = f->has[cell];
		c->n += (size_t)__builtin_popcountll(f->has[cell]);
		f->has[cell] = 0;
	}
}

/* True: the port never reported these eight cells. */
static bool none_of_eight(const uint8_t *slots)
{
	uint64_t eight;

	memcpy(&eight, slots, sizeof(eight));
	return eight == UINT64_MAX;
}
_Static_assert(SLOT_NONE == 0xff, "eight slots that are none are a word of ones");

static void put_cells(struct filling *f, const struct device *d, const struct port *p)
{
	const uint8_t *slot = p->layout->slot;
	int64_t current = 0; /* cells with this time are known to be current */

	for (unsigned id = 0; id < CELL_COUNT; id++) {
		const struct cell *c;
		int64_t seen;

		if (slot[id] == SLOT_NONE) {
			if (id + 8 <= CELL_COUNT && none_of_eight(&slot[id]))
				id += 7;
			continue;
		}
		c = &p->cells[slot[id]];
		seen = cell_seen_us(p, c);
		/* All cells of one answer have the same age: check it once. */
		if (c->valid != VALID_OK || seen != current) {
			enum validity valid = device_cell_valid(d, c, seen);

			/* After a reset there is no rate, but the number is valid. */
			if (valid != VALID_OK && valid != VALID_RESET)
				continue;
			current = seen;
		}
		if (f->x->real[id] && !isfinite(c->real))
			continue;
		put_number(f, id, c->u64);
	}
}

static uint64_t bytes_per_second(unsigned mbps)
{
	return (uint64_t)mbps * 125000;
}

static void put_state(struct filling *f, const struct model *m, const struct port *p)
{
	if (p->oper != OPER_UNKNOWN)
		put_number(f, METRIC_CELL_PORT_UP, p->oper == OPER_UP);
	if (p->admin != OPER_UNKNOWN)
		put_number(f, METRIC_CELL_PORT_ADMIN_UP, p->admin == OPER_UP);
	if (p->speed_mbps)
		put_number(f, METRIC_CELL_PORT_SPEED, bytes_per_second(p->speed_mbps));
	if (p->oper != OPER_UNKNOWN)
		put_number(f, METRIC_CELL_PORT_FLAPS, p->flaps);
	if (p->plan_peer != PORT_NONE && p->lldp_device[0])
		put_number(f, METRIC_CELL_PORT_MISWIRED, port_miswired(m, p));
	for (unsigned prio = 0; prio < PRIORITIES; prio++)
		if (p->wd[prio].state >= WD_OPERATIONAL)
			put_number(f, METRIC_CELL_PORT_STORMED + prio,
				p->wd[prio].state == WD_STORMED);
}

static void put_port(struct filling *f, const struct model *m, const struct port *p)
{
	const struct device *d = model_dev_of(m, p);

	/* Planned values are always current. */
	if (p->plan_speed_mbps)
		put_number(f, METRIC_CELL_PORT_PLAN_SPEED, bytes_per_second(p->plan_speed_mbps));
	if (d->state == DEV_PENDING || metric_is_old(d))
		return;
	put_state(f, m, p);
	put_cells(f, d, p);
}

/* The labels shared by the ports of a device: text before and after the port's name. */
struct device_labels {
	struct buf before, after;
	int rail;
};

static void device_labels(struct device_labels *l, const struct device *d, int rail)
{
	char text[16];

	buf_reset(&l->before);
	buf_reset(&l->after);
	l->rail = rail;
	metric_label(&l->before, "device", d->name);
	(void)buf_add(&l->before, ",", 1);
	if (rail >= 0) {
		(void)str_printf(text, sizeof(text), "%d", rail);
		(void)buf_add(&l->after, ",", 1);
		metric_label(&l->after, "rail", text);
	}
	(void)buf_add(&l->after, ",", 1);
	metric_label(&l->after, "tier", tier_name(d->tier));
}

static void add_labels(
	struct buf *b, struct device_labels *l, const struct device *d, const struct port *p)
{
	int rail = p->rail >= 0 ? p->rail : d->rail;

	if (rail != l->rail || !l->before.len)
		device_labels(l, d, rail);
	(void)buf_add(b, l->before.data, l->before.len);
	metric_label(b, "port", p->name);
	(void)buf_add(b, l->after.data, l->after.len);
}

/* Makes rows by device and port, in the usual order. Returns the ports of the rows. */
static const struct port **find_rows(struct metrics *x, const struct model *m)
{
	const struct port **rows = mem_alloc((m->ports.n + 1) * sizeof(const struct port *));
	struct metric_seen seen = {0};
	struct device_labels labels = {0};

	metric_seen_reserve(&seen, m->ports.n + 1);
	buf_init(&labels.before, LABELS_OF_DEVICE);
	buf_init(&labels.after, LABELS_OF_DEVICE);
	x->labels_at = mem_alloc((m->ports.n + 1) * sizeof(*x->labels_at));
	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];

		buf_reset(&labels.before);
		for (size_t k = 0; k < d->ports.n; k++) {
			const struct port *p = m->ports.at[d->ports.at[k]];
			size_t at = x->labels.len;

			if (p->merged)
				continue;
			add_labels(&x->labels, &labels, d, p);
			if (x->labels.overflow ||
				x->labels.len > x->labels.cap - METRIC_COPY_STEP ||
				!metric_seen_new(&seen, &x->labels, at, x->labels.len - at)) {
				x->labels.len = at;
				x->left_out++;
				continue;
			}
			x->labels_at[x->rows] = (uint32_t)at;
			rows[x->rows++] = p;
		}
	}
	x->labels_at[x->rows] = (uint32_t)x->labels.len;
	(void)buf_add(&x->labels, (const char[METRIC_COPY_STEP]){""}, METRIC_COPY_STEP);
	metric_seen_free(&seen);
	buf_free(&labels.before);
	buf_free(&labels.after);
	return rows;
}

void metrics_take_ports(struct metrics *x, const struct model *m)
{
	const struct port **rows = find_rows(x, m);
	struct filling f = {.x = x};

	for (unsigned id = 0; id < CELL_COUNT; id++)
		x->real[id] = counter_info[counter_of_cell((uint16_t)id, NULL)].kind == KIND_GAUGE;
	for (size_t row = 0; row < x->rows; row++) {
		f.row = row;
		put_port(&f, m, rows[row]);
		if (row % 64 == 63 || row + 1 == x->rows)
			end_block(&f);
	}
	free((void *)rows);
}
