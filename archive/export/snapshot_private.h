/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_EXPORT_SNAPSHOT_PRIVATE_H
#define ARCHIVE_EXPORT_SNAPSHOT_PRIVATE_H

#include <stdio.h>

#include <jansson.h>

#include "base/json_out.h"
#include "fabric/model/model.h"

/* Shared by archive/export/snapshot_*.c only. All return new references. */

json_t *snapshot_text_or_null(const char *s);
/* What is set on the port; its maps are as in fabric/model/model.h, what is not known is null. */
json_t *snapshot_qos(const struct port *p);
json_t *snapshot_limits(const struct port *p); /* null: the module said none */
json_t *snapshot_bgp(const struct device *d);  /* null: it was never asked or cannot tell */
/* One line about the sessions of the fabric; none without sessions. */
void snapshot_bgp_line(const struct model *m, FILE *out);
json_t *snapshot_port(const struct model *m, const struct port *p, int64_t now_us);

#endif
