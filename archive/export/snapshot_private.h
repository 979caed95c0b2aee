/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_EXPORT_SNAPSHOT_PRIVATE_H
#define ARCHIVE_EXPORT_SNAPSHOT_PRIVATE_H

#include <stdio.h>

#include <jansson.h>

#include "base/json_out.h"
#include "fabric/model/model.h"

/* Private to archive/export/snapshot_*.c. All json_t results are new references. */

/* QoS settings of the port, with maps as in fabric/model/model.h. Unknown values are null. */
json_t *snapshot_qos(const struct device *d, const struct port *p);
json_t *snapshot_limits(const struct port *p); /* null: the module reported none */
/* null: never polled, or not supported */
json_t *snapshot_bgp(const struct model *m, const struct device *d);
/* Writes one line about the BGP sessions of the fabric; none without sessions. */
void snapshot_bgp_line(const struct model *m, FILE *out);
json_t *snapshot_port(const struct model *m, const struct port *p, int64_t now_us);

#endif
