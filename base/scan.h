/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SCAN_H
#define BASE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A push scanner for JSON: bytes come in pieces cut anywhere, events go to a function. It
 * allocates nothing and its state is small and fixed, so each of many concurrent answers has its
 * own scanner.
 *
 * It reads RFC 8259 as jansson does: a document is an object or an array. It accepts the same
 * documents, except those that exceed SCAN_DEPTH or SCAN_NUMBER. Keys may repeat: each is an
 * event.
 */
#define SCAN_DEPTH  64  /* nesting of objects and arrays */
#define SCAN_NUMBER 128 /* maximum characters of a number */

enum scan_event_kind {
	SCAN_OBJECT,
	SCAN_OBJECT_END,
	SCAN_ARRAY,
	SCAN_ARRAY_END,
	SCAN_KEY_PART,    /* the beginning of a key: more of it follows */
	SCAN_KEY,         /* a key, or the rest of one */
	SCAN_STRING_PART, /* the same for a string */
	SCAN_STRING,
	SCAN_INTEGER,  /* .i */
	SCAN_UNSIGNED, /* .u: above INT64_MAX; only with SCAN_BIG */
	SCAN_REAL,     /* .real: finite */
	SCAN_TRUE,
	SCAN_FALSE,
	SCAN_NULL,
};

/*
 * text and len are the decoded bytes of a key or string, or the characters of a number. They are
 * valid during the call only, and not terminated. A key or string may have any length: it comes in
 * parts, cut at escapes and at the edges of the input.
 */
struct scan_event {
	enum scan_event_kind kind;
	const char *text;
	size_t len;
	union {
		int64_t i;
		uint64_t u;
		double real;
	};
};

enum scan_flag {
	SCAN_ALONE = 1,    /* only blanks may follow the document */
	SCAN_ANY_UTF8 = 2, /* strings may hold broken UTF-8; the bytes are passed on */
	SCAN_BIG = 4,      /* integers beyond 63 bits: SCAN_UNSIGNED, else SCAN_REAL */
};

enum scan_state {
	SCAN_MORE,    /* the document goes on */
	SCAN_DONE,    /* it has ended */
	SCAN_WRONG,   /* it is no JSON: see wrong and offset */
	SCAN_STOPPED, /* the function returned false */
};

struct scan {
	/* Returns false to stop the scanner. */
	bool (*on)(void *ctx, const struct scan_event *e);
	void *ctx;
	unsigned flags;
	enum scan_state state;
	const char *wrong; /* the expected token or the violated rule; NULL: no error */
	uint64_t offset;   /* bytes read; SCAN_WRONG: position of the error */
	/* private */
	uint8_t mode;
	bool in_key;
	uint8_t depth;
	uint8_t held;     /* bytes of a token that the edge of the input has cut */
	uint64_t objects; /* bit per level: it is an object */
	char hold[SCAN_NUMBER + 1];
};

void scan_begin(struct scan *s, unsigned flags, bool (*on)(void *ctx, const struct scan_event *e),
	void *ctx);
/*
 * Reads more input. *used (may be NULL) receives the number of bytes that belong to the document;
 * it is less than len only when the document ended, is wrong or was stopped. Once the state is not
 * SCAN_MORE, nothing more is read (with SCAN_ALONE, trailing blanks are).
 */
enum scan_state scan_feed(struct scan *s, const char *bytes, size_t len, size_t *used);
/* Ends the input: a document that is not SCAN_DONE by now is wrong. */
enum scan_state scan_end(struct scan *s);

/*
 * The nearest double of a number in JSON form, whatever the locale. False: it has another form, is
 * longer than SCAN_NUMBER, or is too large for a double.
 */
bool scan_real(const char *text, size_t len, double *out);

#endif
