/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording of a day of ref256 at 5 s: its size, the cost of writing it, the time to open it and
 * to scrub to any moment of it. HOURS=1 for a shorter one, PRESET=4k for a larger fabric.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "archive/replay/replay.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "diagnosis/engine/diagnosis.h"
#include "tests/bench/diagnosis/stretch.h"
#include "tests/support/figures.h"

#define POLLS 24
#define RIDES 50
/*
 * The time that the console gives a keyframe or a scrub before it handles keys again; it has 10 ms.
 */
#define TURN_US 4000

static int64_t cpu_us(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

struct day {
	struct stretch *s;
	struct rts_writer *w;
	struct recorder *r;
	struct model *m;
	struct diag *diag;
	unsigned polls;
	uint64_t batches, items, keyframes;
	int64_t keyframe_us, longest_us; /* CPU of all keyframes, of the longest turn of one */
};

/* As a session does it: reported devices are noted, then all is judged, once a second. */
static void judge(struct day *d, bool *told, int64_t now_us)
{
	for (uint32_t i = 0; i < d->m->devices.n; i++) {
		if (told[i])
			diag_note(d->diag, d->m, i, now_us);
		told[i] = false;
	}
	(void)model_age(d->m, now_us);
	model_links(d->m);
	diag_run(d->diag, d->m, now_us);
	recorder_judged(d->r, now_us);
}

static void keyframe(struct day *d, int64_t now_us)
{
	bool done = false;

	if (!recorder_due(d->r))
		return;
	while (!done) {
		int64_t start = cpu_us(CLOCK_THREAD_CPUTIME_ID), took;

		done = recorder_work(d->r, d->m, d->diag, now_us, TURN_US);
		took = cpu_us(CLOCK_THREAD_CPUTIME_ID) - start;
		d->keyframe_us += took;
		d->longest_us = took > d->longest_us ? took : d->longest_us;
	}
	d->keyframes++;
}

static void record(struct day *d)
{
	int64_t judged = 0;
	bool *told = mem_calloc(stretch_devices(d->s), sizeof(*told));

	for (unsigned p = 0; p < d->polls; p++) {
		for (size_t i = 0; i < stretch_devices(d->s); i++) {
			int64_t t = stretch_time(d->s, p, i);
			struct obs *o = stretch_batch(d->s, p, i);

			if (t - judged >= CLOCK_SEC) {
				judge(d, told, t);
				judged = t;
				keyframe(d, t);
			}
			if (!o)
				continue;
			d->batches++;
			d->items += o->items.n;
			model_apply(d->m, o, t);
			told[i] = true;
			recorder_obs(d->r, o, t);
		}
	}
	judge(d, told, stretch_time(d->s, d->polls, 0));
	free(told);
}

/* ---- scrubbing ---- */

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

struct ride {
	int64_t took_us, cpu_us, turn_us; /* turn_us: CPU of the longest turn */
};

static bool arrive(struct replay *p, int64_t t_us, struct ride *ride)
{
	int64_t start = clock_mono(&clock_system), start_cpu = cpu_us(CLOCK_THREAD_CPUTIME_ID);
	int64_t before = start_cpu, now;
	bool done = false;

	replay_seek(p, t_us);
	for (ride->turn_us = 0; !done; before = now) {
		done = replay_work(p, TURN_US);
		now = cpu_us(CLOCK_THREAD_CPUTIME_ID);
		ride->turn_us = now - before > ride->turn_us ? now - before : ride->turn_us;
	}
	ride->took_us = clock_mono(&clock_system) - start;
	ride->cpu_us = before - start_cpu;
	return replay_arrived(p) && !replay_error(p, NULL);
}

static bool scrub(struct figures *f, struct rts *r)
{
	struct err err = {0};
	const unsigned rides = figures_times(RIDES, 5);
	int64_t took[RIDES], cpu[RIDES], turn = 0, from = rts_info(r)->from_us,
					 to = rts_info(r)->to_us;
	struct replay *p = replay_new(r, &err);
	uint64_t dice = 1;

	if (!p) {
		err_print(&err);
		return false;
	}
	for (size_t i = 0; i < rides; i++) {
		struct ride ride;

		dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		if (!arrive(p,
			    from + (int64_t)((double)(dice >> 11) / 9007199254740992.0 *
					     (double)(to - from)),
			    &ride)) {
			(void)replay_error(p, &err);
			err_print(&err);
			replay_free(p);
			return false;
		}
		took[i] = ride.took_us;
		cpu[i] = ride.cpu_us;
		turn = ride.turn_us > turn ? ride.turn_us : turn;
	}
	qsort(took, rides, sizeof(took[0]), by_size);
	qsort(cpu, rides, sizeof(cpu[0]), by_size);
	figure(f, "scrub, median", (double)took[rides / 2] / 1e3, "ms", 200);
	figure(f, "scrub, longest", (double)took[rides - 1] / 1e3, "ms", 200);
	/* On a busy machine these are the real cost. */
	figure(f, "scrub, median, CPU", (double)cpu[rides / 2] / 1e3, "ms", 0);
	figure(f, "scrub, longest, CPU", (double)cpu[rides - 1] / 1e3, "ms", 0);
	figure(f, "longest turn of a scrub, CPU", (double)turn / 1e3, "ms", 10);
	replay_free(p);
	return true;
}

static double hours(void)
{
	const char *s = getenv("HOURS");
	double h = 0;

	return s && str_to_double(s, &h) && h > 0 ? h : 24;
}

static bool make_file(struct day *d, const char *path, int64_t *cpu, struct err *err)
{
	struct rts_writer_opts o = {
		.path = path, .plan = stretch_plan(d->s), .tool = "railtop bench", .patient = true};
	int64_t own, all;

	d->w = rts_writer_open(&o, err);
	if (!d->w)
		return false;
	d->m = model_new(o.plan);
	d->diag = diag_new();
	d->r = recorder_new(d->w, NULL);
	own = cpu_us(CLOCK_THREAD_CPUTIME_ID);
	all = cpu_us(CLOCK_PROCESS_CPUTIME_ID);
	record(d);
	recorder_free(d->r);
	diag_free(d->diag);
	model_free(d->m);
	if (!rts_writer_close(d->w, err))
		return false;
	own = cpu_us(CLOCK_THREAD_CPUTIME_ID) - own;
	*cpu = cpu_us(CLOCK_PROCESS_CPUTIME_ID) - all - own;
	return true;
}

static bool measure(struct day *d, const char *path, struct figures *f, struct err *err)
{
	double device_hours = (double)stretch_devices(d->s) * (double)d->polls / 720;
	int64_t cpu, start;
	struct rts *r;

	if (!make_file(d, path, &cpu, err))
		return false;
	start = clock_mono(&clock_system);
	r = rts_open(path, err);
	if (!r)
		return false;
	figure(f, "open", (double)(clock_mono(&clock_system) - start) / 1e6, "s", 2);
	figure(f, "hours", (double)d->polls / 720, "h", 0);
	figure(f, "size", (double)rts_info(r)->bytes / 1e6, "MB", 0);
	figure(f, "bytes per device-hour", (double)rts_info(r)->bytes / device_hours, "bytes", 0);
	figure(f, "items per batch", (double)d->items / (double)d->batches, "", 0);
	figure(f, "writer CPU per batch", (double)cpu / (double)d->batches, "us", 0);
	figure(f, "keyframes", (double)d->keyframes, "", 0);
	figure(f, "bytes per keyframe", (double)rts_keyframe_bytes(r), "bytes", 0);
	figure(f, "CPU per keyframe", (double)d->keyframe_us / 1e3 / (double)d->keyframes, "ms", 0);
	figure(f, "longest turn of a keyframe, CPU", (double)d->longest_us / 1e3, "ms", 10);
	return scrub(f, r);
}

int main(void)
{
	const char *preset = getenv("PRESET") ? getenv("PRESET") : "ref256";
	const char *tmp = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	struct day d = {.polls = (unsigned)(hours() * 720)};
	char path[512];
	struct err err = {0};
	struct figures *f = figures_new("recording");
	bool good;

	(void)str_printf(path, sizeof(path), "%s/bench-recording-%d.rts", tmp, (int)getpid());
	d.s = stretch_make(preset, POLLS, &err);
	good = d.s && measure(&d, path, f, &err);
	if (!good)
		err_print(&err);
	if (d.s)
		stretch_free(d.s);
	(void)unlink(path);
	return figures_end(f) && good ? 0 : 1;
}
