/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/kinds/common.h"
#include "base/str.h"

/*
 * Whether to read the session's condition first, by the model. undrain_compose() decides from the
 * condition which of session and port is down.
 */
static bool looks_at_session(const struct place_of_action *at)
{
	return at->port->admin != OPER_DOWN && action_can(at, VERB_BGP_UP) &&
	       action_can(at, VERB_BGP_DOWN) && action_between_switches(at) && at->dev &&
	       at->dev->bgp.n;
}

static bool undrain_wants(const struct place_of_action *at, struct order *look, struct err *err)
{
	if (!at->port)
		return err_set(
			err, ERR_REFUSED, at->device->name, "one port is restored at a time");
	if (looks_at_session(at)) {
		*look = order_of(at, VERB_BGP_UP);
		return true;
	}
	if (!action_can(at, VERB_PORT_UP) || !action_can(at, VERB_PORT_DOWN))
		return action_cannot(at, "switch a port on", err);
	*look = order_of(at, VERB_PORT_UP);
	return true;
}

static bool undrain_compose(const struct place_of_action *at, const struct condition *now,
	step_vec *out, struct err *err)
{
	struct order up = order_of(at, VERB_PORT_UP), down = order_of(at, VERB_PORT_DOWN);
	bool shut = now->bgp_shut == 1 && now->bgp_peer[0];
	char place[2 * NAME_MAX_LEN];

	(void)action_place(at, place, sizeof(place));
	if (now->admin == OPER_DOWN) {
		if (!action_can(at, VERB_PORT_UP) || !action_can(at, VERB_PORT_DOWN))
			return action_cannot(at, "switch a port on", err);
		(void)step_add(out, &up, &down);
	}
	if (shut) {
		if (!action_can(at, VERB_BGP_UP) || !action_can(at, VERB_BGP_DOWN))
			return action_cannot(at, "start a BGP session", err);
		up = order_of_bgp(at, VERB_BGP_UP, now);
		down = order_of_bgp(at, VERB_BGP_DOWN, now);
		(void)step_add(out, &up, &down);
	}
	if (out->n)
		return true;
	if (now->admin == OPER_UNKNOWN)
		return err_set(
			err, ERR_REFUSED, place, "the device does not report if the port is shut");
	(void)err_set(err, ERR_REFUSED, place, "the port is not drained: it is switched on%s",
		now->bgp_shut == 0 ? " and its BGP session is not shut" : "");
	return err_cure(err, "%s",
		now->oper == OPER_DOWN ? "its link is down for another reason: see its findings"
				       : "no action is needed");
}

static void undrain_expect(
	const struct place_of_action *at, const struct condition *now, char *dst, size_t size)
{
	bool shut = now->bgp_shut == 1 && now->bgp_peer[0];

	if (!at->port)
		return;
	if (shut)
		(void)str_printf(dst, size, "link of %s up, BGP session with %s established",
			at->port->name, now->bgp_peer);
	else
		(void)str_printf(dst, size, "%s switched on, its link up", at->port->name);
}

/* The session of the link as the model has it; NULL: none is known by that name. */
static const struct bgp_session *session_of(
	const struct place_of_action *at, const struct condition *after)
{
	for (size_t i = 0; at->dev && after->bgp_peer[0] && i < at->dev->bgp.n; i++)
		if (str_eq(at->dev->bgp.at[i].peer, after->bgp_peer))
			return &at->dev->bgp.at[i];
	return NULL;
}

static bool undrain_holds(const struct place_of_action *at, const struct condition *after,
	int64_t since_us, char *why, size_t size)
{
	const struct bgp_session *s = session_of(at, after);

	if (!watch_link(at, since_us, why, size))
		return false;
	if (!s || at->dev->bgp_us <= since_us + action_grace_us(at) || s->state == BGP_ESTABLISHED)
		return true;
	(void)str_printf(why, size, "the BGP session with %s is %s", s->peer,
		bgp_state_name((enum bgp_state)s->state));
	return false;
}

const struct action_ops action_port_undrain = {
	.name = "port-undrain",
	.takes_back = "port-drain",
	.title = "restore one link to service",
	.help = "Reverts a drain: it switches the port on, or starts its BGP session, as the "
		"device reports. It is done when the link is up (and the session established), "
		"after up to a minute of link training.",
	.kinds = 1u << REF_PORT,
	.needs = NEED_AGREEMENT | NEED_SNAPSHOT,
	.wants = undrain_wants,
	.compose = undrain_compose,
	.expect = undrain_expect,
	.holds = undrain_holds,
};
