/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/transport/credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/contract/target.h"
#include "backends/transport/descriptors.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/regular_file.h"
#include "base/str.h"
#include "base/vec.h"

#define SECRET_CAP      4096
#define COMMAND_TIME_US (10 * CLOCK_SEC)

struct batch_backlog {
	char *reference;
	struct credential value;
};

struct credentials {
	VEC(struct batch_backlog *) held; /* pointers: results of credentials_get() must not move */
};

/* The secret of a reference, in memory that is always wiped. */
struct secret {
	char text[SECRET_CAP + 1];
	size_t len;
};

static void wipe_free(char *s)
{
	if (s)
		explicit_bzero(s, strlen(s));
	free(s);
}

struct credentials *credentials_new(void)
{
	return mem_calloc(1, sizeof(struct credentials));
}

void credentials_free(struct credentials *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->held.n; i++) {
		wipe_free(c->held.at[i]->value.userpwd);
		wipe_free(c->held.at[i]->value.token);
		free(c->held.at[i]->value.netrc);
		free(c->held.at[i]->reference);
		free(c->held.at[i]);
	}
	vec_free(&c->held);
	free(c);
}

/* ---- sources of secrets ---- */

static bool secret_from_env(
	const char *name, struct secret *out, const char *origin, struct err *err)
{
	const char *value = getenv(name);

	if (!value) {
		err_set(err, ERR_CONFIG, origin, "credentials env:%s: the variable is not set",
			name);
		return err_cure(err, "export %s=user:password", name);
	}
	if (!str_copy(out->text, sizeof(out->text), value))
		return err_set(err, ERR_CONFIG, origin, "credentials env:%s: longer than %d bytes",
			name, SECRET_CAP);
	out->len = strlen(out->text);
	return true;
}

/* Opens a file that only its owner may read; returns -1 with err otherwise. */
static int open_private(const char *kind, const char *path, const char *origin, struct err *err)
{
	int fd = regular_file_open(path);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0) {
		err_set(err, ERR_CONFIG, origin, "credentials %s:%s: %s", kind, path,
			regular_file_why());
		if (fd >= 0)
			(void)close(fd);
		return -1;
	}
	if (!(st.st_mode & (S_IRGRP | S_IROTH)))
		return fd;
	(void)close(fd);
	err_set(err, ERR_CONFIG, origin, "credentials %s:%s: others can read this file", kind,
		path);
	err_cure(err, "chmod 600 %s", path);
	return -1;
}

/* Reads once; false at the end, on an error, and when there is no more room. */
static bool read_some(int fd, struct secret *out)
{
	ssize_t n = read(fd, out->text + out->len, sizeof(out->text) - out->len);

	if (n < 0 && errno == EINTR)
		return true;
	if (n <= 0)
		return false;
	out->len += (size_t)n;
	return out->len < sizeof(out->text);
}

static bool secret_from_file(
	const char *path, struct secret *out, const char *origin, struct err *err)
{
	int fd = open_private("file", path, origin, err);

	if (fd < 0)
		return false;
	while (read_some(fd, out))
		;
	(void)close(fd);
	return true;
}

/* Restores the limit of open files with which the program was started. */
#define UNDER_LIMIT "ulimit -S -n \"$0\" 2>/dev/null; exec /bin/sh -c \"$1\""

static pid_t spawn_shell(const char *command, int output)
{
	unsigned long long before = descriptors_before();
	char *copy = mem_strdup(command), limit[32];
	char *plain[] = {"sh", "-c", copy, NULL};
	char *limited[] = {"sh", "-c", UNDER_LIMIT, limit, copy, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	pid_t pid = -1;
	int rc;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, output, 1);
	/* Its messages must not disturb the console's terminal. */
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
	(void)str_printf(limit, sizeof(limit), "%llu", before);
	rc = posix_spawn(&pid, "/bin/sh", &actions, &attr, before ? limited : plain, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	free(copy);
	errno = rc;
	return rc ? -1 : pid;
}

/* False: the time is over. */
static bool await_readable(int fd, int64_t until)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int64_t left = until - clock_mono(&clock_system);

	return left > 0 && poll(&p, 1, (int)(left / CLOCK_MSEC) + 1) != 0;
}

/* Reads until the end of the output and of the process, and closes fd; false: timeout. */
static bool read_command(int fd, pid_t pid, struct secret *out)
{
	int64_t until = clock_mono(&clock_system) + COMMAND_TIME_US;
	bool ended;
	int process;

	do {
		ended = await_readable(fd, until);
	} while (ended && read_some(fd, out));
	(void)close(fd); /* so that a command with endless output ends */
	if (!ended)
		return false;
	process = pidfd_open(pid, 0);
	ended = process < 0 || await_readable(process, until);
	if (process >= 0)
		(void)close(process);
	return ended;
}

/* The words after a command's name may have the secret itself: they are not shown. */
static const char *shown_reference(const char *reference, char *dst, size_t size)
{
	size_t n = strcspn(reference, " \t");

	(void)str_printf(dst, size, "%.*s%s", (int)n, reference, reference[n] ? " ..." : "");
	return dst;
}

