/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/query/query_number.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "base/str.h"

struct unit {
	const char *name;
	double scale;
};

/* Number of characters of s that form the number. strtod() would also accept "inf" and "0x". */
static size_t number_len(const char *s)
{
	size_t n = 0;

	if (s[n] == '-' || s[n] == '+')
		n++;
	n += strspn(s + n, "0123456789.");
	/* Accepts "1e-6", but not the "1e" of an unknown unit. */
	if ((s[n] == 'e' || s[n] == 'E') && n) {
		size_t sign = s[n + 1] == '-' || s[n + 1] == '+';

		if (isdigit((unsigned char)s[n + 1 + sign]))
			n += 1 + sign + strspn(s + n + 1 + sign, "0123456789");
	}
	return n;
}

/* The scale of a whole word; 0: no unit of the table. */
static double scale_of(const struct unit *units, size_t n, const char *s, size_t len)
{
	for (size_t i = 0; i < n; i++) {
		if (strlen(units[i].name) == len && memcmp(units[i].name, s, len) == 0)
			return units[i].scale;
	}
	return 0;
}

#define SCALE_OF(units, s, len) scale_of(units, sizeof(units) / sizeof((units)[0]), s, len)

/* "ms", "%", "dBm", "KB", "Gb", "k"; 0: not a unit. */
static double unit_scale(const char *s, size_t len, struct query_unit *unit)
{
	static const struct unit times[] = {
		{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
	static const struct unit plain[] = {
		{"", 1}, {"%", 1}, {"dBm", 1}, {"C", 1}, {"b", 1}, {"B", 1}};
	static const struct unit prefixes[] = {{"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9},
		{"T", 1e12}, {"Ki", 1024}, {"Mi", 1048576}, {"Gi", 1073741824}};
	double scale = SCALE_OF(times, s, len);

	*unit = (struct query_unit){.is_time = scale > 0, .is_bytes = len > 0 && s[len - 1] == 'B'};
	if (!(scale > 0))
		scale = SCALE_OF(plain, s, len);
	if (!(scale > 0))
		scale = SCALE_OF(prefixes, s, len);
	if (!(scale > 0) && len > 1 && strchr("bB", s[len - 1]))
		scale = SCALE_OF(prefixes, s, len - 1);
	return scale;
}

const char *query_number(const char *s, double *out, struct query_unit *is)
{
	static const struct unit per[] = {{"/s", 1}, {"/min", 60}, {"/h", 3600}};
	const char *unit, *slash;
	size_t n = number_len(s);
	double scale, each;
	char number[40];

	*is = (struct query_unit){false, false};
	if (!str_copyn(number, sizeof(number), s, n) || !str_to_double(number, out))
		return s;
	unit = s + n;
	slash = strchr(unit, '/');
	each = slash ? SCALE_OF(per, slash, strlen(slash)) : 1;
	scale = unit_scale(unit, slash ? (size_t)(slash - unit) : strlen(unit), is);
	/* "5ms/s" would be a share, which nobody means. "0x10" is no number with a unit. */
	if (!(scale > 0) || !(each > 0) || (slash && is->is_time))
		return strpbrk(unit, "0123456789.+-") ? s : unit;
	*out *= scale / each;
	return NULL;
}
