/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse_lldp.h"

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
	/* A description with blanks is a sentence somebody wrote, not an interface name. */
	if (strchr(peer->port_desc, ' ') && *peer->port_id && peer->id_kind == LLDP_ID_OTHER)
		return peer->port_id;
	return peer->port_desc;
}

/* json0 wraps each value in [{"value": x}], json gives x or {"value": x}. */
static const char *value_of(const json_t *v)
{
	if (json_is_array(v))
		v = pj_at(v, 0);
	if (json_is_object(v))
		v = pj_get(v, "value");
	return pj_text_or(v, "");
}

static const json_t *first(const json_t *v)
{
	return json_is_array(v) ? pj_at(v, 0) : v;
}

/* json0: chassis[0].name[0].value; json: the name is the key of the only member. */
static const char *system_name(const json_t *chassis)
{
	const char *name = value_of(pj_get(first(chassis), "name"));

	if (*name || !json_is_object(chassis) || pj_get(chassis, "id"))
		return name;
	name = json_object_iter_key(json_object_iter((json_t *)chassis));
	return name ? name : "";
}

/* json0: chassis[0]; json: the only member, or the chassis itself where it sends no name. */
static const json_t *chassis_of(const json_t *chassis)
{
	if (json_is_object(chassis) && !pj_get(chassis, "id"))
		return json_object_iter_value(json_object_iter((json_t *)chassis));
	return first(chassis);
}

static void walk_one(const char *local, const json_t *e,
	void (*each)(void *, const char *, const struct lldp_peer *), void *ctx)
{
	const json_t *port = first(pj_get(e, "port")), *id = first(pj_get(port, "id"));
	const json_t *chassis = chassis_of(pj_get(e, "chassis"));
	struct lldp_peer peer = {
		.device = system_name(pj_get(e, "chassis")),
		.port_id = value_of(id),
		.port_desc = value_of(pj_get(port, "descr")),
		.id_kind = lldp_kind_of_name(pj_text_or(pj_get(id, "type"), "")),
		.mgmt = value_of(pj_get(chassis, "mgmt-ip")),
		.descr = value_of(pj_get(chassis, "descr")),
	};

	if (*local && *peer.device)
		each(ctx, local, &peer);
}

static void walk_interface(
	const json_t *e, void (*each)(void *, const char *, const struct lldp_peer *), void *ctx)
{
	const char *name = pj_text(pj_get(e, "name"));
	const char *key;
	json_t *v;

	if (name) {
		walk_one(name, e, each, ctx);
		return;
	}
	json_object_foreach((json_t *)e, key, v) walk_one(key, v, each, ctx);
}

void lldp_walk(const json_t *doc,
	void (*each)(void *ctx, const char *local, const struct lldp_peer *peer), void *ctx)
{
	const json_t *list = pj_get(first(pj_get(doc, "lldp")), "interface"), *e;
	size_t i;

	if (json_is_object(list))
		walk_interface(list, each, ctx);
	json_array_foreach((json_t *)list, i, e)
	{
		walk_interface(e, each, ctx);
	}
}
