/* SPDX-License-Identifier: Apache-2.0 */
#include "app/config/yaml_map.h"

#include <string.h>

#include "app/inventory/inventory_yaml_schema.h"
#include "base/str.h"

struct reading {
	yaml_map_fn *read;
	void *ctx;
};

static void read_document(yaml_document_t *doc, struct problems *problems, void *ctx)
{
	struct reading *r = ctx;
	const yaml_node_t *root = yaml_document_get_root_node(doc);

	(void)problems;
	if (root)
		r->read(r->ctx, doc, root);
}

static void keep_first(void *ctx, const struct err *problem)
{
	struct err *first = ctx;

	if (first && first->code == ERR_NONE)
		*first = *problem;
}

bool yaml_map_read(const char *file, const char *text, size_t len, yaml_map_fn *read, void *ctx,
	struct err *err)
{
	struct problems problems = {.file = file};
	struct reading r = {read, ctx};

	yaml_with_document(text, len, &problems, read_document, &r);
	return problems_report(&problems, keep_first, err);
}

const char *yaml_scalar_text(const yaml_node_t *n)
{
	return n && n->type == YAML_SCALAR_NODE ? (const char *)n->data.scalar.value : "";
}

static const yaml_node_t *find_key(yaml_document_t *doc, const yaml_node_t *map, const char *key)
{
	for (yaml_map_pairs(p, map))
		if (str_eq(yaml_scalar_text(yaml_document_get_node(doc, p->key)), key))
			return yaml_document_get_node(doc, p->value);
	return NULL;
}

const yaml_node_t *yaml_map_get(yaml_document_t *doc, const yaml_node_t *map, const char *key)
{
	const yaml_node_t *found = find_key(doc, map, key);

	return found ? found : find_key(doc, find_key(doc, map, "<<"), key);
}
