/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_FIRST_LINE_H
#define BACKENDS_PARSE_FIRST_LINE_H

#include <stddef.h>

/*
 * Copies the first printable line of an answer for an error message; "nothing" if there is none.
 * Returns dst.
 */
char *parse_first_line(const char *bytes, size_t len, char *dst, size_t size);

#endif
