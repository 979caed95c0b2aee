/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_EXPORT_FINDINGS_PRIVATE_H
#define ARCHIVE_EXPORT_FINDINGS_PRIVATE_H

#include <jansson.h>

#include "archive/export/findings.h"

/* Private to archive/. All json_t results are new references. */

/* "critical", "warning", "info": the contract's words for the severity of a finding. */
const char *finding_severity_name(enum severity s);
/* Adds the fields of a place: device, port, priority, rail, tier, job, rank. */
void place_into(json_t *o, const struct model *m, struct ref at);
json_t *place_json(const struct model *m, struct ref at); /* null for REF_NONE */
json_t *finding_json(const struct model *m, const struct finding *f);
json_t *findings_list(const struct model *m, const struct diag *d); /* d NULL: empty */
json_t *verdict_json(const struct model *m, const struct verdict_report *v, int64_t now_us);
/* Writes a document and a newline, and frees root. ERR_IO: root is NULL, or out cannot be
 * written. */
bool export_json(json_t *root, const char *what, FILE *out, struct err *err);
json_t *coverage_json(const struct model *m);
/* Jobs with their communicators. Ranks are counted; unwell ranks are named too. */
json_t *jobs_json(const struct model *m);

#endif
