/* SPDX-License-Identifier: Apache-2.0 */
/* What a snapshot takes in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/options.h"
#include "archive/rts.h"
#include "base/clock.h"
#include "base/str.h"

enum { LINES = 50, DEADLINE_S = 60 };

struct stage {
	char dir[64], in[96], out[96];
};

static int setup(void **state)
{
	struct stage *s = calloc(1, sizeof(*s));

	(void)str_copy(s->dir, sizeof(s->dir), "/tmp/railtop-snapshot-XXXXXX");
	if (!mkdtemp(s->dir))
		return -1;
	(void)str_printf(s->in, sizeof(s->in), "%s/in", s->dir);
	(void)str_printf(s->out, sizeof(s->out), "%s/out", s->dir);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	static const char *const tails[] = {"in", "out"};
	struct stage *s = *state;
	char path[128];

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		(void)str_printf(path, sizeof(path), "%s/%s", s->dir, tails[i]);
		(void)unlink(path);
	}
	assert_int_equal(rmdir(s->dir), 0);
	free(s);
	return 0;
}

/* ---- a signal while it collects ---- */

static pid_t collect(struct stage *s)
{
	char *argv[] = {(char *)(uintptr_t) "railtop", (char *)(uintptr_t) "snapshot",
		(char *)(uintptr_t) "--observations", s->in, (char *)(uintptr_t) "--for",
		(char *)(uintptr_t) "1h", (char *)(uintptr_t) "-o", s->out};
	pid_t pid;

	(void)fflush(NULL);
	pid = fork();
	if (pid == 0) {
		const struct subcommand *sub = NULL;
		struct options o;
		struct err err = {0};

		_exit(options_read(8, argv, &o, &sub, &err) ? sub->run(&o) : 99);
	}
	return pid;
}

/* What is not in the pipe any more was applied before the loop looks at signals. */
static bool wait_read(int fd)
{
	int64_t end = clock_mono(&clock_system) + DEADLINE_S * CLOCK_SEC;
	int left = 1;

	while (ioctl(fd, FIONREAD, &left) == 0 && left && clock_mono(&clock_system) < end)
		(void)poll(NULL, 0, 5);
	return !left;
}

static void what_came_last_is_in_it(void **state)
{
	struct stage *s = *state;
	struct err err = {0};
	struct entry e;
	struct rts_cursor *c;
	struct rts *r;
	char line[200];
	unsigned batches = 0;
	bool gap, was_read;
	int fd, status;
	pid_t pid;

	assert_int_equal(mkfifo(s->in, 0600), 0);
	fd = open(s->in, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	pid = collect(s);
	assert_true(pid > 0);
	for (unsigned i = 0; i < LINES; i++) {
		int64_t t = clock_wall(&clock_system) / CLOCK_SEC;

		(void)str_printf(line, sizeof(line),
			"{\"t\":%lld,\"device\":\"leaf\",\"port\":\"e0\",\"counters\":{\"rx_bytes\""
			":%u}}\n",
			(long long)t, i);
		assert_int_equal(write(fd, line, strlen(line)), (ssize_t)strlen(line));
	}
	was_read = wait_read(fd);
	assert_int_equal(kill(pid, was_read ? SIGINT : SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	(void)close(fd);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_FINE);
	r = rts_open(s->out, &err);
	if (!r)
		fail_msg("%s", err.text);
	c = rts_cursor_new(r);
	for (; rts_next(c, &e, &gap, &err); entry_free(&e))
		batches += e.kind == ENTRY_OBS;
	assert_int_equal(batches, LINES);
	rts_cursor_free(c);
	rts_close(r);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_came_last_is_in_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