static bool secret_from_command(const char *command, const char *reference, struct secret *out,
	const char *origin, struct err *err)
{
	char shown[128];
	int fds[2], status = 0;
	bool in_time;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) != 0)
		return err_set(err, ERR_IO, origin, "no pipe: %s", strerror(errno));
	(void)shown_reference(reference, shown, sizeof(shown));
	pid = spawn_shell(command, fds[1]);
	(void)close(fds[1]);
	if (pid < 0) {
		(void)close(fds[0]);
		return err_set(err, ERR_IO, origin, "credentials command: %s", strerror(errno));
	}
	in_time = read_command(fds[0], pid, out);
	if (!in_time)
		(void)kill(-pid, SIGKILL); /* the process group of our child */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!in_time)
		return err_set(err, ERR_CONFIG, origin, "credentials %s: no result within %d s",
			shown, (int)(COMMAND_TIME_US / CLOCK_SEC));
	if (!WIFEXITED(status)) {
		err_set(err, ERR_CONFIG, origin, "credentials %s: killed by signal %d", shown,
			WTERMSIG(status));
		return err_cure(err, "run it by hand; it must print user:password");
	}
	if (WEXITSTATUS(status) != 0) {
		err_set(err, ERR_CONFIG, origin, "credentials %s: failed with status %d", shown,
			WEXITSTATUS(status));
		return err_cure(err, "run it by hand; it must print user:password");
	}
	return true;
}

/* ---- format checks ---- */

static bool secret_accept(
	struct secret *s, const char *reference, const char *origin, struct err *err)
{
	while (s->len && (s->text[s->len - 1] == '\n' || s->text[s->len - 1] == '\r'))
		s->len--;
	if (s->len > SECRET_CAP)
		return err_set(err, ERR_CONFIG, origin, "credentials %s: longer than %d bytes",
			reference, SECRET_CAP);
	s->text[s->len] = '\0';
	for (size_t i = 0; i < s->len; i++)
		if ((unsigned char)s->text[i] < ' ')
			return err_set(err, ERR_CONFIG, origin,
				"credentials %s: has more than one line of text", reference);
	if (strchr(s->text, ':') && s->text[0] != ':')
		return true;
	err_set(err, ERR_CONFIG, origin, "credentials %s: not in the form user:password",
		reference);
	return false;
}

static bool hold_netrc(
	struct credential *out, const char *path, const char *origin, struct err *err)
{
	int fd = open_private("netrc", path, origin, err);

	if (fd < 0)
		return false;
	(void)close(fd);
	out->netrc = mem_strdup(path);
	return true;
}

/* A token is one word without blanks, because it becomes part of an HTTP header. */
static bool token_accept(
	struct secret *s, const char *reference, const char *origin, struct err *err)
{
	while (s->len && (s->text[s->len - 1] == '\n' || s->text[s->len - 1] == '\r'))
		s->len--;
	for (size_t i = 0; i < s->len && s->len <= SECRET_CAP; i++)
		if ((unsigned char)s->text[i] <= ' ' || (unsigned char)s->text[i] >= 0x7f)
			return err_set(err, ERR_CONFIG, origin, "token %s: has more than one word",
				reference);
	if (!s->len || s->len > SECRET_CAP)
		return err_set(err, ERR_CONFIG, origin, "token %s: %s", reference,
			s->len ? "longer than 4096 bytes" : "empty");
	s->text[s->len] = '\0';
	return true;
}

static bool hold_secret(struct credential *out, const char *kind, const char *rest,
	const char *reference, const char *origin, bool token, struct err *err)
{
	struct secret *s = mem_calloc(1, sizeof(*s));
	char shown[128];
	bool ok;

	if (str_eq(kind, "env"))
		ok = secret_from_env(rest, s, origin, err);
	else if (str_eq(kind, "file"))
		ok = secret_from_file(rest, s, origin, err);
	else
		ok = secret_from_command(rest, reference, s, origin, err);
	ok = ok && (token ? token_accept : secret_accept)(
			   s, shown_reference(reference, shown, sizeof(shown)), origin, err);
	if (ok)
		*(token ? &out->token : &out->userpwd) = mem_strdup(s->text);
	explicit_bzero(s, sizeof(*s));
	free(s);
	return ok;
}

static bool read_reference(struct credential *out, const char *reference, const char *origin,
	bool token, struct err *err)
{
	static const char *const kinds[] = {"env", "file", "command", "netrc"};
	const char *rest = strchr(reference, ':');
	size_t n = rest ? (size_t)(rest - reference) : 0;
	char *path;
	bool ok;

	for (size_t i = 0; n && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strlen(kinds[i]) != n || strncmp(kinds[i], reference, n) != 0 || !rest[1] ||
			(token && str_eq(kinds[i], "netrc")))
			continue;
		path = target_expand_home(rest + 1);
		ok = str_eq(kinds[i], "netrc")
			     ? hold_netrc(out, path, origin, err)
			     : hold_secret(out, kinds[i], path, reference, origin, token, err);
		free(path);
		return ok;
	}
	/* It may be the secret itself, so do not repeat it. */
	err_set(err, ERR_CONFIG, origin, "credentials are a reference, never the secret itself");
	return err_cure(
		err, "use env:NAME, file:PATH, command:CMD%s", token ? "" : " or netrc:PATH");
}

static const struct credential *get_credential(struct credentials *c, const char *reference,
	const char *origin, bool token, struct err *err)
{
	struct batch_backlog *h;

	for (size_t i = 0; i < c->held.n; i++)
		if (str_eq(c->held.at[i]->reference, reference) &&
			token == (c->held.at[i]->value.token != NULL))
			return &c->held.at[i]->value;
	h = mem_calloc(1, sizeof(*h));
	if (!read_reference(&h->value, reference, origin, token, err)) {
		free(h);
		return NULL;
	}
	h->reference = mem_strdup(reference);
	vec_push(&c->held, h);
	return &h->value;
}

const struct credential *credentials_get(
	struct credentials *c, const char *reference, const char *origin, struct err *err)
{
	return get_credential(c, reference, origin, false, err);
}

const char *credentials_token(
	struct credentials *c, const char *reference, const char *origin, struct err *err)
{
	const struct credential *held = get_credential(c, reference, origin, true, err);

	return held ? held->token : NULL;
}
