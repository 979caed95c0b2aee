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
 * The state of the whole model at one moment. now_us is the wall time that the data stands for.
 * d may be NULL: nobody diagnoses. Both fail only when out cannot be written (ERR_IO).
 */

/*
 * The JSON of the contract in railtop(1): schema 1, coverage, census, devices with ports and every
 * counter that was ever reported (value, rate, valid, age_s), links, events. What is not known is
 * null, never 0. Numbers that are no counters but follow from them are in "derived".
 */
bool snapshot_json(
	const struct model *m, const struct diag *d, int64_t now_us, FILE *out, struct err *err);

/* Only these devices, by id, their links and events, and what is not about one device. */
struct snapshot_some {
	const uint32_t *devices;
	size_t n;
};
/* The same document with fewer devices; some NULL: all. */
bool snapshot_json_some(const struct model *m, const struct diag *d,
	const struct snapshot_some *some, int64_t now_us, FILE *out, struct err *err);

/* One page of at most SNAPSHOT_TEXT_LINES lines for a ticket. ASCII. */
#define SNAPSHOT_TEXT_LINES 60
bool snapshot_text(
	const struct model *m, const struct diag *d, int64_t now_us, FILE *out, struct err *err);

#endif
