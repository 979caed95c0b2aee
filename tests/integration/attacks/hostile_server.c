/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/attacks/hostile_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/str.h"
#include "tests/integration/support/scratch.h"
#include "tests/support/cases.h"
#include "tests/support/slot.h"

enum { CONNECTIONS_MOST = 64, BRACKETS = 60000, PART = 16384 };

struct hostile_server {
	enum hostility how;
	int listener;
	unsigned other;
	gnutls_certificate_credentials_t credentials;
	pthread_t thread;
	atomic_bool stopping;
	atomic_uint connections, passwords, open;
};

struct connection {
	struct hostile_server *s;
	int fd;
	gnutls_session_t tls; /* NULL: none */
};

static bool put(const struct connection *c, const void *bytes, size_t n)
{
	const char *at = bytes;

	while (n && !c->s->stopping) {
		ssize_t done = c->tls ? gnutls_record_send(c->tls, at, n)
				      : send(c->fd, at, n, MSG_NOSIGNAL);

		if (c->tls && (done == GNUTLS_E_AGAIN || done == GNUTLS_E_INTERRUPTED))
			continue;
		if (done <= 0)
			return false;
		at += done;
		n -= (size_t)done;
	}
	return n == 0;
}

static bool put_text(const struct connection *c, const char *text)
{
	return put(c, text, strlen(text));
}

static void put_headers(const struct connection *c)
{
	char line[1100];

	memset(line, 'h', sizeof(line));
	memcpy(line, "X-H: ", 5);
	memcpy(line + sizeof(line) - 3, "\r\n", 3);
	if (put_text(c, "HTTP/1.1 200 OK\r\n"))
		while (put_text(c, line))
			continue;
}

