/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/ssh/sshd.h"
#include "tests/support/cases.h"
#include "tests/support/slot.h"

#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void sshd_keys(struct scratch *s)
{
	scratch_run(s, "ssh-keygen -q -t ed25519 -N '' -f host_key");
	scratch_run(s, "ssh-keygen -q -t ed25519 -N '' -f other_host_key");
	scratch_run(s, "ssh-keygen -q -t ed25519 -N '' -f user_key");
	scratch_run(s, "ssh-keygen -q -t ed25519 -N '' -f other_key");
	scratch_run(s, "ssh-keygen -q -t ed25519 -N secret -f locked_key");
	scratch_run(s, "ssh-keygen -q -t rsa -b 3072 -N '' -f rsa_key");
	scratch_run(s, "cat user_key.pub rsa_key.pub > authorized_keys");
}

void sshd_write_known_hosts(const struct sshd *d)
{
	scratch_run(d->scratch,
		"printf '[127.0.0.1]:%u %%s\\n' \"$(cut -d' ' -f1,2 host_key.pub)\""
		" > known_hosts",
		d->port);
}

static void write_config(struct sshd *d, const char *extra)
{
	char text[2048];

	(void)snprintf(text, sizeof(text),
		"ListenAddress 127.0.0.1\nPort %u\nHostKey %s\nAuthorizedKeysFile %s\n"
		"PidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\n"
		"PermitRootLogin prohibit-password\nMaxStartups 1000\nPrintMotd no\n"
		/* bash then takes itself for a sub-shell and leaves the user's start-up files
		 * alone: a heavy .bashrc, run for every command, would measure that and not us. */
		"SetEnv SHLVL=2\n%s\n",
		d->port, scratch_path(d->scratch, "host_key"),
		scratch_path(d->scratch, "authorized_keys"), extra);
	scratch_write(d->scratch, "sshd_config", text);
	sshd_write_known_hosts(d);
}

/* Its own words are the condition; a deadline in case they never come. */
static void await_listening(struct sshd *d)
{
	char text[4096] = "";
	size_t n = 0;
	ssize_t got;
	int64_t until = now_ms() + 10000;

	while (!strstr(text, "Server listening") && n < sizeof(text) - 1) {
		got = read(d->log, text + n, sizeof(text) - 1 - n);
		assert_true(got >= 0);
		n += (size_t)got;
		text[n] = '\0';
		if (now_ms() > until)
			fail_msg("sshd does not listen: %s", text);
		if (!got)
			(void)poll(NULL, 0, 2);
	}
}

static void spawn(struct sshd *d)
{
	posix_spawn_file_actions_t actions;
	char config[300], log[320];
	char *argv[] = {"/usr/sbin/sshd", "-D", "-e", "-f", config, NULL};

	(void)snprintf(config, sizeof(config), "%s", scratch_path(d->scratch, "sshd_config"));
	/* A file: a pipe that nobody empties stops the server after some hundred sessions. */
	(void)snprintf(log, sizeof(log), "%s.%u.log", config, d->port);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	/* A reader of the test's output must not wait for its servers. */
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(
		&actions, 2, log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
	assert_int_equal(posix_spawn(&d->pid, argv[0], &actions, NULL, argv, environ), 0);
	posix_spawn_file_actions_destroy(&actions);
	d->log = open(log, O_RDONLY | O_CLOEXEC);
	assert_true(d->log >= 0);
}

void sshd_start(struct sshd *d, struct scratch *s, unsigned port, const char *extra)
{
	struct passwd *pw = getpwuid(getuid());

	memset(d, 0, sizeof(*d));
	d->scratch = s;
	d->port = port ? port : slot_port();
	assert_non_null(pw);
	(void)snprintf(d->user, sizeof(d->user), "%s", pw->pw_name);
	if (getuid() == 0)
		(void)mkdir("/run/sshd", 0755); /* as the package's service does */
	write_config(d, extra);
	spawn(d);
	await_listening(d);
}

void sshd_stop(struct sshd *d)
{
	if (d->pid <= 0)
		return;
	(void)kill(d->pid, SIGTERM);
	(void)waitpid(d->pid, NULL, 0);
	(void)close(d->log);
	d->pid = 0;
}

void sshd_begin(struct sshd *d, struct scratch *s)
{
	scratch_open(s);
	sshd_keys(s);
	setenv("HOME", s->dir, 1);
	unsetenv("SSH_AUTH_SOCK");
	sshd_start(d, s, 0, "");
}

void sshd_end(struct sshd *d)
{
	struct scratch *s = d->scratch;

	sshd_stop(d);
	scratch_close(s);
}
