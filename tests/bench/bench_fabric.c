/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All of it at once: the console in a terminal of 200x50 watches the 4,000-GPU fabric (500 hosts,
 * 320 switches, of the emulator), each device every 5 s, with model, diagnosis, its recording and
 * the screen. CPU is told by thread; wall times are worth what the machine's rest is.
 *
 *   bench_fabric [SECONDS [PRESET]]    30, 4k
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/sizing.h"
#include "tests/bench/tree.h"
#include "tests/tools/figures.h"
#include "tests/tools/run_command.h"
#include "tests/tools/vt.h"

enum { KEYS = 100, THREADS_MOST = 64, PATIENCE_S = 600 };

/* Processor time of each thread of a process, the main one first. */
struct threads {
	int tid[THREADS_MOST];
	double cpu_s[THREADS_MOST];
	unsigned n;
};

static void add_thread(struct threads *t, pid_t pid, int tid)
{
	unsigned long long ns = 0;
	char path[96];
	FILE *f;

	(void)str_printf(path, sizeof(path), "/proc/%d/task/%d/schedstat", (int)pid, tid);
	f = fopen(path, "re");
	if (!f || t->n == THREADS_MOST)
		return;
	if (fscanf(f, "%llu", &ns) != 1)
		ns = 0;
	(void)fclose(f);
	t->tid[t->n] = tid;
	t->cpu_s[t->n++] = (double)ns / 1e9;
}

static struct threads threads_of(pid_t pid)
{
	struct threads t = {.n = 0};
	char path[64];
	struct dirent *e;
	DIR *d;

	add_thread(&t, pid, (int)pid);
	(void)str_printf(path, sizeof(path), "/proc/%d/task", (int)pid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		int tid = (int)strtol(e->d_name, NULL, 10);

		if (tid > 0 && tid != (int)pid)
			add_thread(&t, pid, tid);
	}
	if (d)
		(void)closedir(d);
	return t;
}

/* A thread that was not there before has used all of its time since. */
static double used(const struct threads *before, const struct threads *after, unsigned i)
{
	for (unsigned k = 0; k < before->n; k++)
		if (before->tid[k] == after->tid[i])
			return after->cpu_s[i] - before->cpu_s[k];
	return after->cpu_s[i];
}

static void show_threads(struct figures *f, const char *preset, const struct threads *before,
	const struct threads *after, double seconds)
{
	double main_s = 0, busiest = 0, rest = 0;
	char name[96];

	for (unsigned i = 0; i < after->n; i++) {
		double cpu = used(before, after, i);

		if (i == 0) {
			main_s = cpu;
		} else if (cpu > busiest) {
			rest += busiest;
			busiest = cpu;
		} else {
			rest += cpu;
		}
	}
	(void)str_printf(name, sizeof(name), "%s every 5 s: collector thread, of a core", preset);
	figure(f, name, busiest / seconds * 100, "%", 6);
	figure(f, "  main thread: model, diagnosis, screen", main_s / seconds * 100, "%", 0);
	figure(f, "  all others (recording)", rest / seconds * 100, "%", 0);
	figure(f, "  everything together", (busiest + main_s + rest) / seconds * 100, "%", 10);
}

/* ---- from a key to its frame ---- */

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void show_keys(struct figures *f, struct vt *vt)
{
	double ms[KEYS];

	for (int i = 0; i < KEYS; i++) {
		int64_t begin = clock_mono(&clock_system);

		vt_key(vt, i % 16 < 8 ? "Down" : "Up");
		vt_settle(vt);
		ms[i] = (double)(clock_mono(&clock_system) - begin) / 1e3;
		vt_run_for(vt, 0.05);
	}
	qsort(ms, KEYS, sizeof(ms[0]), by_size);
	figure(f, "key to idle after its frame, wall, median", ms[KEYS / 2], "ms", 0);
	figure(f, "  p99", ms[KEYS * 99 / 100], "ms", 50);
}

/* ---- the run ---- */

static unsigned devices_of(const char *preset)
{
	unsigned n = 0;

	for (int t = 0; t < TIER_COUNT; t++)
		n += sizing_devices(sizing_preset(preset), (enum tier)t);
	return n;
}

static void watch(struct figures *f, const char *preset, const char *dir, double seconds)
{
	char inventory[128], program[256], fresh[64], name[96];
	const char *build = getenv("BUILD");
	const char *const argv[] = {program, "-f", inventory, NULL};
	const struct vt_opts opts = {.rows = 50, .cols = 200, .idle = true};
	unsigned n = devices_of(preset);
	int64_t begin = clock_mono(&clock_system);
	struct threads before, after;
	struct vt *vt;

	(void)str_printf(inventory, sizeof(inventory), "%s/fabric.yaml", dir);
	(void)str_printf(program, sizeof(program), "%s/railtop", build ? build : "build");
	(void)str_printf(fresh, sizeof(fresh), "%u/%u fresh", n, n);
	vt = vt_spawn(&opts, argv);
	if (!vt)
		exit(1);
	vt_wait_text(vt, fresh, PATIENCE_S);
	(void)str_printf(name, sizeof(name), "%s: until all %u devices are seen, wall", preset, n);
	figure(f, name, (double)(clock_mono(&clock_system) - begin) / 1e6, "s", 10);
	before = threads_of(vt_pid(vt));
	(void)str_printf(name, sizeof(name), "  CPU until then");
	for (unsigned i = 1; i < before.n; i++)
		before.cpu_s[0] += before.cpu_s[i];
	figure(f, name, before.cpu_s[0], "s", 0);
	/* What is asked once (settings, optics) is not part of the steady state. */
	vt_run_for(vt, 10);
	before = threads_of(vt_pid(vt));
	begin = clock_mono(&clock_system);
	vt_run_for(vt, seconds);
	after = threads_of(vt_pid(vt));
	seconds = (double)(clock_mono(&clock_system) - begin) / 1e6;
	show_threads(f, preset, &before, &after, seconds);
	(void)str_printf(name, sizeof(name), "  resident after %.0f s", seconds);
	figure(f, name, tree_memory_of(vt_pid(vt)), "MB", 512);
	show_keys(f, vt);
	vt_key(vt, "Ctrl-c");
	(void)vt_wait_exit(vt);
	vt_free(vt);
}

int main(int argc, char **argv)
{
	const char *preset = argc > 2 ? argv[2] : "4k", *build = getenv("BUILD");
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 30;
	char dir[] = "/tmp/railtop-bench-XXXXXX", program[256];
	const char *remove_it[] = {"rm", "-rf", "--", dir, NULL};
	const char *range[] = {program, "--preset", preset, "--dir", dir, "--interval", "5s",
		"--die-with-parent", NULL};
	struct figures *f;
	pid_t pid;
	bool ok;

	if (!sizing_preset(preset) || seconds <= 0 || !mkdtemp(dir)) {
		(void)fprintf(stderr, "usage: bench_fabric [SECONDS [PRESET]]\n");
		return 2;
	}
	(void)str_printf(program, sizeof(program), "%s/railtop-emulator", build ? build : "build");
	f = figures_new("fabric");
	pid = start_program(range, "ready ");
	if (pid)
		watch(f, preset, dir, seconds);
	ok = figures_end(f) && pid;
	if (pid)
		stop_program(pid);
	free(run_command(remove_it, NULL, "", NULL, NULL));
	return ok ? 0 : 1;
}
