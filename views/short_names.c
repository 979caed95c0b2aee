/* SPDX-License-Identifier: Apache-2.0 */
#include "views/short_names.h"

#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "tui/draw.h"

#define CELL_MOST 256

/* Port names of switches: long word, short word. */
static const char *const words[][2] = {
	{"FourHundredGigE", "4Hu"},
	{"HundredGigE", "Hu"},
	{"Ethernet", "Eth"},
	{"ethernet", "eth"},
};

/* The long word at s, as an index; -1: none. It must stand before a number. */
static int long_word(const char *s)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i][0]);

		if (strncmp(s, words[i][0], n) == 0 && isdigit((unsigned char)s[n]))
			return (int)i;
	}
	return -1;
}

void short_place(const char *text, char *dst, size_t size)
{
	size_t n = 0;

	if (str_starts(text, "leaf-r") && isdigit((unsigned char)text[6]))
		text += 5;
	while (*text && n + 1 < size) {
		int word = long_word(text);

		if (word < 0) {
			dst[n++] = *text++;
			continue;
		}
		(void)str_copy(dst + n, size - n, words[word][1]);
		n += strlen(dst + n);
		text += strlen(words[word][0]);
	}
	dst[n] = '\0';
}

/* Names of devices and ports are ASCII: other text is never cut in its middle. */
static bool is_locator(const char *s)
{
	bool colon = false;

	for (; *s; s++) {
		if (*s == ' ' || (unsigned char)*s >= 0x7f)
			return false;
		colon |= *s == ':';
	}
	return colon;
}

void short_to_width(const struct term *t, char *text, size_t size, int width)
{
	char whole[CELL_MOST], brief[CELL_MOST];
	const char *dots = glyph(t, GLYPH_ELLIPSIS);
	int n, head, tail, room;

	if (draw_width(t, text) <= width || !is_locator(text) ||
		!str_copy(whole, sizeof(whole), text))
		return;
	short_place(whole, brief, sizeof(brief));
	n = (int)strlen(brief);
	room = width - draw_width(t, dots);
	if (n <= width || room < 4) {
		(void)str_copy(text, size, brief);
		return;
	}
	/* The end of a port tells it from its neighbours. */
	tail = room * 3 / 5;
	head = room - tail;
	(void)str_printf(text, size, "%.*s%s%s", head, brief, dots, brief + n - tail);
}
