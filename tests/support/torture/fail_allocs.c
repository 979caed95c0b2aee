/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/torture/fail_allocs.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/support/built.h"

static void read_words(const char *path, char *dst, size_t size)
{
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(dst, 1, size - 1, f) : 0;

	dst[n] = '\0';
	if (f)
		(void)fclose(f);
}

static int wait_for(pid_t pid, int seconds)
{
	int status = 0;

	for (int i = 0; waitpid(pid, &status, WNOHANG) == 0; i++) {
		if (i > seconds * 200) {
			(void)kill(pid, SIGKILL);
			(void)waitpid(pid, &status, 0);
			return -1;
		}
		(void)poll(NULL, 0, 5);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void fail_alloc_run(struct fail_alloc *f)
{
	char built[256], number[16], note[128], err[128];
	char *library = realpath(
		built_path("tests/integration/chaos/preload/fail_alloc.so", built, sizeof(built)),
		NULL);
	posix_spawn_file_actions_t files;
	struct stat st;
	pid_t pid;

	f->failed = false;
	f->code = -1;
	(void)str_printf(note, sizeof(note), "%s/note", f->dir);
	(void)str_printf(err, sizeof(err), "%s/err", f->dir);
	(void)str_printf(f->out, sizeof(f->out), "%s/out", f->dir);
	(void)str_printf(number, sizeof(number), "%u", f->n);
	(void)unlink(note);
	(void)setenv("FAIL_ALLOC", number, 1);
	(void)setenv("FAIL_ALLOC_OF", f->object, 1);
	(void)setenv("FAIL_ALLOC_NOTE", note, 1);
	(void)setenv("LD_PRELOAD", library ? library : "", 1);
	free(library);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 1, f->out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_addopen(&files, 2, err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (posix_spawn(&pid, f->argv[0], &files, NULL, (char *const *)(uintptr_t)f->argv,
		    environ) == 0)
		f->code = wait_for(pid, f->seconds);
	posix_spawn_file_actions_destroy(&files);
	(void)unsetenv("LD_PRELOAD");
	f->failed = stat(note, &st) == 0 && st.st_size > 0;
	read_words(err, f->err, sizeof(f->err));
}

static bool fails_at(struct fail_alloc *f, unsigned n, void (*prepare)(void *ctx), void *ctx)
{
	prepare(ctx);
	f->n = n;
	fail_alloc_run(f);
	return f->failed;
}

unsigned fail_alloc_count(
	struct fail_alloc *f, unsigned most, void (*prepare)(void *ctx), void *ctx)
{
	unsigned low = 0, high = 1;

	while (high < most && fails_at(f, high, prepare, ctx)) {
		low = high;
		high *= 4;
	}
	for (int i = 0; i < 4 && high - low > 1; i++) {
		unsigned middle = low + (high - low) / 2;

		if (fails_at(f, middle, prepare, ctx))
			low = middle;
		else
			high = middle;
	}
	return low;
}
