/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/lag.h"

#include <string.h>

#include "backends/contract/facts.h"
#include "base/str.h"

uint32_t lag_bundle(
	struct obs *o, const char *name, const char *oper, const char *protocol, double min)
{
	uint32_t port = *name ? obs_port(o, name) : OBS_NO_PORT;

	if (port == OBS_NO_PORT)
		return port;
	obs_word(o, port, ATTR_BOND, 0, o->ports.at[port].name);
	if (*oper)
		obs_word(o, port, ATTR_OPER, 0, oper);
	if (*protocol)
		obs_word(o, port, ATTR_LAG_STATE, 0, protocol);
	if (min > 0)
		obs_number(o, port, ATTR_LAG_MIN, 0, min);
	return port;
}

void lag_member(
	struct obs *o, uint32_t port, const char *bundle, enum lag_member_state s, const char *why)
{
	static const char *const words[] = {[LAG_ACTIVE] = "active",
		[LAG_STANDBY] = "standby",
		[LAG_SUSPENDED] = "suspended",
		[LAG_INDIVIDUAL] = "individual",
		[LAG_DOWN] = "down",
		[LAG_UNKNOWN] = "unknown"};
	char text[96];

	if (port == OBS_NO_PORT || !*bundle)
		return;
	obs_word(o, port, ATTR_BOND, 0, bundle);
	str_printf(text, sizeof(text), "%s%s%s", words[s], *why ? ": " : "", why);
	obs_word(o, port, ATTR_LAG_STATE, 0, text);
}

void lag_left(struct obs *o, uint32_t port)
{
	obs_word(o, port, ATTR_BOND, 0, "");
	obs_word(o, port, ATTR_LAG_STATE, 0, "");
}

void lag_segment(
	struct obs *o, const char *bundle, const char *esi, const char *state, unsigned others)
{
	uint32_t port;
	char text[96];

	/* An identifier of zeros: the port is in no segment. */
	if (!esi[strspn(esi, "0:.")])
		return;
	port = lag_bundle(o, bundle, "", "", 0);
	if (port == OBS_NO_PORT)
		return;
	str_printf(text, sizeof(text), "segment %.40s %.8s%s", esi, state,
		!others && (str_eq(state, "up") || str_eq(state, "unknown")) ? " alone" : "");
	obs_word(o, port, ATTR_LAG_PAIR, 0, text);
}

#define FACT_SEGMENTS "segments"

static bool has_word(const char *list, const char *name, size_t n)
{
	for (const char *at = list; *at; at += strspn(at, " ")) {
		size_t word = strcspn(at, " ");

		if (word == n && memcmp(at, name, n) == 0)
			return true;
		at += word;
	}
	return false;
}

void lag_segments_end(const struct target *t, struct obs *o)
{
	const char *before = facts_get(t->facts, FACT_SEGMENTS);
	char now[FACT_VALUE_SIZE] = "", name[NAME_MAX_LEN];
	size_t items = o->items.n;

	for (size_t i = 0; i < items; i++) {
		const struct obs_item *it = &o->items.at[i];
		size_t len = strlen(now);
		const char *port;

		if (it->kind != OBS_WORD || it->code != ATTR_LAG_PAIR || it->port >= o->ports.n)
			continue;
		port = o->ports.at[it->port].name;
		if (!has_word(now, port, strlen(port)) &&
			!str_printf(now + len, sizeof(now) - len, "%s%s", len ? " " : "", port))
			return;
	}
	for (const char *at = before; *at; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ");

		if (!has_word(now, at, n) && str_copyn(name, sizeof(name), at, n))
			obs_word(o, obs_port(o, name), ATTR_LAG_PAIR, 0, "");
		at += n;
	}
	if (!str_eq(now, before))
		obs_fact(o, FACT_SEGMENTS, now);
}

/* ---- the kernel's list of links ---- */

static const char *link_text(const struct json_value *link, const char *key)
{
	return json_value_text_or(json_value_get(link, key), "");
}

bool lag_link_is_bundle(const struct json_value *link)
{
	const char *kind = json_value_text_or(json_value_path(link, "linkinfo.info_kind"), "");

	return str_eq(kind, "bond") || str_eq(kind, "team");
}

const struct json_value *lag_link_named(const struct json_value *list, const char *name)
{
	for (json_value_items(v, list)) {
		if (str_eq(link_text(v, "ifname"), name))
			return v;
	}
	return NULL;
}

