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

CASE(chips_by_the_names_of_boards)
{
	/* hwsku of SONiC, modelName of EOS, platform of NVUE. */
	assert_string_equal(shipped_chip("sonic", "Arista-7060X6-64PE-B-O128"), "Tomahawk 5");
	assert_string_equal(shipped_chip("sonic", "DellEMC-Z9332f-O32"), "Tomahawk 3");
	assert_string_equal(shipped_chip("sonic", "ACS-MSN2700"), "Spectrum");
	assert_string_equal(shipped_chip("sonic", "Mellanox-SN4600C-C64"), "Spectrum-3");
	assert_string_equal(shipped_chip("cumulus", "MSN4600C"), "Spectrum-3");
	assert_string_equal(shipped_chip("cumulus", "SN5600"), "Spectrum-4");
	assert_string_equal(shipped_chip("eos", "DCS-7060X6-64PE"), "Tomahawk 5");
	assert_string_equal(shipped_chip("eos", "DCS-7280CR3-36S"), "Jericho 2");
	assert_string_equal(shipped_chip("nxos", "N9K-C9364E-SG2-Q"), "Silicon One G200");
	assert_null(shipped_chip("sonic", "Force10-S6000"));
	assert_null(shipped_chip("sonic", ""));
	assert_null(shipped_chip("linux", "SN5600 Super Server"));
}

CASE(thresholds_of_chips)
{
	assert_string_equal(shipped_ecn("sonic", 250000, 2097152), "SONiC on Tomahawk");
	assert_string_equal(shipped_ecn("sonic", 131072, 262144), "SONiC on Tomahawk 5");
	assert_string_equal(
		shipped_ecn("sonic", 2000000, 10000000), "SONiC on Tomahawk 2 and Jericho");
}

CASE(priorities_and_weights)
{
	assert_true(shipped_pfc("sonic", 0x18));
	assert_false(shipped_pfc("sonic", 0x08));
	assert_true(shipped_pfc("cumulus", 0x08));
	assert_false(shipped_pfc("eos", 0x08));
	assert_true(shipped_scheduler(
		"sonic", "0:DWRR 14 1:DWRR 14 2:DWRR 14 3:DWRR 15 4:DWRR 15 5:DWRR 14 6:DWRR 14"));
	/* One that a site chose, a strict queue, and texts that are none. */
	assert_false(shipped_scheduler(
		"sonic", "0:DWRR 14 1:DWRR 14 2:DWRR 14 3:DWRR 60 4:DWRR 15 5:DWRR 14 6:DWRR 14"));
	assert_false(shipped_scheduler("sonic", "0:DWRR 20 3:DWRR 60 6:STRICT"));
	assert_false(shipped_scheduler("cumulus", "0:DWRR 20 3:DWRR 60 6:STRICT"));
	assert_true(shipped_scheduler("cumulus", "0:DWRR 50 3:DWRR 50 6:STRICT"));
	assert_false(shipped_scheduler("sonic", ""));
	assert_false(shipped_scheduler("sonic", "wrr 14 15"));
	assert_false(shipped_scheduler("sonic", "9:DWRR 14"));
}

CASE(headroom_by_chip_speed_and_length)
{
	struct shipped_headroom s = shipped_headroom("sonic", "ACS-SN5600", 400000, 30);

	assert_int_equal(s.bytes, 283648);
	assert_int_equal(s.metres, 40);
	assert_string_equal(s.chip, "Spectrum-4");
	/* Without a length that of the shortest cable; beyond the longest one nothing is known. */
	assert_int_equal(shipped_headroom("sonic", "ACS-SN5600", 400000, 0).bytes, 231424);
	assert_int_equal(shipped_headroom("sonic", "ACS-SN5600", 400000, 500).bytes, 0);
	assert_int_equal(
		shipped_headroom("sonic", "Arista-7060X6-64PE-B-O128", 400000, 100).bytes, 611328);
	assert_int_equal(shipped_headroom("sonic", "ACS-SN5600", 50000, 5).bytes, 0);
	assert_int_equal(shipped_headroom("cumulus", "SN5600", 400000, 5).bytes, 0);
	assert_true(shipped_headroom_is("sonic", "ACS-SN5600", 400000, 677888));
	assert_true(shipped_headroom_is("sonic", "ACS-MSN4700", 400000, 77824));
	assert_false(shipped_headroom_is("sonic", "ACS-MSN4700", 400000, 90000));
	assert_false(shipped_headroom_is("sonic", "ACS-MSN4700", 400000, UINT32_MAX));
	assert_false(shipped_headroom_is("sonic", "", 400000, 77824));
}

CASES_MAIN(NULL, NULL)
