/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONFIG_YAML_MAP_H
#define APP_CONFIG_YAML_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include "base/err.h"

/* YAML documents of other programs; keys are only looked up. */

typedef void yaml_map_fn(void *ctx, yaml_document_t *doc, const yaml_node_t *root);
/* Calls read with the root. False with err: no YAML, or beyond the limits of an inventory. */
bool yaml_map_read(const char *file, const char *text, size_t len, yaml_map_fn *read, void *ctx,
	struct err *err);

/* The value of a key, also through "<<"; NULL: none, or no map. */
const yaml_node_t *yaml_map_get(yaml_document_t *doc, const yaml_node_t *map, const char *key);
/* A scalar's text; "" for others. */
const char *yaml_scalar_text(const yaml_node_t *n);
static inline const char *yaml_map_text(
	yaml_document_t *doc, const yaml_node_t *map, const char *key)
{
	return yaml_scalar_text(yaml_map_get(doc, map, key));
}

/* for (yaml_map_pairs(p, node)): none unless it is a map. */
#define yaml_map_pairs(p, node)                                                                    \
	const yaml_node_pair_t *p = (node) && (node)->type == YAML_MAPPING_NODE                    \
					    ? (node)->data.mapping.pairs.start                     \
					    : NULL;                                                \
	p &&p < (node)->data.mapping.pairs.top;                                                    \
	p++
#define yaml_list_items(i, node)                                                                   \
	const yaml_node_item_t *i = (node) && (node)->type == YAML_SEQUENCE_NODE                   \
					    ? (node)->data.sequence.items.start                    \
					    : NULL;                                                \
	i &&i < (node)->data.sequence.items.top;                                                   \
	i++

#endif
