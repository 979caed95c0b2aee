/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole program: the console in a terminal of 200x50 watches the 4,000-GPU fabric (500 hosts,
 * 320 switches). It polls each device every 5 s, with model, diagnosis, its recording and the
 * screen. CPU is reported by thread; wall times depend on the load of the machine.
 *
 *   bench_fabric [SECONDS [PRESET [SOURCE [WAY]]]]    30, 4k, responder, full
 *
 * Environment: INTERVAL=30, seconds between two polls of a device. DEVICES=9000 takes only that
 * number of the preset's devices, of all tiers alike. Use it where the limit of open files does not
 * let all be connected (ulimit -Hn; the responder is as many processes as it needs).
 *
 * WAY is poll: of the inventory, for the responder's devices. The responder counts from the bytes
 * it sends how many of them really answer so.
 *
 * SOURCE responder: the answers of one emulated host and one emulated switch, for all of them, from
 * a process that costs little. The load is that of the real size; LLDP is off and no job is known.
 * SOURCE emulator: a whole fabric. Its emulation takes as much processor time as the console, or
 * more: on two busy cores it does not keep up with 4k. SOURCE engine: a Prometheus-compatible
 * server has the fabric, and is asked every 30 s.
 */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/contract/backend.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/plan/sizing.h"
#include "tests/bench/load/prometheus_source.h"
#include "tests/bench/load/fail.h"
#include "tests/bench/load/responder.h"
#include "tests/bench/load/tree.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/figures.h"
#include "tests/support/run_command.h"
#include "tests/support/terminal/vt.h"

enum {
	KEYS = 100,
	HOST_RAILS = 8, /* of every preset */
	KEY_PATIENCE_S = 5,
	THREADS_MOST = 64,
	PATIENCE_S = 180,
	ROWS = 50,
	GROUP_MOST = 2000
};

/* A whole number from the environment. */
static unsigned asked_for(const char *name, unsigned otherwise)
{
	const char *text = getenv(name);
	long n = text ? strtol(text, NULL, 10) : 0;

	return n > 0 && n < 1000000 ? (unsigned)n : otherwise;
}

/* The targets, 0: none. */
struct goals {
	double collector, all; /* of a core, % */
	double mb, picture_s;
};

static struct goals goals_of(const char *preset, bool engine, bool full)
{
	if (engine)
		return (struct goals){.all = 100, .mb = 4096, .picture_s = 30};
	if (str_eq(preset, "24k"))
		return (struct goals){.collector = 10, .all = 100, .mb = 2048, .picture_s = 30};
	if (str_eq(preset, "100k"))
		return (struct goals){.collector = 15, .mb = 4096, .picture_s = 30};
	/* Of the 2 % filtered, the collector's part around transport and parsing is ours to pay. */
	return (struct goals){.collector = full ? 6 : 2, .all = 10, .mb = 512, .picture_s = 10};
}

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

static void show_threads(struct figures *f, const char *preset, bool engine,
	const struct goals *goals, const struct threads *before, const struct threads *after,
	double seconds)
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
	(void)str_printf(name, sizeof(name), "%s every %u s: %s thread, of a core", preset,
		engine ? 30 : asked_for("INTERVAL", 5), engine ? "engine" : "collector");
	figure(f, name, busiest / seconds * 100, "%", goals->collector);
	figure(f, "  main thread: model, diagnosis, screen", main_s / seconds * 100, "%", 0);
	figure(f, "  all others (recording)", rest / seconds * 100, "%", 0);
	figure(f, "  everything together", (busiest + main_s + rest) / seconds * 100, "%",
		goals->all);
}

/* ---- from a key to the screen ---- */

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Columns of a line's beginning: of a row its name, which does not change by itself. */
#define NAME_COLUMNS 24

/* How the beginning of each line is drawn: the line under the cursor differs from others. */
struct looks {
	struct vt_attr at[ROWS];
	char name[ROWS][NAME_COLUMNS + 1]; /* of lines with a background of their own */
};

static bool is_marked(const struct vt_attr *at)
{
	return at->bg != -1 || at->reverse;
}

static void looks_of(struct vt *vt, struct looks *l)
{
	memset(l, 0, sizeof(*l));
	for (int row = 0; row < ROWS; row++) {
		l->at[row] = vt_attr_at(vt, row, 4);
		if (is_marked(&l->at[row]))
			(void)str_copy(l->name[row], sizeof(l->name[row]), vt_line(vt, row));
	}
}

