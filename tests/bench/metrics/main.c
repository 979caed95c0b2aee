/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics PRESET SCRAPE_MS TABLE: answers instant queries about the fabric of a preset over HTTP,
 * as Prometheus words them, and makes the answers while it sends them. Prints "ready PORT"; ends
 * when its standard input does.
 */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <signal.h>

#include "base/str.h"
#include "tests/bench/metrics/metrics.h"

#define CLIENTS   16
#define PIECE     ((size_t)256 << 10)
#define FORM_MOST ((size_t)8 << 20)

struct client {
	int fd; /* -1: none */
	struct buf in, out;
	size_t sent;
	struct answer answer;
	bool answering;
};

static int listen_on_loopback(unsigned *port)
{
	struct sockaddr_in a = {
		.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_port = 0};
	socklen_t size = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&a, size) != 0 || listen(fd, 64) != 0 ||
		getsockname(fd, (struct sockaddr *)&a, &size) != 0)
		return -1;
	*port = ntohs(a.sin_port);
	return fd;
}

static void hang_up(struct client *c)
{
	(void)close(c->fd);
	c->fd = -1;
	c->answering = false;
	buf_free(&c->in);
	buf_free(&c->out);
	answer_free(&c->answer);
}

static void take(struct client *clients, int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	for (unsigned i = 0; fd >= 0 && i < CLIENTS; i++) {
		if (clients[i].fd >= 0)
			continue;
		memset(&clients[i], 0, sizeof(clients[i]));
		clients[i].fd = fd;
		buf_init(&clients[i].in, FORM_MOST);
		buf_init(&clients[i].out, 4 * PIECE);
		return;
	}
	if (fd >= 0)
		(void)close(fd);
}

/* The posted form, when all of it is there; NULL: not yet. */
static const char *form_of(const struct client *c, size_t *len)
{
	const char *head = c->in.data, *body = head ? strstr(head, "\r\n\r\n") : NULL, *said;

	if (!body)
		return NULL;
	said = strcasestr(head, "\nContent-Length:");
	*len = said && said < body ? strtoul(said + 16, NULL, 10) : 0;
	body += 4;
	return c->in.len - (size_t)(body - head) >= *len ? body : NULL;
}

static void begin_answer(struct client *c, const struct table *t, const char *form, size_t len)
{
	time_t now = time(NULL);
	bool ok = answer_begin(&c->answer, t, form, len);
	char date[64];
	struct tm tm;

	(void)gmtime_r(&now, &tm);
	(void)strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", &tm);
	(void)buf_addf(&c->out,
		"HTTP/1.1 %s\r\nDate: %s\r\nContent-Type: application/json\r\n"
		"Transfer-Encoding: chunked\r\n\r\n",
		ok ? "200 OK" : "400 Bad Request", date);
	if (!ok)
		(void)buf_adds(&c->out, "0\r\n\r\n");
	c->answering = ok;
	buf_reset(&c->in);
}

/* One more chunk, its length put before it in hexadecimal. */
static void fill(struct client *c, const struct table *t)
{
	size_t at, len;
	char head[16];

	buf_reset(&c->out);
	c->sent = 0;
	(void)buf_adds(&c->out, "00000000\r\n");
	at = c->out.len;
	if (!answer_more(&c->answer, t, &c->out, PIECE)) {
		buf_reset(&c->out);
		(void)buf_adds(&c->out, "0\r\n\r\n");
		c->answering = false;
		return;
	}
	len = c->out.len - at;
	(void)str_printf(head, sizeof(head), "%08zx", len);
	memcpy(c->out.data, head, 8);
	(void)buf_adds(&c->out, "\r\n");
}

static void write_to(struct client *c, const struct table *t)
{
	for (;;) {
		ssize_t n;

		if (c->sent == c->out.len) {
			if (!c->answering) {
				buf_reset(&c->out);
				c->sent = 0;
				return;
			}
			fill(c, t);
		}
		n = send(c->fd, c->out.data + c->sent, c->out.len - c->sent, MSG_NOSIGNAL);
		if (n > 0)
			c->sent += (size_t)n;
		else if (n < 0 && errno == EAGAIN)
			return;
		else if (n < 0 && errno != EINTR) {
			hang_up(c);
			return;
		}
	}
}

static void read_from(struct client *c, const struct table *t)
{
	char bytes[65536];
	ssize_t n = recv(c->fd, bytes, sizeof(bytes), 0);
	const char *form;
	size_t len;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || !buf_add(&c->in, bytes, (size_t)n)) {
		hang_up(c);
		return;
	}
	form = form_of(c, &len);
	if (form)
		begin_answer(c, t, form, len);
}

static void serve(const struct table *t, int listener)
{
	struct client clients[CLIENTS];

	for (unsigned i = 0; i < CLIENTS; i++)
		clients[i].fd = -1;
	for (;;) {
		struct pollfd p[CLIENTS + 2] = {
			{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = listener, .events = POLLIN}};
		char byte;

		for (unsigned i = 0; i < CLIENTS; i++) {
			p[i + 2].fd = clients[i].fd;
			p[i + 2].events = clients[i].out.len ? POLLOUT : POLLIN;
		}
		if (poll(p, CLIENTS + 2, -1) < 0 && errno != EINTR)
			return;
		if (p[0].revents && read(STDIN_FILENO, &byte, 1) <= 0)
			return;
		for (unsigned i = 0; i < CLIENTS; i++) {
			if (p[i + 2].fd < 0)
				continue;
			if (p[i + 2].revents & POLLOUT)
				write_to(&clients[i], t);
			else if (p[i + 2].revents)
				read_from(&clients[i], t);
		}
		if (p[1].revents)
			take(clients, listener);
	}
}

int main(int argc, char **argv)
{
	struct table t;
	unsigned port = 0;
	int listener;

	if (argc != 4)
		return 2;
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (!table_open(&t, argv[1], argv[3])) {
		(void)fprintf(stderr, "metrics: no preset %s, or no table %s\n", argv[1], argv[3]);
		return 1;
	}
	t.scrape_ms = strtoll(argv[2], NULL, 10);
	listener = listen_on_loopback(&port);
	if (listener < 0 || t.scrape_ms < 1000) {
		perror("metrics");
		return 1;
	}
	(void)printf("ready %u\n", port);
	(void)fflush(stdout);
	serve(&t, listener);
	return 0;
}
