/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/kinds/common.h"
#include "base/clock.h"
#include "base/str.h"

/* Longer than the link debounce time of any peer, so that both ends see the link go down. */
#define DWELL_US (5 * CLOCK_SEC)

static bool bounce_wants(const struct place_of_action *at, struct order *look, struct err *err)
{
	if (!at->port)
		return err_set(err, ERR_REFUSED, at->device->name, "one port is bounced at a time");
	if (!action_can(at, VERB_PORT_DOWN) || !action_can(at, VERB_PORT_UP))
		return action_cannot(at, "shut a port and switch it on again", err);
	*look = order_of(at, VERB_PORT_DOWN);
	return true;
}

static bool bounce_compose(const struct place_of_action *at, const struct condition *now,
	step_vec *out, struct err *err)
{
	struct order down = order_of(at, VERB_PORT_DOWN), up = order_of(at, VERB_PORT_UP);
	char place[2 * NAME_MAX_LEN];

	(void)action_place(at, place, sizeof(place));
	if (now->admin == OPER_UNKNOWN)
		return err_set(
			err, ERR_REFUSED, place, "the device does not report if the port is shut");
	if (now->admin == OPER_DOWN) {
		(void)err_set(err, ERR_REFUSED, place,
			"the port is shut: it may have been drained on purpose");
		return err_cure(err, "use port-undrain to restore it");
	}
	step_add(out, &down, &up)->dwell_us = DWELL_US;
	(void)step_add(out, &up, NULL);
	return true;
}

static void bounce_expect(
	const struct place_of_action *at, const struct condition *now, char *dst, size_t size)
{
	(void)now;
	if (at->port)
		(void)str_printf(dst, size, "%s down for %d s, then its link up again",
			at->port->name, (int)(DWELL_US / CLOCK_SEC));
}

static bool bounce_holds(const struct place_of_action *at, const struct condition *after,
	int64_t since_us, char *why, size_t size)
{
	(void)after;
	return watch_link(at, since_us, why, size);
}

const struct action_ops action_port_bounce = {
	.name = "port-bounce",
	.title = "shut one port for five seconds and switch it on again",
	.help = "Makes both ends train the link again: for a port that is stuck, or runs at the "
		"wrong speed or FEC. Traffic on the link is lost for five seconds and the time of "
		"training. It is refused where port-drain would be.",
	.kinds = 1u << REF_PORT,
	.needs = NEED_PATHS | NEED_AGREEMENT | NEED_SNAPSHOT,
	.wants = bounce_wants,
	.compose = bounce_compose,
	.expect = bounce_expect,
	.holds = bounce_holds,
};
