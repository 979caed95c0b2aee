/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of a poll: transport, decoding and the model, at few and at many sessions. Beside it
 * stands the cost of the same bytes without SSH. The responder, a process of its own, answers for
 * the devices. All figures are CPU time of this process (user and system) unless they say wall.
 *
 *   bench_poll               all of it in short: 100 and 3,000 sessions
 *   bench_poll N [MODE...]   one size; MODE: host, switch, floor, wait, jump, against (N
 *                            sessions against 100). The word filtered: devices report changes
 *                            only.
 *
 *   bench_poll N warm KIND SECONDS [transport|parse]   nothing but polls, to be profiled
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/bench/load/bastion.h"
#include "tests/bench/load/floor.h"
#include "tests/bench/load/responder.h"
#include "tests/bench/load/sweep.h"
#include "tests/support/figures.h"

enum {
	FEW = 100,
	MANY = 3000,
	SWITCHES = 100,
	SWEEPS = 5,
	SWEEPS_OF_MANY = 2,
	ROUNDS_AGAINST = 3,
	WAITERS = 800,
};
#define THINK_US (300 * CLOCK_MSEC)

struct cost {
	bool ok;
	char complaint[256];
	double connect_ms, detect_ms; /* CPU, a device */
	double first_ms;              /* CPU of the first poll */
	double poll_ms[SWEEP_APPLY + 1];
	double bytes;
	double idle_kb, warm_kb; /* resident, a session */
	double wall_s;
	/* Of a sweep's wall time, this process and the responder: computing, and waiting to. */
	double run_s, queue_s, their_run_s, their_queue_s;
};

static struct responder fast, slow;

/* ---- each measurement in a process of its own, with a heap that is its own ---- */

struct task {
	enum responder_kind kind;
	unsigned n;
	const char *known_hosts; /* NULL: the file with a single line */
	const char *jump;        /* NULL: directly */
	void (*run)(struct task *t, struct plan *plan, struct cost *c);
	const struct responder *where;
};

static bool good(const struct sweep_result *r, struct cost *c)
{
	if (r->failed && !c->complaint[0])
		(void)str_copy(c->complaint, sizeof(c->complaint), r->complaint);
	return r->failed == 0;
}

static enum poll_way way; /* a word on the command line */

static void child(struct task *t, struct cost *c)
{
	struct plan plan;

	plan_init(&plan);
	responder_plan(t->where, t->kind, t->n, &plan);
	for (size_t i = 0; t->known_hosts && i < plan.devices.n; i++) {
		free(plan.devices.at[i].known_hosts);
		plan.devices.at[i].known_hosts = mem_strdup(t->known_hosts);
		plan.devices.at[i].jump = t->jump ? mem_strdup(t->jump) : NULL;
	}
	for (size_t i = 0; i < plan.devices.n; i++)
		plan.devices.at[i].poll = way;
	t->run(t, &plan, c);
	plan_free(&plan);
}

static struct cost measure(struct task *t)
{
	struct cost *shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct cost c = {.ok = false};
	int status = 0;
	pid_t pid;

	if (shared == MAP_FAILED)
		return c;
	(void)fflush(NULL);
	pid = fork();
	if (pid == 0) {
		child(t, shared);
		_exit(0);
	}
	if (pid > 0 && waitpid(pid, &status, 0) == pid && status == 0)
		c = *shared;
	(void)munmap(shared, sizeof(*shared));
	if (!c.ok)
		(void)fprintf(stderr, "poll: %u devices: %s\n", t->n,
			c.complaint[0] ? c.complaint : "ended without a result");
	return c;
}

