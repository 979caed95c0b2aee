/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/incremental/answer_cache_private.h"
#include "base/digits.h"
#include "base/mem.h"

/*
 * The holder of an answer divides it into tokens, each with a last number that may change; a lesson
 * divides it into slots. The slot of each number is looked up once, and stays valid as long as both
 * do.
 */

static bool has_digit(const char *at, const char *end)
{
	while (at < end && !digits_is(*at))
		at++;
	return at < end;
}

/* A slot, and the end of the slot before it. */
struct place {
	const char *at, *end, *end_before;
};

/*
 * True: the slot, the last one to begin in the token, is the token's last number. Only slots
 * change, so this remains true.
 */
static bool is_last_number(
	const struct layout_position *s, const struct place *p, const char *token, const char *end)
{
	return answer_layout_slot_is_digits(s) && p->end <= end &&
	       (p->at == token || (!digits_is(p->at[-1]) && p->end_before < p->at)) &&
	       !has_digit(p->end, end);
}

static void find_slots(const struct answer_cache *a, const char *text,
	const struct text_delta *tokens, struct token_slots *to)
{
	const struct layout_position *slots = answer_layout_slots(a->known.shape);
	size_t k = 0, n = a->known.shape->body->slots, lengths = 0;
	struct delta_token t = {0};
	struct place p = {.end = text};

	while (text_delta_next(tokens, &t)) {
		const char *at = text + t.at, *end = at + t.len;
		size_t last = n;

		for (; k < n && text + slots[k].upto + lengths < end; k++) {
			p.end_before = p.end;
			p.at = text + slots[k].upto + lengths;
			p.end = p.at + a->known.lengths[k];
			lengths += a->known.lengths[k];
			if (p.at >= at)
				last = k;
		}
		to->slot[t.token] = last < n && is_last_number(&slots[last], &p, at, end)
					    ? (uint16_t)last
					    : TOKEN_NO_SLOT;
	}
}

/* Returns the identical list from the shelf, if there is one; else adds t. */
static struct token_slots *share_tokens(struct answer_shelf *shelf, struct token_slots *t)
{
	struct token_slots *known;
	size_t size = t->n * sizeof(t->slot[0]);

	HASH_FIND(hh, shelf->tokens, t->slot, size, known);
	if (known) {
		free(t);
		t = known;
	} else {
		HASH_ADD(hh, shelf->tokens, slot, size, t);
		shelf->bytes += sizeof(*t) + size;
	}
	t->users++;
	return t;
}

void answer_cache_tokens_find(struct answer_cache *a, const char *text)
{
	const struct text_delta *tokens = a->kept->tokens;
	struct token_slots *t;

	if (a->tokens || !tokens || !tokens->n || a->known.shape->body->slots >= TOKEN_NO_SLOT)
		return;
	t = mem_calloc(1, sizeof(*t) + tokens->n * sizeof(t->slot[0]));
	t->n = tokens->n;
	find_slots(a, text, tokens, t);
	a->tokens = share_tokens(a->shelf, t);
}

void answer_cache_tokens_drop(struct answer_cache *a)
{
	struct token_slots *t = a->tokens;

	a->tokens = NULL;
	if (!t || --t->users)
		return;
	HASH_DEL(a->shelf->tokens, t);
	a->shelf->bytes -= sizeof(*t) + t->n * sizeof(t->slot[0]);
	free(t);
}
