/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/parse/json_select.h"
#include "backends/parse/first_line.h"
#include "backends/parse/optics.h"
#include "backends/parse/units.h"
#include "base/str.h"

#define KEY_MAX 64

const struct json_value *tree_at(const struct json_value *v, const char *path)
{
	return json_value_walk(v, path, "/");
}

const struct json_value *tree_either(
	const struct json_value *v, const char *name, const char *other)
{
	const struct json_value *found = json_value_get(v, name);

	return found ? found : json_value_get(v, other);
}

static const struct json_value *row_of_list(
	const struct json_value *list, const char *kind, unsigned i)
{
	uint64_t id;

	for (json_value_items(row, list))
		if (json_value_u64(json_value_get(row, kind), &id) && id == i)
			return row;
	return NULL;
}

const struct json_value *tree_row(const struct json_value *table, const char *kind, unsigned i)
{
	const struct json_value *inner = json_value_get(table, kind);
	char key[16] = "0";

	if (json_value_is(inner, DV_OBJECT) || json_value_is(inner, DV_ARRAY))
		table = inner;
	if (json_value_is(table, DV_ARRAY))
		return row_of_list(table, kind, i);
	if (i < 10)
		key[0] = (char)('0' + (char)i);
	else
		(void)str_printf(key, sizeof(key), "%u", i);
	return json_value_get(table, key);
}

bool tree_amount(const struct json_value *v, uint64_t *out)
{
	const char *s = json_value_text(v);

	/* "inf" is not an amount. */
	return s ? units_bytes(s, strlen(s), out) && *out != UINT64_MAX : json_value_u64(v, out);
}

enum number tree_reading(
	const struct json_value *v, const char *leaf, const char *unit, double *out)
{
	const struct json_value *at = json_value_is(v, DV_OBJECT) ? json_value_get(v, leaf) : v;
	const char *s = json_value_text(at);

	return s ? units_reading(s, strlen(s), unit, out) : json_value_real(at, out);
}

bool tree_duration_s(const struct json_value *v, double bare, double *seconds)
{
	const char *s = json_value_text_or(v, "");

	if (units_duration_s(s, strlen(s), seconds))
		return true;
	if (json_value_real(v, seconds) != NUMBER_OK || *seconds < 0)
		return false;
	*seconds *= bare;
	return true;
}

/* Some releases print enumerations as {"enabled": {}}; {"enable": "off"} is not one. */
static bool is_enumeration(const struct json_value *v)
{
	const char *s = tree_word(v);

	return !json_value_is(v, DV_OBJECT) ||
	       (json_value_size(v) == 1 && !json_value_size(json_value_get(v, s)) &&
		       json_value_is(json_value_get(v, s), DV_OBJECT));
}

bool tree_is_on(const struct json_value *v)
{
	static const char *const words[] = {"enable", "enabled", "on", "yes"};

	return json_value_is(v, DV_TRUE) ||
	       (is_enumeration(v) &&
		       str_is_one_of(tree_word(v), words, sizeof(words) / sizeof(words[0])));
}

bool tree_is_off(const struct json_value *v)
{
	static const char *const words[] = {"disable", "disabled", "off", "no"};

	return json_value_is(v, DV_FALSE) ||
	       (is_enumeration(v) &&
		       str_is_one_of(tree_word(v), words, sizeof(words) / sizeof(words[0])));
}

const char *tree_word(const struct json_value *v)
{
	const struct json_value *first = json_value_first(v, DV_OBJECT);

	return first ? json_value_name(first) : json_value_text_or(v, "");
}

bool tree_map(
	const struct json_value *table, const char *kind, const char *leaf, unsigned n, char *map)
{
	bool any = false;

	for (unsigned i = 0; i < n; i++) {
		uint64_t v;
		bool has = json_value_u64(json_value_get(tree_row(table, kind, i), leaf), &v) &&
			   v < PRIORITIES;

		map[i] = has ? (char)('0' + (char)v) : '-';
		any |= has;
	}
	map[n] = '\0';
	return any;
}

void tree_counts(struct number_positions *s, struct obs *o, uint32_t port, unsigned sub,
	const struct json_value *v, const struct tree_count *table, size_t n, bool absent)
{
	uint64_t count;

	for (size_t i = 0; i < n; i++) {
		const struct json_value *at = tree_at(v, table[i].path);

		if (tree_amount(at, &count)) {
			obs_count(o, port, table[i].id, sub, count);
			positions_size(s, at, port, table[i].id, sub);
		} else if (absent && json_value_size(v)) {
			obs_invalid(o, port, table[i].id, sub, VALID_UNSUPPORTED, "");
		}
	}
}

bool tree_limits(struct obs *o, uint32_t port, enum obs_attr attr, const struct json_value *v,
	const char *unit)
{
	static const char *const words[LIMIT_COUNT] = {[LIMIT_LOW_ALARM] = "low-alarm",
		[LIMIT_LOW_WARN] = "low-warning",
		[LIMIT_HIGH_WARN] = "high-warning",
		[LIMIT_HIGH_ALARM] = "high-alarm"};
	static const char *const ends[] = {"threshold", "thresh"};
	double limit[LIMIT_COUNT];

	for (unsigned i = 0; i < LIMIT_COUNT; i++) {
		limit[i] = (double)NAN;
		for (size_t k = 0; json_value_is(v, DV_OBJECT) && k < 2; k++) {
			char key[KEY_MAX];
			double found;

			str_printf(key, sizeof(key), "%s-%s", words[i], ends[k]);
			if (tree_reading(v, key, unit, &found) == NUMBER_OK)
				limit[i] = found;
		}
	}
	return optics_limits(o, port, attr, limit);
}

static void read_block(const char *name, const char *bytes, size_t len,
	void (*each)(
		void *ctx, const char *name, const struct json_value *v, const char *complaint),
	void *ctx)
{
	struct err err = {0};
	char line[160];
	struct json_value *doc = json_value_parse(bytes, len, name, &err);

	each(ctx, name, doc, doc ? "" : parse_first_line(bytes, len, line, sizeof(line)));
	free(doc);
}

size_t tree_blocks(const char *bytes, size_t len,
	void (*each)(
		void *ctx, const char *name, const struct json_value *v, const char *complaint),
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
			read_block(name, eol, (size_t)(next - eol), each, ctx);
			blocks++;
		}
		at = next + (next < end);
	}
	return blocks;
}
