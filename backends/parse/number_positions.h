/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_NUMBER_POSITIONS_H
#define BACKENDS_PARSE_NUMBER_POSITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "fabric/vocabulary/observation.h"

/*
 * Slots: the positions of the numbers in an answer, and the item of each. A reader records them
 * while it decodes, for incremental parsing of the next answers of the device
 * (backends/incremental/answer_cache.h). Every function accepts NULL: nothing is recorded.
 *
 * A slot is a promise: another number in its place changes the value of that one item and nothing
 * else in the batch. A reader must not record other numbers; a change of these causes a full parse.
 * at is the text of the whole number in the answer itself. A slot that is not plain digits there is
 * ignored.
 */
enum position_kind {
	POSITION_COUNT,  /* digits: times scale, a part of the count or gauge of a cell */
	POSITION_RATIO,  /* a gauge of a cell, from 0 to 1, in any form of parse_real() */
	POSITION_UNUSED, /* digits without an item */
	POSITION_WORD,   /* digits and dots, for positions_tell() */
	POSITION_RISING, /* likewise, and never less than before */
	POSITION_REAL,   /* a JSON number without an item */
	POSITION_TIME,   /* the read time of a port's counters, for positions_times() */
	POSITION_AMOUNT, /* like POSITION_COUNT, with fraction and unit: bytes as in units_bytes()
			  */
	POSITION_TEXT    /* plain letters, digits and signs of a JSON string without an item */
};

/* A text without a terminator. */
struct position_word {
	const char *at;
	size_t n;
};
#define POSITION_WORDS     4
#define POSITION_TEXT_MOST 40 /* bytes */
#define POSITION_DIGITS    18 /* of a number: no sum or product of a few exceeds 64 bits */
#define POSITION_SCALE     16 /* the largest scale */

struct position_seen {
	uint32_t at;
	uint32_t before; /* number, from 1, of the previous slot in its row; 0: none */
	uint16_t port, cell;
	uint8_t n, kind;
	uint8_t scale; /* of a word: its index */
};

/*
 * Sets in o the values of the words (times of the answer and of its ports, items of the device), as
 * the reader does. False: the reader would treat the words differently.
 */
typedef bool position_tell(const struct position_word words[POSITION_WORDS], struct obs *o);
/*
 * Returns a port's time in us, by the device's clock, as the reader does; 0: the reader ignores it.
 */
typedef int64_t position_time(const char *at, size_t n);

struct json_select;

/* Number of hash rows for slots of cells, by port and cell, to find the slots of a cell. */
#define POSITION_ROWS 512

struct number_positions {
	const char *bytes;
	size_t len;
	position_tell *tell; /* NULL: there are no words */
	position_time *time; /* NULL: there are no times of ports */
	size_t looked; /* slots visited by positions_void(): bounded, whatever a device sends */
	VEC(struct position_seen) seen;
	uint32_t last[POSITION_ROWS]; /* last slot per row, as in slot_seen.before */
	VEC(size_t) batches;          /* number of slots at the start of each further batch */
	const struct json_select
		*doc; /* for backends/parse/number_positions_json.h; NULL: no document */
};

void positions_begin(struct number_positions *s, const char *bytes, size_t len);
void positions_free(struct number_positions *s);

/* Adds a slot: the n bytes at `at`, times scale, are added to the cell. */
void positions_add(struct number_positions *s, const char *at, size_t n, uint32_t port,
	uint16_t cell, unsigned scale);
/* Adds a slot with a text of units_bytes(), including its unit. */
void positions_amount(
	struct number_positions *s, const char *at, size_t n, uint32_t port, uint16_t cell);
/* A better source replaces the cell's value: its slots become unused. */
void positions_void(struct number_positions *s, uint32_t port, uint16_t cell);
void positions_ratio(
	struct number_positions *s, const char *at, size_t n, uint32_t port, uint16_t cell);
void positions_unused(struct number_positions *s, const char *at, size_t n);
/* Adds a word slot. which: below POSITION_WORDS. */
void positions_word(
	struct number_positions *s, const char *at, size_t n, unsigned which, bool rising);
void positions_tell(struct number_positions *s, position_tell *tell);
/* Adds a slot for the read time of the port's counters. */
void positions_time(struct number_positions *s, const char *at, size_t n, uint32_t port);
void positions_times(struct number_positions *s, position_time *time);
/* Add unused slots: any number with sign, fraction and exponent; any quoted text. */
void positions_real(struct number_positions *s, const char *at, size_t n);
void positions_string(struct number_positions *s, const char *at, size_t n);
/*
 * For an answer to several questions: the following slots belong to its next batch (obs_more()) and
 * stand after all slots so far. Only the first batch has words.
 */
void positions_next(struct number_positions *s);

/*
 * Returns the bytes of a slot of this kind from `at`, up to `end`; 0: invalid (a leading 0 or too
 * many digits).
 */
size_t position_length(enum position_kind kind, const char *at, const char *end);
/* True: n bytes of a POSITION_REAL are a JSON number that is not too large. */
bool position_is_real(const char *at, size_t n);
/* Returns the number of n digits, at most POSITION_DIGITS. */
uint64_t position_number(const char *at, size_t n);
/* Computes the amount that a slot adds to its cell. False: it is no POSITION_COUNT or
 * POSITION_AMOUNT. */
bool position_value(
	enum position_kind kind, const char *at, size_t n, unsigned scale, uint64_t *out);

#endif
