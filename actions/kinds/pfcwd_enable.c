/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/kinds/common.h"
#include "base/str.h"

static bool enable_wants(const struct place_of_action *at, struct order *look, struct err *err)
{
	if (!at->port)
		return err_set(err, ERR_REFUSED, at->device->name, "a watchdog is put on one port");
	if (!action_can(at, VERB_WD_START) || !action_can(at, VERB_WD_STOP))
		return action_cannot(at, "put a PFC watchdog on a port", err);
	*look = order_of(at, VERB_WD_START);
	return true;
}

static struct wd_setting setting_of_site(const struct place_of_action *at)
{
	const struct plan_actions *a = &at->plan->actions;
	struct wd_setting w = {.detect_ms = a->wd_detect_ms, .restore_ms = a->wd_restore_ms};

	(void)str_copy(w.action, sizeof(w.action), a->wd_action);
	return w;
}

static bool enable_compose(const struct place_of_action *at, const struct condition *now,
	step_vec *out, struct err *err)
{
	struct order start = order_of(at, VERB_WD_START), stop = order_of(at, VERB_WD_STOP);
	char place[2 * NAME_MAX_LEN], text[64];

	(void)action_place(at, place, sizeof(place));
	if (now->wd < 0)
		return err_set(err, ERR_REFUSED, place,
			"the device does not report if the port has a PFC watchdog");
	if (now->wd) {
		(void)err_set(err, ERR_REFUSED, place, "the port has a PFC watchdog: %s",
			wd_setting_text(&now->wd_set, text, sizeof(text)));
		return err_cure(err, "use pfcwd-reset to clear a stuck storm");
	}
	start.wd = setting_of_site(at);
	if (!start.wd.action[0] || !start.wd.detect_ms || !start.wd.restore_ms) {
		(void)err_set(err, ERR_REFUSED, place,
			"the inventory does not state the site's watchdog");
		return err_cure(err,
			"fabric.yaml: actions: {watchdog: {action: drop, detect: 200ms, restore: "
			"400ms}}");
	}
	(void)step_add(out, &start, &stop);
	return true;
}

static void enable_expect(
	const struct place_of_action *at, const struct condition *now, char *dst, size_t size)
{
	struct wd_setting w = setting_of_site(at);
	char text[64];

	(void)now;
	if (at->port)
		(void)str_printf(dst, size, "watchdog on %s operational, %s", at->port->name,
			wd_setting_text(&w, text, sizeof(text)));
}

const struct action_ops action_pfcwd_enable = {
	.name = "pfcwd-enable",
	.title = "put a PFC watchdog on one lossless port",
	.help = "Puts a PFC watchdog with the site's timers (actions.watchdog in fabric.yaml) on a "
		"lossless port without one. Then one device that pauses for ever cannot stop the "
		"fabric behind it. PFC must be on. Traffic is not touched until a storm comes.",
	.kinds = 1u << REF_PORT,
	.needs = NEED_NO_STORM | NEED_PFC_ON | NEED_TIMERS | NEED_AGREEMENT | NEED_SNAPSHOT,
	.wants = enable_wants,
	.compose = enable_compose,
	.expect = enable_expect,
	.holds = watch_watchdog,
};
