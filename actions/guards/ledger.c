/* SPDX-License-Identifier: Apache-2.0 */
/* Guards of the ledger: it is writable, no act is unfinished, and the rate limits hold. */
#include "actions/guards/guard.h"
#include "base/clock.h"
#include "base/str.h"

#define HOUR_US   (3600 * CLOCK_SEC)
#define CURE_FACT "see railtop ledger verify"

/* The ledger's facts count only if the ledger could be read. */
static bool ledger_usable(const struct guard_context *x)
{
	return x->ledger && x->ledger->unusable.code == ERR_NONE;
}

bool guard_ledger(const struct guard_context *x, struct refusal *out)
{
	const struct err *e = x->ledger ? &x->ledger->unusable : NULL;

	if (!e)
		return refuse(out, CURE_AGAIN, "the ledger has not been checked yet");
	if (e->code == ERR_NONE)
		return true;
	return refuse(out, e->cure[0] ? e->cure : CURE_FACT, "%s%s%s", e->origin,
		e->origin[0] ? ": " : "", e->text);
}

bool guard_unfinished(const struct guard_context *x, struct refusal *out)
{
	char cure[160];

	if (!ledger_usable(x))
		return refuse(out, CURE_FACT, "railtop cannot check for unfinished actions on %s",
			x->at->device->name);
	if (!x->ledger->unfinished[0])
		return true;
	(void)str_printf(cure, sizeof(cure), "check the device, then: railtop ledger settle %s",
		x->ledger->unfinished);
	return refuse(out, cure, "the outcome of %s by %s on %s is not known",
		x->ledger->unfinished, x->ledger->unfinished_by, x->at->device->name);
}

bool guard_one_at_a_time(const struct guard_context *x, struct refusal *out)
{
	if (x->dry_run)
		return true;
	if (!ledger_usable(x))
		return refuse(out, CURE_FACT, "railtop cannot check for other actions");
	if (!x->ledger->held_by[0])
		return true;
	return refuse(out, "wait for its end", "another action runs: %s", x->ledger->held_by);
}

bool guard_rate_user(const struct guard_context *x, struct refusal *out)
{
	unsigned most =
		x->at->plan->actions.per_hour ? x->at->plan->actions.per_hour : ACTIONS_PER_HOUR;
	char again[96], cure[160];

	if (x->action->harmless)
		return true;
	if (!ledger_usable(x))
		return refuse(
			out, CURE_FACT, "railtop cannot count the recent actions of this user");
	if (x->ledger->users_last_hour < most)
		return true;
	(void)str_printf(cure, sizeof(cure), "%s (actions.per_hour)",
		guard_allowed_at(
			x->ledger->users_oldest_us + HOUR_US, x->wall_us, again, sizeof(again)));
	return refuse(out, cure, "%u action%s by %s within an hour; %u are allowed",
		x->ledger->users_last_hour, str_plural(x->ledger->users_last_hour),
		x->who ? x->who->user : "this user", most);
}

/*
 * Whether the last action is too recent. A clock that was set back makes the time short, never
 * long.
 */
static bool too_soon(const struct guard_context *x, struct refusal *out, const char *where,
	int64_t last_us, const char *by, int64_t pause_us, const char *key)
{
	char again[96], cure[160], age[16];

	if (!last_us || x->wall_us - last_us >= pause_us)
		return true;
	(void)str_printf(cure, sizeof(cure), "%s (actions.%s)",
		guard_allowed_at(last_us + pause_us, x->wall_us, again, sizeof(again)), key);
	return refuse(out, cure, "%s acted on %s %s ago, %lld s must pass", by[0] ? by : "somebody",
		where, str_age(x->wall_us - last_us, age, sizeof(age)),
		(long long)(pause_us / CLOCK_SEC));
}

/* Whether this action takes back the last action on this port, with none on the device since. */
static bool is_way_back(const struct guard_context *x)
{
	return x->action->takes_back && x->ledger->port_us &&
	       x->ledger->port_us == x->ledger->device_us &&
	       str_eq(x->action->takes_back, x->ledger->port_action);
}

bool guard_rate_switch(const struct guard_context *x, struct refusal *out)
{
	const struct plan_actions *a = &x->at->plan->actions;

	if (x->action->harmless)
		return true;
	if (!ledger_usable(x))
		return refuse(out, CURE_FACT, "the time of the last action on %s is not known",
			x->at->device->name);
	if (is_way_back(x))
		return true;
	return too_soon(x, out, x->at->device->name, x->ledger->device_us, x->ledger->device_by,
		a->switch_us ? a->switch_us : ACTIONS_SWITCH_US, "switch_interval");
}

bool guard_cool_down(const struct guard_context *x, struct refusal *out)
{
	const struct plan_actions *a = &x->at->plan->actions;

	if (x->action->harmless || !x->at->port)
		return true;
	if (!ledger_usable(x))
		return refuse(out, CURE_FACT, "the time of the last action on %s is not known",
			x->at->port->name);
	if (is_way_back(x))
		return true;
	return too_soon(x, out, x->at->port->name, x->ledger->port_us, x->ledger->port_by,
		a->port_us ? a->port_us : ACTIONS_PORT_US, "port_interval");
}
