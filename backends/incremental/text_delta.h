/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_INCREMENTAL_TEXT_DELTA_H
#define BACKENDS_INCREMENTAL_TEXT_DELTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"

/*
 * The text of the last answer to one question, and how it becomes that of the next one from what a
 * device says has changed. Pure: no I/O. The device's half is an awk program (device_filter.c).
 *
 * A text is a list of tokens: lines; a line of more than 200 bytes, or that begins with a comma, is
 * a token ",N" and the N pieces between its commas. Which there are is fixed by a whole text, and a
 * text with others comes whole. A delta is lines:
 *   +N      N tokens are as they were
 *   :TEXT   the next token is this
 *   DIGITS  the next token has this instead of its last number and what is behind that
 * and a mark, from which either side's mistake is seen: how many tokens there are, the bytes and a
 * sum of the text, and the number of the answer that it is the difference to.
 */
#define DELTA_LINE_MOST   200
#define DELTA_TOKENS_MOST 65536U
#define DELTA_BYTES_MOST  ((size_t)2 << 20)

struct delta_mark {
	uint32_t seq;    /* of this answer */
	uint32_t tokens; /* ",N" included */
	uint32_t len;    /* bytes of the text */
	uint32_t sum;
	uint32_t base; /* the answer that it is the difference to; 0: it is a whole text */
};
/*
 * Reads "TOKENS LEN SUM BASE" up to the end of the line, of which nothing else may be; seq is the
 * caller's. False: it is no mark.
 */
bool delta_mark_read(struct delta_mark *m, const char *text);

/*
 * What of a token of the new text is not as it was: all of it, or its last number and what is
 * behind that.
 */
struct text_change {
	uint32_t at, len;      /* where it is, in bytes */
	uint32_t was, was_len; /* where what it was begins, in the bytes that go with the changes */
	uint32_t head;         /* bytes of the token in front of it, which are as they were */
	uint32_t token;        /* which */
	/*
	 * Nothing but the token's last number is another, before and now without a 0 in front, and
	 * now so many digits, 1 to DELTA_DIGITS: value. 0: it may be more.
	 */
	uint8_t digits;
	bool number, commas; /* private, as text */
	uint64_t value;
	const char *text;
};
#define DELTA_DIGITS 18

/*
 * A text that is kept for whoever reads the next one, so that nobody keeps another copy of it. id
 * is that of the text which is read now, 0: it is not kept; was that of the one before it that was
 * read, 0: there is none. No two texts of a thread have the same id.
 *
 * What the text `was` said: bytes are all of it; where changes is given, they are of what it had in
 * the place of each, and it was the same everywhere else.
 */
struct text_before {
	uint64_t id, was;
	const char *bytes;
	size_t len;
	const struct text_change *changes; /* in their order; NULL: bytes are the whole text */
	size_t changes_n;
	const struct answer_delta *tokens; /* of the text that is read now; NULL: not known */
};

/* For the time of one call, and its results until the next: shared by whoever lives in a thread. */
struct delta_scratch {
	VEC(struct delta_long) longer;   /* private, as the next */
	VEC(struct text_change *) grown; /* those of changes that have another length */
	VEC(struct text_change) changes;
	VEC(char) was;    /* the bytes of changes.was */
	VEC(char) before; /* what a text was: the caller's */
};
void delta_scratch_free(struct delta_scratch *s);

struct answer_delta {
	char *text; /* NUL-terminated at len; NULL: nothing is known */
	size_t len;
	size_t size; /* private, as all that follows */
	/*
	 * Of each token the bytes from where it begins to where the next one does; of ",N" none. A
	 * byte each, for there are thousands a device; those that a byte cannot say are in longer.
	 */
	uint8_t *spans;
	struct delta_long {
		uint32_t token, span;
	} * longer; /* in their order */
	uint32_t longer_n;
	uint32_t n, seq, sum;
};
void answer_delta_free(struct answer_delta *d); /* and empties it */

/* The tokens of the text one after the other, from {0} on. False: there are no more. */
struct delta_token {
	uint32_t token, at, len; /* which, and its bytes; of ",N" none */
	uint32_t next, next_at, longer;
};
bool answer_delta_next(const struct answer_delta *d, struct delta_token *t);

/* Takes the bytes of text, which is empty after it. False, nothing is known: it is not m's text. */
bool answer_delta_whole(struct answer_delta *d, struct buf *text, const struct delta_mark *m);
/*
 * Makes the text the next one; s->changes says where, in its order, and s->was what was there.
 * False, nothing is known any more: the delta is none, is not to this text, or does not lead to
 * that of m.
 */
bool answer_delta_apply(struct answer_delta *d, const char *delta, size_t len,
	const struct delta_mark *m, struct delta_scratch *s);

#endif
