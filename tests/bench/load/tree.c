/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/load/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"

/* Between two looks at the memory; the looking costs the tree nothing that it is charged for. */
#define SAMPLE_MS 50

static FILE *open_proc(pid_t pid, const char *name)
{
	char path[64];

	(void)str_printf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return fopen(path, "re");
}

double tree_cpu_of(pid_t pid)
{
	struct timespec t = {0};
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
		return 0;
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double tree_memory_of(pid_t pid)
{
	FILE *f = open_proc(pid, "smaps_rollup");
	unsigned long kb = 0;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Pss: %lu kB", &kb) == 1)
			break;
	if (f)
		(void)fclose(f);
	return (double)kb / 1024;
}

static int session_of(pid_t pid)
{
	FILE *f = open_proc(pid, "stat");
	char line[512], *p;
	int session = -1;

	/* The name may hold spaces: fields count from behind its bracket. */
	if (f && fgets(line, sizeof(line), f) && (p = strrchr(line, ')')))
		(void)sscanf(p + 2, "%*c %*d %*d %d", &session);
	if (f)
		(void)fclose(f);
	return session;
}

static double memory_of_session(pid_t session)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	double sum = 0;

	while (d && (e = readdir(d))) {
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);

		if (pid > 0 && session_of(pid) == session)
			sum += tree_memory_of(pid);
	}
	if (d)
		(void)closedir(d);
	return sum;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

struct tree_cost tree_run(const char *const *argv, double limit_s)
{
	const struct timespec pause = {.tv_nsec = SAMPLE_MS * 1000000L};
	int64_t begin = clock_mono(&clock_system);
	struct tree_cost c = {.ok = false};
	posix_spawnattr_t attr;
	struct rusage u = {0};
	int status = -1;
	double now_mb;
	pid_t pid = 0;

	(void)posix_spawnattr_init(&attr);
	(void)posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID);
	if (posix_spawnp(&pid, argv[0], NULL, &attr, (char *const *)argv, environ) != 0)
		return c;
	(void)posix_spawnattr_destroy(&attr);
	while (wait4(pid, &status, WNOHANG, &u) == 0) {
		c.wall_s = (double)(clock_mono(&clock_system) - begin) / 1e6;
		if (c.wall_s > limit_s)
			(void)kill(-pid, SIGKILL);
		now_mb = memory_of_session(pid);
		c.peak_mb = now_mb > c.peak_mb ? now_mb : c.peak_mb;
		(void)nanosleep(&pause, NULL);
	}
	c.wall_s = (double)(clock_mono(&clock_system) - begin) / 1e6;
	c.cpu_s = seconds(u.ru_utime) + seconds(u.ru_stime);
	c.ok = status == 0;
	return c;
}
