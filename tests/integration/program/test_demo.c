/* SPDX-License-Identifier: Apache-2.0 */
/* `railtop demo` as a user leaves it: nothing stays behind, in any way that it ends. */
#include <dirent.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/integration/support/lab.h"
#include "tests/support/cases.h"
#include "tests/support/terminal/vt.h"
#include "tests/support/built.h"

/* How many processes have the text in their command line. */
static unsigned processes_with(const char *text)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;
	unsigned n = 0;

	assert_non_null(proc);
	while ((e = readdir(proc))) {
		char path[300], line[4096];
		FILE *f;
		size_t len;

		(void)str_printf(path, sizeof(path), "/proc/%s/cmdline", e->d_name);
		f = e->d_name[0] >= '0' && e->d_name[0] <= '9' ? fopen(path, "re") : NULL;
		if (!f)
			continue;
		len = fread(line, 1, sizeof(line) - 1, f);
		(void)fclose(f);
		for (size_t i = 0; i < len; i++)
			line[i] = line[i] ? line[i] : ' ';
		line[len] = '\0';
		n += strstr(line, text) != NULL;
	}
	(void)closedir(proc);
	return n;
}

/* The emulator's directory, from the command line of the child of this console. */
static void demo_dir(int console, char *dst, size_t size)
{
	char path[64], line[4096], *at;
	FILE *f;
	size_t len;
	long child = 0;

	(void)str_printf(path, sizeof(path), "/proc/%d/task/%d/children", console, console);
	f = fopen(path, "re");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%ld", &child), 1);
	(void)fclose(f);
	(void)str_printf(path, sizeof(path), "/proc/%ld/cmdline", child);
	f = fopen(path, "re");
	assert_non_null(f);
	len = fread(line, 1, sizeof(line) - 1, f);
	(void)fclose(f);
	for (size_t i = 0; i < len; i++)
		line[i] = line[i] ? line[i] : ' ';
	line[len] = '\0';
	at = strstr(line, "/tmp/railtop-demo-");
	assert_non_null(at);
	(void)str_copyn(dst, size, at, strcspn(at, " "));
}

static struct vt *start_demo(char *dir, size_t size)
{
	char program[256];
	const char *const argv[] = {built_path("railtop", program, sizeof(program)), "demo", NULL};
	const struct vt_opts opts = {.rows = 24, .cols = 80, .idle = true};
	struct vt *vt = vt_spawn(&opts, argv);

	vt_wait_text(vt, "data fresh 44", 180);
	demo_dir(vt_pid(vt), dir, size);
	assert_int_equal(access(dir, F_OK), 0);
	return vt;
}

CASE(test_leaves_nothing_behind)
{
	static const char *const ways[] = {"q", "Ctrl-c"};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		char dir[64];
		struct vt *vt = start_demo(dir, sizeof(dir));

		vt_key(vt, ways[i]);
		assert_int_equal(vt_wait_exit(vt), 0);
		assert_false(vt_altscreen(vt));
		assert_int_equal(processes_with(dir), 0);
		assert_int_not_equal(access(dir, F_OK), 0);
		vt_free(vt);
	}
}

static void remove_dir(char *dir)
{
	char *const argv[] = {"rm", "-rf", "--", dir, NULL};
	pid_t pid;

	assert_true(str_starts(dir, "/tmp/railtop-demo-"));
	assert_int_equal(posix_spawnp(&pid, "rm", NULL, NULL, argv, environ), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* A console that is killed cannot clean up; its emulator sees the pipe close and leaves by itself.
 */
CASE(test_a_killed_console_takes_its_fabric_along)
{
	int64_t deadline;
	char dir[64];
	struct vt *vt = start_demo(dir, sizeof(dir));

	(void)kill(vt_pid(vt), SIGKILL);
	assert_int_equal(vt_wait_exit(vt), 128 + SIGKILL);
	deadline = clock_mono(&clock_system) + 20 * CLOCK_SEC;
	while (processes_with(dir) > 0)
		assert_true(clock_mono(&clock_system) < deadline);
	vt_free(vt);
	remove_dir(dir);
}

CASES_MAIN(NULL, NULL)
