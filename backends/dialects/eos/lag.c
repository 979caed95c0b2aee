/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/contract/needs.h"
#include "backends/dialects/eos/eos.h"
#include "backends/parse/lag.h"
#include "base/str.h"

/* Decodes "show port-channel", "show mlag" and the segments of EVPN multihoming. */

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
	const struct json_value *least = json_value_get(e, "minLinks");
	double min = 0;
	bool is_up = json_value_size(active) > 0;
	/* A least number that cannot be read may be more than are active. */
	bool unknown = least && (json_value_real(least, &min) != NUMBER_OK || min < 0);

	add_members(o, name, active, true, &protocol);
	add_members(o, name, others, false, &protocol);
	/* Fewer than the least: the bundle is down, though members are active. */
	if (min > 0 && (double)json_value_size(active) < min)
		is_up = false;
	(void)lag_bundle(o, name, !is_up ? "down" : unknown ? "unknown" : "up", protocol, min);
}

/* A port that left its bundle is not in the answer. */
static void clear_port(void *ctx, const char *name)
{
	struct obs *o = ctx;
	size_t before = o->ports.n;
	uint32_t port = obs_port(o, name);

	if (o->ports.n == before)
		return;
	lag_left(o, port);
}

bool eos_parse_lag(const struct target *t, const struct json_value *body, struct obs *o)
{
	if (!json_value_is(json_value_get(body, "portChannels"), DV_OBJECT))
		return false;
	for (json_value_members(e, json_value_get(body, "portChannels")))
		add_bundle(o, e);
	eos_known_ports(t, o, clear_port);
	need_say(o, NEED_BUNDLES, VALID_OK, "");
	return true;
}

/*
 * Returns the state of the pair and the first field that contradicts that it is whole. A field that
 * a release lacks contradicts nothing; one without a word leaves it unknown.
 */
static const char *pair_state(const struct json_value *body, const char **why)
{
	static const char *const good[][2] = {{"state", "active"}, {"peerLinkStatus", "up"},
		{"negStatus", "connected"}, {"localIntfStatus", "up"},
		{"configSanity", "consistent"}};
	const char *state = "ok";

	*why = NULL;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		const struct json_value *v = json_value_get(body, good[i][0]);
		const char *text = json_value_text_or(v, "");

		/* Old releases have an address in place of a state. */
		if (!v || json_value_get(v, "localIpAddr") || str_eq(text, good[i][1]))
			continue;
		if (*text) {
			*why = good[i][0];
			return "down";
		}
		if (!*why)
			*why = good[i][0];
		state = "unknown";
	}
	return state;
}

/* State of the pair: connected, with its link up and the same settings on both. */
bool eos_parse_mlag(const struct target *t, const struct json_value *body, struct obs *o)
{
	const char *state = json_value_text_or(json_value_get(body, "state"), "");
	const struct json_value *counts = json_value_get(body, "mlagPorts");
	uint64_t partial = 0;
	const char *whole, *why;
	char text[160];

	(void)t;
	if (!*state)
		return false;
	if (str_eq(state, "disabled")) {
		obs_word(o, OBS_NO_PORT, ATTR_PAIR, 0, "");
		return true;
	}
	(void)json_value_u64(json_value_get(counts, "Active-partial"), &partial);
	whole = pair_state(body, &why);
	str_printf(text, sizeof(text),
		"kind=mlag state=%s domain=%s peer=%s link=%s partial=%u%s%s", whole,
		json_value_text_or(json_value_get(body, "domainId"), ""),
		json_value_text_or(json_value_get(body, "peerAddress"), ""),
		json_value_text_or(json_value_get(body, "peerLink"), ""),
		(unsigned)(partial < 10000 ? partial : 10000), why ? " why=" : "", why ? why : "");
	obs_word(o, OBS_NO_PORT, ATTR_PAIR, 0, text);
	return true;
}

/* ---- segments of EVPN multihoming ---- */

#define PEERS_MOST 16u

struct others {
	const char *own; /* address of this switch */
	const char *at[PEERS_MOST];
	unsigned n;
};

static void add_other(struct others *all, const struct json_value *peer)
{
	const char *ip = json_value_text_or(json_value_get(peer, "ip"), "");

	for (unsigned i = 0; i < all->n; i++)
		if (str_eq(all->at[i], ip))
			return;
	if (*ip && !str_eq(ip, all->own) && all->n < PEERS_MOST)
		all->at[all->n++] = ip;
}

static void add_segment(struct obs *o, const char *own, const struct json_value *e)
{
	struct others all = {.own = own};

	add_other(&all, json_value_get(e, "dFPeer"));
	for (json_value_items(v, json_value_get(e, "nonDFPeers")))
		add_other(&all, v);
	for (json_value_items(v, json_value_get(e, "forwardingPeers")))
		add_other(&all, v);
	lag_segment(o, json_value_text_or(json_value_get(e, "intf"), ""), json_value_name(e),
		json_value_text_or(json_value_get(e, "state"), "unknown"), all.n);
}

/*
 * One entry for each VLAN or bundle of VLANs, each with all segments: the last one counts. Format:
 * public consumers of it; no capture is public.
 */
bool eos_parse_segments(const struct target *t, const struct json_value *body, struct obs *o)
{
	const struct json_value *instances = json_value_get(body, "bgpEvpnInstances");

	if (!json_value_is(instances, DV_OBJECT))
		return false;
	for (json_value_members(i, instances))
		for (json_value_members(e, json_value_get(i, "ethernetSegments")))
			add_segment(
				o, json_value_text_or(json_value_get(i, "localVxlanIp"), ""), e);
	lag_segments_end(t, o);
	return true;
}
