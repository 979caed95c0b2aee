/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse_bgp_neighbors.h"

#include <math.h>
#include <string.h>

#include "backends/parse_tree.h"
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

static enum bgp_state state_of(const json_t *n)
{
	if (tree_is_on(pj_get(n, "shutdown")) || tree_is_on(pj_get(n, "adminShutDown")))
		return BGP_ADMIN_DOWN;
	return bgp_state_by_name(tree_word(tree_either(n, "state", "bgpState")));
}

static uint64_t count_or_unknown(const json_t *v, const json_t *otherwise)
{
	uint64_t n;

	return pj_u64(v, &n) || pj_u64(otherwise, &n) ? n : UINT64_MAX;
}

static void session(struct obs *o, const char *vrf, const char *name, const json_t *n,
	const char *family, const json_t *counts)
{
	struct obs_bgp *b = obs_bgp(o, family_of(family), vrf, name,
		pj_text_or(pj_get(n, "hostname"), ""), state_of(n));
	uint64_t as;
	double up;

	if (!b) {
		o->bgp_whole = false;
		return;
	}
	b->remote_as = pj_u64(tree_either(n, "remote-as", "remoteAs"), &as) && as <= UINT32_MAX
			       ? (uint32_t)as
			       : 0;
	/* Bare numbers are milliseconds in both. */
	b->since_s = tree_duration_s(tree_either(n, "uptime", "bgpTimerUpMsec"), 1e-3, &up)
			     ? up
			     : (double)NAN;
	b->drops = count_or_unknown(
		tree_either(n, "connections-dropped", "connectionsDropped"), pj_get(n, "dropped"));
	b->prefixes = count_or_unknown(tree_either(counts, "prefix-received", "accepted-prefixes"),
		pj_get(counts, "acceptedPrefixCounter"));
}

static bool is_neighbor(const json_t *n)
{
	return tree_either(n, "state", "bgpState") != NULL;
}

static size_t neighbors(const json_t *all, const char *vrf, struct obs *o)
{
	const char *name, *family;
	json_t *n, *counts;
	size_t found = 0;

	json_object_foreach((json_t *)all, name, n)
	{
		const json_t *families = tree_either(n, "address-family", "addressFamilyInfo");

		if (!*name || !is_neighbor(n))
			continue;
		found++;
		if (!json_object_size(families))
			session(o, vrf, name, n, "ipv4-unicast", NULL);
		json_object_foreach((json_t *)families, family, counts)
			session(o, vrf, name, n, family, counts);
	}
	return found;
}

size_t bgp_read_neighbors(const json_t *doc, struct obs *o)
{
	const char *name;
	json_t *v;
	size_t found;

	o->bgp_whole = true;
	found = neighbors(doc, "default", o);
	json_object_foreach((json_t *)doc, name, v) if (!is_neighbor(v)) found +=
		neighbors(v, name, o);
	return found;
}
