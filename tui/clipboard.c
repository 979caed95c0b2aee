/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/buf.h"
#include "tui/term_internal.h"

/* Terminals drop longer ones: 74,994 bytes are 99,992 in base64, and xterm's bound is 100,000. */
#define CLIPBOARD_MAX ((size_t)74994)

static void add_base64(struct buf *b, const unsigned char *s, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		size_t left = len - i;
		unsigned v = (unsigned)s[i] << 16;
		char four[4];

		v |= left > 1 ? (unsigned)s[i + 1] << 8 : 0;
		v |= left > 2 ? (unsigned)s[i + 2] : 0;
		four[0] = digits[v >> 18 & 63];
		four[1] = digits[v >> 12 & 63];
		four[2] = left > 1 ? digits[v >> 6 & 63] : '=';
		four[3] = left > 2 ? digits[v & 63] : '=';
		(void)buf_add(b, four, sizeof(four));
	}
}

bool term_copy(struct term *t, const char *text, size_t len)
{
	struct buf b;
	const char *tmux = getenv("TMUX");

	if (len > CLIPBOARD_MAX || !t->clipboard || t->suspended)
		return false;
	buf_init(&b, 2 * CLIPBOARD_MAX + 4096);
	(void)buf_adds(&b, "\033]52;c;");
	add_base64(&b, (const unsigned char *)text, len);
	(void)buf_adds(&b, "\a");
	term_write(t, b.data, b.len);
	if (tmux && *tmux) {
		/* tmux takes the plain form with set-clipboard on, the wrapped one otherwise. */
		buf_reset(&b);
		(void)buf_adds(&b, "\033Ptmux;\033\033]52;c;");
		add_base64(&b, (const unsigned char *)text, len);
		(void)buf_adds(&b, "\a\033\\");
		term_write(t, b.data, b.len);
	}
	buf_free(&b);
	return true;
}