static void put_bomb(const struct connection *c)
{
	static unsigned char zeros[1 << 20];
	unsigned char packed[PART];
	z_stream z;

	memset(&z, 0, sizeof(z));
	if (!put_text(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
			 "Content-Encoding: gzip\r\nConnection: close\r\n\r\n") ||
		deflateInit2(&z, 9, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		return;
	/* 64 GB of zeros. */
	for (unsigned i = 0; i < 65536; i++) {
		z.next_in = zeros;
		z.avail_in = sizeof(zeros);
		while (z.avail_in) {
			z.next_out = packed;
			z.avail_out = sizeof(packed);
			(void)deflate(&z, Z_NO_FLUSH);
			if (!put(c, packed, sizeof(packed) - z.avail_out)) {
				(void)deflateEnd(&z);
				return;
			}
		}
	}
	(void)deflateEnd(&z);
}

static void put_redirect(const struct connection *c)
{
	char text[256];

	(void)str_printf(text, sizeof(text),
		"HTTP/1.1 307 Temporary Redirect\r\nLocation: https://127.0.0.1:%u/steal\r\n"
		"Content-Length: 0\r\nConnection: close\r\n\r\n",
		c->s->other);
	(void)put_text(c, text);
}

static void put_drip(const struct connection *c, const char *head, char with, int every_ms)
{
	if (!put_text(c, head))
		return;
	while (put(c, &with, 1) && !c->s->stopping)
		(void)poll(NULL, 0, every_ms);
}

static void put_depth(const struct connection *c)
{
	char part[1000];

	memset(part, '[', sizeof(part));
	if (!put_text(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
			 "Content-Length: 60000\r\nConnection: close\r\n\r\n"))
		return;
	for (int i = 0; i < BRACKETS / 1000; i++)
		if (!put(c, part, sizeof(part)))
			return;
}

/* Up to the empty line; false: it ended before. */
static bool take_request(const struct connection *c)
{
	char text[8192];
	size_t n = 0;

	while (n + 1 < sizeof(text) && !c->s->stopping) {
		ssize_t got = gnutls_record_recv(c->tls, text + n, sizeof(text) - 1 - n);

		if (got == GNUTLS_E_AGAIN || got == GNUTLS_E_INTERRUPTED)
			continue;
		if (got <= 0)
			return false;
		n += (size_t)got;
		text[n] = '\0';
		if (!strstr(text, "\r\n\r\n"))
			continue;
		c->s->passwords += strcasestr(text, "\r\nAuthorization:") != NULL;
		return true;
	}
	return false;
}

static void answer(const struct connection *c)
{
	switch (c->s->how) {
	case HOSTILE_HEADERS:
		put_headers(c);
		break;
	case HOSTILE_BOMB:
		put_bomb(c);
		break;
	case HOSTILE_REDIRECT:
		put_redirect(c);
		break;
	case HOSTILE_DRIP:
		put_drip(c, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{", ' ', 200);
		break;
	case HOSTILE_DEPTH:
		put_depth(c);
		break;
	case HOSTILE_BANNER:
		while (put_text(
			c, "this is no version of any protocol, but a line of a server\r\n"))
			continue;
		break;
	case HOSTILE_WORD:
		put_drip(c, "SSH-2.0-", 'x', 100);
		break;
	}
}

static void *serve(void *arg)
{
	struct connection *c = arg;
	struct timeval patience = {.tv_usec = 200000};

	(void)setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	(void)setsockopt(c->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (!c->s->credentials) {
		answer(c);
	} else if (gnutls_init(&c->tls, GNUTLS_SERVER) == 0) {
		int rc;

		(void)gnutls_set_default_priority(c->tls);
		(void)gnutls_credentials_set(c->tls, GNUTLS_CRD_CERTIFICATE, c->s->credentials);
		gnutls_transport_set_int(c->tls, c->fd);
		do
			rc = gnutls_handshake(c->tls);
		while (rc < 0 && !gnutls_error_is_fatal(rc) && !c->s->stopping);
		if (rc == 0 && take_request(c))
			answer(c);
		(void)gnutls_bye(c->tls, GNUTLS_SHUT_WR);
		gnutls_deinit(c->tls);
	}
	(void)close(c->fd);
	c->s->open--;
	free(c);
	return NULL;
}

static void *take_all(void *arg)
{
	struct hostile_server *s = arg;
	struct pollfd p = {.fd = s->listener, .events = POLLIN};

	while (!s->stopping) {
		struct connection *c;
		pthread_t thread;

		if (poll(&p, 1, 100) <= 0 || s->open >= CONNECTIONS_MOST)
			continue;
		c = calloc(1, sizeof(*c));
		if (!c)
			break;
		c->s = s;
		c->fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
		s->connections++;
		s->open++;
		if (c->fd < 0 || pthread_create(&thread, NULL, serve, c) != 0) {
			s->open--;
			free(c);
			continue;
		}
		(void)pthread_detach(thread);
	}
	return NULL;
}

struct hostile_server *hostile_start(enum hostility how, const char *certificate, const char *key,
	unsigned other, unsigned *port)
{
	struct hostile_server *s = calloc(1, sizeof(*s));
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int on = 1;

	assert_non_null(s);
	(void)signal(SIGPIPE, SIG_IGN);
	s->how = how;
	s->other = other;
	if (certificate) {
		assert_int_equal(gnutls_certificate_allocate_credentials(&s->credentials), 0);
		assert_int_equal(gnutls_certificate_set_x509_key_file(
					 s->credentials, certificate, key, GNUTLS_X509_FMT_PEM),
			0);
	}
	*port = slot_port();
	at.sin_port = htons((uint16_t)*port);
	s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	(void)setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	assert_int_equal(bind(s->listener, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(s->listener, 64), 0);
	assert_int_equal(pthread_create(&s->thread, NULL, take_all, s), 0);
	return s;
}

void hostile_stop(struct hostile_server *s)
{
	s->stopping = true;
	(void)pthread_join(s->thread, NULL);
	while (s->open)
		(void)poll(NULL, 0, 10);
	(void)close(s->listener);
	if (s->credentials)
		gnutls_certificate_free_credentials(s->credentials);
	free(s);
}

unsigned hostile_connections(const struct hostile_server *s)
{
	return s->connections;
}

unsigned hostile_passwords(const struct hostile_server *s)
{
	return s->passwords;
}

/* ---- a run ---- */

static char *take_file(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = calloc(1, 1 << 20);

	assert_non_null(text);
	if (f) {
		(void)!fread(text, 1, (1 << 20) - 1, f);
		(void)fclose(f);
	}
	(void)unlink(path);
	return text;
}

struct measured run_measured(const char *const *argv, int seconds)
{
	struct measured m = {.code = -1};
	posix_spawn_file_actions_t files;
	int64_t begun = now_ms();
	char said[] = "/tmp/railtop-said-XXXXXX";
	struct rusage used;
	int status = 0, fd = mkstemp(said);
	pid_t pid, got = 0;

	assert_true(fd >= 0);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, fd, 1);
	posix_spawn_file_actions_adddup2(&files, fd, 2);
	assert_int_equal(
		posix_spawn(&pid, argv[0], &files, NULL, (char *const *)(uintptr_t)argv, environ),
		0);
	posix_spawn_file_actions_destroy(&files);
	memset(&used, 0, sizeof(used));
	while ((got = wait4(pid, &status, WNOHANG, &used)) == 0 &&
		now_ms() < begun + 1000 * (int64_t)seconds)
		(void)poll(NULL, 0, 10);
	if (got == 0) {
		(void)kill(pid, SIGKILL);
		(void)wait4(pid, &status, 0, &used);
	} else {
		m.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	}
	m.seconds = (double)(now_ms() - begun) / 1000;
	m.peak_kb = used.ru_maxrss;
	(void)close(fd);
	m.said = take_file(said);
	return m;
}
