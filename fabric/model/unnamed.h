/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_MODEL_UNNAMED_H
#define FABRIC_MODEL_UNNAMED_H

#include "fabric/model/model.h"

/*
 * Planned links to devices with unknown port names: the inventory gives no dialect, or one without
 * fixed names. They are not planned until the device has reported its ports, and exactly one
 * naming scheme of sizing_naming() fits. Then they are planned like all others, and stay so.
 */
struct unnamed {
	unsigned devices, links; /* not known yet */
	uint32_t first;          /* id of the first of the devices */
};
struct unnamed model_unnamed(const struct model *m);
/* Links of the device with an end that has no name yet. */
unsigned device_unnamed_links(const struct model *m, const struct device *d);

#endif
