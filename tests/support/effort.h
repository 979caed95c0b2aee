/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_EFFORT_H
#define TESTS_SUPPORT_EFFORT_H

#include <stdbool.h>
#include <stdlib.h>

/*
 * How much of a long test is run. With FULL=1 (`make thorough`) all of it; else a part that still
 * reaches every kind of input, so that the suite stays within a few minutes.
 */
static inline bool effort_full(void)
{
	return getenv("FULL") != NULL;
}

/* Rounds: all of them with FULL=1, else a quarter, and at least one. */
static inline unsigned effort(unsigned rounds)
{
	return effort_full() || rounds < 8 ? rounds : rounds / 4;
}

#endif
