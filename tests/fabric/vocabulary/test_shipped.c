/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/vocabulary/shipped.h"
#include "tests/support/cases.h"

/* Thresholds that a system ships with, as devices report them. */

CASE(thresholds_that_nobody_chose)
{
	assert_string_equal(shipped_ecn("sonic", 1048576, 2097152), "SONiC");
	assert_string_equal(shipped_ecn("sonic", 104000, 312000), "older SONiC");
	/* "153.00 KB" and "1.43 MB", as NVUE rounds them. */
	assert_string_equal(shipped_ecn("cumulus", 156672, 1499463), "Cumulus Linux");
	assert_string_equal(shipped_ecn("cumulus", 153600, 1536000), "Onyx");
	/* One end alone, another system, and unknown ones are nobody's. */
	assert_null(shipped_ecn("sonic", 1048576, 1500000));
	assert_null(shipped_ecn("eos", 1048576, 2097152));
	assert_null(shipped_ecn("sonic", UINT32_MAX, UINT32_MAX));
	assert_null(shipped_ecn("", 0, 0));
}

CASE(timers_of_start_default)
{
	assert_true(shipped_watchdog("sonic", 200, 200));
	assert_true(shipped_watchdog("sonic", 400, 400)); /* 64 ports */
	assert_false(shipped_watchdog("sonic", 200, 400));
	assert_false(shipped_watchdog("sonic", 300, 300));
	assert_false(shipped_watchdog("sonic", 0, 0));
	assert_false(shipped_watchdog("sonic", 5000, 5000));
	assert_false(shipped_watchdog("cumulus", 200, 200));
}

CASES_MAIN(NULL, NULL)
