/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SCAN_PRIVATE_H
#define BASE_SCAN_PRIVATE_H

#include "base/scan.h"

/* The tokens of scan.c, each in one piece. wrong receives the expected token; unchanged without an
 * error. */

/*
 * Decodes the escape at s, a pair of surrogates included. Returns the bytes read; *n is the number
 * of bytes decoded (at most 4). 0: the escape continues behind the end, or *wrong is set.
 */
size_t scan_escape(const char *s, size_t len, char decoded[4], size_t *n, const char **wrong);

/* Length of the UTF-8 character at s, len > 0. 0: it continues behind the end; -1: it is not
 * UTF-8. */
int scan_utf8(const char *s, size_t len);

/* Characters that a number may have. */
static inline bool scan_is_number(char c)
{
	return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

/* text is the whole number, no longer than SCAN_NUMBER. big: SCAN_BIG is set. */
bool scan_number(const char *text, size_t len, bool big, struct scan_event *e, const char **wrong);

#endif
