/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/json_value.h"

#include <string.h>

#include "base/digits.h"
#include "base/str.h"

#define HEAD_WORDS JSON_VALUE_HEAD_WORDS

bool json_value_is(const struct json_value *v, enum json_value_kind kind)
{
	return v && v->kind == kind;
}

/* Returns the words after head and name: the text of a string, or the first member or element. */
static const uint64_t *content_of(const struct json_value *v)
{
	return (const uint64_t *)(const void *)v + HEAD_WORDS +
	       (v->has_name ? json_value_text_words(v->name_n) : 0);
}

static const struct json_value *at_word(const struct json_value *v, size_t words)
{
	return (const struct json_value *)(const void *)((const uint64_t *)(const void *)v + words);
}

size_t json_value_size(const struct json_value *v)
{
	return json_value_is(v, DV_OBJECT) || json_value_is(v, DV_ARRAY) ? v->n : 0;
}

const char *json_value_name(const struct json_value *v)
{
	return v && v->has_name ? (const char *)(v + 1) : "";
}

const struct json_value *json_value_first(const struct json_value *v, enum json_value_kind kind)
{
	return json_value_is(v, kind) && v->n
		       ? (const struct json_value *)(const void *)content_of(v)
		       : NULL;
}

const struct json_value *json_value_next(const struct json_value *v, const struct json_value *e)
{
	const struct json_value *next = at_word(e, e->words);

	return next < at_word(v, v->end) ? next : NULL;
}

/* ---- the index of a large object: a hash table with linear probing ---- */

#define SMALL 256 /* up to this many members a linear search is used */

static size_t slots_for(size_t n)
{
	size_t slots = SMALL;

	while (slots < n * 2)
		slots *= 2;
	return slots;
}

size_t json_value_index_words(size_t n)
{
	return n <= SMALL ? 0 : 1 + slots_for(n) / 2;
}

/*
 * The seed is unknown to devices, so they cannot choose colliding names. The halves of each word
 * are multiplied after a key was added to each (NH: Black et al., UMAC, 1999), so collisions depend
 * on the seed.
 */
static uint64_t hash_name(uint64_t seed, const char *name, size_t n)
{
	uint64_t h = seed ^ n, key = seed;

	while (n) {
		size_t step = n < sizeof(uint64_t) ? n : sizeof(uint64_t);
		uint64_t w = 0;

		memcpy(&w, name, step);
		key = (key ^ key >> 31) * UINT64_C(0x9e3779b97f4a7c15) + seed;
		h += (uint64_t)(uint32_t)((uint32_t)w + (uint32_t)key) *
		     (uint32_t)((uint32_t)(w >> 32) + (uint32_t)(key >> 32));
		name += step;
		n -= step;
	}
	h *= UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 32;
}

static bool has_name(const struct json_value *e, const char *name, size_t n)
{
	return e->name_n == n && memcmp(e + 1, name, n) == 0;
}

/* Returns the slot of a name, or the free slot where it belongs. There is always a free one. */
static uint32_t *slot_of(const struct json_value *v, const char *name, size_t n)
{
	uint64_t seed;
	uint32_t *slots;
	size_t i;

	memcpy(&seed, at_word(v, v->end), sizeof(seed));
	slots = (uint32_t *)(void *)at_word(v, v->end + (size_t)1);
	i = hash_name(seed, name, n) & (v->slots - 1);
	while (slots[i] && !has_name(at_word(v, slots[i]), name, n))
		i = (i + 1) & (v->slots - 1);
	return &slots[i];
}

void json_value_index(struct json_value *v, uint64_t seed)
{
	size_t words = json_value_index_words(v->n);
	char *index = (char *)v + (size_t)v->end * sizeof(uint64_t);

	memset(index, 0, words * sizeof(uint64_t));
	memcpy(index, &seed, sizeof(seed));
	v->slots = (uint32_t)slots_for(v->n);
	/* Of equal names the last one stays. */
	for (json_value_members(e, v))
		*slot_of(v, json_value_name(e), e->name_n) =
			(uint32_t)((const uint64_t *)(const void *)e -
				   (const uint64_t *)(const void *)v);
}

const struct json_value *json_value_member(const struct json_value *v, const char *key, size_t n)
{
	const struct json_value *found = NULL;
	uint64_t begin = 0, word;

	if (json_value_is(v, DV_OBJECT) && v->slots) {
		uint32_t at = *slot_of(v, key, n);

		return at ? at_word(v, at) : NULL;
	}
	/*
	 * Names are padded with zeros to whole words: comparing the first word rejects nearly all
	 * others.
	 */
	memcpy(&begin, key, n < sizeof(begin) ? n : sizeof(begin));
	for (json_value_members(e, v)) {
		memcpy(&word, e + 1, sizeof(word));
		if (word == begin && e->name_n == n && (n <= sizeof(word) || has_name(e, key, n)))
			found = e;
	}
	return found;
}

