/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/dialects/eos/eos.h"
#include "backends/parse/lag.h"
#include "base/str.h"

/* Decodes "show port-channel" and "show mlag". */

static bool says(const char *why, const char *word)
{
	return strcasestr(why, word) != NULL;
}

/* "waiting for LACP response", "not compatible with aggregate", "link down". */
static enum lag_member_state state_of(const char *why)
{
	if (says(why, "down") || says(why, "notconnect") || says(why, "not connected"))
		return LAG_DOWN;
	if (says(why, "standby"))
		return LAG_STANDBY;
	return says(why, "individual") ? LAG_INDIVIDUAL : LAG_SUSPENDED;
}

static void add_members(struct obs *o, const char *bundle, const struct json_value *list,
	bool is_active, const char **protocol)
{
	for (json_value_members(m, list)) {
		const char *why = json_value_text_or(json_value_get(m, "reasonUnconfigured"), "");

		if (!eos_is_front_panel(json_value_name(m)))
			continue;
		*protocol = json_value_text_or(json_value_get(m, "protocol"), *protocol);
		lag_member(o, obs_port(o, json_value_name(m)), bundle,
			is_active ? LAG_ACTIVE : state_of(why), is_active ? "" : why);
	}
}

static void add_bundle(struct obs *o, const struct json_value *e)
{
	const struct json_value *active = json_value_get(e, "activePorts"),
				*others = json_value_get(e, "inactivePorts");
	const char *name = json_value_name(e), *protocol = "";
	double min = 0;
	bool is_up = json_value_size(active) > 0;

	(void)json_value_real(json_value_get(e, "minLinks"), &min);
	add_members(o, name, active, true, &protocol);
	add_members(o, name, others, false, &protocol);
	/* Fewer than the least: the bundle is down, though members are active. */
	if (min > 0 && (double)json_value_size(active) < min)
		is_up = false;
	(void)lag_bundle(o, name, is_up ? "up" : "down", protocol, min);
}

/* A port that left its bundle is not in the answer. */
static void clear_port(void *ctx, const char *name)
{
	struct obs *o = ctx;
	size_t before = o->ports.n;
	uint32_t port = obs_port(o, name);

	if (o->ports.n == before)
		return;
	obs_word(o, port, ATTR_BOND, 0, "");
	obs_word(o, port, ATTR_LAG_STATE, 0, "");
}

bool eos_parse_lag(const struct target *t, const struct json_value *body, struct obs *o)
{
	if (!json_value_is(json_value_get(body, "portChannels"), DV_OBJECT))
		return false;
	for (json_value_members(e, json_value_get(body, "portChannels")))
		add_bundle(o, e);
	eos_known_ports(t, o, clear_port);
	return true;
}

/* A field that a release lacks contradicts nothing. */
static bool is_or_lacks(const struct json_value *body, const char *field, const char *good)
{
	const char *text = json_value_text_or(json_value_get(body, field), "");

	return !*text || str_eq(text, good);
}

/* State of the pair: connected, with its link up, and no bundle on one side only. */
bool eos_parse_mlag(const struct target *t, const struct json_value *body, struct obs *o)
{
	const char *state = json_value_text_or(json_value_get(body, "state"), "");
	const struct json_value *counts = json_value_get(body, "mlagPorts");
	uint64_t partial = 0;
	char text[160];
	bool ok;

	(void)t;
	if (!*state)
		return false;
	if (str_eq(state, "disabled")) {
		obs_word(o, OBS_NO_PORT, ATTR_PAIR, 0, "");
		return true;
	}
	(void)json_value_u64(json_value_get(counts, "Active-partial"), &partial);
	ok = str_eq(state, "active") && is_or_lacks(body, "peerLinkStatus", "up") &&
	     is_or_lacks(body, "negStatus", "connected") &&
	     is_or_lacks(body, "localIntfStatus", "up");
	str_printf(text, sizeof(text), "kind=mlag state=%s domain=%s peer=%s link=%s partial=%u",
		ok ? "ok" : "down", json_value_text_or(json_value_get(body, "domainId"), ""),
		json_value_text_or(json_value_get(body, "peerAddress"), ""),
		json_value_text_or(json_value_get(body, "peerLink"), ""),
		(unsigned)(partial < 10000 ? partial : 10000));
	obs_word(o, OBS_NO_PORT, ATTR_PAIR, 0, text);
	return true;
}
