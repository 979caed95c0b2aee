/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_NUMBER_POSITIONS_H
#define BACKENDS_PARSE_NUMBER_POSITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "fabric/vocabulary/observation.h"

/*
 * Slots: where in an answer the numbers stand, and what each of them becomes. A reader tells them
 * while it decodes, to whoever wants the next answer of the same device to cost what changed in it
 * (backends/incremental/answer_cache.h). Every function takes NULL: nobody wants to know.
 *
 * A promise goes with each slot: another number in its place changes the value of that one item and
 * nothing else in the batch. What cannot be promised is not told; then a change there makes the
 * answer be read as a whole. at is the text of the whole number, as the reader takes it, in the
 * answer itself; a slot that is not plain digits there is left out.
 */
enum slot_kind {
	SLOT_COUNT,  /* digits: times scale, a part of the count or reading of a cell */
	SLOT_RATIO,  /* a reading of a cell, from 0 to 1, in any form of parse_real() */
	SLOT_UNUSED, /* digits that nothing is made of */
	SLOT_WORD,   /* digits and dots, for slots_tell() */
	SLOT_RISING, /* likewise, and never less than before */
	SLOT_REAL,   /* a number as JSON has it that nothing is made of */
	SLOT_TIME,   /* when a port's counters were read, for slots_times() */
	SLOT_AMOUNT, /* as SLOT_COUNT, with fraction and unit: bytes as units_bytes() has them */
	SLOT_TEXT    /* plain letters, digits and signs of a JSON string that nothing is made of */
};

/* A text that nothing ends. */
struct slot_word {
	const char *at;
	size_t n;
};
#define SLOT_WORDS     4
#define SLOT_TEXT_MOST 40 /* bytes */
#define SLOT_DIGITS    18 /* of a number: no sum or product of a few passes 64 bits */
#define SLOT_SCALE     16 /* the largest */

struct slot_seen {
	uint32_t at;
	uint32_t before; /* the number, from 1, of the last one in its row before it; 0: none */
	uint16_t port, cell;
	uint8_t n, kind;
	uint8_t scale; /* of a word: which */
};

/*
 * Says in o what the words are about (times of the answer and of its ports, items of the device),
 * as the reader would have. False: it would take them otherwise.
 */
typedef bool slot_tell(const struct slot_word words[SLOT_WORDS], struct obs *o);
/* A port's time, us, by the device's clock, as the reader takes it; 0: it would take none of it. */
typedef int64_t slot_time(const char *at, size_t n);

struct doc;

/* So many rows has what is told of cells, by port and cell, so that those of a cell are found. */
#define SLOT_ROWS 512

struct slots {
	const char *bytes;
	size_t len;
	slot_tell *tell; /* NULL: there are no words */
	slot_time *time; /* NULL: there are no times of ports */
	size_t looked;   /* at slots, for those that give way: bounded, whatever a device sends */
	VEC(struct slot_seen) seen;
	uint32_t last[SLOT_ROWS]; /* of each row, as in slot_seen.before */
	VEC(size_t) batches;      /* how many slots there were when the next batch began */
	const struct doc *doc; /* for backends/parse/number_positions_json.h; NULL: none is read */
};

void slots_begin(struct slots *s, const char *bytes, size_t len);
void slots_free(struct slots *s);

/* n bytes at at, times scale, are added to what the cell has. */
void slots_add(
	struct slots *s, const char *at, size_t n, uint32_t port, uint16_t cell, unsigned scale);
/* A text of units_bytes(), its unit in it. */
void slots_amount(struct slots *s, const char *at, size_t n, uint32_t port, uint16_t cell);
/* What the cell had gives way to something better: its slots are unused. */
void slots_void(struct slots *s, uint32_t port, uint16_t cell);
void slots_ratio(struct slots *s, const char *at, size_t n, uint32_t port, uint16_t cell);
void slots_unused(struct slots *s, const char *at, size_t n);
/* which: below SLOT_WORDS. */
void slots_word(struct slots *s, const char *at, size_t n, unsigned which, bool rising);
void slots_tell(struct slots *s, slot_tell *tell);
/* When the counters of the port were read. */
void slots_time(struct slots *s, const char *at, size_t n, uint32_t port);
void slots_times(struct slots *s, slot_time *time);
/* Any number, with sign, fraction and exponent; any text in quotes. */
void slots_real(struct slots *s, const char *at, size_t n);
void slots_string(struct slots *s, const char *at, size_t n);
/*
 * An answer to several questions: what is told from here on is about the next batch of it
 * (obs_more()), and stands behind all that was told so far. Only the first has words.
 */
void slots_next(struct slots *s);

/*
 * How many of the bytes from at to end belong to the text of a slot of the kind; 0: it is none of
 * the kind (digits that begin with a 0 or are too many).
 */
size_t slot_length(enum slot_kind kind, const char *at, const char *end);
/* Whether n bytes of a SLOT_REAL are a number as JSON has it, and one that is not too large. */
bool slot_is_real(const char *at, size_t n);
/* Its number; n: at most SLOT_DIGITS, all digits. */
uint64_t slot_number(const char *at, size_t n);
/* What a slot of slot_length() adds to its cell. False: it is no SLOT_COUNT or SLOT_AMOUNT. */
bool slot_value(enum slot_kind kind, const char *at, size_t n, unsigned scale, uint64_t *out);

#endif
