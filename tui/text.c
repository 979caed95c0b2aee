/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/text.h"

#include <wchar.h>

#include "tui/draw.h"

uint32_t text_next(const char **s)
{
	const unsigned char *p = (const unsigned char *)*s;
	uint32_t v, least;
	int more;

	(*s)++;
	if (p[0] < 0x80)
		return p[0];
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		v = p[0] & 0x1fU, more = 1, least = 0x80;
	else if ((p[0] & 0xf0) == 0xe0)
		v = p[0] & 0x0fU, more = 2, least = 0x800;
	else if (p[0] >= 0xf0 && p[0] <= 0xf4)
		v = p[0] & 0x07U, more = 3, least = 0x10000;
	else
		return TEXT_BROKEN;
	/* A NUL is no continuation byte, so this stops inside the string. */
	for (int i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return TEXT_BROKEN;
		v = v << 6 | (p[i] & 0x3fU);
	}
	if (v < least || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
		return TEXT_BROKEN;
	*s += more;
	return v;
}

size_t text_encode(uint32_t c, char *dst)
{
	size_t n = 0;

	if (c < 0x80) {
		dst[n++] = (char)c;
	} else if (c < 0x800) {
		dst[n++] = (char)(0xc0 | c >> 6);
		dst[n++] = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		dst[n++] = (char)(0xe0 | c >> 12);
		dst[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		dst[n++] = (char)(0x80 | (c & 0x3f));
	} else {
		dst[n++] = (char)(0xf0 | (c >> 18 & 7));
		dst[n++] = (char)(0x80 | (c >> 12 & 0x3f));
		dst[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		dst[n++] = (char)(0x80 | (c & 0x3f));
	}
	dst[n] = '\0';
	return n;
}

size_t text_before(const char *s, size_t at)
{
	if (at)
		at--;
	while (at && ((unsigned char)s[at] & 0xc0) == 0x80)
		at--;
	return at;
}

size_t text_after(const char *s, size_t at)
{
	if (s[at])
		at++;
	while (((unsigned char)s[at] & 0xc0) == 0x80)
		at++;
	return at;
}

int text_columns(uint32_t c)
{
	int w;

	if (c >= 0x20 && c < 0x7f)
		return 1;
	if (c < 0xa0 || c == TEXT_BROKEN)
		return 0;
	w = wcwidth((wchar_t)c);
	return w < 0 ? 0 : w;
}

const char *text_ascii(uint32_t c)
{
	static const struct {
		uint32_t c;
		const char *text;
	} table[] = {
		{0x00a0, " "},
		{0x00b0, "o"},
		{0x00b1, "+-"},
		{0x00b5, "u"},
		{0x00b7, "."},
		{0x00d7, "x"},
		{0x03bc, "u"},
		{0x2013, "-"},
		{0x2014, "-"},
		{0x2018, "'"},
		{0x2019, "'"},
		{0x201c, "\""},
		{0x201d, "\""},
		{0x2022, "*"},
		{0x2026, "~"},
		{0x203a, ">"},
		{0x2190, "<-"},
		{0x2191, "^"},
		{0x2192, "->"},
		{0x2193, "v"},
		{0x2194, "<->"},
		{0x2264, "<="},
		{0x2265, ">="},
		{0x2500, "-"},
		{0x2502, "|"},
		{0x2588, "#"},
		{0x25b2, "^"},
		{0x25b4, "^"},
		{0x25bc, "v"},
		{0x25be, "v"},
		{0x25cf, "*"},
		{0x2713, "+"},
		{0x2717, "x"},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].c == c)
			return table[i].text;
	return "?";
}

/* Without a UTF-8 locale the library knows no widths; most characters take one column. */
static int width_or_one(uint32_t c)
{
	int w = text_columns(c);

	return w > 0 ? w : 1;
}

int text_width(const char *text)
{
	int w = 0;

	while (*text)
		w += width_or_one(text_next(&text));
	return w;
}
