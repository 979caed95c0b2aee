/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the password of a device is while railtop runs: in locked memory alone. The whole memory of
 * the process is searched from outside, for the password and for the header that is made of it.
 */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/integration/support/lab.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/memory_search.h"

#define WAIT_S 60

/* The file of the emulated fabric: "user:password". */
static void read_password(const struct lab *l, char *dst, size_t size)
{
	char path[160], line[256];
	FILE *f;

	(void)str_printf(path, sizeof(path), "%s/eapi.password", l->dir);
	f = fopen(path, "re");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	(void)fclose(f);
	line[strcspn(line, "\n")] = '\0';
	assert_non_null(strchr(line, ':'));
	assert_true(str_copy(dst, size, strchr(line, ':') + 1));
	assert_true(strlen(dst) >= 12);
}

static pid_t start_record(const struct lab *l, const char *to)
{
	char program[256];
	const char *argv[] = {built_path("railtop", program, sizeof(program)), "record", "-f",
		l->inventory, "-o", to, NULL};
	posix_spawn_file_actions_t files;
	pid_t pid;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	assert_int_equal(posix_spawn(&pid, program, &files, NULL, (char *const *)argv, environ), 0);
	posix_spawn_file_actions_destroy(&files);
	return pid;
}

/* In three parts, so that it stands nowhere in the test's own search. */
static int places_of(pid_t pid, const char *word)
{
	char part[3][128];
	size_t n = strlen(word) / 3;

	(void)str_copyn(part[0], sizeof(part[0]), word, n);
	(void)str_copyn(part[1], sizeof(part[1]), word + n, n);
	(void)str_copy(part[2], sizeof(part[2]), word + 2 * n);
	return memory_search_in(pid, part[1], part[0], part[2]);
}

static unsigned long locked_kib(pid_t pid)
{
	char path[64], line[256];
	unsigned long kib = 0;
	FILE *f;

	(void)str_printf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		(void)sscanf(line, "VmLck: %lu", &kib);
	if (f)
		(void)fclose(f);
	return kib;
}

/* Until devices have logged in and answered: the recording has more than its tables. */
static void await_data(const char *path)
{
	int64_t until = clock_mono(&clock_system) + WAIT_S * CLOCK_SEC;
	struct stat st;
	char wal[200];

	(void)str_printf(wal, sizeof(wal), "%s-wal", path);
	while (stat(wal, &st) != 0 || st.st_size < 300000) {
		struct timespec rest = {.tv_nsec = 50000000};

		assert_true(clock_mono(&clock_system) < until);
		(void)nanosleep(&rest, NULL);
	}
}

CASE(a_password_is_in_locked_memory_alone)
{
	static const char *const args[] = {"--preset", "ref256", NULL};
	char password[128], to[160];
	struct lab l;
	int places, status;
	pid_t pid;

	lab_start(&l, args);
	read_password(&l, password, sizeof(password));
	(void)str_printf(to, sizeof(to), "%s/shift.rts", l.dir);
	pid = start_record(&l, to);
	await_data(to);
	places = places_of(pid, password);
	print_message("# figure places of a password in memory: %d, locked %lu KiB\n", places,
		locked_kib(pid));
	if (places < 0) {
		print_message("# skip: the memory of another process cannot be read here\n");
	} else {
		/* One for all devices that share the reference: their next login needs it. */
		assert_int_equal(places, 1);
		assert_true(!memory_locks() || locked_kib(pid) >= 64);
	}
	assert_int_equal(kill(pid, SIGTERM), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	lab_stop(&l);
	if (places < 0)
		skip();
}

CASES_MAIN(NULL, NULL)
