/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_EXPORT_TIMELINE_H
#define ARCHIVE_EXPORT_TIMELINE_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "diagnosis/engine/diagnosis.h"
#include "fabric/model/model.h"

/*
 * The last hour in the trace event format of Chrome, which Perfetto opens beside the traces of
 * PyTorch: findings and operations as spans, events as instants, rates and pauses of the ports that
 * findings name as counters. Times are wall time in us. A stretch of a port's history that nobody
 * knows is a span "no data", for a counter of that format keeps its last value.
 */
#define TIMELINE_SCHEMA 1
#define TIMELINE_PORTS  128 /* with counters; more are counted in otherData.ports_left_out */

bool timeline_write(
	const struct model *m, const struct diag *d, int64_t now_us, FILE *out, struct err *err);

#endif
