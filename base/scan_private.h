/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SCAN_PRIVATE_H
#define BASE_SCAN_PRIVATE_H

#include "base/scan.h"

/* The tokens of scan.c, each as one piece. wrong is set to what was expected; else left alone. */

/*
 * Decodes the escape at s, a pair of surrogates included. Returns the bytes used, *n those made (at
 * most 4); 0: it goes on behind the end, or *wrong is set.
 */
size_t scan_escape(const char *s, size_t len, char decoded[4], size_t *n, const char **wrong);

/* Length of the UTF-8 character at s; 0: it goes on behind the end; -1: it is none. len > 0. */
int scan_utf8(const char *s, size_t len);

/* Characters that a number may have. */
static inline bool scan_is_number(char c)
{
	return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

/* text is all of it and no longer than SCAN_NUMBER; big: what SCAN_BIG says. */
bool scan_number(const char *text, size_t len, bool big, struct scan_event *e, const char **wrong);

#endif
