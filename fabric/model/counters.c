/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/history/gauges.h"
#include "fabric/model/counts_internal.h"
#include "fabric/model/rate.h"
#include "fabric/vocabulary/counters.h"

/* More than this many times the line rate is not traffic: the counter jumped. */
#define LINE_RATE_TIMES 4

/* Missed samples after which the sparkline shows a gap. */
#define GAP_US RATE_HOLD_US
/* The poller of a metrics engine asks for non-lossless priorities only every second minute. */
#define GAP_OTHERS_US (360 * CLOCK_SEC)

static const struct sample a_gap = {.rate = NAN};

/* Time of a reading, and the clock that gave it. */
struct reading {
	int64_t us;
	uint8_t clock; /* CELL_*_CLOCK; 0: of the answer */
};

static struct reading reading_of(
	const struct batch *b, const struct batch_port *bp, unsigned group, bool link)
{
	if (!link && group_is_sampled(bp, group))
		return (struct reading){bp->sample_us, CELL_PORT_CLOCK};
	return (struct reading){b->sample, b->device_time ? 0 : CELL_WALL_CLOCK};
}

/* One count of one item, and the time of its last reading. */
struct count {
	struct batch_port *bp;
	struct cell *c;
	uint16_t cell;
	enum counter_id id;
	unsigned group;
	uint64_t value;
	struct reading r;
	int64_t seen_us, base_us; /* base_us: its new value */
};

static void set_baseline(struct batch *b, struct count *k, enum validity valid)
{
	struct cell *c = k->c;

	if (c->u64 != k->value || c->valid != valid)
		b->changed = true;
	c->u64 = k->value;
	c->rate = NAN;
	c->valid = (uint8_t)valid;
	cell_set_flags(c, k->r.clock);
	k->base_us = k->r.us;
}

/* A first value. Without the port's own sample time the reading is up to one refresh older than
 * our poll. */
static void first_value(struct batch *b, struct count *k, enum validity valid)
{
	set_baseline(b, k, valid);
	if (k->r.clock != CELL_PORT_CLOCK)
		k->c->flags |= CELL_LOOSE;
}

/*
 * The clocks are unrelated, or the device's went back. Then the step began at the last poll that
 * saw a refresh, by our clock. Polls in between saw the value stand still: the last of them does
 * not tell when the value was read.
 */
static int64_t time_by_polls(const struct batch *b, const struct count *k)
{
	int64_t since = k->seen_us,
		moved = port_moved_us(k->bp->port, (enum refresh_group)k->group);

	if (moved && moved < since && b->received - moved <= RATE_HOLD_US)
		since = moved;
	return b->received - since;
}

/*
 * Duration of the step. Where refreshes are counted, it is the time between two refreshes, not
 * between the polls that saw them. *loose: it may well have been longer.
 */
static int64_t step_time(const struct batch *b, const struct count *k, bool *loose)
{
	int64_t dt = k->r.us - k->base_us;

	*loose = false;
	if (b->elapsed[k->group] && k->r.us == b->sample && k->base_us == b->moved_before[k->group])
		return b->elapsed[k->group];
	*loose = k->r.clock != (k->c->flags & CELL_CLOCK) || dt <= 0;
	if (*loose)
		return time_by_polls(b, k);
	*loose = k->c->flags & CELL_LOOSE;
	return dt;
}

/*
 * Bytes cannot exceed the line rate: an impossible step is a jump, and gives no rate. With a loose
 * time it is a jump only if no refresh can be that old.
 */
static bool is_impossible(const struct port *p, enum counter_id id, uint64_t delta, int64_t dt)
{
	unsigned speed = p->speed_mbps ? p->speed_mbps : p->plan_speed_mbps;

	if (id != CTR_RX_BYTES && id != CTR_TX_BYTES)
		return false;
	return speed && counter_rate(delta, dt) * 8 > (double)speed * 1e6 * LINE_RATE_TIMES;
}

static void note_wrap(struct batch *b, struct port *p, enum counter_id id)
{
	if (!b->wraps++) {
		b->wrap_port = p;
		b->wrap_counter = id;
	}
}

