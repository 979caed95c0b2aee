/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/units.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/digits.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* The remaining text; every step shortens it. */
struct text {
	const char *s;
	size_t n;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct text trim_blanks(const char *s, size_t n)
{
	while (n && is_blank(s[0])) {
		s++;
		n--;
	}
	while (n && is_blank(s[n - 1]))
		n--;
	return (struct text){s, n};
}

static bool is_word(struct text t, const char *word)
{
	return t.n == strlen(word) && strncasecmp(t.s, word, t.n) == 0;
}

/* Returns the length of a number at the start: sign, digits, point, exponent. */
static size_t number_length(struct text t)
{
	size_t i = 0, digits, power;

	if (i < t.n && (t.s[i] == '-' || t.s[i] == '+'))
		i++;
	digits = i;
	while (i < t.n && (digits_is(t.s[i]) || t.s[i] == '.' || t.s[i] == ','))
		i++;
	if (i == digits)
		return 0;
	power = i;
	if (power < t.n && (t.s[power] == 'e' || t.s[power] == 'E')) {
		power++;
		if (power < t.n && (t.s[power] == '-' || t.s[power] == '+'))
			power++;
		if (power < t.n && digits_is(t.s[power]))
			for (i = power; i < t.n && digits_is(t.s[i]);)
				i++;
	}
	return i;
}

/* Splits "153.00 KB" into its number and "KB"; false if it does not begin with a number. */
static bool split_number(struct text *t, double *value)
{
	size_t n = number_length(*t);

	if (!n || parse_real(t->s, n, value) != NUMBER_OK)
		return false;
	*t = trim_blanks(t->s + n, t->n - n);
	return true;
}

bool units_bytes(const char *s, size_t n, uint64_t *bytes)
{
	static const struct {
		const char *name;
		unsigned shift;
	} units[] = {{"", 0}, {"B", 0}, {"Byte", 0}, {"Bytes", 0}, {"KB", 10}, {"KiB", 10},
		{"MB", 20}, {"MiB", 20}, {"GB", 30}, {"GiB", 30}, {"TB", 40}, {"TiB", 40},
		{"PB", 50}, {"PiB", 50}};
	struct text t = trim_blanks(s, n);
	double value;

	if (is_word(t, "inf") || is_word(t, "unlimited")) {
		*bytes = UINT64_MAX;
		return true;
	}
	/* Try whole numbers first: a double would round values above 2^53. */
	if (parse_u64(t.s, t.n, bytes))
		return true;
	if (!split_number(&t, &value) || value < 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (!is_word(t, units[i].name))
			continue;
		value = ldexp(value, (int)units[i].shift) + 0.5;
		if (value >= 0x1p64)
			return false;
		*bytes = (uint64_t)value;
		return true;
	}
	return false;
}

static bool is_speed_unit(struct text t)
{
	static const char *const words[] = {"", "b/s", "bps", "bit/s", "b", "bits/s"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (is_word(t, words[i]))
			return true;
	return false;
}

/* "a-400G", "auto-400G", "a-1.6T(D)": negotiated; the letter behind it is the duplex mode. */
static struct text without_decoration(struct text t)
{
	static const char *const prefixes[] = {"a-", "auto-", "A-"};

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		size_t n = strlen(prefixes[i]);

		if (t.n > n && memcmp(t.s, prefixes[i], n) == 0) {
			t = (struct text){t.s + n, t.n - n};
			break;
		}
	}
	if (t.n > 3 && t.s[t.n - 1] == ')' && t.s[t.n - 3] == '(')
		t.n -= 3;
	return trim_blanks(t.s, t.n);
}

bool units_speed_mbps(const char *s, size_t n, double *mbps)
{
	struct text t = without_decoration(trim_blanks(s, n));
	double value, factor;

	if (!split_number(&t, &value) || value <= 0 || !t.n)
		return false;
	factor = t.s[0] == 'M' ? 1 : t.s[0] == 'G' ? 1e3 : t.s[0] == 'T' ? 1e6 : 0;
	/* "400G-8" has its lanes behind it. */
	t = (struct text){t.s + 1, t.n - 1};
	if (t.n == 2 && t.s[0] == '-' && digits_is(t.s[1]))
		t.n = 0;
	if (factor == 0 || !is_speed_unit(t))
		return false;
	*mbps = value * factor;
	return true;
}

/* Adds "0:00:00.100000": hours, minutes, seconds. */
static bool clock_part(struct text t, double *seconds)
{
	double part, sum = 0;
	unsigned parts = 0;

	for (; parts < 3; parts++) {
		size_t end = 0;

		while (end < t.n && t.s[end] != ':')
			end++;
		if (!end || !digits_is(t.s[0]) || parse_real(t.s, end, &part) != NUMBER_OK)
			return false;
		sum = sum * 60 + part;
		if (end == t.n)
			break;
		t = (struct text){t.s + end + 1, t.n - end - 1};
	}
	if (parts != 1 && parts != 2)
		return false;
	*seconds += sum;
	return true;
}

static double letter_seconds(char c)
{
	switch (c) {
	case 'w':
		return 604800;
	case 'd':
		return 86400;
	case 'h':
		return 3600;
	case 'm':
		return 60;
	case 's':
		return 1;
	default:
		return 0;
	}
}

/* Adds "2d03h04m", "01w2d03h"; true when all text was read. */
static bool letter_parts(struct text t, double *seconds)
{
	double value;

	while (t.n) {
		size_t n = 0;
		double unit;

		while (n < t.n && digits_is(t.s[n]))
			n++;
		unit = n && n < t.n ? letter_seconds(t.s[n]) : 0;
		if (unit == 0 || parse_real(t.s, n, &value) != NUMBER_OK)
			return false;
		*seconds += value * unit;
		t = (struct text){t.s + n + 1, t.n - n - 1};
	}
	return true;
}

/* Reads "3 days, " and removes it from t; false: another text. */
static bool take_days(struct text *t, double *seconds)
{
	static const char *const words[] = {"days", "day"};
	struct text rest = *t;
	double value;

	if (!split_number(&rest, &value) || value < 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t n = strlen(words[i]);

		if (rest.n < n || strncasecmp(rest.s, words[i], n) != 0)
			continue;
		*seconds += value * 86400;
		rest = trim_blanks(rest.s + n, rest.n - n);
		if (rest.n && rest.s[0] == ',')
			rest = trim_blanks(rest.s + 1, rest.n - 1);
		*t = rest;
		return true;
	}
	return false;
}

bool units_duration_s(const char *s, size_t n, double *seconds)
{
	struct text t = trim_blanks(s, n);
	double sum = 0;
	bool days;

	if (!t.n)
		return false;
	days = take_days(&t, &sum);
	if (!(days && !t.n) && !clock_part(t, &sum) && !letter_parts(t, &sum))
		return false;
	*seconds = sum;
	return true;
}

enum number units_ber(const char *s, size_t n, double *ber)
{
	struct text t = trim_blanks(s, n);

