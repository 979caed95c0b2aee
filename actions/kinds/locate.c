/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/kinds/common.h"
#include "base/str.h"

#define LOCATE_S 60

static bool locate_wants(const struct place_of_action *at, struct order *look, struct err *err)
{
	if (!at->port)
		return err_set(err, ERR_REFUSED, at->device->name, "one port can blink");
	if (!action_can(at, VERB_LOCATE_ON))
		return action_cannot(at, "make a port blink", err);
	*look = order_of(at, VERB_LOCATE_ON);
	look->seconds = LOCATE_S;
	return true;
}

static bool switches_off(const struct place_of_action *at, const struct condition *now)
{
	return now->beacon == 1 && action_can(at, VERB_LOCATE_OFF);
}

static bool locate_compose(const struct place_of_action *at, const struct condition *now,
	step_vec *out, struct err *err)
{
	struct order on = order_of(at, VERB_LOCATE_ON), off = order_of(at, VERB_LOCATE_OFF);
	bool back = action_can(at, VERB_LOCATE_OFF);
	char place[2 * NAME_MAX_LEN];

	on.seconds = LOCATE_S;
	if (switches_off(at, now)) {
		(void)step_add(out, &off, &on);
		return true;
	}
	if (now->beacon == 1) {
		(void)err_set(err, ERR_REFUSED, action_place(at, place, sizeof(place)),
			"the port blinks already");
		return err_cure(err, "the light goes off by itself");
	}
	(void)step_add(out, &on, back ? &off : NULL);
	return true;
}

static void locate_expect(
	const struct place_of_action *at, const struct condition *now, char *dst, size_t size)
{
	if (!at->port)
		return;
	if (switches_off(at, now))
		(void)str_printf(dst, size, "%s does not blink any more", at->port->name);
	else
		(void)str_printf(dst, size, "%s blinks (%d s where the light goes off by itself)",
			at->port->name, LOCATE_S);
}

const struct action_ops action_locate = {
	.name = "locate",
	.title = "blink the light of one port or NIC",
	.help = "Makes a port's or NIC's light blink, so that a person in the aisle finds it. If "
		"it blinks already, it is switched off. It ends by itself after a minute where the "
		"device supports that. Traffic is not touched.",
	.kinds = 1u << REF_PORT,
	.harmless = true,
	.wants = locate_wants,
	.compose = locate_compose,
	.expect = locate_expect,
};
