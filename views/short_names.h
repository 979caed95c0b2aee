/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_SHORT_NAMES_H
#define VIEWS_SHORT_NAMES_H

#include <stddef.h>

#include "tui/term.h"

/*
 * Short forms of names for narrow screens. Both ends of a locator tell it apart: the device's
 * number, and the port's. So it is shortened by rule, then in the middle, never at its end.
 */

/* "leaf-r5-00:Ethernet128" as "r5-00:Eth128"; text without such words as it is. */
void short_place(const char *text, char *dst, size_t size);
/*
 * Shortens text in place to at most width columns: as it is if it fits, by rule, then with an
 * ellipsis in the middle. Text that is no locator keeps its beginning.
 */
void short_to_width(const struct term *t, char *text, size_t size, int width);

#endif
