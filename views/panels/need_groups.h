/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_PANELS_NEED_GROUPS_H
#define VIEWS_PANELS_NEED_GROUPS_H

#include "fabric/model/model.h"

/*
 * The group of a need, as shown to people: "PFC", "queues", ... A capability named after a counter
 * belongs to that counter's group, any other to "other".
 */
const char *need_group(const char *need);
/* The position of the need in the order of groups; unknown needs come last. */
unsigned need_order(const char *need);

/* How many needs of a device are met, unsupported, and supported but switched off. */
struct need_count {
	unsigned ok, unsupported, off;
};
struct need_count device_needs(const struct device *d);

#endif
