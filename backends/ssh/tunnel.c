/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backends/ssh/bastion.h"
#include "backends/transport/tunnel.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Tunnels through a bastion. A line is one connection. The result of the first line is reported
 * from a timer, because it may arrive deep inside libssh, or inside of libcurl while that opens a
 * socket.
 */

/* As for devices that are reached directly. */
#define OPEN_TIMEOUT_US (10 * CLOCK_SEC)
#define ACCEPT_MS       200

struct line {
	struct line *next;
	struct tunnel *tunnel;
	struct ssh_rider rider;
	int fd;     /* the user's end, -1: none (any more) */
	bool taken; /* the user has it */
	bool failed;
};

enum changed_devices { NEWS_NONE, NEWS_OPEN, NEWS_FAILED };

struct tunnel {
	struct ssh_shard *shard;
	const struct plan_device *device;
	char *host;
	unsigned port;
	struct tunnel_events events;
	struct line *lines;
	struct line *first; /* the line with the result to be reported */
	enum changed_devices news;
	struct err why;
	char via[64];
	bool closing;
	uv_timer_t timer;
};

static void on_timer(uv_timer_t *h);

static struct line *line_of(const struct ssh_rider *r)
{
	return (struct line *)(void *)((char *)(uintptr_t)r - offsetof(struct line, rider));
}

static void report_news(struct tunnel *t, enum changed_devices news)
{
	t->first = NULL;
	t->news = news;
	(void)uv_timer_start(&t->timer, on_timer, 0, 0);
}

/* ---- a connection within this process ---- */

static bool is_same_end(const struct sockaddr_in *a, const struct sockaddr_in *b)
{
	return a->sin_port == b->sin_port && a->sin_addr.s_addr == b->sin_addr.s_addr;
}

/*
 * Accepts the connection over loopback. Its handshake is done when connect() returns, unless the
 * kernel defers its network work to a thread of its own, as it does under load.
 */
static int accept_soon(int listener)
{
	struct pollfd p = {.fd = listener, .events = POLLIN};
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0 && errno == EAGAIN && poll(&p, 1, ACCEPT_MS) > 0)
		fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	return fd;
}

/*
 * Accepts the connection that comes from the socket theirs, and from no other process of this
 * machine.
 */
static int accept_own(int listener, int theirs)
{
	struct sockaddr_in own = {0}, peer = {0};
	socklen_t len = sizeof(own);
	int fd;

	if (getsockname(theirs, (struct sockaddr *)&own, &len) != 0)
		return -1;
	while ((fd = accept_soon(listener)) >= 0) {
		len = sizeof(peer);
		if (getpeername(fd, (struct sockaddr *)&peer, &len) == 0 &&
			is_same_end(&own, &peer))
			return fd;
		(void)close(fd);
	}
	return -1;
}

