/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a console ends where others hang: devices and a metrics engine that take a connection and
 * never say a word, and a terminal that takes nothing.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/session/shutdown_deadline.h"
#include "tests/integration/support/lab.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"

/* The time that a busy machine may take beside the bounds of the threads (5 s). */
enum { BOUND_S = 40, ROWS = 50, COLS = 200, TURNS_MOST = 2000, DEAF_MS = 3000 };

struct end {
	char dir[64], inventory[128], recording[128];
	int silent; /* listens, and accepts nothing */
	int master, idle;
	pid_t pid;
};

static unsigned listen_silently(struct end *e)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof(at);

	e->silent = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(e->silent >= 0);
	assert_int_equal(bind(e->silent, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(e->silent, 512), 0);
	assert_int_equal(getsockname(e->silent, (struct sockaddr *)&at, &n), 0);
	return ntohs(at.sin_port);
}

static void write_inventory(struct end *e, bool engine)
{
	unsigned port = listen_silently(e);
	FILE *f;

	(void)snprintf(e->dir, sizeof(e->dir), "/tmp/railtop-end-XXXXXX");
	assert_non_null(mkdtemp(e->dir));
	(void)snprintf(e->inventory, sizeof(e->inventory), "%s/fabric.yaml", e->dir);
	(void)snprintf(e->recording, sizeof(e->recording), "%s/shift.rts", e->dir);
	f = fopen(e->inventory, "we");
	assert_non_null(f);
	if (engine)
		(void)fprintf(f,
			"fabric: end\nengine: {url: \"http://127.0.0.1:%u\"}\n"
			"hosts:\n  - {source: engine, names: \"node[001-040]\"}\n",
			port);
	else
		(void)fprintf(f,
			"fabric: end\nhosts:\n  - {transport: ssh, port: %u, dialect: linux, "
			"names: \"node[001-040]\", address: 127.0.0.1}\n",
			port);
	assert_int_equal(fclose(f), 0);
}

static void start(struct end *e)
{
	struct winsize size = {.ws_row = ROWS, .ws_col = COLS};
	char program[256], number[16];
	int idle[2];

	(void)built_path("railtop", program, sizeof(program));
	assert_int_equal(pipe(idle), 0);
	e->pid = forkpty(&e->master, NULL, NULL, &size);
	assert_true(e->pid >= 0);
	if (e->pid == 0) {
		(void)close(idle[0]);
		(void)setenv("TERM", "xterm-256color", 1);
		(void)setenv("XDG_STATE_HOME", e->dir, 1);
		(void)setenv("XDG_CONFIG_HOME", e->dir, 1);
		(void)snprintf(number, sizeof(number), "%d", idle[1]);
		(void)execl(program, program, "-f", e->inventory, "--record", e->recording,
			"--idle-fd", number, (char *)NULL);
		_exit(127);
	}
	(void)close(idle[1]);
	e->idle = idle[0];
}

/* Whether it settles within so many ms; its output stays unread. */
static bool settles(const struct end *e, int ms)
{
	struct pollfd p = {.fd = e->idle, .events = POLLIN};
	char bytes[4096];

	return poll(&p, 1, ms) > 0 && read(e->idle, bytes, sizeof(bytes)) > 0;
}

static void answer_gate(const struct end *e)
{
	assert_int_equal(write(e->master, "\033[0n", 4), 4);
}

/* All of the first frame is taken, and answered for. */
static void first_frame(const struct end *e)
{
	for (int ms = 0; ms < BOUND_S * 1000; ms += 20) {
		struct pollfd p = {.fd = e->master, .events = POLLIN};
		char bytes[4096];

		while (poll(&p, 1, 0) > 0 && read(e->master, bytes, sizeof(bytes)) > 0)
			answer_gate(e);
		if (settles(e, 20))
			return;
	}
	fail_msg("no first frame");
}

