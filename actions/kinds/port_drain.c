/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/kinds/common.h"
#include "base/str.h"

static bool drain_wants(const struct place_of_action *at, struct order *look, struct err *err)
{
	if (!at->port)
		return err_set(err, ERR_REFUSED, at->device->name, "one port is drained at a time");
	if (action_by_bgp(at)) {
		*look = order_of(at, VERB_BGP_DOWN);
		return true;
	}
	if (!action_can(at, VERB_PORT_DOWN) || !action_can(at, VERB_PORT_UP))
		return action_cannot(at, "shut a port", err);
	*look = order_of(at, VERB_PORT_DOWN);
	return true;
}

static bool refuse_drained(const char *place, const char *how, struct err *err)
{
	(void)err_set(err, ERR_REFUSED, place, "the port is drained already: %s", how);
	return err_cure(err, "use port-undrain to restore it");
}

static bool drain_compose(const struct place_of_action *at, const struct condition *now,
	step_vec *out, struct err *err)
{
	struct order down = order_of(at, VERB_PORT_DOWN), up = order_of(at, VERB_PORT_UP);
	char place[2 * NAME_MAX_LEN];

	(void)action_place(at, place, sizeof(place));
	if (now->admin == OPER_DOWN)
		return refuse_drained(place, "it is shut", err);
	if (action_by_bgp(at) && now->bgp_peer[0]) {
		if (now->bgp_shut < 0)
			return err_set(err, ERR_REFUSED, place,
				"the device does not report if the session with %s is shut",
				now->bgp_peer);
		if (now->bgp_shut)
			return refuse_drained(place, "its BGP session is shut", err);
		down = order_of_bgp(at, VERB_BGP_DOWN, now);
		up = order_of_bgp(at, VERB_BGP_UP, now);
	} else if (!action_can(at, VERB_PORT_DOWN) || !action_can(at, VERB_PORT_UP)) {
		return action_cannot(at, "shut a port", err);
	} else if (now->admin == OPER_UNKNOWN) {
		return err_set(
			err, ERR_REFUSED, place, "the device does not report if the port is shut");
	}
	(void)step_add(out, &down, &up);
	return true;
}

static void drain_expect(
	const struct place_of_action *at, const struct condition *now, char *dst, size_t size)
{
	if (!at->port)
		return;
	if (action_by_bgp(at) && now->bgp_peer[0])
		(void)str_printf(dst, size, "BGP session of %s with %s shut, the link stays up",
			at->port->name, now->bgp_peer);
	else
		(void)str_printf(dst, size, "%s shut, its link down at both ends", at->port->name);
}

static bool drain_holds(const struct place_of_action *at, const struct condition *after,
	int64_t since_us, char *why, size_t size)
{
	if (watch_is_blind(at, since_us, why, size))
		return false;
	/* Drained by BGP, the link stays up, and sessions are polled too rarely for a check. */
	if (!at->port || after->bgp_shut == 1 || !watch_has_data(at, since_us))
		return true;
	if (at->port->admin == OPER_UP || at->port->oper == OPER_UP) {
		(void)str_printf(why, size, "%s is %s again", at->port->name,
			at->port->oper == OPER_UP ? "up" : "switched on");
		return false;
	}
	return true;
}

const struct action_ops action_port_drain = {
	.name = "port-drain",
	.title = "take one link out of service",
	.help = "Shuts one port, so that traffic leaves a link before work on it. Between switches "
		"with actions.drain: bgp it shuts the BGP session instead. It is refused if fewer "
		"than N-1 uplinks would stay at either end, or a running job would lose its last "
		"path. It lasts until port-undrain; on SONiC a reboot reverts it unless the "
		"configuration was saved.",
	.kinds = 1u << REF_PORT,
	.needs = NEED_PATHS | NEED_AGREEMENT | NEED_SNAPSHOT,
	.wants = drain_wants,
	.compose = drain_compose,
	.expect = drain_expect,
	.holds = drain_holds,
};
