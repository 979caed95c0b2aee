/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Long running: a session (collector threads, model, diagnosis, the recording of the last hour)
 * watches the emulated ref256. Devices hang, vanish, restart, flood, refuse keys and clear their
 * counters at random. Nothing may grow: memory, descriptors, threads. And no poll may be missed in
 * silence. If counters came an interval late or more, there must be a sign of it. Signs are a
 * counted failure, a device shown as other than fresh, or an event that reports skipped polls. Each
 * batch that the model receives and each ageing is counted, so the scheduling of this program does
 * not matter (soak_account.h).
 *
 *   bench_soak [MINUTES [INTERVAL [SEED]]]     48, 5s, 1
 *
 * Devices and session live SPEED times as fast, so 48 minutes are four hours to both of them:
 * polls, time-outs, an hour of history and an hour of recording come and go in a fifth of the time.
 * All times below are the session's, but for MINUTES.
 *
 * Data that is kept for an hour grows for an hour. So the base line is the memory after WARM_S,
 * when histories and recording free as much as they take. A shorter run says so and has no bound
 * for memory. In the environment: SAMPLES=FILE, each look as a line of CSV.
 */
#include <dirent.h>
#include <malloc.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/session/session.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/history/history_internal.h"
#include "tests/bench/fast/fast_clock.h"
#include "tests/bench/load/soak_account.h"
#include "tests/bench/load/tree.h"
#include "tests/support/built.h"
#include "tests/support/figures.h"
#include "tests/support/run_command.h"

enum {
	SPEED = 5,
	SAMPLES_MOST = 20000,
	FAULT_EVERY_S = 4 * SPEED,
	FLAT_PERCENT = 2,
	LOOK_MS = 100 * SPEED,
	CALM_MOST_S = 120 * SPEED,
	CONNECTIONS_MOST = 3, /* of a device: over HTTPS one a tier */
	SOCKETS_BESIDES = 4,  /* the loops' own */
	CALM_S = 10 * SPEED,  /* all fresh for so long: none is being connected to */
	/* A port that was not green within an hour has every poll of an hour. So the base line is
	 * after two hours, and a bit more for the recording, which forgets an hour up to a whole
	 * keyframe. */
	WARM_S = 120 * 60
};
/* Where a run is too short for that, of the run. */
#define WARM_SHARE 0.4

struct look {
	double t_s, pss_mb, heap_mb, free_mb; /* free: the allocator keeps it */
	double history_mb;                    /* beside heap_mb, as malloc() has it */
	unsigned fds, sockets, threads;       /* fds: that are no sockets */
};

struct soak {
	uv_loop_t loop;
	uv_timer_t tick;
	struct session *session;
	char dir[64], inventory[128], program[256];
	pid_t emulator;
	double warm_s;
	bool full; /* histories and recording are, after that */
	int64_t began_us, warm_us, ends_us, fault_us, calm_us;
	int64_t fresh_us; /* since when all are, 0: not all */
	bool calming;
	struct look calm[2]; /* after the warm-up, at the end */
	unsigned ncalm;
	uint32_t random;
	struct soak_account polls;
	struct look *samples;
	size_t nsamples;
	uint64_t injected, refused;
};

/* ---- batches for the model (linked with --wrap) ---- */

static struct soak *watching; /* NULL: not yet, or no more */

void __real_model_apply(struct model *m, const struct obs *o, int64_t now_us);
void __wrap_model_apply(struct model *m, const struct obs *o, int64_t now_us);
void __wrap_model_apply(struct model *m, const struct obs *o, int64_t now_us)
{
	__real_model_apply(m, o, now_us);
	if (watching && m == session_model(watching->session))
		soak_account_applied(&watching->polls, m, o);
}

int64_t __real_model_age(struct model *m, int64_t now_us);
int64_t __wrap_model_age(struct model *m, int64_t now_us);
int64_t __wrap_model_age(struct model *m, int64_t now_us)
{
	int64_t next_us = __real_model_age(m, now_us);

	if (watching && m == session_model(watching->session))
		soak_account_aged(&watching->polls, m);
	return next_us;
}

/* ---- faults ---- */

static uint32_t next(struct soak *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 17;
	s->random ^= s->random << 5;
	return s->random;
}

static void ctl(struct soak *s, const char *verb, const char *what)
{
	const char *argv[] = {s->program, "ctl", s->dir, verb, what, NULL};
	int status = 0;
	char *said = run_command(argv, NULL, "", NULL, &status);

	if (said && status == 0)
		s->injected++;
	else
		s->refused++;
	free(said);
}

