/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/dialects/sonic/sonic.h"
#include "base/str.h"

/* Access to rows of replies: a list of values, in the order of the reply's list of names. */

size_t sonic_column(const struct json_value *fields, const char *name)
{
	size_t n = strlen(name), at = 0;

	for (json_value_items(field, fields)) {
		if (json_value_text_len(field) == n && str_eq(json_value_text(field), name))
			return at;
		at++;
	}
	return SIZE_MAX;
}

const struct json_value *sonic_at(const struct json_value *row, size_t column)
{
	const struct json_value *v = column < SIZE_MAX ? json_value_first(row, DV_ARRAY) : NULL;

	while (v && column--)
		v = json_value_next(row, v);
	return v;
}

const struct json_value *sonic_value(
	const struct json_value *fields, const struct json_value *row, const char *name)
{
	return sonic_at(row, sonic_column(fields, name));
}

void sonic_columns(
	const struct json_value *fields, const char *const *names, size_t n, uint8_t *columns)
{
	uint8_t at = 0;

	memset(columns, SONIC_CELLS, n);
	for (json_value_items(field, fields)) {
		/* Our own scripts use this order, so the search starts at the last hit. */
		for (size_t k = 0; k < n; k++) {
			size_t i = (at + k) % n;

			if (columns[i] != SONIC_CELLS ||
				!str_eq(json_value_text_or(field, ""), names[i]))
				continue;
			columns[i] = at;
			break;
		}
		if (++at == SONIC_CELLS)
			return;
	}
}

/* Reads the number before the next bar; *at is moved behind the bar, or to the end. */
static enum number cell_real(const char **at, const char *end, double *out)
{
	const char *first = *at, *behind = parse_plain_real(first, end, out);
	enum number has = NUMBER_OK;

	if (!behind || (behind < end && *behind != '|')) {
		behind = memchr(first, '|', (size_t)(end - first));
		if (!behind)
			behind = end;
		has = parse_real(first, (size_t)(behind - first), out);
	}
	*at = behind < end ? behind + 1 : end;
	return has;
}

/* "45.5|3.29|-": a row in one text. */
static size_t text_reals(const struct json_value *row, enum number *has, double *value)
{
	const char *at = json_value_text(row), *end = at + json_value_text_len(row);
	size_t n = 0;

	while (n < SONIC_CELLS && at < end) {
		has[n] = cell_real(&at, end, &value[n]);
		n++;
	}
	return n;
}

static size_t list_reals(const struct json_value *row, enum number *has, double *value)
{
	size_t n = 0;

	for (json_value_items(v, row)) {
		if (n == SONIC_CELLS)
			break;
		has[n] = json_value_real(v, &value[n]);
		n++;
	}
	return n;
}

void sonic_reals(const struct json_value *row, const uint8_t *columns, size_t n, enum number *has,
	double *value)
{
	enum number has_cell[SONIC_CELLS];
	double cell[SONIC_CELLS];
	size_t count = json_value_is(row, DV_STRING) ? text_reals(row, has_cell, cell)
						     : list_reals(row, has_cell, cell);

	for (size_t i = 0; i < n; i++) {
		size_t at = columns[i];

		has[i] = at < count ? has_cell[at] : NUMBER_NONE;
		if (has[i] == NUMBER_OK)
			value[i] = cell[at];
	}
}

void sonic_texts(const struct json_value *row, const uint8_t *columns, size_t n, const char **text)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		text[i] = "";
	for (json_value_items(v, row)) {
		for (size_t i = 0; i < n; i++)
			if (columns[i] == at)
				text[i] = json_value_text_or(v, "");
		if (++at == SONIC_CELLS)
			return;
	}
}

const char *sonic_text(
	const struct json_value *fields, const struct json_value *row, const char *name)
{
	return json_value_text_or(sonic_value(fields, row, name), "");
}

bool sonic_is_core_field(const char *name)
{
	static const char *const core[] = {"SAI_PORT_STAT_IF_IN_OCTETS",
		"SAI_PORT_STAT_IF_OUT_OCTETS", "SAI_PORT_STAT_IF_IN_UCAST_PKTS",
		"SAI_PORT_STAT_IF_OUT_UCAST_PKTS", "SAI_PORT_STAT_IF_IN_ERRORS",
		"SAI_PORT_STAT_IF_IN_DISCARDS", "SAI_PORT_STAT_IF_OUT_DISCARDS",
		"SAI_QUEUE_STAT_PACKETS", "SAI_QUEUE_STAT_BYTES"};

	for (size_t i = 0; i < sizeof(core) / sizeof(core[0]); i++)
		if (str_eq(core[i], name))
			return true;
	return false;
}
