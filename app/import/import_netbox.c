/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers of the REST API of NetBox (2.x to 4.x) and Nautobot, in any order: /api/dcim/cables/,
 * /api/dcim/devices/, /api/dcim/interfaces/. A file may be one answer, several, or a list of
 * objects. An object tells its kind by its members. A device has device_type. A cable has
 * a_terminations (NetBox from 3.3), or termination_a and termination_a_id (before, and Nautobot).
 * An interface has device and name; its connected_endpoints lead through patch panels to the other
 * end. Ends without a name, as Nautobot sends them with depth=0, are looked up by their id.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/inventory/inventory.h"
#include "app/import/import.h"
#include "backends/parse/json_select.h"
#include "base/mem.h"
#include "base/str.h"

#define ENDS_MAX 64 /* of one side of a cable */

struct id {
	char text[48]; /* a number, or a UUID */
};

struct interface {
	size_t device; /* SIZE_MAX: only its id is known */
	struct id device_id;
	char port[NAME_MAX_LEN];
	unsigned mbps;
};

/* An end. The cable itself may not name its device. */
struct end {
	char device[NAME_MAX_LEN], port[NAME_MAX_LEN]; /* "": not named */
	struct id device_id, interface_id;
};

struct cable {
	struct end a, b;
};

struct netbox {
	VEC(struct cable) cables;
	VEC(struct interface) interfaces;
	VEC(size_t) devices;
	struct name_index *by_device, *by_interface; /* by id */
	bool needs_depth, has_panels;
};

static struct netbox *netbox_of(struct import *im)
{
	struct netbox *x = im->state;

	if (x)
		return x;
	x = im->state = mem_calloc(1, sizeof(*x));
	x->by_device = name_index_new();
	x->by_interface = name_index_new();
	return x;
}

static const char *text_at(const struct json_value *v, const char *path)
{
	return json_value_text_or(json_value_path(v, path), "");
}

static struct id id_of(const struct json_value *v)
{
	struct id id = {""};
	uint64_t n;

	if (json_value_text(v))
		(void)str_copy(id.text, sizeof(id.text), json_value_text(v));
	else if (json_value_u64(v, &n))
		(void)str_printf(id.text, sizeof(id.text), "%llu", (unsigned long long)n);
	return id;
}

/* ---- devices ---- */

/* A role, platform or status is a text, or an object with slug, value or name. */
static const char *word_of(const struct json_value *v)
{
	static const char *const keys[] = {"slug", "value", "name", "display"};

	if (json_value_text(v))
		return json_value_text(v);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (json_value_text(json_value_get(v, keys[i])))
			return json_value_text(json_value_get(v, keys[i]));
	return "";
}

static bool is_gone(const char *status)
{
	static const char *const words[] = {
		"planned", "decommissioning", "decommissioned", "retired", "inventory", "offline"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(status, words[i]) == 0)
			return true;
	return false;
}

static void put_rack(struct found *f, const struct json_value *device)
{
	const char *rack = text_at(device, "rack.name");
	double unit;

	if (!*rack)
		rack = text_at(device, "rack.display");
	(void)str_sanitise(f->rack, sizeof(f->rack), rack, strlen(rack));
	/* Half units exist: 14.5. */
	if (json_value_real(json_value_get(device, "position"), &unit) == NUMBER_OK && unit > 0 &&
		unit < 1000)
		(void)str_printf(f->unit, sizeof(f->unit), "%g", unit);
}

static void put_device(struct import *im, const struct json_value *v)
{
	struct netbox *x = netbox_of(im);
	const char *name = text_at(v, "name"), *role, *address;
	struct id id = id_of(json_value_get(v, "id"));
	unsigned taken;
	size_t at;

	if (!*name) {
		import_skip(im, "devices without a name", id.text);
		return;
	}
	if (is_gone(word_of(json_value_get(v, "status")))) {
		import_skip(im, "devices that are planned or out of use", name);
		return;
	}
	at = import_device(im, name);
	if (at == SIZE_MAX)
		return;
	if (id.text[0] && name_index_add(x->by_device, id.text, (unsigned)x->devices.n, &taken))
		vec_push(&x->devices, at);
	role = word_of(json_value_get(v, "role"));
	if (!*role)
		role = word_of(json_value_get(v, "device_role"));
	if (!import_role(im, at, role, "its role in the inventory system"))
		im->said.at[at].needs_cable = true;
	import_system(im, at, word_of(json_value_get(v, "platform")));
	if (!im->d.devices.at[at].dialect[0] && !im->said.at[at].is_foreign &&
		import_dialect_of(text_at(v, "device_type.manufacturer.name")))
		import_system(im, at, text_at(v, "device_type.manufacturer.name"));
	address = text_at(v, "primary_ip4.address");
	if (!*address)
		address = text_at(v, "primary_ip.address");
	if (!*address)
		address = text_at(v, "oob_ip.address");
	import_address(im, at, address);
	put_rack(&im->d.devices.at[at], v);
}

