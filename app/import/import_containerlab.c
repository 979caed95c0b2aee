/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The topology file of containerlab, containerlab.dev/manual/topo-def-file: nodes with a kind and
 * an image, links with two endpoints "leaf1:e1-1" or {node: leaf1, interface: e1-1}.
 */
#include <string.h>

#include "app/config/yaml_map.h"
#include "app/import/import.h"
#include "base/str.h"

struct lab {
	struct import *im;
	yaml_document_t *doc;
	const yaml_node_t *topology;
	const char *name, *prefix; /* prefix NULL: containerlab's own, "clab" */
};

static const yaml_node_t *child_of(const struct lab *l, const char *part, const char *name)
{
	return yaml_map_get(l->doc, yaml_map_get(l->doc, l->topology, part), name);
}

/* A value of the node, of its group, of its kind, or of the defaults. */
static const char *value_of(
	const struct lab *l, const yaml_node_t *node, const char *kind, const char *key)
{
	const char *group = yaml_map_text(l->doc, node, "group");
	const yaml_node_t *const from[] = {node, *group ? child_of(l, "groups", group) : NULL,
		*kind ? child_of(l, "kinds", kind) : NULL,
		yaml_map_get(l->doc, l->topology, "defaults")};

	for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++) {
		const char *text = yaml_map_text(l->doc, from[i], key);

		if (*text)
			return text;
	}
	return "";
}

/* Nodes that are no devices: bridges of the machine, and networks outside of the lab. */
static bool is_device_kind(const char *kind)
{
	static const char *const others[] = {
		"bridge", "ovs-bridge", "host", "ext-container", "k8s-kind"};

	return !str_is_one_of(kind, others, sizeof(others) / sizeof(others[0]));
}

static void put_address(struct lab *l, size_t at, const char *name, const yaml_node_t *node)
{
	const char *ip = yaml_map_text(l->doc, node, "mgmt-ipv4");
	char container[NAME_MAX_LEN];

	if (!*ip)
		ip = yaml_map_text(l->doc, node, "mgmt_ipv4");
	if (*ip)
		import_address(l->im, at, ip);
	else if (!*l->name || (l->prefix && !*l->prefix))
		return;
	else if (str_printf(container, sizeof(container), "%s%s%s-%s",
			 l->prefix && str_eq(l->prefix, "__lab-name") ? ""
			 : l->prefix                                  ? l->prefix
								      : "clab",
			 l->prefix && str_eq(l->prefix, "__lab-name") ? "" : "-", l->name, name))
		import_address(l->im, at, container);
}

static void put_node(struct lab *l, const char *name, const yaml_node_t *node)
{
	const char *kind = value_of(l, node, "", "kind"), *image = value_of(l, node, kind, "image"),
		   *group = value_of(l, node, kind, "group");
	const char *dialect = import_dialect_of(kind);
	size_t at;

	if (!is_device_kind(kind)) {
		import_skip(l->im, "bridges and networks of the lab's machine", name);
		return;
	}
	at = import_device(l->im, name);
	if (at == SIZE_MAX)
		return;
	/* A switch's system may run in a container of the kind linux. */
	if (dialect && str_eq(dialect, "linux") && import_dialect_of(image))
		import_system(l->im, at, image);
	else
		import_system(l->im, at, kind);
	/* The kind states the system, also one that railtop has never heard of. */
	if (*kind && !dialect)
		l->im->said.at[at].is_foreign = true;
	if (!import_role(l->im, at, group, "its group in the topology"))
		(void)import_role(l->im, at, name, "by its name");
	put_address(l, at, name, node);
}

/* "leaf1:e1-1", or {node: leaf1, interface: e1-1}. False: it is none. */
static bool split_end(struct lab *l, const yaml_node_t *n, char *device, char *port)
{
	const char *text = yaml_scalar_text(n), *colon = strchr(text, ':');

	if (n->type == YAML_MAPPING_NODE)
		return str_copy(device, NAME_MAX_LEN, yaml_map_text(l->doc, n, "node")) &&
		       str_copy(port, NAME_MAX_LEN, yaml_map_text(l->doc, n, "interface")) &&
		       *device;
	if (!colon || !str_copyn(device, NAME_MAX_LEN, text, (size_t)(colon - text)))
		return false;
	for (colon++; *colon == ' '; colon++)
		;
	return str_copy(port, NAME_MAX_LEN, colon);
}

static void put_link(struct lab *l, const yaml_node_t *link)
{
	const yaml_node_t *ends = yaml_map_get(l->doc, link, "endpoints");
	char device[2][NAME_MAX_LEN], port[2][NAME_MAX_LEN];
	size_t n = 0, at[2];

	for (yaml_list_items(i, ends))
		if (n < 2 && split_end(l, yaml_document_get_node(l->doc, *i), device[n], port[n]))
			n++;
	if (n != 2) {
		import_skip(l->im, "links without two endpoints",
			n ? device[0] : yaml_map_text(l->doc, link, "type"));
		return;
	}
	for (n = 0; n < 2; n++) {
		const yaml_node_t *node = child_of(l, "nodes", device[n]);

		if (!node || !is_device_kind(value_of(l, node, "", "kind"))) {
			import_skip(l->im, "links that leave the lab", device[n]);
			return;
		}
		at[n] = import_device(l->im, device[n]);
	}
	import_link(l->im, at[0], port[0], at[1], port[1], 0);
}

static void read_lab(void *ctx, yaml_document_t *doc, const yaml_node_t *root)
{
	struct import *im = ctx;

	const yaml_node_t *prefix = yaml_map_get(doc, root, "prefix"), *nodes;
	struct lab l = {.im = im,
		.doc = doc,
		.topology = yaml_map_get(doc, root, "topology"),
		.name = yaml_map_text(doc, root, "name"),
		.prefix = prefix ? yaml_scalar_text(prefix) : NULL};

	nodes = yaml_map_get(doc, l.topology, "nodes");
	for (yaml_map_pairs(p, nodes))
		put_node(&l, yaml_scalar_text(yaml_document_get_node(doc, p->key)),
			yaml_document_get_node(doc, p->value));
	for (yaml_list_items(i, yaml_map_get(doc, l.topology, "links")))
		put_link(&l, yaml_document_get_node(doc, *i));
}

static bool read_containerlab(struct import *im, const char *text, size_t len, struct err *err)
{
	size_t before = im->d.devices.n;

	if (!yaml_map_read(im->file, text, len, read_lab, im, err))
		return false;
	if (im->d.devices.n > before)
		return true;
	(void)import_error(im, err, 0, "it has no topology: with nodes:");
	return err_cure(err, "the file that containerlab deploy -t takes: NAME.clab.yml");
}

const struct importer importer_containerlab = {
	.name = "containerlab",
	.help = "the topology file of containerlab, NAME.clab.yml",
	.read = read_containerlab,
};
