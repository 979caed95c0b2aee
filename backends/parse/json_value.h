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
 * A value of a JSON document as backends/parse/json_select.h puts it together (dv: document value):
 * it lies in one run of memory with its name and all that is in it, and may be copied with it.
 * Every function takes NULL or a value of another type as "absent", so that a chain of look-ups
 * needs no checks in between.
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
	uint32_t words; /* of 8 bytes, with all that is in it: where the next one begins */
	uint32_t name_n;
	uint32_t n; /* members, elements, or bytes of a string */
	uint8_t kind;
	bool has_name;
	union {
		int64_t i;
		uint64_t u;
		double real;
		struct {
			uint32_t end;   /* words to the end of what is in it */
			uint32_t slots; /* of the index behind that; 0: there is none */
		};
	};
	/*
	 * Then the name and the text, each with a NUL and up to a whole word; then the members, and
	 * in a large object the index of their names: a seed, then where each is, in words.
	 */
};

/*
 * For json_select.c. Words of the index of an object with n members; 0: it needs none, for a look
 * through so few costs less. Fills the index, which lies behind the members.
 */
size_t dv_index_words(size_t n);
void dv_index(struct dv *v, uint64_t seed);

bool dv_is(const struct dv *v, enum dv_kind kind);
/* Members of an object, elements of an array; 0 for anything else. */
size_t dv_size(const struct dv *v);
const char *dv_name(const struct dv *v); /* as a member; "" in an array */

/* The last of that name, of n bytes. */
const struct dv *dv_member(const struct dv *v, const char *key, size_t n);
static inline const struct dv *dv_get(const struct dv *v, const char *key)
{
	return dv_member(v, key, strlen(key));
}
/*
 * dv_get() of n names at once into found: one look through the members, which is short where they
 * come in the order of the names.
 */
void dv_pick(const struct dv *v, const char *const *names, size_t n, const struct dv **found);
const struct dv *dv_path(const struct dv *v, const char *dotted); /* "a.b.c"; keys without dots */
const struct dv *dv_at(const struct dv *v, size_t i);             /* element of an array */

/* for (dv_members(e, object)) and for (dv_items(e, array)): each in its order. */
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
 * A list of name, value, name, value, as Redis answers a hash: steps to the next pair; both begin
 * as NULL. False: there are no more.
 */
bool dv_pair(const struct dv *list, const struct dv **name, const struct dv **value);

/* Text of a string; NULL for anything else. It may hold NULs: dv_size() does not count it. */
const char *dv_text(const struct dv *v);
size_t dv_text_len(const struct dv *v);
/* The same, "" instead of NULL. */
const char *dv_text_or(const struct dv *v, const char *otherwise);

/* A JSON number or a string that holds one; see number.h for what counts as absent. */
bool dv_u64(const struct dv *v, uint64_t *out);
enum number dv_real(const struct dv *v, double *out);
/* The number of an autonomous system: 65001, "65001" or "1.10" (asdot of RFC 5396); 0: none. */
uint32_t dv_as_number(const struct dv *v);

/* Set the item when the value is there; true when it was. sub is a priority or lane, 0 for none. */
bool dv_count(struct obs *o, uint32_t port, enum counter_id id, unsigned sub, const struct dv *v);
bool dv_gauge(struct obs *o, uint32_t port, enum counter_id id, unsigned sub, const struct dv *v);
bool dv_word(struct obs *o, uint32_t port, enum obs_attr attr, unsigned sub, const struct dv *v);
bool dv_number(struct obs *o, uint32_t port, enum obs_attr attr, unsigned sub, const struct dv *v);

#endif
