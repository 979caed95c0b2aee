/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU time of the console's thread at the 4,000-GPU size, with answers of a fifth of the devices
 * each second: judging, step by step, and each view's frame with new data and after a key.
 * Collecting and applying are measured elsewhere. The time from a key to its frame is also taken by
 * the clock on the wall: keys that move, open a page, sort, filter and go back, in every view.
 *
 *   build/tests/bench/bench_console [view...]: only those views; "judging": none
 *   PRESET=24k: another fabric; INTERVAL=30: seconds between two answers of a device;
 *   HELD=100: pauses at one device in 100 only
 */
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/console/commands.h"
#include "app/console/keymaps.h"
#include "base/clock.h"
#include "base/str.h"
#include "diagnosis/engine/engine.h"
#include "fabric/plan/sizing.h"
#include "tests/bench/load/fabric_4k.h"
#include "tests/bench/load/fail.h"
#include "tests/support/figures.h"
#include "views/console/console.h"

enum { SECONDS = 20, FRAMES = 10, ROWS = 50, COLUMNS = 200, STEPS_MAX = 64, ROOM_MS = 5000 };
/* History is not measured here; at 100k it would be gigabytes. */
#define HISTORY_BYTES (64U << 20)

/* Standard output is a terminal until the end. */
struct told {
	char name[96];
	double ms, target;
};

struct bench {
	VEC(struct told) told;
	VEC(double) walls, cpus; /* ms from a key to the end of its frame */
	char slowest[64];
	double slowest_ms;
	struct plan plan;
	struct model *m;
	struct diag *d;
	int64_t now;
	uint32_t second; /* since the start */
	uint32_t interval, held;
	struct console *console;
	struct term *term;
	struct keymap *keymap;
};

static void tell(struct bench *b, double ms, double target, const char *before, const char *name)
{
	struct told *t = vec_add(&b->told);

	(void)str_printf(t->name, sizeof(t->name), "%s%s", before, name);
	t->ms = ms;
	t->target = target;
}

/* A second's answers, into the model alone. */
static void collect(struct bench *b)
{
	b->now += CLOCK_SEC;
	bench_fabric_poll(b->m, 5 + b->second / b->interval, b->second % b->interval, b->interval,
		b->now, b->held);
}

static void note(struct bench *b)
{
	(void)model_age(b->m, b->now);
	model_links(b->m);
	for (uint32_t i = b->second % b->interval; i < b->m->devices.n; i += b->interval)
		diag_note(b->d, b->m, i, b->now);
	b->second++;
}

/* ---- judging ---- */

/* As engine.h and diag_run_some() number them. */
static const char *step_name(const struct diag *d, size_t step)
{
	static const char *const graph[PAUSE_GRAPH_PARTS] = {"pause graph: held", "edges 1",
		"edges 2", "edges 3", "edges 4", "edges 5", "cycles", "blame"};

	if (step <= PAUSE_GRAPH_PARTS)
		return graph[step - 1];
	step -= PAUSE_GRAPH_PARTS;
	if (step == 1)
		return "digests of devices";
	return step - 2 < d->ndetectors    ? d->table[step - 2]->name
	       : step - 2 == d->ndetectors ? "roots"
					   : "verdict";
}

static void judging(struct bench *b)
{
	static double noted[SECONDS], run[SECONDS], longest[SECONDS], step[STEPS_MAX][SECONDS];
	size_t steps = b->d->ndetectors + PAUSE_GRAPH_PARTS + 4;

	for (size_t i = 0; i < SECONDS; i++) {
		double t;

		collect(b);
		t = thread_cpu_us() / 1e3;
		note(b);
		noted[i] = thread_cpu_us() / 1e3 - t;
		t = thread_cpu_us() / 1e3;
		diag_run(b->d, b->m, b->now);
		run[i] = thread_cpu_us() / 1e3 - t;
		longest[i] = (double)diag_cost(b->d).step_us / 1e3;
		for (size_t k = 1; k < steps && k < STEPS_MAX; k++)
			step[k][i] = (double)b->d->step_us.at[k] / 1e3;
	}
	tell(b, median_of(noted, SECONDS), 0, "", "a second of judging: ageing, links, samples");
	tell(b, median_of(run, SECONDS), 0, "", "a second of judging: the run");
	(void)median_of(longest, SECONDS);
	tell(b, longest[SECONDS - 1], 10, "", "longest step, or part of one, of 20 runs");
	for (size_t k = 1; k < steps && k < STEPS_MAX; k++) {
		tell(b, median_of(step[k], SECONDS), 0, "  step ", step_name(b->d, k));
		if (step[k][SECONDS - 1] > 5)
			tell(b, step[k][SECONDS - 1], 10, "    at most: ", step_name(b->d, k));
	}
}

/* ---- frames ---- */

/* The longest call of all frames. */
static double longest_call;

