/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_JSON_OUT_H
#define BASE_JSON_OUT_H

#include <math.h>
#include <stdlib.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

/*
 * Writes JSON that always has every key. jansson returns NULL for a real that is not finite and
 * for text that is not UTF-8; json_pack() then returns NULL for the whole value. The functions
 * that set a member refuse NULL silently: the key is missing and readers fail. With the functions
 * below each key is present, and a value that is unknown or could not be built is null.
 *
 * Texts go through json_text(), because a text cut to a buffer may end within a character. Use "s"
 * of json_pack() only for railtop's own names.
 *
 * All JSON output uses these functions; tools/layering.sh finds others.
 */

/*
 * Call it first in main(). jansson returns NULL without memory, and leaves out what it cannot
 * build: a ledger line or a recording's plan would lack members without a word.
 */
static inline void json_out_needs_memory(void)
{
	json_set_alloc_funcs(mem_alloc, free);
}

/* A real. NAN and the infinities have no form in JSON: they become null, not known. */
static inline json_t *json_number_or_null(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

/* A text of any origin: bytes that are not UTF-8 become '?'. NULL becomes null. */
json_t *json_text(const char *s);
/* The same; "" becomes null too, not known. */
static inline json_t *json_text_or_null(const char *s)
{
	return s && *s ? json_text(s) : json_null();
}

/* A wall time in microseconds as seconds. 0 and less become null, not known. */
static inline json_t *json_wall_or_null(int64_t us)
{
	return us > 0 ? json_number_or_null((double)us / 1e6) : json_null();
}

/* Counts a value that could not be written as intended, and logs it. key: NULL in a list. */
void json_out_lost(const char *key);
/* Number of such losses since the program started: tests expect none. */
unsigned long json_out_losses(void);

/* Sets a member and takes ownership of value. NULL: it could not be built, and the member is
 * null. */
static inline void json_put(json_t *object, const char *key, json_t *value)
{
	if (!value)
		json_out_lost(key);
	if (json_object_set_new(object, key, value ? value : json_null()) != 0)
		json_out_lost(key);
}

/* The same for the end of a list. */
static inline void json_append(json_t *array, json_t *value)
{
	if (!value)
		json_out_lost(NULL);
	if (json_array_append_new(array, value ? value : json_null()) != 0)
		json_out_lost(NULL);
}

/* Appends value as jansson's flags say, and drops it. False: out is full, or there is no value. */
bool json_add(json_t *value, size_t flags, struct buf *out);
/* Appends a whole document and a line end, and drops it. ERR_LIMIT about subject: out is full. */
bool json_into(json_t *root, const char *subject, struct buf *out, struct err *err);

#endif
