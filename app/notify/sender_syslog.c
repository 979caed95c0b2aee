/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "app/notify/sender.h"
#include "base/clock.h"
#include "base/str.h"

/*
 * UDP: a datagram a message (RFC 5426). TCP: the length before each message (RFC 6587, 3.4.1), and
 * a connection of its own. TLS: the same in a session (syslog_tls.c). A local socket: a datagram,
 * else a stream with a line end. Only the write is confirmed: syslog has no answer.
 */
#define CONNECT_US (5 * CLOCK_SEC)

/* One message on its way. */
struct delivery {
	const struct plan_receiver *r;
	const char *ca, *body;
	size_t len;
	enum tls_end end; /* of the last session, with its reason */
	char why[160];
};

static bool fail_with(const struct plan_receiver *r, int error, struct err *err)
{
	char shown[64];

	(void)str_printf(shown, sizeof(shown), "notify %s", r->name);
	(void)err_set(err, ERR_UNREACHABLE, shown, "%s: %s", r->address, strerror(error));
	return err_cure(err, "check address: of the receiver, and that its log daemon listens");
}

static bool fail_tls(const struct delivery *d, struct err *err)
{
	char shown[64];

	(void)str_printf(shown, sizeof(shown), "notify %s", d->r->name);
	(void)err_set(err, d->end == TLS_FAILED ? ERR_UNREACHABLE : ERR_UNAUTHORISED, shown,
		"%s: %s", d->end == TLS_NO_CA && d->ca ? d->ca : d->r->address, d->why);
	return err_cure(err, "%s",
		d->end == TLS_FAILED ? "check that the log daemon speaks TLS at this port"
				     : "set tls_ca: of the receiver to the CA that signed its "
				       "certificate, and address: to a name in it");
}

static bool await_socket(int fd, short events, int64_t until_us)
{
	struct pollfd p = {.fd = fd, .events = events};
	int error = 0;
	socklen_t len = sizeof(error);
	int64_t left;
	int n = 0;

	do {
		left = until_us - clock_mono(&clock_system);
		if (left <= 0)
			break;
		n = poll(&p, 1, (int)(left / CLOCK_MSEC) + 1);
	} while (n < 0 && errno == EINTR);
	if (n <= 0) {
		errno = ETIMEDOUT;
		return false;
	}
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0 && error) {
		errno = error;
		return false;
	}
	return true;
}

static bool connect_socket(int fd, const struct sockaddr *to, socklen_t len)
{
	if (connect(fd, to, len) == 0)
		return true;
	return errno == EINPROGRESS &&
	       await_socket(fd, POLLOUT, clock_mono(&clock_system) + CONNECT_US);
}

static bool write_all(int fd, const char *bytes, size_t n)
{
	int64_t until = clock_mono(&clock_system) + CONNECT_US;

	while (n) {
		ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);

		if (sent >= 0) {
			bytes += sent;
			n -= (size_t)sent;
		} else if (errno != EINTR && !((errno == EAGAIN || errno == EWOULDBLOCK) &&
						     await_socket(fd, POLLOUT, until))) {
			return false;
		}
	}
	return true;
}

/* With its frame, to a connected socket. */
static bool send_framed(struct delivery *d, int fd, int type)
{
	char head[24];

	if (type == SOCK_DGRAM)
		return send(fd, d->body, d->len, MSG_NOSIGNAL) == (ssize_t)d->len;
	if (d->r->way == SYSLOG_UNIX)
		return write_all(fd, d->body, d->len) && write_all(fd, "\n", 1);
	(void)str_printf(head, sizeof(head), "%zu ", d->len);
	if (d->r->way == SYSLOG_TLS) {
		d->end = syslog_tls_send(d->r, d->ca, fd, head, d->body, d->len, 2 * CONNECT_US,
			d->why, sizeof(d->why));
		return d->end == TLS_SENT;
	}
	if (!write_all(fd, head, strlen(head)) || !write_all(fd, d->body, d->len))
		return false;
	/* A daemon that closes at once shows only now: no error means that it took the bytes. */
	return shutdown(fd, SHUT_WR) == 0;
}

static bool send_once(struct delivery *d, const struct sockaddr *to, socklen_t to_len, int type)
{
	int fd = socket(to->sa_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), was;
	bool ok = fd >= 0 && connect_socket(fd, to, to_len) && send_framed(d, fd, type);

	was = errno;
	if (fd >= 0)
		(void)close(fd);
	errno = was;
	return ok;
}

static bool send_local(struct delivery *d, struct err *err)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};

	if (!str_copy(to.sun_path, sizeof(to.sun_path), d->r->address))
		return fail_with(d->r, ENAMETOOLONG, err);
	if (send_once(d, (const struct sockaddr *)&to, sizeof(to), SOCK_DGRAM))
		return true;
	if (errno == EPROTOTYPE &&
		send_once(d, (const struct sockaddr *)&to, sizeof(to), SOCK_STREAM))
		return true;
	return fail_with(d->r, errno, err);
}

bool syslog_send(const struct plan_receiver *r, const char *ca, const char *body, size_t len,
	struct err *err)
{
	struct delivery d = {.r = r, .ca = ca, .body = body, .len = len};
	struct addrinfo hints = {.ai_socktype = r->way == SYSLOG_UDP ? SOCK_DGRAM : SOCK_STREAM};
	struct addrinfo *found = NULL;
	char port[8], shown[64];
	bool ok = false;
	int rc, error = 0;

	if (r->way == SYSLOG_UNIX)
		return send_local(&d, err);
	(void)str_printf(port, sizeof(port), "%u", r->port);
	rc = getaddrinfo(r->address, port, &hints, &found);
	if (rc != 0) {
		(void)str_printf(shown, sizeof(shown), "notify %s", r->name);
		(void)err_set(err, ERR_UNREACHABLE, shown, "%s: %s", r->address, gai_strerror(rc));
		return err_cure(err, "check the name in address: of the receiver, and DNS");
	}
	for (const struct addrinfo *a = found; a && !ok; a = a->ai_next) {
		ok = send_once(&d, a->ai_addr, a->ai_addrlen, hints.ai_socktype);
		error = errno;
	}
	freeaddrinfo(found);
	return ok || (d.end != TLS_SENT ? fail_tls(&d, err) : fail_with(r, error, err));
}
