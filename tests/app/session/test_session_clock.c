/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session whose machine's clock is set while it runs: NTP at boot, a bastion that was suspended,
 * a person with date(1). Rates and ages go by the time that went by; what is said goes by the
 * clock. This program's clock_gettime() stands before the C library's, for libuv as well.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "app/session/file_moment.h"
#include "app/session/session.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"

#define HOUR (3600 * CLOCK_SEC)

static _Atomic int64_t went_by, stepped; /* of both clocks; of the wall clock only */

/*
 * The wall clock and the time since the boot stand still but for these, so that a busy machine
 * changes no rate. Deadlines and libuv have the real monotonic clock.
 */
int clock_gettime(clockid_t id, struct timespec *t)
{
	static const int64_t began = INT64_C(1795312800) * CLOCK_SEC;
	int64_t us = began + went_by;

	if (id != CLOCK_REALTIME && id != CLOCK_BOOTTIME)
		return (int)syscall(SYS_clock_gettime, id, t);
	us += id == CLOCK_REALTIME ? stepped : -began / 2;
	*t = (struct timespec){us / CLOCK_SEC, us % CLOCK_SEC * 1000};
	return 0;
}

struct stage {
	uv_loop_t loop;
	struct session *session;
	char dir[64], path[96];
	int fd[2];
	size_t changed;
	char warning[640];
	uint64_t rx;
};

static void on_changed(void *ctx)
{
	((struct stage *)ctx)->changed++;
}

static void on_warning(void *ctx, const char *message)
{
	struct stage *s = ctx;

	(void)str_copy(s->warning, sizeof(s->warning), message);
}

static void open_session(struct stage *s)
{
	struct recording_opts recording = {.path = s->path, .patient = true};
	struct session_opts opts = {.observations = "-",
		.recording = &recording,
		.changed = on_changed,
		.warn = on_warning,
		.ctx = s};
	struct err err = {0};

	assert_int_equal(uv_loop_init(&s->loop), 0);
	assert_int_equal(pipe(s->fd), 0);
	opts.observations_fd = s->fd[0];
	s->session = session_open(&s->loop, &opts, &err);
	if (!s->session)
		fail_msg("%s", err.text);
}

static void close_session(struct stage *s)
{
	session_close(s->session);
	(void)uv_run(&s->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&s->loop), 0);
	(void)close(s->fd[0]);
	(void)close(s->fd[1]);
}

/* Five seconds later the port has five million bytes more. */
static void poll_once(struct stage *s)
{
	char line[256];
	size_t n = s->changed;

	went_by += 5 * CLOCK_SEC;
	s->rx += 5000000;
	(void)str_printf(line, sizeof(line),
		"{\"device\":\"leaf\",\"port\":\"e0\",\"counters\":{\"rx_bytes\":%llu},"
		"\"state\":{\"oper\":\"up\"}}\n",
		(unsigned long long)s->rx);
	assert_int_equal(write(s->fd[1], line, strlen(line)), (ssize_t)strlen(line));
	while (s->changed == n)
		(void)uv_run(&s->loop, UV_RUN_ONCE);
}

static double rate_of(const struct model *m)
{
	const struct device *d = model_device(m, "leaf");

	assert_non_null(d);
	return port_rate(model_port(m, d, "e0"), CTR_RX_BYTES, 0);
}

static void expect_well(const struct stage *s, const char *when)
{
	const struct model *m = session_model(s->session);
	int64_t now, wall;

	if (!(rate_of(m) > 0.8e6 && rate_of(m) < 1.2e6))
		fail_msg("%s: the rate is %g", when, rate_of(m));
	if (model_device(m, "leaf")->state != DEV_FRESH)
		fail_msg("%s: the device is not fresh", when);
	clock_both(&now, &wall);
	if (llabs(model_wall(m, session_now(s->session)) - wall) > CLOCK_SEC)
		fail_msg("%s: the time is said wrong", when);
}

