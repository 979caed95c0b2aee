/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tenants of ports by `ip -j -d link`: the VRF that a port, a VLAN on it or the bond that it
 * belongs to is a member of. A bridged port tells no VRF, and the uplink of a VTEP passes the
 * frames of all: of those nothing is said, unless the switch has neither a VRF nor a VXLAN.
 */
#include <string.h>

#include "backends/dialects/linux/switch.h"
#include "base/str.h"

#define VRFS_MOST                                                                                  \
	1024 /* members that are looked at; a lookup of each costs a walk over the ports */

static const char *text_of(const struct json_value *link, const char *key)
{
	return json_value_text_or(json_value_get(link, key), "");
}

static const char *kind_of(const struct json_value *link, const char *which)
{
	return json_value_text_or(json_value_get(json_value_get(link, "linkinfo"), which), "");
}

/* Adds the name to the words of the port, once. */
static void add_vrf(struct sw *s, const char *netdev, const char *vrf)
{
	struct sw_port *p = sw_more(s, netdev);
	size_t n, len = strlen(vrf);

	if (!p)
		return;
	for (const char *at = p->vrfs; (at = strstr(at, vrf)); at += len)
		if ((at == p->vrfs || at[-1] == ' ') && (!at[len] || at[len] == ';'))
			return;
	n = strlen(p->vrfs);
	(void)str_printf(p->vrfs + n, sizeof(p->vrfs) - n, "%s%s", n ? "; " : "", vrf);
}

/* The VRF counts for the port, or for all members of the bond, of that name. */
static void add_to_carrier(
	struct sw *s, const struct json_value *list, const char *name, const char *vrf)
{
	add_vrf(s, name, vrf);
	for (json_value_items(v, list)) {
		if (str_eq(text_of(v, "master"), name) &&
			str_eq(kind_of(v, "info_slave_kind"), "bond"))
			add_vrf(s, text_of(v, "ifname"), vrf);
	}
}

/* A management VRF leads away from the fabric. */
static bool is_tenant(const char *vrf)
{
	return *vrf && !str_eq(vrf, "mgmt") && !str_eq(vrf, "default");
}

void sw_tenants(struct sw *s, const struct json_value *list)
{
	unsigned members = 0;
	bool overlay = false;

	for (json_value_items(v, list)) {
		const char *vrf = text_of(v, "master");

		overlay |= str_eq(kind_of(v, "info_kind"), "vxlan");
		if (!str_eq(kind_of(v, "info_slave_kind"), "vrf") || !is_tenant(vrf) ||
			members++ >= VRFS_MOST)
			continue;
		overlay = true;
		if (str_eq(kind_of(v, "info_kind"), "vlan"))
			add_to_carrier(s, list, text_of(v, "link"), vrf);
		else
			add_to_carrier(s, list, text_of(v, "ifname"), vrf);
	}
	for (size_t i = 0; i < s->h.ports.n; i++)
		if (!overlay || s->more.at[i].vrfs[0])
			obs_word(
				s->h.o, s->h.ports.at[i]->port, ATTR_TENANT, 0, s->more.at[i].vrfs);
}
