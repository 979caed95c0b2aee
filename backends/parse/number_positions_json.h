/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_NUMBER_POSITIONS_JSON_H
#define BACKENDS_PARSE_NUMBER_POSITIONS_JSON_H

#include "backends/parse/json_select.h"
#include "backends/parse/number_positions.h"

/*
 * Slots told by the values of a document: slots_read() says of which, NULL when it is no more.
 * Every function takes NULL for slots, and for a value as well: nothing is told then.
 */
static inline void slots_read(struct slots *s, const struct doc *d)
{
	if (s)
		s->doc = d;
}

/* What a number or a string was written as, without quotes; at is NULL: it is not known. */
struct slot_word slots_text(const struct slots *s, const struct dv *v);
/* The value, a number or a string that is one, is added to what the cell has. */
void slots_value(
	struct slots *s, const struct dv *v, uint32_t port, enum counter_id id, unsigned sub);
/* The same of a value as tree_amount() takes it: strings may have a unit. */
void slots_size(
	struct slots *s, const struct dv *v, uint32_t port, enum counter_id id, unsigned sub);
/* Only that it is a whole number is looked at. */
void slots_any(struct slots *s, const struct dv *v);
/* Nothing is made of any number or string in v. */
void slots_idle(struct slots *s, const struct dv *v);
/*
 * The same of the numbers and strings in v that are not read: those whose path, the names of
 * members with between them, says so. What is in an array has the path of the array.
 */
void slots_unread(
	struct slots *s, const struct dv *v, char between, bool (*is_read)(const char *path));

#endif
