/* SPDX-License-Identifier: Apache-2.0 */
#include "app/console/program_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/sandbox/outside.h"
#include "base/str.h"

#define LOOK_MS 50 /* the longest time until a stop is noticed */

struct program_run {
	uv_work_t work;
	void (*done)(void *ctx, const char *output, size_t len, const char *end);
	void *ctx;
	atomic_bool stop;
	char *words; /* of outside_words() */
	char *output;
	size_t len;
	bool cut; /* it printed more than is kept */
	char end[80];
};

/* Reads until the program closes its output; false: its time is over, or nobody wants it. */
static bool read_output(struct program_run *p, int fd, int64_t until_us)
{
	while (!atomic_load(&p->stop) && clock_mono(&clock_system) < until_us) {
		struct pollfd wait = {.fd = fd, .events = POLLIN};
		char drop[4096];
		bool full = p->len == PROGRAM_BYTES;
		ssize_t got;

		if (poll(&wait, 1, LOOK_MS) <= 0)
			continue;
		got = full ? read(fd, drop, sizeof(drop))
			   : read(fd, p->output + p->len, PROGRAM_BYTES - p->len);
		if (got == 0 || (got < 0 && errno != EINTR))
			return true;
		if (got > 0 && full)
			p->cut = true;
		else if (got > 0)
			p->len += (size_t)got;
	}
	return false;
}

static void say_end(struct program_run *p, enum outside_end end, int status)
{
	const char *cut = p->cut ? ", and printed more than is kept" : "";

	if (end == OUTSIDE_LATE)
		(void)str_printf(p->end, sizeof(p->end), "no end within %d s%s",
			(int)(PROGRAM_MOST_US / CLOCK_SEC), cut);
	else if (end == OUTSIDE_LOST)
		(void)str_printf(p->end, sizeof(p->end), "it did not start: %s", strerror(errno));
	else if (WIFSIGNALED(status))
		(void)str_printf(
			p->end, sizeof(p->end), "killed by signal %d%s", WTERMSIG(status), cut);
	else if (WEXITSTATUS(status))
		(void)str_printf(p->end, sizeof(p->end), "failed with status %d%s",
			WEXITSTATUS(status), cut);
	else
		(void)str_printf(p->end, sizeof(p->end), "ended well%s", cut);
}

static void run_on_worker(uv_work_t *work)
{
	struct program_run *p = work->data;
	struct outside_command c = {.shell = "/bin/sh",
		.text = p->words,
		.keep_errors = true,
		.most_us = PROGRAM_MOST_US};
	struct outside_running running;
	enum outside_end end = OUTSIDE_LOST;
	int fds[2], status = 0;

	if (pipe2(fds, O_CLOEXEC) != 0) {
		say_end(p, end, status);
		return;
	}
	c.output = fds[1];
	if (outside_begin(&c, &running)) {
		(void)close(fds[1]);
		fds[1] = -1;
		if (!read_output(p, fds[0], running.until_us))
			running.until_us = clock_mono(&clock_system);
		end = outside_wait(&running, &status);
	}
	say_end(p, end, status);
	if (fds[1] >= 0)
		(void)close(fds[1]);
	(void)close(fds[0]);
}

static void after_work(uv_work_t *work, int status)
{
	struct program_run *p = work->data;

	(void)status;
	if (!atomic_load(&p->stop))
		p->done(p->ctx, p->output, p->len, p->end);
	free(p->words);
	free(p->output);
	free(p);
}

struct program_run *program_run_start(uv_loop_t *loop, const char *const *argv, size_t n,
	void (*done)(void *ctx, const char *output, size_t len, const char *end), void *ctx,
	struct err *err)
{
	struct program_run *p;

	/* The process outside sees only that a start failed. */
	if (access(argv[0], X_OK) != 0) {
		err_system(err, ERR_CONFIG, argv[0], "it cannot be run", errno);
		return NULL;
	}
	p = mem_calloc(1, sizeof(*p));
	p->work.data = p;
	p->done = done;
	p->ctx = ctx;
	p->words = outside_words(argv, n);
	p->output = mem_alloc(PROGRAM_BYTES);
	(void)uv_queue_work(loop, &p->work, run_on_worker, after_work);
	return p;
}

void program_run_stop(struct program_run *p)
{
	if (p)
		atomic_store(&p->stop, true);
}
