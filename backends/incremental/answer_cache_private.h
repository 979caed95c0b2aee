/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_INCREMENTAL_ANSWER_CACHE_PRIVATE_H
#define BACKENDS_INCREMENTAL_ANSWER_CACHE_PRIVATE_H

#include "backends/incremental/answer_layout.h"

/* Private to again*.c. */

struct again {
	struct again_shelf *shelf;
	struct lesson known; /* its shape is NULL: nothing */
	char *text;          /* the last answer; NULL: none, or it is kept elsewhere */
	size_t len, size;
	uint64_t text_id;               /* by this name; 0: it is not */
	const struct text_before *kept; /* see again_kept() */
	struct token_slots *tokens;     /* of the text that is kept; NULL: not known */
	size_t bytes;                   /* that are counted on the shelf */
	uint64_t others;                /* see again_others() */
	char request[32];               /* of the batch, unless it is the first */
	struct again *next;             /* what the answer says to the next question */
	unsigned misses, wait;          /* in a row; answers before the next lesson */
	size_t told_n;                  /* items of the last batch */
};

/* An answer to one question while it is read beside the last one. */
struct reading {
	struct again *a;
	const struct shape_slot *slots;
	size_t n;
	const char *bytes, *end;
	const char *rest; /* behind what was compared: for the next question */
	size_t moves_at;  /* up to there a->text is this answer by now; SIZE_MAX: all of it */
	struct slot_word words[SLOT_WORDS];
	struct obs *o;
};

/*
 * Both side by side: what differs is put on the shelf, by item, and words are noted. a->kept says
 * what the last answer was where a->text does not; that is written over as far as r->moves_at says.
 * False: something differs that is no slot.
 */
bool again_compare(struct reading *r);

/*
 * Finds the slots of the tokens of the text, an answer that a->known.lengths are of, where they are
 * not known. They hold as long as the text is told by what changes in it: whoever learns or
 * compares another drops them.
 */
void again_tokens_find(struct again *a, const char *text);
void again_tokens_drop(struct again *a);

#endif
