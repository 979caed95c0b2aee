/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/number.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/digits.h"
#include "base/str.h"

/* Removes blanks and line ends around [s, s+n). */
static void trim_blanks(const char **s, size_t *n)
{
	while (*n && isspace((unsigned char)**s)) {
		(*s)++;
		(*n)--;
	}
	while (*n && isspace((unsigned char)(*s)[*n - 1]))
		(*n)--;
}

bool parse_leading_u64(const char *s, size_t n, uint64_t *out)
{
	uint64_t v = 0;
	size_t i;

	for (i = 0; i < n && isdigit((unsigned char)s[i]); i++) {
		unsigned d = (unsigned)(s[i] - '0');

		if (v > (UINT64_MAX - d) / 10)
			return false;
		v = v * 10 + d;
	}
	if (!i)
		return false;
	*out = v;
	return true;
}

/* Exactly three digits must follow a separator, so that "1,2" (a list) is not a number. */
static bool grouped_u64(const char *s, size_t n, uint64_t *out)
{
	char digits[32];
	size_t used = 0, run = 0;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == ',') {
			if (!used || run > 3 || n - i < 4 || (n - i) % 4)
				return false;
			run = 0;
		} else if (isdigit((unsigned char)s[i]) && used < sizeof(digits)) {
			digits[used++] = s[i];
			run++;
		} else {
			return false;
		}
	}
	return used && parse_leading_u64(digits, used, out);
}

struct decimal {
	uint64_t digits;
	int exponent;
	bool negative;
};

/* Digits beyond 19 do not affect the displayed value: they are counted, not kept. */
static size_t scan_mantissa(const char *s, size_t n, struct decimal *d)
{
	size_t i, seen = 0;
	bool fraction = false;

	for (i = 0; i < n; i++) {
		if (s[i] == '.' && !fraction) {
			fraction = true;
			continue;
		}
		if (!isdigit((unsigned char)s[i]))
			break;
		seen++;
		if (d->digits < UINT64_MAX / 10 - 1) {
			d->digits = d->digits * 10 + (unsigned)(s[i] - '0');
			d->exponent -= fraction;
		} else if (d->exponent < 10000) {
			d->exponent += !fraction;
		}
	}
	return seen ? i : 0;
}

static size_t scan_exponent(const char *s, size_t n, struct decimal *d)
{
	size_t i = 1;
	bool negative = false;
	int e = 0;
	size_t first;

	if (n < 2 || (*s != 'e' && *s != 'E'))
		return 0;
	if (s[i] == '-' || s[i] == '+')
		negative = s[i++] == '-';
	for (first = i; i < n && isdigit((unsigned char)s[i]); i++)
		e = e < 10000 ? e * 10 + (s[i] - '0') : e;
	if (i == first)
		return 0;
	d->exponent += negative ? -e : e;
	return i;
}

/* Returns the number of characters used, 0 when there is no number. */
static size_t scan_decimal(const char *s, size_t n, struct decimal *d)
{
	size_t sign, used;

	*d = (struct decimal){0};
	/* s may be NULL for an empty word. */
	if (!n)
		return 0;
	sign = *s == '-' || *s == '+' ? 1 : 0;
	d->negative = *s == '-';
	used = scan_mantissa(s + sign, n - sign, d);
	if (!used)
		return 0;
	used += sign;
	return used + scan_exponent(s + used, n - used, d);
}

/* Most numbers have few decimals. Powers of ten up to the 22nd are exact in a double. */
static double power_of_ten(int n)
{
	static const double exact[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

	return n < (int)(sizeof(exact) / sizeof(exact[0])) ? exact[n] : pow(10, n);
}

static double decimal_value(const struct decimal *d)
{
	double v = (double)d->digits;

	/* In two steps: pow(10, -330) alone would be zero although the product is not. */
	if (d->exponent > 0)
		v *= power_of_ten(d->exponent);
	else if (d->exponent >= -300)
		v /= power_of_ten(-d->exponent);
	else
		v = v / pow(10, 300) / pow(10, -d->exponent - 300);
	return d->negative ? -v : v;
}

/* Converts n digits one by one; false: another character. */
static bool each_digit(const char *s, size_t n, uint64_t *out)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned d = (unsigned)(unsigned char)s[i] - '0';

		if (d > 9)
			return false;
		v = v * 10 + d;
	}
	*out = v;
	return true;
}

