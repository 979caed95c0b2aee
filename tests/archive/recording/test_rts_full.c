/* SPDX-License-Identifier: Apache-2.0 */
/* Disks that are full, files that vanish, readers that are in the way. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "archive/replay/replay_private.h"
#include "base/str.h"
#include "tests/archive/support/obs_make.h"
#include "tests/archive/support/rts_rig.h"
#include "tests/support/cases.h"

/* In a process of its own, because limits are the process's. */
static void apart(void (*what)(void))
{
	int status = 0;
	pid_t pid;

	(void)fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		what();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		fail_msg("status %x", (unsigned)status);
}

#define MUST(x)                                                                                    \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			(void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x);              \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

static void limit(rlim_t bytes)
{
	struct rlimit l = {.rlim_cur = bytes, .rlim_max = RLIM_INFINITY};

	MUST(setrlimit(RLIMIT_FSIZE, &l) == 0);
}

/* Entries of the file, and whether one says that some are missing. */
static unsigned entries(const char *path, bool *told, unsigned *marks)
{
	struct err err = {0};
	struct rts *r = rts_open(path, &err);
	struct rts_cursor *c;
	struct entry e;
	unsigned n = 0, others = 0;
	bool gap;

	*told = false;
	if (!r)
		err_print(&err);
	MUST(r != NULL);
	c = rts_cursor_new(r);
	while (rts_next(c, &e, &gap, &err)) {
		if (e.kind == ENTRY_GAP) {
			MUST(gap && strstr(e.text, "not recorded"));
			*told = true;
		}
		n += e.kind == ENTRY_OBS;
		others += e.kind == ENTRY_MARK;
		entry_free(&e);
	}
	rts_cursor_free(c);
	rts_close(r);
	if (marks)
		*marks = others;
	return n;
}

static void no_room(void)
{
	struct rts_rig g;
	struct err err = {0};
	struct rts_status st;
	bool told;
	unsigned n, polls = 0;

	(void)signal(SIGXFSZ, SIG_IGN);
	rig_open(&g, NULL);
	rig_poll(&g, polls++);
	MUST(rig_flush(&g));
	limit(300000);
	do {
		rig_poll(&g, polls++);
	} while (rig_flush(&g) && polls < 5000);
	MUST(polls < 5000);
	st = rts_writer_status(g.w);
	MUST(st.failed && st.lost >= 1 && st.err.text[0]);
	for (unsigned i = 0; i < 10; i++)
		rig_poll(&g, polls++);
	MUST(!rig_flush(&g));
	MUST(rts_writer_status(g.w).lost == st.lost + 10);
	n = entries(g.path, &told, NULL);
	MUST(n + st.lost + 10 == polls && !told);
	/* There is room again: closing tries a last time, and says how much is missing. */
	limit(RLIM_INFINITY);
	MUST(!rts_writer_close(g.w, &err));
	MUST(strstr(err.text, "not recorded"));
	MUST(entries(g.path, &told, NULL) == n);
	MUST(told);
	rig_done(&g);
}

static void still_no_room(void)
{
	struct rts_rig g;
	struct err err = {0};
	bool told;
	unsigned polls = 0;

	(void)signal(SIGXFSZ, SIG_IGN);
	rig_open(&g, NULL);
	limit(300000);
	do {
		rig_poll(&g, polls++);
	} while (rig_flush(&g) && polls < 5000);
	MUST(!rts_writer_close(g.w, &err) && err.text[0]);
	MUST(entries(g.path, &told, NULL) < polls);
	limit(RLIM_INFINITY);
	rig_done(&g);
}

CASE(full_disk)
{
	apart(no_room);
	apart(still_no_room);
}

/* A file that was deleted: a new one is begun, and says that something is missing. */
CASE(file_is_deleted)
{
	struct rts_rig g;
	struct err err = {0};
	struct rts *r;
	bool told, all = false;

	rig_open(&g, NULL);
	rig_poll(&g, 0);
	assert_true(rig_flush(&g));
	rig_keyframe(&g, RIG_T0, true, 0);
	assert_int_equal(unlink(g.path), 0);
	rig_poll(&g, 1);
	assert_false(rig_flush(&g));
	assert_true(rts_writer_status(g.w).failed);
	assert_non_null(strstr(rts_writer_status(g.w).err.text, "deleted"));
	assert_false(rts_writer_wants_keyframe(g.w, &all));
	assert_false(rts_writer_close(g.w, &err));
	assert_int_equal(entries(g.path, &told, NULL), 0);
	assert_true(told);
	r = rts_open(g.path, &err);
	assert_non_null(r);
	rts_close(r);
	rig_done(&g);
}

