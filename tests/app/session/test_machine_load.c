/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "app/session/machine_load.h"
#include "tests/support/cases.h"

CASE(twice_as_much_work_as_processors_is_too_much)
{
	char text[160];

	assert_false(machine_busy_of(0, 2, text, sizeof(text)));
	assert_false(machine_busy_of(4, 2, text, sizeof(text)));
	assert_string_equal(text, "");
	assert_true(machine_busy_of(18.2, 2, text, sizeof(text)));
	assert_string_equal(
		text, "this machine is busy (load 18 on 2 processors): it may be the reason");
	assert_true(machine_busy_of(3, 1, text, sizeof(text)));
	assert_string_equal(
		text, "this machine is busy (load 3 on 1 processor): it may be the reason");
}

/* Where the system does not say, nothing is said. */
CASE(unknown_is_not_busy)
{
	char text[160];

	assert_false(machine_busy_of(18, 0, text, sizeof(text)));
	assert_false(machine_busy_of(18, -1, text, sizeof(text)));
	assert_false(machine_busy_of(NAN, 2, text, sizeof(text)));
}

CASES_MAIN(NULL, NULL)
