/* SPDX-License-Identifier: Apache-2.0 */
#include "base/scan_private.h"

/* Characters within strings: RFC 8259 section 7, RFC 3629. */

#define SHORT_ESCAPE  2
#define LONG_ESCAPE   6
#define DOUBLE_ESCAPE 12

/* The value of four hexadecimal digits; false: they are none. */
static bool read_hex4(const char *s, uint32_t *out)
{
	uint32_t v = 0;

	for (int i = 0; i < 4; i++) {
		char c = s[i], lower = (char)(c | 0x20);

		if (c >= '0' && c <= '9')
			v = v << 4 | (uint32_t)(c - '0');
		else if (lower >= 'a' && lower <= 'f')
			v = v << 4 | (uint32_t)(lower - 'a' + 10);
		else
			return false;
	}
	*out = v;
	return true;
}

static size_t encode_utf8(uint32_t c, char dst[4])
{
	if (c < 0x80) {
		dst[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		dst[0] = (char)(0xc0 | c >> 6);
		dst[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		dst[0] = (char)(0xe0 | c >> 12);
		dst[1] = (char)(0x80 | (c >> 6 & 0x3f));
		dst[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	dst[0] = (char)(0xf0 | c >> 18);
	dst[1] = (char)(0x80 | (c >> 12 & 0x3f));
	dst[2] = (char)(0x80 | (c >> 6 & 0x3f));
	dst[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static bool is_high(uint32_t c)
{
	return c >= 0xd800 && c <= 0xdbff;
}

static bool is_low(uint32_t c)
{
	return c >= 0xdc00 && c <= 0xdfff;
}

/* Decodes the second half of a surrogate pair, which must be an escape as well. */
static size_t decode_pair(
	const char *s, size_t len, uint32_t high, char decoded[4], size_t *n, const char **wrong)
{
	static const char half[] = "the second half of a UTF-16 pair";
	uint32_t low;

	if ((len > LONG_ESCAPE && s[LONG_ESCAPE] != '\\') ||
		(len > LONG_ESCAPE + 1 && s[LONG_ESCAPE + 1] != 'u')) {
		*wrong = half;
		return 0;
	}
	if (len < DOUBLE_ESCAPE)
		return 0;
	if (!read_hex4(s + LONG_ESCAPE + 2, &low) || !is_low(low)) {
		*wrong = half;
		return 0;
	}
	*n = encode_utf8(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00), decoded);
	return DOUBLE_ESCAPE;
}

size_t scan_escape(const char *s, size_t len, char decoded[4], size_t *n, const char **wrong)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	uint32_t c;

	if (len < SHORT_ESCAPE)
		return 0;
	for (int i = 0; from[i]; i++)
		if (s[1] == from[i]) {
			decoded[0] = to[i];
			*n = 1;
			return SHORT_ESCAPE;
		}
	if (s[1] != 'u') {
		*wrong = "an escape: one of \"\\/bfnrtu";
		return 0;
	}
	if (len < LONG_ESCAPE)
		return 0;
	if (!read_hex4(s + 2, &c) || is_low(c)) {
		*wrong = "\\u and four hexadecimal digits of a character";
		return 0;
	}
	if (is_high(c))
		return decode_pair(s, len, c, decoded, n, wrong);
	*n = encode_utf8(c, decoded);
	return LONG_ESCAPE;
}

int scan_utf8(const char *s, size_t len)
{
	unsigned char first = (unsigned char)s[0];
	/* Bounds of the second byte: no overlong forms, no surrogates, nothing above U+10FFFF. */
	unsigned char least = 0x80, most = 0xbf;
	int n;

	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4)
		return -1;
	n = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
	if (first == 0xe0)
		least = 0xa0;
	else if (first == 0xed)
		most = 0x9f;
	else if (first == 0xf0)
		least = 0x90;
	else if (first == 0xf4)
		most = 0x8f;
	for (int i = 1; i < n && (size_t)i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < least || c > most)
			return -1;
		least = 0x80;
		most = 0xbf;
	}
	return len < (size_t)n ? 0 : n;
}
