/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_JSON_VALUE_H
#define BACKENDS_PARSE_JSON_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "backends/parse/number.h"
#include "fabric/vocabulary/observation.h"

/*
 * A value of a JSON document, built by backends/parse/json_select.h (dv: document value). It
 * occupies one run of memory with its name and contents and may be copied with it. Every function
 * treats NULL or a value of another type as "absent", so a chain of look-ups needs no checks in
 * between.
 */
enum json_value_kind {
	DV_NULL,
	DV_FALSE,
	DV_TRUE,
	DV_INTEGER,
	DV_UNSIGNED, /* above INT64_MAX */
	DV_REAL,
	DV_STRING,
	DV_ARRAY,
	DV_OBJECT
};

struct json_value {
	uint32_t words; /* size in 8-byte words with all contents: offset of the next value */
	uint32_t name_n;
	uint32_t n; /* number of members, elements, or bytes of a string */
	uint8_t kind;
	bool has_name;
	union {
		int64_t i;
		uint64_t u;
		double real;
		struct {
			uint32_t end;   /* words to the end of the contents */
			uint32_t slots; /* of the index after it; 0: none */
		};
	};
	/*
	 * The name and the text follow, each with a NUL and padded to a whole word; then the
	 * members. A large object has an index of its names: a seed, then their offsets in words.
	 */
};

/*
 * For those that build values: words of a head, and of a name or a text of n bytes.
 */
#define JSON_VALUE_HEAD_WORDS (sizeof(struct json_value) / sizeof(uint64_t))
static inline size_t json_value_text_words(size_t n)
{
	return n / sizeof(uint64_t) + 1;
}
/*
 * For json_select.c. json_value_index_words() returns the words of the index of an object with n
 * members; 0: it needs none, because a linear search costs less. json_value_index() fills the
 * index, which follows the members.
 */
size_t json_value_index_words(size_t n);
void json_value_index(struct json_value *v, uint64_t seed);

bool json_value_is(const struct json_value *v, enum json_value_kind kind);
/* Returns the number of members of an object or elements of an array; 0 for others. */
size_t json_value_size(const struct json_value *v);
/* Likewise of an array only: an object has no elements. */
static inline size_t json_value_length(const struct json_value *v)
{
	return json_value_is(v, DV_ARRAY) ? v->n : 0;
}
const char *json_value_name(const struct json_value *v); /* as a member; "" in an array */

/* Returns the last member of that name, of n bytes. */
const struct json_value *json_value_member(const struct json_value *v, const char *key, size_t n);
static inline const struct json_value *json_value_get(const struct json_value *v, const char *key)
{
	return json_value_member(v, key, strlen(key));
}
/* True: no later member of v has the name of its member e. */
bool json_value_is_last(const struct json_value *v, const struct json_value *e);
/*
 * json_value_get() for n names at once, into found. One pass over the members; fast if these have
 * the order of the names.
 */
void json_value_pick(const struct json_value *v, const char *const *names, size_t n,
	const struct json_value **found);
/* Follows a path of names with a character between them, which no name has; "": v itself. */
const struct json_value *json_value_walk(
	const struct json_value *v, const char *path, const char *between);
static inline const struct json_value *json_value_path(
	const struct json_value *v, const char *dotted) /* "a.b.c" */
{
	return json_value_walk(v, dotted, ".");
}
const struct json_value *json_value_at(
	const struct json_value *v, size_t i); /* element of an array */

/* for (json_value_members(e, object)) and for (json_value_items(e, array)): in order. */
const struct json_value *json_value_first(const struct json_value *v, enum json_value_kind kind);
const struct json_value *json_value_next(const struct json_value *v, const struct json_value *e);
#define json_value_members(e, v)                                                                   \
	const struct json_value *e = json_value_first(v, DV_OBJECT);                               \
	e;                                                                                         \
	e = json_value_next(v, e)
#define json_value_items(e, v)                                                                     \
	const struct json_value *e = json_value_first(v, DV_ARRAY);                                \
	e;                                                                                         \
	e = json_value_next(v, e)

/*
 * Steps through a list of name, value, name, value, as Redis returns a hash; both begin as NULL.
 * False: there are no more.
 */
bool json_value_pair(const struct json_value *list, const struct json_value **name,
	const struct json_value **value);

/*
 * Returns the text of a string; NULL for others. It may contain NULs: json_value_text_len() has its
 * length.
 */
const char *json_value_text(const struct json_value *v);
size_t json_value_text_len(const struct json_value *v);
/* Likewise, with `otherwise` instead of NULL. */
const char *json_value_text_or(const struct json_value *v, const char *otherwise);

/* Read a JSON number or a string with a number; see number.h for absent values. */
bool json_value_u64(const struct json_value *v, uint64_t *out);
enum number json_value_real(const struct json_value *v, double *out);
/* Returns an AS number: 65001, "65001" or "1.10" (asdot of RFC 5396); 0: none. */
uint32_t json_value_as_number(const struct json_value *v);

/* Add an item if the value is present; true if it was. sub is a priority or lane, 0 for none. */
bool json_value_count(
	struct obs *o, uint32_t port, counter_id id, unsigned sub, const struct json_value *v);
bool json_value_gauge(
	struct obs *o, uint32_t port, counter_id id, unsigned sub, const struct json_value *v);
bool json_value_word(
	struct obs *o, uint32_t port, enum obs_attr attr, unsigned sub, const struct json_value *v);
bool json_value_number(
	struct obs *o, uint32_t port, enum obs_attr attr, unsigned sub, const struct json_value *v);

#endif