/* Faults that end connections cut sessions: down, reboot, wrong-key, refuse-key. */
static void break_one(struct soak *s)
{
	static const char *const of_devices[] = {"clear-counters:%s", "reboot:%s,for=3s",
		"device-down:%s,for=%us", "device-hang:%s,for=%us", "slow:%s,for=%us",
		"garbage:%s,for=%us", "flood:%s,for=%us,size=2MB", "commands-fail:%s,for=%us",
		"refuse-key:%s,for=%us", "clear-counters:%s", "device-down:%s,for=1s"};
	static const char *const of_fabric[] = {
		"incast,for=%us", "pfc-storm,for=%us", "link-flap,for=%us", "heavy-load,for=%us"};
	const struct model *m = session_model(s->session);
	unsigned seconds = 3 + next(s) % 20;
	const char *form;
	char spec[160];

	if (next(s) % 6 == 0) {
		form = of_fabric[next(s) % (sizeof(of_fabric) / sizeof(of_fabric[0]))];
		(void)snprintf(spec, sizeof(spec), form, seconds);
	} else {
		const struct device *d = m->devices.at[next(s) % m->devices.n];

		form = of_devices[next(s) % (sizeof(of_devices) / sizeof(of_devices[0]))];
		(void)snprintf(spec, sizeof(spec), form, d->name, seconds);
	}
	ctl(s, "inject", spec);
}

/* ---- samples ---- */

static unsigned entries(const char *path)
{
	unsigned n = 0;
	struct dirent *e;
	DIR *d = opendir(path);

	while (d && (e = readdir(d)))
		n += e->d_name[0] != '.';
	if (d)
		(void)closedir(d);
	return n;
}

static unsigned sockets(void)
{
	unsigned n = 0;
	char path[32], what[16];
	struct dirent *e;
	DIR *d = opendir("/proc/self/fd");

	while (d && (e = readdir(d))) {
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%.12s", e->d_name);
		n += readlink(path, what, sizeof(what)) > 7 && memcmp(what, "socket:", 7) == 0;
	}
	if (d)
		(void)closedir(d);
	return n;
}

static size_t blocks(const struct hlog *l)
{
	size_t n = 0;

	for (const struct hlog_block *b = l->first; b; b = b->next)
		n += malloc_usable_size((void *)(uintptr_t)b) + sizeof(size_t);
	return n;
}

/* Their memory now; history_status() gives the memory with every block full. */
static size_t histories(const struct model *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->ports.n; i++) {
		const struct port_log *l = m->ports.at[i]->log;

		if (l)
			n += sizeof(*l) + l->series.size * sizeof(*l->series.at) +
			     blocks(&l->fine) + blocks(&l->coarse);
	}
	return n;
}

static struct look look_now(const struct soak *s, int64_t now)
{
	struct mallinfo2 heap = mallinfo2();
	unsigned of_sockets = sockets();
	double history_mb = (double)histories(session_model(s->session)) / 1e6;

	return (struct look){
		.t_s = (double)(now - s->began_us) / 1e6,
		.pss_mb = tree_memory_of(getpid()),
		.history_mb = history_mb,
		.heap_mb = (double)(heap.uordblks + heap.hblkhd) / 1e6 - history_mb,
		.free_mb = (double)heap.fordblks / 1e6,
		.fds = entries("/proc/self/fd") - of_sockets,
		.sockets = of_sockets,
		.threads = entries("/proc/self/task"),
	};
}

static void take_sample(struct soak *s, int64_t now)
{
	if (s->nsamples < SAMPLES_MOST)
		s->samples[s->nsamples++] = look_now(s, now);
}

/*
 * Descriptors are counted when every device is connected to: nothing is broken any more, and all
 * have been fresh for a while. True: that was so, or has not come.
 */
static bool is_calm(struct soak *s, int64_t now, struct look *calm)
{
	const struct model *m = session_model(s->session);
	size_t fresh = 0;

	for (size_t i = 0; i < m->devices.n; i++)
		fresh += m->devices.at[i]->state == DEV_FRESH;
	if (fresh < m->devices.n)
		s->fresh_us = 0;
	else if (!s->fresh_us)
		s->fresh_us = now;
	/* A device after a reconnect stays fresh for some time yet. */
	if ((!s->fresh_us || now < s->fresh_us + CALM_S * CLOCK_SEC) &&
		now < s->calm_us + CALM_MOST_S * CLOCK_SEC)
		return false;
	*calm = look_now(s, now);
	calm->fds = s->fresh_us ? calm->fds : 0;
	return true;
}

static void calm_down(struct soak *s, int64_t now)
{
	ctl(s, "heal", "all");
	s->calm_us = now;
	s->calming = true;
}