static void run_polls(struct task *t, struct plan *plan, struct cost *c)
{
	struct sweeper *s = sweeper_new(plan, false);
	int sweeps = t->n < MANY ? SWEEPS : SWEEPS_OF_MANY;
	double before = sweep_rss_mb(), polls = (double)t->n * sweeps;
	struct sweep_result r;

	c->ok = true;
	sweeper_connect(s, &r);
	c->ok &= good(&r, c);
	c->connect_ms = r.cpu_s * 1e3 / t->n;
	c->idle_kb = (sweep_rss_mb() - before) * 1024 / t->n;
	sweeper_detect(s, &r);
	c->ok &= good(&r, c);
	c->detect_ms = r.cpu_s * 1e3 / t->n;
	sweeper_poll(s, SWEEP_APPLY, &r);
	c->ok &= good(&r, c);
	c->first_ms = r.cpu_s * 1e3 / t->n;
	/* The cache knows an answer from the third one on. */
	for (int i = 0; i < 2 && c->ok; i++) {
		sweeper_poll(s, SWEEP_PARSE, &r);
		c->ok &= good(&r, c);
		sweeper_poll(s, SWEEP_APPLY, &r);
		c->ok &= good(&r, c);
	}
	/* Turn by turn, so that other load on the machine falls on all alike. */
	for (int i = 0; i < sweeps && c->ok; i++) {
		for (int d = SWEEP_TRANSPORT; d <= SWEEP_APPLY; d++) {
			sweeper_poll(s, (enum sweep_depth)d, &r);
			c->ok &= good(&r, c);
			c->poll_ms[d] += r.cpu_s * 1e3 / polls;
		}
		c->bytes = (double)r.bytes / t->n;
	}
	c->warm_kb = (sweep_rss_mb() - before) * 1024 / t->n;
	sweeper_free(s);
}

/* Seconds that the process has had of a processor, and has waited for one. */
static void processor_time(pid_t pid, double sign, double *run_s, double *queue_s)
{
	unsigned long long run = 0, queue = 0;
	char path[64];
	FILE *f;

	(void)str_printf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	f = fopen(path, "re");
	if (f && fscanf(f, "%llu %llu", &run, &queue) == 2) {
		*run_s += sign * (double)run / 1e9;
		*queue_s += sign * (double)queue / 1e9;
	}
	if (f)
		(void)fclose(f);
}

static void processor_times(struct task *t, double sign, struct cost *c)
{
	processor_time(getpid(), sign, &c->run_s, &c->queue_s);
	processor_time(t->where->program.pid, sign, &c->their_run_s, &c->their_queue_s);
}

static void run_wait(struct task *t, struct plan *plan, struct cost *c)
{
	struct sweeper *s = sweeper_new(plan, true);
	struct sweep_result r;

	sweeper_connect(s, &r);
	c->ok = good(&r, c);
	sweeper_poll(s, SWEEP_APPLY, &r); /* the emulator makes the answer */
	processor_times(t, -1, c);
	sweeper_poll(s, SWEEP_APPLY, &r);
	processor_times(t, 1, c);
	c->ok &= good(&r, c);
	c->wall_s = r.wall_s;
	sweeper_free(s);
}

/* ---- the floor ---- */

static double floor_ms(enum responder_kind kind, double *bytes)
{
	size_t len;
	char *text = responder_reply(&fast, kind, &len);
	double cost = floor_cpu_s(text, len, 2000);

	*bytes = (double)len;
	free(text);
	return cost * 1e3;
}

static const char *const kinds[] = RESPONDER_NAMES;

static void show_floor(
	struct figures *f, enum responder_kind kind, const struct cost *c, double target)
{
	char name[96];
	double bytes, least = floor_ms(kind, &bytes);

	(void)str_printf(name, sizeof(name), "%s: floor of %.0f bytes: receive, decrypt, scan",
		kinds[kind], bytes);
	figure(f, name, least, "ms", 0);
	(void)str_printf(
		name, sizeof(name), "%s: poll with parse and model, times the floor", kinds[kind]);
	if (least > 0 && c->ok)
		figure(f, name, c->poll_ms[SWEEP_APPLY] / least * bytes / c->bytes, "times",
			target);
}

/* ---- the output ---- */

static void show_polls(struct figures *f, const struct task *t, const struct cost *c)
{
	static const char *const depths[] = {"transport", "and parse", "and model"};
	char name[96];

	(void)str_printf(name, sizeof(name), "%u of %s, %s: bytes of an answer", t->n,
		kinds[t->kind], poll_way_name(way));
	figure(f, name, c->bytes, "bytes", 0);
	(void)str_printf(name, sizeof(name), "  connect and authenticate");
	figure(f, name, c->connect_ms, "ms", 0);
	(void)str_printf(name, sizeof(name), "  ask once what it is, as much more");
	figure(f, name, c->detect_ms, "ms", 0);
	(void)str_printf(name, sizeof(name), "  first poll, as much more");
	figure(f, name, c->first_ms, "ms", 0);
	for (int d = SWEEP_TRANSPORT; d <= SWEEP_APPLY; d++) {
		(void)str_printf(name, sizeof(name), "  each poll: %s", depths[d]);
		figure(f, name, c->poll_ms[d], "ms", 0);
	}
	figure(f, "  resident, connected", c->idle_kb, "kB", 0);
	figure(f, "  resident, polled, with model", c->warm_kb, "kB", 0);
}

