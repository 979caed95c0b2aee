/* SPDX-License-Identifier: Apache-2.0 */
#include "views/wrap.h"

#include "base/str.h"
#include "tui/draw.h"

#define LINE_BYTES 512

static size_t after_char(const char *s, size_t at)
{
	at++;
	while (((unsigned char)s[at] & 0xc0) == 0x80)
		at++;
	return at;
}

size_t wrap_fit(const char *text, int width)
{
	char part[LINE_BYTES];
	size_t at = 0, space = 0, next;

	while (text[at]) {
		next = after_char(text, at);
		if (!str_copyn(part, sizeof(part), text, next) || text_width(part) > width)
			return space ? space : at ? at : next;
		if (text[at] == ' ')
			space = at;
		at = next;
	}
	return at;
}
