/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_MODEL_UNNAMED_H
#define FABRIC_MODEL_UNNAMED_H

#include "fabric/model/model.h"

/*
 * Planned links to devices whose port names nobody knows: the inventory says no dialect, or one
 * that has no names of its own. They are no plan until the device has told of its ports, and these
 * are named as just one of the systems names them that sizing_naming() knows. Then they are planned
 * like all others, and stay so.
 */
struct unnamed {
	unsigned devices, links; /* that are not known yet */
	uint32_t first;          /* of the devices */
};
struct unnamed model_unnamed(const struct model *m);
/* Links of the device whose other end, or whose own, has no name yet. */
unsigned device_unnamed_links(const struct model *m, const struct device *d);

#endif