/* ---- interfaces ---- */

static unsigned speed_of(const struct json_value *v)
{
	const char *type = word_of(json_value_get(v, "type"));
	uint64_t kbps;

	if (json_value_u64(json_value_get(v, "speed"), &kbps) && kbps >= 1000000 &&
		kbps <= UINT64_C(10000000000))
		return (unsigned)(kbps / 1000);
	return import_speed(type);
}

/* The first end behind the cable, through panels. */
static const struct json_value *far_end(const struct json_value *v)
{
	static const char *const lists[] = {"connected_endpoints", "link_peers"};
	static const char *const single[] = {"connected_endpoint", "cable_peer", "link_peer"};

	for (size_t i = 0; i < 2; i++)
		if (json_value_length(json_value_get(v, lists[i])))
			return json_value_at(json_value_get(v, lists[i]), 0);
	for (size_t i = 0; i < 3; i++)
		if (json_value_is(json_value_get(v, single[i]), DV_OBJECT))
			return json_value_get(v, single[i]);
	return NULL;
}

static void put_interface(struct import *im, const struct json_value *v)
{
	struct netbox *x = netbox_of(im);
	const struct json_value *far = far_end(v);
	const char *device = text_at(v, "device.name"), *peer = text_at(far, "device.name");
	struct id id = id_of(json_value_get(v, "id"));
	struct interface i = {.device = SIZE_MAX, .mbps = speed_of(v)};
	unsigned taken;

	if (json_value_is(json_value_get(v, "mgmt_only"), DV_TRUE)) {
		import_skip(im, "interfaces for management only", text_at(v, "name"));
		return;
	}
	(void)str_copy(i.port, sizeof(i.port), text_at(v, "name"));
	i.device_id = id_of(json_value_path(v, "device.id"));
	if (*device)
		i.device = import_device(im, device);
	/* One that a device export did not state is part of the fabric by its cable only. */
	if (i.device != SIZE_MAX && im->said.at[i.device].kind == IMPORT_OPEN)
		im->said.at[i.device].needs_cable = true;
	if (id.text[0] &&
		name_index_add(x->by_interface, id.text, (unsigned)x->interfaces.n, &taken))
		vec_push(&x->interfaces, i);
	if (*device && *peer && *text_at(far, "name"))
		import_link(im, i.device, i.port, import_device(im, peer), text_at(far, "name"),
			i.mbps);
}

/* ---- cables ---- */

static bool is_interface_type(const char *type)
{
	return !*type || str_eq(type, "dcim.interface");
}

static bool is_panel_type(const char *type)
{
	return str_eq(type, "dcim.frontport") || str_eq(type, "dcim.rearport");
}

/* From "object" of NetBox, or from termination_a of Nautobot and older releases. */
static struct end end_of(const struct json_value *object, const struct json_value *id)
{
	struct end e = {.interface_id = id_of(id)};

	(void)str_copy(e.device, sizeof(e.device), text_at(object, "device.name"));
	(void)str_copy(e.port, sizeof(e.port), text_at(object, "name"));
	e.device_id = id_of(json_value_path(object, "device.id"));
	if (!e.interface_id.text[0])
		e.interface_id = id_of(json_value_get(object, "id"));
	return e;
}

/* False: a side that is no network interface. */
static bool side_of(
	struct import *im, const struct json_value *cable, char side, struct end *out, size_t *n)
{
	char list[24], type_key[24], id_key[24], object_key[24];
	const struct json_value *ends;

	(void)str_printf(list, sizeof(list), "%c_terminations", side);
	(void)str_printf(type_key, sizeof(type_key), "termination_%c_type", side);
	(void)str_printf(id_key, sizeof(id_key), "termination_%c_id", side);
	(void)str_printf(object_key, sizeof(object_key), "termination_%c", side);
	ends = json_value_get(cable, list);
	*n = 0;
	if (!ends) {
		const char *type = text_at(cable, type_key);

		netbox_of(im)->has_panels |= is_panel_type(type);
		out[(*n)++] =
			end_of(json_value_get(cable, object_key), json_value_get(cable, id_key));
		return is_interface_type(type);
	}
	for (json_value_items(e, ends)) {
		const char *type = text_at(e, "object_type");

		netbox_of(im)->has_panels |= is_panel_type(type);
		if (!is_interface_type(type))
			return false;
		if (*n < ENDS_MAX)
			out[(*n)++] =
				end_of(json_value_get(e, "object"), json_value_get(e, "object_id"));
	}
	return *n > 0;
}

