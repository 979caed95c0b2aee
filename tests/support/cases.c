/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/cases.h"

#include <stdlib.h>

#define CASES_MOST 256

static struct CMUnitTest cases[CASES_MOST];
static size_t ncases;

void case_add(struct CMUnitTest test)
{
	if (ncases == CASES_MOST)
		abort();
	cases[ncases++] = test;
}

int cases_run(CMFixtureFunction open, CMFixtureFunction close)
{
	return _cmocka_run_group_tests("tests", cases, ncases, open, close);
}
