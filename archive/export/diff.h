/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_EXPORT_DIFF_H
#define ARCHIVE_EXPORT_DIFF_H

#include <stdio.h>

#include "base/err.h"
#include "diagnosis/difference/difference.h"

/* One side of a comparison. */
struct diff_end {
	const char *file; /* its name as given; "": live */
	const struct moment *at;
};

/*
 * Writes the differences of two moments as JSON (the contract in railtop(1)) or as text. Both fail
 * only when out cannot be written (ERR_IO). The JSON document:
 * {"schema":1,"from":{"file","fabric","time","coverage"},"to":{...},
 * "devices_in_both":N,"differences":[{"kind","place","what","before","after","severity","better",
 * "bands"}]}.
 * The differences are in the order of difference_find(). before and after are null when unknown or
 * absent. bands, for counters only: the distance from the median in halves of the band.
 */
bool diff_json(const struct diff_end *from, const struct diff_end *to, const difference_vec *v,
	FILE *out, struct err *err);
bool diff_text(const struct diff_end *from, const struct diff_end *to, const difference_vec *v,
	FILE *out, struct err *err);

/* Number of devices in both models, compared by name. */
size_t diff_common(const struct model *a, const struct model *b);

#endif
