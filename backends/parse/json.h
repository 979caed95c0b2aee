/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_JSON_H
#define BACKENDS_PARSE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "backends/parse/number.h"
#include "base/err.h"
#include "fabric/vocabulary/observation.h"

/*
 * Access to JSON documents from devices (pj: parsed JSON). Every function treats NULL or a value of
 * another type as "absent", so a chain of look-ups needs no checks in between.
 */

/*
 * Decodes the first JSON document in the bytes; skips text before it (a login banner, a warning)
 * and after it. Invalid UTF-8 becomes '?', integers beyond 63 bits become reals. NULL with err
 * (ERR_PROTOCOL) that quotes the beginning of the answer; the caller owns the result.
 */
json_t *parse_json(const char *bytes, size_t len, const char *origin, struct err *err);
/*
 * Decodes the next document of an answer with several ("cmd1 ; cmd2"), including arrays of objects.
 * *at is the start of the search, 0 for the first, and moves past the document. NULL without err
 * when there are no more.
 */
json_t *parse_json_next(
	const char *bytes, size_t len, size_t *at, const char *origin, struct err *err);

const json_t *pj_get(const json_t *v, const char *key);     /* member of an object */
const json_t *pj_path(const json_t *v, const char *dotted); /* "a.b.c"; keys without dots */
const json_t *pj_at(const json_t *v, size_t i);             /* element of an array */
/* Text of a string; NULL for anything else. */
const char *pj_text(const json_t *v);
/* Likewise, with `otherwise` instead of NULL. */
const char *pj_text_or(const json_t *v, const char *otherwise);

/* Read a JSON number or a string with a number; see number.h for absent values. */
bool pj_u64(const json_t *v, uint64_t *out);
enum number pj_real(const json_t *v, double *out);

/* Returns an AS number: 65001, "65001" or "1.10" (asdot of RFC 5396); 0: none. */
uint32_t pj_as_number(const json_t *v);

/* Add an item if the value is present; true if it was. sub is a priority or lane, 0 for none. */
bool pj_count(struct obs *o, uint32_t port, enum counter_id id, unsigned sub, const json_t *v);
bool pj_gauge(struct obs *o, uint32_t port, enum counter_id id, unsigned sub, const json_t *v);
bool pj_word(struct obs *o, uint32_t port, enum obs_attr attr, unsigned sub, const json_t *v);
bool pj_number(struct obs *o, uint32_t port, enum obs_attr attr, unsigned sub, const json_t *v);

#endif