static void on_tick(uv_timer_t *t)
{
	struct soak *s = t->data;
	int64_t now = clock_mono(&clock_system);

	if (s->calming) {
		s->calming = !is_calm(s, now, &s->calm[s->ncalm]);
		s->ncalm += !s->calming;
	} else if (s->ncalm == 0 && now >= s->warm_us) {
		calm_down(s, now);
	} else if (s->ncalm == 1 && now >= s->ends_us) {
		calm_down(s, now);
	} else if (now >= s->fault_us) {
		s->fault_us = now + FAULT_EVERY_S * CLOCK_SEC;
		break_one(s);
		take_sample(s, now);
	}
	if (s->ncalm < 2)
		return;
	uv_close((uv_handle_t *)t, NULL);
	uv_stop(&s->loop);
}

static void on_warning(void *ctx, const char *message)
{
	(void)ctx;
	(void)fprintf(stderr, "soak: %s\n", message);
}

/* ---- the run ---- */

static bool open_all(struct soak *s, const char *interval)
{
	char speed[8];
	const char *argv[] = {s->program, "--preset", "ref256", "--dir", s->dir, "--interval",
		interval, "--speed", speed, "--die-with-parent", NULL};
	const struct recording_opts recording = {.live = true, .live_bytes = 32u << 20};
	struct session_opts opts = {.inventory = s->inventory,
		.in_pieces = true,
		.recording = &recording,
		.warn = on_warning};
	struct err err = {0};

	(void)built_path("railtop-emulator", s->program, sizeof(s->program));
	(void)str_copy(s->dir, sizeof(s->dir), "/tmp/railtop-soak-XXXXXX");
	if (!mkdtemp(s->dir))
		return false;
	(void)str_printf(s->inventory, sizeof(s->inventory), "%s/fabric.yaml", s->dir);
	(void)str_printf(speed, sizeof(speed), "%d", SPEED);
	s->emulator = start_program(argv, "ready ");
	if (s->emulator <= 0)
		return false;
	fast_clock(SPEED);
	(void)uv_loop_init(&s->loop);
	s->session = session_open(&s->loop, &opts, &err);
	if (!s->session)
		err_print(&err);
	return s->session != NULL;
}

static void close_all(struct soak *s)
{
	const char *remove_it[] = {"rm", "-rf", "--", s->dir, NULL};

	watching = NULL;
	if (s->session) {
		session_close(s->session);
		uv_run(&s->loop, UV_RUN_DEFAULT);
		(void)uv_loop_close(&s->loop);
	}
	if (s->emulator > 0)
		stop_program(s->emulator);
	free(run_command(remove_it, NULL, "", NULL, NULL));
	soak_account_free(&s->polls);
	free(s->samples);
}

static double mean(const struct soak *s, double from, double to, size_t offset)
{
	double sum = 0;
	unsigned n = 0;

	for (size_t i = 0; i < s->nsamples; i++) {
		const struct look *x = &s->samples[i];

		if (x->t_s < from || x->t_s >= to)
			continue;
		sum += *(const double *)(const void *)((const char *)x + offset);
		n++;
	}
	return n ? sum / n : NAN;
}

static double percent_more(const double of[2])
{
	return (of[1] / of[0] - 1) * 100;
}

static double without(const double all[2], const double part[2])
{
	return ((all[1] - part[1]) / (all[0] - part[0]) - 1) * 100;
}

static void show_memory(struct soak *s, struct figures *f, double total)
{
	double warm = s->warm_s, half = (warm + total) / 2, end = total + CALM_MOST_S;
	double pss[2], heap[2], kept[2], history[2], bound = s->full ? FLAT_PERCENT : 0;

	for (int i = 0; i < 2; i++) {
		double from = i ? half : warm, to = i ? end : half;

		pss[i] = mean(s, from, to, offsetof(struct look, pss_mb));
		heap[i] = mean(s, from, to, offsetof(struct look, heap_mb));
		kept[i] = mean(s, from, to, offsetof(struct look, free_mb));
		history[i] = mean(s, from, to, offsetof(struct look, history_mb));
	}
	if (!s->full)
		(void)printf("too short for an hour to be full: memory has no bound here\n");
	figure(f, "  the base line begins after", warm / 60, "min", 0);
	figure(f, "resident (proportional) in the first half of the rest", pss[0], "MB", 0);
	figure(f, "  in the second half", pss[1], "MB", 0);
	figure(f, "  that against this", percent_more(pss), "%", bound);
	figure(f, "  less histories, that against this", without(pss, history), "%", bound);
	figure(f, "  histories", history[0], "MB", 0);
	figure(f, "  in the second half", history[1], "MB", (double)HISTORY_BUDGET / 1e6);
	figure(f, "  allocated besides", heap[0], "MB", 0);
	figure(f, "  in the second half", heap[1], "MB", 0);
	figure(f, "  that against this", percent_more(heap), "%", bound);
	figure(f, "  free, kept by the allocator", kept[0], "MB", 0);
	figure(f, "  in the second half", kept[1], "MB", 0);
}

