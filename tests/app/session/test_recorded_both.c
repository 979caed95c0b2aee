/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/app/support/recorded_live.h"

static void a_slow_receiver_and_a_flap(void **state)
{
	(void)state;
	recorded_live("slow-receiver and link-flap",
		(const char *const[]){"slow-receiver:node012:mlx5_2,at=5s",
			"link-flap:leaf-r6-00:Ethernet180,period=8s,down=2s,at=8s", NULL},
		true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_slow_receiver_and_a_flap)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
