/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/tui/demo.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/support/cases.h"

/* A child of a test leaves by _exit(), which would skip the look for leaks. */
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
static bool leaks(void)
{
	return __lsan_do_recoverable_leak_check() != 0;
}
#else
static bool leaks(void)
{
	return false;
}
#endif

static volatile sig_atomic_t resized;

static void on_winch(int number)
{
	(void)number;
	resized = 1;
}

static void say(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		_exit(DEMO_CRASHED);
}

bool demo_shell(void)
{
	char line[256];
	ssize_t n;

	say("$ ");
	n = read(STDIN_FILENO, line, sizeof(line));
	return n == 5 && memcmp(line, "done\n", 5) == 0;
}

static void take_keys(struct demo *d)
{
	int key;

	while ((key = term_key(d->term)) != -1) {
		d->keys++;
		d->last_key = key;
		d->due = true;
		if (key == 'q')
			d->quit = true;
		else if (d->key)
			d->key(d, key);
	}
}

static void draw(struct demo *d)
{
	if (!d->due || !term_begin(d->term))
		return;
	d->frames++;
	d->draw(d, region_screen(d->term));
	term_commit(d->term);
	d->due = false;
}

/*
 * Without a frame or a key there is nothing to tell. An answer of the terminal that comes after its
 * deadline wakes the program, and a line for that would pass for the answer to a later resize.
 */
static bool news(const struct demo *d)
{
	return d->frames != d->frames_told || d->keys != d->keys_told;
}

static void tell_idle(struct demo *d, int idle_fd)
{
	if (idle_fd < 0)
		return;
	d->frames_told = d->frames;
	d->keys_told = d->keys;
	(void)dprintf(idle_fd, "idle %d\n", d->keys);
}

static void sleep_until_input(struct demo *d, int idle_fd, const sigset_t *mask)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
	int64_t deadline = term_gate_deadline(d->term);
	struct timespec ts, *timeout = NULL;

	if (d->idle_always || (news(d) && !d->due && deadline == INT64_MAX))
		tell_idle(d, idle_fd);
	if (deadline != INT64_MAX) {
		int64_t left = deadline - clock_mono(&clock_system);

		left = left < 0 ? 0 : left;
		ts.tv_sec = left / CLOCK_SEC;
		ts.tv_nsec = left % CLOCK_SEC * 1000;
		timeout = &ts;
	}
	(void)ppoll(&p, 1, timeout, mask);
}

static void loop(struct demo *d, int idle_fd, const sigset_t *mask)
{
	d->due = true;
	while (!d->quit) {
		if (resized) {
			resized = 0;
			term_resize(d->term);
			d->due = true;
		}
		take_keys(d);
		if (d->quit)
			break;
		draw(d);
		if (d->leave_at_once)
			break;
		sleep_until_input(d, idle_fd, mask);
	}
}

int demo_run(void *ctx, int idle_fd)
{
	struct demo *d = ctx;
	struct sigaction action = {.sa_handler = on_winch};
	struct termios before, after;
	struct err err = {0};
	sigset_t block, mask;

	(void)sigemptyset(&block);
	(void)sigaddset(&block, SIGWINCH);
	(void)sigprocmask(SIG_BLOCK, &block, &mask);
	(void)sigaction(SIGWINCH, &action, NULL);
	memset(&before, 0, sizeof(before));
	memset(&after, 0, sizeof(after));
	(void)tcgetattr(STDIN_FILENO, &before);
	d->term = term_open(&d->opts, &err);
	if (!d->term) {
		char text[900];

		say(err_format(&err, text, sizeof(text)));
		return DEMO_NO_TERMINAL;
	}
	if (d->ask_ground)
		term_ask_background(d->term);
	loop(d, idle_fd, &mask);
	term_close(d->term);
	(void)tcgetattr(STDIN_FILENO, &after);
	if (memcmp(&before, &after, sizeof(before)) != 0)
		return DEMO_MODES_LEFT;
	if (leaks())
		return DEMO_LEAKED;
	return demo_shell() ? DEMO_FINE : DEMO_STRAY_INPUT;
}

struct vt *demo_start(struct demo *d, int rows, int cols, const char *term, const char *locale)
{
	struct vt_opts opts = {.rows = rows,
		.cols = cols,
		.term = term,
		.locale = locale,
		.idle = true,
		.own_stderr = true};

	return vt_spawn_fn(&opts, demo_run, d);
}

void demo_end(struct vt *vt)
{
	int row, col;

	vt_type(vt, "q");
	vt_wait_output(vt, "$ ");
	vt_type(vt, "done\n");
	assert_int_equal(vt_wait_exit(vt), DEMO_FINE);
	assert_false(vt_altscreen(vt));
	assert_true(vt_cursor(vt, &row, &col));
	vt_free(vt);
}
