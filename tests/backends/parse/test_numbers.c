/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <time.h>

#include "backends/parse/cells.h"
#include "backends/parse/json_select.h"
#include "backends/parse/number.h"

static void counters_are_read_as_devices_print_them(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {
		{"0", 0},
		{"12", 12},
		{" 12 \r\n", 12},
		{"18446744073709551615", UINT64_MAX},
		{"1,234,567", 1234567},
		{"130,402", 130402},
		{"2.e9", 2000000000},
		{"1.5e3", 1500},
		{"7.0", 7},
		{"007", 7},
	};
	uint64_t v;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		v = 99;
		if (!parse_u64(good[i].text, strlen(good[i].text), &v) || v != good[i].value)
			fail_msg("%s read as %lu", good[i].text, (unsigned long)v);
	}
}

static void what_is_no_counter_is_absent(void **state)
{
	static const char *const bad[] = {"", " ", "N/A", "n/a", "-", "--", "-1", "-inf", "inf",
		"nan", "Never", "18446744073709551616", "99999999999999999999999", "1,2",
		"1,23,456", ",123", "1234,567", "12,", "0x10", "1.5", "1e400", "12 packets", "1e",
		".", "e5", "+", "3-4"};
	uint64_t v;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		v = 77;
		if (parse_u64(bad[i], strlen(bad[i]), &v))
			fail_msg("\"%s\" read as %lu", bad[i], (unsigned long)v);
		assert_int_equal(v, 77);
	}
}

static void readings_are_read_with_sign_exponent_and_unit(void **state)
{
	static const struct {
		const char *text;
		double value;
	} good[] = {
		{"-2.10", -2.10},
		{"3.2793 V", 3.2793},
		{"71.30 degrees C", 71.30},
		{"1.35e-8", 1.35e-8},
		{"2E-10", 2e-10},
		{"0.36800657325862118", 0.36800657325862118},
		{"15E-255", 15e-255},
		{"7.268085457504725e-10", 7.268085457504725e-10},
		{"+4", 4},
		{"123456789012345678901234567890", 123456789012345678901234567890.0},
		{".5", .5},
	};
	double v;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		v = 0;
		assert_int_equal(parse_real(good[i].text, strlen(good[i].text), &v), NUMBER_OK);
		if (fabs(v - good[i].value) > fabs(good[i].value) * 1e-14)
			fail_msg("%s read as %.17g", good[i].text, v);
	}
}

static void no_light_differs_from_no_reading(void **state)
{
	double v = 5;

	(void)state;
	assert_int_equal(parse_real("-inf", 4, &v), NUMBER_MINUS_INF);
	assert_int_equal(parse_real(" -inf dBm", 9, &v), NUMBER_MINUS_INF);
	assert_int_equal(parse_real("N/A", 3, &v), NUMBER_NONE);
	assert_int_equal(parse_real("", 0, &v), NUMBER_NONE);
	assert_int_equal(parse_real("-", 1, &v), NUMBER_NONE);
	assert_int_equal(parse_real("nan", 3, &v), NUMBER_NONE);
	assert_int_equal(parse_real("1e999", 5, &v), NUMBER_NONE);
	assert_int_equal(parse_real("5x", 2, &v), NUMBER_NONE);
	assert_true(v == 5);
}

/* The short way to read a reading is the long one, which an exponent asks for. */
static void readings_are_the_same_in_both_ways(void **state)
{
	static const char *const texts[] = {"0", "-0.437", "1.281", "3.2769", ".5", "5.", "-.25",
		"12345678.1234567", "123456789012345", "0.00000000000001", "160563200", "1.23456",
		"12.3456", "-12.34567", "123456.7", "1234567.", "1.234567", "0.000000"};
	static const char *const none[] = {"-", ".", "-.", "", "1.2.3", "1-2", "--1", "- 1", ". 5"};
	char longer[64];
	double a, b;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		int n = snprintf(longer, sizeof(longer), "%se0", texts[i]);

		assert_int_equal(parse_real(texts[i], strlen(texts[i]), &a), NUMBER_OK);
		assert_int_equal(parse_real(longer, (size_t)n, &b), NUMBER_OK);
		assert_memory_equal(&a, &b, sizeof(a));
		n = snprintf(longer, sizeof(longer), " %s dBm", texts[i]);
		assert_int_equal(parse_real(longer, (size_t)n, &b), NUMBER_OK);
		assert_memory_equal(&a, &b, sizeof(a));
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_int_equal(parse_real(none[i], strlen(none[i]), &a), NUMBER_NONE);
}

