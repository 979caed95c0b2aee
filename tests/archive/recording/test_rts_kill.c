/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A writer that is killed while it writes: the file opens, has every entry that was committed
 * before, in order, and can be continued. FULL=1: a thousand times.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/archive/support/obs_make.h"
#include "tests/archive/support/rts_rig.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"

#define POLLS    400
#define KEYFRAME 23 /* polls between two */
#define FLUSH    3

/* Tells how many polls are committed. */
static void tell(int fd, unsigned n)
{
	if (write(fd, &n, sizeof(n)) != (ssize_t)sizeof(n))
		_exit(3);
}

static void child(struct rts_rig *g, int fd)
{
	struct err err = {0};

	g->w = rts_writer_open(&g->opts, &err);
	if (!g->w)
		_exit(2);
	tell(fd, 0);
	for (unsigned i = 0; i < POLLS; i++) {
		rig_poll(g, i);
		if (i % KEYFRAME == 0) {
			rts_keyframe_begin(
				g->w, RIG_T0 + (int64_t)i * 5 * CLOCK_SEC, i % (4 * KEYFRAME) == 0);
			for (unsigned s = 0; s < SECTION_COUNT; s++)
				(void)rts_keyframe_step(g->w, (enum rts_section)s, "bytes", 5);
			rts_keyframe_end(g->w);
		}
		if (i % 7 == 0)
			rts_writer_raw(g->w, "leaf-0", "fast", "show", RIG_T0, "said", 4);
		if (i % FLUSH == 0 && rig_flush(g))
			tell(fd, i + 1);
	}
	(void)rts_writer_close(g->w, &err);
	_exit(0);
}

/* Reads the child's reports up to a given number; then kills it, wherever it is. */
static unsigned kill_after(struct rts_rig *g, unsigned told, unsigned spin)
{
	unsigned n = 0, committed = 0;
	volatile unsigned idle = 0;
	int fds[2], status;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)close(fds[0]);
		child(g, fds[1]);
	}
	(void)close(fds[1]);
	for (unsigned i = 0; i <= told && read(fds[0], &n, sizeof(n)) == (ssize_t)sizeof(n); i++)
		committed = n;
	/* Not to wait for anything: so that the place is another one each time. */
	while (idle < spin)
		idle = idle + 1;
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
	while (read(fds[0], &n, sizeof(n)) == (ssize_t)sizeof(n))
		committed = n;
	(void)close(fds[0]);
	return committed;
}

static unsigned check(const struct rts_rig *g, unsigned committed)
{
	struct err err = {0};
	struct rts *r = rts_open(g->path, &err);
	struct rts_cursor *c;
	struct rts_keyframe k;
	struct entry e;
	unsigned n = 0;
	bool gap;

	if (!r)
		fail_msg("%s: %s", g->path, err.text);
	c = rts_cursor_new(r);
	while (rts_next(c, &e, &gap, &err)) {
		int64_t t = RIG_T0 + (int64_t)n * 5 * CLOCK_SEC;
		struct obs *o = obs_make_poll("leaf-0", 16, n, t);

		assert_false(gap);
		assert_true(e.t_us == t);
		obs_assert_equal(o, e.obs);
		obs_free(o);
		entry_free(&e);
		n++;
	}
	/* Every keyframe that is there is there as a whole. */
	if (rts_keyframe_at(r, INT64_MAX, &k)) {
		struct buf out;

		buf_init(&out, 100);
		for (unsigned s = 0; s < SECTION_COUNT; s++)
			assert_true(rts_keyframe_load(
				r, &k, (enum rts_section)s, 0, 0, &out, NULL, &err));
		assert_int_equal(out.len, 15);
		buf_free(&out);
	}
	rts_cursor_free(c);
	rts_close(r);
	if (n < committed)
		fail_msg("%u of %u committed polls are there", n, committed);
	return n;
}

CASE(killed_at_any_point)
{
	unsigned times = effort_full() ? 1000 : 25;
	struct dice d = {2026};

	for (unsigned i = 0; i < times; i++) {
		struct rts_rig g;
		struct err err = {0};
		unsigned committed, n;

		rig_prepare(&g, NULL);
		committed = kill_after(&g, dice_below(&d, 100), dice_below(&d, 3000000));
		n = check(&g, committed);
		/* Only one interval was not committed: one poll every five seconds, and one that
		 * waits. The child went on after its report, though: to its next flush. */
		assert_true(n <= POLLS);
		g.w = rts_writer_open(&g.opts, &err);
		if (!g.w)
			fail_msg("not continued: %s", err.text);
		rig_poll(&g, n);
		rig_close_writer(&g);
		assert_int_equal(check(&g, n + 1), n + 1);
		rig_done(&g);
	}
}

CASES_MAIN(NULL, NULL)
