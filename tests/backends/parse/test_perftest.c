/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs of perftest as its users report them, with other names and addresses:
 * tests/cases/site.md has the sources.
 */
#include <math.h>
#include <string.h>

#include "backends/parse/perftest.h"
#include "tests/support/cases.h"

#define RULE                                                                                       \
	"---------------------------------------------------------------------------------------"  \
	"\n"
#define HEAD(title)                                                                                \
	RULE "                    " title "\n"                                                     \
	     " Dual-port       : OFF\t\tDevice         : mlx5_0\n"                                 \
	     " Number of qps   : 1\t\tTransport type : IB\n"                                       \
	     " Connection type : RC\t\tUsing SRQ      : OFF\n"                                     \
	     " Mtu             : 4096[B]\n Link type       : Ethernet\n GID index       : 3\n"     \
	     " rdma_cm QPs\t : OFF\n Data ex. method : Ethernet\n" RULE                            \
	     " local address: LID 0000 QPN 0x0108 PSN 0x63ad7d RKey 0x17eedf VAddr "               \
	     "0x007f760c947000\n GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:00:00:05\n" RULE

static struct perftest_result result;
static char why[160];

static bool read_it(const char *text, const char *complaint)
{
	return perftest_read(text, strlen(text), complaint, &result, why, sizeof(why));
}

CASE(a_run_by_duration_has_no_peak_and_notes_between_head_and_row)
{
	assert_true(
		read_it(" WARNING: BW peak won't be measured in this run.\n" HEAD(
				"RDMA_Write BW Test") " #bytes     #iterations    BW peak[Gb/sec]  "
						      "  BW average[Gb/sec]   MsgRate[Mpps]\n"
						      "Conflicting CPU frequency values detected: "
						      "1500.000000 != 3300.016000. CPU "
						      "Frequency is not max.\n"
						      " 65536      560845           0.00           "
						      "    98.02\t\t     0.186950\n" RULE,
			""));
	assert_float_equal(result.gbps, 98.02, 1e-9);
	assert_int_equal(result.bytes, 65536);
	assert_true(isnan(result.typical_us));
	assert_string_equal(why, "");
}

CASE(without_gbits_the_unit_is_two_to_the_twenty_bytes)
{
	assert_true(read_it(HEAD("RDMA_Write BW Test") " #bytes     #iterations    BW peak[MB/sec] "
						       "   BW average[MB/sec]   MsgRate[Mpps]\n"
						       " 65536      664644           0.00          "
						       "     11728.47\t\t     0.187655\n" RULE,
		""));
	assert_float_equal(result.gbps, 98.385, 0.001);
	assert_true(read_it(
		" #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   "
		"MsgRate[Mpps]\n"
		" 65536      5000             11500.00            11000.00             0.176\n",
		""));
	assert_float_equal(result.gbps, 92.27, 0.01);
}

CASE(of_many_sizes_the_last_row_counts)
{
	assert_true(read_it(HEAD("RDMA_Write BW Test") " #bytes     #iterations    BW peak[Gb/sec] "
						       "   BW average[Gb/sec]   MsgRate[Mpps]\n"
						       " 2          5000           0.042350        "
						       "    0.042185            2.636533\n"
						       " 8          5000             0.17          "
						       "     0.17   \t\t   2.641399\n"
						       " 8388608    5000             197.10        "
						       "     196.92               0.002934\n",
		""));
	assert_float_equal(result.gbps, 196.92, 1e-9);
	assert_int_equal(result.bytes, 8388608);
}

CASE(latency_has_a_typical_time_and_a_tail)
{
	assert_true(read_it(
		HEAD("RDMA_Read Latency Test") " #bytes #iterations    t_min[usec]    t_max[usec]  "
					       "t_typical[usec]    t_avg[usec] "
					       "   t_stdev[usec]   99% percentile[usec]   99.9% "
					       "percentile[usec]\n"
					       "Conflicting CPU frequency values detected: "
					       "2200.000000 != 1040.353000. CPU "
					       "Frequency is not max.\n"
					       " 2       1000          6.88           16.81        "
					       "7.04     \t       7.06        "
					       "\t0.31   \t\t7.38    \t\t16.81  \n",
		""));
	assert_float_equal(result.typical_us, 7.04, 1e-9);
	assert_float_equal(result.average_us, 7.06, 1e-9);
	assert_float_equal(result.tail_us, 7.38, 1e-9);
	assert_true(isnan(result.gbps));
	/* By duration there is the average alone; the oldest releases had no average. */
	assert_true(read_it(" #bytes        #iterations       t_avg[usec]    tps average\n"
			    " 2             1284353           7.78           128435.31\n",
		""));
	assert_float_equal(result.average_us, 7.78, 1e-9);
	assert_true(read_it(" #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]\n"
			    " 2       1000          1.76           6.12         1.79\n",
		""));
	assert_float_equal(result.typical_us, 1.79, 1e-9);
}

/* 5.60, after two and a half days: its counter of cycles had overflowed. */
CASE(a_negative_number_is_no_result)
{
	assert_false(read_it(
		" #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
		" 65536      2123456789       0.00               -26.21               -0.049991\n",
		""));
	assert_true(isnan(result.gbps));
	assert_non_null(strstr(why, "overflowed"));
	assert_false(read_it(" #bytes #iterations t_avg[usec] tps average\n"
			     " 2 1000 0.00 0.0\n",
		""));
	assert_false(read_it(" #bytes #iterations t_avg[usec] tps average\n 2 1000 inf 0.0\n", ""));
}

CASE(a_failure_says_why)
{
	/* This machine, perftest 6.06. */
	assert_false(read_it("", " Did not detect devices \n If device exists, check if driver is "
				 "up\n Unable to find the Infiniband/RoCE device\n"));
	assert_string_equal(why, "Unable to find the Infiniband/RoCE device");
	assert_false(read_it("Couldn't connect to 10.0.0.5:18515\n Unable to open file descriptor "
			     "for socket connection",
		""));
	assert_non_null(strstr(why, "Couldn't connect to 10.0.0.5:18515"));
	assert_false(
		read_it(HEAD("RDMA_Write BW Test") " #bytes     #iterations    BW peak[Gb/sec]    "
						   "BW average[Gb/sec]   MsgRate[Mpps]\n"
						   " Completion with error at client\n"
						   " Failed status 12: wr_id 0 syndrom "
						   "0x81\nscnt=128, ccnt=0\n"
						   " Failed to complete run_iter_bw function "
						   "successfully\n",
			""));
	assert_string_equal(
		why, "Completion with error at client; Failed status 12: wr_id 0 syndrom 0x81");
	assert_false(read_it("", "sh: 1: ib_write_bw: not found\n"));
	assert_string_equal(why, "sh: 1: ib_write_bw: not found");
	assert_false(read_it("", ""));
	assert_string_equal(why, "it printed no result");
	/* A head alone, and a row alone. */
	assert_false(
		read_it(" #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]\n", ""));
	assert_false(read_it(" 65536 5000 390.1 389.2 0.7\n", ""));
}

CASES_MAIN(NULL, NULL)
