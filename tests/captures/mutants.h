/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CAPTURES_MUTANTS_H
#define TESTS_CAPTURES_MUTANTS_H

#include <jansson.h>
#include <stddef.h>

/*
 * A copy of v in which the value number *left, counted in document order, has another type; `how`
 * chooses which. The caller frees it.
 */
json_t *mutant_of(const json_t *v, size_t *left, unsigned how);
/* How many values v has, with itself. */
size_t mutant_places(const json_t *v);

#endif
