/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_EXPORT_DIFF_H
#define ARCHIVE_EXPORT_DIFF_H

#include <stdio.h>

#include "base/err.h"
#include "diagnosis/difference/difference.h"

/* One of the two that are compared. */
struct diff_end {
	const char *file; /* its name as it was given; "": live */
	const struct moment *at;
};

/*
 * What changed, for scripts (the contract in railtop(1)) and for people. Both fail only when out
 * cannot be written (ERR_IO). JSON:
 * {"schema":1,"from":{"file","fabric","time","coverage"},"to":{...},
 * "devices_in_both":N,"differences":[{"kind","place","what","before","after","severity","better",
 * "bands"}]}, in the order of difference_find(); before and after are null where they are unknown
 * or not there; bands: of counters, by how many it is out.
 */
bool diff_json(const struct diff_end *from, const struct diff_end *to, const difference_vec *v,
	FILE *out, struct err *err);
bool diff_text(const struct diff_end *from, const struct diff_end *to, const difference_vec *v,
	FILE *out, struct err *err);

/* Devices that both have, by name. */
size_t diff_common(const struct model *a, const struct model *b);

#endif
