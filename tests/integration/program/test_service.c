/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process/service_notify.h"
#include "base/str.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/integration/support/scratch.h"

/* What a supervisor hears: the test is the other end of NOTIFY_SOCKET, as systemd is. */

enum { PATIENCE_MS = 60000 };

struct supervisor {
	struct scratch scratch;
	int fd;
	pid_t pid;
	char heard[8192];
};

static void listen_at(struct supervisor *s, const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	size_t n = strlen(path);

	memcpy(at.sun_path, path, n);
	if (*path == '@')
		at.sun_path[0] = '\0';
	s->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_true(s->fd >= 0);
	assert_int_equal(bind(s->fd, (struct sockaddr *)&at,
				 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n)),
		0);
}

static int setup(void **state)
{
	struct supervisor *s = calloc(1, sizeof(*s));

	*state = s;
	scratch_open(&s->scratch);
	/* Nobody listens there. */
	scratch_write(&s->scratch, "fabric.yaml",
		"fabric: t\nswitches: [{names: leaf-1, address: 127.0.0.1, port: 1, dialect: "
		"sonic, tier: leaf}]\n");
	listen_at(s, scratch_path(&s->scratch, "notify"));
	return 0;
}

static int teardown(void **state)
{
	struct supervisor *s = *state;

	if (s->pid > 0) {
		(void)kill(s->pid, SIGKILL);
		(void)waitpid(s->pid, NULL, 0);
	}
	(void)close(s->fd);
	scratch_close(&s->scratch);
	free(s);
	return 0;
}

static unsigned count(const struct supervisor *s, const char *line)
{
	unsigned n = 0;

	for (const char *at = s->heard; (at = strstr(at, line)); at++)
		n++;
	return n;
}

/* Reads until the line was heard so often. */
static void wait_for(struct supervisor *s, const char *line, unsigned times)
{
	int64_t until = clock_mono(&clock_system) / 1000 + PATIENCE_MS;

	while (count(s, line) < times) {
		struct pollfd p = {.fd = s->fd, .events = POLLIN};
		int64_t left = until - clock_mono(&clock_system) / 1000;
		size_t n = strlen(s->heard);
		ssize_t got;

		if (left <= 0 || poll(&p, 1, (int)left) != 1)
			fail_msg("%s was heard %u times of %u: %s", line, count(s, line), times,
				s->heard);
		got = recv(s->fd, s->heard + n, sizeof(s->heard) - n - 1, 0);
		assert_true(got > 0);
		s->heard[n + (size_t)got] = '\0';
	}
}

static void start(struct supervisor *s, const char *const argv[], const char *us)
{
	char program[256];

	(void)built_path("railtop", program, sizeof(program));
	s->pid = fork();
	if (s->pid == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		(void)setenv("NOTIFY_SOCKET", scratch_path(&s->scratch, "notify"), 1);
		(void)setenv("WATCHDOG_USEC", us, 1);
		(void)dup2(null, 0);
		(void)dup2(null, 1);
		(void)dup2(null, 2);
		(void)execv(program, (char *const *)(uintptr_t)argv);
		_exit(127);
	}
}

static void ends_well(struct supervisor *s)
{
	int status;

	assert_int_equal(kill(s->pid, SIGTERM), 0);
	wait_for(s, "STOPPING=1\n", 1);
	assert_int_equal(waitpid(s->pid, &status, 0), s->pid);
	s->pid = 0;
	assert_true(WIFEXITED(status));
}

CASE_WITH(a_recording_is_a_service, setup, teardown)
{
	struct supervisor *s = *state;
	char file[200];
	const char *const argv[] = {"railtop", "record", "-f", NULL, "-o", file, NULL};
	const char *all[7];
	char inventory[200];

	(void)str_copy(file, sizeof(file), scratch_path(&s->scratch, "shift.rts"));
	(void)str_copy(inventory, sizeof(inventory), scratch_path(&s->scratch, "fabric.yaml"));
	memcpy(all, argv, sizeof(argv));
	all[3] = inventory;
	start(s, all, "1000000");
	wait_for(s, "READY=1\n", 1);
	wait_for(s, "WATCHDOG=1\n", 3);
	wait_for(s, "STATUS=recording: ", 1);
	ends_well(s);
	assert_int_equal(count(s, "READY=1\n"), 1);
}

CASE_WITH(an_exporter_is_ready_when_it_listens, setup, teardown)
{
	struct supervisor *s = *state;
	char inventory[200];
	const char *const argv[] = {
		"railtop", "export", "-f", inventory, "--listen", "127.0.0.1:0", NULL};

	(void)str_copy(inventory, sizeof(inventory), scratch_path(&s->scratch, "fabric.yaml"));
	start(s, argv, "1000000");
	wait_for(s, "READY=1\n", 1);
	wait_for(s, "WATCHDOG=1\n", 3);
	wait_for(s, "STATUS=", 1);
	ends_well(s);
}

