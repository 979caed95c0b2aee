/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Reads decimal digits, eight bytes at a time. The number of digits of a counter is nearly random,
 * so the branch that ends a loop over them is often mispredicted. Digits are combined in pairs,
 * then fours, then eights (Lemire, "Quickly parsing eight digits", 2018).
 */
#define DIGITS_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Independent of the locale. */
static inline bool digits_is(char c)
{
	return c >= '0' && c <= '9';
}

/* Loads eight bytes; the first one becomes the lowest byte. */
static inline uint64_t digits_load(const char *at)
{
	uint64_t w;

	memcpy(&w, at, sizeof(w));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	return w;
}

/* The sum of the eight bytes of w. */
static inline unsigned digits_sum_bytes(uint64_t w)
{
	const uint64_t pairs = UINT64_C(0x00ff00ff00ff00ff);

	return (unsigned)((((w & pairs) + (w >> 8 & pairs)) * UINT64_C(0x0001000100010001)) >> 48);
}

/* Number of digits at the start of the eight bytes (0 to 8). */
static inline unsigned digits_count(uint64_t w)
{
	uint64_t x = w ^ DIGITS_EACH('0');
	/* A carry comes only from a byte that is no digit, and goes only into the bytes behind
	 * it. */
	uint64_t other = ((x + DIGITS_EACH(0x76)) | x) & DIGITS_EACH(0x80);

	return other ? (unsigned)__builtin_ctzll(other) >> 3 : 8;
}

/* Sets the top bit of each byte that is no digit. */
static inline uint64_t digits_others(uint64_t w)
{
	uint64_t x = w ^ DIGITS_EACH('0');

	return (((x & DIGITS_EACH(0x7f)) + DIGITS_EACH(0x76)) | x) & DIGITS_EACH(0x80);
}

/* Number of bytes behind the last one that is no digit. */
static inline unsigned digits_before(uint64_t others)
{
	return others ? (unsigned)__builtin_clzll(others) >> 3 : 8;
}

/* Number of digits at the end of the eight bytes (0 to 8). */
static inline unsigned digits_count_back(uint64_t w)
{
	return digits_before(digits_others(w));
}

/* Value of the first n bytes (0 to 8), which must all be digits. */
static inline uint64_t digits_value(uint64_t w, unsigned n)
{
	const uint64_t two = UINT64_C(0x000000ff000000ff);

	if (!n)
		return 0;
	w = (w - DIGITS_EACH('0')) << (8 * (8 - n));
	w = w * 10 + (w >> 8);
	return ((w & two) * UINT64_C(0x000f424000000064) +
		       ((w >> 16) & two) * UINT64_C(0x0000271000000001)) >>
	       32;
}

/*
 * Reads the digits at the start of the 16 bytes at s into *v. All 16 bytes must be readable.
 * Returns the number of digits; after 16 of them more may follow.
 */
static inline unsigned digits_16(const char *s, uint64_t *v)
{
	static const uint32_t tens[] = {
		1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
	uint64_t w = digits_load(s);
	unsigned n = digits_count(w), more;

	*v = digits_value(w, n);
	if (n < 8)
		return n;
	w = digits_load(s + 8);
	more = digits_count(w);
	*v = *v * tens[more] + digits_value(w, more);
	return n + more;
}

static inline uint64_t digits_load4(const char *at)
{
	uint32_t w;

	memcpy(&w, at, sizeof(w));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap32(w);
#endif
	return w;
}

/* Whether s consists of exactly n digits, 1 to 16; *v is their value. Reads no byte outside s. */
static inline bool digits_all(const char *s, size_t n, uint64_t *v)
{
	uint64_t w = 0, last;

	if (!n || n > 16)
		return false;
	if (n >= 8) {
		w = digits_load(s);
		last = digits_load(s + n - 8);
		if (digits_count(w) < 8 || digits_count(last) < 8)
			return false;
		*v = digits_value(w, (unsigned)n - 8) * 100000000 + digits_value(last, 8);
		return true;
	}
	/* Two loads that overlap. */
	if (n >= 4)
		w = digits_load4(s) | digits_load4(s + n - 4) << (8 * (n - 4));
	for (size_t i = 0; n < 4 && i < n; i++)
		w |= (uint64_t)(unsigned char)s[i] << (8 * i);
	if (digits_count(w) != n)
		return false;
	*v = digits_value(w, (unsigned)n);
	return true;
}

/* Copies n bytes, mostly few, and reads and writes none behind them. */
static inline void digits_copy(char *to, const char *from, size_t n)
{
	if (n < 4) {
		for (size_t i = 0; i < n; i++)
			to[i] = from[i];
	} else if (n < 8) {
		memcpy(to, from, 4);
		memcpy(to + n - 4, from + n - 4, 4);
	} else if (n <= 16) {
		memcpy(to, from, 8);
		memcpy(to + n - 8, from + n - 8, 8);
	} else {
		memcpy(to, from, n);
	}
}

#endif
