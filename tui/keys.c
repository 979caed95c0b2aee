/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "tui/keymap.h"
#include "tui/term.h"
#include "tui/text.h"

/* A key is printed with its first name in this table. */
static const struct {
	const char *name;
	int key;
} names[] = {
	{"Up", TKEY_UP},
	{"Down", TKEY_DOWN},
	{"Left", TKEY_LEFT},
	{"Right", TKEY_RIGHT},
	{"Home", TKEY_HOME},
	{"End", TKEY_END},
	{"PgUp", TKEY_PGUP},
	{"PgDn", TKEY_PGDN},
	{"PageUp", TKEY_PGUP},
	{"PageDown", TKEY_PGDN},
	{"Insert", TKEY_INSERT},
	{"Delete", TKEY_DELETE},
	{"Backspace", TKEY_BACKSPACE},
	{"Shift-Tab", TKEY_TAB_BACK},
	{"F1", TKEY_F1},
	{"F2", TKEY_F2},
	{"F3", TKEY_F3},
	{"F4", TKEY_F4},
	{"F5", TKEY_F5},
	{"F6", TKEY_F6},
	{"F7", TKEY_F7},
	{"F8", TKEY_F8},
	{"F9", TKEY_F9},
	{"F10", TKEY_F10},
	{"F11", TKEY_F11},
	{"F12", TKEY_F12},
	{"Enter", '\r'},
	{"Return", '\r'},
	{"Esc", 27},
	{"Escape", 27},
	{"Tab", '\t'},
	{"Space", ' '},
};
#define NAMES (sizeof(names) / sizeof(names[0]))

/* Parses exactly one printable character. */
static bool parse_char(const char *text, int *key)
{
	uint32_t c;

	if (!*text)
		return false;
	c = text_next(&text);
	if (*text || c <= ' ' || (c >= 0x7f && c < 0xa0) || c == TEXT_BROKEN)
		return false;
	*key = (int)c;
	return true;
}

static bool parse_control(const char *text, int *key)
{
	int c = toupper((unsigned char)text[0]);

	if (!text[0] || text[1])
		return false;
	/* ^H, ^J, ^Z and ^\ arrive as other keys or not at all; ^I and ^M are Tab and Enter. */
	if (c == 'H' || c == 'J' || c == 'Z' || c == '\\')
		return false;
	if (c < 'A' || c > '_')
		return false;
	*key = c - '@';
	return true;
}

static bool parse_plain(const char *text, int *key)
{
	if (parse_char(text, key))
		return true;
	if (strncasecmp(text, "Ctrl-", 5) == 0)
		return parse_control(text + 5, key);
	if (text[0] == '^')
		return parse_control(text + 1, key);
	for (size_t i = 0; i < NAMES; i++) {
		if (strcasecmp(names[i].name, text) == 0) {
			*key = names[i].key;
			return true;
		}
	}
	return false;
}

bool key_parse(const char *text, int *key)
{
	/* "Alt-[" looks like the start of an escape sequence. */
	if (strncasecmp(text, "Alt-", 4) == 0 && text[4] != '[' && parse_plain(text + 4, key)) {
		*key |= TKEY_ALT;
		return true;
	}
	return parse_plain(text, key);
}

const char *key_name(int key, char *dst, size_t size)
{
	const char *alt = key > 0 && key & TKEY_ALT ? "Alt-" : "";
	char c[5];

	key &= ~TKEY_ALT;
	for (size_t i = 0; i < NAMES; i++) {
		if (names[i].key == key) {
			(void)str_printf(dst, size, "%s%s", alt, names[i].name);
			return dst;
		}
	}
	if (key > 0 && key < ' ') {
		(void)str_printf(dst, size, "%sCtrl-%c", alt, key + '@');
	} else if (key > ' ' && key < KEY_BASE_) {
		(void)text_encode((uint32_t)key, c);
		(void)str_printf(dst, size, "%s%s", alt, c);
	} else {
		(void)str_copy(dst, size, "?");
	}
	return dst;
}