static int setup(void **state)
{
	struct stage *s = calloc(1, sizeof(*s));

	(void)str_copy(s->dir, sizeof(s->dir), "/tmp/railtop-clock-XXXXXX");
	if (!mkdtemp(s->dir))
		return -1;
	(void)str_printf(s->path, sizeof(s->path), "%s/shift.rts", s->dir);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct stage *s = *state;

	(void)unlink(s->path);
	assert_int_equal(rmdir(s->dir), 0);
	free(s);
	return 0;
}

static struct replay *replay_at(const struct stage *s, const char *when, struct file_moment *f)
{
	char text[200];
	struct err err = {0};
	struct replay *p;

	(void)str_printf(text, sizeof(text), "%s@%s", s->path, when);
	assert_true(file_moment_read(text, f, &err));
	p = file_moment_replay(f, &err);
	if (!p)
		fail_msg("%s: %s", when, err.text);
	return p;
}

static uint64_t bytes_of(struct replay *p)
{
	const struct model *m = replay_model(p);

	return port_cell(model_port(m, model_device(m, "leaf"), "e0"), CTR_RX_BYTES, 0)->u64;
}

CASE_WITH(the_clock_is_set_back_and_forth, setup, teardown)
{
	struct stage *s = *state;
	int64_t first_wall, wall, now;
	char when[40];
	struct file_moment f;
	struct replay *p;
	uint64_t first_rx;

	open_session(s);
	for (int i = 0; i < 4; i++)
		poll_once(s);
	expect_well(s, "before");
	assert_string_equal(s->warning, "");
	clock_both(&now, &first_wall);
	first_rx = s->rx;
	/* An hour back, and an hour goes by: the clock shows first_wall again. */
	stepped = -HOUR;
	poll_once(s);
	expect_well(s, "an hour back");
	assert_non_null(strstr(s->warning, "clock stepped -1 h at "));
	for (int i = 0; i < 720; i++)
		poll_once(s);
	expect_well(s, "an hour later");
	stepped = 0;
	poll_once(s);
	expect_well(s, "and forth");
	assert_non_null(strstr(s->warning, "clock stepped +1 h at "));
	assert_int_equal(model_clock(session_model(s->session))->steps.n, 2);
	close_session(s);

	clock_format_utc(first_wall, when, sizeof(when));
	p = replay_at(s, when, &f);
	assert_non_null(strstr(f.said, "was 2 times"));
	assert_true(bytes_of(p) > first_rx + 700 * UINT64_C(5000000));
	replay_free(p);
	(void)str_printf(when + strlen(when), 4, "#1");
	p = replay_at(s, when, &f);
	assert_non_null(strstr(f.said, "this is #1"));
	assert_true(bytes_of(p) <= first_rx && bytes_of(p) + 10000000 >= first_rx);
	replay_free(p);
	/* The end is the end, and its time that of the clock. */
	p = replay_at(s, "-0s", &f);
	assert_true(bytes_of(p) == s->rx);
	clock_both(&now, &wall);
	assert_true(llabs(model_wall(replay_model(p), replay_now(p)) - wall) < 2 * CLOCK_SEC);
	replay_free(p);
}

/* A second session continues the recording an hour earlier, by the clock. */
CASE_WITH(a_recording_goes_on_after_the_clock_was_set_back, setup, teardown)
{
	struct stage *s = *state;
	struct file_moment f;
	struct replay *p;
	int64_t at;

	stepped = 0;
	open_session(s);
	for (int i = 0; i < 4; i++)
		poll_once(s);
	at = session_now(s->session);
	close_session(s);
	stepped = -HOUR;
	s->rx = 0;
	open_session(s);
	for (int i = 0; i < 4; i++)
		poll_once(s);
	assert_true(session_now(s->session) > at);
	expect_well(s, "the second session");
	close_session(s);
	p = replay_at(s, "-0s", &f);
	assert_int_equal(replay_clock(p)->steps.n, 1);
	assert_true(bytes_of(p) == s->rx);
	replay_free(p);
}

CASES_MAIN(NULL, NULL)
