/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/app/support/recorded_live.h"
#include "tests/support/cases.h"

CASE(a_storm)
{
	recorded_live("pfc-storm",
		(const char *const[]){"pfc-storm:node009:mlx5_1,watchdog=no,at=6s", NULL}, true);
}

CASES_MAIN(NULL, NULL)