CASE(directory_is_removed)
{
	struct rts_rig g;
	struct err err = {0};
	char names[16][256], path[600];
	size_t n;

	rig_open(&g, NULL);
	rig_poll(&g, 0);
	assert_true(rig_flush(&g));
	n = rig_files(&g, names);
	for (size_t i = 0; i < n; i++) {
		(void)str_printf(path, sizeof(path), "%s/%s", g.dir, names[i]);
		assert_int_equal(unlink(path), 0);
	}
	assert_int_equal(rmdir(g.dir), 0);
	rig_poll(&g, 1);
	assert_false(rig_flush(&g));
	assert_false(rts_writer_close(g.w, &err));
	assert_true(err.text[0] != '\0');
	assert_int_equal(mkdir(g.dir, 0700), 0);
	rig_done(&g);
}

struct gate {
	sem_t in, out;
};

static void stand_still(void *ctx, const struct err *e)
{
	struct gate *gate = ctx;

	(void)e;
	(void)sem_post(&gate->in);
	while (sem_wait(&gate->out) != 0)
		;
}

static void stop(struct rts_rig *g, struct gate *gate)
{
	(void)sem_init(&gate->in, 0, 0);
	(void)sem_init(&gate->out, 0, 0);
	rts_writer_flush(g->w, stand_still, gate);
	while (sem_wait(&gate->in) != 0)
		;
}

/* A disk that does not answer: adding does not block; lost entries are counted and reported. */
CASE(slow_disk)
{
	struct rts_writer_opts o = {.queue_bytes = 200000};
	struct rts_rig g;
	struct gate gate;
	static const char block[200000];
	struct entry mark = {.kind = ENTRY_MARK, .t_us = RIG_T0 + 500 * CLOCK_SEC, .text = "x"};
	struct err err = {0};
	uint64_t lost;
	unsigned marks;
	bool told;

	rig_open(&g, &o);
	stop(&g, &gate);
	for (unsigned i = 0; i < 100; i++)
		rig_poll(&g, i);
	rts_writer_add(g.w, &mark);
	lost = rts_writer_status(g.w).lost;
	assert_in_range(lost, 50, 99);
	rts_keyframe_begin(g.w, RIG_T0, true);
	assert_false(rts_keyframe_step(g.w, SECTION_MODEL, block, sizeof(block)));
	rts_keyframe_drop(g.w);
	(void)sem_post(&gate.out);
	assert_true(rig_flush(&g));
	rig_poll(&g, 100);
	assert_false(rts_writer_close(g.w, &err));
	assert_non_null(strstr(err.text, "too slow"));
	assert_int_equal(entries(g.path, &told, &marks), 101 - lost);
	assert_true(told);
	assert_int_equal(marks, 1);
	rig_done(&g);
}

/* Steps of half a megabyte that are taken, up to most. */
static unsigned steps_taken(struct rts_rig *g, unsigned most)
{
	static const char block[512 << 10];
	unsigned n = 0;

	while (n < most && rts_keyframe_step(g->w, SECTION_MODEL, block, sizeof(block)))
		n++;
	return n;
}

/* Of a keyframe some megabytes wait for the disk, of a large one a quarter, never all of it. */
CASE(keyframe_waits_in_pieces)
{
	enum { WHOLE = 128 };
	struct rts_rig g;
	struct gate gate;

	rig_open(&g, NULL);
	stop(&g, &gate);
	rts_keyframe_begin(g.w, RIG_T0, true);
	assert_in_range(steps_taken(&g, WHOLE), 4, 8);
	rts_keyframe_drop(g.w);
	(void)sem_post(&gate.out);
	rts_keyframe_begin(g.w, RIG_T0, true);
	for (unsigned n = 0; n < WHOLE; n += steps_taken(&g, WHOLE - n))
		assert_true(rig_flush(&g));
	rts_keyframe_end(g.w);
	stop(&g, &gate);
	rts_keyframe_begin(g.w, RIG_T0 + CLOCK_SEC, false);
	assert_in_range(steps_taken(&g, WHOLE), WHOLE / 4 - 2, WHOLE / 4);
	rts_keyframe_drop(g.w);
	(void)sem_post(&gate.out);
	rig_close_writer(&g);
	rig_done(&g);
}