static struct cost polls(struct figures *f, enum responder_kind kind, unsigned n)
{
	struct task t = {.kind = kind, .n = n, .run = run_polls, .where = &fast};
	struct cost c = measure(&t);

	if (c.ok)
		show_polls(f, &t, &c);
	else
		figure_none(f, "polls that failed", 1, "");
	return c;
}

/* In turns, and the least of each: other load on the machine only adds. */
static void against(struct figures *f, unsigned n)
{
	const unsigned sizes[] = {FEW, n};
	double least[] = {(double)NAN, (double)NAN};
	struct task t = {.kind = RESPONDER_HOST, .run = run_polls, .where = &fast};
	char name[96];

	for (int round = 0; round < ROUNDS_AGAINST; round++) {
		for (size_t i = 0; i < 2; i++) {
			struct cost c;

			t.n = sizes[i];
			c = measure(&t);
			if (c.ok)
				least[i] = fmin(least[i], c.poll_ms[SWEEP_APPLY]);
		}
	}
	for (size_t i = 0; i < 2; i++) {
		(void)str_printf(name, sizeof(name),
			"%u hosts: a poll with parse and model, the least of %d", sizes[i],
			ROUNDS_AGAINST);
		figure(f, name, least[i], "ms", 0);
	}
	(void)str_printf(name, sizeof(name), "  %u against %u", n, FEW);
	figure(f, name, least[1] / least[0], "times", 1.15);
}

static void waits(struct figures *f, unsigned n)
{
	struct task t = {.kind = RESPONDER_HOST, .n = n, .run = run_wait, .where = &slow};
	struct cost c;
	char name[96];

	if (!responder_start(&slow, &(struct responder_opts){.think_us = THINK_US}))
		return;
	c = measure(&t);
	responder_stop(&slow);
	(void)str_printf(name, sizeof(name), "sweep of %u devices that think 300 ms, wall", n);
	figure(f, name, c.ok ? c.wall_s : (double)NAN, "s", 0.8);
	figure(f, "  of it computing", c.run_s, "s", 0);
	figure(f, "  waiting for a processor that others had", c.queue_s, "s", 0);
	figure(f, "  asleep until something came", c.wall_s - c.run_s - c.queue_s, "s", 0);
	figure(f, "  the responder's computing", c.their_run_s, "s", 0);
	figure(f, "  its waiting for a processor", c.their_queue_s, "s", 0);
}

static void jumps(struct figures *f, unsigned n)
{
	struct task t = {.kind = RESPONDER_HOST, .n = n, .run = run_polls, .where = &fast};
	struct cost direct, through;
	struct bastion b;
	char name[96];

	if (!bastion_start(&b, &fast))
		return;
	direct = measure(&t);
	t.jump = b.jump;
	t.known_hosts = b.known_hosts;
	through = measure(&t);
	bastion_stop(&b);
	if (!direct.ok || !through.ok) {
		figure_none(f, "polls that failed", 1, "");
		return;
	}
	(void)str_printf(name, sizeof(name), "%u hosts: a poll, directly", n);
	figure(f, name, direct.poll_ms[SWEEP_APPLY], "ms", 0);
	figure(f, "  through one session to a bastion", through.poll_ms[SWEEP_APPLY], "ms", 0);
	figure(f, "  the transport alone, times the direct one",
		through.poll_ms[SWEEP_TRANSPORT] / direct.poll_ms[SWEEP_TRANSPORT], "times", 0);
	figure(f, "  a connection, directly", direct.connect_ms, "ms", 0);
	figure(f, "  through it", through.connect_ms, "ms", 0);
	figure(f, "  resident, connected, directly", direct.idle_kb, "kB", 0);
	figure(f, "  through it", through.idle_kb, "kB", 0);
}

/* ---- the parts of the run ---- */

