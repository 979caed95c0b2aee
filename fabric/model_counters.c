/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/model_internal.h"
#include "fabric/rate.h"

/*
 * A counter that keeps going back (a gauge in disguise, a broken firmware) is no evidence of a
 * clear: it would silence its neighbours for ever. Going back costs BACK_COST, each movement
 * forward pays one; above BACK_LIMIT it is not believed.
 */
#define BACK_COST  4
#define BACK_LIMIT 8

/* More than this many times the line rate is not traffic: the counter jumped. */
#define LINE_RATE_TIMES 4

/* Which clock base_us is by: ours, the port's own sample time, else that of the device's answer. */
#define CELL_CLOCK (CELL_WALL_CLOCK | CELL_PORT_CLOCK)

/* Missed samples after which the sparkline shows a gap. */
#define GAP_US RATE_HOLD_US

static const struct sample a_gap = {.rate = NAN};

static enum step cell_step(const struct batch *b, const struct cell *c, enum counter_id id,
	uint64_t now, uint64_t *delta)
{
	return counter_step(c->u64, now, b->o->narrow[id] ? 32 : counter_info[id].bits, delta);
}

/* The stored cell of a count that can be compared with this item, else NULL. */
static struct cell *comparable(const struct batch *b, const struct obs_item *it)
{
	struct port *p;
	struct cell *c;

	if (it->kind != OBS_COUNT || it->port >= b->o->ports.n || it->cell >= CELL_COUNT)
		return NULL;
	p = b->ports[it->port].port;
	if (!p || p->slot[it->cell] == SLOT_NONE ||
		counter_info[counter_of_cell(it->cell, NULL)].kind != KIND_COUNT)
		return NULL;
	c = &p->cells.at[p->slot[it->cell]];
	if (c->flags & CELL_REBASE || (c->valid != VALID_OK && c->valid != VALID_RESET))
		return NULL;
	return c;
}

static void note_reset(struct batch *b, struct port *p, enum counter_id id)
{
	if (!b->resets++) {
		b->reset_port = p;
		b->reset_counter = id;
	}
}

/* The counter went back: is it to be believed? */
static bool believed_back(struct cell *c)
{
	bool believed = c->backs < BACK_LIMIT;

	c->backs = (uint8_t)(c->backs < BACK_LIMIT ? c->backs + BACK_COST : c->backs);
	return believed;
}

/* Link events are counted when they happen, not when the port's counters are read. */
static bool kept_by_link(enum counter_id id)
{
	return id == CTR_LINK_DOWN_EVENTS || id == CTR_CARRIER_CHANGES;
}

/* The port's own sample time says when this group was read. */
static bool sampled(const struct batch_port *bp, unsigned group)
{
	return bp->sample_us && !(bp->port->unsampled & (1U << group));
}

/* A counter moved. It may have moved while the port's sample time stood still: then that time is
 * not the time of this group. */
static void note_move(struct batch *b, struct batch_port *bp, const struct cell *c, unsigned bit)
{
	bp->changed |= bit;
	b->group_changed |= bit;
	if (bp->sample_us && bp->sample_us == c->base_us && c->flags & CELL_PORT_CLOCK)
		bp->port->unsampled |= (uint8_t)bit;
}

/* First look, nothing is stored: which groups moved, and where did counters go back. */
static void survey(struct batch *b)
{
	for (size_t i = 0; i < b->o->items.n; i++) {
		const struct obs_item *it = &b->o->items.at[i];
		struct cell *c = comparable(b, it);
		struct batch_port *bp;
		enum counter_id id;
		unsigned bit;
		uint64_t delta;
		enum step step;

		if (!c)
			continue;
		id = counter_of_cell(it->cell, NULL);
		if (!kept_by_link(id))
			b->group_carried |= 1U << counter_info[id].group;
		step = cell_step(b, c, id, it->u64, &delta);
		if (step == STEP_SAME)
			continue;
		bp = &b->ports[it->port];
		bit = 1U << counter_info[id].group;
		if (step != STEP_RESET && isfinite(c->rate)) {
			b->grown[counter_info[id].group] += (double)delta;
			b->expected[counter_info[id].group] += (double)c->rate;
		}
		if (!kept_by_link(id))
			note_move(b, bp, c, bit);
		if (step == STEP_RESET && believed_back(c)) {
			bp->reset |= bit;
			note_reset(b, bp->port, id);
		}
	}
}

