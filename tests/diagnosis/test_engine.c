/* SPDX-License-Identifier: Apache-2.0 */
/* The engine: hysteresis, acknowledgements, roots and symptoms. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/diagnosis/stand.h"

static void nobody_is_blamed_in_a_healthy_fabric(void **state)
{
	struct stand *s = *state;

	stand_poll(s, 12);
	assert_true(port_rate(stand_port_of(s, "leaf-r0-00:Ethernet0"), CTR_RX_BYTES, 0) > 4e9);
	assert_true(port_rate(stand_port_of(s, "node000:mlx5_0"), CTR_CNP_SENT, 0) == 0);
	stand_expect_innocent(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			nobody_is_blamed_in_a_healthy_fabric, stand_setup, stand_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
