/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/app/support/recorded_live.h"

static void a_link_that_flaps(void **state)
{
	(void)state;
	recorded_live("link-flap",
		(const char *const[]){"link-flap:node005:mlx5_3,period=6s,down=2s,at=6s", NULL},
		false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_link_that_flaps)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
