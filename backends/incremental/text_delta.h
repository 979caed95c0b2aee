/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_INCREMENTAL_TEXT_DELTA_H
#define BACKENDS_INCREMENTAL_TEXT_DELTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"

/*
 * Keeps the text of the last answer to one question and updates it to the next one from a delta
 * that the device sends. Pure: no I/O. The device's half is an awk program (device_filter.c).
 *
 * A text is a list of tokens. A token is a line. A line of more than 200 bytes, or with a comma at
 * its start, is a token ",N" and the N pieces between its commas. A full text defines the tokens; a
 * text with other tokens is sent in full. A delta consists of lines:
 *
 *   +N      N tokens are unchanged
 *   :TEXT   TEXT replaces the next token
 *   DIGITS  DIGITS replace the last number of the next token and the rest after it
 *
 * A mark follows, to detect errors on either side. It has the number of tokens, the bytes and a
 * checksum of the text, and the number of the base answer.
 */
#define DELTA_LINE_MOST   200
#define DELTA_TOKENS_MOST 65536U
#define DELTA_BYTES_MOST  ((size_t)2 << 20)

struct delta_mark {
	uint32_t seq;    /* number of this answer */
	uint32_t tokens; /* including ",N" */
	uint32_t len;    /* bytes of the text */
	uint32_t sum;
	uint32_t base; /* number of the answer that the delta is based on; 0: full text */
};
/*
 * Reads "TOKENS LEN SUM BASE" up to the end of the line; nothing else may follow. The caller sets
 * seq. False: it is not a mark.
 */
bool delta_mark_read(struct delta_mark *m, const char *text);

/* The changed part of a token: all of it, or its last number and the rest after it. */
struct text_change {
	uint32_t at, len;      /* its offset and length in the new text */
	uint32_t was, was_len; /* its offset and length in the old bytes */
	uint32_t head;         /* unchanged bytes of the token before it */
	uint32_t token;        /* index of the token */
	/*
	 * If only the token's last number differs, without a leading 0 before or now: its new
	 * number of digits, 1 to DELTA_DIGITS, and its value. 0: more may differ.
	 */
	uint8_t digits;
	bool number, commas; /* private, like text */
	uint64_t value;
	const char *text;
};
#define DELTA_DIGITS 18

/*
 * A text kept for its next reader, so that there is one copy only. id belongs to the current text,
 * 0: not kept. was belongs to the text read before it, 0: none. Texts of one thread have different
 * ids.
 *
 * bytes hold the text `was`: all of it, or, with changes, only its parts in the place of each
 * change; the rest is equal.
 */
struct text_before {
	uint64_t id, was;
	const char *bytes;
	size_t len;
	const struct text_change *changes; /* in order; NULL: bytes are the full text */
	size_t changes_n;
	const struct text_delta *tokens; /* of the current text; NULL: unknown */
};

/*
 * Working memory of one call. The results are valid until the next call. Shared by all users in a
 * thread.
 */
struct delta_scratch {
	VEC(struct delta_long) longer;   /* private, like grown */
	VEC(struct text_change *) grown; /* the changes with another length */
	VEC(struct text_change) changes;
	VEC(char) was;    /* the bytes of changes.was */
	VEC(char) before; /* the old text: for the caller */
};
void delta_scratch_free(struct delta_scratch *s);

struct text_delta {
	char *text; /* NUL-terminated at len; NULL: nothing is known */
	size_t len;
	size_t size; /* private, like all that follow */
	/*
	 * Bytes from the start of each token to the start of the next; 0 for ",N". One byte each,
	 * because a device has thousands of tokens; larger spans are in longer.
	 */
	uint8_t *spans;
	struct delta_long {
		uint32_t token, span;
	} * longer; /* sorted by token */
	uint32_t longer_n;
	uint32_t n, seq, sum;
};
void text_delta_free(struct text_delta *d); /* frees its contents and empties it */

/* Iterates over the tokens of the text; begin with {0}. False: there are no more. */
struct delta_token {
	uint32_t token, at, len; /* its index and bytes; no bytes for ",N" */
	uint32_t next, next_at, longer;
};
bool text_delta_next(const struct text_delta *d, struct delta_token *t);

/*
 * Takes the bytes of text, and leaves it empty. False: it is not the text of m; nothing is known.
 */
bool text_delta_whole(struct text_delta *d, struct buf *text, const struct delta_mark *m);
/*
 * Updates the text. s->changes lists the changes in order, and s->was has the old bytes. False: the
 * delta is invalid, is based on another text, or does not give the text of m. Nothing is known
 * then.
 */
bool text_delta_apply(struct text_delta *d, const char *delta, size_t len,
	const struct delta_mark *m, struct delta_scratch *s);

#endif
