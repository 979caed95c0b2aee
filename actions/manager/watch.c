/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "actions/manager/manager_private.h"
#include "base/json_out.h"
#include "base/str.h"

/* The watch: checks for a while in the model whether the outcome holds. */

void manager_watch_begin(struct action_manager *a, int64_t now_us)
{
	int64_t us = a->o.watch_us ? a->o.watch_us : a->o.plan->actions.watch_us;

	if (!a->action->holds || a->undoes[0] || us < 0)
		return;
	a->stage = ACT_WATCHING;
	a->watch_ends_us = now_us + (us > 0 ? us : ACTIONS_WATCH_US);
	a->judged_us = now_us;
	a->bad_since_us = 0;
	a->bad[0] = '\0';
	us = a->watch_ends_us - now_us;
	manager_note(a, now_us, TONE_DIM, "watching for %lld %s",
		(long long)(us / (us < 120 * CLOCK_SEC ? CLOCK_SEC : 60 * CLOCK_SEC)),
		us < 120 * CLOCK_SEC ? "s" : "min");
}

void manager_watch_end(
	struct action_manager *a, int64_t now_us, const char *outcome, const char *why)
{
	json_t *d = manager_detail(a, &a->plan);

	json_put(d, "outcome", json_string(outcome));
	if (why[0])
		json_put(d, "why", json_string(why));
	executor_write(a->actor, LEDGER_WATCHED, a->plan.id, d);
	manager_note(a, now_us, str_eq(outcome, "broke") ? TONE_WARN : TONE_HEAD, "%s%s%s", outcome,
		why[0] ? ": " : "", why);
	a->watch_ends_us = 0;
}

/* Only data received after the end of the action counts. */
static bool can_tell(const struct action_manager *a, const struct place_of_action *at)
{
	return at->dev && (at->dev->state == DEV_FRESH || at->dev->state == DEV_LATE) &&
	       at->dev->last_ok_us > a->done_us;
}

static void say_unseen(struct action_manager *a, const struct place_of_action *at)
{
	if (at->dev && (at->dev->state == DEV_FRESH || at->dev->state == DEV_LATE))
		(void)str_printf(a->bad, sizeof(a->bad),
			"the outcome is not known: the watch ended before the device answered "
			"again "
			"(it is asked each %.3g s); give it longer with --watch",
			(double)at->dev->interval_us / CLOCK_SEC);
	else
		(void)str_copy(a->bad, sizeof(a->bad),
			"the outcome is not known: the device has no current data");
}

/* The remaining whole minutes, for display. */
static int64_t minutes_left(const struct action_manager *a, int64_t now_us)
{
	return (a->watch_ends_us - now_us + 60 * CLOCK_SEC - 1) / (60 * CLOCK_SEC);
}

bool manager_watch_turn(struct action_manager *a, const struct model *m, int64_t now_us)
{
	struct place_of_action at;
	bool over = now_us >= a->watch_ends_us, minute;
	char why[200] = "";

	if (now_us - a->judged_us < ACTS_JUDGE_US && !over)
		return false;
	minute = minutes_left(a, a->judged_us) != minutes_left(a, now_us);
	a->judged_us = now_us;
	manager_place(a, m, now_us, &at);
	if (over && !can_tell(a, &at)) {
		say_unseen(a, &at);
	} else if (a->action->holds(&at, &a->after, a->done_us, why, sizeof(why))) {
		a->bad_since_us = 0;
		if (!over)
			return minute;
		manager_watch_end(a, now_us, "held", "");
		a->stage = ACT_HELD;
		return true;
	} else {
		(void)str_copy(a->bad, sizeof(a->bad), why);
		if (!a->bad_since_us)
			a->bad_since_us = now_us;
		if (!over && now_us - a->bad_since_us < ACTS_BAD_US)
			return minute;
	}
	manager_watch_end(a, now_us, "broke", a->bad);
	a->stage = ACT_BROKE;
	return true;
}
