/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SCAN_H
#define BASE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A scanner for JSON that is pushed: bytes come in pieces that may be cut anywhere, events go to a
 * function. It allocates nothing and its state is small and fixed, so that each of many answers
 * that arrive at once can have one.
 *
 * It reads RFC 8259 as jansson does: a document is an object or an array; the same documents are
 * accepted, but for those that pass SCAN_DEPTH or SCAN_NUMBER. Keys may repeat: each is an event.
 */
#define SCAN_DEPTH  64  /* objects and arrays within each other */
#define SCAN_NUMBER 128 /* most characters of a number */

enum scan_event_kind {
	SCAN_OBJECT,
	SCAN_OBJECT_END,
	SCAN_ARRAY,
	SCAN_ARRAY_END,
	SCAN_KEY_PART,    /* the beginning of a key: more of it comes */
	SCAN_KEY,         /* a key, or the rest of one */
	SCAN_STRING_PART, /* likewise of a string */
	SCAN_STRING,
	SCAN_INTEGER,  /* .i */
	SCAN_UNSIGNED, /* .u: above INT64_MAX; only with SCAN_BIG */
	SCAN_REAL,     /* .real: finite */
	SCAN_TRUE,
	SCAN_FALSE,
	SCAN_NULL,
};

/*
 * text and len are the decoded bytes of keys and strings, or what a number was written as; they are
 * valid during the call only, and not terminated. A key or a string is cut into parts where the
 * input was cut and at escapes, so that it may be of any length.
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
	SCAN_ALONE = 1,    /* behind the document nothing but blanks may come */
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
	/* False: stop. */
	bool (*on)(void *ctx, const struct scan_event *e);
	void *ctx;
	unsigned flags;
	enum scan_state state;
	const char *wrong; /* what was expected or is not allowed; NULL: nothing is wrong */
	uint64_t offset;   /* bytes read; SCAN_WRONG: where it is wrong */
	/* private */
	uint8_t mode;
	bool in_key;
	uint8_t depth;
	uint8_t held;     /* bytes of a token that the edge of the input has cut */
	uint64_t objects; /* a bit for each level: it is an object */
	char hold[SCAN_NUMBER + 1];
};

void scan_begin(struct scan *s, unsigned flags, bool (*on)(void *ctx, const struct scan_event *e),
	void *ctx);
/*
 * Reads on. *used (may be NULL): how many of the bytes belong to the document; less than len only
 * when it has ended, is wrong or was stopped. Once it is no longer SCAN_MORE, nothing more is read
 * (with SCAN_ALONE, the blanks behind it are).
 */
enum scan_state scan_feed(struct scan *s, const char *bytes, size_t len, size_t *used);
/* There are no more bytes: what is not SCAN_DONE by now is wrong. */
enum scan_state scan_end(struct scan *s);

/*
 * The nearest double of a number that is written as JSON has it, whatever the locale. False: it has
 * another form, is longer than SCAN_NUMBER, or is too large for one.
 */
bool scan_real(const char *text, size_t len, double *out);

#endif
