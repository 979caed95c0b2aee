/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_INCREMENTAL_CACHE_NUMBERS_H
#define TESTS_SUPPORT_INCREMENTAL_CACHE_NUMBERS_H

#include "tests/support/incremental/cache_both.h"

/*
 * Reads the answer again and again, each time with another of its numbers one larger. With more
 * numbers than `most`, it takes as many evenly spread ones. Then reads it with all of them larger,
 * then as it was. b is begun. False: see b->why.
 */
bool again_numbers_read(struct answer_cache_both *b, const struct backend_ops *ops,
	const struct target *t, const char *request, const char *bytes, size_t len, size_t most);

#endif
