/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_COLLECTOR_VERBATIM_CAPTURE_H
#define BACKENDS_COLLECTOR_VERBATIM_CAPTURE_H

#include "backends/contract/backend.h"
#include "base/buf.h"

/* Verbatim answers, for who wants to see what a device really said. */

#define RAW_MOST       ((size_t)1 << 20) /* bytes that are kept of an answer */
#define RAW_ASKED_MOST ((size_t)64 << 10)

/*
 * Copies the answer into the batch, NUL bytes too, and what was asked: the command line and what
 * was written to it, or method, path and body. A request holds no credential and no cookie: those
 * are added by the transport, which also logs in by itself. Of an answer above RAW_MOST bytes the
 * last line says how much is missing.
 */
void raw_keep(struct obs *o, const struct request *r, const char *bytes, size_t len);

#endif