/* Its exit status, -1: it goes on. */
static int status_within(const struct end *e, int seconds)
{
	int status = 0;

	for (int i = 0; i < seconds * 20; i++) {
		if (waitpid(e->pid, &status, WNOHANG) == e->pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		(void)poll(NULL, 0, 50);
	}
	return -1;
}

static void finish(struct end *e)
{
	char command[128];

	if (status_within(e, 0) == -1 && kill(e->pid, 0) == 0)
		(void)kill(e->pid, SIGKILL);
	if (e->master >= 0)
		(void)close(e->master);
	(void)close(e->idle);
	(void)close(e->silent);
	(void)snprintf(command, sizeof(command), "rm -rf -- %s", e->dir);
	assert_int_not_equal(system(command), -1);
}

CASE(ends_while_devices_are_silent)
{
	struct end e;

	for (int engine = 0; engine < 2; engine++) {
		write_inventory(&e, engine);
		start(&e);
		first_frame(&e);
		assert_int_equal(kill(e.pid, SIGTERM), 0);
		assert_int_equal(status_within(&e, BOUND_S), 0);
		finish(&e);
	}
}

CASE(ends_with_its_terminal)
{
	struct end e;

	for (int engine = 0; engine < 2; engine++) {
		write_inventory(&e, engine);
		start(&e);
		first_frame(&e);
		(void)close(e.master);
		e.master = -1;
		assert_int_equal(status_within(&e, BOUND_S), 0);
		finish(&e);
	}
}

/* Redraws, and answers for it unseen. */
static bool redraws(const struct end *e)
{
	assert_int_equal(write(e->master, "\f", 1), 1);
	for (int ms = 0; ms < DEAF_MS; ms += 20) {
		answer_gate(e);
		if (settles(e, 20))
			return true;
	}
	return false;
}

/* Until its output finds no room: then it does not settle any more. */
static void fill(const struct end *e)
{
	int i = 0;

	while (i < TURNS_MOST && redraws(e))
		i++;
	assert_in_range(i, 1, TURNS_MOST - 1);
}

/* A recording that was ended is one plain file. */
static bool is_recorded(const struct end *e)
{
	char log[160], unfinished[160];

	(void)snprintf(log, sizeof(log), "%s-wal", e->recording);
	(void)snprintf(unfinished, sizeof(unfinished), "%s.new", e->recording);
	return access(e->recording, F_OK) == 0 && access(log, F_OK) != 0 &&
	       access(unfinished, F_OK) != 0;
}

static bool is_recorded_within(const struct end *e, int seconds)
{
	for (int i = 0; i < seconds * 20 && !is_recorded(e); i++)
		(void)poll(NULL, 0, 50);
	return is_recorded(e);
}

/* Frames wait for the terminal, and nothing else does: it hears that it ends, and records. */
CASE(ends_where_the_terminal_takes_nothing)
{
	struct end e;

	write_inventory(&e, false);
	start(&e);
	first_frame(&e);
	fill(&e);
	assert_false(is_recorded(&e));
	assert_int_equal(kill(e.pid, SIGTERM), 0);
	assert_true(is_recorded_within(&e, BOUND_S));
	/* The program waits for the write that restores the terminal. */
	assert_int_equal(status_within(&e, LEAVE_AGAIN_S + 1), -1);
	assert_int_equal(kill(e.pid, SIGTERM), 0);
	assert_int_equal(status_within(&e, BOUND_S), 128 + SIGTERM);
	finish(&e);
}

CASE(goes_on_when_the_terminal_takes_again)
{
	struct end e;

	write_inventory(&e, false);
	start(&e);
	first_frame(&e);
	fill(&e);
	first_frame(&e);
	assert_true(redraws(&e));
	assert_int_equal(kill(e.pid, SIGTERM), 0);
	assert_int_equal(status_within(&e, BOUND_S), 0);
	finish(&e);
}

CASES_MAIN(NULL, NULL)