/*
 * Bits of LACP's state (IEEE 802.3ad): in sync, collecting, distributing; no LACP from the peer,
 * for now or for long.
 */
#define LACP_IN_USE    0x38U
#define LACP_DEFAULTED 0x40U
#define LACP_EXPIRED   0x80U

static const char *lacp_reason(uint64_t actor)
{
	if (actor & LACP_DEFAULTED)
		return "no LACP from the peer, defaulted";
	return actor & LACP_EXPIRED ? "no LACP from the peer, expired" : "LACP has not agreed";
}

/* The same as words, which newer releases of ip print beside the number. */
static bool lacp_words(const struct json_value *list, uint64_t *actor)
{
	static const struct {
		const char *word;
		uint64_t bit;
	} bits[] = {{"in_sync", 0x08}, {"collecting", 0x10}, {"distributing", 0x20},
		{"defaulted", LACP_DEFAULTED}, {"expired", LACP_EXPIRED}};

	*actor = 0;
	for (json_value_items(v, list))
		for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
			if (str_eq(json_value_text_or(v, ""), bits[i].word))
				*actor |= bits[i].bit;
	return json_value_size(list) > 0;
}

static bool lacp_state(const struct json_value *slave, uint64_t *actor)
{
	return json_value_u64(json_value_get(slave, "ad_actor_oper_port_state"), actor) ||
	       lacp_words(json_value_get(slave, "ad_actor_oper_port_state_str"), actor);
}

/* "ACTIVE" only says that the kernel uses the link, which is not enough for LACP. */
static enum lag_member_state kernel_state(const char *state, bool is_lacp)
{
	if (str_eq(state, "BACKUP"))
		return LAG_STANDBY;
	return str_eq(state, "ACTIVE") && !is_lacp ? LAG_ACTIVE : LAG_UNKNOWN;
}

static bool link_is_lacp(const struct json_value *bundle)
{
	return str_eq(link_text(json_value_path(bundle, "linkinfo.info_data"), "mode"), "802.3ad");
}

static void link_member(struct obs *o, uint32_t port, bool is_up, const struct json_value *link,
	const struct json_value *in)
{
	const struct json_value *slave = json_value_path(link, "linkinfo.info_slave_data");
	const char *bundle = link_text(link, "master");
	uint64_t actor;

	if (!is_up || str_eq(link_text(slave, "mii_status"), "DOWN"))
		lag_member(o, port, bundle, LAG_DOWN, "");
	else if (lacp_state(slave, &actor))
		lag_member(o, port, bundle,
			(actor & LACP_IN_USE) == LACP_IN_USE ? LAG_ACTIVE : LAG_SUSPENDED,
			(actor & LACP_IN_USE) == LACP_IN_USE ? "" : lacp_reason(actor));
	else
		lag_member(o, port, bundle,
			kernel_state(link_text(slave, "state"), link_is_lacp(in)), "");
}

void lag_link_port(struct obs *o, uint32_t port, bool is_up, const struct json_value *link,
	const struct json_value *list)
{
	const char *master = link_text(link, "master");
	const struct json_value *bundle = *master ? lag_link_named(list, master) : NULL;

	if (bundle && lag_link_is_bundle(bundle))
		link_member(o, port, is_up, link, bundle);
	else
		lag_left(o, port);
}

static void link_bundle(struct obs *o, const struct json_value *link)
{
	const struct json_value *data = json_value_path(link, "linkinfo.info_data");
	const char *mode = link_text(data, "mode"), *oper = link_text(link, "operstate");
	double min = 0;

	(void)json_value_real(json_value_get(data, "min_links"), &min);
	(void)lag_bundle(o, link_text(link, "ifname"),
		str_eq(oper, "UP")     ? "up"
		: str_eq(oper, "DOWN") ? "down"
				       : "",
		str_eq(mode, "802.3ad") ? "lacp"
		: *mode                 ? "static"
					: "",
		min);
}

void lag_link_bundles(struct obs *o, const struct json_value *list)
{
	size_t items = o->items.n;

	for (json_value_items(v, list)) {
		bool used = false;

		for (size_t i = 0; lag_link_is_bundle(v) && i < items && !used; i++) {
			const struct obs_item *it = &o->items.at[i];

			used = it->kind == OBS_WORD && it->code == ATTR_BOND &&
			       str_eq(obs_text(o, it->text), link_text(v, "ifname"));
		}
		if (used)
			link_bundle(o, v);
	}
}