/* Fast path: nearly every counter consists of digits only. Nineteen digits cannot overflow. */
static bool plain_digits(const char *s, size_t n, uint64_t *out)
{
	return n <= 16 ? digits_all(s, n, out) : n <= 19 && each_digit(s, n, out);
}

bool parse_u64(const char *s, size_t n, uint64_t *out)
{
	struct decimal d;
	double v;

	while (n && *s == ' ') {
		s++;
		n--;
	}
	if (plain_digits(s, n, out))
		return true;
	trim_blanks(&s, &n);
	if (grouped_u64(s, n, out))
		return true;
	/* Plain digits that did not fit above are too large; do not approximate them. */
	if (!memchr(s, '.', n) && !memchr(s, 'e', n) && !memchr(s, 'E', n))
		return false;
	if (scan_decimal(s, n, &d) != n || d.negative)
		return false;
	v = decimal_value(&d);
	if (v >= 9007199254740992.0 || v != floor(v))
		return false;
	*out = (uint64_t)v;
	return true;
}

/*
 * Fast path for digits and a dot within eight readable bytes, "45.494": nearly every reading. Sets
 * its value and length *n; false: another form, or it may be longer.
 */
static inline bool short_decimal(const char *at, size_t *n, double *out)
{
	uint64_t w = digits_load(at), before;
	unsigned whole = digits_count(w), decimals;

	if (!whole || whole > 6 || (w >> (8 * whole) & 0xff) != '.')
		return false;
	decimals = digits_count(w >> (8 * (whole + 1)));
	*n = whole + 1 + decimals;
	if (*n == 8)
		return false;
	before = (UINT64_C(1) << (8 * whole)) - 1;
	w = (w & before) | (w >> 8 & ~before);
	*out = (double)digits_value(w, whole + decimals) / power_of_ten((int)decimals);
	return true;
}

/* Fifteen digits are exact in a double, and so is the power of ten of the division. */
#define PLAIN_DIGITS 15

/* Likewise for any length, byte by byte. */
static bool any_decimal(const char *first, const char *end, size_t *n, double *out)
{
	const char *at = first, *dot = NULL;
	uint64_t v = 0;

	for (; at < end && (unsigned char)(*at - '0') <= 9; at++)
		v = v * 10 + (unsigned char)(*at - '0');
	if (at < end && *at == '.')
		for (dot = at++; at < end && (unsigned char)(*at - '0') <= 9; at++)
			v = v * 10 + (unsigned char)(*at - '0');
	if (at == first + (dot != NULL) || at - first > PLAIN_DIGITS + (dot != NULL))
		return false;
	*out = (double)v;
	if (dot)
		*out /= power_of_ten((int)(at - dot - 1));
	*n = (size_t)(at - first);
	return true;
}

const char *parse_plain_real(const char *s, const char *end, double *out)
{
	bool negative = s < end && *s == '-';
	const char *first = s + negative;
	size_t n;

	if (!(end - first >= 8 && short_decimal(first, &n, out)) &&
		!any_decimal(first, end, &n, out))
		return NULL;
	if (negative)
		*out = -*out;
	return first + n;
}

static bool is_minus_inf(const char *s, size_t n)
{
	return n >= 4 && !strncasecmp(s, "-inf", 4) && (n == 4 || isspace((unsigned char)s[4]));
}

enum number parse_real(const char *s, size_t n, double *out)
{
	struct decimal d;
	const char *end;
	size_t used;
	double v;

	while (n && *s == ' ') {
		s++;
		n--;
	}
	/* s may be NULL. */
	if (!n)
		return NUMBER_NONE;
	/* Lanes unused by a port are printed so. */
	if (n > 1 && s[0] == '-' && s[1] == 'i' && is_minus_inf(s, n))
		return NUMBER_MINUS_INF;
	end = parse_plain_real(s, s + n, &v);
	if (end && (end == s + n || *end == ' ')) {
		*out = v;
		return NUMBER_OK;
	}
	trim_blanks(&s, &n);
	if (is_minus_inf(s, n))
		return NUMBER_MINUS_INF;
	used = scan_decimal(s, n, &d);
	if (!used || (used < n && !isspace((unsigned char)s[used])))
		return NUMBER_NONE;
	v = decimal_value(&d);
	if (!isfinite(v))
		return NUMBER_NONE;
	*out = v;
	return NUMBER_OK;
}

