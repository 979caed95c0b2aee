/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/app/support/recorded_live.h"
#include "tests/support/cases.h"

CASE(a_slow_receiver_and_a_flap)
{
	recorded_live("slow-receiver and link-flap",
		(const char *const[]){"slow-receiver:node012:mlx5_2,at=5s",
			"link-flap:leaf-r6-00:Ethernet180,period=8s,down=2s,at=8s", NULL},
		true);
}

CASES_MAIN(NULL, NULL)
