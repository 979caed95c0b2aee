/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_TEXT_H
#define TUI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* UTF-8 one character at a time. Private to tui/. */

/* Reads the character at *s and moves *s behind it; TEXT_BROKEN for a byte that is not UTF-8. */
#define TEXT_BROKEN 0xfffdU
uint32_t text_next(const char **s);
/* Writes c as UTF-8 to dst of at least 5 bytes, terminated; returns the length. */
size_t text_encode(uint32_t c, char *dst);
/* Start of the character before s[at], and of the one after it. */
size_t text_before(const char *s, size_t at);
size_t text_after(const char *s, size_t at);
/* Columns a printable character takes, 1 or 2; 0 when it must not be printed. */
int text_columns(uint32_t c);
/* ASCII stand-in of a character, "?" when it has none. */
const char *text_ascii(uint32_t c);

#endif
