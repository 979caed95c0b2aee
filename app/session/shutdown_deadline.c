/* SPDX-License-Identifier: Apache-2.0 */
#include "app/session/shutdown_deadline.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WATCHED_MOST 4
#define HOLD_MOST_S  (15 * 60)

/* Static: a signal handler gets no context. */
static struct {
	int signals[WATCHED_MOST];
	void (*next[WATCHED_MOST])(int); /* the event loop's handler */
	size_t n;
	struct shutdown_deadline_opts opts;
	atomic_bool begun, held;
	atomic_llong since_s;
	atomic_uint waited_s; /* time waited beyond the limit because of shutdown_deadline_hold() */
} leaving;

static long long now_s(void)
{
	struct timespec t = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (long long)t.tv_sec;
}

static void start_clock(void)
{
	if (atomic_exchange(&leaving.begun, true))
		return;
	atomic_store(&leaving.since_s, now_s());
	(void)alarm(leaving.opts.most_s);
}

/* All calls here are safe in a signal handler. */
static void end_now(int number)
{
	static const char text[] = "railtop: shutdown took too long and was cut short; a recording "
				   "may miss its last seconds\n";
	int flags;

	if (leaving.opts.restore)
		leaving.opts.restore();
	/* The terminal may be the part that hangs. */
	flags = fcntl(STDERR_FILENO, F_GETFL);
	if (flags >= 0 && fcntl(STDERR_FILENO, F_SETFL, flags | O_NONBLOCK) == 0) {
		ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);

		(void)n;
		(void)fcntl(STDERR_FILENO, F_SETFL, flags);
	}
	_exit(128 + number);
}

static void on_alarm(int number)
{
	if (atomic_load(&leaving.held) && atomic_load(&leaving.waited_s) < HOLD_MOST_S) {
		atomic_fetch_add(&leaving.waited_s, leaving.opts.most_s);
		(void)alarm(leaving.opts.most_s);
		return;
	}
	end_now(number);
}

static void on_signal(int number)
{
	int saved = errno;

	if (atomic_load(&leaving.begun) && !atomic_load(&leaving.held) &&
		now_s() - atomic_load(&leaving.since_s) >= (long long)leaving.opts.again_s)
		end_now(number);
	start_clock();
	for (size_t i = 0; i < leaving.n; i++)
		if (leaving.signals[i] == number && leaving.next[i])
			leaving.next[i](number);
	errno = saved;
}

static void set_handler(int number, void (*handler)(int), void (**before)(int))
{
	struct sigaction now = {.sa_handler = handler, .sa_flags = SA_RESTART}, was;

	(void)sigfillset(&now.sa_mask);
	if (sigaction(number, &now, &was) == 0 && before)
		*before = was.sa_handler == SIG_DFL || was.sa_handler == SIG_IGN ? NULL
										 : was.sa_handler;
}

void shutdown_deadline_watch(const int *signals, size_t n, const struct shutdown_deadline_opts *o)
{
	memset(&leaving, 0, sizeof(leaving));
	leaving.opts = *o;
	if (!leaving.opts.most_s)
		leaving.opts.most_s = LEAVE_MOST_S;
	if (!leaving.opts.again_s)
		leaving.opts.again_s = LEAVE_AGAIN_S;
	set_handler(SIGALRM, on_alarm, NULL);
	for (size_t i = 0; i < n && i < WATCHED_MOST; i++) {
		leaving.signals[i] = signals[i];
		leaving.n = i + 1;
		set_handler(signals[i], on_signal, &leaving.next[i]);
	}
}

void shutdown_deadline_begin(void)
{
	for (size_t i = 0; i < leaving.n; i++) {
		leaving.next[i] = NULL;
		set_handler(leaving.signals[i], on_signal, NULL);
	}
	if (leaving.n)
		start_clock();
}

void shutdown_deadline_hold(bool on)
{
	atomic_store(&leaving.held, on);
}

void shutdown_deadline_end(void)
{
	(void)alarm(0);
	for (size_t i = 0; i < leaving.n; i++)
		(void)signal(leaving.signals[i], SIG_DFL);
	(void)signal(SIGALRM, SIG_DFL);
	leaving.n = 0;
}
