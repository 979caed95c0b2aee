/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "tests/support/cases.h"
#include "views/common.h"
#include "views/outlier.h"

static const struct view_ctx batch; /* no terminal */

static struct view_cell dirty(void)
{
	struct view_cell c;

	memset(&c, 0x5a, sizeof(c));
	return c;
}

CASE(unknown_is_never_zero)
{
	static const struct {
		enum validity why;
		const char *text;
	} words[] = {{VALID_UNKNOWN, "-"}, {VALID_UNSUPPORTED, "n/a"}, {VALID_DISABLED, "off"},
		{VALID_RESET, "reset"}, {VALID_OK, "-"}, {VALID_STALE, "-"},
		{(enum validity)99, "-"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct view_cell c = dirty();

		cell_unknown(&c, words[i].why);
		assert_string_equal(c.text, words[i].text);
		assert_int_equal(c.role, ROLE_UNKNOWN);
		assert_true(isnan(c.number));
	}
}

CASE(nan_is_a_dash_everywhere)
{
	struct view_cell c[7];

	memset(c, 0x5a, sizeof(c));
	cell_rate(&c[0], NAN);
	cell_bps(&(struct view_ctx){0}, &c[1], NAN);
	cell_percent(&c[2], NAN, 1, 2);
	cell_paused(&batch, &c[3], (struct paused){NAN, true});
	cell_count_bad(&c[4], NAN);
	cell_ber(&c[5], NAN);
	cell_speed(&c[6], 0, 400000);
	for (size_t i = 0; i < 7; i++) {
		assert_string_equal(c[i].text, "-");
		assert_true(isnan(c[i].number));
		assert_int_equal(c[i].role, ROLE_UNKNOWN);
	}
}

CASE(rates_have_three_digits)
{
	static const struct view_units units = {.bytes = true};
	struct view_ctx bits = {0}, bytes = {.units = &units};
	struct view_cell c = dirty();

	cell_rate(&c, 0);
	assert_string_equal(c.text, "0");
	assert_int_equal(c.role, ROLE_DIM);
	assert_true(c.has_number && c.number == 0);
	cell_bps(&bytes, &c, 312.4e9);
	assert_string_equal(c.text, "39.0GB");
	assert_true(c.number == 312.4e9 && c.is_bits);
	cell_bps(&bits, &c, 312.4e9);
	assert_string_equal(c.text, "312G");
	assert_true(c.number == 312.4e9);
	cell_rate(&c, 41234);
	assert_string_equal(c.text, "41.2k");
}

CASE(percent_marks_limits)
{
	struct view_cell c = dirty();

	cell_percent(&c, 0.4, 1, 20);
	assert_string_equal(c.text, "0.4%");
	assert_int_equal(c.role, ROLE_NORMAL);
	cell_percent(&c, 1, 1, 20);
	assert_string_equal(c.text, "1.0%!");
	assert_int_equal(c.role, ROLE_WARN);
	cell_percent(&c, 20, 1, 20);
	assert_string_equal(c.text, "20%!");
	assert_int_equal(c.role, ROLE_CRIT);
	cell_percent(&c, 100, INFINITY, INFINITY);
	assert_string_equal(c.text, "100%");
	cell_percent(&c, 0, 1, 20);
	assert_string_equal(c.text, "0%");
	cell_percent(&c, 0.01, 1, 20);
	assert_string_equal(c.text, "<.1%");
}

CASE(upper_bound_is_marked)
{
	struct view_cell c = dirty();

	cell_paused(&batch, &c, (struct paused){0.4, true});
	assert_string_equal(c.text, "<=1%");
	assert_true(c.number == 0.4);
	cell_paused(&batch, &c, (struct paused){0.4, false});
	assert_string_equal(c.text, "0.4%");
	cell_paused(&batch, &c, (struct paused){84, true});
	assert_string_equal(c.text, "<=84%!");
	assert_int_equal(c.role, ROLE_WARN);
	/* no frame is no pause: exactly zero */
	cell_paused(&batch, &c, (struct paused){0, true});
	assert_string_equal(c.text, "0%");
	cell_paused(&batch, &c, (struct paused){100, true});
	assert_string_equal(c.text, "<=100%");
	assert_int_equal(c.role, ROLE_WARN);
	cell_paused(&batch, &c, (struct paused){1.5, true});
	assert_string_equal(c.text, "<=2%");
	cell_paused(&batch, &c, (struct paused){0.01, true});
	assert_string_equal(c.text, "<=.1%");
}

CASE(bad_counts_and_speed_are_marked)
{
	struct view_cell c = dirty();

	cell_count_bad(&c, 0);
	assert_string_equal(c.text, "0");
	assert_int_equal(c.role, ROLE_DIM);
	cell_count_bad(&c, 2500);
	assert_string_equal(c.text, "2.50k!");
	assert_int_equal(c.role, ROLE_CRIT);
	cell_speed(&c, 400000, 400000);
	assert_string_equal(c.text, "400G");
	cell_speed(&c, 200000, 400000);
	assert_string_equal(c.text, "200G!");
	assert_int_equal(c.role, ROLE_WARN);
	cell_speed(&c, 1600000, 0);
	assert_string_equal(c.text, "1.6T");
	cell_speed(&c, 100, 0);
	assert_string_equal(c.text, "100M");
	assert_true(c.number == 100);
}

CASE(ber_has_limits)
{
	struct view_cell c = dirty();

	cell_ber(&c, 1.23e-8);
	assert_string_equal(c.text, "1.2e-08");
	assert_int_equal(c.role, ROLE_NORMAL);
	cell_ber(&c, 3e-5);
	assert_string_equal(c.text, "3.0e-05!");
	assert_int_equal(c.role, ROLE_WARN);
	cell_ber(&c, 2.4e-4);
	assert_int_equal(c.role, ROLE_CRIT);
	cell_ber(&c, 0);
	assert_string_equal(c.text, "0");
}

CASE(severity_orders_and_has_words)
{
	struct view_cell ok = dirty(), warn = dirty(), crit = dirty(), unknown = dirty();

	cell_severity(&ok, (struct health){.severity = SEV_OK, .rank = 0});
	cell_severity(&warn, (struct health){.severity = SEV_WARN, .rank = 999});
	cell_severity(&crit, (struct health){.severity = SEV_CRIT, .rank = 0});
	cell_severity(&unknown, (struct health){.severity = SEV_UNKNOWN});
	assert_string_equal(ok.text, "ok");
	assert_string_equal(warn.text, "WARN");
	assert_string_equal(crit.text, "CRIT");
	assert_string_equal(unknown.text, "-");
	assert_true(ok.number < warn.number && warn.number < crit.number);
	assert_true(crit.number == SEV_CRIT * 1e6);
	assert_true(isnan(unknown.number));
}

CASE(text_is_cut_between_characters)
{
	struct view_cell c = dirty();
	char a[200];

	/* TABLE_CELL_TEXT - 1 bytes fit: one less leaves half of a two-byte character */
	memset(a, 'x', sizeof(a));
	memcpy(a + TABLE_CELL_TEXT - 2, "\xc3\xa9zzz", 6);
	cell_text(&c, ROLE_NORMAL, "%s", a);
	assert_int_equal(strlen(c.text), TABLE_CELL_TEXT - 2);
	assert_int_equal(c.text[TABLE_CELL_TEXT - 3], 'x');
	assert_false(c.has_number);
	/* a whole character that just fits stays */
	memcpy(a + TABLE_CELL_TEXT - 3, "\xc3\xa9zzz", 6);
	cell_text(&c, ROLE_NORMAL, "%s", a);
	assert_int_equal(strlen(c.text), TABLE_CELL_TEXT - 1);
	assert_int_equal((unsigned char)c.text[TABLE_CELL_TEXT - 2], 0xa9);
}

CASE(old_numbers_are_marked_once)
{
	struct view_cell c = dirty();

	cell_rate(&c, 5000);
	cell_mark_old(&c);
	cell_mark_old(&c);
	assert_string_equal(c.text, "~5.00k");
	assert_true(c.number == 5000);
	cell_unknown(&c, VALID_UNKNOWN);
	cell_mark_old(&c);
	assert_string_equal(c.text, "-");
}

CASE(ages_come_in_steps)
{
	assert_string_equal(age_step(20 * CLOCK_SEC, 0), "-");
	assert_string_equal(age_step(20 * CLOCK_SEC, 30 * CLOCK_SEC), "<10s");
	assert_string_equal(age_step(20 * CLOCK_SEC, 11 * CLOCK_SEC), "<10s");
	assert_string_equal(age_step(20 * CLOCK_SEC, 10 * CLOCK_SEC), "<1m");
	assert_string_equal(age_step(4000 * CLOCK_SEC, 1), "<1d");
	assert_string_equal(age_step(90000 * CLOCK_SEC, 1), ">1d");
}

CASE(odd_value_needs_distance_and_company)
{
	const double even[8] = {50, 51, 49, 50, 50, 51, 49, 50};
	const double one[8] = {50, 51, 49, 20, 50, 51, 49, 50};
	const double close[8] = {50, 50, 50, 50, 50, 50, 50, 50.5};
	const double spread[8] = {10, 20, 30, 40, 50, 60, 70, 80};
	const double two[8] = {50, 20, NAN, NAN, NAN, NAN, NAN, NAN};
	const double few[8] = {50, 20, 50, NAN, NAN, NAN, NAN, NAN};
	double median = 0;

	assert_int_equal(outlier_value(even, 8, 5, &median), -1);
	assert_true(median == 50);
	assert_int_equal(outlier_value(one, 8, 5, &median), 3);
	assert_int_equal(outlier_value(close, 8, 5, NULL), -1);
	assert_int_equal(outlier_value(spread, 8, 5, NULL), -1);
	assert_int_equal(outlier_value(two, 8, 5, NULL), -1);
	assert_int_equal(outlier_value(few, 8, 5, NULL), 1);
}

/* Rounded to one decimal, a weak minus is none. */
CASE(nothing_is_minus_zero)
{
	struct view_cell c = {0};

	cell_dbm(&c, -0.04, false);
	assert_string_equal(c.text, "0.0");
	cell_dbm(&c, -0.06, false);
	assert_string_equal(c.text, "-0.1");
	cell_dbm(&c, -40, true);
	assert_string_equal(c.text, "-40.0!");
}

CASES_MAIN(NULL, NULL)
