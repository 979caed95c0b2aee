/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_OUTPUT_TICKET_WORDS_JSON_H
#define APP_OUTPUT_TICKET_WORDS_JSON_H

#include "archive/snapshot_file/bundle.h"

/* What a snapshot says of itself: who made it, why, in which mode. */
struct ticket_words;

/* NULL: the file is a recording, or says nothing. */
struct ticket_words *ticket_words_of(struct rts *r);
void ticket_words_free(struct ticket_words *w); /* NULL is allowed */

/*
 * Into what is made of that snapshot; another reason or incident that was given stays. The words
 * live as long as w. w NULL: nothing is taken.
 */
void ticket_words_take(const struct ticket_words *w, bool has_reason, bool has_incident,
	struct bundle_about *about);

#endif