/* The end of a reading is returned for any text behind it, and nothing behind the end is read. */
static void a_reading_ends_where_it_does(void **state)
{
	static const struct {
		const char *text;
		size_t n; /* of the reading, 0: there is none */
		double value;
	} cases[] = {{"45.494|3.2724|", 6, 45.494}, {"-0.372|1", 6, -0.372}, {"7|-|1.25|", 1, 7},
		{"1234567|", 7, 1234567}, {"12345678|", 8, 12345678}, {"1.234567|8", 8, 1.234567},
		{"1.2345678", 9, 1.2345678}, {"12.|", 3, 12}, {"1.2.3|||||", 3, 1.2},
		{"1.25e-8   ", 4, 1.25}, {"0.5", 3, 0.5}, {"-|1.25|1.25", 0, 0},
		{"|||||||||", 0, 0}, {"N/A 1.25 dBm", 0, 0}, {"1234567890123456|", 0, 0},
		{"12345678.12345678|", 0, 0}};
	double v;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text = cases[i].text;
		/* Nothing is behind it that may be read. */
		char *alone = strndup(text, cases[i].n ? cases[i].n : strlen(text));
		size_t n = strlen(alone);
		const char *end = parse_plain_real(text, text + strlen(text), &v);

		assert_ptr_equal(end, cases[i].n ? text + cases[i].n : NULL);
		if (end)
			assert_memory_equal(&v, &cases[i].value, sizeof(v));
		end = parse_plain_real(alone, alone + n, &v);
		assert_ptr_equal(end, cases[i].n ? alone + n : NULL);
		free(alone);
	}
}

static void only_the_given_length_is_read(void **state)
{
	uint64_t v;
	double d;

	(void)state;
	assert_true(parse_u64("1234", 2, &v));
	assert_int_equal(v, 12);
	assert_int_equal(parse_real("1.25", 3, &d), NUMBER_OK);
	assert_true(fabs(d - 1.2) < 1e-12);
	assert_true(parse_leading_u64("400000Mb/s", 10, &v));
	assert_int_equal(v, 400000);
	assert_false(parse_leading_u64("Mb/s", 4, &v));
	assert_false(parse_leading_u64("99999999999999999999", 20, &v));
}

static void dates_of_switches_are_utc(void **state)
{
	int64_t t;

	(void)state;
	assert_true(parse_ctime("Sat Jan 18 00:08:42 2025", &t));
	assert_int_equal(t, 1737158922);
	assert_true(parse_ctime("Thu Feb 29 23:59:59 2024", &t));
	assert_int_equal(t, 1709251199);
	assert_false(parse_ctime("Never", &t));
	assert_false(parse_ctime("", &t));
	assert_false(parse_ctime("Sat Foo 18 00:08:42 2025", &t));
	assert_false(parse_ctime("Sat anF 18 00:08:42 2025", &t));
}

static void priority_lists(void **state)
{
	(void)state;
	assert_int_equal(parse_priorities("3,4"), 0x18);
	assert_int_equal(parse_priorities("3-5"), 0x38);
	assert_int_equal(parse_priorities("0,7"), 0x81);
	assert_int_equal(parse_priorities(""), 0);
	assert_int_equal(parse_priorities("none"), 0);
	assert_int_equal(parse_priorities("8,9,3"), 0x08);
	assert_int_equal(parse_priorities("0-99999999999"), 0xff);
}

