/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_EFFORT_H
#define TESTS_SUPPORT_EFFORT_H

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

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

/*
 * The seed of a test that draws its inputs: $SEED, else by the time. CI takes it from the commit,
 * so that each commit has its own inputs and a run of CI can be repeated; a test prints its seed.
 */
static inline unsigned long effort_seed(void)
{
	const char *text = getenv("SEED");

	return text ? strtoul(text, NULL, 10) : (unsigned long)time(NULL) % 1000000;
}

#endif
