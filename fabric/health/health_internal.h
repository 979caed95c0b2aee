/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_HEALTH_HEALTH_INTERNAL_H
#define FABRIC_HEALTH_HEALTH_INTERNAL_H

#include "fabric/model/metrics.h"

/* Ranks within a severity: a device's own troubles come before those of its ports. */
enum { HEALTH_RANK_BGP = 100, HEALTH_RANK_STATE };

/* False: the last data of the device's ports is too old to judge them. */
bool health_known(const struct device *d);

#endif
