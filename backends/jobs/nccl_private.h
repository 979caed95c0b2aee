/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_JOBS_NCCL_PRIVATE_H
#define BACKENDS_JOBS_NCCL_PRIVATE_H

#include <jansson.h>

#include "backends/jobs/nccl_parse.h"

/* Shared by the decoders of nccl_*.c only. */

/* No communicator of today has more ranks than this, nor a host more GPUs. */
#define NCCL_RANKS_MAX 1048576
#define NCCL_GPUS_MAX  1024

/* The function under which a source counts that numbers the collectives of all functions as one. */
#define NCCL_ANY_FUNC "Collective"

/*
 * A record, or NULL with out->err (ERR_LIMIT) when the batch holds as many as it may: what was
 * decoded before stays.
 */
struct obs_nccl *nccl_add(struct obs *out, enum nccl_kind kind, enum nccl_source source);

/* A number (or its text) from 0 to below limit; -1 for anything else. */
int32_t nccl_int(const json_t *v, int32_t limit);
int64_t nccl_wide(const json_t *v); /* from 0 to 2^63 - 1; -1 */
double nccl_real(const json_t *v);  /* NAN */
uint32_t nccl_string(struct obs *out, const json_t *v);
/* Text of n bytes, sanitised. */
uint32_t nccl_stringn(struct obs *out, const char *s, size_t n);

/* One document of RAS, one Inspector object, one flight recorder dump (rank -1: find it out). */
bool nccl_ras_document(const json_t *doc, struct obs *out, struct err *err);
bool nccl_ras_text(const char *bytes, size_t len, struct obs *out, struct err *err);
bool nccl_ras_event(const json_t *doc, struct obs *out, struct err *err);
bool nccl_inspector_document(const json_t *doc, struct obs *out, struct err *err);
bool nccl_flight_document(const json_t *doc, int32_t rank, struct obs *out, struct err *err);
/* The words for ncclResult_t, as RAS prints them; NULL for success and for what is in progress. */
const char *nccl_result_text(int32_t result);

/*
 * Pickle of protocol 2 to JSON values: numbers, texts, booleans, None, lists, tuples and dicts
 * with text or number keys. Any other opcode (all that could name or call something) is an error.
 * NULL with err.
 */
json_t *nccl_pickle_load(const char *bytes, size_t len, struct err *err);

/* Calls line for each line (without its end); stops when it returns false. */
bool nccl_lines(
	const char *bytes, size_t len, bool (*line)(void *ctx, const char *s, size_t n), void *ctx);

/*
 * Reading a line from left to right: each moves *s behind what it took and returns true, or takes
 * nothing. Blanks before it are skipped.
 */
bool scan_text(const char **s, const char *literal);
bool scan_int(const char **s, int64_t *out); /* decimal, from 0 to 2^63 - 1; no sign */
/* Up to a blank or one of the bytes in stop; n > 0. */
bool scan_word(const char **s, const char *stop, const char **word, size_t *n);
/* Moves *s behind the next occurrence of the literal. */
bool scan_find(const char **s, const char *literal);
/* A number of the line behind the literal; -1: it is not there, or limit or more. */
int64_t scan_after(const char *s, const char *literal, int64_t limit);

#endif
