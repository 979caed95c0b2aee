/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/lldp.h"

#include <string.h>

#include "base/str.h"

enum lldp_kind lldp_kind_of_subtype(const char *subtype)
{
	if (str_eq(subtype, "5"))
		return LLDP_ID_IFNAME;
	return str_eq(subtype, "3") ? LLDP_ID_MAC : LLDP_ID_OTHER;
}

enum lldp_kind lldp_kind_of_name(const char *name)
{
	if (str_eq(name, "ifname") || str_eq(name, "interfaceName"))
		return LLDP_ID_IFNAME;
	return str_eq(name, "mac") || str_eq(name, "macAddress") ? LLDP_ID_MAC : LLDP_ID_OTHER;
}

const char *lldp_peer_port(const struct lldp_peer *peer)
{
	if (peer->id_kind == LLDP_ID_IFNAME || !*peer->port_desc)
		return peer->port_id;
	/* A description with blanks is a sentence by an operator, not an interface name. */
	if (strchr(peer->port_desc, ' ') && *peer->port_id && peer->id_kind == LLDP_ID_OTHER)
		return peer->port_id;
	return peer->port_desc;
}

/* json0 wraps each value in [{"value": x}]; json has x or {"value": x}. */
static const char *value_of(const struct dv *v)
{
	if (dv_is(v, DV_ARRAY))
		v = dv_at(v, 0);
	if (dv_is(v, DV_OBJECT))
		v = dv_get(v, "value");
	return dv_text_or(v, "");
}

static const struct dv *first_item(const struct dv *v)
{
	return dv_is(v, DV_ARRAY) ? dv_at(v, 0) : v;
}

/* json0: chassis[0].name[0].value; json: the name is the key of the only member. */
static const char *system_name(const struct dv *chassis)
{
	const char *name = value_of(dv_get(first_item(chassis), "name"));

	if (*name || !dv_is(chassis, DV_OBJECT) || dv_get(chassis, "id"))
		return name;
	return dv_name(dv_first(chassis, DV_OBJECT));
}

/* json0: chassis[0]; json: the only member, or the chassis itself if it has no name. */
static const struct dv *chassis_of(const struct dv *chassis)
{
	if (dv_is(chassis, DV_OBJECT) && !dv_get(chassis, "id"))
		return dv_first(chassis, DV_OBJECT);
	return first_item(chassis);
}

static void walk_one(const char *local, const struct dv *e,
	void (*each)(void *, const char *, const struct lldp_peer *), void *ctx)
{
	const struct dv *port = first_item(dv_get(e, "port")), *id = first_item(dv_get(port, "id"));
	const struct dv *chassis = chassis_of(dv_get(e, "chassis"));
	struct lldp_peer peer = {
		.device = system_name(dv_get(e, "chassis")),
		.port_id = value_of(id),
		.port_desc = value_of(dv_get(port, "descr")),
		.id_kind = lldp_kind_of_name(dv_text_or(dv_get(id, "type"), "")),
		.mgmt = value_of(dv_get(chassis, "mgmt-ip")),
		.descr = value_of(dv_get(chassis, "descr")),
	};

	if (*local && *peer.device)
		each(ctx, local, &peer);
}

static void walk_interface(
	const struct dv *e, void (*each)(void *, const char *, const struct lldp_peer *), void *ctx)
{
	const char *name = dv_text(dv_get(e, "name"));

	if (name) {
		walk_one(name, e, each, ctx);
		return;
	}
	for (dv_members(v, e))
		walk_one(dv_name(v), v, each, ctx);
}

void lldp_walk(const struct dv *doc,
	void (*each)(void *ctx, const char *local, const struct lldp_peer *peer), void *ctx)
{
	const struct dv *list = dv_get(first_item(dv_get(doc, "lldp")), "interface");

	if (dv_is(list, DV_OBJECT))
		walk_interface(list, each, ctx);
	for (dv_items(e, list))
		walk_interface(e, each, ctx);
}