/* Where a table scrolls, the cursor stays on its line and is on another row. */
static bool differ(const struct looks *a, const struct looks *b)
{
	for (int row = 0; row < ROWS; row++)
		if (a->at[row].bg != b->at[row].bg || a->at[row].reverse != b->at[row].reverse ||
			!str_eq(a->name[row], b->name[row]))
			return true;
	return false;
}

/* Seconds until the cursor has moved on the screen; the time-out if it does not. */
static double until_moved(struct vt *vt, const char *key)
{
	int64_t begin = clock_mono(&clock_system);
	struct looks before, now;
	double s = 0;

	looks_of(vt, &before);
	vt_key(vt, key);
	while (s < KEY_PATIENCE_S) {
		vt_run_for(vt, 0.001);
		s = (double)(clock_mono(&clock_system) - begin) / 1e6;
		looks_of(vt, &now);
		if (differ(&before, &now))
			break;
	}
	return s;
}

/* As many as lead from the first row to the last where a fabric has no more than its rails: a key
 * that moves nothing is waited for in vain. */
#define STEPS (HOST_RAILS - 1)

static void show_keys(struct figures *f, struct vt *vt)
{
	double ms[KEYS];

	for (int i = 0; i < KEYS; i++) {
		ms[i] = until_moved(vt, i % (2 * STEPS) < STEPS ? "Down" : "Up") * 1e3;
		vt_run_for(vt, 0.05);
	}
	qsort(ms, KEYS, sizeof(ms[0]), by_size);
	figure(f, "from a key to the screen, wall, median", ms[KEYS / 2], "ms", 0);
	figure(f, "  p99", ms[KEYS * 99 / 100], "ms", 50);
}

/* ---- the text on screen ---- */

/* How many devices the first page says to have been heard at all, and lately. */
static void heard(struct vt *vt, unsigned *ever, unsigned *fresh)
{
	unsigned late, stale;

	*ever = *fresh = 0;
	for (int row = 0; row < 6; row++) {
		if (sscanf(vt_line(vt, row), "data fresh %u late %u stale %u", fresh, &late,
			    &stale) != 3)
			continue;
		*ever = *fresh + late + stale;
		return;
	}
}

/* A process that has ended without a wait() is a zombie. */
static bool is_running(pid_t pid)
{
	char path[64], state = 'Z';
	FILE *f;

	(void)str_printf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 'Z';
	if (f)
		(void)fclose(f);
	return state != 'Z';
}

/* Seconds until every device was heard; NAN: not in time. */
static double until_heard(struct vt *vt, unsigned n)
{
	int64_t begin = clock_mono(&clock_system);
	unsigned ever, fresh;
	double s = 0;

	while (s < PATIENCE_S) {
		vt_run_for(vt, 0.02);
		s = (double)(clock_mono(&clock_system) - begin) / 1e6;
		heard(vt, &ever, &fresh);
		if (ever == n)
			return s;
		if (!is_running(vt_pid(vt)))
			bench_fail_screen(vt,
				"the console has ended with %d before %u devices were seen",
				vt_wait_exit(vt), n);
	}
	return NAN;
}

/* The number of a tier's devices in the inventory. */
static unsigned share_of(const struct sizing *z, enum tier t)
{
	unsigned all = 0, most;

	for (int i = 0; i < TIER_COUNT; i++)
		all += sizing_devices(z, (enum tier)i);
	most = asked_for("DEVICES", all);
	if (most >= all)
		return sizing_devices(z, t);
	return (unsigned)((uint64_t)sizing_devices(z, t) * most / all);
}

static unsigned devices_of(const char *preset)
{
	unsigned n = 0;

	for (int t = 0; t < TIER_COUNT; t++)
		n += share_of(sizing_preset(preset), (enum tier)t);
	return n;
}

/* ---- where answers come from ---- */

struct source {
	char inventory[128];
	char dir[64];   /* the emulator's */
	pid_t emulator; /* 0: the responder, or the engine */
	bool is_engine;
	const char *way; /* "full", "filtered" */
	struct responder answers;
	struct prometheus_source engine;
};

static void write_names(FILE *f, const struct sizing *z, enum tier tier, unsigned from, unsigned to)
{
	uint64_t all = sizing_devices(z, tier), n = share_of(z, tier);
	char text[64];

	for (unsigned i = from; i < to; i++) {
		(void)sizing_device_name(z, tier, (unsigned)(i * all / n), text, sizeof(text));
		(void)fprintf(f, "%s%s", i > from ? "," : "", text);
	}
}

