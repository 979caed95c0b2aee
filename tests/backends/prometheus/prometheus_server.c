/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/backends/prometheus/prometheus_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define REQUEST_MAX ((size_t)1 << 20)

struct prometheus_server {
	prometheus_answer_fn *answer;
	void *ctx;
	int fd;
	unsigned port;
	pthread_t thread;
	atomic_bool stop;
};

/* The value of query= in a form, decoded in place. */
static char *query_of(char *body)
{
	char *from = strstr(body, "query="), *to;

	if (!from)
		return body + strlen(body);
	from += strlen("query=");
	to = from;
	for (const char *s = from; *s && *s != '&'; to++) {
		unsigned code;

		if (*s == '%' && sscanf(s + 1, "%2x", &code) == 1) {
			*to = (char)code;
			s += 3;
		} else {
			*to = *s++;
		}
	}
	*to = '\0';
	return from;
}

static char *read_request(int fd, char **body)
{
	char *request = malloc(REQUEST_MAX);
	size_t got = 0, want = SIZE_MAX;

	while (request && got < REQUEST_MAX - 1 && got < want) {
		ssize_t n = read(fd, request + got, REQUEST_MAX - 1 - got);
		const char *length;

		if (n <= 0)
			break;
		got += (size_t)n;
		request[got] = '\0';
		*body = strstr(request, "\r\n\r\n");
		if (!*body)
			continue;
		length = strcasestr(request, "\r\nContent-Length:");
		want = (size_t)(*body + 4 - request) +
		       (length ? strtoul(length + 17, NULL, 10) : 0);
	}
	if (!request || got < want || want == SIZE_MAX) {
		free(request);
		return NULL;
	}
	**body = '\0';
	*body += 4;
	return request;
}

static void put(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = send(fd, text, len, MSG_NOSIGNAL);

		if (n <= 0)
			return;
		text += n;
		len -= (size_t)n;
	}
}

static void serve(struct prometheus_server *s, int fd)
{
	struct prometheus_answer a = {.status = 200};
	char *body = NULL, *request = read_request(fd, &body), head[512];
	size_t len;

	if (!request)
		return;
	s->answer(s->ctx, request, query_of(body), &a);
	len = a.body ? strlen(a.body) : 0;
	if (a.status) {
		(void)snprintf(head, sizeof(head),
			"HTTP/1.1 %d X\r\nContent-Length: %zu\r\n%s%sConnection: close\r\n\r\n",
			a.status, len, a.header ? a.header : "", a.header ? "\r\n" : "");
		put(fd, head, strlen(head));
		put(fd, a.body, a.cut && a.cut < len ? a.cut : len);
	}
	free(a.body);
	free(request);
}

static void *run(void *ctx)
{
	struct prometheus_server *s = ctx;

	while (!atomic_load(&s->stop)) {
		struct pollfd p = {.fd = s->fd, .events = POLLIN};
		int fd;

		if (poll(&p, 1, 50) <= 0)
			continue;
		fd = accept(s->fd, NULL, NULL);
		if (fd < 0)
			continue;
		serve(s, fd);
		(void)close(fd);
	}
	return NULL;
}

struct prometheus_server *prometheus_server_start(prometheus_answer_fn *answer, void *ctx)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct prometheus_server *s = calloc(1, sizeof(*s));
	socklen_t len = sizeof(at);

	if (!s)
		abort();
	s->answer = answer;
	s->ctx = ctx;
	s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s->fd < 0 || bind(s->fd, (struct sockaddr *)&at, sizeof(at)) != 0 ||
		listen(s->fd, 64) != 0 || getsockname(s->fd, (struct sockaddr *)&at, &len) != 0)
		abort();
	s->port = ntohs(at.sin_port);
	if (pthread_create(&s->thread, NULL, run, s) != 0)
		abort();
	return s;
}

unsigned prometheus_server_port(const struct prometheus_server *s)
{
	return s->port;
}

void prometheus_server_stop(struct prometheus_server *s)
{
	atomic_store(&s->stop, true);
	(void)pthread_join(s->thread, NULL);
	(void)close(s->fd);
	free(s);
}
