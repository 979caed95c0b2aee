/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "tests/support/cases.h"

CASE(copies_end_in_time)
{
	char dst[4];

	assert_true(str_copy(dst, sizeof(dst), "abc"));
	assert_string_equal(dst, "abc");
	assert_false(str_copy(dst, sizeof(dst), "abcd"));
	assert_string_equal(dst, "abc");
	assert_false(str_copy(dst, 0, "x"));
	assert_true(str_copyn(dst, sizeof(dst), "abcdef", 2));
	assert_string_equal(dst, "ab");
	assert_true(str_printf(dst, sizeof(dst), "%d", 123));
	assert_false(str_printf(dst, sizeof(dst), "%d", 1234));
	assert_string_equal(dst, "123");
	assert_true(str_eq(NULL, NULL) && str_eq("a", "a"));
	assert_false(str_eq(NULL, "") || str_eq("a", NULL) || str_eq("a", "b"));
	assert_true(str_starts("abc", "ab") && str_starts("abc", ""));
	assert_false(str_starts("ab", "abc"));
}

static const struct {
	const char *in, *out;
} hostile[] = {
	{"plain", "plain"},
	{"a\tb\nc\rd", "a b c d"},
	{"\033[31mred\033[0m", "?[31mred?[0m"},
	{"\x9b"
	 "31m",
		"?31m"}, /* C1 as a single byte */
	{"\xc2\x9b"
	 "31m",
		"?31m"}, /* C1 as UTF-8 */
	{"del\x7f", "del?"},
	{"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
	{"\xe2\x82\xac", "\xe2\x82\xac"},
	{"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
	{"\xc0\xaf", "??"}, /* over-long */
	{"\xe0\x80\x80", "???"},
	{"\xed\xa0\x80", "???"},      /* surrogate */
	{"\xf5\x80\x80\x80", "????"}, /* beyond Unicode */
	{"\xe2\x82", "??"},           /* cut off */
	{"a\xe2\x80\xae"
	 "b",
		"a?b"}, /* right-to-left override */
	{"a\xe2\x80\x8b"
	 "b",
		"a?b"},          /* zero width */
	{"\xef\xbb\xbfx", "?x"}, /* byte order mark */
	{"", ""},
};

CASE(device_text_cannot_speak_to_the_terminal)
{
	char dst[64];

	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		size_t n = str_sanitise(dst, sizeof(dst), hostile[i].in, strlen(hostile[i].in));

		assert_string_equal(dst, hostile[i].out);
		assert_int_equal(n, strlen(hostile[i].out));
	}
	assert_int_equal(str_sanitise(dst, sizeof(dst), "a\0b", 3), 3);
	assert_string_equal(dst, "a?b");
	/* Wherever it stands among others. */
	for (size_t at = 0; at < 24; at++)
		for (unsigned c = 0; c < 256; c++) {
			char text[25] = "abcdefghijklmnopqrstuvwx", out[25];

			text[at] = (char)c;
			assert_int_equal(str_sanitise(dst, sizeof(dst), text, 24), 24);
			(void)memcpy(out, text, sizeof(out));
			if (c < ' ' || c >= 0x7f)
				out[at] = c == '\t' || c == '\n' || c == '\r' ? ' ' : '?';
			assert_string_equal(dst, out);
			assert_int_equal(str_sanitise(dst, 9, text, 24), 8);
			out[8] = '\0';
			assert_string_equal(dst, out);
		}
	/* A character that does not fit is left out whole. */
	assert_int_equal(str_sanitise(dst, 4, "ab\xc3\xbc", 4), 2);
	assert_string_equal(dst, "ab");
	assert_int_equal(str_sanitise(dst, 0, "x", 1), 0);
}

static const struct {
	double v;
	const char *out;
} numbers[] = {{0, "0"}, {0.001, "<.01"}, {0.05, "0.05"}, {7.3, "7.30"}, {9.994, "9.99"},
	{9.996, "10.0"}, {41.23, "41.2"}, {412, "412"}, {999.4, "999"}, {999.5, "1.00k"},
	{9994, "9.99k"}, {41.2e9, "41.2G"}, {999.6e3, "1.00M"}, {400e9, "400G"}, {1.8e19, "18.0E"},
	{-1, "-"}, {(double)NAN, "-"}, {(double)INFINITY, "-"}};

CASE(a_word_of_a_shell)
{
	char dst[32];

	assert_true(str_quote_shell(dst, sizeof(dst), ""));
	assert_string_equal(dst, "''");
	assert_true(str_quote_shell(dst, sizeof(dst), "it's $(x) `y` \\"));
	assert_string_equal(dst, "'it'\\''s $(x) `y` \\'");
	/* Half a word is none. */
	assert_true(str_quote_shell(dst, 6, "abc"));
	assert_string_equal(dst, "'abc'");
	assert_false(str_quote_shell(dst, 5, "abc"));
	assert_string_equal(dst, "");
	assert_false(str_quote_shell(dst, 6, "a'b"));
	assert_false(str_quote_shell(dst, 2, ""));
}

CASE(numbers_have_three_digits)
{
	char dst[16];

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		assert_string_equal(str_si(numbers[i].v, dst, sizeof(dst)), numbers[i].out);
		assert_true(strlen(dst) <= 5);
	}
}

