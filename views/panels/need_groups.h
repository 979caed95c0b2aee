/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_PANELS_NEED_GROUPS_H
#define VIEWS_PANELS_NEED_GROUPS_H

#include "fabric/model/model.h"

/*
 * What a need is about, for people: "PFC", "queues", ... A capability that is called after a
 * counter belongs to that counter's group, any other to "other".
 */
const char *need_group(const char *need);
/* Where the need stands in a list that is in order of groups; unknown needs come last. */
unsigned need_order(const char *need);

/* How many needs of a device are met, cannot be met, and could be but are switched off. */
struct need_count {
	unsigned ok, unsupported, off;
};
struct need_count device_needs(const struct device *d);

#endif
