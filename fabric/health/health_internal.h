/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_HEALTH_HEALTH_INTERNAL_H
#define FABRIC_HEALTH_HEALTH_INTERNAL_H

#include "fabric/model/metrics.h"

/* Ranks among equally bad: a device's own troubles come before those of its ports. */
enum { HEALTH_RANK_BGP = 100, HEALTH_RANK_STATE };

/* False: what the device's ports were like says nothing about now. */
bool health_known(const struct device *d);

#endif
