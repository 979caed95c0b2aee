/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_JOBS_NCCL_PRIVATE_H
#define BACKENDS_JOBS_NCCL_PRIVATE_H

#include "backends/jobs/nccl_parse.h"

/* Private to the decoders nccl_*.c. */

/* No present communicator has more ranks, and no host more GPUs. */
#define NCCL_RANKS_MAX 1048576
#define NCCL_GPUS_MAX  1024

/* Function name for a source that numbers the collectives of all functions together. */
#define NCCL_ANY_FUNC "Collective"

/*
 * Returns a new record, or NULL with out->err (ERR_LIMIT) if the batch is full; earlier records
 * stay.
 */
struct obs_nccl *nccl_add(struct obs *out, enum nccl_kind kind, enum nccl_source source);

/* A number, or its text, at least 0 and below limit; -1 for anything else. */
int32_t nccl_int(const struct json_value *v, int32_t limit);
int64_t nccl_wide(const struct json_value *v); /* 0 to 2^63 - 1; -1 for anything else */
double nccl_real(const struct json_value *v);  /* NAN for anything else */
uint32_t nccl_string(struct obs *out, const struct json_value *v);
/* Adds a text of n bytes, sanitised. */
uint32_t nccl_stringn(struct obs *out, const char *s, size_t n);

/*
 * Decode one RAS document, one Inspector object, or one flight recorder dump (rank -1: read it from
 * the dump).
 */
bool nccl_ras_document(const struct json_value *doc, struct obs *out, struct err *err);
bool nccl_ras_text(const char *bytes, size_t len, struct obs *out, struct err *err);
bool nccl_ras_event(const struct json_value *doc, struct obs *out, struct err *err);
bool nccl_inspector_document(const struct json_value *doc, struct obs *out, struct err *err);
bool nccl_flight_document(
	const struct json_value *doc, int32_t rank, struct obs *out, struct err *err);
/* Text of an ncclResult_t, as RAS prints it; NULL for success and for an operation in progress. */
const char *nccl_result_text(int32_t result);

/*
 * Converts a pickle of protocol 2 to JSON values: numbers, texts, booleans, None, lists, tuples and
 * dicts with text or number keys. Any other opcode (all that could name or call something) is an
 * error. Returns NULL with err. The caller frees it with free().
 */
struct json_value *nccl_pickle_load(const char *bytes, size_t len, struct err *err);

/*
 * Parses a list that is a document of its own: it becomes the member "list" of the result. NULL
 * with err; the caller frees it with free().
 */
struct json_value *nccl_json_list(
	const char *bytes, size_t len, const char *device, struct err *err);

/* Calls line() for each line, without its end; stops when that returns false. */
bool nccl_lines(
	const char *bytes, size_t len, bool (*line)(void *ctx, const char *s, size_t n), void *ctx);

/*
 * Scanners, to read a line from left to right. Each skips blanks. On a match it moves *s behind the
 * match and returns true; otherwise it takes nothing.
 */
bool scan_text(const char **s, const char *literal);
bool scan_int(const char **s, int64_t *out); /* decimal, from 0 to 2^63 - 1; no sign */
/* Reads up to a blank or one of the bytes in stop; n > 0. */
bool scan_word(const char **s, const char *stop, const char **word, size_t *n);
/* Moves *s behind the next occurrence of the literal. */
bool scan_find(const char **s, const char *literal);
/* Returns the number behind the literal; -1: no literal, or the number is limit or more. */
int64_t scan_after(const char *s, const char *literal, int64_t limit);

#endif
