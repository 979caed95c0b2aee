/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/first_line.h"
#include "backends/parse/json.h"

#include <string.h>

#include "backends/parse/json_select.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Replaces non-ASCII bytes: jansson refuses the whole document for one wrong byte in a description.
 */
static json_t *load_ascii(const char *bytes, size_t len, size_t flags, json_error_t *e)
{
	char *copy = mem_alloc(len + 1);
	json_t *doc;

	for (size_t i = 0; i < len; i++)
		copy[i] = (unsigned char)bytes[i] < 0x80 ? bytes[i] : '?';
	copy[len] = '\0';
	doc = json_loadb(copy, len, flags, e);
	free(copy);
	return doc;
}

static json_t *load_json(const char *bytes, size_t len, json_error_t *e)
{
	const size_t flags = JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL;
	json_t *doc = json_loadb(bytes, len, flags, e);

	if (!doc && json_error_code(e) == json_error_numeric_overflow)
		doc = json_loadb(bytes, len, flags | JSON_DECODE_INT_AS_REAL, e);
	if (!doc && json_error_code(e) == json_error_invalid_utf8)
		doc = load_ascii(bytes, len, flags | JSON_DECODE_INT_AS_REAL, e);
	return doc;
}

/* Every answer is an object at the start of a line: a brace inside a sentence does not count. */
static size_t document_start(const char *bytes, size_t len)
{
	bool line_start = true;

	for (size_t i = 0; i < len; i++) {
		if (line_start && bytes[i] == '{')
			return i;
		if (bytes[i] == '\n')
			line_start = true;
		else if (bytes[i] != ' ' && bytes[i] != '\t' && bytes[i] != '\r')
			line_start = false;
	}
	return len;
}

static json_t *load_at(
	const char *bytes, size_t len, size_t *used, const char *origin, struct err *err)
{
	json_error_t e;
	json_t *doc = load_json(bytes, len, &e);

	/* Without the check for the end, the position on success is the number of bytes read. */
	*used = doc && e.position > 0 ? (size_t)e.position : len;
	if (!doc)
		err_set(err, ERR_PROTOCOL, origin,
			"the JSON answer of %zu bytes breaks off or is wrong at byte %d: %s", len,
			e.position, e.text);
	return doc;
}

json_t *parse_json(const char *bytes, size_t len, const char *origin, struct err *err)
{
	size_t start = document_start(bytes, len), used;
	char line[128];

	if (start == len) {
		err_set(err, ERR_PROTOCOL, origin, "expected JSON, got: %s",
			parse_first_line(bytes, len, line, sizeof(line)));
		return NULL;
	}
	return load_at(bytes + start, len - start, &used, origin, err);
}

json_t *parse_json_next(
	const char *bytes, size_t len, size_t *at, const char *origin, struct err *err)
{
	size_t start = *at + json_select_next_start(bytes + *at, len - *at), used;
	json_t *doc;

	*at = len;
	if (start >= len)
		return NULL;
	doc = load_at(bytes + start, len - start, &used, origin, err);
	*at = start + used;
	return doc;
}

const json_t *pj_get(const json_t *v, const char *key)
{
	return json_object_get(v, key);
}

const json_t *pj_path(const json_t *v, const char *dotted)
{
	char key[64];

	while (v && *dotted) {
		size_t n = strcspn(dotted, ".");

		if (!str_copyn(key, sizeof(key), dotted, n))
			return NULL;
		v = json_object_get(v, key);
		dotted += n + (dotted[n] == '.');
	}
	return v;
}

const json_t *pj_at(const json_t *v, size_t i)
{
	return json_array_get(v, i);
}

const char *pj_text(const json_t *v)
{
	return json_string_value(v);
}

const char *pj_text_or(const json_t *v, const char *otherwise)
{
	const char *s = json_string_value(v);

	return s ? s : otherwise;
}

bool pj_u64(const json_t *v, uint64_t *out)
{
	if (json_is_integer(v)) {
		if (json_integer_value(v) < 0)
			return false;
		*out = (uint64_t)json_integer_value(v);
		return true;
	}
	if (json_is_real(v)) {
		double d = json_real_value(v);

		if (!(d >= 0 && d < 18446744073709551616.0))
			return false;
		*out = (uint64_t)d;
		return true;
	}
	return json_is_string(v) && parse_u64(json_string_value(v), json_string_length(v), out);
}

enum number pj_real(const json_t *v, double *out)
{
	if (json_is_number(v)) {
		*out = json_number_value(v);
		return NUMBER_OK;
	}
	if (json_is_string(v))
		return parse_real(json_string_value(v), json_string_length(v), out);
	return NUMBER_NONE;
}

uint32_t pj_as_number(const json_t *v)
{
	const char *s = pj_text(v), *dot = s ? strchr(s, '.') : NULL;
	uint64_t high, low;

	if (dot && parse_leading_u64(s, (size_t)(dot - s), &high) && str_to_u64(dot + 1, &low) &&
		high <= 0xffff && low <= 0xffff)
		return (uint32_t)(high << 16 | low);
	return !dot && pj_u64(v, &low) && low <= UINT32_MAX ? (uint32_t)low : 0;
}

bool pj_count(struct obs *o, uint32_t port, enum counter_id id, unsigned sub, const json_t *v)
{
	uint64_t n;

	if (!pj_u64(v, &n))
		return false;
	obs_count(o, port, id, sub, n);
	return true;
}

bool pj_gauge(struct obs *o, uint32_t port, enum counter_id id, unsigned sub, const json_t *v)
{
	double d;

	if (pj_real(v, &d) != NUMBER_OK)
		return false;
	obs_gauge(o, port, id, sub, d);
	return true;
}

bool pj_word(struct obs *o, uint32_t port, enum obs_attr attr, unsigned sub, const json_t *v)
{
	const char *s = pj_text(v);

	if (!s || !*s)
		return false;
	obs_word(o, port, attr, sub, s);
	return true;
}

bool pj_number(struct obs *o, uint32_t port, enum obs_attr attr, unsigned sub, const json_t *v)
{
	double d;

	if (pj_real(v, &d) != NUMBER_OK)
		return false;
	obs_number(o, port, attr, sub, d);
	return true;
}
