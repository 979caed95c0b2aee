/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_INCREMENTAL_ANSWER_LAYOUT_H
#define BACKENDS_INCREMENTAL_ANSWER_LAYOUT_H

#include <uthash.h>

#include "backends/incremental/answer_cache.h"

/*
 * Private to answer_cache*.c and answer_layout.c: the common layout of answers of the same shape.
 */

#define TOTAL_NONE UINT16_MAX

struct layout_position {
	uint32_t upto; /* bytes before it outside all slots */
	uint32_t item; /* index in the full batch, if the slot belongs to an item */
	uint16_t port, cell;
	uint16_t total; /* index of the sum, if several slots make one item; else TOTAL_NONE */
	uint8_t kind;   /* enum position_kind */
	uint8_t scale;  /* of a word: its index */
};

/* True: its text consists of digits only. */
static inline bool answer_layout_slot_is_digits(const struct layout_position *s)
{
	return s->kind == POSITION_COUNT || s->kind == POSITION_UNUSED;
}

struct answer_layout {
	UT_hash_handle hh;
	unsigned users;
	size_t size; /* of the body, which is also the hash key */
	struct answer_layout_body {
		position_tell *tell;
		position_time *time;
		uint32_t slots, ports, totals, items;
		uint32_t
			words[POSITION_WORDS]; /* the last slot of each word; value `slots`: none */
		uint32_t refresh_ms[GROUP_COUNT];
		bool narrow[COUNTERS_MAX];
		_Alignas(struct obs_port) char at[]; /* the ports, then the slots */
	} * body;
};

static inline struct obs_port *answer_layout_ports(struct answer_layout *s)
{
	return (struct obs_port *)(void *)s->body->at;
}

static inline struct layout_position *answer_layout_slots(struct answer_layout *s)
{
	return (struct layout_position *)(void *)(s->body->at +
						  s->body->ports * sizeof(struct obs_port));
}

/* Per token of an answer that the caller keeps: the slot of its last number. */
#define TOKEN_NO_SLOT UINT16_MAX
struct token_slots {
	UT_hash_handle hh; /* keyed by the whole slot array */
	unsigned users;
	uint32_t n;
	uint16_t slot[];
};

/* Compares slots and items of one cell of a port, in one lesson. */
struct proof {
	uint64_t sum; /* of the slots' values */
	double ratio;
	uint32_t item;   /* index in the batch, plus one */
	uint32_t lesson; /* number of the lesson; entries of earlier lessons are invalid */
	uint16_t counts; /* number of slots */
	uint16_t ratios;
	uint16_t items; /* number of items, with a value or without */
	uint16_t total;
};

struct answer_shelf {
	struct answer_layout *shapes;
	struct token_slots *tokens;
	struct number_positions slots; /* of the current lesson */
	struct proof *proofs;          /* CELL_COUNT per port; reused by the next lesson */
	size_t proofs_n;
	uint32_t lesson;                  /* number of the current lesson */
	VEC(struct position_seen) sorted; /* buffer for sorting */
	/* During a read: the changed items of the full batch, and their values. */
	VEC(uint64_t) named; /* one bit per item */
	VEC(struct obs_item) item;
	VEC(char) token; /* the last text of a token */
	size_t bytes, most;
};

/* Items in every batch: those that are not cells of a port and cannot be omitted. */
struct words {
	struct obs_item *item;
	uint32_t *at; /* index in the full batch */
	size_t n;
	char *strings;
	size_t strings_n;
	uint32_t told[POSITION_WORDS]; /* indexes of the items that the shape's tell() produces
					  again */
	size_t told_n;
};

/* The result of learning one answer. */
struct answer_template {
	struct answer_layout *shape;
	uint8_t *lengths; /* per slot */
	uint64_t *totals; /* per sum of several slots */
	int64_t *times;   /* per port; NULL: the shape has no time() */
	struct words words;
};

/*
 * Learns the relation between the slots of an answer and its batch. Slots whose numbers do not
 * match their items are dropped. False: nothing can be learnt. others: see answer_cache_others().
 */
bool answer_template_take(struct answer_template *l, struct answer_shelf *shelf,
	struct number_positions *told, const struct obs *o, uint64_t others);
void answer_template_free(struct answer_template *l,
	struct answer_shelf *shelf); /* frees its contents and empties it */
/* Returns the bytes used by this lesson alone. */
size_t answer_template_bytes(const struct answer_template *l);

#endif