static double call_took(double since)
{
	double took = thread_cpu_us() / 1e3 - since;

	longest_call = took > longest_call ? took : longest_call;
	return took;
}

/* A frame begins when the terminal has taken the last one, which it is asked of each time. */
static void await_room(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

	if (poll(&out, 1, ROOM_MS) != 1)
		bench_fail("the terminal takes nothing within %d ms", ROOM_MS);
}

static double draw(struct bench *b)
{
	double t = thread_cpu_us() / 1e3;

	while (!console_draw(b->console)) {
		await_room();
		t = thread_cpu_us() / 1e3;
	}
	return call_took(t);
}

/* Draws, does the long work in pieces, and draws again; returns the sum. */
static double frame(struct bench *b)
{
	double sum = draw(b), t;
	bool more;

	do {
		t = thread_cpu_us() / 1e3;
		more = console_work(b->console);
		sum += call_took(t);
	} while (more);
	return console_dirty(b->console) ? sum + draw(b) : sum;
}

static struct ref scope_of(const struct bench *b, const struct view_ops *v)
{
	enum tier tier = str_eq(v->name, "host") ? TIER_HOST : TIER_LEAF;
	uint32_t device = 0;

	while (b->m->devices.at[device]->tier != tier)
		device++;
	if (view_is_whole(v))
		return (struct ref){.kind = REF_NONE};
	if (v->scope == REF_RAIL)
		return (struct ref){.kind = REF_RAIL, .rail = 0};
	if (v->scope == REF_PORT || v->scope == REF_PRIORITY)
		return (struct ref){.kind = v->scope,
			.port = b->m->devices.at[device]->ports.at[0],
			.priority = 3};
	return (struct ref){.kind = REF_DEVICE, .device = device};
}

/* One key, and its frame, by the clock on the wall. */
static void key_wall(struct bench *b, const char *view, int key)
{
	int64_t t = clock_mono(&clock_system);
	double cpu = thread_cpu_us() / 1e3;

	console_key(b->console, key);
	(void)draw(b);
	cpu = thread_cpu_us() / 1e3 - cpu;
	vec_push(&b->cpus, cpu);
	if (cpu > b->slowest_ms) {
		b->slowest_ms = cpu;
		(void)str_printf(
			b->slowest, sizeof(b->slowest), "  the slowest: %s, key %d", view, key);
	}
	vec_push(&b->walls, (double)(clock_mono(&clock_system) - t) / 1e3);
}

