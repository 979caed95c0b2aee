/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/run_command.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"

#define OUTPUT_CAP (64u << 20)

static void child(const char *const argv[], const char *const environment[], int in, int out)
{
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	for (int fd = 3; fd < 256; fd++)
		close(fd);
	for (size_t i = 0; environment && environment[i]; i++)
		putenv((char *)environment[i]);
	execvp(argv[0], (char *const *)argv);
	_exit(127);
}

/* Feeds and drains at the same time: either side may be larger than a pipe. */
static void exchange(int in, int out, const char *input, struct buf *b)
{
	size_t left = input ? strlen(input) : 0;
	char part[16384];

	while (out >= 0) {
		struct pollfd fds[2] = {
			{.fd = out, .events = POLLIN}, {.fd = left ? in : -1, .events = POLLOUT}};
		ssize_t n;

		if (!left && in >= 0) {
			close(in);
			in = -1;
		}
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		if (fds[1].revents) {
			n = write(in, input, left);
			left = n < 0 ? 0 : left - (size_t)n;
			input += n < 0 ? 0 : n;
		}
		if (!fds[0].revents)
			continue;
		n = read(out, part, sizeof(part));
		if (n <= 0 || !buf_add(b, part, (size_t)n))
			break;
	}
	if (in >= 0)
		close(in);
}

char *run_command(const char *const argv[], const char *const environment[], const char *input,
	size_t *len, int *status)
{
	int to[2], from[2], code = 0;
	struct buf b;
	pid_t pid;

	if (pipe(to) || pipe(from))
		return NULL;
	signal(SIGPIPE, SIG_IGN);
	pid = fork();
	if (pid == 0)
		child(argv, environment, to[0], from[1]);
	close(to[0]);
	close(from[1]);
	buf_init(&b, OUTPUT_CAP);
	exchange(to[1], from[0], input, &b);
	close(from[0]);
	waitpid(pid, &code, 0);
	if (status)
		*status = WIFEXITED(code) ? WEXITSTATUS(code) : -1;
	return buf_take(&b, len);
}

pid_t start_program(const char *const argv[], const char *ready)
{
	int from[2], nothing[2];
	char line[512];
	FILE *f;
	pid_t pid;

	if (pipe(from) || pipe(nothing))
		return 0;
	pid = fork();
	if (pid == 0) {
		/* A test that fails does not come to stop_program(). */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		child(argv, NULL, nothing[0], from[1]);
	}
	close(from[1]);
	close(nothing[0]);
	close(nothing[1]);
	f = fdopen(from[0], "r");
	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, ready)) {
			/* Left open: the program must not die of a closed pipe. */
			return pid;
		}
	waitpid(pid, NULL, 0);
	if (f)
		fclose(f);
	return 0;
}

void stop_program(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

_Bool has_program(const char *name)
{
	char path[512];
	const char *dirs = getenv("PATH");

	while (dirs && *dirs) {
		size_t n = strcspn(dirs, ":");

		if (str_printf(path, sizeof(path), "%.*s/%s", (int)n, dirs, name) &&
			access(path, X_OK) == 0)
			return 1;
		dirs += n + (dirs[n] == ':');
	}
	return 0;
}
