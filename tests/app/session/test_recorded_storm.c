/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/app/support/recorded_live.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"

/* test_recorded_both.c has congestion, too. */
CASE(a_storm)
{
	if (!effort_full()) {
		print_message("# skipped: takes FULL=1 (make thorough)\n");
		skip();
	}
	recorded_live("pfc-storm",
		(const char *const[]){"pfc-storm:node009:mlx5_1,watchdog=no,at=6s", NULL}, true);
}

CASES_MAIN(NULL, NULL)
