/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/app/support/recorded_live.h"
#include "tests/support/cases.h"

CASE(a_link_that_flaps)
{
	recorded_live("link-flap",
		(const char *const[]){"link-flap:node005:mlx5_3,period=6s,down=2s,at=6s", NULL},
		false);
}

CASES_MAIN(NULL, NULL)
