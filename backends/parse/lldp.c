/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/lldp.h"

#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "fabric/vocabulary/mac.h"

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

/* What devices print for a TLV that the neighbour did not send. */
static bool is_absent(const char *text)
{
	static const char *const words[] = {"null", "not advertised", "unspecified", "(none)",
		"none", "n/a", "-", "--", "not received", "unknown", "not available"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(text, words[i]) == 0)
			return true;
	return false;
}

/* Copies a text without blanks and quotes around it, a MAC in its usual form; "" if absent. */
static const char *clean(const char *text, char *dst, size_t size)
{
	size_t n;

	dst[0] = '\0';
	if (!text)
		return dst;
	text += strspn(text, " \t");
	n = strlen(text);
	while (n && strchr(" \t\r\n", text[n - 1]))
		n--;
	if (n >= 2 && text[0] == '"' && text[n - 1] == '"') {
		text++;
		n -= 2;
	}
	(void)str_copyn(dst, size, text, n < size ? n : size - 1);
	if (is_absent(dst))
		dst[0] = '\0';
	return dst;
}

static void name_as_mac(char *text, size_t size)
{
	char mac[MAC_TEXT];

	if (mac_read(text, mac))
		(void)str_copy(text, size, mac);
}

/* "Interface  28 as enp154s0", of lldpad on a host: the name behind it. */
static void strip_interface(char *desc)
{
	const char *as = strstr(desc, " as ");

	if (as && str_starts(desc, "Interface "))
		memmove(desc, as + 4, strlen(as + 4) + 1);
}

/* A description with blanks is a sentence by an operator, not an interface name. */
static bool is_name(const char *desc)
{
	return *desc && !strpbrk(desc, " \t");
}

/* An index among the neighbour's interfaces means nothing to others. */
static bool is_index(const char *id)
{
	return *id && strspn(id, "0123456789") == strlen(id);
}

static bool is_desc_better(enum lldp_kind kind, const char *id, const char *desc)
{
	if (!*id || !is_name(desc))
		return !*id;
	return kind == LLDP_ID_MAC || (kind == LLDP_ID_OTHER && is_index(id));
}

bool lldp_add(struct obs *o, uint32_t port, const struct lldp_peer *peer)
{
	char name[NAME_MAX_LEN], id[NAME_MAX_LEN], desc[NAME_MAX_LEN], more[256];
	bool by_desc;

	clean(peer->port_id, id, sizeof(id));
	clean(peer->port_desc, desc, sizeof(desc));
	strip_interface(desc);
	name_as_mac(id, sizeof(id));
	by_desc = is_desc_better(peer->id_kind, id, desc);
	if (!*clean(peer->device, name, sizeof(name))) {
		clean(peer->chassis_id, name, sizeof(name));
		name_as_mac(name, sizeof(name));
	}
	if (!*name && mac_is(id))
		(void)str_copy(name, sizeof(name), id);
	if (!*name)
		return false;
	obs_lldp(o, port, name, by_desc ? desc : id);
	if (*id && is_name(desc) && !str_eq(id, desc))
		obs_word(o, port, ATTR_LLDP_PORT, 0, by_desc ? id : desc);
	/* Some print a list of addresses. */
	clean(peer->mgmt, more, sizeof(more));
	more[strcspn(more, ",")] = '\0';
	if (*more)
		obs_word(o, port, ATTR_LLDP_MGMT, 0, more);
	if (*clean(peer->descr, more, sizeof(more)))
		obs_word(o, port, ATTR_LLDP_DESCR, 0, more);
	return true;
}

/* json0 wraps each value in [{"value": x}]; json has x or {"value": x}. */
static const char *value_of(const struct json_value *v)
{
	if (json_value_is(v, DV_ARRAY))
		v = json_value_at(v, 0);
	if (json_value_is(v, DV_OBJECT))
		v = json_value_get(v, "value");
	return json_value_text_or(v, "");
}

