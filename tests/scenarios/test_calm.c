/* SPDX-License-Identifier: Apache-2.0 */
/* calm.c over one half of the scenarios: a program of its own each, as it is minutes of a CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/scenarios/calm.h"

static void no_verdict_is_calmer_than_its_evidence(void **state)
{
	(void)state;
	calm_play('a', 'l');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_verdict_is_calmer_than_its_evidence)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
