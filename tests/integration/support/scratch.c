/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/support/scratch.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/support/cases.h"

extern char **environ;

static int shell(const char *command)
{
	char *argv[] = {"sh", "-c", (char *)(uintptr_t)command, NULL};
	int status = -1;
	pid_t pid;

	if (posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ) != 0)
		return -1;
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

void scratch_open(struct scratch *s)
{
	(void)snprintf(s->dir, sizeof(s->dir), "/tmp/railtop-test-XXXXXX");
	assert_non_null(mkdtemp(s->dir));
}

void scratch_close(struct scratch *s)
{
	char command[128];

	(void)snprintf(command, sizeof(command), "rm -rf '%s'", s->dir);
	assert_int_equal(shell(command), 0);
}

const char *scratch_path(const struct scratch *s, const char *name)
{
	static char ring[16][256];
	static unsigned next;
	char *at = ring[next++ % 16];

	(void)snprintf(at, sizeof(ring[0]), "%s/%s", s->dir, name);
	return at;
}

void scratch_write(const struct scratch *s, const char *name, const char *text)
{
	FILE *f = fopen(scratch_path(s, name), "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

void scratch_run(const struct scratch *s, const char *fmt, ...)
{
	char line[1024], command[1200];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	(void)snprintf(
		command, sizeof(command), "cd '%s' && { %s; } >scratch.log 2>&1", s->dir, line);
	if (shell(command) != 0)
		fail_msg("failed: %s", line);
}

int64_t now_ms(void)
{
	return clock_mono(&clock_system) / CLOCK_MSEC;
}
