/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the outcome of an action still holds, from the model. */
#include <math.h>

#include "actions/kinds/common.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

#define BLIND_US (60 * CLOCK_SEC)

int64_t action_grace_us(const struct place_of_action *at)
{
	/* Two polls, and what devices take to refresh their counters. */
	return 2 * (at->dev ? at->dev->interval_us : 5 * CLOCK_SEC) + 10 * CLOCK_SEC;
}

bool watch_is_blind(const struct place_of_action *at, int64_t since_us, char *why, size_t size)
{
	int64_t heard = at->dev ? at->dev->last_ok_us : 0,
		from = heard > since_us ? heard : since_us;
	char age[16];

	if (at->now_us - from <= BLIND_US)
		return false;
	(void)str_printf(why, size, "the outcome is not known: %s has not answered for %s",
		at->device->name, str_age(at->now_us - from, age, sizeof(age)));
	return true;
}

bool watch_has_data(const struct place_of_action *at, int64_t since_us)
{
	return at->dev && at->dev->last_ok_us > since_us + action_grace_us(at);
}

bool watch_link(const struct place_of_action *at, int64_t since_us, char *why, size_t size)
{
	const struct port *p = at->port;
	char when[32];

	if (watch_is_blind(at, since_us, why, size))
		return false;
	if (!p || !watch_has_data(at, since_us))
		return true;
	if (p->oper == OPER_DOWN || p->admin == OPER_DOWN) {
		(void)str_printf(
			why, size, "%s is %s", p->name, p->admin == OPER_DOWN ? "shut" : "down");
		return false;
	}
	/* The loss of link that the action itself made comes with the first polls after it. */
	if (p->last_flap_us > since_us + action_grace_us(at)) {
		(void)str_printf(why, size, "%s lost its link again at %s UTC", p->name,
			model_hms(at->model, p->last_flap_us, when, sizeof(when)));
		return false;
	}
	return true;
}

/* A counter of the model that is younger than the action. */
static const struct cell *since_cell(
	const struct place_of_action *at, enum counter_id id, unsigned prio, int64_t since_us)
{
	const struct cell *c = port_cell(at->port, id, prio);

	return c && c->valid == VALID_OK && cell_seen_us(at->port, c) > since_us ? c : NULL;
}

static bool queue_holds(const struct place_of_action *at, const struct condition *after,
	int64_t since_us, unsigned prio, char *why, size_t size)
{
	static const enum counter_id drops[] = {CTR_PFCWD_DROPS, CTR_QUEUE_DROPS};
	const struct cell *storms = since_cell(at, CTR_PFCWD_STORM_DETECTED, prio, since_us);
	uint64_t before = after->wd_storms[prio];

	if (storms && before != UINT64_MAX && storms->u64 > before) {
		(void)str_printf(why, size, "the watchdog of queue %u saw %llu new storms", prio,
			(unsigned long long)(storms->u64 - before));
		return false;
	}
	for (size_t i = 0; i < sizeof(drops) / sizeof(drops[0]); i++) {
		const struct cell *c =
			since_cell(at, drops[i], prio, since_us + action_grace_us(at));

		if (c && c->rate > 0) {
			(void)str_printf(
				why, size, "queue %u drops %.3g packets/s", prio, (double)c->rate);
			return false;
		}
	}
	return true;
}

static bool state_holds(const struct place_of_action *at, unsigned prio, char *why, size_t size)
{
	enum wd_state s = (enum wd_state)at->port->wd[prio].state;

	if (s == WD_STORMED)
		(void)str_printf(why, size, "queue %u is stormed", prio);
	else if (s == WD_OFF)
		(void)str_printf(why, size, "queue %u has no watchdog", prio);
	return s != WD_STORMED && s != WD_OFF;
}

bool watch_watchdog(const struct place_of_action *at, const struct condition *after,
	int64_t since_us, char *why, size_t size)
{
	uint8_t mask = action_priorities(at);

	if (watch_is_blind(at, since_us, why, size))
		return false;
	for (unsigned p = 0; at->port && p < PRIORITIES; p++) {
		if (!((unsigned)mask >> p & 1u))
			continue;
		if (!queue_holds(at, after, since_us, p, why, size))
			return false;
		if (watch_has_data(at, since_us) && !state_holds(at, p, why, size))
			return false;
	}
	return true;
}
