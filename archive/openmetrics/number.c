/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "archive/openmetrics/metrics_private.h"

/* Formats numbers without printf(), which would take most of the time: an exposition of a large
 * fabric has millions of numbers. */

static const uint64_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
	1000000000, 10000000000, 100000000000, 1000000000000};
#define TENS_MOST 12

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
			    "25262728293031323334353637383940414243444546474849"
			    "50515253545556575859606162636465666768697071727374"
			    "75767778798081828384858687888990919293949596979899";

static unsigned digits_of(uint32_t v)
{
	if (v < 10000)
		return v < 100 ? (v < 10 ? 1 : 2) : (v < 1000 ? 3 : 4);
	return v < 1000000 ? (v < 100000 ? 5 : 6) : (v < 10000000 ? 7 : 8);
}

/* Writes v, below 10^8, with n digits. */
static char *put_digits(char *to, uint32_t v, unsigned n)
{
	char *end = to + n, *at = end;

	for (; at - to >= 2; v /= 100) {
		at -= 2;
		memcpy(at, pairs + (size_t)(v % 100) * 2, 2);
	}
	if (at > to)
		*to = (char)('0' + v % 10);
	return end;
}

static char *put_whole(char *to, uint64_t v)
{
	const uint64_t most = 100000000;
	uint64_t high;

	if (v < most)
		return put_digits(to, (uint32_t)v, digits_of((uint32_t)v));
	high = v / most;
	if (high < most)
		to = put_digits(to, (uint32_t)high, digits_of((uint32_t)high));
	else
		to = put_digits(
			put_digits(to, (uint32_t)(high / most), digits_of((uint32_t)(high / most))),
			(uint32_t)(high % most), 8);
	return put_digits(to, (uint32_t)(v % most), 8);
}

/* Writes v / 10^decimals without trailing zeros. decimals is at most TENS_MOST. */
static char *put_decimal(char *to, uint64_t v, unsigned decimals)
{
	uint64_t fraction = v % tens[decimals];
	char *end;

	to = put_whole(to, v / tens[decimals]);
	if (!fraction)
		return to;
	*to = '.';
	end = to + decimals;
	for (char *at = end; at > to; at--) {
		*at = (char)('0' + fraction % 10);
		fraction /= 10;
	}
	while (*end == '0')
		end--;
	return end + 1;
}

char *metric_put_count(char *to, uint64_t v, int shift)
{
	if (shift == 0)
		return put_whole(to, v);
	if (shift < 0 && shift >= -TENS_MOST)
		return put_decimal(to, v, (unsigned)-shift);
	return metric_put_real(to, (double)v, shift);
}

/* Writes whole * 10^-decimals; an exponent is used when it would have too many digits. */
static char *put_scaled(char *to, uint64_t whole, int decimals)
{
	while (decimals > 0 && whole && whole % 10 == 0) {
		whole /= 10;
		decimals--;
	}
	/* Below 2^53 there is room for three more digits. */
	for (; decimals < 0 && decimals >= -3; decimals++)
		whole *= 10;
	if (decimals >= 0 && decimals <= TENS_MOST)
		return put_decimal(to, whole, (unsigned)decimals);
	to = put_whole(to, whole);
	return to + snprintf(to, 8, "e%d", -decimals);
}

/*
 * Devices print readings with a few decimals. Let r / 10^k = v for a whole r, both below 2^53. Then
 * r and k represent v exactly: the division rounds as a parser of the decimal number does.
 */
char *metric_put_real(char *to, double v, int shift)
{
	static const struct {
		int decimals;
		double scale;
	} tries[] = {{4, 1e4}, {8, 1e8}, {12, 1e12}, {18, 1e18}};
	double most = 9007199254740992.0, magnitude = fabs(v);

	if (!isfinite(v))
		return to + snprintf(to, METRIC_NUMBER_MOST, "%s",
				    isnan(v) ? "NaN"
				    : v > 0  ? "+Inf"
					     : "-Inf");
	if (v < 0)
		*to++ = '-';
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		double whole = magnitude * tries[i].scale;

		if (!(whole < most))
			break;
		whole = nearbyint(whole);
		if (whole / tries[i].scale == magnitude)
			return put_scaled(to, (uint64_t)whole, tries[i].decimals - shift);
	}
	return to + snprintf(to, METRIC_NUMBER_MOST - 1, "%.17g", magnitude * pow(10, shift));
}
