/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse_tree.h"

#include <string.h>

#include "backends/parse_units.h"
#include "base/str.h"

#define KEY_MAX 64

const json_t *tree_at(const json_t *v, const char *path)
{
	char key[KEY_MAX];

	while (v && *path) {
		size_t n = strcspn(path, "/");

		if (!str_copyn(key, sizeof(key), path, n))
			return NULL;
		v = pj_get(v, key);
		path += n + (path[n] == '/');
	}
	return v;
}

const json_t *tree_either(const json_t *v, const char *name, const char *other)
{
	const json_t *found = pj_get(v, name);

	return found ? found : pj_get(v, other);
}

static const json_t *row_of_list(const json_t *list, const char *kind, unsigned i)
{
	for (size_t k = 0; k < json_array_size(list); k++) {
		uint64_t id;

		if (pj_u64(pj_get(pj_at(list, k), kind), &id) && id == i)
			return pj_at(list, k);
	}
	return NULL;
}

const json_t *tree_row(const json_t *table, const char *kind, unsigned i)
{
	const json_t *inner = pj_get(table, kind);
	char key[16];

	if (json_is_object(inner) || json_is_array(inner))
		table = inner;
	if (json_is_array(table))
		return row_of_list(table, kind, i);
	str_printf(key, sizeof(key), "%u", i);
	return pj_get(table, key);
}

bool tree_amount(const json_t *v, uint64_t *out)
{
	const char *s = pj_text(v);

	/* "inf" is no amount of anything. */
	return s ? units_bytes(s, strlen(s), out) && *out != UINT64_MAX : pj_u64(v, out);
}

enum number tree_reading(const json_t *v, const char *leaf, const char *unit, double *out)
{
	const json_t *at = json_is_object(v) ? pj_get(v, leaf) : v;
	const char *s = pj_text(at);

	return s ? units_reading(s, strlen(s), unit, out) : pj_real(at, out);
}

bool tree_duration_s(const json_t *v, double bare, double *seconds)
{
	const char *s = pj_text_or(v, "");

	if (units_duration_s(s, strlen(s), seconds))
		return true;
	if (pj_real(v, seconds) != NUMBER_OK || *seconds < 0)
		return false;
	*seconds *= bare;
	return true;
}

bool tree_is_on(const json_t *v)
{
	const char *s = tree_word(v);

	/* Some releases say words of a choice as {"enabled": {}}; {"enable": "off"} is none. */
	if (json_is_object(v) && (json_object_size(v) != 1 || json_object_size(pj_get(v, s)) ||
					 !json_is_object(pj_get(v, s))))
		return false;
	return json_is_true(v) || str_eq(s, "enable") || str_eq(s, "enabled") || str_eq(s, "on") ||
	       str_eq(s, "yes");
}

const char *tree_word(const json_t *v)
{
	void *first = json_is_object(v) ? json_object_iter((json_t *)v) : NULL;

	return first ? json_object_iter_key(first) : pj_text_or(v, "");
}

bool tree_map(const json_t *table, const char *kind, const char *leaf, unsigned n, char *map)
{
	bool any = false;

	for (unsigned i = 0; i < n; i++) {
		uint64_t v;
		bool has = pj_u64(pj_get(tree_row(table, kind, i), leaf), &v) && v < PRIORITIES;

		map[i] = has ? (char)('0' + (char)v) : '-';
		any |= has;
	}
	map[n] = '\0';
	return any;
}

void tree_counts(struct obs *o, uint32_t port, unsigned sub, const json_t *v,
	const struct tree_count *table, size_t n, bool absent)
{
	uint64_t count;

	for (size_t i = 0; i < n; i++) {
		if (tree_amount(tree_at(v, table[i].path), &count))
			obs_count(o, port, table[i].id, sub, count);
		else if (absent && json_object_size(v))
			obs_invalid(o, port, table[i].id, sub, VALID_UNSUPPORTED, "");
	}
}

bool tree_limits(
	struct obs *o, uint32_t port, enum obs_attr attr, const json_t *v, const char *unit)
{
	static const char *const words[LIMIT_COUNT] = {[LIMIT_LOW_ALARM] = "low-alarm",
		[LIMIT_LOW_WARN] = "low-warning",
		[LIMIT_HIGH_WARN] = "high-warning",
		[LIMIT_HIGH_ALARM] = "high-alarm"};
	static const char *const ends[] = {"threshold", "thresh"};
	bool any = false;

	for (unsigned i = 0; json_is_object(v) && i < LIMIT_COUNT; i++) {
		for (size_t k = 0; k < sizeof(ends) / sizeof(ends[0]); k++) {
			char key[KEY_MAX];
			double limit;

			str_printf(key, sizeof(key), "%s-%s", words[i], ends[k]);
			if (tree_reading(v, key, unit, &limit) != NUMBER_OK)
				continue;
			obs_number(o, port, attr, i, limit);
			any = true;
		}
	}
	return any;
}

static void block(const char *name, const char *bytes, size_t len,
	void (*each)(void *ctx, const char *name, const json_t *v, const char *complaint),
	void *ctx)
{
	struct err err = {0};
	char line[160];
	json_t *doc = parse_json(bytes, len, name, &err);

	each(ctx, name, doc, doc ? "" : parse_first_line(bytes, len, line, sizeof(line)));
	json_decref(doc);
}

size_t tree_blocks(const char *bytes, size_t len,
	void (*each)(void *ctx, const char *name, const json_t *v, const char *complaint),
	void *ctx)
{
	const char *end = bytes + len, *at = bytes;
	size_t blocks = 0;

	while (at < end) {
		const char *eol = memchr(at, '\n', (size_t)(end - at)), *next;
		char name[NAME_MAX_LEN];
		size_t n;

		eol = eol ? eol : end;
		next = eol;
		if (*at != '@') {
			at = eol + (eol < end);
			continue;
		}
		n = (size_t)(eol - at) - 1;
		while (next < end && !(next[0] == '\n' && next + 1 < end && next[1] == '@'))
			next++;
		if (n && str_copyn(name, sizeof(name), at + 1, n)) {
			block(name, eol, (size_t)(next - eol), each, ctx);
			blocks++;
		}
		at = next + (next < end);
	}
	return blocks;
}
