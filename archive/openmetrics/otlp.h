/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_OPENMETRICS_OTLP_H
#define ARCHIVE_OPENMETRICS_OTLP_H

#include "archive/openmetrics/metrics.h"
#include "base/buf.h"

/*
 * The metrics as bodies of OTLP/HTTP in protobuf: ExportMetricsServiceRequest of
 * opentelemetry-proto 1.x, metrics/v1. The names are those of the exposition without "_total",
 * because a receiver adds the suffixes of type and unit itself. A counter is a cumulative monotonic
 * sum, all else a gauge; an info has the value 1. Units are UCUM. What has no sample in the
 * exposition has no data point.
 */
struct otlp;
/* x must outlive it. fabric: its name, "" if it has none. now_us: the wall time of the data. */
struct otlp *otlp_new(const struct metrics *x, const char *fabric, int64_t now_us);
void otlp_free(struct otlp *o); /* NULL is allowed */
/*
 * Replaces body by the next request, which ends soon after `most` bytes: a family of many ports is
 * spread over several. False: there are no more, or body is full (body->overflow).
 */
bool otlp_body(struct otlp *o, size_t most, struct buf *body);
uint64_t otlp_points(const struct otlp *o); /* in all bodies so far */

/*
 * Reads the answer, ExportMetricsServiceResponse: how many points the receiver rejected, and its
 * reason, sanitised. 0: none, or the n bytes are no such answer.
 */
uint64_t otlp_rejected(const char *answer, size_t n, char *why, size_t size);

#endif