static void write_samples(const struct soak *s, const char *path)
{
	FILE *out = fopen(path, "we");

	if (!out)
		return;
	(void)fprintf(out, "s,resident MB,allocated,free,history,files,sockets,threads\n");
	for (size_t i = 0; i < s->nsamples; i++) {
		const struct look *x = &s->samples[i];

		(void)fprintf(out, "%.0f,%.2f,%.2f,%.2f,%.2f,%u,%u,%u\n", x->t_s, x->pss_mb,
			x->heap_mb, x->free_mb, x->history_mb, x->fds, x->sockets, x->threads);
	}
	(void)fclose(out);
}

static double more(unsigned before, unsigned after)
{
	return after > before ? after - before : 0;
}

static void show(struct soak *s, struct figures *f, double total)
{
	const struct model *m = session_model(s->session);
	const struct look *calm = s->calm;
	uint64_t polls = 0, failures = 0;

	for (size_t i = 0; i < m->devices.n; i++) {
		polls += m->devices.at[i]->polls;
		failures += m->devices.at[i]->failures;
	}
	figure(f, "soak: minutes of the session", total / 60, "min", 0);
	figure_least(f, "  requests that were answered or failed", (double)polls, "", 1);
	figure_least(f, "  of these failed", (double)failures, "", 1);
	figure_least(f, "  faults, reboots, clears", (double)s->injected, "", 1);
	figure(f, "  of them refused by the emulator", (double)s->refused, "", 0);
	show_memory(s, f, total);
	figure_least(f, "descriptors but sockets when all was well after the warm-up", calm[0].fds,
		"", 1);
	figure_least(f, "  at the end", calm[1].fds, "", 1);
	figure_none(f, "  more than before", more(calm[0].fds, calm[1].fds), "");
	figure(f, "sockets then", calm[0].sockets, "", 0);
	figure(f, "  at the end", calm[1].sockets, "",
		(double)(CONNECTIONS_MOST * m->devices.n + SOCKETS_BESIDES));
	figure(f, "threads then", calm[0].threads, "", 0);
	figure_none(f, "  more at the end", more(calm[0].threads, calm[1].threads), "");
	figure(f, "times that counters were late by an interval", (double)s->polls.gaps, "", 0);
	figure(f, "  the longest", s->polls.longest_s, "s", 0);
	figure(f, "  polls left out that an event told of", (double)s->polls.told, "", 0);
	figure_none(f, "  polls left out in silence", (double)s->polls.silent, "");
	figure(f, "  of these, of devices that went away before they told", (double)s->polls.went,
		"", 0);
	if (s->polls.first[0])
		(void)printf("the first that only an event tells of: %s\n", s->polls.first);
}

int main(int argc, char **argv)
{
	double minutes = argc > 1 ? strtod(argv[1], NULL) : 48;
	const char *samples = getenv("SAMPLES");
	struct soak s = {.random = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 1};
	struct figures *f;
	bool ok = false;

	if (!(minutes > 0) || !s.random) {
		(void)fprintf(stderr, "usage: bench_soak [MINUTES [INTERVAL [SEED]]]\n");
		return 2;
	}
	s.full = minutes * 60 * SPEED * (1 - WARM_SHARE / 2) > WARM_S;
	s.warm_s = s.full ? WARM_S : minutes * 60 * SPEED * WARM_SHARE;
	if (open_all(&s, argc > 2 ? argv[2] : "5s")) {
		soak_account_init(&s.polls, session_model(s.session));
		watching = &s;
		s.samples = mem_calloc(SAMPLES_MOST, sizeof(*s.samples));
		s.began_us = clock_mono(&clock_system);
		s.ends_us = s.began_us + (int64_t)(minutes * 60e6 * SPEED);
		s.warm_us = s.began_us + (int64_t)(s.warm_s * 1e6);
		(void)uv_timer_init(&s.loop, &s.tick);
		s.tick.data = &s;
		(void)uv_timer_start(&s.tick, on_tick, LOOK_MS, LOOK_MS);
		uv_run(&s.loop, UV_RUN_DEFAULT);
		soak_account_end(&s.polls, session_model(s.session), clock_wall(&clock_system));
		f = figures_new("soak");
		show(&s, f, minutes * 60 * SPEED);
		ok = figures_end(f);
		if (samples)
			write_samples(&s, samples);
	}
	close_all(&s);
	return ok ? 0 : 1;
}
