/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "actions/ledger/ledger_file.h"
#include "base/str.h"

/* The form of a line: checks its bytes without parsing the content. */

#define HEX      64
#define HEAD     "{\"n\":"
#define PREV     ",\"prev\":\""
#define HASH     ",\"hash\":\""
#define LEN(s)   (sizeof(s) - 1)
#define HASH_LEN (LEN(HASH) + HEX + LEN("\"}"))
#define PREV_LEN (LEN(PREV) + HEX + LEN("\""))

bool ledger_is_hex(const char *s, size_t n)
{
	return strspn(s, "0123456789abcdef") >= n;
}

static bool quoted_hash(const char *at, const char *name, size_t name_len, char out[65])
{
	if (memcmp(at, name, name_len) != 0 || !ledger_is_hex(at + name_len, HEX) ||
		at[name_len + HEX] != '"')
		return false;
	return str_copyn(out, HEX + 1, at + name_len, HEX);
}

static bool number_of(const char *line, uint64_t *n)
{
	char digits[24];
	size_t len = strspn(line + LEN(HEAD), "0123456789");

	return len > 0 && line[LEN(HEAD)] != '0' && line[LEN(HEAD) + len] == ',' &&
	       str_copyn(digits, sizeof(digits), line + LEN(HEAD), len) && str_to_u64(digits, n);
}

static bool is_object(const char *line, size_t len)
{
	json_t *o = json_loadb(line, len, 0, NULL);
	bool yes = json_is_object(o);

	json_decref(o);
	return yes;
}

enum ledger_shape ledger_shape_of(
	const char *line, size_t len, struct ledger_mark *self, char prev[65])
{
	char hash[65];
	size_t body;

	memset(self, 0, sizeof(*self));
	prev[0] = '\0';
	if (len < LEN(HEAD) + 2 + PREV_LEN + HASH_LEN || memcmp(line, HEAD, LEN(HEAD)) != 0 ||
		line[len - 1] != '}' ||
		!quoted_hash(line + len - HASH_LEN, HASH, LEN(HASH), self->hash))
		return SHAPE_FRAGMENT;
	body = len - HASH_LEN;
	sha256_hex(line, body, hash);
	if (strcmp(hash, self->hash) == 0 && number_of(line, &self->n) &&
		quoted_hash(line + body - PREV_LEN, PREV, LEN(PREV), prev))
		return SHAPE_LINE;
	/* A plan inside a line ends in a hash, too: only a whole object can have been a line. */
	return is_object(line, len) ? SHAPE_ALTERED : SHAPE_FRAGMENT;
}

void ledger_time_format(int64_t t_us, char *dst, size_t size)
{
	char seconds[32];
	int64_t ms = t_us / CLOCK_MSEC;

	if (ms < 0)
		ms = 0;
	clock_format_utc(ms * CLOCK_MSEC, seconds, sizeof(seconds));
	seconds[strcspn(seconds, "Z")] = '\0';
	(void)str_printf(dst, size, "%s.%03dZ", seconds, (int)(ms % 1000));
}

bool ledger_time_parse(const char *s, int64_t *t_us)
{
	struct tm tm = {0};
	int ms, end = 0;

	if (sscanf(s, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
		    &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &ms, &end) != 7 ||
		end != 24 || s[end] != '\0')
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	*t_us = ((int64_t)timegm(&tm) * 1000 + ms) * CLOCK_MSEC;
	return true;
}

const char *person_of(const char *user, const char *via)
{
	return via[0] && strcmp(user, "root") == 0 ? via : user;
}

const char *member_text(const json_t *o, const char *name)
{
	const char *s = json_string_value(json_object_get(o, name));

	return s ? s : "";
}
