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

static enum bgp_state state_of(const struct dv *n)
{
	if (tree_is_on(dv_get(n, "shutdown")) || tree_is_on(dv_get(n, "adminShutDown")))
		return BGP_ADMIN_DOWN;
	return bgp_state_by_name(tree_word(tree_either(n, "state", "bgpState")));
}

static uint64_t count_or_unknown(const struct dv *v, const struct dv *otherwise)
{
	uint64_t n;

	return dv_u64(v, &n) || dv_u64(otherwise, &n) ? n : UINT64_MAX;
}

static void add_session(struct obs *o, const char *vrf, const char *name, const struct dv *n,
	const char *family, const struct dv *counts)
{
	struct obs_bgp *b = obs_bgp(o, family_of(family), vrf, name,
		dv_text_or(dv_get(n, "hostname"), ""), state_of(n));
	uint64_t as;
	double up;

	if (!b) {
		o->bgp_whole = false;
		return;
	}
	b->remote_as = dv_u64(tree_either(n, "remote-as", "remoteAs"), &as) && as <= UINT32_MAX
			       ? (uint32_t)as
			       : 0;
	/* Bare numbers are milliseconds in both formats. */
	b->since_s = tree_duration_s(tree_either(n, "uptime", "bgpTimerUpMsec"), 1e-3, &up)
			     ? up
			     : (double)NAN;
	b->drops = count_or_unknown(
		tree_either(n, "connections-dropped", "connectionsDropped"), dv_get(n, "dropped"));
	b->prefixes = count_or_unknown(tree_either(counts, "prefix-received", "accepted-prefixes"),
		dv_get(counts, "acceptedPrefixCounter"));
}

static bool is_neighbor(const struct dv *n)
{
	return tree_either(n, "state", "bgpState") != NULL;
}

static size_t read_neighbors(const struct dv *all, const char *vrf, struct obs *o)
{
	size_t found = 0;

	for (dv_members(n, all)) {
		const char *name = dv_name(n);
		const struct dv *families = tree_either(n, "address-family", "addressFamilyInfo");

		if (!*name || !is_neighbor(n))
			continue;
		found++;
		if (!dv_size(families))
			add_session(o, vrf, name, n, "ipv4-unicast", NULL);
		for (dv_members(counts, families))
			add_session(o, vrf, name, n, dv_name(counts), counts);
	}
	return found;
}

size_t bgp_read_neighbors(const struct dv *doc, struct obs *o)
{
	size_t found;

	o->bgp_whole = true;
	found = read_neighbors(doc, "default", o);
	for (dv_members(v, doc))
		if (!is_neighbor(v))
			found += read_neighbors(v, dv_name(v), o);
	return found;
}