	if (is_word(t, "15E-255"))
		return NUMBER_NONE;
	return parse_real(t.s, t.n, ber);
}

/* "degrees C" has the unit "C": the last word counts. */
static bool has_unit(struct text t, const char *unit)
{
	size_t n = strlen(unit);

	return t.n >= n && strncasecmp(t.s + t.n - n, unit, n) == 0 &&
	       (t.n == n || is_blank(t.s[t.n - n - 1]));
}

static enum number read_value(struct text t, const char *unit, double *out)
{
	const char *const dark = "-inf";
	size_t n = strlen(dark);
	double value;

	if (t.n >= n && strncasecmp(t.s, dark, n) == 0) {
		t = trim_blanks(t.s + n, t.n - n);
		return !t.n || has_unit(t, unit) ? NUMBER_MINUS_INF : NUMBER_NONE;
	}
	if (!split_number(&t, &value) || (t.n && !has_unit(t, unit)))
		return NUMBER_NONE;
	*out = value;
	return NUMBER_OK;
}

enum number units_reading(const char *s, size_t n, const char *unit, double *out)
{
	enum number found = NUMBER_NONE;

	while (n && found == NUMBER_NONE) {
		size_t end = 0;

		while (end < n && s[end] != '/')
			end++;
		found = read_value(trim_blanks(s, end), unit, out);
		end += end < n;
		s += end;
		n -= end;
	}
	return found;
}
