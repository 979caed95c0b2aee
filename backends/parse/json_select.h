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
 * Reads the JSON that devices print by pieces: a reader names the places that it wants, each value
 * found there is put together and handed over when it is complete, and everything else is only
 * scanned. So a port's counters are held, not those of the whole switch, and the bytes may come as
 * they arrive. Nothing is allocated as long as pieces fit in the room that the reader brings.
 *
 * As the tree readers of json.h do, it skips text before the first line that begins with a
 * brace and everything behind the document, and takes integers beyond 63 bits; bytes that are no
 * UTF-8 are passed on, for obs_*() clean whatever is shown.
 */
#define DOC_WANTS  16
#define DOC_LEVELS 4

/*
 * path: names of members with dots between; * is any member, [] any element of an array: "ports.*",
 * "imdata.[]". Empty: the whole document. keep: the value stays, for doc_kept(), until doc_free().
 * Others are gone after the call. No want may be within another's value.
 */
struct doc_want {
	const char *path;
	bool keep;
};

struct doc {
	struct scan scan;
	/*
	 * A value that was wanted; name: its own in its object ("" in an array), at most
	 * DOC_NAME_MAX bytes of it. False: stop reading.
	 */
	bool (*piece)(void *ctx, size_t want, const char *name, const struct dv *v);
	void *ctx;
	bool is_full; /* a piece passed the bound on its size */
	/*
	 * For doc_source(), of a document that is read whole with doc_read(): the beginning of each
	 * text and number, in the bytes, plus one; by where its value is. Set by doc_trace().
	 */
	const char *source;
	size_t source_n;
	uint32_t *places;
	/* private */
	const struct doc_want *wants;
	size_t want_count;
	struct doc_part {
		const char *at;
		size_t n;
	} parts[DOC_WANTS][DOC_LEVELS];
	uint8_t part_count[DOC_WANTS];
	uint16_t alive[DOC_LEVELS + 1]; /* those whose path leads through the object at a level */
	uint16_t next;                  /* those whose path leads to the value that comes */
	uint16_t opened;                /* those whose last object or array was there */
	uint8_t arrays;                 /* by level, from bit 0: it is an array */
	uint32_t kept[DOC_WANTS];       /* where it is, in words, plus one; 0: not there */
	unsigned depth;                 /* of what is open in the document */
	bool began, line_start;
	/* The piece: a run of 8-byte words. */
	uint64_t *at;
	size_t n, size, base, text_at, text_n;
	bool is_own, in_text, has_head;
	unsigned levels;           /* open within the piece */
	uint32_t open[SCAN_DEPTH]; /* where */
	size_t want;               /* of the piece; want_count: there is none */
	size_t head;               /* of the value that is put together */
	size_t name_n;
	char name[128];
};
#define DOC_NAME_MAX (sizeof(((struct doc *)0)->name) - 1)

/* room (may be NULL): words that the caller lends until doc_free(). */
void doc_begin(struct doc *d, const struct doc_want *wants, size_t n,
	bool (*piece)(void *ctx, size_t want, const char *name, const struct dv *v), void *ctx,
	uint64_t *room, size_t words);
/*
 * Reads the document from its beginning once more, for the wants in the mask (bit i: wants[i])
 * only: for a reader that needs what came last before what came first. What was kept stays.
 */
void doc_again(struct doc *d, unsigned mask);
/* More bytes. False: nothing more is wanted of them; it has ended, is wrong, or was stopped. */
bool doc_feed(struct doc *d, const char *bytes, size_t len);
/*
 * There are no more bytes. True: the document was complete. False with err (ERR_PROTOCOL,
 * ERR_LIMIT; untouched when piece() stopped it) with what was wrong; total: bytes that came.
 */
bool doc_end(struct doc *d, uint64_t total, const char *origin, struct err *err);
/* doc_feed() and doc_end() of an answer that is there whole; err quotes what is no JSON at all. */
bool doc_read(struct doc *d, const char *bytes, size_t len, const char *origin, struct err *err);
void doc_free(struct doc *d);
/*
 * Before doc_read(): notes where in these bytes the texts and numbers of values stand, which costs
 * time and memory. doc_source(): where that of a string or number is; NULL: nothing was noted, or
 * it is not written there as it is (escapes). Valid as long as the value.
 */
void doc_trace(struct doc *d, const char *bytes, size_t len);
const char *doc_source(const struct doc *d, const struct dv *v);

/* A kept value, NULL: it did not come. Valid until the next piece is read. */
const struct dv *doc_kept(const struct doc *d, size_t want);
/* Whether what holds the values of a want was there: for "ports.*", the object "ports". */
bool doc_opened(const struct doc *d, size_t want);

/*
 * The whole of the first document in the bytes, in one allocation; free() it. NULL with err
 * (ERR_PROTOCOL) that quotes the beginning of what came.
 */
struct dv *dv_parse(const char *bytes, size_t len, const char *origin, struct err *err);
/*
 * The same, for doc_source() with trace. In any case doc_free(d), with which the value goes.
 */
const struct dv *doc_whole(struct doc *d, const char *bytes, size_t len, bool trace,
	const char *origin, struct err *err);
/*
 * Where the next document begins in a text: an object that begins a line, for a brace inside a
 * sentence does not count, or an array of objects. len: nowhere.
 */
size_t doc_next_start(const char *bytes, size_t len);
/*
 * The next of several documents with text between them (doc_next_start()). *at: where to look from;
 * moved behind it, and to the end when it is wrong. NULL: there is none, or with err (ERR_PROTOCOL)
 * it breaks off. free() it.
 */
struct dv *dv_parse_next(
	const char *bytes, size_t len, size_t *at, const char *origin, struct err *err);

#endif