static void indexes_are_below_their_limit(void **state)
{
	unsigned n = 9;

	(void)state;
	assert_true(parse_index("3", "", 8, &n) && n == 3);
	assert_true(parse_index("TC7", "TC", 8, &n) && n == 7);
	assert_false(parse_index("8", "", 8, &n));
	assert_false(parse_index("", "", 8, &n));
	assert_false(parse_index("TC", "TC", 8, &n));
	assert_false(parse_index("3", "TC", 8, &n));
	assert_false(parse_index("3x", "", 8, &n));
	assert_int_equal(n, 7);
}

static void as_numbers_have_two_forms(void **state)
{
	(void)state;
	assert_int_equal(parse_as_number("65001", 5), 65001);
	assert_true(parse_as_number("4294967295", 10) == UINT32_MAX);
	assert_int_equal(parse_as_number("4294967296", 10), 0);
	assert_int_equal(parse_as_number("1.10", 4), 65546);
	assert_int_equal(parse_as_number("65536.1", 7), 0);
	assert_int_equal(parse_as_number("1.65536", 7), 0);
	assert_int_equal(parse_as_number("1.", 2), 0);
	assert_int_equal(parse_as_number(".1", 2), 0);
	assert_int_equal(parse_as_number("", 0), 0);
	assert_int_equal(parse_as_number("external", 8), 0);
}

static void ups_and_downs_alternate(void **state)
{
	(void)state;
	/* Counting from a boot while down: up, down, up. */
	assert_int_equal(downs_of_transitions(1, true), 0);
	assert_int_equal(downs_of_transitions(2, false), 1);
	assert_int_equal(downs_of_transitions(3, true), 1);
	/* Counting from a clear while up: down, up. */
	assert_int_equal(downs_of_transitions(1, false), 1);
	assert_int_equal(downs_of_transitions(2, true), 1);
	assert_int_equal(downs_of_transitions(0, true), 0);
}

static struct json_value *parse(const char *text, struct err *err)
{
	return json_value_parse(text, strlen(text), "sw1", err);
}

static void a_banner_before_the_document_is_skipped(void **state)
{
	struct err err = {0};
	struct json_value *doc =
		parse("Authorised {users} only!\n[note]\r\n\n  {\"a\":1}\ntrailing", &err);
	uint64_t n = 0;

	(void)state;
	assert_non_null(doc);
	assert_true(json_value_u64(json_value_get(doc, "a"), &n) && n == 1);
	free(doc);
	assert_null(parse("Permission denied\n", &err));
	assert_non_null(strstr(err.text, "Permission denied"));
	assert_null(parse("", &err));
	assert_non_null(strstr(err.text, "nothing"));
}

static void one_wrong_byte_or_a_huge_number_costs_no_document(void **state)
{
	struct err err = {0};
	struct json_value *doc = parse("{\"d\":\"caf\xe9\",\"n\":7}", &err);
	struct obs *o = obs_new("sw1", "x");
	double d;

	(void)state;
	assert_non_null(doc);
	assert_true(json_value_word(o, OBS_NO_PORT, ATTR_MODEL, 0, json_value_get(doc, "d")));
	assert_string_equal(obs_text(o, o->items.at[0].text), "caf?");
	obs_free(o);
	free(doc);
	doc = parse("{\"n\":18446744073709551615}", &err);
	assert_non_null(doc);
	assert_int_equal(json_value_real(json_value_get(doc, "n"), &d), NUMBER_OK);
	assert_true(d > 1.8e19);
	free(doc);
}

