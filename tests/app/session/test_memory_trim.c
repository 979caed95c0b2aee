/* SPDX-License-Identifier: Apache-2.0 */
#include "app/session/memory_trim.h"
#include "tests/support/cases.h"

#define MB ((size_t)1 << 20)

CASE(small_processes_give_back_each_time)
{
	assert_true(memory_trim_worth(40 * MB, 0));
	assert_true(memory_trim_worth(40 * MB, 40 * MB));
}

CASE(large_ones_after_they_have_grown)
{
	assert_true(memory_trim_worth(3000 * MB, 0));
	assert_false(memory_trim_worth(3000 * MB, 3000 * MB));
	assert_false(memory_trim_worth(3700 * MB, 3000 * MB));
	assert_true(memory_trim_worth(3800 * MB, 3000 * MB));
	assert_false(memory_trim_worth(2000 * MB, 3000 * MB));
}

CASES_MAIN(NULL, NULL)
