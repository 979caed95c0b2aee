/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_CASES_H
#define TESTS_SUPPORT_CASES_H

/* cmocka, with the headers that its own needs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/*
 * A case is a function that is registered where it is written, so that no list has to name it:
 *
 *   CASE(a_port_has_a_speed)
 *   {
 *           ...
 *   }
 *
 * Cases run in the order of the file. CASE_WITH() has its own set-up and tear-down, or NULL for
 * either; they may leave something in *state. A program of cases ends with CASES_MAIN(), which
 * takes those of the whole program.
 */
#define CASE(name) CASE_WITH(name, NULL, NULL)
#define CASE_WITH(name, open, close)                                                               \
	static void name(void **state);                                                            \
	__attribute__((constructor)) static void add_##name(void)                                  \
	{                                                                                          \
		case_add((struct CMUnitTest){#name, name, open, close, NULL});                     \
	}                                                                                          \
	static void name(void **state __attribute__((unused)))

#define CASES_MAIN(open, close)                                                                    \
	int main(void)                                                                             \
	{                                                                                          \
		return cases_run(open, close);                                                     \
	}

/* For the macros. */
void case_add(struct CMUnitTest test);
int cases_run(CMFixtureFunction open, CMFixtureFunction close);

#endif