/* In groups of a fixed size: a list of names has its bound. */
static void write_group(
	FILE *f, const struct source *o, const struct sizing *z, enum tier tier, unsigned *used)
{
	enum responder_kind kind = tier == TIER_HOST ? RESPONDER_HOST : RESPONDER_SWITCH;
	unsigned n = share_of(z, tier), to;
	char text[64];

	for (unsigned from = 0; from < n; from = to) {
		to = from + GROUP_MOST < n ? from + GROUP_MOST : n;
		(void)fprintf(f, "  - {transport: ssh, port: %u, dialect: %s, names: \"",
			o->answers.port, tier == TIER_HOST ? "linux" : "sonic");
		write_names(f, z, tier, from, to);
		(void)fprintf(f, "\", address: \"");
		for (unsigned i = from; i < to; i++) {
			responder_address(kind, used[kind]++, text, sizeof(text));
			(void)fprintf(f, "%s%s", i > from ? "," : "", text);
		}
		if (tier == TIER_HOST)
			(void)fprintf(f, "\", rails: \"mlx5_[0-7]\"}\n");
		else
			(void)fprintf(f, "\", tier: %s}\n", tier_name(tier));
	}
}

static bool write_inventory(struct source *o, const struct sizing *z)
{
	unsigned used[RESPONDER_KINDS] = {0};
	FILE *f;

	(void)str_printf(o->inventory, sizeof(o->inventory), "%s/fabric.yaml", o->answers.dir);
	f = fopen(o->inventory, "we");
	if (!f)
		return false;
	(void)fprintf(f,
		"fabric: bench\npreset: %s\nlossless: {priorities: [3]}\n"
		"defaults: {interval: %us, poll: %s, user: " RESPONDER_USER
		", identity: id_ed25519, known_hosts: known_hosts, ssh_config: %s/ssh_config}\n"
		"switches:\n",
		z->preset, asked_for("INTERVAL", 5), o->way, o->answers.dir);
	for (int t = TIER_LEAF; t < TIER_COUNT; t++)
		write_group(f, o, z, (enum tier)t, used);
	(void)fprintf(f, "hosts:\n");
	write_group(f, o, z, TIER_HOST, used);
	(void)fprintf(f, "wiring: {plan: formula}\n");
	return fclose(f) == 0;
}

static bool source_open(struct source *o, const char *preset, const char *what, const char *way)
{
	char program[256];
	const char *argv[] = {program, "--preset", preset, "--dir", o->dir, "--interval", "5s",
		"--die-with-parent", NULL};

	*o = (struct source){.emulator = 0, .is_engine = str_eq(what, "engine"), .way = way};
	if (o->is_engine) {
		if (!prometheus_source_start(&o->engine, sizing_preset(preset)))
			return false;
		return str_copy(o->inventory, sizeof(o->inventory), o->engine.inventory);
	}
	if (!str_eq(what, "emulator"))
		return responder_start(&o->answers,
			       &(struct responder_opts){
				       .workers = responder_workers(devices_of(preset))}) &&
		       write_inventory(o, sizing_preset(preset));
	(void)str_copy(o->dir, sizeof(o->dir), "/tmp/railtop-bench-XXXXXX");
	if (!mkdtemp(o->dir))
		return false;
	(void)built_path("railtop-emulator", program, sizeof(program));
	(void)str_printf(o->inventory, sizeof(o->inventory), "%s/fabric.yaml", o->dir);
	o->emulator = start_program(argv, "ready ");
	return o->emulator > 0;
}

static void source_close(struct source *o)
{
	const char *remove_it[] = {"rm", "-rf", "--", o->dir, NULL};

	if (o->is_engine) {
		prometheus_source_stop(&o->engine);
		return;
	}
	if (!o->emulator) {
		responder_stop(&o->answers);
		return;
	}
	stop_program(o->emulator);
	free(run_command(remove_it, NULL, "", NULL, NULL));
}

/* ---- the traffic of the responder ---- */

struct sent {
	uint64_t bytes, questions, filtered, filtering, beside, apart;
	double cpu_s;
};

static struct sent sent_by(const struct source *o)
{
	const struct responder_counts *n = o->answers.counts;

	if (!n)
		return (struct sent){0};
	return (struct sent){.bytes = n->bytes,
		.questions = n->questions,
		.filtered = n->filtered,
		.filtering = n->filtering,
		.beside = n->beside,
		.apart = n->apart,
		.cpu_s = responder_cpu_s(&o->answers)};
}

