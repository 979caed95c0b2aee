/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_OUTPUT_TICKET_WORDS_JSON_H
#define APP_OUTPUT_TICKET_WORDS_JSON_H

#include "archive/snapshot_file/bundle.h"

/* The author, reason and mode of a snapshot, read from its ticket.json. */
struct ticket_words;

/* NULL: the file is a recording, or has no ticket. */
struct ticket_words *ticket_words_of(struct rts *r);
void ticket_words_free(struct ticket_words *w); /* NULL is allowed */

/*
 * Copies them into about for a new ticket of that snapshot. A given reason or incident stays. The
 * texts belong to w. w NULL: does nothing.
 */
void ticket_words_take(const struct ticket_words *w, bool has_reason, bool has_incident,
	struct bundle_about *about);

#endif
