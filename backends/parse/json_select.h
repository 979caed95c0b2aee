/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_JSON_SELECT_H
#define BACKENDS_PARSE_JSON_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/parse/json_value.h"
#include "base/err.h"
#include "base/scan.h"

/*
 * Selective JSON parsing. A reader names the paths of the values that it wants. Each value found
 * there is built in memory and delivered when complete; everything else is only scanned. So memory
 * holds one port's counters, not those of the whole switch, and the input may arrive in parts.
 * Nothing is allocated as long as values fit in the room provided by the reader.
 *
 * It skips text before the first line that begins with a brace (a login banner, a warning) and
 * everything after the document, and accepts integers beyond 63 bits. Invalid UTF-8 is passed on,
 * because obs_*() sanitise all displayed text.
 */
#define JSON_SELECT_WANTS  16
#define JSON_SELECT_LEVELS 4

/*
 * path: names of members, separated by dots; * is any member, [] any element of an array:
 * "ports.*", "imdata.[]". Empty: the whole document. keep: the value stays valid for
 * json_select_kept() until json_select_free(); other values are valid during the call only. No want
 * may be within another's value.
 */
struct json_want {
	const char *path;
	bool keep;
};

struct json_select {
	struct scan scan;
	/*
	 * Called for each selected value. name: its name in its object ("" in an array), cut to
	 * JSON_SELECT_NAME_MAX bytes. False: stop reading.
	 */
	bool (*piece)(void *ctx, size_t want, const char *name, const struct json_value *v);
	void *ctx;
	bool is_full; /* a value exceeded the size limit */
	/* Set after json_select_begin(): the document is a list, and its bytes begin with it. */
	bool is_list;
	/*
	 * For json_select_source(), of a document read at once with json_select_read(): the offset
	 * of each text and number in the bytes, plus one, by the place of its value. Set by
	 * json_select_trace().
	 */
	const char *source;
	size_t source_n;
	uint32_t *places;
	/* private */
	const struct json_want *wants;
	size_t want_count;
	struct doc_part {
		const char *at;
		size_t n;
	} parts[JSON_SELECT_WANTS][JSON_SELECT_LEVELS];
	uint8_t part_count[JSON_SELECT_WANTS];
	uint16_t alive[JSON_SELECT_LEVELS +
		       1];                /* wants whose path leads through the object at a level */
	uint16_t next;                    /* wants whose path leads to the next value */
	uint16_t opened;                  /* wants whose last object or array was present */
	uint8_t arrays;                   /* bit per level: it is an array */
	uint32_t kept[JSON_SELECT_WANTS]; /* its place in words, plus one; 0: absent */
	unsigned depth;                   /* open objects and arrays of the document */
	bool began, line_start;
	/* The value: a run of 8-byte words. */
	uint64_t *at;
	size_t n, size, base, text_at, text_n;
	bool is_own, in_text, has_head;
	unsigned levels;           /* open within the value */
	uint32_t open[SCAN_DEPTH]; /* their places */
	size_t want;               /* of the value; want_count: none */
	size_t head;               /* of the value being built */
	size_t name_n;
	char name[128];
};
#define JSON_SELECT_NAME_MAX (sizeof(((struct json_select *)0)->name) - 1)

/* Begins a document. room (may be NULL): words lent by the caller until json_select_free(). */
void json_select_begin(struct json_select *d, const struct json_want *wants, size_t n,
	bool (*piece)(void *ctx, size_t want, const char *name, const struct json_value *v),
	void *ctx, uint64_t *room, size_t words);
/*
 * Restarts from the beginning of the document, only for the wants in the mask (bit i: wants[i]). It
 * serves readers that need a later value first. Kept values stay valid.
 */
void json_select_again(struct json_select *d, unsigned mask);
/* Reads more bytes. False: no more bytes are needed: it has ended, is invalid or was stopped. */
bool json_select_feed(struct json_select *d, const char *bytes, size_t len);
/*
 * Ends the document. True: it was complete. False with err (ERR_PROTOCOL, ERR_LIMIT; unchanged when
 * piece() stopped it). total: number of bytes received.
 */
bool json_select_end(struct json_select *d, uint64_t total, const char *origin, struct err *err);
/* json_select_feed() and json_select_end() for a complete answer; err quotes an answer that is not
 * JSON. */
bool json_select_read(
	struct json_select *d, const char *bytes, size_t len, const char *origin, struct err *err);
void json_select_free(struct json_select *d);
/*
 * json_select_trace() before json_select_read(): records the source offsets of texts and numbers,
 * which costs time and memory. json_select_source() returns the source text of a string or number.
 * NULL: nothing was recorded, or the source differs (escapes). Valid as long as the value.
 */
void json_select_trace(struct json_select *d, const char *bytes, size_t len);
const char *json_select_source(const struct json_select *d, const struct json_value *v);

/* Returns a kept value, NULL: absent. Valid until the next value is read. */
const struct json_value *json_select_kept(const struct json_select *d, size_t want);
/* True: the container of a want's values was present: for "ports.*", the object "ports". */
bool json_select_opened(const struct json_select *d, size_t want);

/*
 * Returns the first document in the bytes, in one allocation; the caller frees it with free(). NULL
 * with err (ERR_PROTOCOL) that quotes the beginning of the answer.
 */
struct json_value *json_value_parse(
	const char *bytes, size_t len, const char *origin, struct err *err);
/*
 * Likewise, with trace also for json_select_source(). In any case the caller calls
 * json_select_free(d), which frees the value.
 */
const struct json_value *json_select_whole(struct json_select *d, const char *bytes, size_t len,
	bool trace, const char *origin, struct err *err);
/*
 * Returns the offset of the next document in a text: an object at the start of a line, because a
 * brace inside a sentence does not count, or with lists an array of objects. len: none.
 * *line_start: only blanks came before on the line; updated.
 */
size_t json_select_start(const char *bytes, size_t len, bool *line_start, bool lists);
/*
 * Returns the next of several documents with text between them (json_select_start()). *at:
 * start of the search; moves past the document, or to the end if it is invalid. NULL: there is
 * none, or with err (ERR_PROTOCOL) it is truncated. The caller frees it with free().
 */
struct json_value *json_value_parse_next(
	const char *bytes, size_t len, size_t *at, const char *origin, struct err *err);

#endif