CASE(numbers_are_written_as_people_write_them)
{
	static const struct {
		double v;
		const char *text;
	} all[] = {{0, "0"}, {7, "7"}, {34.24, "34.2"}, {0.034, "0.034"}, {0.0000089, "<0.001"},
		{999.7, "1000"}, {4070, "4070"}, {84203, "84.2k"}, {-3.5, "-3.5"}, {NAN, "-"}};
	char text[24];

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_string_equal(str_number(all[i].v, text, sizeof(text)), all[i].text);
	assert_string_equal(STR_NUMBER(1234567.0), "1.23M");
}

CASE(ages_are_coarse)
{
	static const struct {
		double s;
		const char *out;
	} cases[] = {{-1, "-"}, {0, "now"}, {0.9, "now"}, {1, "1s"}, {119.9, "119s"}, {120, "2m"},
		{7199, "119m"}, {7200, "2h"}, {172799, "47h"}, {172800, "2d"}, {8.64e7, "1000d"}};
	char dst[16];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(
			str_age((int64_t)(cases[i].s * 1e6), dst, sizeof(dst)), cases[i].out);
}

CASE(whole_numbers_only)
{
	static const char *const bad[] = {"", " 1", "1 ", "-1", "+1", "1x", "0x1",
		"18446744073709551616", "99999999999999999999"};
	uint64_t u;
	double d;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(str_to_u64(bad[i], &u));
	assert_true(str_to_u64("18446744073709551615", &u));
	assert_true(u == UINT64_MAX);
	assert_true(str_to_u64("007", &u) && u == 7);
	assert_true(str_to_double("-2.5e3", &d) && d == -2500);
	assert_false(str_to_double("", &d) || str_to_double(" 1", &d) || str_to_double("1x", &d));
	assert_false(
		str_to_double("nan", &d) || str_to_double("inf", &d) || str_to_double("1e999", &d));
}

CASE(names_sort_as_people_count)
{
	static const char *const order[] = {"", "Ethernet", "Ethernet0", "Ethernet8", "Ethernet12",
		"Ethernet12/1", "Ethernet100", "eth1", "eth01a", "eth2"};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		for (size_t j = 0; j < sizeof(order) / sizeof(order[0]); j++) {
			int c = str_natcmp(order[i], order[j]);

			if ((c > 0) - (c < 0) != (i > j) - (i < j))
				fail_msg("%s and %s: %d", order[i], order[j], c);
		}
	}
	assert_true(str_natcmp("a99999999999999999999", "a100000000000000000000") < 0);
}

CASE(durations_and_sizes_have_units)
{
	static const struct {
		const char *in;
		int64_t us;
	} times[] = {{"5s", 5000000}, {"5", 5000000}, {"250ms", 250000}, {"2m", 120000000},
		{"1h", 3600000000}, {"10us", 10}, {"0.5 s", 500000}};
	static const struct {
		const char *in;
		uint64_t bytes;
	} sizes[] = {{"4096", 4096}, {"500KB", 500000}, {"1.5 MB", 1500000}, {"2MiB", 2097152},
		{"512M", 512000000}, {"2G", 2000000000}, {"1KiB", 1024}};
	static const char *const bad[] = {"", "s", "-5s", "5 parsecs", "5ss", "nan", "1e30h"};
	int64_t us;
	uint64_t bytes;

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		assert_true(str_to_duration(times[i].in, &us));
		assert_int_equal(us, times[i].us);
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_true(str_to_bytes(sizes[i].in, &bytes));
		assert_int_equal(bytes, sizes[i].bytes);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(str_to_duration(bad[i], &us));
		assert_false(str_to_bytes(bad[i], &bytes));
	}
}

CASE(test_share)
{
	char dst[16];

	assert_string_equal(str_bitrate(84203e9, dst, sizeof(dst)), "84.2 Tb/s");
	assert_string_equal(str_bitrate(400e9, dst, sizeof(dst)), "400 Gb/s");
	assert_string_equal(str_bitrate(12, dst, sizeof(dst)), "12.0 b/s");
	assert_string_equal(str_bitrate(0, dst, sizeof(dst)), "0 b/s");
	assert_string_equal(str_bitrate(-1, dst, sizeof(dst)), "-");
	assert_string_equal(str_plural(0), "s");
	assert_string_equal(str_plural(1), "");
	assert_string_equal(str_plural(2), "s");
	assert_string_equal(str_count_word(1, "is", "are"), "is");
	assert_string_equal(str_share(0.874, "%", dst, sizeof(dst)), "87%");
	assert_string_equal(str_share(0, "%", dst, sizeof(dst)), "0%");
	assert_string_equal(str_share(1, "%", dst, sizeof(dst)), "100%");
	/* Not known is not a number, and no word of the C library. */
	assert_string_equal(str_share((double)NAN, "%", dst, sizeof(dst)), "-");
	assert_string_equal(str_share((double)INFINITY, "%", dst, sizeof(dst)), "-");
}

CASES_MAIN(NULL, NULL)