static void everything(struct figures *f)
{
	struct cost few = polls(f, RESPONDER_HOST, FEW);
	struct cost leaf = polls(f, RESPONDER_SWITCH, SWITCHES);

	(void)polls(f, RESPONDER_HOST, MANY);
	against(f, MANY);
	show_floor(f, RESPONDER_HOST, &few, 4);
	show_floor(f, RESPONDER_SWITCH, &leaf, 3);
	jumps(f, FEW);
	waits(f, WAITERS);
}

static void one(struct figures *f, unsigned n, const char *mode)
{
	if (str_eq(mode, "host"))
		(void)polls(f, RESPONDER_HOST, n);
	else if (str_eq(mode, "switch"))
		(void)polls(f, RESPONDER_SWITCH, n);
	else if (str_eq(mode, "against"))
		against(f, n);
	else if (str_eq(mode, "jump"))
		jumps(f, n);
	else if (str_eq(mode, "wait"))
		waits(f, n);
	else if (str_eq(mode, "floor"))
		for (int k = 0; k < RESPONDER_KINDS; k++) {
			struct cost c = polls(f, (enum responder_kind)k, n);

			show_floor(f, (enum responder_kind)k, &c, k == RESPONDER_HOST ? 4 : 3);
		}
	else
		(void)fprintf(stderr, "poll: no mode \"%s\"\n", mode);
}

static bool is_way(const char *word, enum poll_way *out)
{
	if (!str_eq(word, poll_way_name(POLL_WAY_FILTERED)))
		return false;
	*out = POLL_WAY_FILTERED;
	return true;
}

/* In this process, so that a profiler sees nothing else. */
static struct sweeper *sweeper_here(struct plan *plan, unsigned n, enum responder_kind kind)
{
	plan_init(plan);
	responder_plan(&fast, kind, n, plan);
	for (unsigned i = 0; i < n; i++)
		plan->devices.at[i].poll = way;
	return sweeper_new(plan, false);
}

static int warm(unsigned n, enum responder_kind kind, double seconds, enum sweep_depth depth)
{
	struct sweep_result r = {0};
	struct plan plan;
	struct sweeper *s = sweeper_here(&plan, n, kind);
	unsigned sweeps = 0;
	double least = 0, before;
	int64_t end;

	before = sweep_rss_mb();
	sweeper_connect(s, &r);
	sweeper_detect(s, &r);
	end = clock_mono(&clock_system) + (int64_t)(seconds * 1e6);
	while (clock_mono(&clock_system) < end && !r.failed) {
		sweeper_poll(s, depth, &r);
		least = sweeps++ && least < r.cpu_s ? least : r.cpu_s;
	}
	(void)printf("%.4f ms a poll in the cheapest of %u sweeps, %.4f in the last, %.0f kB "
		     "resident, %u failed %s\n",
		least * 1e3 / n, sweeps, r.cpu_s * 1e3 / n, (sweep_rss_mb() - before) * 1024 / n,
		r.failed, r.complaint);
	sweeper_free(s);
	plan_free(&plan);
	return r.failed ? 1 : 0;
}

static enum sweep_depth depth_of(const char *word)
{
	return str_eq(word, "transport") ? SWEEP_TRANSPORT
	       : str_eq(word, "parse")   ? SWEEP_PARSE
					 : SWEEP_APPLY;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
	struct figures *f = NULL;
	bool ok = true;
	int code = 0;

	if (argc > 1 && (n == 0 || n > 60000)) {
		(void)fprintf(stderr, "usage: bench_poll [N [MODE...]]\n");
		return 2;
	}
	for (int i = 2; i < argc; i++)
		(void)is_way(argv[i], &way);
	if (!responder_start(&fast, &(struct responder_opts){0}))
		return 1;
	if (argc > 4 && str_eq(argv[2], "warm")) {
		code = warm(n, str_eq(argv[3], "switch") ? RESPONDER_SWITCH : RESPONDER_HOST,
			strtod(argv[4], NULL), depth_of(argc > 5 ? argv[5] : ""));
	} else {
		f = figures_new("poll");
		if (argc < 2)
			everything(f);
		else if (argc == 2)
			(void)polls(f, RESPONDER_HOST, n);
		for (int i = 2; i < argc; i++)
			if (!is_way(argv[i], &way))
				one(f, n, argv[i]);
		ok = figures_end(f);
	}
	responder_stop(&fast);
	return ok ? code : 1;
}
