/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_INCREMENTAL_ANSWER_CACHE_PRIVATE_H
#define BACKENDS_INCREMENTAL_ANSWER_CACHE_PRIVATE_H

#include "backends/incremental/answer_layout.h"

/* Private to answer_cache*.c. */

struct answer_cache {
	struct answer_shelf *shelf;
	struct answer_template known; /* shape NULL: nothing is known */
	char *text;                   /* the last answer; NULL: none, or the caller keeps it */
	size_t len, size;
	uint64_t text_id;               /* id of the answer that the caller keeps; 0: none */
	const struct text_before *kept; /* see answer_cache_kept() */
	struct token_slots *tokens;     /* of the kept text; NULL: unknown */
	size_t bytes;                   /* counted on the shelf */
	uint64_t others;                /* see answer_cache_others() */
	char request[32];               /* of the batch; unused for the first */
	struct answer_cache *next;      /* the part of the answer for the next question */
	unsigned misses, wait; /* misses: consecutive; wait: answers before the next lesson */
	size_t told_n;         /* items of the last batch */
};

/* One part of an answer while it is compared with the last one. */
struct reading {
	struct answer_cache *a;
	const struct layout_position *slots;
	size_t n;
	const char *bytes, *end;
	const char *rest; /* end of the compared text: start of the next part */
	size_t moves_at;  /* a->text equals this answer up to here; SIZE_MAX: all of it */
	struct position_word words[POSITION_WORDS];
	struct obs *o;
};

/*
 * Compares both answers. Changed items are stored on the shelf, and words are noted. The last
 * answer is a->kept if given, else a->text, which is overwritten up to r->moves_at. False: text
 * outside the slots differs.
 */
bool answer_cache_compare(struct reading *r);

/*
 * Finds the slot of each token of the text, which must match a->known.lengths, unless known
 * already. The result is valid as long as the text is updated by changes; a full comparison or a
 * new lesson drops it.
 */
void answer_cache_tokens_find(struct answer_cache *a, const char *text);
void answer_cache_tokens_drop(struct answer_cache *a);

#endif
