/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/session/file_moment.h"
#include "base/clock.h"
#include "tests/support/cases.h"

/* 2026-11-22T02:13:30Z */
#define END  (INT64_C(1795313610) * CLOCK_SEC)
#define FROM (END - 3600 * CLOCK_SEC)

static int64_t time_within(const char *text, int64_t from_us, int64_t to_us)
{
	struct file_moment f;
	struct err err = {0};
	int64_t t = 0;

	assert_true(file_moment_read(text, &f, &err));
	return file_moment_time(&f, NULL, from_us, to_us, &t, &err) ? t : -1;
}

static int64_t time_of(const char *text)
{
	return time_within(text, FROM, END);
}

CASE(times_are_within_the_file)
{
	assert_int_equal(time_of("shift.rts"), END);
	assert_int_equal(time_of("shift.rts@02:13:30"), END);
	assert_int_equal(time_of("shift.rts@-5m"), END - 300 * CLOCK_SEC);
	assert_int_equal(time_of("shift.rts@2026-11-22T01:30:00"), END - 2610 * CLOCK_SEC);
	assert_int_equal(time_of("shift.rts@2026-11-21T01:30:00"), -1);
	assert_int_equal(time_of("shift.rts@-2h"), -1);
	assert_int_equal(time_of("shift.rts@noon"), -1);
	/* Neither ends on a full second: the seconds that they are in belong to it. */
	assert_int_equal(time_within("a@02:13:30", END + 1, END + 900000), END);
	assert_int_equal(
		time_within("a@2026-11-22T02:13:31", END + 1, END + 900000), END + CLOCK_SEC);
	assert_int_equal(time_within("a@02:13:29", END + 1, END + 900000), -1);
	assert_int_equal(time_within("a@2026-11-22T02:13:32", END + 1, END + 900000), -1);
}

CASE(errors_say_what_the_file_covers)
{
	struct file_moment f;
	struct err err = {0};
	int64_t t;

	assert_true(file_moment_read("shift.rts@-2h", &f, &err));
	assert_false(file_moment_time(&f, NULL, FROM, END, &t, &err));
	assert_non_null(strstr(err.text, "2026-11-22T01:13:30Z"));
	assert_non_null(strstr(err.text, "2026-11-22T02:13:30Z"));
}

/* The clock was set back by an hour half an hour before the end. */
CASE(an_hour_that_was_twice_is_told)
{
	struct clock_track t = {0};
	struct file_moment f;
	struct err err = {0};
	int64_t at = END - 1800 * CLOCK_SEC, us;

	assert_true(clock_track_note(&t, at, at - 3600 * CLOCK_SEC));
	/* The end is 01:13:30 by the clock, and so was the beginning. */
	assert_true(file_moment_read("shift.rts@01:13:30", &f, &err));
	assert_true(file_moment_time(&f, &t, FROM, END, &us, &err));
	assert_int_equal(us, END);
	assert_non_null(strstr(f.said, "01:13:30 was 2 times"));
	assert_non_null(strstr(f.said, "01:13:30#1 is the other"));
	assert_true(file_moment_read("shift.rts@01:13:30#1", &f, &err));
	assert_true(file_moment_time(&f, &t, FROM, END, &us, &err));
	assert_int_equal(us, FROM);
	assert_true(file_moment_read("shift.rts@-1h", &f, &err));
	assert_true(file_moment_time(&f, &t, FROM, END, &us, &err));
	assert_int_equal(us, FROM);
	assert_string_equal(f.said, "");
	assert_true(file_moment_read("shift.rts@01:13:30#3", &f, &err));
	assert_false(file_moment_time(&f, &t, FROM, END, &us, &err));
	assert_non_null(strstr(err.text, "was 2 times"));
	clock_track_free(&t);
}

CASE(names_may_have_an_at)
{
	char path[] = "/tmp/railtop@moment-XXXXXX";
	int fd = mkstemp(path);
	struct file_moment f;
	struct err err = {0};

	assert_true(fd >= 0);
	assert_true(file_moment_read(path, &f, &err));
	assert_string_equal(f.path, path);
	assert_string_equal(f.when, "");
	(void)close(fd);
	(void)unlink(path);
	/* The file does not exist: the text behind the last @ is a time. */
	assert_true(file_moment_read(path, &f, &err));
	assert_string_equal(f.path, "/tmp/railtop");
	assert_false(file_moment_read("@-5m", &f, &err));
	assert_false(file_moment_read("shift.rts@", &f, &err));
	assert_false(file_moment_read("", &f, &err));
}

CASES_MAIN(NULL, NULL)