static const struct json_value *first_item(const struct json_value *v)
{
	return json_value_is(v, DV_ARRAY) ? json_value_at(v, 0) : v;
}

/* json0: chassis[0].name[0].value; json: the name is the key of the only member. */
static const char *system_name(const struct json_value *chassis)
{
	const char *name = value_of(json_value_get(first_item(chassis), "name"));

	if (*name || !json_value_is(chassis, DV_OBJECT) || json_value_get(chassis, "id"))
		return name;
	return json_value_name(json_value_first(chassis, DV_OBJECT));
}

/* json0: chassis[0]; json: the only member, or the chassis itself if it has no name. */
static const struct json_value *chassis_of(const struct json_value *chassis)
{
	if (json_value_is(chassis, DV_OBJECT) && !json_value_get(chassis, "id"))
		return json_value_first(chassis, DV_OBJECT);
	return first_item(chassis);
}

static unsigned cap_of(const struct json_value *c)
{
	static const struct {
		const char *name;
		unsigned bit;
	} names[] = {{"Bridge", LLDP_CAP_BRIDGE}, {"Router", LLDP_CAP_ROUTER},
		{"Station", LLDP_CAP_STATION}};
	const char *type = json_value_text_or(json_value_get(c, "type"), "");
	bool on = json_value_is(json_value_get(c, "enabled"), DV_TRUE);

	for (size_t i = 0; on && i < sizeof(names) / sizeof(names[0]); i++)
		if (str_eq(type, names[i].name))
			return names[i].bit;
	return 0;
}

unsigned lldp_chassis_caps(const struct json_value *chassis)
{
	const struct json_value *list = json_value_get(chassis_of(chassis), "capability");
	unsigned caps = 0;

	/* A single one collapses in the format json. */
	if (json_value_is(list, DV_OBJECT))
		return cap_of(list);
	for (json_value_items(c, list))
		caps |= cap_of(c);
	return caps;
}

unsigned lldp_own_caps(const struct json_value *doc)
{
	return lldp_chassis_caps(
		json_value_get(first_item(json_value_get(doc, "local-chassis")), "chassis"));
}

static void walk_one(const char *local, const struct json_value *e,
	void (*each)(void *, const char *, const struct lldp_peer *), void *ctx)
{
	const struct json_value *port = first_item(json_value_get(e, "port")),
				*id = first_item(json_value_get(port, "id"));
	const struct json_value *chassis = chassis_of(json_value_get(e, "chassis"));
	struct lldp_peer peer = {
		.device = system_name(json_value_get(e, "chassis")),
		.chassis_id = value_of(json_value_get(chassis, "id")),
		.port_id = value_of(id),
		.port_desc = value_of(json_value_get(port, "descr")),
		.id_kind = lldp_kind_of_name(json_value_text_or(json_value_get(id, "type"), "")),
		.mgmt = value_of(json_value_get(chassis, "mgmt-ip")),
		.descr = value_of(json_value_get(chassis, "descr")),
		.caps = lldp_chassis_caps(json_value_get(e, "chassis")),
	};

	if (*local && (*peer.device || *peer.chassis_id))
		each(ctx, local, &peer);
}

static void walk_interface(const struct json_value *e,
	void (*each)(void *, const char *, const struct lldp_peer *), void *ctx)
{
	const char *name = json_value_text(json_value_get(e, "name"));

	if (name) {
		walk_one(name, e, each, ctx);
		return;
	}
	for (json_value_members(v, e))
		walk_one(json_value_name(v), v, each, ctx);
}

void lldp_walk(const struct json_value *doc,
	void (*each)(void *ctx, const char *local, const struct lldp_peer *peer), void *ctx)
{
	const struct json_value *list =
		json_value_get(first_item(json_value_get(doc, "lldp")), "interface");

	if (json_value_is(list, DV_OBJECT))
		walk_interface(list, each, ctx);
	for (json_value_items(e, list))
		walk_interface(e, each, ctx);
}