static void show_sent(struct figures *f, const struct source *o, unsigned devices,
	const struct sent *before, const struct sent *after, double seconds)
{
	double questions = (double)(after->questions - before->questions);
	bool full = str_eq(o->way, "full");

	if (!o->answers.counts)
		return;
	figure(f, "  answers of shells a second", questions / seconds, "1/s", 0);
	figure_least(f, "  of these, with what had changed only",
		(double)(after->filtered - before->filtered) / questions * 100, "%", full ? 0 : 95);
	figure_least(f, "  devices whose last answer was so",
		(double)after->filtering * 100 / devices, "%", full ? 0 : 95);
	figure(f, "  of other tiers, of these shells",
		(double)(after->beside - before->beside) / seconds, "1/s", 0);
	figure(f, "  of other tiers, of channels of their own",
		(double)(after->apart - before->apart) / seconds, "1/s", 0);
	figure(f, "  bytes of answers a second, all tiers",
		(double)(after->bytes - before->bytes) / seconds / 1e6, "MB/s", 0);
	figure(f, "  the responder (not ours), of a core",
		(after->cpu_s - before->cpu_s) / seconds * 100, "%", 0);
}

/* ---- the run ---- */

/*
 * Seconds until each tier has its steady rate. The first requests (settings, optics, neighbours)
 * are 100 devices a second. The place of a device in the grid is at least half a period after that.
 * So from then on the slow tier has as many devices due in each second as later.
 */
static double settled_after(unsigned devices)
{
	return 10 + devices / 100.0 + POLL_SLOW_US / 2e6;
}

static void watch(
	struct figures *f, const char *preset, const struct source *source, double seconds)
{
	char program[256], name[96];
	const char *const argv[] = {program, "-f", source->inventory, NULL};
	const struct vt_opts opts = {.rows = ROWS, .cols = 200, .idle = true};
	unsigned n = devices_of(preset), ever, fresh;
	struct goals goals = goals_of(preset, source->is_engine, str_eq(source->way, "full"));
	struct threads before, after;
	struct sent sent, sent_then;
	struct vt *vt;
	int64_t begin;

	(void)built_path("railtop", program, sizeof(program));
	vt = vt_spawn(&opts, argv);
	if (!vt)
		bench_fail("%s cannot be started", program);
	(void)str_printf(name, sizeof(name), "%s %s: until all %u devices are seen, wall", preset,
		source->way, n);
	figure(f, name, until_heard(vt, n), "s", goals.picture_s);
	before = threads_of(vt_pid(vt));
	figure(f, "  CPU until then, main thread", before.cpu_s[0], "s", 0);
	(void)str_printf(name, sizeof(name), "  CPU until then");
	for (unsigned i = 1; i < before.n; i++)
		before.cpu_s[0] += before.cpu_s[i];
	figure(f, name, before.cpu_s[0], "s", 0);
	figure(f, "  resident then", tree_memory_of(vt_pid(vt)), "MB", 0);
	vt_run_for(vt, figures_quick() ? 1 : source->is_engine ? 30 : settled_after(n));
	before = threads_of(vt_pid(vt));
	sent = sent_by(source);
	begin = clock_mono(&clock_system);
	vt_run_for(vt, seconds);
	after = threads_of(vt_pid(vt));
	sent_then = sent_by(source);
	seconds = (double)(clock_mono(&clock_system) - begin) / 1e6;
	show_threads(f, preset, source->is_engine, &goals, &before, &after, seconds);
	show_sent(f, source, n, &sent, &sent_then, seconds);
	(void)str_printf(name, sizeof(name), "  resident after %.0f s", seconds);
	figure(f, name, tree_memory_of(vt_pid(vt)), "MB", goals.mb);
	heard(vt, &ever, &fresh);
	figure(f, "  devices that are not fresh then", (double)(n - fresh) * 100 / n, "%", 0);
	show_keys(f, vt);
	vt_key(vt, "Ctrl-c");
	(void)vt_wait_exit(vt);
	vt_free(vt);
}

int main(int argc, char **argv)
{
	const char *preset = argc > 2 ? argv[2] : "4k", *way = argc > 4 ? argv[4] : "full";
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 30;
	struct source source;
	struct figures *f;
	bool ok;

	if (!sizing_preset(preset) || !(seconds > 0)) {
		(void)fprintf(stderr, "usage: bench_fabric [SECONDS [PRESET "
				      "[responder|emulator|engine [full|filtered]]]]\n");
		return 2;
	}
	if (!source_open(&source, preset, argc > 3 ? argv[3] : "responder", way))
		return 1;
	f = figures_new("fabric");
	watch(f, preset, &source, seconds);
	ok = figures_end(f);
	source_close(&source);
	return ok ? 0 : 1;
}