/*
 * A disk that stands still when a keyframe is due: nothing is applied meanwhile, so it is given up,
 * and another one comes later.
 */
CASE(keyframe_gives_up_on_a_slow_disk)
{
	struct rts_writer_opts o = {.queue_bytes = 1};
	struct clock_fake clock;
	struct recorder *rec;
	struct rts_rig g;
	struct gate gate;
	struct model *m;
	struct diag *d = diag_new();
	struct rts *r;
	struct err err = {0};

	clock_fake_init(&clock, CLOCK_SEC);
	rig_open(&g, &o);
	m = model_new(&g.plan);
	rec = recorder_new(g.w, NULL);
	recorder_clock(rec, &clock.clock);
	stop(&g, &gate);
	recorder_judged(rec, RIG_T0);
	assert_true(recorder_due(rec));
	assert_false(recorder_work(rec, m, d, RIG_T0, CLOCK_SEC));
	clock.now += CLOCK_SEC;
	assert_false(recorder_work(rec, m, d, RIG_T0, CLOCK_SEC));
	clock.now += CLOCK_SEC;
	assert_true(recorder_work(rec, m, d, RIG_T0, CLOCK_SEC));
	assert_false(recorder_due(rec));
	(void)sem_post(&gate.out);
	assert_true(rig_flush(&g));
	assert_false(recorder_due(rec));
	clock.now += 30 * CLOCK_SEC;
	assert_true(recorder_due(rec));
	while (!recorder_work(rec, m, d, RIG_T0, CLOCK_SEC))
		assert_true(rig_flush(&g));
	recorder_free(rec);
	rig_close_writer(&g);
	r = rts_open(g.path, &err);
	assert_non_null(r);
	assert_true(rts_info(r)->keyframes == 1);
	rts_close(r);
	model_free(m);
	diag_free(d);
	rig_done(&g);
}

/* A reader keeps the file from being renamed: it goes on in the same one, and later in a new one.
 */
CASE(reader_delays_rotation)
{
	struct rts_writer_opts o = {.rotate_us = 10 * CLOCK_SEC};
	struct rts_rig g;
	struct err err = {0};
	struct rts *r;
	char names[16][256];
	bool all;

	rig_open(&g, &o);
	for (unsigned i = 0; i < 10; i++)
		rig_poll(&g, i);
	assert_true(rig_flush(&g));
	r = rts_open(g.path, &err);
	assert_non_null(r);
	assert_true(rts_writer_wants_keyframe(g.w, &all));
	assert_true(all);
	rig_keyframe(&g, RIG_T0 + 50 * CLOCK_SEC, true, 1);
	rig_poll(&g, 10);
	assert_true(rig_flush(&g));
	assert_true(rts_refresh(r, &err));
	assert_true(rts_info(r)->entries == 11);
	rts_close(r);
	assert_true(rts_writer_wants_keyframe(g.w, &all));
	rig_keyframe(&g, RIG_T0 + 55 * CLOCK_SEC, true, 2);
	rig_poll(&g, 11);
	rig_close_writer(&g);
	assert_int_equal(rig_files(&g, names), 2);
	r = rts_open(g.path, &err);
	assert_non_null(r);
	assert_true(rts_info(r)->entries == 1);
	rts_close(r);
	rig_done(&g);
}

/* A reader that stays open does not cost a whole keyframe with each commit. */
CASE(reader_who_stays)
{
	struct rts_writer_opts o = {.rotate_us = 10 * CLOCK_SEC};
	struct rts_rig g;
	struct err err = {0};
	struct rts *r;
	unsigned n = 0;
	bool all;

	rig_open(&g, &o);
	for (unsigned i = 0; i < 10; i++)
		rig_poll(&g, i);
	assert_true(rig_flush(&g));
	r = rts_open(g.path, &err);
	assert_non_null(r);
	for (; n < 10 && rts_writer_wants_keyframe(g.w, &all); n++) {
		rig_keyframe(&g, RIG_T0 + (int64_t)(10 + n) * 5 * CLOCK_SEC, true, n);
		rig_poll(&g, 10 + n);
		assert_true(rig_flush(&g));
	}
	assert_in_range(n, 3, 4);
	rts_close(r);
	rig_close_writer(&g);
	rig_done(&g);
}

CASES_MAIN(NULL, NULL)