static void looking_into_what_is_not_there_is_harmless(void **state)
{
	struct err err = {0};
	struct json_value *doc = parse("{\"a\":{\"b\":[{\"c\":\"5\"}]}}", &err);
	uint64_t v;

	(void)state;
	assert_true(json_value_u64(
		json_value_get(json_value_at(json_value_path(doc, "a.b"), 0), "c"), &v));
	assert_int_equal(v, 5);
	assert_null(json_value_path(doc, "a.x.y.z"));
	assert_null(json_value_path(doc, "a.b.c"));
	assert_null(json_value_at(json_value_get(doc, "a"), 0));
	assert_null(json_value_get(NULL, "a"));
	assert_null(json_value_text(doc));
	assert_false(json_value_u64(NULL, &v));
	free(doc);
}

/* Column by column or with sscanf(): both ways agree with libc on every day. */
static void dates_are_those_of_the_calendar(void **state)
{
	static const char *const none[] = {"", "Sat Jan 18 00:08:42", "Sat Foo 18 00:08:42 2025",
		"Sat Jan 18 00:08:42 1969", "Sat Jan xx 00:08:42 2025", "N/A"};
	static const char *const forms[] = {
		"%a %b %d %H:%M:%S %Y", "%a %b %e %H:%M:%S %Y", "%a  %b %d %H:%M:%S %Y"};
	int64_t got;

	(void)state;
	for (time_t t = 0; t < 8000000000; t += 86399)
		for (int i = 0; i < 3; i++) {
			char text[64];
			struct tm tm;

			assert_non_null(gmtime_r(&t, &tm));
			assert_true(strftime(text, sizeof(text), forms[i], &tm) > 0);
			if (!parse_ctime(text, &got) || got != t)
				fail_msg("%s", text);
		}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_false(parse_ctime(none[i], &got));
}

/* Each length, from memory that ends with the number, and each byte that could pass for a digit. */
static void test_digits_of_each_length(void **state)
{
	static const char strange[] = {'/', ':', ';', '?', '@', '0' - 16, '0' + 16, '\0', ' ', 'a',
		(char)0xb0, (char)0xb9, '-', '+'};

	(void)state;
	for (size_t n = 1; n <= 20; n++) {
		char *digits = malloc(n);
		uint64_t want = 0, v = 0;

		assert_non_null(digits);
		for (size_t i = 0; i < n; i++) {
			digits[i] = (char)('0' + (i * 7 + n) % 10);
			if (n == 20)
				digits[i] = "18446744073709551615"[i];
			want = want * 10 + (uint64_t)(digits[i] - '0');
		}
		assert_true(parse_u64(digits, n, &v));
		assert_true(v == want);
		memset(digits, '0', n);
		assert_true(parse_u64(digits, n, &v));
		assert_true(v == 0);
		/* Within the number: blanks around it are no part of it. */
		for (size_t i = 1; i + 1 < n; i++)
			for (size_t k = 0; k < sizeof(strange); k++) {
				digits[i] = strange[k];
				if (parse_u64(digits, n, &v))
					fail_msg("%zu bytes with %d at %zu are a number", n,
						strange[k], i);
				digits[i] = '0';
			}
		free(digits);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_are_read_as_devices_print_them),
		cmocka_unit_test(what_is_no_counter_is_absent),
		cmocka_unit_test(readings_are_read_with_sign_exponent_and_unit),
		cmocka_unit_test(no_light_differs_from_no_reading),
		cmocka_unit_test(readings_are_the_same_in_both_ways),
		cmocka_unit_test(a_reading_ends_where_it_does),
		cmocka_unit_test(only_the_given_length_is_read),
		cmocka_unit_test(dates_of_switches_are_utc),
		cmocka_unit_test(priority_lists),
		cmocka_unit_test(indexes_are_below_their_limit),
		cmocka_unit_test(as_numbers_have_two_forms),
		cmocka_unit_test(ups_and_downs_alternate),
		cmocka_unit_test(a_banner_before_the_document_is_skipped),
		cmocka_unit_test(one_wrong_byte_or_a_huge_number_costs_no_document),
		cmocka_unit_test(looking_into_what_is_not_there_is_harmless),
		cmocka_unit_test(dates_are_those_of_the_calendar),
		cmocka_unit_test(test_digits_of_each_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
