/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_EXPORT_FINDINGS_H
#define ARCHIVE_EXPORT_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "diagnosis/engine/diagnosis.h"
#include "diagnosis/lint/lint.h"
#include "diagnosis/trace/trace.h"
#include "fabric/model/model.h"

/*
 * Writes findings, traces and lint rows as JSON (the contract in railtop(1)) or as text. now_us is
 * the wall time of the data. All fail only when out cannot be written (ERR_IO). The text is ASCII,
 * at most 100 columns wide where names allow it.
 */
bool findings_json(
	const struct model *m, const struct diag *d, int64_t now_us, FILE *out, struct err *err);
bool findings_text(
	const struct model *m, const struct diag *d, int64_t now_us, FILE *out, struct err *err);

bool trace_json(const struct model *m, const struct diag *d, const struct trace *t, FILE *out,
	struct err *err);
bool trace_text(const struct model *m, const struct diag *d, const struct trace *t, FILE *out,
	struct err *err);

bool lint_json(
	const struct model *m, const lint_vec *rows, int64_t now_us, FILE *out, struct err *err);
bool lint_text(
	const struct model *m, const lint_vec *rows, int64_t now_us, FILE *out, struct err *err);
const char *lint_result_name(enum lint_result r); /* "ok", "differs", "unknown" */

#endif
