/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/session/observation_reader.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/support/cases.h"

#define T0 INT64_C(1700000000)

struct stage {
	uv_loop_t loop;
	struct observation_reader *feed;
	char dir[64], path[128];
	char devices[512]; /* of the batches, in order, with a space after each */
	size_t batches, warned, progressed;
	int64_t newest;    /* received_us */
	int64_t times[16]; /* the same of all batches */
	int64_t stepped_us, showed_us;
	size_t steps;
	struct buf warnings; /* a line each */
};

static void take(void *ctx, struct obs *o)
{
	struct stage *s = ctx;
	size_t n = strlen(s->devices);

	if (s->batches < 16)
		s->times[s->batches] = o->received_us;
	s->batches++;
	(void)str_printf(s->devices + n, sizeof(s->devices) - n, "%s ", o->device);
	s->newest = o->received_us;
	obs_free(o);
}

static void stepped(void *ctx, int64_t session_us, int64_t wall_us)
{
	struct stage *s = ctx;

	s->steps++;
	s->stepped_us = session_us;
	s->showed_us = wall_us;
}

static void progress(void *ctx)
{
	((struct stage *)ctx)->progressed++;
}

static void count_warning(void *ctx, const char *message)
{
	struct stage *s = ctx;

	s->warned++;
	assert_true(buf_addf(&s->warnings, "%s\n", message));
}

static int setup(void **state)
{
	struct stage *s = calloc(1, sizeof(*s));

	(void)str_copy(s->dir, sizeof(s->dir), "/tmp/railtop-feed-XXXXXX");
	if (!mkdtemp(s->dir))
		return -1;
	(void)str_printf(s->path, sizeof(s->path), "%s/o", s->dir);
	buf_init(&s->warnings, 1 << 20);
	*state = s;
	return uv_loop_init(&s->loop);
}

static int teardown(void **state)
{
	struct stage *s = *state;

	if (s->feed)
		observation_reader_close(s->feed);
	(void)uv_run(&s->loop, UV_RUN_DEFAULT);
	/* A handle that was left open would make the loop busy. */
	assert_int_equal(uv_loop_close(&s->loop), 0);
	(void)unlink(s->path);
	(void)rmdir(s->dir);
	buf_free(&s->warnings);
	free(s);
	return 0;
}

