/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_TOOLS_AGAIN_NUMBERS_H
#define TESTS_TOOLS_AGAIN_NUMBERS_H

#include "tests/tools/again_both.h"

/*
 * The answer again and again, each time with another of its numbers one larger (of more than most,
 * so many evenly spread ones), then with all of them, then as it was. b is begun. False: see
 * b->why.
 */
bool again_numbers_read(struct again_both *b, const struct backend_ops *ops, const struct target *t,
	const char *request, const char *bytes, size_t len, size_t most);

#endif
