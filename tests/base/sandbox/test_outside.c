/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the user's files: as a child of the caller, and by the process outside. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sandbox/outside.h"
#include "base/str.h"
#include "tests/support/cases.h"

#define PRIVILEGES "sed -n 's/^NoNewPrivs:[[:space:]]*/new privileges: /p' /proc/self/status"

static bool is_readable(int fd, int64_t until_us)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int64_t left = until_us - clock_mono(&clock_system);

	return left > 0 && poll(&p, 1, (int)(left / CLOCK_MSEC) + 1) > 0;
}

/* Runs it and returns its whole output. */
static enum outside_end run_text(
	const char *text, int64_t most_us, char *said, size_t size, int *status)
{
	int fds[2];
	struct outside_command c = {.shell = "/bin/sh", .text = text, .most_us = most_us};
	struct outside_running r;
	size_t n = 0;
	ssize_t got;

	assert_int_equal(pipe(fds), 0);
	c.output = fds[1];
	if (!outside_begin(&c, &r))
		fail_msg("%s: %s", text, strerror(errno));
	(void)close(fds[1]);
	while (is_readable(fds[0], r.until_us) && (got = read(fds[0], said + n, size - 1 - n)) > 0)
		n += (size_t)got;
	said[n] = '\0';
	(void)close(fds[0]);
	*status = 0;
	return outside_wait(&r, status);
}

static void check_commands(void)
{
	char said[256];
	int status;

	assert_int_equal(run_text("echo one; exit 3", 5 * CLOCK_SEC, said, sizeof(said), &status),
		OUTSIDE_ENDED);
	assert_string_equal(said, "one\n");
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	assert_int_equal(
		run_text("kill -9 $$", 5 * CLOCK_SEC, said, sizeof(said), &status), OUTSIDE_ENDED);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	/* It is late, and goes with its own children. */
	assert_int_equal(
		run_text("sleep 1000 & sleep 1000", CLOCK_SEC / 5, said, sizeof(said), &status),
		OUTSIDE_LATE);
}

CASE(as_children_of_the_caller)
{
	check_commands();
}

static void *run_many(void *arg)
{
	for (int i = 0; i < 20; i++) {
		char text[64], want[64], said[64];
		int status;

		(void)str_printf(text, sizeof(text), "echo thread %p turn %d", arg, i);
		(void)str_printf(want, sizeof(want), "thread %p turn %d\n", arg, i);
		if (run_text(text, 20 * CLOCK_SEC, said, sizeof(said), &status) != OUTSIDE_ENDED ||
			strcmp(said, want) != 0)
			return NULL;
	}
	return arg;
}

/* All of it in a child: what is outside stays for the rest of a process. */
static void in_child(void (*fn)(void))
{
	int status;
	pid_t pid;

	(void)fflush(NULL);
	pid = fork();
	if (pid == 0) {
		/* A failure ends it here, and does not go on with the other cases. */
		(void)setenv("CMOCKA_TEST_ABORT", "1", 1);
		assert_true(outside_start());
		fn();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

CASE(by_the_process_outside)
{
	in_child(check_commands);
}

static void check_threads(void)
{
	pthread_t t[4];
	int mark[4];
	void *ok;

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, run_many, &mark[i]), 0);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(t[i], &ok), 0);
		assert_non_null(ok);
	}
}

CASE(threads_ask_side_by_side)
{
	in_child(check_threads);
}

static void check_list(void)
{
	char said[256], long_text[80000];
	struct outside_command c = {
		.shell = "/bin/sh", .text = long_text, .output = -1, .most_us = CLOCK_SEC};
	struct outside_running r;
	int status;

	outside_allow(PRIVILEGES);
	outside_seal(NULL, 0);
	/* Too late: a device may have asked for it. */
	outside_allow(PRIVILEGES "; true");
	(void)run_text(PRIVILEGES, 5 * CLOCK_SEC, said, sizeof(said), &status);
	assert_string_equal(said, "new privileges: 0\n");
	(void)run_text(PRIVILEGES "; true", 5 * CLOCK_SEC, said, sizeof(said), &status);
	assert_string_equal(said, "new privileges: 1\n");
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	assert_false(outside_begin(&c, &r));
	assert_int_equal(errno, E2BIG);
}

