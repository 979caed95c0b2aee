/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/json_tree.h"

#include <stdlib.h>

#include "backends/parse/json_select.h"
#include "base/json_out.h"
#include "base/mem.h"

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

json_t *json_tree(const char *bytes, size_t len, const char *origin, struct err *err)
{
	size_t start = document_start(bytes, len), used;

	if (start < len)
		return load_at(bytes + start, len - start, &used, origin, err);
	err_set(err, ERR_PROTOCOL, origin, "expected JSON");
	return NULL;
}

json_t *json_tree_next(
	const char *bytes, size_t len, size_t *at, const char *origin, struct err *err)
{
	bool line_start = true;
	size_t start = *at + json_select_start(bytes + *at, len - *at, &line_start, true), used;
	json_t *doc;

	*at = len;
	if (start >= len)
		return NULL;
	doc = load_at(bytes + start, len - start, &used, origin, err);
	*at = start + used;
	return doc;
}

bool json_tree_u64(const json_t *v, uint64_t *out)
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

enum number json_tree_real(const json_t *v, double *out)
{
	if (json_is_number(v)) {
		*out = json_number_value(v);
		return NUMBER_OK;
	}
	if (json_is_string(v))
		return parse_real(json_string_value(v), json_string_length(v), out);
	return NUMBER_NONE;
}

json_t *json_tree_of(const struct json_value *v)
{
	json_t *tree;

	switch (v->kind) {
	case DV_OBJECT:
		tree = json_object();
		for (json_value_members(e, v))
			json_put(tree, json_value_name(e), json_tree_of(e));
		return tree;
	case DV_ARRAY:
		tree = json_array();
		for (json_value_items(e, v))
			json_append(tree, json_tree_of(e));
		return tree;
	case DV_STRING:
		return json_text(json_value_text(v));
	case DV_TRUE:
	case DV_FALSE:
		return json_boolean(v->kind == DV_TRUE);
	case DV_INTEGER:
		return json_integer(v->i);
	case DV_UNSIGNED:
		return json_real((double)v->u);
	case DV_REAL:
		return json_real(v->real);
	default:
		return json_null();
	}
}
