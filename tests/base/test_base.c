/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/str.h"
#include "base/vec.h"
#include "tests/support/cases.h"

CASE(errors_carry_who_what_and_cure)
{
	struct err e = {0};
	char text[900];

	assert_false(err_set(&e, ERR_TIMEOUT, "leaf\033", "no answer\nwithin %d s", 10));
	assert_int_equal(e.code, ERR_TIMEOUT);
	assert_string_equal(err_format(&e, text, sizeof(text)), "leaf?: no answer within 10 s");
	assert_false(err_cure(&e, "try \033[2J%s", "again"));
	assert_string_equal(
		err_format(&e, text, sizeof(text)), "leaf?: no answer within 10 s (try ?[2Jagain)");
	err_set(&e, ERR_IO, NULL, "x");
	assert_string_equal(e.cure, "");
	assert_string_equal(err_format(&e, text, sizeof(text)), "x");
	assert_false(err_set(NULL, ERR_IO, "a", "b"));
	assert_false(err_cure(NULL, "b"));
}

CASE(errors_are_cut_not_overrun)
{
	struct err e = {0};
	char big[2000], text[64];

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	err_set(&e, ERR_IO, big, "%s", big);
	err_cure(&e, "%s", big);
	assert_int_equal(strlen(e.origin), sizeof(e.origin) - 1);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
	assert_int_equal(strlen(e.cure), sizeof(e.cure) - 1);
	assert_int_equal(strlen(err_format(&e, text, sizeof(text))), sizeof(text) - 1);
}

CASE(error_codes_have_different_names)
{
	for (unsigned i = 0; i <= ERR_INTERNAL; i++)
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(
				err_code_name((enum err_code)i), err_code_name((enum err_code)j));
	assert_string_equal(err_code_name((enum err_code)99), "internal");
}

CASE(arrays_grow)
{
	VEC(int) v = {0};
	struct pair {
		int a, b;
	} * p;
	VEC(struct pair) pairs = {0};

	for (int i = 0; i < 1000; i++)
		vec_push(&v, i * 3);
	assert_int_equal(v.n, 1000);
	assert_int_equal(v.at[999], 2997);
	assert_true(v.size >= v.n);
	vec_free(&v);
	assert_null(v.at);
	assert_int_equal(v.n, 0);
	vec_push(&pairs, (struct pair){1, 2});
	for (int i = 0; i < 20; i++) {
		p = vec_add(&pairs);
		assert_int_equal(p->a, 0);
		p->a = 9;
	}
	assert_int_equal(pairs.n, 21);
	assert_int_equal(pairs.at[0].b, 2);
	vec_free(&pairs);
}

CASE(clocks_can_be_held)
{
	struct clock_fake f;
	char text[32];
	int64_t a;

	clock_fake_init(&f, 1732189556 * CLOCK_SEC);
	assert_int_equal(clock_wall(&f.clock), 1732189556 * CLOCK_SEC);
	f.now += CLOCK_MSEC;
	assert_int_equal(clock_mono(&f.clock), 1732189556 * CLOCK_SEC + 1000);
	assert_string_equal(clock_format_utc(f.now, text, sizeof(text)), "2024-11-21T11:45:56Z");
	assert_string_equal(clock_format_hms(f.now, text, sizeof(text)), "11:45:56");
	assert_string_equal(clock_format_hms(f.now, text, 3), "-");
	assert_string_equal(clock_format_utc(0, text, sizeof(text)), "1970-01-01T00:00:00Z");
	a = clock_mono(&clock_system);
	assert_true(clock_mono(&clock_system) >= a);
	assert_true(clock_wall(&clock_system) > 1500000000 * CLOCK_SEC);
}

CASE(the_log_is_off_until_opened)
{
	char path[] = "/tmp/railtop-log-XXXXXX", line[256] = "";
	int fd = mkstemp(path);
	FILE *f;

	assert_true(fd >= 0);
	close(fd);
	log_line("nobody", "not written");
	assert_true(log_open(path));
	log_line("leaf", "bad \033[2J %s", "text");
	log_close();
	log_line("nobody", "not written either");
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	assert_non_null(strstr(line, "Z leaf: bad ?[2J text\n"));
	assert_null(fgets(line, sizeof(line), f));
	(void)fclose(f);
	unlink(path);
	assert_false(log_open("/nonexistent/railtop.log"));
}

CASES_MAIN(NULL, NULL)