static int listen_here(struct sockaddr_in *at)
{
	socklen_t len = sizeof(*at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	*at = (struct sockaddr_in){
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (fd >= 0 && bind(fd, (struct sockaddr *)at, len) == 0 && listen(fd, 8) == 0 &&
		getsockname(fd, (struct sockaddr *)at, &len) == 0)
		return fd;
	if (fd >= 0)
		(void)close(fd);
	return -1;
}

/*
 * Makes a pair of TCP sockets. socketpair() would not do: libcurl 7.88 connects a socket even if
 * told that it is connected (curl#10626). Linux accepts that silently for a TCP socket that has not
 * yet been asked for the result of connect().
 */
static bool socket_pair(int *ours, int *theirs)
{
	struct sockaddr_in at;
	int listener = listen_here(&at), one = 1, why;

	*ours = -1;
	*theirs =
		listener < 0 ? -1 : socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (*theirs >= 0 &&
		(connect(*theirs, (struct sockaddr *)&at, sizeof(at)) == 0 || errno == EINPROGRESS))
		*ours = accept_own(listener, *theirs);
	why = errno;
	if (*ours < 0 && *theirs >= 0)
		(void)close(*theirs);
	if (listener >= 0)
		(void)close(listener);
	if (*ours >= 0)
		(void)setsockopt(*ours, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	errno = why;
	return *ours >= 0;
}

/* ---- the fate of a line ---- */

static void line_asked(struct ssh_rider *r)
{
	struct line *l = line_of(r);

	if (l == l->tunnel->first)
		(void)uv_timer_start(&l->tunnel->timer, on_timer, OPEN_TIMEOUT_US / CLOCK_MSEC, 0);
}

static void line_take(struct ssh_rider *r, int fd)
{
	struct line *l = line_of(r);

	(void)fd; /* the line has made its own socket */
	l->tunnel->why = (struct err){0};
	if (l == l->tunnel->first)
		report_news(l->tunnel, NEWS_OPEN);
}

static void line_shut(struct line *l)
{
	ssh_jump_leave(&l->rider);
	if (l->rider.ours >= 0)
		(void)close(l->rider.ours);
	l->rider.ours = -1;
	if (l->fd >= 0 && !l->taken) {
		(void)close(l->fd);
		l->fd = -1;
	}
}

static void line_fail(struct ssh_rider *r, const struct err *why)
{
	struct line *l = line_of(r);
	struct tunnel *t = l->tunnel;

	l->failed = true;
	t->why = *why;
	line_shut(l);
	if (l == t->first)
		report_news(t, NEWS_FAILED);
}

/* It is enough that one line waits. */
static bool line_waits(const struct ssh_rider *r)
{
	const struct tunnel *t = line_of(r)->tunnel;
	const struct line *l;

	for (l = t->lines; l; l = l->next) {
		if (l->failed && l->rider.relay)
			return false;
	}
	return !t->closing;
}

static void line_again(struct ssh_rider *r)
{
	const struct tunnel *t = line_of(r)->tunnel;

	if (t->events.again)
		t->events.again(t->events.ctx);
}

static void line_free(struct line *l);

/* libcurl up to 8.1 silently closes a socket that it has not seen connected (curl#11439). */
static void line_left(struct ssh_rider *r)
{
	struct line *l = line_of(r);

	l->fd = l->taken ? -1 : l->fd;
	line_free(l);
}

static const struct rider_ops line_ops = {
	.asked = line_asked,
	.take = line_take,
	.fail = line_fail,
	.waits = line_waits,
	.again = line_again,
	.left = line_left,
};

static void line_free(struct line *l)
{
	struct tunnel *t = l->tunnel;
	struct line **at = &t->lines;

	if (t->first == l)
		t->first = NULL;
	line_shut(l);
	while (*at && *at != l)
		at = &(*at)->next;
	if (*at)
		*at = l->next;
	free(l);
}

static bool is_alive(const struct line *l)
{
	return !l->failed && !ssh_relay_ended(&l->rider);
}

/* Frees lines that ended without a user of their socket; others wait at most for the bastion. */
static void free_ended(struct tunnel *t)
{
	struct line *l, *next;

	for (l = t->lines; l; l = next) {
		next = l->next;
		if (!l->taken && !is_alive(l))
			line_free(l);
	}
}

/* Returns NULL with the reason in tunnel_why(). */
static struct line *line_new(struct tunnel *t, bool first)
{
	struct line *l;
	int ours, theirs;

	free_ended(t);
	if (!socket_pair(&ours, &theirs)) {
		err_set(&t->why, ERR_IO, t->device->name, "no socket to go through the bastion: %s",
			strerror(errno));
		if (errno == EMFILE || errno == ENFILE)
			err_cure(&t->why, "raise the limit of open files: ulimit -n, or "
					  "LimitNOFILE= of the systemd unit");
		return NULL;
	}
	l = mem_calloc(1, sizeof(*l));
	l->tunnel = t;
	l->fd = theirs;
	l->rider = (struct ssh_rider){.ops = &line_ops,
		.device = t->device,
		.host = t->host,
		.port = t->port,
		.jump = t->device->jump,
		.ours = ours};
	l->next = t->lines;
	t->lines = l;
	if (first)
		t->first = l;
	ssh_jump_connect(t->shard, &l->rider);
	if (l->rider.via[0])
		(void)str_copy(t->via, sizeof(t->via), l->rider.via);
	return l->failed ? NULL : l;
}

/* ---- the tunnel ---- */

static void fail_late(struct tunnel *t)
{
	struct err err;

	err_set(&err, ERR_UNREACHABLE, t->device->name,
		"bastion %s has not connected to %s port %u within %d s", t->via, t->host, t->port,
		(int)(OPEN_TIMEOUT_US / CLOCK_SEC));
	err_cure(&err,
		"check that the device is up and the bastion reaches it. On the bastion: nc -vz %s "
		"%u",
		t->host, t->port);
	line_fail(&t->first->rider, &err);
}

static void on_timer(uv_timer_t *h)
{
	struct tunnel *t = h->data;
	enum changed_devices news = t->news;
	struct err why = t->why;

	t->news = NEWS_NONE;
	if (news == NEWS_OPEN)
		t->events.open(t->events.ctx);
	else if (news == NEWS_FAILED)
		t->events.failed(t->events.ctx, &why);
	else if (t->first)
		fail_late(t);
}

struct tunnel *tunnel_new(uv_loop_t *loop, const struct plan_device *d, const char *host,
	unsigned port, const struct tunnel_events *events)
{
	struct tunnel *t = mem_calloc(1, sizeof(*t));

	t->shard = ssh_shard_open(loop);
	t->device = d;
	t->host = mem_strdup(host);
	t->port = port;
	t->events = *events;
	(void)uv_timer_init(loop, &t->timer);
	t->timer.data = t;
	return t;
}

void tunnel_begin(struct tunnel *t)
{
	struct line *l, *next;

	for (l = t->lines; l; l = next) {
		next = l->next;
		if (!l->taken)
			line_free(l);
	}
	t->why = (struct err){0};
	t->news = NEWS_NONE;
	(void)uv_timer_stop(&t->timer);
	if (!line_new(t, true))
		report_news(t, NEWS_FAILED);
}

int tunnel_socket(struct tunnel *t)
{
	struct line *l;

	for (l = t->lines; l; l = l->next) {
		if (!l->taken && is_alive(l))
			break;
	}
	if (!l)
		l = line_new(t, false);
	if (!l)
		return -1;
	l->taken = true;
	return l->fd;
}

bool tunnel_drop(struct tunnel *t, int fd)
{
	struct line *l;

	for (l = t->lines; l; l = l->next) {
		if (l->taken && l->fd == fd)
			break;
	}
	if (!l)
		return false;
	l->taken = false;
	if (l->failed && l->rider.relay) { /* it waits for the bastion */
		(void)close(l->fd);
		l->fd = -1;
	} else {
		line_free(l);
	}
	return true;
}

const struct err *tunnel_why(const struct tunnel *t)
{
	return &t->why;
}

const char *tunnel_via(const struct tunnel *t)
{
	return t->via;
}

static void on_timer_closed(uv_handle_t *h)
{
	struct tunnel *t = h->data;

	free(t->host);
	free(t);
}

void tunnel_close(struct tunnel *t)
{
	struct line *l, *next;

	t->closing = true;
	for (l = t->lines; l; l = next) {
		next = l->next;
		line_free(l);
	}
	ssh_shard_close(t->shard);
	uv_close((uv_handle_t *)&t->timer, on_timer_closed);
}
