/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/transport/credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/contract/target.h"
#include "backends/transport/descriptors.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/regular_file.h"
#include "base/sandbox/outside.h"
#include "base/secret.h"
#include "base/str.h"
#include "base/vec.h"

#define SECRET_CAP      4096
#define SECRET_ROOM     ((size_t)SECRET_CAP + 1)
#define COMMAND_TIME_US (10 * CLOCK_SEC)

struct batch_backlog {
	char *reference;
	struct credential value;
};

struct credentials {
	VEC(struct batch_backlog *) held; /* pointers: results of credentials_get() must not move */
};

/* The secret of a reference while it is read. */
struct secret {
	char *text; /* SECRET_ROOM bytes of secret_new() */
	size_t len;
};

struct credentials *credentials_new(void)
{
	return mem_calloc(1, sizeof(struct credentials));
}

void credentials_free(struct credentials *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->held.n; i++) {
		secret_free(c->held.at[i]->value.userpwd);
		secret_free(c->held.at[i]->value.token);
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
	if (!str_copy(out->text, SECRET_ROOM, value))
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
	ssize_t n = read(fd, out->text + out->len, SECRET_ROOM - out->len);

	if (n < 0 && errno == EINTR)
		return true;
	if (n <= 0)
		return false;
	out->len += (size_t)n;
	return out->len < SECRET_ROOM;
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

/* Reads until the output ends or there is no more room, and closes fd, so that a command with
 * endless output ends. */
static void read_output(int fd, int64_t until_us, struct secret *out)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int64_t left;

	do {
		left = until_us - clock_mono(&clock_system);
	} while (left > 0 && poll(&p, 1, (int)(left / CLOCK_MSEC) + 1) != 0 && read_some(fd, out));
	(void)close(fd);
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
	char shown[128], limit[32];
	unsigned long long before = descriptors_before();
	struct outside_command c = {
		.shell = "/bin/sh", .text = command, .most_us = COMMAND_TIME_US};
	struct outside_running running;
	enum outside_end end;
	int fds[2], status = 0;
	bool begun;

	if (pipe2(fds, O_CLOEXEC) != 0)
		return err_set(err, ERR_IO, origin, "no pipe: %s", strerror(errno));
	(void)shown_reference(reference, shown, sizeof(shown));
	(void)str_printf(limit, sizeof(limit), "%llu", before);
	/* With the limit of open files with which the program was started. */
	c.limit = before ? limit : NULL;
	c.output = fds[1];
	begun = outside_begin(&c, &running);
	(void)close(fds[1]);
	if (!begun) {
		(void)close(fds[0]);
		return err_set(err, ERR_IO, origin, "credentials command: %s", strerror(errno));
	}
	read_output(fds[0], running.until_us, out);
	end = outside_wait(&running, &status);
	if (end == OUTSIDE_LOST)
		return err_set(err, ERR_IO, origin, "credentials command: %s", strerror(errno));
	if (end == OUTSIDE_LATE)
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
	struct secret held = {.text = secret_new(SECRET_ROOM)}, *s = &held;
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
		*(token ? &out->token : &out->userpwd) = secret_copy(s->text);
	secret_free(s->text);
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
