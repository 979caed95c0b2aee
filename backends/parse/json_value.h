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
enum dv_kind {
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

struct dv {
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
 * For json_select.c. dv_index_words() returns the words of the index of an object with n members;
 * 0: it needs none, because a linear search costs less. dv_index() fills the index, which follows
 * the members.
 */
size_t dv_index_words(size_t n);
void dv_index(struct dv *v, uint64_t seed);

bool dv_is(const struct dv *v, enum dv_kind kind);
/* Returns the number of members of an object or elements of an array; 0 for others. */
size_t dv_size(const struct dv *v);
const char *dv_name(const struct dv *v); /* as a member; "" in an array */

/* Returns the last member of that name, of n bytes. */
const struct dv *dv_member(const struct dv *v, const char *key, size_t n);
static inline const struct dv *dv_get(const struct dv *v, const char *key)
{
	return dv_member(v, key, strlen(key));
}
/*
 * dv_get() for n names at once, into found. One pass over the members; fast if these have the order
 * of the names.
 */
void dv_pick(const struct dv *v, const char *const *names, size_t n, const struct dv **found);
const struct dv *dv_path(const struct dv *v, const char *dotted); /* "a.b.c"; keys without dots */
const struct dv *dv_at(const struct dv *v, size_t i);             /* element of an array */

/* for (dv_members(e, object)) and for (dv_items(e, array)): in order. */
const struct dv *dv_first(const struct dv *v, enum dv_kind kind);
const struct dv *dv_next(const struct dv *v, const struct dv *e);
#define dv_members(e, v)                                                                           \
	const struct dv *e = dv_first(v, DV_OBJECT);                                               \
	e;                                                                                         \
	e = dv_next(v, e)
#define dv_items(e, v)                                                                             \
	const struct dv *e = dv_first(v, DV_ARRAY);                                                \
	e;                                                                                         \
	e = dv_next(v, e)

/*
 * Steps through a list of name, value, name, value, as Redis returns a hash; both begin as NULL.
 * False: there are no more.
 */
bool dv_pair(const struct dv *list, const struct dv **name, const struct dv **value);

/*
 * Returns the text of a string; NULL for others. It may contain NULs: dv_text_len() has its length.
 */
const char *dv_text(const struct dv *v);
size_t dv_text_len(const struct dv *v);
/* Likewise, with `otherwise` instead of NULL. */
const char *dv_text_or(const struct dv *v, const char *otherwise);

/* Read a JSON number or a string with a number; see number.h for absent values. */
bool dv_u64(const struct dv *v, uint64_t *out);
enum number dv_real(const struct dv *v, double *out);
/* Returns an AS number: 65001, "65001" or "1.10" (asdot of RFC 5396); 0: none. */
uint32_t dv_as_number(const struct dv *v);

/* Add an item if the value is present; true if it was. sub is a priority or lane, 0 for none. */
bool dv_count(struct obs *o, uint32_t port, enum counter_id id, unsigned sub, const struct dv *v);
bool dv_gauge(struct obs *o, uint32_t port, enum counter_id id, unsigned sub, const struct dv *v);
bool dv_word(struct obs *o, uint32_t port, enum obs_attr attr, unsigned sub, const struct dv *v);
bool dv_number(struct obs *o, uint32_t port, enum obs_attr attr, unsigned sub, const struct dv *v);

#endif
