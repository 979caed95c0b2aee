/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_COLLECTOR_VERBATIM_CAPTURE_H
#define BACKENDS_COLLECTOR_VERBATIM_CAPTURE_H

#include "backends/contract/backend.h"
#include "base/buf.h"

/* Verbatim answers of devices, for display and recording. */

#define RAW_MOST       ((size_t)1 << 20) /* bytes kept of an answer */
#define RAW_ASKED_MOST ((size_t)64 << 10)

/*
 * Copies the answer into the batch, NUL bytes included, and the question: the command line and its
 * input, or method, path and body. A request holds no credential and no cookie: the transport adds
 * those, and logs in by itself. If the answer exceeds RAW_MOST bytes, the last line says how much
 * is missing.
 */
void raw_keep(struct obs *o, const struct request *r, const char *bytes, size_t len);

#endif
