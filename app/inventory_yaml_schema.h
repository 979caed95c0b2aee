/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_INVENTORY_YAML_SCHEMA_H
#define APP_INVENTORY_YAML_SCHEMA_H

#include <yaml.h>

#include "app/inventory.h"

/* Reads the whole document by the tables of keys into *inv; what is wrong goes to problems. */
void inventory_read_document(
	yaml_document_t *doc, struct inventory *inv, struct problems *problems);
void inventory_free(struct inventory *inv);

#endif
