/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_JSON_OUT_H
#define BASE_JSON_OUT_H

#include <math.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * How JSON is written. jansson gives NULL for a real that is not finite and for text that is not
 * UTF-8, json_pack() gives NULL for all of what it packs then, and what sets a member refuses NULL
 * without a word: the key is missing, and its readers fail. With these it cannot be: a key is
 * always there, and what is not known or could not be made is null.
 *
 * Texts go in by json_text(): what was cut to a buffer may end within a character, and "s" of
 * json_pack() is for names of ours alone.
 *
 * Only these functions are used to write; tools/layering.sh looks for others.
 */

/* A real; NAN and the infinities, which JSON has no words for, are null: they are not known. */
static inline json_t *json_number_or_null(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

/* A text of any origin: what is no UTF-8 in it is '?'. NULL is null. */
json_t *json_text(const char *s);
/* Counts what could not be written as it should, and says so in the log. key: NULL in a list. */
void json_out_lost(const char *key);
/* How often since the program began: tests expect none. */
unsigned long json_out_losses(void);

/* Takes value over; NULL: it could not be made, and the member is null. */
static inline void json_put(json_t *object, const char *key, json_t *value)
{
	if (!value)
		json_out_lost(key);
	if (json_object_set_new(object, key, value ? value : json_null()) != 0)
		json_out_lost(key);
}

/* Likewise at the end of a list. */
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
