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
 * Walking the JSON that devices print (pj: parsed JSON). Every function takes NULL or a value of
 * another type as "absent", so that a chain of look-ups needs no checks in between.
 */

/*
 * Decodes the first JSON document in the bytes: text before it (a login banner, a warning) and
 * after it is skipped. Broken UTF-8 becomes '?', integers that 63 bits do not hold become reals.
 * NULL with err (ERR_PROTOCOL) that quotes the beginning of what came; the caller owns the result.
 */
json_t *parse_json(const char *bytes, size_t len, const char *origin, struct err *err);
/*
 * One document after the other out of an answer that has several ("cmd1 ; cmd2"), arrays of
 * objects among them. *at is where to look, and moves behind what was found; 0 for the first. NULL
 * without err when there are no more.
 */
json_t *parse_json_next(
	const char *bytes, size_t len, size_t *at, const char *origin, struct err *err);

const json_t *pj_get(const json_t *v, const char *key);     /* member of an object */
const json_t *pj_path(const json_t *v, const char *dotted); /* "a.b.c"; keys without dots */
const json_t *pj_at(const json_t *v, size_t i);             /* element of an array */
/* Text of a string; NULL for anything else. */
const char *pj_text(const json_t *v);
/* The same, "" instead of NULL. */
const char *pj_text_or(const json_t *v, const char *otherwise);

/* A JSON number or a string that holds one; see number.h for what counts as absent. */
bool pj_u64(const json_t *v, uint64_t *out);
enum number pj_real(const json_t *v, double *out);

/* The number of an autonomous system: 65001, "65001" or "1.10" (asdot of RFC 5396); 0: none. */
uint32_t pj_as_number(const json_t *v);

/* Set the item when the value is there; true when it was. sub is a priority or lane, 0 for none. */
bool pj_count(struct obs *o, uint32_t port, enum counter_id id, unsigned sub, const json_t *v);
bool pj_gauge(struct obs *o, uint32_t port, enum counter_id id, unsigned sub, const json_t *v);
bool pj_word(struct obs *o, uint32_t port, enum obs_attr attr, unsigned sub, const json_t *v);
bool pj_number(struct obs *o, uint32_t port, enum obs_attr attr, unsigned sub, const json_t *v);

/* "3" to 3 when it is below limit; false for other keys. "TC3" with prefix "TC" likewise. */
bool pj_key_index(const char *key, const char *prefix, unsigned limit, unsigned *out);

/* Copies the first printable line of an answer for an error message; "nothing" when there is none.
 */
char *parse_first_line(const char *bytes, size_t len, char *dst, size_t size);

#endif
