/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_WRAP_H
#define VIEWS_WRAP_H

#include <stddef.h>

/*
 * The number of bytes of text that fit into width columns, cut at a space if possible. At least one
 * character; 0 for an empty text. The next line begins behind the spaces that follow.
 */
size_t wrap_fit(const char *text, int width);

#endif
