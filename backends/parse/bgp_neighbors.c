/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/bgp_neighbors.h"

#include <math.h>
#include <string.h>

#include "backends/parse/tree.h"
#include "base/str.h"

static enum bgp_afi family_of(const char *key)
{
	bool unicast = strcasestr(key, "unicast") != NULL;

	if (strcasestr(key, "evpn"))
		return BGP_EVPN;
	if (unicast && strcasestr(key, "ipv4"))
		return BGP_IPV4;
	return unicast && strcasestr(key, "ipv6") ? BGP_IPV6 : BGP_OTHER;
}

static enum bgp_state state_of(const struct json_value *n)
{
	if (tree_is_on(json_value_get(n, "shutdown")) ||
		tree_is_on(json_value_get(n, "adminShutDown")))
		return BGP_ADMIN_DOWN;
	return bgp_state_by_name(tree_word(tree_either(n, "state", "bgpState")));
}

static uint64_t count_or_unknown(const struct json_value *v, const struct json_value *otherwise)
{
	uint64_t n;

	return json_value_u64(v, &n) || json_value_u64(otherwise, &n) ? n : UINT64_MAX;
}

static void add_session(struct obs *o, const char *vrf, const char *name,
	const struct json_value *n, const char *family, const struct json_value *counts)
{
	struct obs_bgp *b = obs_bgp(o, family_of(family), vrf, name,
		json_value_text_or(json_value_get(n, "hostname"), ""), state_of(n));
	uint64_t as;
	double up;

	if (!b) {
		o->bgp_whole = false;
		return;
	}
	b->remote_as =
		json_value_u64(tree_either(n, "remote-as", "remoteAs"), &as) && as <= UINT32_MAX
			? (uint32_t)as
			: 0;
	/* Bare numbers are milliseconds in both formats. */
	b->since_s = tree_duration_s(tree_either(n, "uptime", "bgpTimerUpMsec"), 1e-3, &up)
			     ? up
			     : (double)NAN;
	b->drops = count_or_unknown(tree_either(n, "connections-dropped", "connectionsDropped"),
		json_value_get(n, "dropped"));
	b->prefixes = count_or_unknown(tree_either(counts, "prefix-received", "accepted-prefixes"),
		json_value_get(counts, "acceptedPrefixCounter"));
}

static bool is_neighbor(const struct json_value *n)
{
	return tree_either(n, "state", "bgpState") != NULL;
}

static size_t read_neighbors(const struct json_value *all, const char *vrf, struct obs *o)
{
	size_t found = 0;

	for (json_value_members(n, all)) {
		const char *name = json_value_name(n);
		const struct json_value *families =
			tree_either(n, "address-family", "addressFamilyInfo");

		if (!*name || !is_neighbor(n))
			continue;
		found++;
		if (!json_value_size(families))
			add_session(o, vrf, name, n, "ipv4-unicast", NULL);
		for (json_value_members(counts, families))
			add_session(o, vrf, name, n, json_value_name(counts), counts);
	}
	return found;
}

size_t bgp_read_neighbors(const struct json_value *doc, struct obs *o)
{
	size_t found;

	o->bgp_whole = true;
	found = read_neighbors(doc, "default", o);
	for (json_value_members(v, doc))
		if (!is_neighbor(v))
			found += read_neighbors(v, json_value_name(v), o);
	return found;
}