/* It watches before a device has answered: that one cannot be read is a finding too. */
CASE_WITH(a_watch_is_ready_at_once_and_says_how_its_receivers_are, setup, teardown)
{
	struct supervisor *s = *state;
	char inventory[200];
	const char *const argv[] = {"railtop", "watch", "-f", inventory, NULL};

	(void)setenv("XDG_STATE_HOME", s->scratch.dir, 1);
	scratch_write(&s->scratch, "fabric.yaml",
		"fabric: t\nswitches: [{names: leaf-1, address: 127.0.0.1, port: 1, dialect: "
		"sonic, tier: leaf}]\nnotify: {to: [{kind: command, argv: [/bin/true]}]}\n");
	(void)str_copy(inventory, sizeof(inventory), scratch_path(&s->scratch, "fabric.yaml"));
	start(s, argv, "1000000");
	wait_for(s, "READY=1\n", 1);
	wait_for(s, "WATCHDOG=1\n", 3);
	wait_for(s, "STATUS=1 receiver, 0 not reached", 1);
	ends_well(s);
}

/* A stopped loop is what the watchdog is for: then there is no sign of life. */
CASE_WITH(a_stopped_program_is_silent, setup, teardown)
{
	struct supervisor *s = *state;
	char inventory[200];
	const char *const argv[] = {
		"railtop", "export", "-f", inventory, "--listen", "127.0.0.1:0", NULL};
	struct pollfd p = {.fd = s->fd, .events = POLLIN};
	char old[4096];

	(void)str_copy(inventory, sizeof(inventory), scratch_path(&s->scratch, "fabric.yaml"));
	start(s, argv, "400000");
	wait_for(s, "WATCHDOG=1\n", 1);
	assert_int_equal(kill(s->pid, SIGSTOP), 0);
	assert_int_equal(waitpid(s->pid, NULL, WUNTRACED), s->pid);
	while (recv(s->fd, old, sizeof(old), MSG_DONTWAIT) > 0)
		;
	assert_int_equal(poll(&p, 1, 1000), 0);
	assert_int_equal(kill(s->pid, SIGCONT), 0);
	s->heard[0] = '\0';
	wait_for(s, "WATCHDOG=1\n", 2);
	ends_well(s);
}

/* ---- the words themselves ---- */

CASE_WITH(each_word_is_a_datagram, setup, teardown)
{
	struct supervisor *s = *state;
	struct service_notify n;

	(void)setenv("NOTIFY_SOCKET", scratch_path(&s->scratch, "notify"), 1);
	(void)setenv("WATCHDOG_USEC", "3000000", 1);
	(void)setenv("WATCHDOG_PID", "1", 1); /* of another process */
	service_notify_open(&n);
	assert_null(getenv("NOTIFY_SOCKET"));
	assert_null(getenv("WATCHDOG_USEC"));
	assert_int_equal(n.watchdog_us, 0);
	service_notify_ready(&n);
	service_notify_ready(&n);
	service_notify_alive(&n, 10 * CLOCK_SEC, "44 fresh");
	service_notify_alive(&n, 11 * CLOCK_SEC, "43 fresh"); /* too soon */
	service_notify_alive(&n, 16 * CLOCK_SEC, "43 fresh");
	service_notify_alive(&n, 26 * CLOCK_SEC, "43 fresh"); /* the same */
	service_notify_close(&n);
	service_notify_close(&n);
	wait_for(s, "STOPPING=1\n", 1);
	assert_string_equal(s->heard, "READY=1\nSTATUS=44 fresh\nSTATUS=43 fresh\nSTOPPING=1\n");
}

CASE_WITH(without_a_supervisor_nothing_is_said, setup, teardown)
{
	static const char *const names[] = {NULL, "", "@", "relative", "/nowhere/at/all"};
	struct service_notify n;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i])
			(void)setenv("NOTIFY_SOCKET", names[i], 1);
		service_notify_open(&n);
		assert_int_equal(n.fd, -1);
		service_notify_ready(&n);
		service_notify_alive(&n, CLOCK_SEC, "x");
		service_notify_close(&n);
	}
}

CASE_WITH(an_abstract_name_works, setup, teardown)
{
	struct supervisor *s = *state;
	struct service_notify n;
	char name[64];

	(void)close(s->fd);
	(void)str_printf(name, sizeof(name), "@railtop-notify-%d", (int)getpid());
	listen_at(s, name);
	(void)setenv("NOTIFY_SOCKET", name, 1);
	service_notify_open(&n);
	service_notify_ready(&n);
	wait_for(s, "READY=1\n", 1);
	service_notify_close(&n);
}

CASES_MAIN(NULL, NULL)
