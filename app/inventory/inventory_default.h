/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_INVENTORY_INVENTORY_DEFAULT_H
#define APP_INVENTORY_INVENTORY_DEFAULT_H

#include <stddef.h>

/*
 * Finds the inventory of a command line without -f: $RAILTOP_FABRIC, ./fabric.yaml,
 * $XDG_CONFIG_HOME/railtop/fabric.yaml (or ~/.config/railtop/fabric.yaml). The variable counts even
 * if its file is missing, so that a wrong value is reported and no other fabric is read. Returns
 * dst, or NULL when there is none.
 */
const char *inventory_default(char *dst, size_t size);
/* The cure where none was found, for messages. */
const char *inventory_default_cure(void);

#endif
