/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_EVENT_TEXT_H
#define VIEWS_EVENT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "views/view.h"

/*
 * Events as rows, for the view of events and for the last events beside a map. An end is in the row
 * of its beginning; where ctx->folded is set, events of a port that came again are in the newest
 * one. i: the number of the event, 0 is the newest (model_event()).
 */
bool event_has_row(const struct view_ctx *ctx, size_t i);
/* "flapped 16x, down 3s each, since 13:52:04", "up after 5s; idle", or the event's own text. */
void event_detail(const struct view_ctx *ctx, size_t i, char *dst, size_t size);

#endif
