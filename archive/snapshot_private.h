/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_SNAPSHOT_PRIVATE_H
#define ARCHIVE_SNAPSHOT_PRIVATE_H

#include <jansson.h>

#include "fabric/model.h"

/* Shared by archive/snapshot_*.c only. All return new references. */

/* A number, or null where it is not one. */
json_t *snapshot_number(double v);
json_t *snapshot_text_or_null(const char *s);
json_t *snapshot_port(const struct model *m, const struct port *p, int64_t now_us);

#endif
