/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_REDACT_REDACT_PRIVATE_H
#define ARCHIVE_REDACT_REDACT_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

#include "archive/redact/redact.h"
#include "base/buf.h"
#include "base/vec.h"

/* Shared by archive/redact only. */

/* Words by their letters; 'A' is 'a'. */
struct trie_node {
	uint32_t child, next; /* 0: none */
	uint32_t word;        /* 1 + its number; 0: none ends here */
	unsigned char c;
};
struct trie {
	VEC(struct trie_node) nodes;
};
/* The number of the word, or where to put it (*slot = 1 + number). */
uint32_t *trie_put(struct trie *t, const char *key, size_t n);
/* 0: none. */
uint32_t trie_get(const struct trie *t, const char *key, size_t n);
/* The node that follows node (0: the root) by c; 0: none. */
uint32_t trie_step(const struct trie *t, uint32_t node, unsigned char c);

enum redact_kind {
	NAMED_HOST,
	NAMED_LEAF,
	NAMED_SPINE,
	NAMED_SUPERSPINE,
	NAMED_NAME, /* of a device or host that the plan does not have */
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
	NAMED_KEEP, /* stays as it is, whatever it looks like */
	NAMED_COUNT
};

struct redact_word {
	char *to;
	uint8_t kind;
	bool anywhere; /* found within longer words too */
	uint64_t times;
};

/* A session as it was called, and what a number was and is. */
struct redact_session {
	uint32_t device;
	struct bgp_session session;
};
struct redact_number {
	uint64_t was, now;
};

struct redact {
	VEC(struct redact_session) sessions;
	VEC(struct redact_number) numbers; /* by was */
	struct trie words;                 /* that are found in texts */
	struct trie addresses;             /* by their canonical form */
	VEC(struct redact_word) list;
	uint32_t issued[NAMED_COUNT]; /* numbers given so far */
	bool blocked[NAMED_COUNT];    /* what they begin with is part of a learnt word */
	uint64_t secrets;
	bool cut; /* the text at hand may end within a name */
};

/* The word's number; it is learnt when it was not known. */
uint32_t redact_word(struct redact *r, enum redact_kind kind, const char *original, size_t n);
/* A replacement of the kind that nothing learnt so far is called. */
char *redact_issue(struct redact *r, enum redact_kind kind);
/* What a canonical address becomes; new ones are numbered. */
struct redact_word *redact_address(struct redact *r, enum redact_kind kind, const char *canonical);

/*
 * Each looks at text at, of which rest bytes are left; how many bytes it took, 0: not its own. What
 * stands for them was added to out.
 */
size_t redact_take_address(
	struct redact *r, const char *text, size_t at, size_t n, struct buf *out);
size_t redact_take_secret(struct redact *r, const char *text, size_t at, size_t n, struct buf *out);
size_t redact_take_name(struct redact *r, const char *text, size_t at, size_t n, struct buf *out);

/* Of a device: for redact_key(). */
void redact_learn_sessions(struct redact *r, const struct device *d);

void redact_scan(struct redact *r, const char *text, size_t n, struct buf *out);

#endif
