/* SPDX-License-Identifier: Apache-2.0 */
/* Each case is a child: the clock and the signals belong to a process. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/session/shutdown_deadline.h"
#include "tests/support/cases.h"

enum { HEARD = 42, RESTORED = 'r' };

static volatile sig_atomic_t heard;
static int to_parent = -1;

static void on_term(int number)
{
	(void)number;
	heard = 1;
}

static void restore(void)
{
	const char c = RESTORED;
	ssize_t n = write(to_parent, &c, 1);

	(void)n;
}

static void watch(unsigned most_s, unsigned again_s)
{
	static const int signals[] = {SIGTERM};
	struct shutdown_deadline_opts o = {
		.most_s = most_s, .again_s = again_s, .restore = restore};

	(void)signal(SIGTERM, on_term);
	shutdown_deadline_watch(signals, 1, &o);
}

/* A main thread that hangs. */
static void hang(void)
{
	for (;;)
		(void)pause();
}

static void told_to_end_and_hangs(void)
{
	watch(1, 600);
	(void)raise(SIGTERM);
	(void)raise(SIGTERM);
	hang();
}

static void ends_by_itself_and_hangs(void)
{
	watch(1, 600);
	shutdown_deadline_begin();
	hang();
}

static void hears_the_first_signal(void)
{
	watch(600, 600);
	(void)raise(SIGTERM);
	_exit(heard ? HEARD : 0);
}

static void told_twice(void)
{
	watch(600, 1);
	(void)raise(SIGTERM);
	while (sleep(2) != 0)
		;
	(void)raise(SIGTERM);
	hang();
}

static void has_ended(void)
{
	watch(1, 600);
	shutdown_deadline_begin();
	shutdown_deadline_end();
	(void)sleep(2);
	_exit(HEARD);
}

static int status_of(void (*child)(void), char *restored)
{
	int fds[2], status = 0;
	pid_t pid;

	*restored = 0;
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		to_parent = fds[1];
		child();
		_exit(0);
	}
	(void)close(fds[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (read(fds[0], restored, 1) != 1)
		*restored = 0;
	(void)close(fds[0]);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

CASE(who_hangs_at_its_end_ends_all_the_same)
{
	char restored;

	assert_int_equal(status_of(told_to_end_and_hangs, &restored), 128 + SIGALRM);
	assert_int_equal(restored, RESTORED);
	assert_int_equal(status_of(ends_by_itself_and_hangs, &restored), 128 + SIGALRM);
	assert_int_equal(restored, RESTORED);
}

CASE(the_event_loop_hears_the_first)
{
	char restored;

	assert_int_equal(status_of(hears_the_first_signal, &restored), HEARD);
	assert_int_equal(restored, 0);
}

CASE(a_later_signal_ends_at_once)
{
	char restored;

	assert_int_equal(status_of(told_twice, &restored), 128 + SIGTERM);
	assert_int_equal(restored, RESTORED);
}

CASE(an_end_that_is_over_has_no_clock)
{
	char restored;

	assert_int_equal(status_of(has_ended, &restored), HEARD);
}

static void held_and_hangs(void)
{
	watch(1, 1);
	shutdown_deadline_hold(true);
	(void)raise(SIGTERM);
	(void)sleep(1);
	(void)sleep(2);
	(void)raise(SIGTERM); /* neither this nor the clock ends it */
	_exit(HEARD);
}

CASE(a_change_of_a_device_is_not_cut_off)
{
	char restored;

	assert_int_equal(status_of(held_and_hangs, &restored), HEARD);
	assert_int_equal(restored, 0);
}

CASES_MAIN(NULL, NULL)
