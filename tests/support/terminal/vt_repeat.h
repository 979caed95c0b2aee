/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_TERMINAL_VT_REPEAT_H
#define TESTS_SUPPORT_TERMINAL_VT_REPEAT_H

#include <stddef.h>

#include "base/buf.h"

/*
 * ECMA-48's REP, "CSI n b", prints the last character n times more. xterm and tmux know it, so
 * ncurses uses it. Debian 12's libvterm 0.1 ignores it, so the next text lands n columns too far
 * left. Zeroed: nothing seen yet.
 */
struct vt_repeat {
	char last[4]; /* the last character, UTF-8 */
	size_t last_len;
	char held[16]; /* an escape sequence that has not ended */
	size_t held_len;
};

/* Adds the bytes to out with each REP spelled out; a sequence may come in pieces. */
void vt_repeat_feed(struct vt_repeat *r, const char *bytes, size_t n, struct buf *out);

#endif