bool json_value_is_last(const struct json_value *v, const struct json_value *e)
{
	const struct json_value *next = e;
	uint64_t begin, word;

	if (v->slots)
		return json_value_member(v, json_value_name(e), e->name_n) == e;
	memcpy(&begin, e + 1, sizeof(begin));
	while ((next = json_value_next(v, next))) {
		memcpy(&word, next + 1, sizeof(word));
		if (word == begin && next->name_n == e->name_n &&
			has_name(next, json_value_name(e), e->name_n))
			return false;
	}
	return true;
}

void json_value_pick(const struct json_value *v, const char *const *names, size_t n,
	const struct json_value **found)
{
	size_t next = 0;

	for (size_t i = 0; i < n; i++)
		found[i] = NULL;
	for (json_value_members(e, v)) {
		const char *name = json_value_name(e);

		for (size_t k = 0; k < n; k++) {
			size_t i = next + k < n ? next + k : next + k - n;

			if (*names[i] != *name || strcmp(names[i], name) != 0)
				continue;
			found[i] = e;
			next = i + 1;
			break;
		}
	}
}

const struct json_value *json_value_walk(
	const struct json_value *v, const char *path, const char *between)
{
	while (v && *path) {
		size_t n = strcspn(path, between);

		v = json_value_member(v, path, n);
		path += n + (path[n] != '\0');
	}
	return v;
}

const struct json_value *json_value_at(const struct json_value *v, size_t i)
{
	for (json_value_items(e, v))
		if (!i--)
			return e;
	return NULL;
}

bool json_value_pair(const struct json_value *list, const struct json_value **name,
	const struct json_value **value)
{
	const struct json_value *n =
		*value ? json_value_next(list, *value) : json_value_first(list, DV_ARRAY);
	const struct json_value *v = n ? json_value_next(list, n) : NULL;

	if (!v)
		return false;
	*name = n;
	*value = v;
	return true;
}

const char *json_value_text(const struct json_value *v)
{
	return json_value_is(v, DV_STRING) ? (const char *)content_of(v) : NULL;
}

size_t json_value_text_len(const struct json_value *v)
{
	return json_value_is(v, DV_STRING) ? v->n : 0;
}

const char *json_value_text_or(const struct json_value *v, const char *otherwise)
{
	return json_value_is(v, DV_STRING) ? (const char *)content_of(v) : otherwise;
}

/* A text has whole words, so 8 or 16 bytes may be read whatever its length. */
static bool text_u64(const char *s, size_t n, uint64_t *out)
{
	uint64_t v;

	if (n >= 8 && n < 16 && digits_16(s, &v) == n) {
		*out = v;
		return true;
	}
	if (n && n < 8 && digits_count(digits_load(s)) == n) {
		*out = digits_value(digits_load(s), (unsigned)n);
		return true;
	}
	return parse_u64(s, n, out);
}

bool json_value_u64(const struct json_value *v, uint64_t *out)
{
	if (json_value_is(v, DV_STRING))
		return text_u64((const char *)content_of(v), v->n, out);
	if (json_value_is(v, DV_UNSIGNED) || (json_value_is(v, DV_INTEGER) && v->i >= 0)) {
		*out = v->u;
		return true;
	}
	if (!json_value_is(v, DV_REAL) || !(v->real >= 0 && v->real < 18446744073709551616.0))
		return false;
	*out = (uint64_t)v->real;
	return true;
}

enum number json_value_real(const struct json_value *v, double *out)
{
	if (json_value_is(v, DV_STRING))
		return parse_real(json_value_text(v), v->n, out);
	if (json_value_is(v, DV_INTEGER))
		*out = (double)v->i;
	else if (json_value_is(v, DV_UNSIGNED))
		*out = (double)v->u;
	else if (json_value_is(v, DV_REAL))
		*out = v->real;
	else
		return NUMBER_NONE;
	return NUMBER_OK;
}

uint32_t json_value_as_number(const struct json_value *v)
{
	uint64_t n;

	if (json_value_is(v, DV_STRING))
		return parse_as_number(json_value_text(v), v->n);
	return json_value_u64(v, &n) && n <= UINT32_MAX ? (uint32_t)n : 0;
}

bool json_value_count(
	struct obs *o, uint32_t port, counter_id id, unsigned sub, const struct json_value *v)
{
	uint64_t n;

	if (!json_value_u64(v, &n))
		return false;
	obs_count(o, port, id, sub, n);
	return true;
}

bool json_value_gauge(
	struct obs *o, uint32_t port, counter_id id, unsigned sub, const struct json_value *v)
{
	double d;

	if (json_value_real(v, &d) != NUMBER_OK)
		return false;
	obs_gauge(o, port, id, sub, d);
	return true;
}

bool json_value_word(
	struct obs *o, uint32_t port, enum obs_attr attr, unsigned sub, const struct json_value *v)
{
	const char *s = json_value_text(v);

	if (!s || !*s)
		return false;
	obs_word(o, port, attr, sub, s);
	return true;
}

bool json_value_number(
	struct obs *o, uint32_t port, enum obs_attr attr, unsigned sub, const struct json_value *v)
{
	double d;

	if (json_value_real(v, &d) != NUMBER_OK)
		return false;
	obs_number(o, port, attr, sub, d);
	return true;
}
