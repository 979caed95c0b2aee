/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/parse/units.h"
#include "tests/support/cases.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

CASE(sizes_count_by_1024)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {
		{"0 Bytes", 0},
		{"144 Bytes", 144},
		{"1 Byte", 1},
		{"153.00 KB", 156672},
		{"156 KB", 159744},
		{"1.43 MB", 1499464},
		{"92824.38 GB", UINT64_C(99669419092869)},
		{" 16 KiB ", 16384},
		{"1 TB", UINT64_C(1) << 40},
		{"4096", 4096},
		{"18446744073709551615", UINT64_MAX},
		{"9007199254740993", UINT64_C(9007199254740993)},
		{"inf", UINT64_MAX},
		{"unlimited", UINT64_MAX},
	};
	static const char *const bad[] = {"", " ", "n/a", "-", "N/A", "Bytes", "-1 KB", "1 parsec",
		"1 KB more", "99999999 PB", "nan", "."};
	uint64_t v;

	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		v = 77;
		assert_true(units_bytes(good[i].text, strlen(good[i].text), &v));
		if (v != good[i].bytes)
			fail_msg("%s: %llu", good[i].text, (unsigned long long)v);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		if (units_bytes(bad[i], strlen(bad[i]), &v))
			fail_msg("\"%s\" is no size", bad[i]);
	/* The length counts, not the terminator. */
	assert_true(units_bytes("12 KBxyz", 5, &v));
	assert_int_equal(v, 12288);
}

CASE(speeds_of_any_spelling)
{
	static const struct {
		const char *text;
		double mbps;
	} good[] = {{"400G", 400000}, {"10G", 10000}, {"1G", 1000}, {"2.5G", 2500}, {"100M", 100},
		{"1.6T", 1600000}, {"400 Gb/s", 400000}, {"100000Mb/s", 100000}, {"25Gbps", 25000}};
	static const char *const bad[] = {
		"auto", "", "0", "0G", "400", "G", "400X", "-1G", "400Gig", "unknown"};
	double v;

	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		assert_true(units_speed_mbps(good[i].text, strlen(good[i].text), &v));
		assert_true(fabs(v - good[i].mbps) < 1e-6);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		if (units_speed_mbps(bad[i], strlen(bad[i]), &v))
			fail_msg("\"%s\" is no speed", bad[i]);
}

CASE(durations_of_python_and_frr)
{
	static const struct {
		const char *text;
		double s;
	} good[] = {{"0:00:00.100000", 0.1}, {"0:00:02", 2}, {"0:03:44.190000", 224.19},
		{"00:03:34", 214}, {"3 days, 4:05:06", 273906}, {"1 day, 0:00:00", 86400},
		{"2d03h04m", 183840}, {"01w2d03h", 788400}, {"5 days", 432000}, {"03:34", 214},
		{"123:00:00", 442800}};
	static const char *const bad[] = {"never", "", "12", "1:2:3:4", ":", "1::2", "d", "3x",
		"3 dayz", "-1:00:00", "1:00:x"};
	double v;

	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		if (!units_duration_s(good[i].text, strlen(good[i].text), &v))
			fail_msg("\"%s\" is a duration", good[i].text);
		assert_true(fabs(v - good[i].s) < 1e-6);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		if (units_duration_s(bad[i], strlen(bad[i]), &v))
			fail_msg("\"%s\" is no duration", bad[i]);
}

CASE(ratios_and_the_word_for_none)
{
	double v = 7;

	assert_int_equal(units_ber("2E-10", 5, &v), NUMBER_OK);
	assert_true(fabs(v / 2e-10 - 1) < 1e-9);
	assert_int_equal(units_ber("0", 1, &v), NUMBER_OK);
	assert_true(v == 0);
	v = 7;
	assert_int_equal(units_ber("15E-255", 7, &v), NUMBER_NONE);
	assert_int_equal(units_ber("n/a", 3, &v), NUMBER_NONE);
	assert_int_equal(units_ber("", 0, &v), NUMBER_NONE);
	assert_true(v == 7);
}

static enum number reads(const char *s, const char *unit, double *v)
{
	return units_reading(s, strlen(s), unit, v);
}

CASE(the_number_with_the_unit)
{
	double v = 0;

	assert_int_equal(reads("0.8625 mW / -0.64 dBm", "dBm", &v), NUMBER_OK);
	assert_true(fabs(v + 0.64) < 1e-9);
	assert_int_equal(reads("0.8625 mW / -0.64 dBm", "mW", &v), NUMBER_OK);
	assert_true(fabs(v - 0.8625) < 1e-9);
	assert_int_equal(reads("0.0000 mW / -inf dBm", "dBm", &v), NUMBER_MINUS_INF);
	assert_int_equal(reads("45.20 degrees C / 113.36 degrees F", "C", &v), NUMBER_OK);
	assert_true(fabs(v - 45.2) < 1e-9);
	assert_int_equal(reads("42.56 C", "C", &v), NUMBER_OK);
	assert_int_equal(reads("-10.00 C", "C", &v), NUMBER_OK);
	assert_true(fabs(v + 10) < 1e-9);
	assert_int_equal(reads("7.500 mA", "mA", &v), NUMBER_OK);
	assert_int_equal(reads("3.29", "V", &v), NUMBER_OK);
	assert_true(fabs(v - 3.29) < 1e-9);
	v = 7;
	assert_int_equal(reads("1.2 mW", "dBm", &v), NUMBER_NONE);
	assert_int_equal(reads("N/A", "dBm", &v), NUMBER_NONE);
	assert_int_equal(reads("", "dBm", &v), NUMBER_NONE);
	assert_int_equal(reads("/", "dBm", &v), NUMBER_NONE);
	assert_true(v == 7);
}

CASES_MAIN(NULL, NULL)
