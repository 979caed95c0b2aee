/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_WRAP_H
#define VIEWS_WRAP_H

#include <stddef.h>

/*
 * Bytes of text that fit into width columns, up to a space where there is one; one character at
 * least, 0 of an empty text. What comes next begins behind the spaces that follow.
 */
size_t wrap_fit(const char *text, int width);

#endif