static void put_cable(struct import *im, const struct json_value *v)
{
	struct netbox *x = netbox_of(im);
	struct end a[ENDS_MAX], b[ENDS_MAX];
	struct id id = id_of(json_value_get(v, "id"));
	size_t na, nb;

	if (is_gone(word_of(json_value_get(v, "status")))) {
		import_skip(im, "cables that are planned or out of use", id.text);
		return;
	}
	if (!side_of(im, v, 'a', a, &na) || !side_of(im, v, 'b', b, &nb)) {
		import_skip(im, "cables that end at no network interface", id.text);
		return;
	}
	/* A breakout cable leads from one port to several: the table has one cable for a port. */
	if (na != nb)
		import_skip(im, "further ends of breakout cables", id.text);
	for (size_t i = 0; i < na && i < nb; i++)
		vec_push(&x->cables, (struct cable){a[i], b[i]});
}

/* ---- documents ---- */

static bool put_object(struct import *im, const struct json_value *v)
{
	if (json_value_get(v, "device_type"))
		put_device(im, v);
	else if (json_value_get(v, "a_terminations") || json_value_get(v, "termination_a_id") ||
		 json_value_get(v, "termination_a"))
		put_cable(im, v);
	else if (json_value_get(v, "device") && json_value_text(json_value_get(v, "name")))
		put_interface(im, v);
	else
		return false;
	return true;
}

/* An answer has its objects in "results", which may be one page of several. */
static size_t put_document(struct import *im, const struct json_value *doc)
{
	const struct json_value *list = json_value_get(doc, "results");
	size_t taken = 0;

	if (json_value_is(doc, DV_ARRAY))
		list = doc;
	if (!json_value_is(list, DV_ARRAY))
		return put_object(im, doc);
	for (json_value_items(v, list))
		taken += put_object(im, v);
	if (json_value_text(json_value_get(doc, "next")))
		import_skip(im, "further pages of an answer: ask with ?limit=0, or give every page",
			im->file);
	return taken + !json_value_length(list);
}

static bool read_netbox(struct import *im, const char *text, size_t len, struct err *err)
{
	struct json_value *doc;
	size_t at = 0, taken = 0;
	struct err why = {0};

	while ((doc = json_value_parse_next(text, len, &at, im->file, &why))) {
		taken += put_document(im, doc);
		free(doc);
	}
	if (why.code) {
		if (err)
			*err = why;
		return false;
	}
	if (taken)
		return true;
	(void)import_error(
		im, err, 0, "it has no cables, devices or interfaces of NetBox or Nautobot");
	return err_cure(err,
		"curl -H 'Authorization: Token ...' https://NETBOX/api/dcim/cables/?limit=0; "
		"of Nautobot with &depth=1");
}

/* ---- after all files ---- */

/* Looks up names that the cable does not have. */
static size_t resolve_end(struct import *im, struct end *e)
{
	struct netbox *x = im->state;
	struct id device = e->device_id;
	unsigned n;

	if (e->interface_id.text[0] && name_index_find(x->by_interface, e->interface_id.text, &n)) {
		const struct interface *i = &x->interfaces.at[n];

		if (!e->port[0])
			(void)str_copy(e->port, sizeof(e->port), i->port);
		if (!e->device[0] && i->device != SIZE_MAX)
			return i->device;
		if (!device.text[0])
			device = i->device_id;
	}
	if (e->device[0])
		return import_device(im, e->device);
	if (device.text[0] && name_index_find(x->by_device, device.text, &n))
		return x->devices.at[n];
	x->needs_depth = true;
	return SIZE_MAX;
}

static void finish_netbox(struct import *im)
{
	struct netbox *x = im->state;

	if (!x)
		return;
	for (size_t i = 0; i < x->cables.n; i++) {
		struct cable *c = &x->cables.at[i];
		size_t a = resolve_end(im, &c->a), b = resolve_end(im, &c->b);

		if (a == SIZE_MAX || b == SIZE_MAX)
			import_skip(im,
				"cables whose ends have ids only: ask with &depth=1, or give "
				"devices "
				"and interfaces as well",
				c->a.interface_id.text);
		else
			import_link(im, a, c->a.port, b, c->b.port, 0);
	}
	if (x->has_panels)
		import_skip(im,
			"cables of patch panels: /api/dcim/interfaces/?cabled=true&limit=0 leads "
			"through them",
			"front and rear ports");
	vec_free(&x->cables);
	vec_free(&x->interfaces);
	vec_free(&x->devices);
	name_index_free(x->by_device);
	name_index_free(x->by_interface);
	free(x);
	im->state = NULL;
}

const struct importer importer_netbox = {
	.name = "netbox",
	.help = "cables, devices and interfaces of NetBox or Nautobot: files of their REST API",
	.read = read_netbox,
	.finish = finish_netbox,
};