static void write_file(const struct stage *s, const char *text, size_t n)
{
	FILE *f = fopen(s->path, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static bool open_path(struct stage *s, const char *path, int fd, struct err *err)
{
	struct observation_reader_opts opts = {.path = path,
		.fd = fd,
		.take = take,
		.progress = progress,
		.stepped = stepped,
		.warn = count_warning,
		.ctx = s,
		.warn_ctx = s};

	memset(err, 0, sizeof(*err));
	s->feed = observation_reader_open(&s->loop, &opts, err);
	return s->feed != NULL;
}

static void open_text(struct stage *s, const char *text)
{
	struct err err;

	write_file(s, text, strlen(text));
	if (!open_path(s, s->path, -1, &err))
		fail_msg("%s", err.text);
}

/* All warnings, each without the directory: "o:1: ...". */
static void expect_warnings(const struct stage *s, const char *want)
{
	char got[2048] = "";
	const char *p = s->warnings.data ? s->warnings.data : "";

	while (*p) {
		size_t n = strcspn(p, "\n") + 1, len = strlen(got);

		assert_memory_equal(p, s->dir, strlen(s->dir));
		p += strlen(s->dir) + 1;
		n -= strlen(s->dir) + 1;
		assert_true(str_copyn(got + len, sizeof(got) - len, p, n));
		p += n;
	}
	assert_string_equal(got, want);
}

CASE_WITH(a_file_is_read_at_once, setup, teardown)
{
	struct stage *s = *state;

	open_text(s, "{\"t\":1700000003,\"device\":\"b\"}\n"
		     "\n"
		     "  \t\r\n"
		     "{\"t\":1700000001.25,\"device\":\"a\"}\r\n");
	assert_string_equal(s->devices, "b a ");
	assert_true(observation_reader_is_file(s->feed));
	assert_true(observation_reader_ended(s->feed));
	assert_true(s->newest == T0 * CLOCK_SEC + 1250000);
	/* The newest, not the last. */
	assert_true(observation_reader_time(s->feed) == (T0 + 3) * CLOCK_SEC);
	expect_warnings(s, "");
}

/* An hour back, as by somebody who set the zone: read in the order of the lines. */
CASE_WITH(a_clock_that_was_set_back_is_straightened, setup, teardown)
{
	static const int64_t want[] = {0, 1, 10, 11, 20, 21, 30, 31};
	struct stage *s = *state;

	open_text(s, "{\"t\":1700003600,\"device\":\"a\",\"port\":\"p\"}\n"
		     "{\"t\":1700003601,\"device\":\"b\",\"port\":\"p\"}\n"
		     "{\"t\":1700003610,\"device\":\"a\",\"port\":\"p\"}\n"
		     "{\"t\":1700003611,\"device\":\"b\",\"port\":\"p\"}\n"
		     "{\"t\":1700000020,\"device\":\"a\",\"port\":\"p\"}\n"
		     "{\"t\":1700000021,\"device\":\"b\",\"port\":\"p\"}\n"
		     "{\"t\":1700000030,\"device\":\"a\",\"port\":\"p\"}\n"
		     "{\"t\":1700000031,\"device\":\"b\",\"port\":\"p\"}\n");
	assert_int_equal(s->batches, 8);
	for (size_t i = 0; i < 8; i++)
		if (s->times[i] != (T0 + 3600 + want[i]) * CLOCK_SEC)
			fail_msg("line %zu is at %lld", i + 1,
				(long long)(s->times[i] / CLOCK_SEC - T0 - 3600));
	assert_int_equal(s->steps, 1);
	assert_true(s->stepped_us == (T0 + 3620) * CLOCK_SEC);
	assert_true(s->showed_us == (T0 + 20) * CLOCK_SEC);
	assert_true(observation_reader_time(s->feed) == (T0 + 3631) * CLOCK_SEC);
	expect_warnings(s,
		"o:5: its clock was set back here (-1 h): later lines are read in their order\n");
}

/* A file that is sorted by device or by port, and lines that are a little late, are no step. */
CASE_WITH(other_orders_are_no_step, setup, teardown)
{
	struct stage *s = *state;

	open_text(s, "{\"t\":1700000000,\"device\":\"a\",\"port\":\"p\"}\n"
		     "{\"t\":1700000900,\"device\":\"a\",\"port\":\"p\"}\n"
		     "{\"t\":1700000000,\"device\":\"a\",\"port\":\"q\"}\n"
		     "{\"t\":1700000900,\"device\":\"a\",\"port\":\"q\"}\n"
		     "{\"t\":1700000000,\"device\":\"b\",\"port\":\"p\"}\n"
		     "{\"t\":1700000900,\"device\":\"b\",\"port\":\"p\"}\n"
		     "{\"t\":1700000896,\"device\":\"b\",\"port\":\"p\"}\n");
	assert_int_equal(s->batches, 7);
	assert_int_equal(s->steps, 0);
	assert_true(s->times[2] == T0 * CLOCK_SEC && s->times[4] == T0 * CLOCK_SEC);
	assert_true(s->times[6] == (T0 + 896) * CLOCK_SEC);
	expect_warnings(s, "");
}

/* Times in ms behind T0. */
static void open_times(struct stage *s, const int *ms, size_t n, unsigned ports)
{
	struct buf text;

	buf_init(&text, 65536);
	for (size_t i = 0; i < n; i++)
		assert_true(
			buf_addf(&text, "{\"t\":%lld.%03d,\"device\":\"a\",\"port\":\"p%zu\"}\n",
				(long long)T0 + ms[i] / 1000, ms[i] % 1000, i % ports));
	open_text(s, text.data);
	buf_free(&text);
}

/* A second source that is late each time, one line out of order, and a time twice are none. */
CASE_WITH(late_lines_are_no_step, setup, teardown)
{
	static const int late[] = {10000, 8000, 15000, 13000, 20000, 18000, 25000, 23000};
	static const int once[] = {10000, 10500, 11000, 9000, 11500, 12000, 10000, 12500, 13000};
	static const int twice[] = {10000, 10000, 10000, 10000, 10500, 10500, 10500, 10500};
	static const int third[] = {10000, 8000, 9000, 15000, 13000, 14000, 20000, 18000, 19000};
	/* A port's answers to several requests, each with a time of its own. */
	static const int requests[] = {10000, 8000, 8100, 8200, 8300, 15000, 13000, 13100, 13200};
	struct stage *s = *state;

	open_times(s, late, 8, 1);
	observation_reader_close(s->feed);
	open_times(s, once, 9, 1);
	observation_reader_close(s->feed);
	open_times(s, twice, 8, 1);
	observation_reader_close(s->feed);
	open_times(s, third, 9, 1);
	observation_reader_close(s->feed);
	open_times(s, requests, 9, 1);
	assert_int_equal(s->steps, 0);
	expect_warnings(s, "");
}

CASE_WITH(the_last_line_needs_no_end, setup, teardown)
{
	struct stage *s = *state;

	open_text(s, "{\"t\":1,\"device\":\"a\"}\n{\"t\":2,\"device\":\"b\"}");
	assert_string_equal(s->devices, "a b ");
	expect_warnings(s, "");
}

CASE_WITH(lines_without_a_time, setup, teardown)
{
	struct stage *s = *state;
	int64_t before = clock_wall(&clock_system);

	open_text(s, "{\"device\":\"a\"}\n");
	assert_true(s->newest >= before && s->newest <= clock_wall(&clock_system));
	assert_true(observation_reader_time(s->feed) == s->newest);
	observation_reader_close(s->feed);
	open_text(s, "{\"t\":1700000000,\"device\":\"a\"}\n{\"device\":\"b\"}\n");
	assert_true(s->newest == T0 * CLOCK_SEC);
	assert_true(observation_reader_time(s->feed) == T0 * CLOCK_SEC);
}

CASE_WITH(wrong_lines_are_named_and_skipped, setup, teardown)
{
	struct stage *s = *state;
	const char *w;

	open_text(s, "{\"t\":1,\"device\":\"a\"}\n"
		     "hello\n"
		     "\n"
		     "{\"t\":1}\n"
		     "{\"t\":2,\"device\":\"b\"}\n"
		     "{\"t\":3,\"dev");
	assert_string_equal(s->devices, "a b ");
	assert_int_equal(s->warned, 3);
	w = s->warnings.data;
	assert_non_null(strstr(w, "/o:2: "));
	assert_non_null(strstr(w, "/o:4: "));
	assert_non_null(strstr(w, "/o:6: "));
}

CASE_WITH(control_characters_stay_out_of_warnings, setup, teardown)
{
	struct stage *s = *state;

	open_text(s, "\033]0;owned\007\n"
		     "{\"device\":\"a\",\"\\u001b[2J\":1}\n");
	assert_int_equal(s->warned, 2);
	for (size_t i = 0; i < s->warnings.len; i++)
		assert_true(
			(unsigned char)s->warnings.data[i] >= ' ' || s->warnings.data[i] == '\n');
}

CASE_WITH(an_unknown_key_is_told_once, setup, teardown)
{
	struct stage *s = *state;

	open_text(s, "{\"device\":\"a\",\"colour\":1}\n"
		     "{\"device\":\"a\",\"colour\":2,\"state\":{\"mood\":\"good\"}}\n"
		     "{\"device\":\"b\",\"colour\":3,\"state\":{\"mood\":\"bad\"}}\n");
	assert_int_equal(s->batches, 3);
	expect_warnings(
		s, "o:1: unknown key \"colour\" ignored\no:2: unknown key \"mood\" ignored\n");
}

CASE_WITH(warnings_are_capped, setup, teardown)
{
	struct stage *s = *state;
	struct buf b;

	buf_init(&b, 1 << 20);
	for (int i = 0; i < 500; i++)
		assert_true(
			buf_addf(&b, i % 2 ? "rubbish\n" : "{\"device\":\"a\",\"k%d\":1}\n", i));
	open_text(s, b.data);
	buf_free(&b);
	assert_int_equal(s->batches, 250);
	assert_int_equal(s->warned, FEED_WARNINGS_MAX);
	assert_non_null(strstr(s->warnings.data, "/o:20: "));
	assert_non_null(strstr(s->warnings.data, "(further problems are not listed)\n"));
	assert_null(strstr(s->warnings.data, "/o:21: "));
}

CASE_WITH(a_long_line_is_skipped, setup, teardown)
{
	static const char good[] = "{\"t\":1,\"device\":\"a\"}\n";
	struct stage *s = *state;
	struct buf b;
	struct err err;

	/* A line that just fits, one a byte longer, one at the end without a line end. */
	for (size_t extra = 0; extra < 2; extra++) {
		char *pad = malloc(2 * FEED_LINE_MAX);
		size_t n = FEED_LINE_MAX - (sizeof(good) - 2) + extra;

		assert_non_null(pad);
		memset(pad, ' ', 2 * FEED_LINE_MAX);
		buf_init(&b, 8 * FEED_LINE_MAX);
		assert_true(buf_add(&b, pad, n) && buf_adds(&b, good) && buf_adds(&b, good));
		assert_true(buf_add(&b, pad, 2 * FEED_LINE_MAX));
		free(pad);
		write_file(s, b.data, b.len);
		buf_free(&b);
		buf_reset(&s->warnings);
		s->batches = 0;
		assert_true(open_path(s, s->path, -1, &err));
		observation_reader_close(s->feed);
		s->feed = NULL;
		assert_int_equal(s->batches, 2 - extra);
		expect_warnings(s, extra ? "o:1: line longer than 8 MB skipped\n"
					   "o:3: line longer than 8 MB skipped\n"
					 : "o:3: line longer than 8 MB skipped\n");
	}
}

CASE_WITH(nothing_to_read_is_an_error, setup, teardown)
{
	struct stage *s = *state;
	static const char *const texts[] = {"", "\n\n", "rubbish\n"};
	struct err err;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		write_file(s, texts[i], strlen(texts[i]));
		assert_false(open_path(s, s->path, -1, &err));
		assert_int_equal(err.code, ERR_CONFIG);
		assert_string_equal(err.origin, s->path);
		assert_string_equal(err.text, "has no observation");
		assert_true(err.cure[0]);
	}
	assert_false(open_path(s, s->dir, -1, &err));
	assert_string_equal(err.text, "cannot be read: is a directory");
	assert_true(err.cure[0]);
	/* It has neither a line nor an end. */
	assert_false(open_path(s, "/dev/zero", -1, &err));
	assert_string_equal(err.text, "cannot be read: is not a regular file");
	(void)unlink(s->path);
	assert_false(open_path(s, s->path, -1, &err));
	assert_string_equal(err.text, "cannot be read: No such file or directory");
	assert_string_equal(err.origin, s->path);
}

CASE_WITH(standard_input_may_be_a_file, setup, teardown)
{
	struct stage *s = *state;
	struct err err;
	int fd;

	write_file(s, "{\"t\":5,\"device\":\"a\"}\n", 21);
	fd = open(s->path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_true(open_path(s, "-", fd, &err));
	assert_true(observation_reader_is_file(s->feed) && observation_reader_ended(s->feed));
	assert_string_equal(s->devices, "a ");
	observation_reader_close(s->feed);
	/* Now at its end: nothing there. */
	assert_false(open_path(s, "-", fd, &err));
	assert_string_equal(err.origin, "standard input");
	assert_string_equal(err.text, "has no observation");
	(void)close(fd);
	assert_false(open_path(s, "-", fd, &err));
	assert_non_null(strstr(err.text, "cannot be read"));
}

static void put(int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

CASE_WITH(a_descriptor_is_read_as_it_comes, setup, teardown)
{
	struct stage *s = *state;
	struct err err;
	int fd[2];

	assert_int_equal(pipe(fd), 0);
	assert_true(open_path(s, "-", fd[0], &err));
	assert_false(observation_reader_is_file(s->feed) || observation_reader_ended(s->feed));
	assert_true(observation_reader_time(s->feed) == 0);
	put(fd[1], "{\"t\":1,\"device\":\"a\"}\n{\"t\":2,\"dev");
	(void)uv_run(&s->loop, UV_RUN_ONCE);
	assert_string_equal(s->devices, "a ");
	assert_int_equal(s->progressed, 1);
	put(fd[1], "ice\":\"b\"}\n{\"t\":3,\"device\":\"c\"}");
	(void)uv_run(&s->loop, UV_RUN_ONCE);
	assert_string_equal(s->devices, "a b ");
	assert_false(observation_reader_ended(s->feed));
	(void)close(fd[1]);
	/* The poll stops at the end, so that this returns. */
	(void)uv_run(&s->loop, UV_RUN_DEFAULT);
	assert_string_equal(s->devices, "a b c ");
	assert_true(observation_reader_ended(s->feed));
	assert_true(observation_reader_time(s->feed) == 3 * CLOCK_SEC);
	/* Other users of the descriptor get it back unchanged. */
	observation_reader_close(s->feed);
	s->feed = NULL;
	assert_int_equal(fcntl(fd[0], F_GETFL) & O_NONBLOCK, 0);
	(void)uv_run(&s->loop, UV_RUN_DEFAULT);
	(void)close(fd[0]);
}

CASE_WITH(a_named_pipe_outlives_its_writers, setup, teardown)
{
	struct stage *s = *state;
	struct err err;

	assert_int_equal(mkfifo(s->path, 0600), 0);
	assert_true(open_path(s, s->path, -1, &err));
	assert_false(observation_reader_is_file(s->feed));
	for (int i = 0; i < 2; i++) {
		int fd = open(s->path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);

		assert_true(fd >= 0);
		put(fd, "{\"t\":1,\"device\":\"a\"}\nrubbish\n");
		(void)close(fd);
		(void)uv_run(&s->loop, UV_RUN_ONCE);
		assert_false(observation_reader_ended(s->feed));
	}
	assert_string_equal(s->devices, "a a ");
	assert_int_equal(s->warned, 2);
	assert_non_null(strstr(s->warnings.data, "/o:2: "));
	assert_non_null(strstr(s->warnings.data, "/o:4: "));
}

CASES_MAIN(NULL, NULL)
