/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_NUMBER_POSITIONS_JSON_H
#define BACKENDS_PARSE_NUMBER_POSITIONS_JSON_H

#include "backends/parse/json_select.h"
#include "backends/parse/number_positions.h"

/*
 * Slots for the values of a JSON document. positions_read() sets the document, or NULL. Every
 * function accepts NULL for slots and for a value: nothing is recorded then.
 */
static inline void positions_read(struct number_positions *s, const struct json_select *d)
{
	if (s)
		s->doc = d;
}

/* Returns the source text of a number or a string, without quotes; at is NULL if unknown. */
struct position_word positions_text(const struct number_positions *s, const struct json_value *v);
/* Adds a slot: a number, or a string with one, is added to the cell. */
void positions_value(struct number_positions *s, const struct json_value *v, uint32_t port,
	counter_id id, unsigned sub);
/* Likewise for a value of tree_amount(): strings may have a unit. */
void positions_size(struct number_positions *s, const struct json_value *v, uint32_t port,
	counter_id id, unsigned sub);
/* Adds an unused slot: the reader checks only that it is a whole number. */
void positions_any(struct number_positions *s, const struct json_value *v);
/* Adds unused slots for all numbers and strings in v. */
void positions_idle(struct number_positions *s, const struct json_value *v);
/*
 * Likewise, but only for values with a path for which is_read() is false. The path consists of the
 * names of members, separated by `between`. Elements of an array have the path of the array.
 */
void positions_unread(struct number_positions *s, const struct json_value *v, char between,
	bool (*is_read)(const char *path));

#endif