CASE(the_list_is_closed_once)
{
	in_child(check_list);
}

static void check_places(void)
{
	char top[] = "/tmp/railtop-outside-XXXXXX", text[512], said[256];
	struct sandbox_place own;
	int status;

	assert_non_null(mkdtemp(top));
	(void)str_printf(text, sizeof(text), "mkdir %s/own %s/other", top, top);
	assert_int_equal(system(text), 0);
	(void)str_printf(said, sizeof(said), "%s/own", top);
	own = (struct sandbox_place){said, SANDBOX_MAKE};
	outside_seal(&own, 1);
	(void)str_printf(text, sizeof(text),
		"echo x >%s/own/a && echo own; echo x >%s/other/a && echo other", top, top);
	(void)run_text(text, 5 * CLOCK_SEC, said, sizeof(said), &status);
	assert_string_equal(said, "own\n");
	(void)str_printf(text, sizeof(text), "rm -rf %s", top);
	assert_int_equal(system(text), 0);
}

CASE(a_command_off_the_list_writes_at_the_places)
{
	if (!sandbox_kernel_places()) {
		print_message("# skip: this kernel has no Landlock\n");
		skip();
	}
	in_child(check_places);
}

static void check_gone(void)
{
	struct outside_command c = {
		.shell = "/bin/sh", .text = "true", .output = -1, .most_us = CLOCK_SEC};
	struct outside_running r;
	char path[64], text[64] = "";
	int status = 0;
	FILE *f;

	(void)signal(SIGCHLD, SIG_IGN); /* nobody waits for it */
	(void)str_printf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	f = fopen(path, "re");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	(void)fclose(f);
	assert_int_equal(kill((pid_t)atoi(text), SIGKILL), 0);
	/* One that is asked before it is gone loses its answer: neither may hang. */
	if (outside_begin(&c, &r))
		assert_int_equal(outside_wait(&r, &status), OUTSIDE_LOST);
}

/* A word is what it is: no shell reads it. The environment is small, and the input is a file. */
static void check_words(void)
{
	static const char *const words[] = {"/bin/sh", "-c",
		"cat; echo \"$1\"; echo \"${RAILTOP_LEAK:-none}\"", "sh", "a; b $HOME"};
	char said[256], *text = outside_words(words, 5), path[] = "/tmp/railtop-words-XXXXXX";
	int fds[2], status = 0, input = mkstemp(path);
	struct outside_command c = {
		.shell = "/bin/sh", .text = text, .most_us = 5 * CLOCK_SEC, .input = input};
	struct outside_running r;
	ssize_t got;

	assert_true(input > 0);
	(void)unlink(path);
	assert_int_equal(write(input, "in\n", 3), 3);
	assert_int_equal(lseek(input, 0, SEEK_SET), 0);
	assert_int_equal(setenv("RAILTOP_LEAK", "secret", 1), 0);
	outside_allow(text);
	outside_seal(NULL, 0);
	assert_int_equal(pipe(fds), 0);
	c.output = fds[1];
	assert_true(outside_begin(&c, &r));
	(void)close(fds[1]);
	assert_int_equal(outside_wait(&r, &status), OUTSIDE_ENDED);
	got = read(fds[0], said, sizeof(said) - 1);
	assert_true(got > 0);
	said[got] = '\0';
	assert_string_equal(said, "in\na; b $HOME\nnone\n");
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	(void)close(fds[0]);
	(void)close(input);
	free(text);
}

CASE(words_meet_no_shell_in_the_process_outside)
{
	in_child(check_words);
}

CASE(words_meet_no_shell_as_a_child)
{
	check_words();
}

CASE(one_that_was_killed_is_an_error)
{
	in_child(check_gone);
}

CASES_MAIN(NULL, NULL)
