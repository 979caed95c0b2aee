/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_PANELS_LINK_STRIP_H
#define VIEWS_PANELS_LINK_STRIP_H

#include "views/view.h"

/*
 * The last hour of a link as a strip, the newest at the right: up, down in a part of the column,
 * or down and up again between two polls, by the port's own count. Blank: not known.
 */
#define LINK_STRIP 120 /* columns at most */

/* Whether the link went down within the hour, or is down. */
bool link_strip_due(const struct view_ctx *ctx, const struct port *p);
/* Writes it in `width` columns; dst has 3 bytes a column. */
void link_strip_text(
	const struct view_ctx *ctx, const struct port *p, int width, char *dst, size_t size);

#endif
