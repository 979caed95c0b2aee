/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_REDACT_REDACT_PRIVATE_H
#define ARCHIVE_REDACT_REDACT_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

#include "archive/redact/redact.h"
#include "base/buf.h"
#include "base/vec.h"

/* Private to archive/redact. */

/* A trie of words; 'A' equals 'a'. */
struct trie_node {
	uint32_t child, next; /* 0: none */
	uint32_t word;        /* 1 + the word's number; 0: no word ends here */
	unsigned char c;
};
struct trie {
	VEC(struct trie_node) nodes;
};
/* Finds or adds a word. Returns its slot, which holds 1 + its number, or 0 for a new word. */
uint32_t *trie_put(struct trie *t, const char *key, size_t n);
/* The slot's value; 0: not found. */
uint32_t trie_get(const struct trie *t, const char *key, size_t n);
/* The child of node for c (node 0: the root); 0: none. */
uint32_t trie_step(const struct trie *t, uint32_t node, unsigned char c);

enum redact_kind {
	NAMED_HOST,
	NAMED_LEAF,
	NAMED_SPINE,
	NAMED_SUPERSPINE,
	NAMED_NAME, /* of a device or host outside the plan */
	NAMED_FABRIC,
	NAMED_SERIAL,
	NAMED_USER,
	NAMED_JOB,
	NAMED_DOMAIN,
	NAMED_IPV4,
	NAMED_IPV6,
	NAMED_MAC,
	NAMED_GUID,
	NAMED_SECRET,
	NAMED_KEEP, /* stays as it is, whatever its form */
	NAMED_COUNT
};

struct redact_word {
	char *to;
	uint8_t kind;
	bool anywhere; /* also replaced within longer words */
	uint64_t times;
};

#define REDACT_GONE "<removed>"

/* A BGP session with its original names, and a key before and after redaction. */
struct redact_session {
	uint32_t device;
	struct bgp_session session;
};
struct redact_number {
	uint64_t was, now;
};

struct redact {
	VEC(struct redact_session) sessions;
	VEC(struct redact_number) numbers; /* sorted by was */
	struct trie words;                 /* to find in texts */
	struct trie addresses;             /* by their canonical form */
	VEC(struct redact_word) list;
	uint32_t issued[NAMED_COUNT]; /* highest number used */
	bool blocked[NAMED_COUNT];    /* the kind's prefix contains a learnt word */
	uint64_t secrets;
	unsigned learnt;                      /* secrets that are dropped wherever they stand */
	bool names_stay;                      /* only secrets are dropped */
	bool cut;                             /* the text was cut, perhaps within a name */
	const struct redact_command *command; /* of the line that is read; NULL none is known */
};

/* Index of the word in list; learns an unknown word. */
uint32_t redact_word(struct redact *r, enum redact_kind kind, const char *original, size_t n);
/* A new replacement of the kind that contains no learnt word. The caller frees it. */
char *redact_issue(struct redact *r, enum redact_kind kind);
/* The replacement of a canonical address; a new address is numbered. */
struct redact_word *redact_address(struct redact *r, enum redact_kind kind, const char *canonical);

/*
 * Each tries to recognize an item at text[at]; n is the length of text. Returns the bytes consumed,
 * 0 when there is none. Adds the replacement to out.
 */
size_t redact_take_address(
	struct redact *r, const char *text, size_t at, size_t n, struct buf *out);
size_t redact_take_secret(struct redact *r, const char *text, size_t at, size_t n, struct buf *out);
/* Drops a secret, also where it stands again. n 0: only there. */
void redact_drop(struct redact *r, const char *secret, size_t n, struct buf *out);
/* The value of a command's option, as part of redact_take_secret(). */
size_t redact_take_option(struct redact *r, const char *text, size_t at, size_t n, struct buf *out);
/* What has the form of a secret, though nothing announces it. Names come first. */
size_t redact_take_form(struct redact *r, const char *text, size_t at, size_t n, struct buf *out);
/* An account that was not learnt, by the words around it: "for user ann", "/home/ann". */
size_t redact_take_account(
	struct redact *r, const char *text, size_t at, size_t n, struct buf *out);
size_t redact_take_name(struct redact *r, const char *text, size_t at, size_t n, struct buf *out);

/* Remembers the BGP sessions of a device for redact_key(). */
void redact_learn_sessions(struct redact *r, const struct device *d);

void redact_scan(struct redact *r, const char *text, size_t n, struct buf *out);

#endif
