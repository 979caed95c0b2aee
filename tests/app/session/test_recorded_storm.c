/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/app/support/recorded_live.h"

static void a_storm(void **state)
{
	(void)state;
	recorded_live("pfc-storm",
		(const char *const[]){"pfc-storm:node009:mlx5_1,watchdog=no,at=6s", NULL}, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_storm)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