/* Side effects of a counter's growth: flaps, storms. */
static void note_growth(
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

static void push_sample(struct batch *b, const struct count *k, const struct sample *v)
{
	history_push(b, k->bp, k->c, k->cell, v);
}

static bool after_gap(const struct batch *b, const struct count *k)
{
	int64_t since = b->received - k->seen_us, most = GAP_US;

	if (counter_info[k->id].dim == DIM_PRIO &&
		!(lossless_priorities(&b->m->lossless) >> cell_info[k->cell].sub & 1))
		most = GAP_OTHERS_US;
	return since > most && since > 3 * b->d->interval_us;
}

static void advance_count(struct batch *b, struct count *k)
{
	struct port *p = k->bp->port;
	struct cell *c = k->c;
	unsigned sub = cell_info[k->cell].sub;
	uint64_t delta = 0;
	bool loose;
	enum step step = cell_step(b, c, k->id, k->value, &delta);
	int64_t dt = step_time(b, k, &loose);
	double rate = is_impossible(p, k->id, delta, dt) ? (double)NAN : counter_rate(delta, dt);

	if (step == STEP_RESET ||
		is_impossible(p, k->id, delta, loose && dt < RATE_HOLD_US ? RATE_HOLD_US : dt)) {
		if (step != STEP_RESET && believed_back(c))
			note_reset(b, p, k->id);
		set_baseline(b, k, VALID_RESET);
		push_sample(b, k, &a_gap);
		return;
	}
	if (step == STEP_SAME && k->r.clock == (c->flags & CELL_CLOCK) && k->r.us <= k->base_us)
		return;
	if (step == STEP_WRAP)
		note_wrap(b, p, k->id);
	if (step != STEP_SAME) {
		note_growth(b, k->bp, k->id, sub, delta);
		tally_growth(b->m, p, k->id, sub, delta, b->now);
		marks_grow(b->m, p, p->layout->slot[k->cell], delta);
		if (cell_backs(c))
			cell_set_backs(c, cell_backs(c) - 1);
	}
	if (after_gap(b, k))
		push_sample(b, k, &a_gap);
	if (step != STEP_SAME || (float)rate != c->rate || c->valid != VALID_OK)
		b->changed = true;
	set_baseline(b, k, VALID_OK);
	c->rate = (float)rate;
	push_sample(b, k, &(struct sample){c->rate, delta, dt});
}

/* The counter has stood still since since_us: its history has zeros, as that of a moving one. */
static void zero_since(struct batch *b, const struct count *k, int64_t since_us)
{
	if (b->received > since_us)
		push_sample(b, k, &(struct sample){0, 0, b->received - since_us});
}

/*
 * The first value of another source. Growth counts. The two readings have unrelated clocks, so the
 * rate stays until this source has reported twice. False: the value is behind the other source's,
 * and is ignored.
 */
static bool advance_source(struct batch *b, struct count *k)
{
	struct port *p = k->bp->port;
	struct cell *c = k->c;
	unsigned sub = cell_info[k->cell].sub;
	uint64_t delta = 0;
	enum step step = cell_step(b, c, k->id, k->value, &delta);
	float rate = c->rate;

	if (batch_behind(b, p, c, step))
		return false;
	if (step == STEP_RESET) {
		first_value(b, k, VALID_RESET);
		push_sample(b, k, &a_gap);
		return true;
	}
	if (step == STEP_WRAP)
		note_wrap(b, p, k->id);
	if (delta) {
		note_growth(b, k->bp, k->id, sub, delta);
		tally_growth(b->m, p, k->id, sub, delta, b->now);
		marks_grow(b->m, p, p->layout->slot[k->cell], delta);
	}
	first_value(b, k, VALID_OK);
	c->rate = rate;
	return true;
}

static int64_t hold_most(const struct batch *b, unsigned group)
{
	int64_t period = (int64_t)b->o->refresh_ms[group] * 1500;

	if (group == GROUP_WATCHDOG)
		return WATCHDOG_HOLD_US;
	if (group != GROUP_PGDROP)
		return RATE_HOLD_US;
	return period < PGDROP_HOLD_US ? PGDROP_HOLD_US
	       : period > RATE_HOLD_US ? RATE_HOLD_US
				       : period;
}

/* Nothing moved and nothing shows a refresh: keep the rate, for a limited time. */
static void hold_rate(struct batch *b, struct count *k)
{
	struct cell *c = k->c;
	int64_t moved = port_moved_us(k->bp->port, (enum refresh_group)k->group);
	int64_t most = hold_most(b, k->group);

	if (b->received - moved <= most)
		return;
	if (!(c->rate <= 0)) {
		b->changed = true;
		c->rate = 0;
		c->valid = VALID_OK;
		zero_since(b, k, moved);
	} else if (!group_is_sampled(k->bp, k->group)) {
		zero_since(b, k, k->seen_us - moved > most ? k->seen_us : moved);
	}
	/* The device's own sample time stays the base: nothing was read since then. */
	if (!group_is_sampled(k->bp, k->group)) {
		k->base_us = k->r.us;
		cell_set_flags(c, k->r.clock | CELL_LOOSE);
	}
}

/* Without a sample time of the port: whether the whole answer shows a refresh. */
static bool answer_refreshed(const struct batch *b, unsigned group)
{
	return ((b->group_changed | b->group_passed) & (1U << group)) != 0;
}

/* The port was read again: its own sample time changed. */
static bool read_again(const struct count *k)
{
	return k->r.us != k->base_us || k->r.clock != (k->c->flags & CELL_CLOCK);
}

static bool is_refreshed(const struct batch *b, const struct count *k)
{
	if (kept_by_link(k->id))
		return true;
	if (k->r.clock == CELL_PORT_CLOCK)
		return read_again(k);
	return answer_refreshed(b, k->group);
}

static void apply_peak(
	struct batch *b, const struct port *p, uint16_t cell, struct cell *c, uint64_t value)
{
	gauge_note(b->m->history, p->id, cell, (double)value, b->now);
	if (c->u64 != value || c->valid != VALID_OK)
		b->changed = true;
	c->u64 = value;
	c->valid = VALID_OK;
}

/* Keeps the time of the last pause by the peer: an operator needs it before clearing a storm. */
static void note_pause(const struct batch *b, struct port *p, const struct cell *c,
	enum counter_id id, uint64_t was)
{
	if (id != CTR_PFC_RX_FRAMES && id != CTR_PFC_RX_DURATION_US)
		return;
	if (!p->pfc_quiet_us || c->valid == VALID_RESET || c->u64 != was)
		p->pfc_quiet_us = b->received;
}

uint8_t count_clock(const struct batch *b, const struct batch_port *bp, unsigned group, bool link)
{
	return reading_of(b, bp, group, link).clock;
}

/* The same as advance_count() and hold_rate() for a count with constant rate and chart. */
struct standing count_stands(const struct batch *b, const struct batch_port *bp, unsigned group,
	bool link, int64_t base_us)
{
	struct reading r = reading_of(b, bp, group, link);
	struct standing s = {.base_us = base_us};
	bool again = r.us != base_us;

	s.read_again = again && r.clock == CELL_PORT_CLOCK;
	if (link || (r.clock == CELL_PORT_CLOCK ? again : answer_refreshed(b, group))) {
		if (r.us > base_us) {
			s.base_us = r.us;
			s.flags = r.clock;
			s.sets = true;
		}
	} else if (!group_is_sampled(bp, group) &&
		   b->received - port_moved_us(bp->port, (enum refresh_group)group) >
			   hold_most(b, group)) {
		s.base_us = r.us;
		s.flags = r.clock | CELL_LOOSE;
		s.sets = true;
	}
	return s;
}

/* False: the value is not current. */
static bool count_on(struct batch *b, struct count *k)
{
	struct cell *c = k->c;
	bool fresh = c->when == TIME_NONE;
	uint64_t was = fresh ? k->value : c->u64;

	if (c->flags & CELL_REBASE) {
		first_value(b, k, VALID_RESET);
		push_sample(b, k, &a_gap);
	} else if (fresh || (c->valid != VALID_OK && c->valid != VALID_RESET)) {
		first_value(b, k, VALID_OK);
	} else if (cell_is_others(b, k->bp->port, c)) {
		if (!advance_source(b, k))
			return false;
	} else if (c->u64 != k->value || is_refreshed(b, k)) {
		advance_count(b, k);
	} else {
		hold_rate(b, k);
	}
	note_pause(b, k->bp->port, c, k->id, was);
	return true;
}

void count_apply(struct batch *b, struct batch_port *bp, uint16_t cell, uint64_t value)
{
	const struct cell_info *info = &cell_info[cell];
	struct port *p = bp->port;
	struct cell *c = &p->cells[p->layout->slot[cell]];
	struct count k = {.bp = bp,
		.c = c,
		.cell = cell,
		.id = (enum counter_id)info->id,
		.group = info->group,
		.value = value,
		.seen_us = cell_seen_us(p, c),
		.base_us = cell_base_us(p, c)};

	if (info->kind != KIND_COUNT) {
		apply_peak(b, p, cell, c, value);
		cell_stamp(p, c, b->received, k.base_us, b->look_no);
		return;
	}
	k.r = reading_of(b, bp, k.group, kept_by_link(k.id));
	if (k.r.clock == CELL_PORT_CLOCK && c->when != TIME_NONE && read_again(&k))
		bp->read_again |= 1U << k.group;
	if (!cell_is_others(b, p, c) && c->u64 == value && cell_is_quiet(p, c, k.id, k.r.clock)) {
		struct standing s = count_stands(b, bp, k.group, kept_by_link(k.id), k.base_us);

		if (s.sets)
			cell_set_flags(c, s.flags);
		k.base_us = s.base_us;
	} else if (!count_on(b, &k)) {
		return;
	}
	cell_stamp(p, c, b->received, k.base_us, b->look_no);
}

static void apply_gauge(struct batch *b, struct port *p, const struct obs_item *it)
{
	struct cell *c = &p->cells[p->layout->slot[it->cell]];

	if (c->valid != VALID_OK || c->real < it->real || c->real > it->real)
		b->changed = true;
	c->real = it->real;
	c->valid = VALID_OK;
	gauge_note(b->m->history, p->id, it->cell, it->real, b->now);
	cell_stamp(p, c, b->received, cell_base_us(p, c), b->look_no);
}

static void apply_invalid(struct batch *b, struct batch_port *bp, const struct obs_item *it)
{
	const char *cure = obs_text(b->o, it->text);
	struct port *p = bp->port;
	struct cell *c = &p->cells[p->layout->slot[it->cell]];

	if (c->valid != it->code) {
		b->changed = true;
		c->valid = it->code;
		c->rate = NAN;
		cell_set_flags(c, 0);
		if (c->chart)
			history_push(b, bp, c, it->cell, &a_gap);
	}
	cell_stamp(p, c, b->received, cell_base_us(p, c), b->look_no);
	if (*cure)
		batch_capability(b, counter_info[cell_info[it->cell].id].name,
			(enum validity)it->code, cure);
}

static bool group_refreshed(const struct batch *b, const struct batch_port *bp, unsigned group)
{
	if (group_is_sampled(bp, group))
		return bp->read_again >> group & 1U;
	return answer_refreshed(b, group);
}

/* After the cells, which were compared with the previous refresh. */
static void close_groups(struct batch *b)
{
	unsigned moved = b->group_changed;

	for (size_t i = 0; i < b->o->ports.n; i++) {
		struct batch_port *bp = &b->ports[i];

		for (unsigned g = 0; bp->port && g < GROUP_COUNT; g++) {
			if (!(bp->carried & (1U << g)))
				continue;
			if (!group_refreshed(b, bp, g) &&
				port_moved_us(bp->port, (enum refresh_group)g))
				continue;
			if (group_is_sampled(bp, g))
				moved |= 1U << g;
			port_set_moved_us(bp->port, (enum refresh_group)g, b->received);
		}
	}
	batch_looked(b, moved);
}

void batch_counters(struct batch *b)
{
	batch_survey(b);
	batch_ticks(b);
	batch_looks(b);
	batch_resets(b);
	for (size_t i = 0; i < b->o->items.n; i++) {
		const struct obs_item *it = &b->o->items.at[i];
		struct batch_port *bp;

		if (it->kind > OBS_VALID || it->port >= b->o->ports.n || it->cell >= CELL_COUNT ||
			!b->ports[it->port].port)
			continue;
		bp = &b->ports[it->port];
		bp->carried |= 1U << cell_info[it->cell].group;
		if (it->kind == OBS_COUNT && it->cell == CELL_RX_BYTES)
			b->d->counters_us = b->received;
		if (!item_is_kept(b, it))
			continue;
		if (it->kind == OBS_GAUGE)
			apply_gauge(b, bp->port, it);
		else if (it->kind == OBS_VALID)
			apply_invalid(b, bp, it);
		else
			count_apply(b, bp, it->cell, it->u64);
	}
	batch_rest(b);
	close_groups(b);
	history_close(b);
}
