/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONFIG_MAPPING_YAML_RULE_H
#define APP_CONFIG_MAPPING_YAML_RULE_H

#include "app/inventory/inventory_yaml_schema.h"
#include "backends/prometheus/mapping.h"

/* Private to app/config/mapping_yaml*.c. */

/* A mapping file while it is read. */
struct mapping_draft {
	struct prometheus_map *map;
	const char *file;
	size_t before; /* rules in the map before this file */
	char *name;
	struct prometheus_label device, port; /* defaults for rules without their own */
	const yaml_node_t *rules;
};

yaml_read_fn mapping_read_label; /* struct prometheus_label */
yaml_read_fn mapping_read_rule;  /* struct mapping_draft: adds the rule to its map */

#endif
