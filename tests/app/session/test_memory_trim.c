/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "app/session/memory_trim.h"

#define MB ((size_t)1 << 20)

static void small_processes_give_back_each_time(void **state)
{
	(void)state;
	assert_true(memory_trim_worth(40 * MB, 0));
	assert_true(memory_trim_worth(40 * MB, 40 * MB));
}

static void large_ones_after_they_have_grown(void **state)
{
	(void)state;
	assert_true(memory_trim_worth(3000 * MB, 0));
	assert_false(memory_trim_worth(3000 * MB, 3000 * MB));
	assert_false(memory_trim_worth(3700 * MB, 3000 * MB));
	assert_true(memory_trim_worth(3800 * MB, 3000 * MB));
	assert_false(memory_trim_worth(2000 * MB, 3000 * MB));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_processes_give_back_each_time),
		cmocka_unit_test(large_ones_after_they_have_grown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
