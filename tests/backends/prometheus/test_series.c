/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/prometheus/series.h"
#include "tests/support/cases.h"

#define NOW  (INT64_C(1700000000) * 1000000)
#define S(n) (INT64_C(n) * 1000000)
#define K(c) (((uint64_t)(c) << 32 | (uint64_t)(c)) * 2654435761U)

/*
 * A reply that has these series, one letter each, at now. The result has a known series in upper
 * case; then the series counts as read at now.
 */
static const char *reply_in(struct series_list *l, const char *names, int64_t now, bool keep)
{
	static char said[64];
	struct series_pass p;
	size_t i;

	known_begin(&p, l);
	for (i = 0; names[i]; i++) {
		struct series *s = known_find(&p, K(names[i]));

		said[i] = (char)(s ? names[i] - 'a' + 'A' : names[i]);
		if (s)
			assert_int_equal(s->place, names[i]);
		else
			s = known_add(&p, K(names[i]));
		s->place = (uint32_t)names[i];
		s->newest = series_time(now);
	}
	said[i] = '\0';
	known_end(&p, now, keep);
	return said;
}

static const char *reply(struct series_list *l, const char *names, int64_t now)
{
	return reply_in(l, names, now, true);
}

CASE(the_same_reply_again)
{
	struct series_list l = {0};

	assert_string_equal(reply(&l, "abcd", NOW), "abcd");
	assert_string_equal(reply(&l, "abcd", NOW), "ABCD");
	assert_int_equal(l.n, 4);
	assert_true(sizeof(struct series) == 16);
	known_free(&l);
}

CASE(another_order_and_more)
{
	struct series_list l = {0};

	(void)reply(&l, "abcd", NOW);
	assert_string_equal(reply(&l, "abxcd", NOW), "ABxCD");
	assert_string_equal(reply(&l, "abxcd", NOW), "ABXCD");
	assert_string_equal(reply(&l, "dcxba", NOW), "DCXBA");
	assert_string_equal(reply(&l, "zdcxbay", NOW), "zDCXBAy");
	assert_string_equal(reply(&l, "zdcxbay", NOW), "ZDCXBAY");
	assert_int_equal(l.n, 7);
	known_free(&l);
}

CASE(what_is_gone_is_kept_for_half_an_hour)
{
	struct series_list l = {0};

	(void)reply(&l, "abcdef", NOW);
	assert_string_equal(reply(&l, "acf", NOW + S(30)), "ACF");
	assert_int_equal(l.n, 6);
	assert_string_equal(reply(&l, "abcdef", NOW + S(60)), "ABCDEF");
	(void)reply(&l, "acf", NOW + S(90));
	/* The series come in order now, and yet those behind are checked. */
	assert_string_equal(reply(&l, "acf", NOW + S(1900)), "ACF");
	assert_int_equal(l.n, 3);
	assert_string_equal(reply(&l, "abcdef", NOW + S(1930)), "AbCdeF");
	/* A reply that broke off. */
	assert_string_equal(reply(&l, "ab", NOW + S(1960)), "AB");
	assert_string_equal(reply(&l, "abcdef", NOW + S(1990)), "ABCDEF");
	known_free(&l);
}

CASE(without_room_only_what_came_is_kept)
{
	struct series_list l = {0};

	(void)reply(&l, "abcd", NOW);
	assert_string_equal(reply_in(&l, "ab", NOW + S(30), false), "AB");
	assert_int_equal(l.n, 2);
	/* Likewise when the order is another one. */
	(void)reply(&l, "abcd", NOW + S(60));
	assert_string_equal(reply_in(&l, "dea", NOW + S(90), false), "DeA");
	assert_int_equal(l.n, 3);
	known_free(&l);
}

/* A time of 70 minutes ago looks like one of now. */
CASE(a_list_that_was_not_read_for_an_hour_is_forgotten)
{
	struct series_list l = {0};

	(void)reply(&l, "ab", NOW);
	known_expire(&l, NOW + S(3600));
	assert_int_equal(l.n, 2);
	known_expire(&l, NOW + S(3960));
	assert_int_equal(l.n, 0);
	assert_string_equal(reply(&l, "ab", NOW + S(4200)), "ab");
	/* It was read again just now. */
	known_expire(&l, NOW + S(4230));
	assert_int_equal(l.n, 2);
	known_free(&l);
}

CASE(a_series_twice_is_one)
{
	struct series_list l = {0};

	(void)reply(&l, "abc", NOW);
	assert_string_equal(reply(&l, "aabcb", NOW), "AABCB");
	assert_int_equal(l.n, 3);
	known_free(&l);
}

CASE(a_reply_that_is_dropped_leaves_the_list)
{
	struct series_list l = {0}, copy;
	struct series_pass p;

	(void)reply(&l, "abc", NOW);
	known_begin(&p, &l);
	assert_non_null(known_find(&p, K('c')));
	assert_null(known_find(&p, K('x')));
	assert_non_null(known_add(&p, K('x')));
	known_drop(&p);
	copy = known_copy(&l);
	assert_string_equal(reply(&l, "abc", NOW), "ABC");
	assert_string_equal(reply(&copy, "cx", NOW), "Cx");
	assert_int_equal(l.n, 3);
	known_free(&copy);
	known_free(&l);
}

CASE(many_in_reverse)
{
	struct series_list l = {0};
	struct series_pass p;
	size_t known = 0;

	for (unsigned round = 0; round < 3; round++) {
		known_begin(&p, &l);
		for (unsigned i = 0; i < 100000; i++) {
			unsigned at = round == 1 ? 99999 - i : i;
			struct series *s = known_find(&p, K(at));

			known += s != NULL;
			if (!s)
				s = known_add(&p, K(at));
			assert_non_null(s);
			s->newest = series_time(NOW);
		}
		known_end(&p, NOW, true);
		assert_int_equal(l.n, 100000);
	}
	assert_int_equal(known, 200000);
	known_free(&l);
}

/* Small lists and large ones are kept in different memory: nothing is lost in between. */
CASE(a_list_grows_and_shrinks)
{
	static const unsigned sizes[] = {10, 6000, 90000, 5000, 100, 0, 70000, 3};
	struct series_list l = {0};

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		int64_t now = NOW + S(3600) * i;
		struct series_list copy, both;
		struct series_pass p;

		known_begin(&p, &l);
		for (unsigned k = 0; k < sizes[i]; k++) {
			struct series *s = known_find(&p, K(k));

			if (s)
				assert_int_equal(s->place, k);
			else
				s = known_add(&p, K(k));
			s->place = k;
			s->newest = series_time(now);
		}
		known_end(&p, now, false);
		assert_int_equal(l.n, sizes[i]);
		copy = known_copy(&l);
		both = known_both(&copy, &l);
		assert_int_equal(both.n, 2 * sizes[i]);
		for (unsigned k = 0; k < both.n; k++)
			assert_int_equal(both.at[k].place, k % sizes[i]);
		known_free(&copy);
		known_free(&both);
	}
	known_free(&l);
}

CASE(test_times_round_up)
{
	for (int64_t ago = 0; ago < S(4100); ago += S(7) + 12345) {
		int64_t had = series_time_us(series_time(NOW - ago), NOW);

		assert_true(had >= NOW - ago && had - (NOW - ago) < 64000);
	}
	assert_true(series_time_us(0, NOW) == INT64_MIN);
	assert_int_equal(series_time(-1), 0);
}

CASES_MAIN(NULL, NULL)
