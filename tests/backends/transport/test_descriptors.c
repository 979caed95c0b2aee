/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/transport/credentials.h"
#include "backends/collector/collector.h"
#include "backends/transport/descriptors.h"
#include "tests/support/cases.h"

/* The limits are the process's: each case has one of its own. */

static void in_a_child(int (*run)(void))
{
	int status = -1;
	pid_t pid;

	(void)fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(run());
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static int limit(rlim_t soft, rlim_t hard)
{
	struct rlimit r = {soft, hard};

	return setrlimit(RLIMIT_NOFILE, &r);
}

/* The line of the failure, 0: none. */
#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition))                                                                  \
			return __LINE__ & 0x7f ? __LINE__ & 0x7f : 1;                              \
	} while (0)

static int raise_it(void)
{
	struct rlimit r;

	CHECK(limit(100, 300) == 0);
	descriptors_raise();
	CHECK(getrlimit(RLIMIT_NOFILE, &r) == 0);
	CHECK(r.rlim_cur == 300 && r.rlim_max == 300);
	descriptors_raise();
	CHECK(getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur == 300);
	return 0;
}

static int judge_it(void)
{
	size_t needed = descriptors_needed(
		&(struct descriptors_for){.ssh = 820, .threads = COLLECTOR_THREADS});
	struct err err = {0};
	char number[32];

	CHECK(limit(1024, 1024) == 0);
	CHECK(descriptors_suffice(1024, "pod", &err) && err.code == ERR_NONE);
	CHECK(!descriptors_suffice(needed, "pod", &err) && err.code == ERR_LIMIT);
	(void)snprintf(number, sizeof(number), "ulimit -n %zu", needed);
	CHECK(strcmp(err.origin, "pod") == 0 && strstr(err.text, "1024"));
	CHECK(strstr(err.cure, number) && strstr(err.cure, "LimitNOFILE"));
	return 0;
}

/* The credentials that a command of the inventory finds. */
static bool finds(const char *userpwd)
{
	struct credentials *all = credentials_new();
	struct err err = {0};
	const struct credential *c = credentials_get(
		all, "command:printf 'noc:%s %s' \"$(ulimit -Sn)\" \"$0\"", "f:1", &err);
	bool same = c && strcmp(c->userpwd, userpwd) == 0;

	credentials_free(all);
	return same;
}

static int run_a_command(void)
{
	CHECK(limit(100, 300) == 0);
	CHECK(finds("noc:100 /bin/sh"));
	descriptors_raise();
	CHECK(descriptors_before() == 100);
	CHECK(finds("noc:100 /bin/sh"));
	return 0;
}

CASE(raises_the_soft_limit)
{
	in_a_child(raise_it);
}

CASE(tells_when_it_is_too_low)
{
	in_a_child(judge_it);
}

CASE(leaves_commands_their_limit)
{
	in_a_child(run_a_command);
}

static size_t needed(size_t ssh, size_t ssh_behind, size_t https, size_t https_behind)
{
	return descriptors_needed(
		&(struct descriptors_for){ssh, ssh_behind, https, https_behind, COLLECTOR_THREADS});
}

CASE(counts_what_devices_need)
{
	size_t none = needed(0, 0, 0, 0);

	/* A socket; three connections. */
	assert_int_equal(needed(500, 0, 0, 0), none + 500);
	assert_int_equal(needed(0, 0, 300, 0), none + 900);
	assert_int_equal(needed(500, 0, 300, 0), none + 1400);
	assert_int_equal(needed(500, 200, 0, 0), none + 700);
	assert_int_equal(needed(0, 0, 300, 100), none + 1200);
}

/* ---- a table of files that fills up between the look and the loop ---- */

static int pipes_left = -1;

/* In the place of the C library's, for libuv as well. */
int pipe2(int fds[2], int flags)
{
	if (pipes_left == 0) {
		errno = ENFILE;
		return -1;
	}
	pipes_left -= pipes_left > 0;
	return (int)syscall(SYS_pipe2, fds, flags);
}

/* Writes standard error into the pipe; the look takes two pipes, the third is libuv's. */
static void begin_without_room(int to)
{
	uv_loop_t loop;
	struct err err = {0};

	(void)dup2(to, STDERR_FILENO);
	pipes_left = 2;
	(void)descriptors_loop(&loop, &err);
	_exit(77);
}

CASE(the_end_has_its_reason_where_libuv_aborts)
{
	char said[512] = "";
	int fds[2], status = 0;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		begin_without_room(fds[1]);
	(void)close(fds[1]);
	assert_true(read(fds[0], said, sizeof(said) - 1) > 0);
	(void)close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 5);
	assert_non_null(strstr(said, "no open file left"));
	assert_non_null(strstr(said, "ulimit -n"));
}

CASES_MAIN(NULL, NULL)
