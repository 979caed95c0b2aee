/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clears a storm that the PFC watchdog keeps although no peer pauses the queue any more. If the
 * device can release a queue, that is the only step. Otherwise the watchdog is stopped on the port
 * and started again, with exactly the values that were read.
 */
#include "actions/kinds/common.h"
#include "base/str.h"

/* Finds the queue to release; -1: the port as a whole. False: the device cannot release a queue. */
static bool by_release(const struct place_of_action *at, int *queue)
{
	uint8_t lossless = lossless_priorities(&at->plan->lossless);

	*queue = -1;
	if (!action_can(at, VERB_WD_RECOVER))
		return false;
	if (!(at->can->queues & VERB_BIT(VERB_WD_RECOVER)))
		return true;
	*queue = at->priority;
	if (*queue < 0 && !(lossless & (lossless - 1)))
		*queue = __builtin_ctz(lossless);
	return *queue >= 0;
}

static bool reset_wants(const struct place_of_action *at, struct order *look, struct err *err)
{
	int queue;

	if (!at->port)
		return err_set(
			err, ERR_REFUSED, at->device->name, "a watchdog is restarted on one port");
	if (by_release(at, &queue)) {
		*look = order_of(at, VERB_WD_RECOVER);
		look->priority = queue;
		return true;
	}
	if (!action_can(at, VERB_WD_STOP) || !action_can(at, VERB_WD_START))
		return action_cannot(at, "restart a PFC watchdog", err);
	*look = order_of(at, VERB_WD_STOP);
	return true;
}

/* ---- is there anything to clear ---- */

static bool anything_to_clear(
	const struct place_of_action *at, const struct condition *now, int queue, struct err *err)
{
	uint8_t must = lossless_priorities(&at->plan->lossless);
	bool told = false, stuck = false;
	char place[2 * NAME_MAX_LEN];

	for (int p = 0; p < PRIORITIES; p++) {
		enum wd_state s = (enum wd_state)now->wd_state[p];

		if (queue >= 0 && p != queue)
			continue;
		told |= s != WD_UNKNOWN;
		/*
		 * A watchdog that did not start (SONiC) has no state on the device; polls report it
		 * as off.
		 */
		if (s == WD_UNKNOWN)
			s = (enum wd_state)at->port->wd[p].state;
		/* Configured but not running on a lossless queue: stale as well. */
		stuck |= s == WD_STORMED || (s == WD_OFF && (unsigned)must >> p & 1u);
	}
	if (stuck)
		return true;
	(void)action_place(at, place, sizeof(place));
	if (!told) {
		(void)err_set(err, ERR_REFUSED, place,
			"the device does not report the state of its queues, so a stuck queue "
			"cannot be seen");
		return err_cure(err, "check the queues on the device");
	}
	(void)err_set(err, ERR_REFUSED, place,
		"nothing to clear: the watchdog is operational and no queue is stormed");
	return err_cure(err, "no action is needed here; railtop findings lists the problems");
}

/* The values for the new start. */
static bool setting_again(const struct place_of_action *at, const struct condition *now,
	struct wd_setting *out, struct err *err)
{
	const struct plan_actions *a = &at->plan->actions;
	char place[2 * NAME_MAX_LEN];

	*out = now->wd_set;
	/*
	 * A dialect that reports an action has timers for each port; other dialects set them
	 * elsewhere.
	 */
	if (!out->action[0] || now->wd_global == 1)
		return true;
	(void)action_place(at, place, sizeof(place));
	if (!out->detect_ms) {
		(void)err_set(err, ERR_REFUSED, place,
			"the watchdog's detection time could not be read, so it could not be "
			"started with the same time");
		return err_cure(err, "check the port's watchdog row on the device");
	}
	if (out->restore_ms)
		return true;
	out->restore_ms = a->wd_restore_ms;
	if (out->restore_ms)
		return true;
	(void)err_set(err, ERR_REFUSED, place,
		"the watchdog's row has no restoration time; a start without it would set twice "
		"the detection time");
	return err_cure(err, "state actions.watchdog.restore in fabric.yaml");
}

/* The switch refuses a change of a watchdog in the chip ("hw drop") while its queue is held. */
static bool runs_in_chip(const struct place_of_action *at)
{
	for (int p = 0; p < PRIORITIES; p++)
		if (at->port->wd[p].state == WD_STORMED &&
			str_starts(at->port->wd[p].action, "hw "))
			return true;
	return false;
}

static bool reset_compose(const struct place_of_action *at, const struct condition *now,
	step_vec *out, struct err *err)
{
	struct order stop = order_of(at, VERB_WD_STOP), start = order_of(at, VERB_WD_START),
		     release = order_of(at, VERB_WD_RECOVER), undo = start;
	char place[2 * NAME_MAX_LEN];
	bool releases = by_release(at, &release.priority);

	(void)action_place(at, place, sizeof(place));
	if (now->wd < 0)
		return err_set(err, ERR_REFUSED, place,
			"the device does not report if the port has a PFC watchdog");
	if (!now->wd) {
		(void)err_set(err, ERR_REFUSED, place, "the port has no PFC watchdog");
		return err_cure(err, "use pfcwd-enable");
	}
	if (runs_in_chip(at)) {
		(void)err_set(err, ERR_REFUSED, place,
			"this watchdog runs in the chip: the switch refuses to restart it while a "
			"queue is in a storm");
		return err_cure(err, "end the storm at the peer; the chip then restores the queue");
	}
	if (!anything_to_clear(at, now, at->priority >= 0 ? at->priority : release.priority, err))
		return false;
	if (releases) {
		(void)step_add(out, &release, NULL);
		return true;
	}
	if (!setting_again(at, now, &start.wd, err))
		return false;
	undo.wd = start.wd;
	(void)step_add(out, &stop, &undo);
	(void)step_add(out, &start, NULL);
	return true;
}

static void reset_expect(
	const struct place_of_action *at, const struct condition *now, char *dst, size_t size)
{
	struct wd_setting w;
	struct err err;
	char text[64];
	int queue;

	if (!at->port)
		return;
	if (by_release(at, &queue) && queue >= 0)
		(void)str_printf(dst, size, "queue %d of %s released, its watchdog operational",
			queue, at->port->name);
	else if (by_release(at, &queue) || !setting_again(at, now, &w, &err))
		(void)str_printf(
			dst, size, "watchdog on %s operational, no queue stormed", at->port->name);
	else
		(void)str_printf(dst, size, "watchdog on %s operational, %s, no queue stormed",
			at->port->name, wd_setting_text(&w, text, sizeof(text)));
}

const struct action_ops action_pfcwd_reset = {
	.name = "pfcwd-reset",
	.title = "clear a stuck PFC watchdog storm on one port",
	.help = "Releases a queue that the PFC watchdog still blocks after the pauses have ended. "
		"The watchdog of the port is stopped, and started with the values that were read. "
		"Find the source of the pauses first (trace): a storm that continues comes back at "
		"once. For about a second the port has no storm protection.",
	.kinds = 1u << REF_PORT | 1u << REF_PRIORITY,
	.needs = NEED_NO_STORM | NEED_PFC_ON | NEED_AGREEMENT | NEED_SNAPSHOT,
	.wants = reset_wants,
	.compose = reset_compose,
	.expect = reset_expect,
	.holds = watch_watchdog,
};