static void rebase_port(struct port *p, int64_t since)
{
	for (unsigned cell = 0; cell < CELL_COUNT; cell++) {
		struct cell *c;

		if (p->slot[cell] == SLOT_NONE ||
			counter_info[counter_of_cell((uint16_t)cell, NULL)].kind != KIND_COUNT)
			continue;
		c = &p->cells.at[p->slot[cell]];
		if ((c->valid != VALID_OK && c->valid != VALID_RESET) || c->seen_us >= since)
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
 * A clear rarely hits one counter: what went forward beside one that went back may have been
 * cleared too and have passed its old value since. A port with a reset starts anew as a whole; when
 * most of the ports that moved were reset, so does the device.
 */
static void spread_resets(struct batch *b)
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

static struct cell *cell_of(struct batch *b, struct port *p, uint16_t cell)
{
	struct cell *c;

	if (p->slot[cell] != SLOT_NONE)
		return &p->cells.at[p->slot[cell]];
	if (p->cells.n == p->cells.size) {
		p->cells.size += 16;
		p->cells.at = mem_realloc(p->cells.at, p->cells.size, sizeof(*p->cells.at));
	}
	p->slot[cell] = (uint8_t)p->cells.n;
	c = &p->cells.at[p->cells.n++];
	memset(c, 0, sizeof(*c));
	c->rate = NAN;
	b->changed = true;
	return c;
}

/* When a counter was read, and by whose clock. */
struct reading {
	int64_t us;
	uint8_t clock; /* CELL_*_CLOCK; 0: of the answer */
};

static struct reading reading_of(
	const struct batch *b, const struct batch_port *bp, enum counter_id id)
{
	if (sampled(bp, counter_info[id].group) && !kept_by_link(id))
		return (struct reading){bp->sample_us, CELL_PORT_CLOCK};
	return (struct reading){b->sample, b->device_time ? 0 : CELL_WALL_CLOCK};
}

static void baseline(
	struct batch *b, struct cell *c, uint64_t value, struct reading r, enum validity valid)
{
	if (c->u64 != value || c->valid != valid)
		b->changed = true;
	c->u64 = value;
	c->rate = NAN;
	c->base_us = r.us;
	c->valid = (uint8_t)valid;
	c->flags = r.clock;
}

/* A first value: unless the port says when it was read, that was up to a refresh before we looked.
 */
static void first_value(
	struct batch *b, struct cell *c, uint64_t value, struct reading r, enum validity valid)
{
	baseline(b, c, value, r, valid);
	if (r.clock != CELL_PORT_CLOCK)
		c->flags |= CELL_LOOSE;
}

/*
 * The clocks have nothing in common, or the device's went back: by our clock, since the poll that
 * last saw a refresh. Polls in between saw the value stand still: the last of them says nothing
 * about when it was read.
 */
static int64_t time_by_polls(
	const struct batch *b, const struct port *p, const struct cell *c, unsigned group)
{
	int64_t since = c->seen_us, moved = p->group_moved_us[group];

	if (moved && moved < since && b->received - moved <= RATE_HOLD_US)
		since = moved;
	return b->received - since;
}

/*
 * Time that the step took. Where refreshes are reckoned, the time between them, not between the
 * polls that saw them. *loose: it may well have been more.
 */
static int64_t step_time(const struct batch *b, const struct port *p, const struct cell *c,
	enum counter_id id, struct reading r, bool *loose)
{
	unsigned group = counter_info[id].group;
	int64_t dt = r.us - c->base_us;

	*loose = false;
	if (b->elapsed[group] && r.us == b->sample && c->base_us == b->moved_before[group])
		return b->elapsed[group];
	*loose = r.clock != (c->flags & CELL_CLOCK) || dt <= 0;
	if (*loose)
		return time_by_polls(b, p, c, group);
	*loose = c->flags & CELL_LOOSE;
	return dt;
}

/*
 * Bytes cannot outrun the wire: an impossible step is a jump, and no rate is taken from it. Where
 * the time is loose it is one only when no refresh is that old.
 */
static bool impossible(const struct port *p, enum counter_id id, uint64_t delta, int64_t dt)
{
	unsigned speed = p->speed_mbps ? p->speed_mbps : p->plan_speed_mbps;
	double rate = counter_rate(delta, dt);

	if (id != CTR_RX_BYTES && id != CTR_TX_BYTES)
		return false;
	return speed && rate * 8 > (double)speed * 1e6 * LINE_RATE_TIMES;
}

static void note_wrap(struct batch *b, struct port *p, enum counter_id id)
{
	if (!b->wraps++) {
		b->wrap_port = p;
		b->wrap_counter = id;
	}
}

/* What growth of a counter means beyond its number. */
static void growth(
	struct batch *b, struct batch_port *bp, enum counter_id id, unsigned sub, uint64_t delta)
{
	char text[64];

	if (id == CTR_LINK_DOWN_EVENTS) {
		bp->downs += delta;
	} else if (id == CTR_CARRIER_CHANGES) {
		bp->moves += delta;
	} else if (id == CTR_PFCWD_STORM_DETECTED || id == CTR_PFCWD_STORM_RESTORED) {
		(void)str_printf(text, sizeof(text), "%llu %s", (unsigned long long)delta,
			delta == 1 ? "time" : "times");
		model_add_event(b->m, b->now,
			id == CTR_PFCWD_STORM_DETECTED ? EV_STORM_DETECTED : EV_STORM_RESTORED,
			b->d, bp->port, (int)sub, 0, text);
	}
}

static void advance(struct batch *b, struct batch_port *bp, struct cell *c, uint16_t cell,
	uint64_t value, struct reading r)
{
	struct port *p = bp->port;
	unsigned sub;
	enum counter_id id = counter_of_cell(cell, &sub);
	uint64_t delta = 0;
	bool loose;
	enum step step = cell_step(b, c, id, value, &delta);
	int64_t dt = step_time(b, p, c, id, r, &loose);
	double rate = impossible(p, id, delta, dt) ? (double)NAN : counter_rate(delta, dt);

	if (step == STEP_RESET ||
		impossible(p, id, delta, loose && dt < RATE_HOLD_US ? RATE_HOLD_US : dt)) {
		if (step != STEP_RESET && believed_back(c))
			note_reset(b, p, id);
		baseline(b, c, value, r, VALID_RESET);
		history_push(b, bp, c, cell, &a_gap);
		return;
	}
	if (step == STEP_SAME && r.clock == (c->flags & CELL_CLOCK) && r.us <= c->base_us)
		return;
	if (step == STEP_WRAP)
		note_wrap(b, p, id);
	if (step != STEP_SAME) {
		growth(b, bp, id, sub, delta);
		tally_growth(b->m, p, id, sub, delta, b->now);
		marks_grow(b->m, p, p->slot[cell], delta);
		c->backs = (uint8_t)(c->backs ? c->backs - 1 : 0);
	}
	if (b->received - c->seen_us > GAP_US && b->received - c->seen_us > 3 * b->d->interval_us)
		history_push(b, bp, c, cell, &a_gap);
	if (step != STEP_SAME || (float)rate != c->rate || c->valid != VALID_OK)
		b->changed = true;
	baseline(b, c, value, r, VALID_OK);
	c->rate = (float)rate;
	history_push(b, bp, c, cell, &(struct sample){c->rate, delta, dt});
}

/* Nothing moved and nothing says that the device looked: keep the rate, but not for ever. */
static void hold(
	struct batch *b, struct batch_port *bp, struct cell *c, uint16_t cell, struct reading r)
{
	unsigned group = counter_info[counter_of_cell(cell, NULL)].group;

	if (b->received - bp->port->group_moved_us[group] <=
		(group == GROUP_WATCHDOG ? WATCHDOG_HOLD_US : RATE_HOLD_US))
		return;
	if (!(c->rate <= 0)) {
		b->changed = true;
		c->rate = 0;
		c->valid = VALID_OK;
		history_push(b, bp, c, cell,
			&(struct sample){0, 0, b->received - bp->port->group_moved_us[group]});
	}
	/* The device's own sample time stays the base: it says since when nothing was read. */
	if (!sampled(bp, group)) {
		c->base_us = r.us;
		c->flags = r.clock | CELL_LOOSE;
	}
}

/* Without a sample time of the port: what the whole answer tells. */
static bool answer_refreshed(const struct batch *b, unsigned group)
{
	return ((b->group_changed | b->group_passed) & (1U << group)) != 0;
}

/* The port was read again since: its own sample time is another. */
static bool read_again(const struct cell *c, struct reading r)
{
	return r.us != c->base_us || r.clock != (c->flags & CELL_CLOCK);
}

static bool refreshed(
	const struct batch *b, const struct cell *c, enum counter_id id, struct reading r)
{
	if (kept_by_link(id))
		return true;
	if (r.clock == CELL_PORT_CLOCK)
		return read_again(c, r);
	return answer_refreshed(b, counter_info[id].group);
}

static void apply_peak(struct batch *b, struct cell *c, uint64_t value)
{
	if (c->u64 != value || c->valid != VALID_OK)
		b->changed = true;
	c->u64 = value;
	c->valid = VALID_OK;
}

/* Whoever clears a storm must know for how long nobody has paused the port. */
static void note_pause(const struct batch *b, struct port *p, const struct cell *c,
	enum counter_id id, uint64_t was)
{
	if (id != CTR_PFC_RX_FRAMES && id != CTR_PFC_RX_DURATION_US)
		return;
	if (!p->pfc_quiet_us || c->valid == VALID_RESET || c->u64 != was)
		p->pfc_quiet_us = b->received;
}

static void apply_count(struct batch *b, struct batch_port *bp, const struct obs_item *it)
{
	enum counter_id id = counter_of_cell(it->cell, NULL);
	bool fresh = bp->port->slot[it->cell] == SLOT_NONE;
	struct cell *c = cell_of(b, bp->port, it->cell);
	struct reading r = reading_of(b, bp, id);
	uint64_t was = fresh ? 0 : c->u64;

	if (counter_info[id].kind != KIND_COUNT) {
		apply_peak(b, c, it->u64);
		c->seen_us = b->received;
		return;
	}
	if (!fresh && r.clock == CELL_PORT_CLOCK && read_again(c, r))
		bp->read_again |= 1U << counter_info[id].group;
	if (c->flags & CELL_REBASE) {
		first_value(b, c, it->u64, r, VALID_RESET);
		history_push(b, bp, c, it->cell, &a_gap);
	} else if (fresh || (c->valid != VALID_OK && c->valid != VALID_RESET)) {
		first_value(b, c, it->u64, r, VALID_OK);
	} else if (c->u64 != it->u64 || refreshed(b, c, id, r)) {
		advance(b, bp, c, it->cell, it->u64, r);
	} else {
		hold(b, bp, c, it->cell, r);
	}
	note_pause(b, bp->port, c, id, fresh ? c->u64 : was);
	c->seen_us = b->received;
}

static void apply_gauge(struct batch *b, struct batch_port *bp, const struct obs_item *it)
{
	struct cell *c;

	if (counter_info[counter_of_cell(it->cell, NULL)].kind != KIND_GAUGE || !isfinite(it->real))
		return;
	c = cell_of(b, bp->port, it->cell);
	if (c->valid != VALID_OK || c->real < it->real || c->real > it->real)
		b->changed = true;
	c->real = it->real;
	c->valid = VALID_OK;
	c->seen_us = b->received;
}

static void apply_invalid(struct batch *b, struct batch_port *bp, const struct obs_item *it)
{
	const char *cure = obs_text(b->o, it->text);
	struct cell *c;

	if (it->code != VALID_UNSUPPORTED && it->code != VALID_DISABLED)
		return;
	c = cell_of(b, bp->port, it->cell);
	if (c->valid != it->code) {
		b->changed = true;
		c->valid = it->code;
		c->rate = NAN;
		c->flags = 0;
		if (c->chart)
			history_push(b, bp, c, it->cell, &a_gap);
	}
	c->seen_us = b->received;
	if (*cure)
		batch_capability(b, counter_info[counter_of_cell(it->cell, NULL)].name,
			(enum validity)it->code, cure);
}

static bool group_refreshed(const struct batch *b, const struct batch_port *bp, unsigned group)
{
	if (sampled(bp, group))
		return bp->read_again >> group & 1U;
	return answer_refreshed(b, group);
}

/* After the cells: they were compared with the refresh before this one. */
static void close_groups(struct batch *b, const unsigned *carried)
{
	unsigned moved = b->group_changed;

	for (size_t i = 0; i < b->o->ports.n; i++) {
		struct batch_port *bp = &b->ports[i];

		for (unsigned g = 0; bp->port && g < GROUP_COUNT; g++) {
			if (!(carried[i] & (1U << g)))
				continue;
			if (!group_refreshed(b, bp, g) && bp->port->group_moved_us[g])
				continue;
			if (sampled(bp, g))
				moved |= 1U << g;
			bp->port->group_moved_us[g] = b->received;
		}
	}
	batch_looked(b, moved);
}

void batch_counters(struct batch *b)
{
	unsigned *carried = mem_calloc(b->o->ports.n, sizeof(*carried));

	survey(b);
	batch_ticks(b);
	batch_looks(b);
	spread_resets(b);
	for (size_t i = 0; i < b->o->items.n; i++) {
		const struct obs_item *it = &b->o->items.at[i];
		struct batch_port *bp;

		if (it->kind > OBS_VALID || it->port >= b->o->ports.n || it->cell >= CELL_COUNT ||
			!b->ports[it->port].port)
			continue;
		bp = &b->ports[it->port];
		carried[it->port] |= 1U << counter_info[counter_of_cell(it->cell, NULL)].group;
		if (it->kind == OBS_GAUGE)
			apply_gauge(b, bp, it);
		else if (it->kind == OBS_VALID)
			apply_invalid(b, bp, it);
		else if (counter_info[counter_of_cell(it->cell, NULL)].kind != KIND_GAUGE)
			apply_count(b, bp, it);
		if (it->kind == OBS_COUNT && it->cell == counter_cell(CTR_RX_BYTES, 0))
			b->d->counters_us = b->received;
	}
	close_groups(b, carried);
	history_close(b);
	free(carried);
}
