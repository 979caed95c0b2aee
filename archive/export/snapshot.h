/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_EXPORT_SNAPSHOT_H
#define ARCHIVE_EXPORT_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "diagnosis/engine/diagnosis.h"
#include "fabric/model/model.h"

/*
 * Writes the state of the whole model at one moment. now_us is the wall time of the data. d may be
 * NULL: no diagnosis. Both fail only when out cannot be written (ERR_IO).
 */

/*
 * JSON of the contract in railtop(1): schema 1, coverage, census, devices with ports, links,
 * events. A port has every counter that was ever reported (value, rate, valid, age_s). Unknown
 * values are null, never 0. "derived" has the numbers that are computed from counters.
 */
bool snapshot_json(
	const struct model *m, const struct diag *d, int64_t now_us, FILE *out, struct err *err);

/* A selection of devices by id, with their links and events, and all that belongs to no device. */
struct snapshot_some {
	const uint32_t *devices;
	size_t n;
};
/* The same document for a selection of devices; some NULL: all. */
bool snapshot_json_some(const struct model *m, const struct diag *d,
	const struct snapshot_some *some, int64_t now_us, FILE *out, struct err *err);

/* One page of at most SNAPSHOT_TEXT_LINES lines for a ticket. ASCII. */
#define SNAPSHOT_TEXT_LINES 60
bool snapshot_text(
	const struct model *m, const struct diag *d, int64_t now_us, FILE *out, struct err *err);

#endif