/* What an operator does in a view: moving, sorting, a filter letter by letter, the help. */
static void keys_wall(struct bench *b, const char *view)
{
	static const char *const keys[] = {
		"jjjkG", "g", "s", "s", "/leaf-r1\r", "/\x15\r", "?", "\033"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		for (const char *k = keys[i]; *k; k++)
			key_wall(b, view, (unsigned char)*k);
}

static void view_frames(struct bench *b, const struct view_ops *v)
{
	double fresh[FRAMES], keyed[FRAMES], first, t;
	struct err err = {0};

	console_data(b->console, b->m, b->now, 0);
	longest_call = 0;
	t = thread_cpu_us() / 1e3;
	if (!console_open(b->console, v, scope_of(b, v), &err)) {
		/* No finding and no job here. */
		return;
	}
	first = call_took(t) + frame(b);
	for (size_t i = 0; i < FRAMES; i++) {
		collect(b);
		note(b);
		diag_run(b->d, b->m, b->now);
		t = thread_cpu_us() / 1e3;
		console_data(b->console, b->m, b->now, 0);
		fresh[i] = call_took(t) + frame(b);
		t = thread_cpu_us() / 1e3;
		console_key(b->console, 'j');
		keyed[i] = call_took(t) + draw(b);
		key_wall(b, v->name, 'j');
	}
	keys_wall(b, v->name);
	tell(b, first, 0, v->name, ": first frame");
	tell(b, median_of(fresh, FRAMES), 0, v->name, ": frame with new data");
	tell(b, median_of(keyed, FRAMES), 10, v->name, ": frame after a key");
	tell(b, longest_call, 10, v->name, ": longest call");
	console_close(b->console);
}

/* ---- a terminal that nobody looks at ---- */

static void *swallow(void *fd)
{
	char bytes[4096];

	while (read(*(int *)fd, bytes, sizeof(bytes)) > 0)
		;
	return NULL;
}

/* Standard input and output become a terminal of 200x50; returns where the figures go. */
static int open_terminal(void)
{
	static int outside;
	struct winsize size = {.ws_row = ROWS, .ws_col = COLUMNS};
	int figures_to = dup(STDOUT_FILENO);
	pthread_t reader;
	int inside;

	outside = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (outside < 0 || grantpt(outside) != 0 || unlockpt(outside) != 0)
		bench_fail_errno("a terminal");
	inside = open(ptsname(outside), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (inside < 0 || ioctl(inside, TIOCSWINSZ, &size) != 0 ||
		pthread_create(&reader, NULL, swallow, &outside) != 0)
		bench_fail_errno("the other end of a terminal");
	(void)dup2(inside, STDIN_FILENO);
	(void)dup2(inside, STDOUT_FILENO);
	(void)close(inside);
	return figures_to;
}

static void open_console(struct bench *b)
{
	struct term_opts topts = {.no_gate = true};
	struct console_opts opts = {.commands = command_table, .ncommands = command_count};
	struct err err = {0};

	(void)setenv("TERM", "xterm-256color", 1);
	b->term = term_open(&topts, &err);
	b->keymap = keymaps_load(NULL, NULL, NULL, &err);
	if (!b->term || !b->keymap)
		bench_fail_err("the console", &err);
	opts.term = b->term;
	opts.keymap = b->keymap;
	b->console = console_new(&opts);
	console_diagnosis(b->console, b->d);
}

static bool wanted(int argc, char **argv, const char *name)
{
	for (int i = 1; i < argc; i++)
		if (str_eq(argv[i], name))
			return true;
	return argc < 2;
}

/* The number in the environment variable, else usual. */
static uint32_t number_of(const char *name, uint32_t usual)
{
	const char *text = getenv(name);
	unsigned long n = text ? strtoul(text, NULL, 10) : 0;

	return n && n < 100000 ? (uint32_t)n : usual;
}

static const char *preset_of(void)
{
	const char *preset = getenv("PRESET");

	if (!preset)
		return "4k";
	if (!sizing_preset(preset)) {
		bench_fail("PRESET=%s: there are %s", preset, sizing_preset_names());
	}
	return preset;
}

/* Every port has rates, and is judged once. */
static void make_fabric(struct bench *b)
{
	bench_fabric_plan(&b->plan, preset_of());
	for (size_t i = 0; i < b->plan.devices.n; i++)
		b->plan.devices.at[i].interval_us = b->interval * CLOCK_SEC;
	b->m = model_new(&b->plan);
	history_set_budget(b->m, HISTORY_BYTES);
	for (unsigned n = 1; n <= 4; n++) {
		b->now += b->interval * CLOCK_SEC;
		bench_fabric_poll(b->m, n, 0, 1, b->now, b->held);
		(void)model_age(b->m, b->now);
	}
	model_links(b->m);
	b->d = diag_new();
	for (uint32_t i = 0; i < b->m->devices.n; i++)
		diag_note(b->d, b->m, i, b->now);
}

int main(int argc, char **argv)
{
	struct bench b = {.now = INT64_C(1763726000) * CLOCK_SEC,
		.interval = number_of("INTERVAL", 5),
		.held = number_of("HELD", 1)};
	double first;
	struct figures *f;
	int out;
	bool ok;

	(void)setlocale(LC_ALL, "");
	out = open_terminal();
	make_fabric(&b);
	first = thread_cpu_us() / 1e3;
	diag_run(b.d, b.m, b.now);
	tell(&b, thread_cpu_us() / 1e3 - first, 0, "", "the first run");
	tell(&b, (double)diag_cost(b.d).step_us / 1e3, 10, "", "longest step of the first run");
	judging(&b);
	open_console(&b);
	for (size_t i = 0; i < view_count; i++)
		if (wanted(argc, argv, view_table[i]->name))
			view_frames(&b, view_table[i]);
	if (b.walls.n) {
		(void)median_of(b.walls.at, b.walls.n);
		tell(&b, b.walls.at[b.walls.n / 2], 0, "", "key to frame, wall: median");
		tell(&b, b.walls.at[b.walls.n * 99 / 100], 50, "", "key to frame, wall: p99");
		tell(&b, b.walls.at[b.walls.n - 1], 0, "", "key to frame, wall: longest");
		(void)median_of(b.cpus.at, b.cpus.n);
		tell(&b, b.cpus.at[b.cpus.n * 99 / 100], 0, "", "key to frame, CPU: p99");
		tell(&b, b.slowest_ms, 0, "", b.slowest);
		vec_free(&b.walls);
		vec_free(&b.cpus);
	}
	console_free(b.console);
	keymap_free(b.keymap);
	term_close(b.term);
	diag_free(b.d);
	model_free(b.m);
	plan_free(&b.plan);
	(void)dup2(out, STDOUT_FILENO);
	(void)close(out);
	f = figures_new("console");
	for (size_t i = 0; i < b.told.n; i++)
		figure(f, b.told.at[i].name, b.told.at[i].ms,
			strstr(b.told.at[i].name, "wall") ? "ms" : "ms CPU", b.told.at[i].target);
	vec_free(&b.told);
	ok = figures_end(f);
	return ok ? 0 : 1;
}
