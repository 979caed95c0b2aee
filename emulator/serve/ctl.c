/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/serve/ctl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "emulator/serve/server_internal.h"

#define CLIENTS_MOST 32
#define REPLY_MOST   (8U << 20)

struct client {
	struct ctl *ctl;
	struct watch *watch;
	char line[CTL_LINE_MAX];
	size_t len;
	struct buf out;
	size_t sent;
	bool skipping; /* the rest of a line that was too long */
	bool ended;    /* end of input */
	struct client *prev, *next;
};

struct ctl {
	struct ctl_opts o;
	char *dir;
	struct watch *watch;
	struct client *clients;
	unsigned nclients;
};

bool ctl_address(const char *dir, int *fd, struct sockaddr_un *a, struct err *err)
{
	*fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0) {
		err_set(err, ERR_IO, dir, "cannot be opened: %s", strerror(errno));
		return err_cure(err, "name the directory that --dir made");
	}
	/* sun_path has 108 bytes, too few for some directories; this path is always short. */
	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	return str_printf(a->sun_path, sizeof(a->sun_path), "/proc/self/fd/%d/" CTL_SOCKET, *fd);
}

/* ---- clients ---- */

static void drop_client(struct client *c)
{
	if (c->prev)
		c->prev->next = c->next;
	else
		c->ctl->clients = c->next;
	if (c->next)
		c->next->prev = c->prev;
	c->ctl->nclients--;
	watch_free(c->watch);
	buf_free(&c->out);
	free(c);
}

static void take_line(struct client *c)
{
	if (c->skipping)
		(void)buf_addf(&c->out, "error: a request has %d bytes at most\n", CTL_LINE_MAX);
	else
		ctl_answer(&c->ctl->o, c->line, &c->out);
	c->skipping = false;
	c->len = 0;
}

static void take_bytes(struct client *c, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == '\n') {
			c->line[c->len] = '\0';
			take_line(c);
		} else if (c->len == sizeof(c->line) - 1) {
			c->skipping = true;
		} else {
			c->line[c->len++] = bytes[i];
		}
	}
}

/* Returns false if the connection is broken. */
static bool send_some(struct client *c)
{
	while (c->sent < c->out.len) {
		ssize_t n = send(c->watch->fd, c->out.data + c->sent, c->out.len - c->sent,
			MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK;
		c->sent += (size_t)n;
	}
	buf_reset(&c->out);
	c->sent = 0;
	return true;
}

static void on_client(void *arg, int events)
{
	struct client *c = arg;
	char chunk[CTL_LINE_MAX];
	ssize_t n;

	/* Reads no more requests from a client until it has read its replies. */
	if (events & UV_READABLE && !c->out.len) {
		n = recv(c->watch->fd, chunk, sizeof(chunk), MSG_DONTWAIT);
		if (n > 0)
			take_bytes(c, chunk, (size_t)n);
		else if (n == 0)
			c->ended = true;
		else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
			c->ended = true;
	}
	if (!send_some(c) || (c->ended && !c->out.len))
		drop_client(c);
	else
		watch_events(c->watch, c->out.len ? UV_WRITABLE : UV_READABLE);
}

/* The file's mode excludes other users; the peer credentials from the kernel confirm it. */
static bool is_owner(int fd)
{
	struct ucred who;
	socklen_t len = sizeof(who);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 &&
	       (who.uid == geteuid() || who.uid == 0);
}

static void on_listener(void *arg, int events)
{
	struct ctl *ctl = arg;
	int fd = accept4(ctl->watch->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct client *c;

	(void)events;
	if (fd < 0)
		return;
	if (ctl->nclients == CLIENTS_MOST || !is_owner(fd)) {
		(void)close(fd);
		return;
	}
	c = mem_calloc(1, sizeof(*c));
	c->ctl = ctl;
	buf_init(&c->out, REPLY_MOST);
	c->next = ctl->clients;
	if (ctl->clients)
		ctl->clients->prev = c;
	ctl->clients = c;
	ctl->nclients++;
	c->watch = watch_new(ctl->o.loop, fd, UV_READABLE, on_client, c);
	if (!c->watch)
		drop_client(c);
}

/* ---- the socket ---- */

/* True if a process listens on the existing socket. */
static bool in_use(const struct sockaddr_un *a)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	bool used = fd >= 0 && (connect(fd, (const struct sockaddr *)a, sizeof(*a)) == 0 ||
				       errno == EAGAIN || errno == EINPROGRESS);

	if (fd >= 0)
		(void)close(fd);
	return used;
}

static int listen_at(int dir, const struct sockaddr_un *a)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), saved;
	mode_t mask;
	bool ok;

	if (fd < 0)
		return -1;
	(void)unlinkat(dir, CTL_SOCKET, 0);
	mask = umask(0177);
	ok = bind(fd, (const struct sockaddr *)a, sizeof(*a)) == 0;
	saved = errno;
	(void)umask(mask);
	if (ok && listen(fd, CLIENTS_MOST) == 0)
		return fd;
	saved = ok ? errno : saved;
	(void)close(fd);
	errno = saved;
	return -1;
}

static bool open_socket(struct ctl *c, struct err *err)
{
	struct sockaddr_un a;
	int dir, fd = -1;

	if (!ctl_address(c->dir, &dir, &a, err))
		return false;
	if (in_use(&a)) {
		err_set(err, ERR_IO, c->dir, "another emulator runs in this directory");
		err_cure(err, "stop it with: railtop-emulator ctl %s stop", c->dir);
	} else if ((fd = listen_at(dir, &a)) < 0) {
		err_set(err, ERR_IO, c->dir, "cannot make " CTL_SOCKET ": %s", strerror(errno));
		err_cure(err, "choose another --dir, on a file system that has sockets");
	}
	(void)close(dir);
	if (fd >= 0)
		c->watch = watch_new(c->o.loop, fd, UV_READABLE, on_listener, c);
	return c->watch != NULL;
}

struct ctl *ctl_new(const struct ctl_opts *o, struct err *err)
{
	struct ctl *c = mem_calloc(1, sizeof(*c));

	c->o = *o;
	c->dir = mem_strdup(o->dir);
	if (open_socket(c, err))
		return c;
	free(c->dir);
	free(c);
	return NULL;
}

void ctl_close(struct ctl *c)
{
	int dir;

	if (!c)
		return;
	for (struct client *at = c->clients, *next; at; at = next) {
		next = at->next;
		drop_client(at);
	}
	watch_free(c->watch);
	dir = open(c->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0) {
		(void)unlinkat(dir, CTL_SOCKET, 0);
		(void)close(dir);
	}
	free(c->dir);
	free(c);
}
