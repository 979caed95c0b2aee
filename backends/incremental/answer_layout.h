/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_INCREMENTAL_ANSWER_LAYOUT_H
#define BACKENDS_INCREMENTAL_ANSWER_LAYOUT_H

#include <uthash.h>

#include "backends/incremental/answer_cache.h"

/* Private to again*.c: what answers of the same shape have in common. */

#define TOTAL_NONE UINT16_MAX

struct shape_slot {
	uint32_t upto; /* bytes before it that are of no slot */
	uint32_t item; /* in the whole batch, of a slot that is part of one */
	uint16_t port, cell;
	uint16_t total; /* of several slots that make one item: which sum; else TOTAL_NONE */
	uint8_t kind;   /* enum slot_kind */
	uint8_t scale;  /* of a word: which */
};

/* Whether its text is nothing but digits, whatever is made of them. */
static inline bool shape_slot_is_digits(const struct shape_slot *s)
{
	return s->kind == SLOT_COUNT || s->kind == SLOT_UNUSED;
}

struct shape {
	UT_hash_handle hh;
	unsigned users;
	size_t size; /* of the body, which is also its key */
	struct shape_body {
		slot_tell *tell;
		slot_time *time;
		uint32_t slots, ports, totals, items;
		uint32_t words[SLOT_WORDS]; /* the last slot of each; slots: none */
		uint32_t refresh_ms[GROUP_COUNT];
		bool narrow[COUNTER_COUNT];
		_Alignas(struct obs_port) char at[]; /* the ports, then the slots */
	} * body;
};

static inline struct obs_port *shape_ports(struct shape *s)
{
	return (struct obs_port *)(void *)s->body->at;
}

static inline struct shape_slot *shape_slots(struct shape *s)
{
	return (struct shape_slot *)(void *)(s->body->at +
					     s->body->ports * sizeof(struct obs_port));
}

/* Of each token of an answer that somebody keeps the slot that its last number is. */
#define TOKEN_NO_SLOT UINT16_MAX
struct token_slots {
	UT_hash_handle hh; /* by all of slot */
	unsigned users;
	uint32_t n;
	uint16_t slot[];
};

/* What slots and items say of one cell of a port, in one lesson. */
struct proof {
	uint64_t sum; /* of the slots */
	double ratio;
	uint32_t item;   /* of the batch, plus one */
	uint32_t lesson; /* which; what an earlier one says is nothing */
	uint16_t counts; /* slots */
	uint16_t ratios;
	uint16_t items; /* with a value or without */
	uint16_t total;
};

struct again_shelf {
	struct shape *shapes;
	struct token_slots *tokens;
	struct slots slots;   /* of the lesson that is given */
	struct proof *proofs; /* CELL_COUNT of each port; for the next lesson, too */
	size_t proofs_n;
	uint32_t lesson;              /* that is made, counted */
	VEC(struct slot_seen) sorted; /* on their way */
	/* While an answer is read: which items of the whole batch are named, and as what. */
	VEC(uint64_t) named; /* a bit for each item */
	VEC(struct obs_item) item;
	VEC(char) token; /* what one was */
	size_t bytes, most;
};

/* What is in every batch, whatever moved: what is no cell of a port and cannot be left out. */
struct words {
	struct obs_item *item;
	uint32_t *at; /* in the whole batch */
	size_t n;
	char *strings;
	size_t strings_n;
	uint32_t told[SLOT_WORDS]; /* items that the shape's tell() says anew: where they are */
	size_t told_n;
};

/* What is learnt of one answer. */
struct lesson {
	struct shape *shape;
	uint8_t *lengths; /* of each slot */
	uint64_t *totals; /* each sum of several slots */
	int64_t *times;   /* of each port; NULL: the shape has no time() */
	struct words words;
};

/*
 * What the slots of a lesson and the batch that was made of the same answer have in common: slots
 * whose numbers are not what their items say are left out. False: nothing can be learnt of it.
 * others: see again_others().
 */
bool lesson_take(struct lesson *l, struct again_shelf *shelf, struct slots *told,
	const struct obs *o, uint64_t others);
void lesson_free(struct lesson *l, struct again_shelf *shelf); /* and empties it */
/* Bytes that it has for itself. */
size_t lesson_bytes(const struct lesson *l);

#endif