/* Returns the days from 1970-01-01 to a Gregorian date; month from 1. */
static int64_t days_of(int year, int month, int day)
{
	/* Years begin in March, so the leap day is their last day. */
	int64_t y = year - (month <= 2), era = y / 400, of_era = y - era * 400;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* Converts two characters; the first may be a blank. False: not a number. */
static bool two_digits(const char *s, int *out)
{
	if ((s[0] != ' ' && (s[0] < '0' || s[0] > '9')) || s[1] < '0' || s[1] > '9')
		return false;
	*out = (s[0] == ' ' ? 0 : s[0] - '0') * 10 + s[1] - '0';
	return true;
}

/*
 * Fast path for "Sat Jan 18 00:08:42 2025" as printed by ctime(), by fixed columns: a switch sends
 * two of them per port and poll. False: another form.
 */
static bool plain_ctime(const char *s, int64_t *epoch_s)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	int day, hour, minute, second, century, year, month = 0;

	if (strlen(s) != 24 || s[3] != ' ' || s[7] != ' ' || s[10] != ' ' || s[13] != ':' ||
		s[16] != ':' || s[19] != ' ' || s[11] == ' ' || s[14] == ' ' || s[17] == ' ' ||
		s[20] == ' ' || s[22] == ' ' || !isalpha((unsigned char)s[0]) ||
		!isalpha((unsigned char)s[1]) || !isalpha((unsigned char)s[2]))
		return false;
	while (month < 12 && memcmp(months + (size_t)month * 3, s + 4, 3) != 0)
		month++;
	if (month == 12 || !two_digits(s + 8, &day) || !two_digits(s + 11, &hour) ||
		!two_digits(s + 14, &minute) || !two_digits(s + 17, &second) ||
		!two_digits(s + 20, &century) || !two_digits(s + 22, &year) || century < 20 || !day)
		return false;
	*epoch_s =
		((days_of(century * 100 + year, month + 1, day) * 24 + hour) * 60 + minute) * 60 +
		second;
	return true;
}

bool parse_ctime(const char *s, int64_t *epoch_s)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	char month[4];
	const char *at;
	struct tm tm = {0};

	if (plain_ctime(s, epoch_s))
		return true;
	if (sscanf(s, "%*3s %3s %2d %2d:%2d:%2d %4d", month, &tm.tm_mday, &tm.tm_hour, &tm.tm_min,
		    &tm.tm_sec, &tm.tm_year) != 6)
		return false;
	at = strstr(months, month);
	if (!at || strlen(month) != 3 || (at - months) % 3 || tm.tm_year < 1970)
		return false;
	tm.tm_mon = (int)((at - months) / 3);
	tm.tm_year -= 1900;
	*epoch_s = timegm(&tm);
	return true;
}

uint8_t parse_priorities(const char *s)
{
	unsigned mask = 0;
	uint64_t from, to;

	while (*s) {
		if (!isdigit((unsigned char)*s)) {
			s++;
			continue;
		}
		if (!parse_leading_u64(s, strlen(s), &from))
			break;
		s += strspn(s, "0123456789");
		to = from;
		if (*s == '-' && parse_leading_u64(s + 1, strlen(s + 1), &to))
			s += 1 + strspn(s + 1, "0123456789");
		for (uint64_t p = from; p <= to && p < 8; p++)
			mask |= 1u << p;
	}
	return (uint8_t)mask;
}

uint32_t parse_as_number(const char *s, size_t n)
{
	const char *dot = strchr(s, '.');
	uint64_t high, low;

	if (!dot)
		return parse_u64(s, n, &low) && low <= UINT32_MAX ? (uint32_t)low : 0;
	return parse_leading_u64(s, (size_t)(dot - s), &high) && str_to_u64(dot + 1, &low) &&
			       high <= 0xffff && low <= 0xffff
		       ? (uint32_t)(high << 16 | low)
		       : 0;
}

bool parse_index(const char *s, const char *prefix, unsigned limit, unsigned *out)
{
	size_t n = strlen(prefix);
	uint64_t v;

	if (strncmp(s, prefix, n) != 0 || !str_to_u64(s + n, &v) || v >= limit)
		return false;
	*out = (unsigned)v;
	return true;
}
