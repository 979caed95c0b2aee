/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/scan_private.h"

/* Numbers: RFC 8259 section 6. */

struct number {
	bool is_negative, is_integer;
	bool fits;       /* digits has all digits but for the exponent */
	uint64_t digits; /* of integer and fraction */
	int exponent;    /* of ten; digits times this */
};

/* Adds digits to n; returns the first character that is no digit. */
static const char *read_digits(const char *at, const char *end, struct number *n)
{
	for (; at < end && digits_is(*at); at++) {
		unsigned d = (unsigned)(*at - '0');

		if (n->digits > (UINT64_MAX - d) / 10)
			n->fits = false;
		n->digits = n->digits * 10 + d;
	}
	return at;
}

static const char *read_fraction(const char *at, const char *end, struct number *n)
{
	const char *first = ++at;

	n->is_integer = false;
	at = read_digits(at, end, n);
	n->exponent -= (int)(at - first);
	return at == first ? NULL : at;
}

static const char *read_exponent(const char *at, const char *end, struct number *n)
{
	bool is_negative = false;
	const char *first;
	int e = 0;

	n->is_integer = false;
	at++;
	if (at < end && (*at == '-' || *at == '+'))
		is_negative = *at++ == '-';
	for (first = at; at < end && digits_is(*at); at++)
		e = e < 100000 ? e * 10 + (*at - '0') : e;
	n->exponent += is_negative ? -e : e;
	return at == first ? NULL : at;
}

/* False: it is not in the form of JSON. */
static bool read_number(const char *text, size_t len, struct number *n)
{
	const char *at = text, *end = text + len, *first;

	*n = (struct number){.is_integer = true, .fits = true};
	if (at < end && *at == '-') {
		n->is_negative = true;
		at++;
	}
	first = at;
	at = read_digits(at, end, n);
	if (at == first || (*first == '0' && at > first + 1))
		return false;
	if (at < end && *at == '.')
		at = read_fraction(at, end, n);
	if (at && at < end && (*at == 'e' || *at == 'E'))
		at = read_exponent(at, end, n);
	return at == end;
}

/*
 * Converts exactly. When digits and power of ten are both exact doubles, only the last operation
 * rounds (Clinger 1990). All other numbers go through strtod_l(), which is exact as well, in the
 * locale "C": the program's own locale may expect a comma.
 */
static bool number_to_real(const char *text, size_t len, const struct number *n, double *out)
{
	static const double tens[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	char copy[SCAN_NUMBER + 1];
	locale_t c;
	double v = (double)n->digits;

	if (FLT_EVAL_METHOD == 0 && n->fits && n->digits <= UINT64_C(1) << 53 &&
		n->exponent >= -22 && n->exponent <= 22) {
		v = n->exponent < 0 ? v / tens[-n->exponent] : v * tens[n->exponent];
		*out = n->is_negative ? -v : v;
		return true;
	}
	memcpy(copy, text, len);
	copy[len] = '\0';
	/* glibc and musl have this locale ready: nothing is allocated. */
	c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!c)
		return false;
	*out = strtod_l(copy, NULL, c);
	freelocale(c);
	return isfinite(*out);
}

bool scan_real(const char *text, size_t len, double *out)
{
	struct number n;

	return len <= SCAN_NUMBER && read_number(text, len, &n) &&
	       number_to_real(text, len, &n, out);
}

bool scan_number(const char *text, size_t len, bool big, struct scan_event *e, const char **wrong)
{
	struct number n;

	if (!read_number(text, len, &n)) {
		*wrong = "a number";
		return false;
	}
	e->text = text;
	e->len = len;
	if (n.is_integer && n.fits && n.digits <= (uint64_t)INT64_MAX + n.is_negative) {
		e->kind = SCAN_INTEGER;
		e->i = n.is_negative ? (int64_t)(0 - n.digits) : (int64_t)n.digits;
		return true;
	}
	if (n.is_integer && !big) {
		*wrong = "an integer of 63 bits";
		return false;
	}
	if (n.is_integer && n.fits && !n.is_negative) {
		e->kind = SCAN_UNSIGNED;
		e->u = n.digits;
		return true;
	}
	e->kind = SCAN_REAL;
	if (number_to_real(text, len, &n, &e->real))
		return true;
	*wrong = "a number that a double holds";
	return false;
}
