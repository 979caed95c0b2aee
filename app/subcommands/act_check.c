/* SPDX-License-Identifier: Apache-2.0 */
#include "app/subcommands/act_check.h"

#include <string.h>

#include "actions/guards/guards.h"
#include "app/headless/place_check.h"
#include "backends/contract/backend.h"
#include "base/str.h"

/* The guard's refusal as the error of a command. */
static bool refused(const struct refusal *r, struct err *err)
{
	err_set(err, ERR_REFUSED, "", "refused by %s: %s", r->guard, r->why);
	return err_cure(err, "%s", r->cure);
}

/* Adds the port to the model as its device would report it, so that the action can be about it. */
static void add_port(struct model *m, const char *device, const char *port)
{
	struct obs *o = obs_new(device, "");

	(void)obs_port(o, port);
	o->result = OBS_DATA;
	model_apply(m, o, 1);
	obs_free(o);
}

/* Parses a place whose port no answer has named yet. */
static bool parse_place(struct model *m, const char *place, struct ref *out, struct err *err)
{
	const char *colon = strchr(place, ':'), *end;
	char device[NAME_MAX_LEN], port[NAME_MAX_LEN];
	struct ref d;

	if (ref_parse(m, place, out, NULL))
		return true;
	/* The priority behind the port: leaf:Ethernet12/3. Names with a slash of their own end
	 * later. */
	end = colon ? strrchr(colon, ':') != colon ? strrchr(colon, ':') : colon + strlen(colon)
		    : NULL;
	if (colon && str_copyn(device, sizeof(device), place, (size_t)(colon - place)) &&
		ref_parse(m, device, &d, NULL) && d.kind == REF_DEVICE &&
		str_copyn(port, sizeof(port), colon + 1, (size_t)(end - colon - 1)) && port[0])
		add_port(m, ref_device(m, d)->name, port);
	return ref_parse(m, place, out, err);
}

static bool grant(const struct plan *plan, const struct place_of_action *at,
	const struct action_ops *action, struct err *err)
{
	struct guard_context x = {.at = at, .action = action};
	struct refusal r = {0};

	(void)plan;
	for (size_t i = 0; i < guard_count; i++) {
		if (!str_eq(guard_table[i].name, "grant") || guard_table[i].ask(&x, &r))
			continue;
		r.guard = guard_table[i].name;
		return refused(&r, err);
	}
	return true;
}

bool act_possible(const struct plan *plan, struct model *m, const struct action_ops *action,
	const char *place, struct err *err)
{
	struct place_of_action at = {.plan = plan, .model = m, .priority = -1};
	const struct backend_ops *ops;
	struct order look;
	struct ref r;
	int i;

	if (!place_possible(plan, m, place, err) || !parse_place(m, place, &r, err))
		return false;
	at.dev = ref_device(m, r);
	at.port = r.kind == REF_LINK ? NULL : ref_port(m, r);
	i = at.dev ? plan_find(plan, at.dev->name) : -1;
	if (i < 0 || !((action->kinds & (1u << r.kind)) ||
			     (at.port && (action->kinds & (1u << REF_PORT))))) {
		err_set(err, ERR_USAGE, place, "%s does not apply to this place", action->name);
		return err_cure(err, action->kinds & (1u << REF_PORT)
					     ? "name a port: leaf-r3-00:Ethernet12"
					     : "name a device: leaf-r3-00");
	}
	at.device = &plan->devices.at[i];
	/* Words are about the host of a port, which the answers show. */
	if (action->words)
		return true;
	if (!grant(plan, &at, action, err))
		return false;
	ops = at.device->dialect ? backend_by_name(at.device->dialect) : NULL;
	/* Where the dialect is found out by a question, or there is no transport, wait for it. */
	if (!ops || !at.device->transport)
		return true;
	if (!ops->changes) {
		err_set(err, ERR_UNSUPPORTED, at.device->name,
			"railtop changes nothing on devices of dialect %s", at.device->dialect);
		return err_cure(err, "make the change on the device");
	}
	at.can = ops->changes;
	/* Only a lack of commands is certain now; other refusals may depend on the answers. */
	return action->wants(&at, &look, err) || err->code != ERR_UNSUPPORTED;
}
