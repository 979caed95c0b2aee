/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "base/str.h"
#include "fabric/model/model_internal.h"
#include "fabric/vocabulary/counters.h"

/*
 * State words and flap counters report the same downs, not always in the same answer. Downs seen
 * as state are a credit against the counter, for as long as a device may take to refresh it. Downs
 * from a counter wait for the port's state.
 */
#define CREDIT_US (120 * CLOCK_SEC)

/* Rounding moves a last-change time that the device derives from its uptime. */
#define CHANGE_SLACK_US (2 * CLOCK_SEC)

static int64_t change_time(const struct batch_port *bp)
{
	return bp->change_given ? bp->port->more->last_change_us : 0;
}

static void count_flaps(struct batch *b, struct port *p, uint64_t n)
{
	p->flaps += n > UINT32_MAX - p->flaps ? UINT32_MAX - p->flaps : (uint32_t)n;
	p->last_flap_us = b->now;
	daily_counts_add(b->m, TALLY_FLAPS, p, n, b->now);
	b->changed = true;
}

static void add_flap(struct batch *b, struct batch_port *bp, uint64_t downs)
{
	char text[64] = "";

	if (downs > 1)
		(void)str_printf(text, sizeof(text), "%llu time%s", (unsigned long long)downs,
			str_plural(downs));
	count_flaps(b, bp->port, downs);
	model_add_event(b->m, b->now, EV_LINK_FLAP, b->d, bp->port, -1, change_time(bp), text);
}

static uint64_t spend_credit(uint16_t *credit, uint64_t n)
{
	uint64_t used = n < *credit ? n : *credit;

	*credit = (uint16_t)(*credit - used);
	return n - used;
}

static void defer_flaps(struct port *p, uint64_t n)
{
	p->flap_pending = (uint16_t)(n < UINT16_MAX ? n : UINT16_MAX);
}

/* Downs that the counter has and the state did not show. */
static uint64_t hidden_downs(struct batch_port *bp, bool went_down)
{
	struct port *p = bp->port;
	uint64_t n = bp->downs + p->flap_pending;

	p->flap_pending = 0;
	if (went_down && n)
		n--;
	else if (went_down)
		p->down_credit++;
	n = spend_credit(&p->down_credit, n);
	if (!bp->oper_given && p->oper != OPER_UNKNOWN) {
		defer_flaps(p, n);
		return 0;
	}
	return n;
}

/* Carrier changes come in pairs; an odd one is half of a change that the next state will show. */
static uint64_t hidden_moves(struct batch_port *bp, bool moved)
{
	struct port *p = bp->port;
	uint64_t n = bp->moves + p->flap_pending;

	p->flap_pending = 0;
	if (moved && n)
		n--;
	else if (moved)
		p->carrier_credit++;
	n = spend_credit(&p->carrier_credit, n);
	if (!bp->oper_given && p->oper != OPER_UNKNOWN) {
		defer_flaps(p, n);
		return 0;
	}
	defer_flaps(p, n % 2);
	return n / 2;
}

/* Most events to look through for the line that crossed an answer. */
#define CROSSED_AT_MOST 64

/* A clock that was set back is at no time before it. */
static bool is_within(int64_t since_us, int64_t us)
{
	return since_us >= 0 && since_us <= us;
}

/* Whether an event line said a moment ago that the port is up. */
static bool was_just_said_up(const struct batch *b, const struct port *p)
{
	const struct event *e;

	for (size_t i = 0; i < CROSSED_AT_MOST && (e = model_event(b->m, i)); i++) {
		if (!is_within(b->now - e->wall_us, b->d->interval_us / 2))
			return false;
		if (e->port == p->id && (e->kind == EV_LINK_UP || e->kind == EV_LINK_DOWN))
			return e->kind == EV_LINK_UP;
	}
	return false;
}

/*
 * An event line and an answer of the same moment cross: the answer has the state from before the
 * line, and only the next one agrees. That is no other down than the one which the line told.
 */
static bool is_told_down(const struct batch *b, const struct port *p)
{
	return (p->down_credit && is_within(b->now - p->last_flap_us, b->d->interval_us * 5 / 4)) ||
	       was_just_said_up(b, p);
}

bool port_down_unsure(const struct model *m, const struct port *p, int64_t now_us)
{
	return p->down_credit && p->oper == OPER_UP &&
	       is_within(now_us - p->last_flap_us, model_dev_of(m, p)->interval_us * 3 / 4);
}

static bool has_count(const struct port *p, enum counter_id id)
{
	const struct cell *c = port_cell(p, id, 0);

	return c && (c->valid == VALID_OK || c->valid == VALID_RESET);
}

void batch_link_events(struct batch *b, struct batch_port *bp)
{
	struct port *p = bp->port;
	bool went_down = bp->was == OPER_UP && p->oper == OPER_DOWN;
	bool came_up = bp->was == OPER_DOWN && p->oper == OPER_UP;
	bool told = went_down && is_told_down(b, p);
	uint64_t hidden = 0;

	if (b->now - p->last_flap_us > CREDIT_US)
		p->down_credit = p->carrier_credit = 0;
	if (has_count(p, CTR_LINK_DOWN_EVENTS))
		hidden = hidden_downs(bp, went_down && !told);
	else if (has_count(p, CTR_CARRIER_CHANGES))
		hidden = hidden_moves(bp, went_down || came_up);
	else if (bp->change_given && bp->change_was && !went_down && !came_up && bp->oper_given &&
		 p->more->last_change_us - bp->change_was > CHANGE_SLACK_US && bp->was == p->oper)
		hidden = 1;
	if (hidden)
		add_flap(b, bp, hidden);
	if (went_down) {
		if (!told)
			count_flaps(b, p, 1);
		model_add_event(b->m, b->now, EV_LINK_DOWN, b->d, p, -1, change_time(bp),
			p->more->down_reason);
	} else if (came_up) {
		model_add_event(b->m, b->now, EV_LINK_UP, b->d, p, -1, change_time(bp), "");
	}
}

/* Applies an event that the device itself reported: a syslog line, a JSON line. */
void batch_device_event(struct batch *b, const struct obs_item *it)
{
	struct port *p = NULL;

	if (it->code >= EVENT_COUNT)
		return;
	if (it->port < b->o->ports.n)
		p = b->ports[it->port].port;
	if (p && it->code == EV_LINK_DOWN) {
		if (p->oper != OPER_DOWN)
			count_flaps(b, p, 1);
		p->down_credit = 1;
		p->oper = b->ports[it->port].was = OPER_DOWN;
	} else if (p && it->code == EV_LINK_UP) {
		p->oper = b->ports[it->port].was = OPER_UP;
	} else if (p && it->code == EV_LINK_FLAP) {
		count_flaps(b, p, 1);
	} else if (it->code == EV_BGP_DOWN && !b->d->bgp_us) {
		/* A device that also lists its sessions would count it twice. */
		daily_counts_add(b->m, TALLY_BGP_DOWNS, NULL, 1, b->now);
	}
	model_add_event(b->m, b->now, (enum event_kind)it->code, b->d, p, -1, it->time_us,
		obs_text(b->o, it->text));
}
