/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of the test range: start-up, memory, and processor time while a console polls every
 * device, physics included. Argument: presets to measure (4k 24k).
 */
#include <jansson.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/support/built.h"
#include "tests/support/figures.h"
#include "tests/support/run_command.h"

struct size {
	const char *preset, *interval;
	int settle_s, measure_s; /* after all sessions are open; a whole number of intervals */
	double start_s, memory_mb, cores; /* targets; 0: none */
};

static const struct size sizes[] = {
	{"4k", "5s", 25, 60, 20, 2048, 1},
	{"24k", "30s", 90, 90, 0, 0, 0},
};
static const struct size quick_size = {"ref256", "1s", 1, 1, 0, 0, 0};

static void pause_for(int seconds)
{
	struct timespec t = {.tv_sec = seconds};

	while (nanosleep(&t, &t) != 0)
		;
}

/* Processor seconds that the process has used so far. */
static double cpu_of(pid_t pid)
{
	char path[64], line[1024], *p;
	unsigned long user = 0, kernel = 0;
	FILE *f;

	(void)str_printf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	/* The name may hold spaces: fields count from behind its bracket. */
	if (fgets(line, sizeof(line), f) && (p = strrchr(line, ')')))
		(void)sscanf(p + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
			&kernel);
	(void)fclose(f);
	return (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK);
}

static double peak_mb(pid_t pid)
{
	char path[64], line[256];
	unsigned long kb = 0;
	FILE *f;

	(void)str_printf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %lu kB", &kb) == 1)
			break;
	(void)fclose(f);
	return (double)kb / 1024;
}

static pid_t start_console(const char *inventory, const char *out, int seconds)
{
	char path[256], period[16];
	const char *argv[] = {built_path("railtop", path, sizeof(path)), "snapshot", "-f",
		inventory, "--for", period, "--json", out, NULL};
	pid_t pid = 0;

	(void)str_printf(period, sizeof(period), "%ds", seconds);
	if (posix_spawn(&pid, path, NULL, NULL, (char *const *)argv, environ) != 0)
		return 0;
	return pid;
}

static double fresh_share(const char *path)
{
	json_t *root = json_load_file(path, 0, NULL), *c = json_object_get(root, "coverage");
	double all = json_number_value(json_object_get(c, "devices"));
	double fresh = json_number_value(json_object_get(c, "fresh"));

	json_decref(root);
	return all > 0 ? fresh / all : 0;
}

static void measure(struct figures *f, const struct size *z, pid_t range, const char *dir)
{
	char inventory[128], out[128], name[96];
	double before, after, mine;
	pid_t console;

	(void)str_printf(inventory, sizeof(inventory), "%s/fabric.yaml", dir);
	(void)str_printf(out, sizeof(out), "%s/snapshot.json", dir);
	console = start_console(inventory, out, z->settle_s + z->measure_s + 2);
	if (!console)
		return;
	pause_for(z->settle_s);
	before = cpu_of(range);
	mine = cpu_of(console);
	pause_for(z->measure_s);
	after = cpu_of(range);
	mine = cpu_of(console) - mine;
	(void)waitpid(console, NULL, 0);
	(void)str_printf(
		name, sizeof(name), "%s at %s: cores of the range", z->preset, z->interval);
	figure(f, name, (after - before) / z->measure_s, "cores", z->cores);
	(void)str_printf(
		name, sizeof(name), "%s at %s: cores of the console", z->preset, z->interval);
	figure(f, name, mine / z->measure_s, "cores", 0);
	(void)str_printf(name, sizeof(name), "%s: devices not fresh at the end", z->preset);
	figure(f, name, (1 - fresh_share(out)) * 100, "%", z->cores > 0 ? 1 : 0);
	(void)str_printf(name, sizeof(name), "%s: memory, peak", z->preset);
	figure(f, name, peak_mb(range), "MB", z->memory_mb);
}

static bool run(struct figures *f, const struct size *z)
{
	char dir[] = "/tmp/railtop-bench-XXXXXX", path[256], name[96];
	const char *remove_it[] = {"rm", "-rf", "--", dir, NULL};
	const char *argv[] = {built_path("railtop-emulator", path, sizeof(path)), "--preset",
		z->preset, "--dir", dir, "--interval", z->interval, "--for", "10m",
		"--die-with-parent", NULL};
	int64_t begin;
	pid_t pid;

	if (!mkdtemp(dir))
		return false;
	begin = clock_mono(&clock_system);
	pid = start_program(argv, "ready ");
	if (!pid)
		return false;
	(void)str_printf(name, sizeof(name), "%s: until every device listens", z->preset);
	figure(f, name, (double)(clock_mono(&clock_system) - begin) / 1e6, "s", z->start_s);
	measure(f, z, pid, dir);
	stop_program(pid);
	free(run_command(remove_it, NULL, "", NULL, NULL));
	return true;
}

int main(int argc, char **argv)
{
	struct figures *f = figures_new("range");
	bool ok = true;

	if (figures_quick())
		ok = run(f, &quick_size);
	for (size_t i = 0; !figures_quick() && i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		bool wanted = argc < 2;

		for (int k = 1; k < argc; k++)
			wanted = wanted || strcmp(argv[k], sizes[i].preset) == 0;
		if (wanted)
			ok = run(f, &sizes[i]) && ok;
	}
	ok = figures_end(f) && ok;
	return ok ? 0 : 1;
}
