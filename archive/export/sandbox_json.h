/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_EXPORT_SANDBOX_JSON_H
#define ARCHIVE_EXPORT_SANDBOX_JSON_H

#include <jansson.h>

/* {"complete": false, "missing": "writes are not limited (this kernel has no Landlock)"} */
json_t *sandbox_json(void);
/* Sets the member "sandbox" where this run lacks a part of it; else it sets none. */
void sandbox_json_put(json_t *root);

#endif
