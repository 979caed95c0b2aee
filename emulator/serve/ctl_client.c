/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/str.h"
#include "emulator/serve/ctl.h"

#define PATIENCE_US (30 * CLOCK_SEC) /* the emulator may serve a console's logins first */

static bool no_answer(const char *dir, const char *what, struct err *err)
{
	err_set(err, ERR_IO, dir, "%s", what);
	return err_cure(err, "is an emulator running with --dir %s?", dir);
}

static int connect_to(const char *dir, struct err *err)
{
	struct sockaddr_un a;
	int at, fd, why = 0;

	if (!ctl_address(dir, &at, &a, err))
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)) != 0)
		why = errno;
	(void)close(at);
	if (!why)
		return fd;
	if (fd >= 0)
		(void)close(fd);
	if (why == EACCES)
		(void)no_answer(dir, "its " CTL_SOCKET " belongs to somebody else", err);
	else
		(void)no_answer(dir, "nobody listens on its " CTL_SOCKET, err);
	return -1;
}

static bool make_request(int argc, char *const *argv, struct buf *line, struct err *err)
{
	for (int i = 0; i < argc; i++)
		(void)buf_addf(line, "%s%s", i ? " " : "", argv[i]);
	if (!line->len || line->overflow || strpbrk(line->data, "\r\n")) {
		err_set(err, ERR_USAGE, "ctl",
			line->len ? "the request is too long or has line ends" : "no request");
		return err_cure(err, "railtop-emulator ctl DIR inject SPEC | heal WHAT | list | "
				     "status | jobs | stop");
	}
	return buf_adds(line, "\n");
}

static bool send_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t k = send(fd, bytes, n, MSG_NOSIGNAL);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		bytes += k;
		n -= (size_t)k;
	}
	return true;
}

/* Start of the last complete line of the reply; NULL if there is none yet. */
static char *last_line(const struct buf *b)
{
	size_t i = b->len;

	if (!i || b->data[i - 1] != '\n')
		return NULL;
	for (i--; i && b->data[i - 1] != '\n'; i--)
		continue;
	return b->data + i;
}

static bool is_last(const char *line)
{
	return line && (strcmp(line, "ok\n") == 0 || str_starts(line, "error: "));
}

static bool receive_reply(int fd, const char *dir, struct buf *reply, struct err *err)
{
	int64_t end = clock_mono(&clock_system) + PATIENCE_US;
	char chunk[4096];

	while (!is_last(last_line(reply))) {
		int64_t left = (end - clock_mono(&clock_system)) / CLOCK_MSEC;
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int rc = poll(&p, 1, left > 0 ? (int)left : 0);
		ssize_t n;

		if (rc < 0 && errno == EINTR)
			continue;
		if (rc <= 0) {
			err_set(err, ERR_IO, dir, "no answer within 30 s");
			return err_cure(err, "it is busy and may do it yet: ask it with list");
		}
		n = recv(fd, chunk, sizeof(chunk), 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || !buf_add(reply, chunk, (size_t)n))
			return no_answer(dir, "the connection broke", err);
	}
	return true;
}

/* Parses "message (cure)". */
static void take_error(char *text, struct err *err)
{
	size_t n = strlen(text);
	char *cure = strstr(text, " (");

	if (!cure || text[n - 1] != ')') {
		err_set(err, ERR_USAGE, "", "%s", text);
		return;
	}
	text[n - 1] = '\0';
	err_set(err, ERR_USAGE, "", "%.*s", (int)(cure - text), text);
	err_cure(err, "%s", cure + 2);
}

/* Removes the last line; "error: ..." becomes err. */
static bool take_verdict(struct buf *reply, struct err *err)
{
	char *line = last_line(reply);
	bool ok = strcmp(line, "ok\n") == 0;

	if (!ok) {
		line[strlen(line) - 1] = '\0';
		take_error(line + strlen("error: "), err);
	}
	*line = '\0';
	reply->len = (size_t)(line - reply->data);
	return ok;
}

bool ctl_ask(const char *dir, int argc, char *const *argv, struct buf *out, struct err *err)
{
	struct buf line;
	bool ok;
	int fd;

	buf_init(&line, CTL_LINE_MAX);
	fd = make_request(argc, argv, &line, err) ? connect_to(dir, err) : -1;
	if (fd < 0) {
		buf_free(&line);
		return false;
	}
	ok = send_all(fd, line.data, line.len) || no_answer(dir, "the connection broke", err);
	buf_free(&line);
	ok = ok && receive_reply(fd, dir, out, err) && take_verdict(out, err);
	(void)close(fd);
	return ok;
}
